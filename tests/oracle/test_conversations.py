"""Conversations, citations and related records against the reference monitor."""

from uuid import uuid4

import pytest

from entities.access import Scope
from ingestion.models import ContextRow, Kind
from retrieval.citations import Owner, register_sources
from retrieval.models import OwnerKind
from retrieval.owners import RESOLVERS, CitingText
from retrieval.search import search
from tests.oracle.monitor import World
from tests.oracle.properties import in_worlds
from tests.oracle.worlds import plant, stranger
from tests.retrieval.conftest import Index
from tests.retrieval.test_oracle import plant_rows


@in_worlds(2)
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
        others = [far, *(api for name, api in apis.items() if name != person.name)]
        for turn, pk in enumerate(mine):  # each of the others asks in another way, from one conversation to the next
            for n, path in enumerate(("", "messages/", "export/")):
                url = f"/api/chat/sessions/{pk}/{path}"
                assert apis[person.name].get(url).status_code == 200
                assert {api.get(url).status_code for api in others[(n + turn) % len(others) :: len(others)]} == {404}


@in_worlds(2)
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


@in_worlds(2)
def test_citations_open_for_who_may_read_the_passage(db: None, world: World) -> None:
    """The text that cites is everybody's here: what each number opens is decided by its passage alone."""
    planted, owner = plant(world), Owner(OwnerKind.PULSE, uuid4())
    plant_rows(planted, vectors=False)
    with planted.service.open():
        found = search(planted.service, "liability", limit=50)
        numbers = dict(
            zip((result.text for result in found), register_sources(planted.service, owner, found), strict=True)
        )
    citing = CitingText(owner, " ".join(f"liability [citation:{n}]" for n in numbers.values()))
    labelled = [t for t in world.texts if t.label is not None and not world.record(t.record).binned]
    assert numbers.keys() == {text.words for text in labelled}

    def resolver(scope: Scope, pk: object) -> CitingText | None:
        return citing if pk == owner.id and scope.workspace == planted.workspace.pk else None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("retrieval.owners.RESOLVERS", [*RESOLVERS, resolver])
        far = stranger(planted)
        for text in labelled:
            url = f"/api/citations/{owner.id}/{numbers[text.words]}/"
            assert far.get(url).status_code == 404
            for person in world.people:
                answer = planted.api(person).get(url)
                # The number is labelled like its passage: below the label it is not there, else "no longer available".
                assert answer.status_code == (200 if world.cleared(person, text.label) else 404)
                read = world.index_reads(person, text)
                assert (answer.json().get("available", False), text.words in answer.content.decode()) == (read, read)
