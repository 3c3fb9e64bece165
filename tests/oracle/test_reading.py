"""Reader, downloads, paragraphs, suggestions, file lists, references and graph against the reference monitor."""

from dataclasses import replace

from tests.oracle.known_worlds import CHAIN
from tests.oracle.monitor import World
from tests.oracle.properties import in_worlds
from tests.oracle.worlds import content_of, plant, plant_files, plant_references, stranger


def plain(world: World) -> World:
    """The world with texts that have neither an audience nor sources: paragraphs of files and references have none."""
    return replace(world, texts=tuple(replace(t, audience=None, sources=frozenset()) for t in world.texts))


@in_worlds(2)
def test_reader_and_paragraphs(db: None, world: World) -> None:
    world = plain(world)
    planted = plant(world)
    files = plant_files(planted)
    far = stranger(planted)
    for pk in files.values():
        assert {far.get(f"/api/files/{pk}/{path}").status_code for path in ("", "reader/", "download/")} == {404}
    for person in world.people:
        api = planted.api(person)
        for name, pk in files.items():
            known = world.knows_file(person, name)
            assert (api.get(f"/api/files/{pk}/").status_code == 200) == known
            mine = world.paragraphs(name)
            cleared = [t.words for t in mine if known and world.reads(person, t)]
            votes = api.get(f"/api/files/{pk}/paragraphs/")
            assert votes.status_code == (404 if not known else 200) if world.steward(person) else 403
            if votes.status_code == 200:
                assert [p["text"] for p in votes.json()["results"]] == cleared
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


@in_worlds(2)
def test_downloads(db: None, world: World) -> None:
    world = plain(world)
    planted = plant(world)
    files = plant_files(planted)
    for person in world.people:
        api = planted.api(person)
        for name, pk in files.items():
            answer = api.get(f"/api/files/{pk}/download/")
            if world.downloads(person, name):
                assert (answer.status_code, b"".join(answer.streaming_content)) == (200, content_of(name))
            else:
                assert answer.status_code == (403 if world.knows_file(person, name) else 404)


@in_worlds(2)
def test_suggestions_and_file_lists(db: None, world: World) -> None:
    world = plain(world)
    planted = plant(world)
    files = plant_files(planted)
    far = stranger(planted)
    assert not {s["id"] for s in far.get("/api/suggest/?q=record").json()["results"]} & set(map(planted.id, files))
    for person in world.people:
        api = planted.api(person)
        suggested = api.get("/api/suggest/?q=record").json()["results"]
        assert {s["id"] for s in suggested if s["type"] != "file"} == {
            planted.id(r.name) for r in world.records if world.sees(person, r)
        }
        for record in world.records:
            listed = api.get(f"/api/entities/{planted.records[record.name]}/files/")
            assert (listed.status_code == 200) == world.sees(person, record)
            if listed.status_code == 200:
                known = record.name in files and world.knows_file(person, record.name)
                assert [f["id"] for f in listed.json()["results"]] == ([str(files[record.name])] if known else [])


@in_worlds(2, CHAIN)
def test_references_and_graph(db: None, world: World) -> None:
    world = plain(world)
    planted = plant(world)
    plant_references(planted)
    far = stranger(planted)
    assert far.get("/api/references/?page_size=200").json()["count"] == 0
    for person in world.people:
        api = planted.api(person)
        expected = {t.words for n, t in enumerate(world.texts) if world.knows_reference(person, n)}
        answer = api.get("/api/references/?page_size=200").json()
        assert {r["label"] for r in answer["results"]} == expected
        assert answer["count"] == len(expected)
        for record in world.records:
            graph = api.get(f"/api/entities/{planted.records[record.name]}/graph/?depth=2")
            assert (graph.status_code == 200) == world.sees(person, record)
            if graph.status_code == 200:
                reached = world.reached(person, record, 2)
                assert {n["id"] for n in graph.json()["nodes"]} == set(map(planted.id, reached))
