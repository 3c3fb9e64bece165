"""Hidden rows change nothing in a search. Which rows are found is in tests/retrieval/test_oracle.py."""

from dataclasses import replace

from ingestion.models import ContextRow
from retrieval.search import search
from tests.oracle.monitor import Person, World
from tests.oracle.properties import in_worlds
from tests.oracle.worlds import Planted, plant, plant_rows


def found(planted: Planted, person: Person) -> list[tuple[str, float, float | None]]:
    scope = planted.scope(person)
    with scope.open():
        return [(r.text, r.score, r.scores.lexical) for r in search(scope, "liability", limit=10)]


@in_worlds(2)
def test_hidden_rows_change_no_order_and_no_score(db: None, world: World) -> None:
    """The same world without the rows that a reader may not see answers them the same, to the last digit."""
    planted = plant(world)
    plant_rows(planted)
    for person in world.people:
        with_hidden = found(planted, person)
        hidden = [t.words for t in world.texts if not world.index_reads(person, t)]
        with planted.service.open():
            kept = list(ContextRow.objects.filter(text__in=hidden).values_list("pk", flat=True))
            ContextRow.objects.filter(pk__in=kept).delete()
        assert found(planted, person) == with_hidden
        planted = plant(replace(world))
        plant_rows(planted)
