"""A question from the door to the cited answer, and everything that may come between."""

import asyncio
import threading
import time
from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from chat import log, runner
from chat.models import Event, Message, Turn
from chat.sweep import sweep_all
from entities.models import Source
from retrieval.models import RankingSettings
from tests.chat.conftest import CAP, events_of, text_of


def test_a_question_is_answered_from_the_record_with_citations(viewer, contract, index, start, model):
    index.row(contract, CAP, file=index.file(contract, "Lease.pdf"), page=4)
    chat = start(viewer, contract)
    model.says(tool_use=("search_knowledge", {"query": "liability cap"}))
    model.says(chunks=["The cap is two million euros [", "1", "]", " and not [9] more."])
    turn = chat.ask("What is the liability cap?")
    assert turn["state"] == "done", turn
    assert turn["message"]["content"] == "The cap is two million euros [citation:1] and not more."
    assert "two million euros" in model.requests[1].text
    events = chat.events(turn["id"])
    assert [e.kind for e in events][-1] == "done"
    assert text_of(events) == turn["message"]["content"]
    assert [e.data["text"] for e in events if e.kind == "step"][:2] == ["Thinking", "Searching: liability cap"]
    cited = viewer.api.get(f"/api/citations/{turn['message']['id']}/1/")
    assert cited.status_code == 200, cited.content
    assert cited.json()["source"]["page"] == 4


def test_the_offline_engine_answers_by_quoting(viewer, contract, index, start):
    index.row(contract, CAP, file=index.file(contract, "Lease.pdf"), page=4)
    turn = start(viewer, contract).ask("What is the liability cap?")
    assert turn["state"] == "done", turn
    assert "two million euros" in turn["message"]["content"]
    assert "[citation:1]" in turn["message"]["content"]
    assert turn["offline"] is True


def test_a_second_question_knows_the_first_and_numbers_keep_their_meaning(viewer, contract, index, start, model):
    index.row(contract, CAP, file=index.file(contract, "Lease.pdf"))
    chat = start(viewer, contract)
    model.says(tool_use=("search_knowledge", {"query": "liability cap"}))
    model.says(text="Two million euros [1].")
    first = chat.ask("What is the liability cap?")
    model.says(text="As said, two million euros [1].")
    second = chat.ask("Are you sure?")
    assert "Two million euros [1]." in model.requests[2].text
    assert "What is the liability cap?" in model.requests[2].text
    assert second["message"]["content"] == "As said, two million euros [citation:1]."
    assert viewer.api.get(f"/api/citations/{second['message']['id']}/1/").status_code == 200
    assert first["message"]["id"] != second["message"]["id"]


def test_a_number_that_was_never_given_out_is_dropped(viewer, contract, start, model):
    model.says(chunks=["It is so [", "7", "] and [citation:3] [src:deadbeef]."])
    turn = start(viewer, contract).ask("Is it so?")
    assert turn["message"]["content"] == "It is so and."


def test_the_log_is_taken_up_after_any_event_and_by_a_second_tab(viewer, contract, start, model):
    chat = start(viewer, contract)
    model.says(chunks=["One ", "two ", "three."])
    turn = chat.ask("Count.")
    whole = chat.events(turn["id"])
    assert whole == chat.events(turn["id"])
    middle = whole[1].id
    assert chat.events(turn["id"], after=middle) == whole[2:]
    assert chat.events(turn["id"], after=whole[-1].id) == []
    assert [event.id for event in whole] == list(range(1, len(whole) + 1))


def test_what_is_written_while_nobody_listens_is_there_afterwards(viewer, contract, start, model, wait_for):
    chat = start(viewer, contract)
    hold = threading.Event()
    model.says(chunks=["Half of it ", "and the rest."], hold=hold)
    turn = chat.post("Tell me.")
    wait_for(lambda: seen_text(viewer, turn))
    assert chat.turn(turn)["state"] == "running"
    hold.set()
    assert text_of(chat.events(turn)) == "Half of it and the rest."


