"""Every read path of records against the reference monitor: no extra row, no missing row."""

from dataclasses import replace

from entities.models import Entity
from tests.oracle.known_worlds import CHAIN
from tests.oracle.monitor import World
from tests.oracle.properties import in_worlds
from tests.oracle.worlds import VERBS, plant, plant_field_texts, stranger


@in_worlds(2)
def test_lists_counts_and_records(db: None, world: World) -> None:
    planted = plant(world)
    far = stranger(planted)
    for record in world.records:
        assert far.get(f"/api/entities/{record.kind}/{planted.records[record.name]}/").status_code == 404
    for person in world.people:
        api = planted.api(person)
        for kind in ("contract", "employee"):
            expected = {planted.id(r.name) for r in world.records if r.kind == kind and world.sees(person, r)}
            listed = api.get(f"/api/entities/{kind}/?page_size=200").json()
            assert {r["id"] for r in listed["results"]} == expected
            assert listed["count"] == len(expected)
        for record in world.records:
            answer = api.get(f"/api/entities/{record.kind}/{planted.records[record.name]}/")
            assert (answer.status_code == 200) == world.sees(person, record)
            if answer.status_code == 200 and record.kind == "contract":
                assert ("value" in answer.json()) == world.cleared(person, frozenset({5}))


@in_worlds(2, CHAIN)
def test_verbs(db: None, world: World) -> None:
    planted = plant(world)
    for person in world.people:
        scope = planted.scope(person)
        with scope.open():
            for verb in VERBS:
                seen = set(Entity.objects.visible_to(scope, verb).values_list("pk", flat=True))
                assert seen == {planted.records[r.name] for r in world.records if world.sees(person, r, verb)}


@in_worlds(2)
def test_long_texts_and_placeholders(db: None, world: World) -> None:
    world = replace(world, texts=tuple(replace(t, audience=None, sources=frozenset()) for t in world.texts))
    planted = plant(world)
    plant_field_texts(planted)
    for person in world.people:
        api = planted.api(person)
        for record in world.records:
            if not world.sees(person, record):
                continue
            blocks = api.get(f"/api/entities/{record.kind}/{planted.records[record.name]}/").json()["notes"]
            mine = [t for t in world.texts if t.record == record.name]
            expected: list[object] = []
            for text in mine:
                if world.reads(person, text):
                    expected.append(text.words)
                elif text.label is not None and world.acknowledged(person, text.label):
                    missing = sorted(text.label - world.held(person))
                    if not (expected and expected[-1] == missing):
                        expected.append(missing)
            shown = [b["text"] if b["type"] == "text" else [r["value"] for r in b["requires"]] for b in blocks]
            assert shown == expected
