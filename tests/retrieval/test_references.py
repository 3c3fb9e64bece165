"""References widen a search that is limited to some records, as the reader sees the graph."""

import re

import pytest

from entities.actions import create_entity
from entities.types import Contract, Risk
from references.actions import add_reference


@pytest.fixture
def linked(index, contract, restricted, alice):
    """contract → risk → settlement (restricted) → annex; each has one passage."""
    with alice.scope.open():
        risk = create_entity(scope=alice.scope, model=Risk, fields={"name": "Late steel"})
        annex = create_entity(scope=alice.scope, model=Contract, fields={"name": "Annex", "counterparty": "Port"})
        for source, target in ((contract, risk), (risk, restricted), (restricted, annex)):
            add_reference(scope=alice.scope, source=source, target=target, kind="BuildsOn")
    for record in (contract, risk, restricted, annex):
        index.row(record, f"Kestrel clause of {record.pk}", vector=False)
    return [contract, risk, restricted, annex]


def found(person, record, depth):
    query = {"q": "kestrel", "entity": str(record.pk), "reference_depth": depth}
    results = person.api.get("/api/search/", query).json()["results"]
    return {r["entity"]["id"]: (r["via_reference"], r["why"]) for r in results}


def test_a_search_follows_references(linked, alice):
    first, risk, settlement, annex = linked
    assert set(found(alice, first, 0)) == {str(first.pk)}
    one = found(alice, first, 1)
    assert set(one) == {str(first.pk), str(risk.pk)}
    assert one[str(first.pk)][0] is False
    assert one[str(risk.pk)][0] is True
    assert "linked by reference from Quay lease" in one[str(risk.pk)][1]
    assert set(found(alice, first, 3)) == {str(r.pk) for r in linked}


def test_it_does_not_pass_through_what_the_reader_may_not_see(linked, viewer):
    first, risk, settlement, annex = linked
    assert set(found(viewer, first, 3)) == {str(first.pk), str(risk.pk)}
    assert found(viewer, settlement, 3) == {}


def test_without_a_limit_there_is_nothing_to_widen(linked, viewer):
    answers = [viewer.api.get("/api/search/", {"q": "kestrel", "reference_depth": depth}).json() for depth in (0, 3)]
    assert answers[0] == answers[1]


def here(person, page):
    """The parameters of the search field on a page: those that are sent anyway, and the box that may be ticked."""
    text = person.client.get(page).content.decode()
    (form,) = re.findall(
        r'<form[^>]*action="/w/acme/search/"[^>]*aria-label="Search (?:in )?this .*?</form>', text, re.S
    )
    inputs = [dict(re.findall(r'(\w+)="([^"]*)"', tag)) for tag in re.findall(r"<input[^>]*>", form)]
    sent, ticked = ({i["name"]: i["value"] for i in inputs if i["type"] == kind} for kind in ("hidden", "checkbox"))
    return sent, ticked


def passages(person, **query):
    page = person.client.get("/w/acme/search/", {"q": "kestrel", **query})
    return {str(card.result.entity.id) for card in page.context["cards"]}, page.content.decode()


@pytest.mark.parametrize("who", ["alice", "viewer"])
def test_a_record_is_searched_from_its_page(linked, alice, viewer, who):
    first, risk, settlement, annex = linked
    person = alice if who == "alice" else viewer
    sent, ticked = here(person, f"/w/acme/entities/{first.pk}/")
    alone, page = passages(person, **sent)
    assert alone == {str(first.pk)}
    assert 'name="reference_depth" value="1">' in page, "it may be widened there too"
    widened, page = passages(person, **sent, **ticked)
    assert widened == {str(first.pk), str(risk.pk)}
    assert 'name="reference_depth" value="1" checked>' in page
    further, _ = passages(person, **sent, reference_depth=3)
    assert (str(annex.pk) in further) is (who == "alice"), "not through what the reader may not see"


def test_a_file_is_searched_by_itself(index, contract, viewer):
    files = [index.file(contract, name) for name in ("lease.pdf", "annex.pdf")]
    for file in files:
        index.row(contract, f"The kestrel clause of {file.name}.", file=file, vector=False)
    _, page = passages(viewer, file=str(files[0].pk))
    assert "clause of lease.pdf" in re.sub("<.*?>", "", page)
    assert "clause of annex.pdf" not in re.sub("<.*?>", "", page)


@pytest.fixture
def alike(index, alice, contract):
    """Two records with the same passage: the later one would come second."""
    with alice.scope.open():
        other = create_entity(scope=alice.scope, model=Contract, fields={"name": "Berth lease", "counterparty": "Port"})
    for record in (contract, other):
        index.row(record, "The kestrel clause.", vector=False)
    return contract, other


def ranked(person):
    results = person.api.get("/api/search/", {"q": "kestrel clause"}).json()["results"]
    return [(r["entity"]["id"], r["score"], r["why"]) for r in results]


def test_what_is_built_on_comes_first_and_what_is_superseded_last(alike, alice, viewer):
    contract, other = alike
    before = ranked(viewer)
    assert [pk for pk, _, _ in before] == [str(contract.pk), str(other.pk)]
    assert "a little" not in str(before)
    with alice.scope.open():
        risk = create_entity(scope=alice.scope, model=Risk, fields={"name": "Late steel"})
        add_reference(scope=alice.scope, source=risk, target=other, kind="BuildsOn")
    (first, score, why), (second, same, _) = ranked(viewer)
    assert (first, second, same) == (str(other.pk), str(contract.pk), before[0][1])
    assert before[1][1] < score <= min(1, 1.1 * before[1][1])
    assert "raised a little: its record is built on by 1" in why
    with alice.scope.open():
        for _ in range(2):
            newer = create_entity(scope=alice.scope, model=Risk, fields={"name": "Newer"})
            add_reference(scope=alice.scope, source=newer, target=other, kind="Supersedes")
    assert ranked(viewer)[1][0] == str(other.pk)
    assert "lowered a little: its record is built on by 1, superseded by 2" in ranked(viewer)[1][2]


def test_references_that_the_reader_does_not_see_change_no_score(alike, restricted, alice, viewer):
    before = ranked(viewer)
    with alice.scope.open():
        add_reference(scope=alice.scope, source=restricted, target=alike[1], kind="BuildsOn")
    assert ranked(viewer) == before
    assert ranked(alice)[0][0] == str(alike[1].pk)
