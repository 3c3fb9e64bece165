"""Conversations and related records against the reference monitor."""

from hypothesis import given

from ingestion.models import ContextRow, Kind
from tests.oracle.monitor import World
from tests.oracle.test_records import SIZED
from tests.oracle.worlds import plant, stranger, worlds
from tests.retrieval.conftest import Index


@SIZED
@given(world=worlds())
def test_a_conversation_is_its_askers_while_they_see_the_record(db: None, world: World) -> None:
    planted = plant(world)
    far = stranger(planted)
    apis = {person.name: planted.api(person) for person in world.people}
    for person in world.people:
        mine = set()
        for record in world.records:
            answer = apis[person.name].post("/api/chat/sessions/", {"entity": planted.id(record.name)}, format="json")
            assert answer.status_code == (201 if world.sees(person, record) else 404)
            if answer.status_code == 201:
                mine.add(answer.json()["id"])
        assert {s["id"] for s in apis[person.name].get("/api/chat/sessions/?page_size=200").json()["results"]} == mine
        for pk in mine:
            for path in ("", "messages/", "export/"):
                url = f"/api/chat/sessions/{pk}/{path}"
                assert apis[person.name].get(url).status_code == 200
                others = [api for name, api in apis.items() if name != person.name]
                assert {api.get(url).status_code for api in (*others, far)} == {404}


@SIZED
@given(world=worlds())
def test_related_records(db: None, world: World) -> None:
    planted = plant(world)
    index = Index(planted.service)
    with planted.service.open():
        for record in world.records:
            row = ContextRow.objects.create(
                workspace=planted.workspace, data_classification=0, kind=Kind.METADATA, text=f"{record.name} lease",
                entity_id=planted.records[record.name], digest=record.name,
            )  # fmt: skip
            index.embed(row, row.text)
    for person in world.people:
        api = planted.api(person)
        seen = {planted.id(r.name) for r in world.records if world.sees(person, r)}
        for record in world.records:
            answer = api.get(f"/api/entities/{planted.id(record.name)}/related/")
            assert (answer.status_code == 200) == world.sees(person, record)
            if answer.status_code == 200:
                assert {r["id"] for r in answer.json()["results"]} == seen - {planted.id(record.name)}
