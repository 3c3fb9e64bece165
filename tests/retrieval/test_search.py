"""Search finds by meaning and by word, and every allow-test has a twin in which hidden rows change nothing."""

import pytest

from entities.access import ScopeError, grant_entity
from entities.models.classification import FINANCIAL, INTERNAL, PII
from ingestion.models import Kind
from retrieval.query import prepare_query
from retrieval.search import find_hits, search
from tests.retrieval.conftest import ids


def test_an_exact_word_is_found(lease, viewer):
    file, rows = lease
    with viewer.scope.open():
        first = search(viewer.scope, "liability cap")[0]
    assert first.id == rows[0]
    assert first.matched == ("liability", "cap")
    assert first.scores.lexical
    assert first.page == 1
    assert first.section == "Terms"
    assert "“liability cap”" in first.why
    assert first.url.startswith(f"/w/acme/files/{file.pk}/")
    assert f"row={first.id}" in first.url
    assert first.url.endswith(f"#p-{first.passages[0]}")


def test_a_stem_of_a_word_is_found(lease, viewer):
    with viewer.scope.open():
        assert search(viewer.scope, "terminated")[0].id == lease[1][2]


def test_a_meaning_is_found_without_a_word_in_common(lease, viewer):
    with viewer.scope.open():
        first = search(viewer.scope, "when do vessels dock in the harbour?")[0]
    assert first.id == lease[1][1]
    assert first.scores.lexical is None
    assert first.scores.vector
    assert first.scores.vector > 0.3
    assert "similar in meaning" in first.why


def test_a_row_without_a_vector_is_found_by_its_words(index, contract, viewer):
    row = index.row(contract, "Kestrel protocol", vector=False)
    with viewer.scope.open():
        assert ids(search(viewer.scope, "kestrel")) == [row]


def test_words_of_another_language_are_stemmed_in_it(index, contract, viewer):
    row = index.row(contract, "Die Kündigungsfristen betragen drei Monate.", lang="de")
    with viewer.scope.open():
        assert search(viewer.scope, "Kündigungsfrist")[0].id == row


def test_nonsense_finds_nothing(lease, viewer):
    with viewer.scope.open():
        assert search(viewer.scope, "xylographic zzyzx qwfp") == []


def test_any_text_is_a_question(subtests, lease, viewer):
    for query in ["", "   ", "\x00", "\ud800", "'; DROP TABLE x; --", "%s %(x)s {}", "()&|!:*", "a" * 50_000]:
        with subtests.test(query=query), viewer.scope.open():
            assert isinstance(search(viewer.scope, query), list)


def test_a_prepared_question_gives_the_same(lease, viewer):
    asked = prepare_query("notice of termination", viewer.scope)
    with viewer.scope.open():
        assert ids(search(viewer.scope, asked)) == ids(search(viewer.scope, "notice of termination"))


def test_a_search_is_made_in_its_own_scope(lease, viewer, staff):
    with viewer.scope.open(), pytest.raises(ScopeError):
        search(staff.scope, "liability")
    with pytest.raises(ScopeError):
        search(viewer.scope, "liability")


def test_neighbours_come_along_with_less_weight(index, contract, viewer):
    file = index.file(contract)
    hit = index.row(contract, "Kestrel protocol applies.", file=file, position=4, vector=False)
    before = index.row(contract, "Wholly different words stand here.", file=file, position=3, vector=False)
    index.row(contract, "Two steps away from it.", file=file, position=2, vector=False)
    with viewer.scope.open():
        found = search(viewer.scope, "kestrel")
    assert ids(found) == [hit, before]
    assert found[1].score == pytest.approx(found[0].score / 2, abs=1e-4)
    assert "“kestrel”" in found[1].why


def test_neighbours_never_cross_a_label(index, contract, cfo):
    file = index.file(contract)
    hit = index.row(contract, "Kestrel protocol applies.", file=file, position=4, vector=False)
    index.row(contract, "Wholly different words.", file=file, position=3, label=FINANCIAL, vector=False)
    with cfo.scope.open():
        assert ids(search(cfo.scope, "kestrel")) == [hit]


def everything(scope, *queries):
    """All that a caller could tell two databases apart by: what is found, in which order, with which scores."""
    with scope.open():
        return [
            (
                [(h.row, h.score, h.similarity, h.lexical, h.terms) for h in find_hits(scope, query).hits],
                search(scope, query, limit=50),
            )
            for query in queries
        ]


QUESTIONS = ["liability cap", "when do vessels dock?", "salary kestrel notice", "the first working day"]


def hide_by_label(index, contract, file, restricted, outsider):
    index.row(contract, "The kestrel salary liability cap is 90,000.", file=file, position=1, label=FINANCIAL)
    index.row(contract, "Kestrel notice to staff.", file=file, position=3, label=(FINANCIAL, PII))


def hide_by_permission(index, contract, file, restricted, outsider):
    index.row(restricted, "The kestrel liability cap of the settlement is secret.")
    index.row(restricted, "Vessels dock on the first working day.", file=index.file(restricted), position=1)


