"""Every way that a search may take finds the same: all that the reader sees, and nothing else (docs/adr/0013)."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection

from entities.access.statements import build_visible_records
from entities.actions import create_entity
from entities.models import Entity
from entities.models.classification import FINANCIAL
from entities.types import Contract
from ingestion import vector_graph
from ingestion.models import ContextRow
from retrieval import candidates, sizes
from retrieval.gate import build_gates
from retrieval.models import RankingSettings
from retrieval.search import find_hits
from retrieval.statements import fetch_rows
from retrieval.survey import Survey, run_survey
from retrieval.tuning import load_tuning
from tests.conftest import Person
from tests.oracle.monitor import World
from tests.oracle.properties import in_worlds
from tests.oracle.worlds import Planted, plant
from tests.retrieval.conftest import Index
from tests.retrieval.test_oracle import plant_rows

Tuned = Callable[..., None]


@pytest.fixture
def tuned(settings: Any) -> Iterator[Tuned]:
    """`tuned(hits=3)` sets constants of ranking for one test."""

    def apply(**values: object) -> None:
        settings.RETRIEVAL = values
        load_tuning.cache_clear()

    yield apply
    load_tuning.cache_clear()


def all_sampled(planted: Planted | Index) -> None:
    """As if every row stood for 32: with `FEW` out of the way, a small world is planned for as a large one."""
    with planted.service.open(), connection.cursor() as cursor:
        cursor.execute("UPDATE ingestion_posting SET sample = 11")


def found_is_what_each_may_read(planted: Planted) -> None:
    world = planted.world
    for person in world.people:
        expected = {text.words for text in world.texts if world.index_reads(person, text)}
        with (scope := planted.scope(person)).open():
            assert texts_of([hit.row for hit in find_hits(scope, "liability", floor=-1).hits]) == expected


def texts_of(rows: list[int]) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT text FROM ingestion_contextrow WHERE number = ANY(%s)", [rows])
        return {text for (text,) in cursor.fetchall()}


@in_worlds(3)
def test_records_first(db: None, monkeypatch: pytest.MonkeyPatch, world: World) -> None:
    monkeypatch.setattr(Survey, "by_record", property(lambda size: True))
    planted = plant(world)
    plant_rows(planted, vectors=True)
    found_is_what_each_may_read(planted)


@in_worlds(3)
def test_records_are_the_same_looked_up_and_all_at_once(db: None, world: World) -> None:
    planted = plant(world)
    for person in world.people:
        with (scope := planted.scope(person)).open():
            seen = build_visible_records(scope)
            one_by_one, whole = (
                {found[0] for found in fetch_rows(f"SELECT id FROM ({text}) v", seen.params)}
                for text in (seen.text, seen.whole)
            )
            expected = set(Entity.objects.visible_to(scope).values_list("pk", flat=True))
            assert expected == {planted.records[record.name] for record in world.records if world.sees(person, record)}
            assert one_by_one == whole == expected


@in_worlds(3)
def test_common_words(db: None, tuned: Tuned, monkeypatch: pytest.MonkeyPatch, world: World) -> None:
    monkeypatch.setattr("retrieval.survey.FEW", 1)
    tuned(hits=100)
    planted = plant(world)
    plant_rows(planted, vectors=False)
    all_sampled(planted)
    found_is_what_each_may_read(planted)


def test_common_words_order_what_rare_ones_found(
    alice: Person, contract: Contract, index: Index, tuned: Tuned, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(30):
        index.row(contract, f"The quay has berth {n}.", vector=False)
    index.row(contract, "The sluice is shut.", vector=False)
    index.row(contract, "The sluice by the quay is open.", vector=False)
    all_sampled(index)

    def best() -> list[str]:
        with alice.scope.open():
            hits = find_hits(alice.scope, "sluice quay", floor=-1).hits
            return [next(iter(texts_of([hit.row]))) for hit in hits[:2]]

    whole = best()
    tuned(hits=500)
    monkeypatch.setattr("retrieval.survey.FEW", 1)
    with alice.scope.open():
        found = find_hits(alice.scope, "sluice quay", floor=-1)
        terms = found.terms.numbers
        assert candidates.plan_lexical_search(terms, run_survey(terms, build_gates(alice.scope, found.within))).weighed
    assert best() == whole == ["The sluice by the quay is open.", "The sluice is shut."]


@pytest.mark.django_db(transaction=True)
def test_the_graph_finds_what_reading_all_finds(
    alice: Person,
    cfo: Person,
    viewer: Person,
    contract: Contract,
    restricted: Contract,
    index: Index,
    tuned: Tuned,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for n in range(20):
        index.row(contract, f"Berth {n} takes ships of {n * 10} metres.", label=5 if n % 2 else 0)
        index.row(restricted, f"The settlement has clause {n} on damages.")
    all_sampled(index)
    people = (alice, cfo, viewer)

    def found(who: Person) -> list[int]:
        with who.scope.open():
            return [hit.row for hit in find_hits(who.scope, "how long may a vessel be", floor=-1).hits]

    tuned(strict=True)
    exact = [found(who) for who in people]
    assert vector_graph.build_graphs(fewest=1_000) == []
    assert len(vector_graph.build_graphs(fewest=1)) == 1
    assert vector_graph.build_graphs(fewest=1) == []
    sizes.forget_sizes()
    walked: list[str] = []
    tuned(scan=1)
    monkeypatch.setattr("retrieval.graph_index.READ", 1.0)
    with pytest.MonkeyPatch.context() as patch:
        by_graph = candidates.find_by_graph

        def walk(*given: Any) -> Any:
            walked.append("graph")
            return by_graph(*given)

        patch.setattr(candidates, "find_by_graph", walk)
        by_walk = [found(who) for who in people]

        assert len(walked) == 3

        def choose(**strict: str) -> None:
            address = f"{alice.base}admin/retrieval/rankingsettings/{alice.scope.workspace}/change/"
            assert alice.client.post(address, {"rerank": "off", **strict}).status_code == 302

        with alice.scope.open():
            RankingSettings.objects.create(workspace_id=alice.scope.workspace)
        choose(strict="on")
        assert [found(who) for who in people] == exact
        assert len(walked) == 3, "a workspace that is strict compares all"
        choose()
        assert [found(who) for who in people] == exact
        assert len(walked) == 6
    assert by_walk == exact
    assert [len(rows) for rows in exact] == [40, 20, 10]


def test_a_new_record_is_not_hidden_by_the_way_it_is_read(alice: Person, viewer: Person, index: Index) -> None:
    """By the record or by the label: a restricted record's rows are nobody else's."""
    with alice.scope.open():
        secret = create_entity(
            scope=alice.scope, model=Contract, fields={"name": "Yard", "counterparty": "X"}, visibility="restricted"
        )
    index.row(secret, "The yard is for sale.", vector=False)
    for by_record in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Survey, "by_record", property(lambda size, value=by_record: value))
            for who, count in ((alice, 1), (viewer, 0)):
                with who.scope.open():
                    assert len(find_hits(who.scope, "yard", floor=-1).hits) == count


def test_a_record_that_is_seen_for_two_reasons_is_found_once(alice: Person, index: Index) -> None:
    """It is open to all, and granted to who made it."""
    with alice.scope.open():
        made = create_entity(scope=alice.scope, model=Contract, fields={"name": "Yard", "counterparty": "X"})
    for text in ("The yard is for sale.", "The yard, and the yard beside it.", "A crane."):
        index.row(made, text)
    found = []
    for by_record in (True, False):
        with pytest.MonkeyPatch.context() as patch, alice.scope.open():
            patch.setattr(Survey, "by_record", property(lambda size, value=by_record: value))
            found.append(find_hits(alice.scope, "yard", floor=-1).hits)
    assert found[0] == found[1]
    assert len({hit.row for hit in found[0]}) == len(found[0]) >= 2


def test_what_a_record_holds_is_remembered_as_long_as_the_record(
    alice: Person, cfo: Person, viewer: Person, contract: Contract, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A label that is new to a record comes by a row that is made, or by one that is raised."""
    monkeypatch.setattr(Survey, "by_record", property(lambda size: True))
    index.row(contract, "The sluice is shut.", vector=False)
    raised = index.row(contract, "The quay is for sale.")
    assert [found_by(who) for who in (cfo, viewer)] == [1, 1]
    with index.service.open():
        ContextRow.objects.filter(pk=raised).update(data_classification=FINANCIAL)
    assert [found_by(who) for who in (cfo, viewer)] == [1, 0]
    with index.service.open(), connection.cursor() as cursor:
        held = "SELECT data_classification FROM ingestion_held WHERE entity = %s ORDER BY 1"
        cursor.execute(held, [contract.number])
        assert cursor.fetchall() == [(0,), (FINANCIAL,)]
        Contract.objects.get(pk=contract.pk).delete()
        cursor.execute(held, [contract.number])
        assert cursor.fetchall() == []


def found_by(who: Person) -> int:
    with who.scope.open():
        return len(find_hits(who.scope, "quay", floor=-1).hits)
