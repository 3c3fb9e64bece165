"""An answer that was removed with a source says so in its place, to who could see the source, and to nobody else."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connections

from chat import runner
from chat.message_sources import select_message_sources
from chat.models import ENDS, Message, Role, Turn
from entities.access import Scope, grant_entity, revoke_entity
from entities.actions import create_entity, delete_entity
from entities.models import Classification, ClassificationGrant, Entity, Source
from entities.models.classification import FINANCIAL, SECRET
from entities.models.entity import Visibility
from entities.types import Contract
from ingestion.bin import bin_file, delete_for_good
from ingestion.models import File
from tests.chat.conftest import Chat, Model, tail
from tests.chat.test_turns import seen_text
from tests.conftest import Person
from tests.retrieval.conftest import Index

Start = Callable[[Person, Entity], Chat]
SAYS = "Removed with a source"
NEUTRAL = "is not shown any more"


@pytest.fixture
def pier(alice: Person, index: Index) -> Entity:
    with alice.scope.open():
        made = create_entity(scope=alice.scope, model=Contract, fields={"name": "Pier", "counterparty": "Port"})
    index.row(made, "The pier fee was paid to Olufsen in March.", file=index.file(made, "Fees.pdf"))
    return made


def ask(who: Person, record: Entity, start: Start, model: Model) -> tuple[Chat, str]:
    chat = start(who, record)
    model.says(tool_use=("search_knowledge", {"query": "pier fee Olufsen settlement", "scope": "workspace"}))
    model.says(text="It was paid to Olufsen [1].")
    turn = chat.ask("Who got the fee?")
    assert "Olufsen" in turn["message"]["content"]
    return chat, turn["id"]


def disclosures(chat: Chat, turn: str) -> list[bool]:
    """Whether it is said that the answer was removed: over the API, in the stream, on the page, in the export."""
    shown = chat.turn(turn)
    assert shown["message"] is None
    (last,) = [event.data for event in chat.events(turn) if event.kind in ENDS]
    page = chat.who.client.get(f"{chat.who.base}chat/{chat.session}/").content.decode()
    exported = chat.who.api.get(f"{chat.url}export/").content.decode()
    assert "Olufsen" not in f"{shown}{last}{page}{exported}"
    assert not (SAYS in page and NEUTRAL in page)
    return [shown["removed_with_source"], last.get("removed_with_source", False), SAYS in page, SAYS in exported]


def delete(alice: Person, record: Entity) -> None:
    with alice.scope.open():
        delete_entity(scope=alice.scope, entity=record)


def test_a_deleted_record_is_named_as_the_reason_to_who_could_see_it(
    alice: Person,
    viewer: Person,
    cfo: Person,
    contract: Entity,
    pier: Entity,
    start: Start,
    model: Model,
    service: Scope,
) -> None:
    chat, turn = ask(viewer, contract, start, model)
    assert chat.turn(turn)["removed_with_source"] is False
    other, asked_by_cfo = ask(cfo, contract, start, model)
    with service.open():  # as if it had been told something that needs a clearance
        Message.objects.filter(turn=asked_by_cfo, role="assistant").update(data_classification=FINANCIAL)
    delete(alice, pier)
    assert disclosures(chat, turn) == [True] * 4
    assert disclosures(other, asked_by_cfo) == [True] * 4
    with service.open():
        left = select_message_sources(Turn.objects.get(pk=turn), Role.ASSISTANT)
        assert {source.entity_id for source in left} == {contract.pk}
        ClassificationGrant.objects.filter(role__name="cfo role").delete()
    assert disclosures(other, asked_by_cfo) == [False] * 4, "what the answer needed is not held any more"
    chat.who.api.delete(chat.url)
    with service.open():
        assert not Source.objects.filter(derived=chat.session).exists()


def test_where_others_read_they_are_told_as_its_asker_is(
    alice: Person,
    viewer: Person,
    cfo: Person,
    contract: Entity,
    pier: Entity,
    share: Start,
    model: Model,
    service: Scope,
) -> None:
    """Also where the question went too, which was typed below an answer from the same source."""
    chat, first = ask(viewer, contract, share, model)
    model.says(text="Yes, Olufsen.")
    second = chat.ask("Was it Olufsen?")["id"]
    theirs = Chat(cfo, chat.session)
    assert [message["type"] for message in theirs.messages()] == ["text"] * 4
    delete(alice, pier)
    assert [disclosures(who, turn) for who in (chat, theirs) for turn in (first, second)] == [[True] * 4] * 4
    assert [message["content"] for message in theirs.messages()] == ["Who got the fee?"]
    with service.open():
        Turn.objects.update(removed_label=SECRET)
    assert disclosures(theirs, first) == [False] * 4
    assert cfo.api.get(f"/api/chat/turns/{second}/").status_code == tail(cfo, second)[0] == 404
    assert second not in cfo.client.get(f"{cfo.base}chat/{chat.session}/").content.decode()
    assert [disclosures(chat, turn) for turn in (first, second)] == [[False] * 4] * 2


def test_a_deleted_file_is_named_as_the_reason(
    alice: Person, viewer: Person, contract: Entity, pier: Entity, start: Start, model: Model, service: Scope
) -> None:
    chat, turn = ask(viewer, contract, start, model)
    with service.open():
        file = File.objects.get(entity=pier.pk)
    assert alice.api.delete(f"/api/files/{file.pk}/").status_code == 204
    assert disclosures(chat, turn) == [False] * 4, "in the bin it may come back"
    with alice.scope.open():
        delete_for_good(scope=alice.scope, pk=file.pk)
    assert disclosures(chat, turn) == [True] * 4


def test_nothing_is_told_of_a_file_of_a_restricted_record_nor_beside_a_list(
    alice: Person,
    viewer: Person,
    contract: Entity,
    restricted: Entity,
    pier: Entity,
    index: Index,
    start: Start,
    model: Model,
    service: Scope,
) -> None:
    secret = index.file(restricted, "Settlement.pdf")
    index.row(restricted, "The settlement fee was paid to Olufsen.", file=secret)
    with service.open():
        grant_entity(restricted, viewer.user.pk, ["view"])
    chat, turn = ask(viewer, contract, start, model)
    listing = start(viewer, contract)
    model.says(tool_use=("search_knowledge", {"query": "pier fee Olufsen", "scope": "workspace"}))
    model.says(tool_use=("list_records", {"type": "contract"}))
    model.says(text="It was paid to Olufsen [1].")
    listed = listing.ask("Who got the fee, and how many are there?")["id"]
    drawn = chat.turn(turn)["drew_on"]
    assert drawn["passages"] > 1
    where = f"/api/chat/turns/{turn}/context/"
    assert {str(pier.pk), str(restricted.pk)} <= {
        one["entity"]["id"] for one in viewer.api.get(where).json()["sources"]
    }

    with service.open():
        revoke_entity(restricted, viewer.user.pk)
    assert (chat.turn(turn)["drew_on"], viewer.api.get(where).json()["sources"]) == (None, [])
    assert alice.api.get(where).status_code == 404, "sources of an answer are its asker's alone"
    with service.open():
        grant_entity(restricted, viewer.user.pk, ["view"])
    assert chat.turn(turn)["drew_on"] == drawn

    # The file was never open to the workspace, so nobody is told that it went, not even who could see it.
    with alice.scope.open():
        bin_file(scope=alice.scope, file=File.objects.get(pk=secret.pk))
        delete_for_good(scope=alice.scope, pk=secret.pk)
    assert disclosures(chat, turn) == [False] * 4
    assert (chat.turn(turn)["drew_on"], viewer.api.get(where).json()["sources"]) == (None, [])
    # What is listed may be hidden later, and would then have been told of.
    delete(alice, pier)
    assert disclosures(listing, listed) == [False] * 4


@pytest.mark.parametrize("hidden", ["the source", "another source", "another source that is deleted afterwards"])
def test_nothing_is_told_of_what_is_hidden(
    hidden: str,
    alice: Person,
    viewer: Person,
    contract: Entity,
    restricted: Entity,
    pier: Entity,
    index: Index,
    start: Start,
    model: Model,
    service: Scope,
) -> None:
    index.row(restricted, "The settlement was paid to Olufsen with the pier fee.")
    with service.open():
        grant_entity(restricted, viewer.user.pk, ["view"])
    chat, turn = ask(viewer, contract, start, model)
    with service.open():
        assert {restricted.pk, pier.pk} <= {
            source.entity_id for source in select_message_sources(Turn.objects.get(pk=turn), Role.ASSISTANT)
        }
    if hidden == "the source":
        delete(alice, restricted)
    else:
        delete(alice, pier)
        assert disclosures(chat, turn) == [True] * 4
        with service.open():
            Entity.objects.filter(pk=restricted.pk).update(visibility=Visibility.PRIVATE)
        assert disclosures(chat, turn) == [False] * 4
    if hidden == "another source that is deleted afterwards":
        delete(alice, restricted)
    assert disclosures(chat, turn) == [False] * 4


def test_a_stopped_answer_that_is_removed_says_so_too(
    alice: Person,
    viewer: Person,
    contract: Entity,
    pier: Entity,
    start: Start,
    model: Model,
    service: Scope,
    wait_for: Callable[..., Any],
) -> None:
    chat, hold = start(viewer, contract), threading.Event()
    model.says(tool_use=("search_knowledge", {"query": "pier fee Olufsen settlement", "scope": "workspace"}))
    model.says(chunks=["It was paid to Olufsen ", "and the rest."], hold=hold)
    turn = chat.post("Who got the fee?")
    wait_for(lambda: "Olufsen" in seen_text(viewer, turn))
    viewer.api.post(f"/api/chat/turns/{turn}/stop/")
    wait_for(lambda: chat.turn(turn)["state"] == "stopped")
    hold.set()
    runner.wait_until_idle()
    delete(alice, pier)
    assert disclosures(chat, turn) == [True] * 4
    with service.open():
        Turn.objects.filter(pk=turn).update(removed_label=FINANCIAL)
        Classification.objects.filter(value=FINANCIAL).delete()
    assert disclosures(chat, turn) == [False] * 4, "the level is no more, and nothing stands in its way"


def test_of_two_sources_that_are_deleted_at_once_the_hidden_one_is_kept(
    alice: Person,
    viewer: Person,
    contract: Entity,
    restricted: Entity,
    pier: Entity,
    index: Index,
    start: Start,
    model: Model,
    service: Scope,
) -> None:
    index.row(restricted, "The settlement was paid to Olufsen with the pier fee.")
    with service.open():
        grant_entity(restricted, viewer.user.pk, ["view"])
    both = [ask(viewer, contract, start, model) for _ in range(2)]
    with service.open():
        Entity.objects.filter(pk=restricted.pk).update(visibility=Visibility.PRIVATE)
    deleted, commit = threading.Event(), threading.Event()
    done: list[str] = []

    def first() -> None:
        with alice.scope.open():
            delete_entity(scope=alice.scope, entity=pier)
            deleted.set()
            commit.wait(20)
        done.append("pier")
        connections.close_all()

    def second() -> None:
        with service.open():
            delete_entity(scope=service, entity=restricted)
        done.append("restricted")
        connections.close_all()

    threads = [threading.Thread(target=step) for step in (first, second)]
    threads[0].start()
    assert deleted.wait(20)
    threads[1].start()
    time.sleep(0.5)
    commit.set()
    for thread in threads:
        thread.join(20)
    assert done == ["pier", "restricted"], "none waits for the other for ever"
    for chat, turn in both:
        assert disclosures(chat, turn) == [False] * 4
