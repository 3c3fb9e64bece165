"""The registry gives numbers that last; what a number opens is decided when it is opened."""

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from django.db import connection

from entities.access import Scope
from entities.actions import add_member, create_entity, create_workspace
from entities.models import ClassificationGrant, Entity, FieldParagraph, User
from entities.models.classification import FINANCIAL
from entities.types import Contract
from ingestion.models import ContextRow, Paragraph, RowParagraph
from retrieval.citations import CitedSource, Owner, delete_registry, load_numbers, register_source, register_sources
from retrieval.locate import resolve_citation
from retrieval.models import Citation, OwnerKind, SourceType
from retrieval.search import search
from tests.retrieval.conftest import cite


def opened(person, owner, n):
    with person.scope.open():
        return resolve_citation(person.scope, owner, n)


def test_numbers_grow_by_one_and_the_same_source_keeps_its_number(index, contract, passage, viewer, owner):
    index.row(contract, "Rent is due monthly.")
    assert cite(viewer, owner) == 1
    assert cite(viewer, owner, "rent is due") == 2
    assert cite(viewer, owner) == 1
    with viewer.scope.open():
        found = search(viewer.scope, "liability cap and rent")
        numbers = register_sources(viewer.scope, owner, found + found)
        assert sorted(set(numbers)) == [1, 2]
        assert load_numbers(viewer.scope, owner).known == {1, 2}
        assert load_numbers(viewer.scope, owner).by_src[found[0].src] == numbers[0]


def test_each_owner_counts_for_itself(passage, viewer, owner):
    assert cite(viewer, owner) == 1
    assert cite(viewer, Owner(OwnerKind.PULSE, owner.id)) == 1


def test_a_number_is_not_given_out_twice(index, contract, passage, viewer, owner, service):
    cite(viewer, owner)
    with service.open():
        Citation.objects.all().delete()
    index.row(contract, "Rent is due monthly.")
    assert cite(viewer, owner, "rent is due") == 2


def test_a_number_opens_its_passage(passage, viewer, owner):
    found = opened(viewer, owner, cite(viewer, owner))
    assert found.available
    assert found.located.text == "The liability cap is two million euros."
    assert found.located.exact
    assert (found.name, found.where, found.located.section) == ("lease.pdf", "p. 7", "Liability")
    assert found.preview == "The liability cap is two million euros."
    with viewer.scope.open():
        url = found.url(viewer.scope)
    assert url == f"/w/acme/files/{passage.pk}/?row={found.located.row}#p-{found.located.layout.paragraphs[0]}"
    assert opened(viewer, owner, 99) is None


def test_a_citation_quotes_nothing(passage, viewer, owner, service):
    cite(viewer, owner)
    with service.open():
        row = Citation.objects.values().get()
        assert "million" not in str(row)
        assert "Liability" not in str(row)
        assert row["locator"]["span"] == [0, 39]
        assert row["locator"]["revision"] == str(passage.revision_id)


def test_another_reader_does_not_see_a_private_registry(passage, viewer, staff, owner):
    n = cite(viewer, owner)
    assert opened(staff, owner, n) is None
    assert opened(staff, Owner(owner.kind, owner.id, 0), n) is None


def test_what_was_raised_since_is_no_longer_available(passage, viewer, owner, service):
    n = cite(viewer, owner)
    with service.open():
        RowParagraph.objects.all().delete()
        ContextRow.objects.update(data_classification=FINANCIAL)
        Paragraph.objects.update(data_classification=FINANCIAL)
    gone = opened(viewer, owner, n)
    assert not gone.available
    assert (gone.name, gone.preview, gone.where, gone.entity, gone.file) == ("", "", "", None, None)


def test_what_was_granted_and_revoked_is_no_longer_available(index, contract, cfo, owner, service):
    index.row(contract, "The kestrel price is 90,000.", label=FINANCIAL, file=index.file(contract))
    mine = Owner(owner.kind, owner.id, cfo.scope.principal)
    n = cite(cfo, mine, "kestrel price")
    assert opened(cfo, mine, n).available
    with service.open():
        ClassificationGrant.objects.filter(role__name="cfo role").delete()
    assert opened(cfo, mine, n) is None


def test_a_record_that_was_restricted_since_is_no_longer_available(passage, contract, viewer, owner, service):
    n = cite(viewer, owner)
    with service.open():
        Entity.objects.filter(pk=contract.pk).update(visibility="restricted")
    assert not opened(viewer, owner, n).available