def test_stopping_keeps_what_was_written_and_says_so(viewer, contract, start, model, wait_for):
    chat = start(viewer, contract)
    hold = threading.Event()
    model.says(chunks=["Half of it ", "and the rest."], hold=hold)
    turn = chat.post("Tell me.")
    wait_for(lambda: seen_text(viewer, turn))
    assert viewer.api.post(f"/api/chat/turns/{turn}/stop/").json() == {"stopping": True}
    runner.wait_until_idle()
    hold.set()
    ended = chat.turn(turn)
    assert ended["state"] == "stopped"
    assert ended["message"]["content"] == "Half of it"
    assert chat.events(turn)[-1].kind == "stopped"
    assert viewer.api.post(f"/api/chat/turns/{turn}/stop/").json() == {"stopping": False}


def test_an_answer_that_breaks_off_is_interrupted_not_done(viewer, contract, start, model):
    chat = start(viewer, contract)
    model.says(chunks=["The cap is "], truncate=True)
    turn = chat.ask("What is the cap?")
    assert turn["state"] == "interrupted"
    assert turn["message"]["content"] == "The cap is"
    last = chat.events(turn["id"])[-1]
    assert (last.kind, last.data["state"]) == ("error", "interrupted")


def test_a_model_that_fails_is_a_sentence(viewer, contract, start, model):
    chat = start(viewer, contract)
    model.says(error=529)
    turn = chat.ask("What is the cap?")
    assert turn["state"] == "failed"
    assert turn["error"]["detail"] == "The model is overloaded; try again in a moment."
    assert turn["message"] is None


def test_a_killed_process_leaves_a_turn_that_the_sweep_ends(
    viewer, contract, start, model, wait_for, service, monkeypatch
):
    chat = start(viewer, contract)
    hold = threading.Event()
    model.says(chunks=["Half of it ", "and the rest."], hold=hold)
    turn = chat.post("Tell me.")
    wait_for(lambda: seen_text(viewer, turn))
    assert sweep_all() == 0
    with service.open():
        # As if its process had died some time ago: nobody holds it, and the lease has run out.
        Turn.objects.filter(pk=turn).update(holder=uuid4(), lease_until=timezone.now() - timedelta(seconds=1))
    assert sweep_all() == 1
    ended = chat.turn(turn)
    assert ended["state"] == "interrupted"
    assert ended["message"]["content"] == "Half of it"
    hold.set()
    runner.wait_until_idle()
    # The run that lost its lease has written nothing more.
    assert chat.turn(turn) == ended
    assert chat.events(turn)[-1].data["state"] == "interrupted"


def test_the_lease_of_a_turn_is_renewed_while_its_model_is_silent(
    viewer, contract, start, model, wait_for, monkeypatch
):
    monkeypatch.setattr(log, "LEASE", timedelta(seconds=3))
    chat, hold = start(viewer, contract), threading.Event()
    model.says(chunks=["Half of it ", "and the rest."], hold=hold)
    turn = chat.post("Tell me.")
    wait_for(lambda: seen_text(viewer, turn))
    try:
        for _ in range(12):  # twice as long as the lease
            time.sleep(0.5)
            assert sweep_all() == 0
    finally:
        hold.set()
    runner.wait_until_idle()
    assert chat.turn(turn)["message"]["content"] == "Half of it and the rest."


def test_the_same_request_twice_is_one_turn(viewer, contract, start, model):
    chat = start(viewer, contract)
    model.says(text="Once.")
    first = chat.post("Hello there, contract", client_id="a")
    assert chat.post("Hello there, contract", client_id="a") == first
    runner.wait_until_idle()
    assert chat.post("Hello there, contract", client_id="a") == first
    assert len(chat.messages()) == 2


