"""Reader, downloads, suggestions, references and graph against the reference monitor."""

from dataclasses import replace

from hypothesis import given

from tests.oracle.monitor import Person, World
from tests.oracle.test_records import SIZED
from tests.oracle.worlds import plant, plant_files, plant_references, worlds


def has_file(world: World, person: Person, record: str) -> bool:
    """Files of an employee are in a collection that is PII: where that is concealed, who lacks it has no such file."""
    floor = frozenset({3}) if world.record(record).kind == "employee" else frozenset()
    return world.acknowledged(person, floor)


def plain(world: World) -> World:
    """The world with texts that have neither an audience nor sources, as paragraphs of a file have none."""
    return replace(world, texts=tuple(replace(t, audience=None, sources=frozenset()) for t in world.texts))


@SIZED
@given(world=worlds())
def test_reader_and_download(db: None, world: World) -> None:
    world = plain(world)
    planted = plant(world)
    files = plant_files(planted)
    for person in world.people:
        api = planted.api(person)
        for name, pk in files.items():
            mine = [t for t in world.texts if t.record == name]
            cleared = [t.words for t in mine if has_file(world, person, name) and world.reads(person, t)]
            answer = api.get(f"/api/files/{pk}/reader/")
            assert (answer.status_code == 200) == bool(cleared)
            if cleared:
                shown = answer.json()["blocks"]
                assert [b["text"] for b in shown if b["type"] == "text"] == cleared
                hidden = [t for t in mine if t.words not in cleared]
                told = {frozenset(t.label - world.held(person)) for t in hidden if t.label is not None
                        and world.acknowledged(person, t.label)}  # fmt: skip
                assert {
                    frozenset(r["value"] for r in b["requires"]) for b in shown if b["type"] == "placeholder"
                } == told
            if len(cleared) < len(mine):
                assert api.get(f"/api/files/{pk}/download/").status_code in (403, 404)


@SIZED
@given(world=worlds())
def test_suggestions_and_file_lists(db: None, world: World) -> None:
    world = plain(world)
    planted = plant(world)
    files = plant_files(planted)
    for person in world.people:
        api = planted.api(person)
        suggested = api.get("/api/suggest/?q=record").json()["results"]
        assert {s["name"] for s in suggested if s["type"] != "file"} == {
            r.name for r in world.records if world.sees(person, r)
        }
        for record in world.records:
            listed = api.get(f"/api/entities/{planted.records[record.name]}/files/")
            assert (listed.status_code == 200) == world.sees(person, record)
            if listed.status_code == 200:
                seen = {f["id"] for f in listed.json()["results"]}
                assert seen <= {str(files[record.name])} if record.name in files else not seen


@SIZED
@given(world=worlds())
def test_references_and_graph(db: None, world: World) -> None:
    world = plain(world)
    planted = plant(world)
    plant_references(planted)
    names = [r.name for r in world.records]
    ends = {
        t.words: (world.record(names[i % len(names)]), world.record(names[(i + 1) % len(names)]))
        for i, t in enumerate(world.texts)
    }
    for person in world.people:
        api = planted.api(person)
        expected = {
            t.words for t in world.texts
            if world.cleared(person, t.label) and all(world.sees(person, end) for end in ends[t.words])
        }  # fmt: skip
        answer = api.get("/api/references/?page_size=200").json()
        assert {r["label"] for r in answer["results"]} == expected
        assert answer["count"] == len(expected)
        visible = {str(planted.records[r.name]) for r in world.records if world.sees(person, r)}
        for record in world.records:
            graph = api.get(f"/api/entities/{planted.records[record.name]}/graph/?depth=2")
            assert (graph.status_code == 200) == world.sees(person, record)
            if graph.status_code == 200:
                assert {n["id"] for n in graph.json()["nodes"]} <= visible