def test_a_deleted_record_is_no_longer_available(passage, contract, viewer, alice, owner):
    from entities.actions import delete_entity

    n = cite(viewer, owner)
    with alice.scope.open():
        delete_entity(scope=alice.scope, entity=contract)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    assert not opened(viewer, owner, n).available


def test_it_survives_a_new_index_row_by_its_paragraphs(passage, viewer, owner, service):
    n = cite(viewer, owner)
    with service.open():
        ContextRow.objects.all()._raw_delete("default")
    found = opened(viewer, owner, n)
    assert found.located.text == "The liability cap is two million euros."
    assert found.located.exact
    assert found.located.page == 7
    with service.open():
        Paragraph.objects.update(text="The cap was lifted.")
    assert not opened(viewer, owner, n).located.exact
    with service.open():
        Paragraph.objects.all().delete()
    assert not opened(viewer, owner, n).available


def test_paragraphs_of_another_record_do_not_open(index, contract, restricted, viewer, owner, service):
    """A locator is data: what it names must be of the record on which permission was checked."""
    secret = index.file(restricted)
    index.row(restricted, "The kestrel settlement.", file=secret)
    with service.open():
        paragraph = Paragraph.objects.get()
        note = FieldParagraph.objects.create(
            workspace_id=service.workspace, entity_id=restricted.pk, field="notes", position=1, text="Kestrel.",
            digest="x", data_classification=0,
        )  # fmt: skip
    with viewer.scope.open():
        forged = [
            CitedSource(SourceType.KB_CHUNK, f"{i}", 0, contract.pk, locator={"paragraphs": [str(pk)]})
            for i, pk in enumerate([paragraph.pk, note.pk])
        ]
        for n in register_sources(viewer.scope, owner, forged):
            assert not resolve_citation(viewer.scope, owner, n).available


def test_a_snapshot_of_a_record_leads_to_todays(index, contract, viewer, owner, service):
    index.row(contract, "Quay lease, status draft.")
    n = cite(viewer, owner, "quay lease draft")
    with service.open():
        ContextRow.objects.all()._raw_delete("default")
    assert not opened(viewer, owner, n).available
    index.row(contract, "Quay lease, status active.")
    found = opened(viewer, owner, n)
    assert found.located.text == "Quay lease, status active."
    assert not found.located.exact


def test_a_relabelled_passage_gets_a_number_of_its_own(index, contract, viewer, alice, owner, service):
    """The row of the old label is hidden from who may read the new one, and must not get in their way."""
    index.row(contract, "The kestrel price.", label=FINANCIAL)
    shared = Owner(OwnerKind.PULSE, owner.id)
    assert cite(alice, shared, "kestrel") == 1
    with service.open():
        ContextRow.objects.update(data_classification=0)
    assert cite(viewer, shared, "kestrel") == 2
    assert opened(viewer, shared, 2).available
    assert opened(viewer, shared, 1) is None


def test_forgetting_an_owner_leaves_nothing(passage, viewer, owner, service):
    cite(viewer, owner)
    with service.open():
        delete_registry(service, owner)
    assert opened(viewer, owner, 1) is None


@pytest.mark.django_db(transaction=True)
def test_numbers_are_unique_under_concurrency(transactional_db):
    workspace = create_workspace(slug="busy", name="Busy")
    user = User.objects.create_user("ann")
    service = Scope.for_service(workspace.pk)
    with service.open():
        add_member(workspace, user)
        entity = create_entity(scope=service, model=Contract, fields={"name": "Lease", "counterparty": "Port"})
    scope, owner = Scope.for_user(user, "busy"), Owner(OwnerKind.CHAT_SESSION, uuid4(), user.pk)

    def work(worker: int) -> list[int]:
        given = []
        try:
            for i in range(10):
                with scope.open():
                    key = f"shared {i}" if i % 2 else f"{worker} {i}"
                    given.append(register_source(scope, owner, CitedSource(SourceType.KB_CHUNK, key, 0, entity.pk)))
        finally:
            connection.close()
        return given

    with ThreadPoolExecutor(4) as pool:
        numbers = [n for given in pool.map(work, range(4)) for n in given]
    assert sorted(set(numbers)) == list(range(1, 26))
    with scope.open():
        assert Citation.objects.count() == 25