def test_one_question_at_a_time(viewer, contract, start, model, wait_for):
    chat = start(viewer, contract)
    hold = threading.Event()
    model.says(chunks=["Half ", "whole."], hold=hold)
    turn = chat.post("First?")
    wait_for(lambda: seen_text(viewer, turn))
    refused = viewer.api.post(f"{chat.url}messages/", {"content": "Second?"})
    assert refused.status_code == 409
    hold.set()
    runner.wait_until_idle()


def test_a_model_that_only_searches_is_made_to_answer(viewer, contract, start, model):
    chat = start(viewer, contract)
    for _ in range(4):
        model.says(tool_use=("search_knowledge", {"query": "cap"}))
    model.says(text="I could not find it.")
    turn = chat.ask("What is the cap?")
    assert turn["state"] == "done"
    assert model.requests[-1].body["tool_choice"] == {"type": "none"}


def test_bad_calls_are_told_to_the_model(viewer, contract, restricted, start, model):
    chat = start(viewer, contract)
    model.says(tool_use=[("delete_everything", {}), ("search_knowledge", {"query": " "})])
    model.says(tool_use=("search_knowledge", {"query": "x", "entity_id": str(restricted.pk)}))
    model.says(tool_use=("search_knowledge", {"query": "x", "entity_id": "nonsense"}))
    model.says(text="Nothing.")
    assert chat.ask("Delete it.")["state"] == "done"
    hidden, absent = model.requests[2].text, model.requests[3].text
    assert "There is no tool 'delete_everything'." in model.requests[1].text
    assert hidden.count("none that the person asking may see") == 1
    assert absent.count("none that the person asking may see") == 2


def test_bad_input_is_refused_with_a_sentence(viewer, contract, start):
    chat = start(viewer, contract)
    for body in ({}, {"content": "  "}, {"content": "x" * 20_001}, {"content": 7, "client_id": "y" * 65}):
        answer = viewer.api.post(f"{chat.url}messages/", body)
        assert answer.status_code == 400, answer.content
        assert answer.json()["error"]["fields"]
    assert viewer.api.post("/api/chat/sessions/", {"entity": "nonsense"}).status_code == 400
    assert viewer.api.post("/api/chat/sessions/", {"entity": str(contract.pk), "agent": "spy"}).status_code == 400
    assert chat.messages() == []


def test_sessions_are_renamed_pinned_archived_exported_and_deleted(viewer, contract, start, model, service):
    chat = start(viewer, contract)
    model.says(text="Hello.")
    chat.ask("What is this contract about, in short words?")
    assert viewer.api.get(chat.url).json()["title"] == "What is this contract about, in short words?"
    changed = viewer.api.patch(chat.url, {"title": "Cap", "pinned": True})
    assert changed.json()["title"] == "Cap"
    assert changed.json()["pinned"] is True
    assert viewer.api.get("/api/chat/sessions/").json()["results"][0]["title"] == "Cap"
    viewer.api.patch(chat.url, {"archived": True})
    assert viewer.api.get("/api/chat/sessions/").json()["count"] == 0
    assert viewer.api.get("/api/chat/sessions/?archived=1").json()["count"] == 1
    exported = viewer.api.get(f"{chat.url}export/")
    assert exported["Content-Type"] == "text/markdown; charset=utf-8"
    assert "Hello." in exported.content.decode()
    assert viewer.api.delete(chat.url).status_code == 204
    assert viewer.api.get(chat.url).status_code == 404
    with service.open():
        assert not Message.objects.exists()
        assert not Source.objects.filter(derived__isnull=False, entity=contract.pk).exists()


@pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume asynchronous iterators")
def test_the_posted_question_can_be_answered_as_events_at_once(viewer, contract, start, model):
    chat = start(viewer, contract)
    model.says(text="All of it.")
    answer = viewer.api.post(f"{chat.url}messages/", {"content": "Say it."}, headers={"accept": "text/event-stream"})
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/event-stream")
    assert text_of(events_of(b"".join(answer))) == "All of it."


