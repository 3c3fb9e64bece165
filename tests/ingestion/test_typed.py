"""A record's own text in the index: snapshots per label, long texts, relations; and that it follows changes."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from entities.access import Scope, build_sources_visible_q, list_atoms
from entities.actions import change_entity, create_entity, delete_entity
from entities.types import Article, Contract, Employee, Project
from ingestion import records, tasks
from ingestion.inline import process_all_waiting
from ingestion.models import ContextRow, Kind, RecordIndex
from llm import scripted
from llm.models import Budget
from tests.conftest import Person, make_contract


@pytest.fixture
def contract(alice: Person) -> Contract:
    return make_contract(alice)


def rows(who: Person, kind: Kind, **filters: Any) -> list[str]:
    """Texts of index rows that the policies show to a person."""
    with who.scope.open():
        return sorted(
            ContextRow.objects.filter(build_sources_visible_q(who.scope), kind=kind, **filters).values_list(
                "text", flat=True
            )
        )


def make(
    who: Person, model: Any, texts: dict[str, str] | None = None, visibility: str | None = None, **fields: Any
) -> Any:
    with who.scope.open():
        return create_entity(scope=who.scope, model=model, fields=fields, texts=texts or {}, visibility=visibility)


def test_properties_stand_in_the_row_of_their_own_label(
    alice: Person, cfo: Person, viewer: Person, contract: Contract
) -> None:
    process_all_waiting(alice.scope.workspace)
    open_text = rows(viewer, Kind.METADATA)
    assert len(open_text) == 1
    assert "Quay lease with Port" in open_text[0]
    assert "1,200,000" not in open_text[0]
    assert any("1,200,000" in text and "Port" not in text for text in rows(cfo, Kind.METADATA))


def test_a_sentence_about_a_record_says_nothing_of_what_is_empty(alice: Person, viewer: Person) -> None:
    make(alice, Project, name="Pier", phase="closed")
    make(alice, Project, name="Mole", phase="closed", owner_name="Ann Reed")
    process_all_waiting(alice.scope.workspace)
    mole, pier = (text.splitlines()[0] for text in rows(viewer, Kind.METADATA))
    assert mole == "Project: Mole, Closed phase, owned by Ann Reed"
    assert pier == "Project: Pier, Closed phase"


def test_compound_fields_need_all_their_labels(alice: Person, hr: Person, cfo: Person, service: Scope) -> None:
    make(alice, Employee, name="Ann Reed", job_title="Clerk", email="ann@example.com", salary="50000")
    process_all_waiting(alice.scope.workspace)
    with service.open():
        found = {
            frozenset(list_atoms(r.data_classification)): r.text for r in ContextRow.objects.filter(kind=Kind.METADATA)
        }
    assert set(found) == {frozenset(), frozenset({3}), frozenset({3, 5})}
    assert "50,000" in found[frozenset({3, 5})]
    assert "ann@example.com" in found[frozenset({3})]
    assert not any("50,000" in text for person in (hr, cfo) for text in rows(person, Kind.METADATA))


def test_a_change_replaces_its_row_and_no_other(alice: Person, contract: Contract, service: Scope) -> None:
    process_all_waiting(alice.scope.workspace)
    with service.open():
        before = {r.data_classification: r.pk for r in ContextRow.objects.filter(entity=contract.pk)}
    with alice.scope.open():
        change_entity(scope=alice.scope, entity=contract, fields={"value": "7"})
    process_all_waiting(alice.scope.workspace)
    with service.open():
        after = {r.data_classification: r.pk for r in ContextRow.objects.filter(entity=contract.pk)}
    assert before[0] == after[0]
    assert before[5] != after[5]
    assert not process_all_waiting(alice.scope.workspace)


def test_a_burst_of_changes_is_one_piece_of_work(alice: Person, contract: Contract, service: Scope) -> None:
    for n in range(5):
        with alice.scope.open():
            change_entity(scope=alice.scope, entity=contract, fields={"notice_days": n, "ends_on": "2027-06-30"})
    with service.open():
        assert RecordIndex.objects.count() == 1
    assert process_all_waiting(alice.scope.workspace) == 1
    (said,) = [text for text in rows(alice, Kind.METADATA) if "Notice period (days): 4" in text]
    assert "Ends on: 30 June 2027" in said


def test_long_text_is_indexed_by_label(alice: Person, cfo: Person, viewer: Person) -> None:
    make(alice, Article, {"body": "Doors open at eight.\n\nThe rent of the hall is 4,500 pounds."}, name="Hall")
    process_all_waiting(alice.scope.workspace)
    assert rows(viewer, Kind.METADATA, field="body") == ["Doors open at eight."]
    assert rows(cfo, Kind.METADATA, field="body") == ["Doors open at eight.", "The rent of the hall is 4,500 pounds."]


def test_a_paragraph_that_asks_counts_for_the_next_one(alice: Person, hr: Person, viewer: Person) -> None:
    """Also where it has its label already, so that the model is not given it again."""
    answers = {"Date of birth:": "12 March 1984", "Date of building:": "14 April 1985"}
    for question, answer in answers.items():
        article = make(alice, Article, {"body": question}, name="Hall")
        process_all_waiting(alice.scope.workspace)
        with alice.scope.open():
            change_entity(scope=alice.scope, entity=article, fields={}, texts={"body": f"{question}\n\n{answer}"})
        process_all_waiting(alice.scope.workspace)
    born, built = answers.values()
    found = {who: " ".join(rows(who, Kind.METADATA, field="body")) for who in (viewer, hr)}
    assert [born in found[who] for who in (viewer, hr)] == [False, True]
    assert [built in found[who] for who in (viewer, hr)] == [True, True]


def test_text_that_could_not_be_labelled_is_not_indexed_and_the_rest_is(
    alice: Person, steward: Person, service: Scope
) -> None:
    article = make(alice, Article, {"body": "Doors open at eight."}, name="Hall")
    with scripted.use_scripted_model() as script:
        for _ in range(8):
            script.push(error=529)
        process_all_waiting(alice.scope.workspace)
    assert rows(steward, Kind.METADATA, field="body") == []
    assert any("Hall" in text for text in rows(alice, Kind.METADATA))
    with service.open():
        assert RecordIndex.objects.get(entity=article.pk).error
        RecordIndex.objects.update(claimed_until=None)
    process_all_waiting(alice.scope.workspace)
    assert rows(steward, Kind.METADATA, field="body") == ["Doors open at eight."]


def test_text_is_labelled_however_long_nobody_could_label_it(
    alice: Person, viewer: Person, steward: Person, service: Scope
) -> None:
    article = make(alice, Article, {"body": "Doors open at eight."}, name="Hall")
    waits = []
    with scripted.use_scripted_model() as script:
        for _ in range(12):
            for _ in range(4):
                script.push(error=529)
            process_all_waiting(alice.scope.workspace)
            waits.append(until_next_try(service, article))
            assert not process_all_waiting(alice.scope.workspace), "it waits"
            let_the_wait_be_over(service)
    assert waits[:3] == [20, 40, 80]
    assert max(waits) == waits[-1] == 3600
    assert rows(steward, Kind.METADATA, field="body") == []
    with service.open():
        assert tasks.list_stale_records() == [article.pk]
    process_all_waiting(alice.scope.workspace)
    assert rows(viewer, Kind.METADATA, field="body") == ["Doors open at eight."]


def test_text_waits_for_a_budget_and_an_edit_is_tried_at_once(alice: Person, viewer: Person, service: Scope) -> None:
    article = make(alice, Article, {"body": "Doors open at eight."}, name="Hall")
    with service.open():
        Budget.objects.create(workspace_id=alice.scope.workspace, monthly_cap=0)
    with scripted.use_scripted_model():
        process_all_waiting(alice.scope.workspace)
    assert until_next_try(service, article) == 3600
    with service.open():
        assert "budget" in RecordIndex.objects.get(entity=article.pk).error
    assert not process_all_waiting(alice.scope.workspace)
    with alice.scope.open():
        change_entity(scope=alice.scope, entity=article, fields={}, texts={"body": "Doors open at nine."})
    process_all_waiting(alice.scope.workspace)
    assert rows(viewer, Kind.METADATA, field="body") == ["Doors open at nine."]


def until_next_try(service: Scope, record: Any) -> int:
    """Seconds, to ten of them."""
    with service.open():
        until = RecordIndex.objects.get(entity=record.pk).claimed_until
    return 10 * round((until - timezone.now()).total_seconds() / 10)


def let_the_wait_be_over(service: Scope) -> None:
    with service.open():
        RecordIndex.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))


def test_relations_name_what_everybody_may_see(
    alice: Person, viewer: Person, contract: Contract, restricted: Contract
) -> None:
    make(alice, Project, name="Repairs", contract=contract)
    make(alice, Project, name="Talks", contract=restricted)
    process_all_waiting(alice.scope.workspace)
    assert rows(viewer, Kind.RELATIONSHIP) == ["Project “Repairs” belongs to contract “Quay lease”."]
    assert not any("Settlement" in text for text in rows(alice, Kind.RELATIONSHIP))


def test_a_record_that_became_restricted_takes_its_relations_along(
    alice: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    make(alice, Project, name="Repairs", contract=contract)
    process_all_waiting(alice.scope.workspace)
    with service.open():
        Contract.objects.filter(pk=contract.pk).update(visibility="restricted")
    assert rows(viewer, Kind.RELATIONSHIP) == []
    assert len(rows(alice, Kind.RELATIONSHIP)) == 1


def test_a_renamed_parent_is_named_anew(alice: Person, viewer: Person, contract: Contract) -> None:
    make(alice, Project, name="Repairs", contract=contract)
    process_all_waiting(alice.scope.workspace)
    with alice.scope.open():
        change_entity(scope=alice.scope, entity=contract, fields={"name": "Harbour lease"})
    process_all_waiting(alice.scope.workspace)
    assert rows(viewer, Kind.RELATIONSHIP) == ["Project “Repairs” belongs to contract “Harbour lease”."]


def test_rows_drawn_from_a_deleted_record_go_with_it(alice: Person, contract: Contract, service: Scope) -> None:
    project = make(alice, Project, name="Repairs", contract=contract)
    process_all_waiting(alice.scope.workspace)
    with alice.scope.open():
        delete_entity(scope=alice.scope, entity=contract)
    with service.open():
        assert not ContextRow.objects.filter(kind=Kind.RELATIONSHIP).exists()
        assert not ContextRow.objects.filter(entity=contract.pk).exists()
        assert ContextRow.objects.filter(entity=project.pk, kind=Kind.METADATA).exists()


@pytest.mark.django_db(transaction=True)
def test_an_edit_while_it_is_indexed_is_followed(
    alice: Person, viewer: Person, monkeypatch: pytest.MonkeyPatch, transactional_db: None
) -> None:
    from ingestion import records

    article = make(alice, Article, {"body": "Doors open at eight."}, name="Hall")
    embed, edited = records.embed_texts, []

    def edit_first(*args: Any) -> Any:
        if not edited:
            edited.append(1)
            with alice.scope.open():
                change_entity(scope=alice.scope, entity=article, fields={}, texts={"body": "Doors open at nine."})
        return embed(*args)

    monkeypatch.setattr(records, "embed_texts", edit_first)
    process_all_waiting(alice.scope.workspace)
    assert rows(viewer, Kind.METADATA, field="body") == ["Doors open at nine."]


def test_a_record_that_somebody_works_on_is_taken_by_nobody_else(
    alice: Person, contract: Contract, service: Scope
) -> None:
    taken = records.claim_record(service.workspace, contract.pk)
    assert taken is not None
    assert records.claim_record(service.workspace, contract.pk) is None
    with service.open():
        RecordIndex.objects.update(claimed_until=timezone.now() + timedelta(days=1))
    assert records.claim_record(service.workspace, contract.pk), "the clock was set back after it was made"
    records.release_claim(taken, None)
    with service.open():
        assert RecordIndex.objects.get(entity=contract.pk).stale_since, "whoever lost a claim finishes nothing"