def hide_by_audience(index, contract, file, restricted, outsider):
    index.row(contract, "The kestrel liability cap, for one reader.", audience=10**6, kind=Kind.CHAT_MESSAGE)
    index.row(contract, "The salary notice, for one role.", audience=-(10**6), file=file, position=5)


def hide_by_source(index, contract, file, restricted, outsider):
    """Rows on an open record that were drawn from one that the reader may not see."""
    index.row(
        contract, "The kestrel liability cap follows the settlement.", kind=Kind.RELATIONSHIP, sources=(restricted,)
    )
    index.row(contract, "Salary notice.", kind=Kind.DELTA, sources=(contract, restricted))
    index.row(contract, "Vessels dock.", file=file, position=1, sources=(restricted,))


def hide_by_workspace(index, contract, file, restricted, outsider):
    from entities.access import Scope
    from entities.actions import create_entity
    from entities.types import Contract
    from tests.retrieval.conftest import Index

    service = Scope.for_service(outsider.scope.workspace)
    with service.open():
        foreign = create_entity(scope=service, model=Contract, fields={"name": "Foreign", "counterparty": "x"})
    other = Index(service)
    other.row(foreign, "The kestrel liability cap salary notice on the first working day.")
    other.row(foreign, "Vessels dock in the harbour.", file=other.file(foreign))


@pytest.mark.parametrize(
    "hide", [hide_by_label, hide_by_permission, hide_by_audience, hide_by_source, hide_by_workspace]
)
def test_hidden_rows_change_nothing(index, contract, lease, restricted, outsider, viewer, alice, hide):
    """Each in a workspace of its own: what one way has hidden would be in the counts of the next already."""
    file, rows = lease
    before = everything(viewer.scope, *QUESTIONS)
    hide(index, contract, file, restricted, outsider)
    assert everything(viewer.scope, *QUESTIONS) == before
    assert before[0][1][0].id == rows[0]


def test_who_is_cleared_finds_what_others_do_not(index, contract, lease, cfo, viewer):
    row = index.row(contract, "The kestrel salary is 90,000.", file=lease[0], position=1, label=FINANCIAL)
    with cfo.scope.open():
        found = search(cfo.scope, "kestrel salary")
        assert found[0].id == row
        assert found[0].label == FINANCIAL
    with viewer.scope.open():
        assert row not in ids(search(viewer.scope, "kestrel salary"))


def test_a_compound_needs_all_its_parts(index, contract, cfo, hr, alice):
    row = index.row(contract, "Kestrel pays Jane 90,000.", label=(FINANCIAL, PII))
    for person, sees in ((cfo, False), (hr, False), (alice, True)):
        with person.scope.open():
            assert (row in ids(search(person.scope, "kestrel"))) is sees


def test_a_restricted_record_is_found_once_it_is_granted(index, restricted, viewer, alice):
    row = index.row(restricted, "The kestrel settlement.")
    with viewer.scope.open():
        assert search(viewer.scope, "kestrel") == []
    with alice.scope.open():
        grant_entity(restricted, viewer.user.pk, ["view"])
    with viewer.scope.open():
        assert ids(search(viewer.scope, "kestrel")) == [row]


def test_rows_for_one_reader_are_theirs_alone(index, contract, viewer, staff):
    row = index.row(contract, "Kestrel, said in private.", audience=viewer.user.pk, kind=Kind.CHAT_MESSAGE)
    with viewer.scope.open():
        assert ids(search(viewer.scope, "kestrel")) == [row]
    with staff.scope.open():
        assert search(staff.scope, "kestrel") == []


def test_derived_text_is_found_by_who_sees_all_its_sources(index, contract, restricted, viewer, alice):
    row = index.row(
        contract, "Kestrel draws on the settlement.", kind=Kind.RELATIONSHIP, sources=(contract, restricted)
    )
    with alice.scope.open():
        assert ids(search(alice.scope, "kestrel")) == [row]
    with viewer.scope.open():
        assert search(viewer.scope, "kestrel") == []


def test_archived_records_stay_searchable(index, contract, viewer, alice):
    from entities.actions import archive_entity

    row = index.row(contract, "Kestrel protocol.")
    with alice.scope.open():
        archive_entity(scope=alice.scope, entity=contract)
    with viewer.scope.open():
        (found,) = search(viewer.scope, "kestrel")
        assert found.id == row
        assert found.entity.archived


def test_a_file_name_needs_its_own_label(index, contract, viewer, staff):
    file = index.file(contract, "Takeover of Kestrel.pdf", name_label=INTERNAL)
    index.row(contract, "Berths are let by the month.", file=file)
    with staff.scope.open():
        assert search(staff.scope, "berths")[0].file.name == "Takeover of Kestrel.pdf"
    with viewer.scope.open():
        found = search(viewer.scope, "berths")[0]
        assert found.file.id == file.pk
        assert found.file.name is None