def seen_text(who, turn):
    """The text that has arrived in the log so far."""
    with who.scope.open():
        rows = Event.objects.filter(turn=turn, kind="token").values_list("data", flat=True)
        return "".join(data["text"] for data in rows)


@pytest.mark.parametrize(("finish", "ends"), [(0.1, "interrupted"), (20, "done")])
def test_a_server_that_is_stopped_lets_answers_come_to_their_end_or_says_so(
    finish, ends, viewer, contract, start, model, wait_for, service
):
    chat, hold = start(viewer, contract), threading.Event()
    model.says(chunks=["Half of it ", "and the rest."], hold=hold)
    begun = []
    loop = asyncio.new_event_loop()
    server = threading.Thread(target=loop.run_forever, daemon=True)
    server.start()
    runner.use_loop(loop)
    try:
        turn = chat.post("Tell me.")
        wait_for(lambda: seen_text(viewer, turn))
        stopping = asyncio.run_coroutine_threadsafe(runner.shut_down(finish), loop)
        if ends == "done":
            model.says(text="Me too.")
            other = start(viewer, contract)
            begun.append((other, other.post("And me?")))
            hold.set()
        stopping.result(20)
        if ends == "done":
            other = start(viewer, contract)
            begun.append((other, other.post("And me?")))
            asyncio.run_coroutine_threadsafe(asyncio.sleep(1), loop).result(10)  # time to begin, if it could
    finally:
        runner.use_loop(None)
        hold.set()
        loop.call_soon_threadsafe(loop.stop)
        server.join()
    ended = chat.turn(turn)
    text = "Half of it and the rest." if ends == "done" else "Half of it"
    assert (ended["state"], ended["message"]["content"]) == (ends, text)
    if ends == "done":  # the second began while the first was waited for, the third when nobody waited any more
        assert [chat.turn(later)["state"] for chat, later in begun] == ["done", "queued"]
        with service.open():
            Turn.objects.filter(state="queued").update(lease_until=timezone.now() - timedelta(seconds=1))
        assert sweep_all() == 1
        chat, later = begun[1]
        assert chat.turn(later)["state"] == "interrupted"
        assert len(model.requests) == 2


def test_a_search_of_a_turn_is_reranked_where_the_workspace_wishes_it(
    viewer, contract, restricted, index, start, model, service
):
    for text in (CAP, "The cap of the lease is rounded.", "The cap on liability of the lease is old."):
        index.row(contract, text)
    index.row(restricted, "The liability cap of the settlement is nine.")
    with service.open():
        RankingSettings.objects.create(workspace_id=service.workspace, rerank="model")
    model.says(tool_use=("search_knowledge", {"query": "liability cap of the lease"}))
    model.script.push(tool_use=("rank_passages", {"order": [3, 1, 2]}), when=is_rerank)
    model.says(text="It is rounded [1].")
    turn = start(viewer, contract).ask("What is the liability cap?")
    assert turn["state"] == "done", turn
    [ranked] = [request.text for request in model.script.requests if is_rerank(request)]
    given = model.requests[1].text
    assert "nine" not in ranked + given
    third = next(line for line in ranked.split("\n") if line.startswith("[3] ")).removeprefix("[3] ")
    assert f"[1] {third}" in given
    # An answer that is no order leaves the search as it is, and the turn goes on.
    model.says(tool_use=("search_knowledge", {"query": '"liability cup" of the lease'}))
    model.script.push(tool_use=("rank_passages", {"order": "me first"}), when=is_rerank)
    model.says(text="As said [1].")
    turn = start(viewer, contract).ask("And the cup?")
    assert turn["state"] == "done", turn
    assert "No passage was found that holds the quoted words" in model.requests[3].text


def is_rerank(request):
    return "rank_passages" in request.tools
