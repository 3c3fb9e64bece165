"""Search against the reference monitor, in random worlds: no extra row, no missing row, on every branch."""

from entities.access import combine_for_workspace
from entities.models import Source
from ingestion.models import ContextRow, Kind
from retrieval.search import find_hits, search
from retrieval.suggest import suggest_names
from tests.oracle.monitor import World
from tests.oracle.properties import in_worlds
from tests.oracle.worlds import Planted, plant
from tests.retrieval.conftest import Index


def plant_rows(planted: Planted, *, vectors: bool) -> None:
    """The labelled texts as index rows; unlabelled text never gets there."""
    world, index = planted.world, Index(planted.service)
    with planted.service.open():
        for text in world.texts:
            if text.label is None:
                continue
            row = ContextRow.objects.create(
                workspace=planted.workspace,
                data_classification=combine_for_workspace(planted.workspace.pk, *text.label),
                audience=planted.audience(text.audience),
                kind=Kind.RELATIONSHIP,
                entity_id=planted.records[text.record],
                text=text.words,
                digest=text.words,
            )
            for source in text.sources:
                Source.objects.create(workspace=planted.workspace, derived=row.pk, entity_id=planted.records[source])
            if vectors:
                index.embed(row, text.words)


def same_for_everybody(planted: Planted, question: str) -> None:
    world = planted.world
    for person in world.people:
        expected = {text.words for text in world.texts if world.index_reads(person, text)}
        scope = planted.scope(person)
        with scope.open():
            found = search(scope, question, limit=50)
            assert {result.text for result in found} == expected
            assert len(found) == len(find_hits(scope, question).hits) == len(expected)
            visible = {record.name for record in world.records if world.sees(person, record)}
            assert {s.name for s in suggest_names(scope, "record", limit=50)} == visible


@in_worlds(2)
def test_by_words(db: None, world: World) -> None:
    planted = plant(world)
    plant_rows(planted, vectors=False)
    same_for_everybody(planted, "liability")


@in_worlds(2)
def test_by_meaning(db: None, world: World) -> None:
    """No word in common, so only the vectors can find them."""
    planted = plant(world)
    plant_rows(planted, vectors=True)
    for person in world.people:
        expected = {text.words for text in world.texts if world.index_reads(person, text)}
        scope = planted.scope(person)
        with scope.open():
            found = find_hits(scope, "legal responsibility for damages")
            assert all(hit.lexical is None for hit in found.hits)
            assert len(found.hits) == len(expected)
