"""What a prompt holds has room in its budget, however long the messages and the results of tools are."""

import json
from collections.abc import Callable

from chat.access import get_session_or_404
from chat.budget import (
    NO_LIMIT,
    PROMPT_TOKENS,
    RESULT_TOKENS,
    HistoryMessage,
    compute_call_room,
    compute_history_room,
    cut_middle,
    fit_history,
    fit_sizes,
)
from chat.context import assemble
from chat.models import Turn
from chat.tools import NOT_ALL
from entities.models import Entity
from llm.scripted import RecordedRequest
from llm.tokens import estimate
from tests.chat.conftest import Chat, Model
from tests.conftest import Person
from tests.retrieval.conftest import Index

Start = Callable[[Person, Entity], Chat]


def count(request: RecordedRequest) -> int:
    """Tokens of all that a request sends, estimated."""
    return estimate(request.text) + estimate(json.dumps(request.body.get("tools", [])))


def test_long_messages_have_room_and_are_found_by_their_words(
    viewer: Person, contract: Entity, start: Start, model: Model
) -> None:
    chat = start(viewer, contract)
    middle = "The gantry costs 4,711 euros.\n"
    for n in range(3):
        model.says(text=f"Answer {n}.\n" + f"The winch {n} turns slowly.\n" * 340 + middle + "It is old.\n" * 800)
        chat.ask(f"Question {n}?\n" + f"The berth {n} is wet. " * 850)
    model.says(text="Yes.")
    turn = chat.ask("And what does the gantry cost?")
    sent = [count(request) for request in model.requests]
    assert max(sent) <= PROMPT_TOKENS
    text = model.requests[-1].text
    assert all(f"Answer {n}." in text and f"Question {n}?" in text for n in range(3))
    assert "4,711" in text, "of what was left out the lines with the words of the question are said again"
    given = viewer.api.get(f"/api/chat/turns/{turn['id']}/context/").json()
    assert given["dropped"] == ["parts of long messages"]


def test_what_tools_return_has_room(viewer: Person, contract: Entity, start: Start, index: Index, model: Model) -> None:
    file = index.file(contract, "Lease.pdf")
    for n in range(40):
        index.row(contract, f"Clause {n} of the quay lease: " + "the wall is kept in repair. " * 30, file=file, page=n)
    chat = start(viewer, contract)
    model.says(text="Well.\n" * 3_000)
    chat.ask("Hello?\n" + "It rains. " * 1_800)
    asked = [("read_documents", {"document": "Lease"}), ("search_knowledge", {"query": "quay wall lease clause"})]
    for call in [asked[0], asked[1], [asked[0], asked[1]], asked[0]]:
        model.says(tool_use=call)
    model.says(text="The wall is kept in repair [1].")
    turn = chat.ask("What of the wall? " + "It rains. " * 1_500)
    sent = [count(request) for request in model.requests]
    assert max(sent) <= PROMPT_TOKENS
    assert turn["state"] == "done"
    assert "no room for more" in model.requests[-1].text
    assert NOT_ALL in model.requests[-1].text
    without_room = "passages for which there was no room"
    assert without_room in viewer.api.get(f"/api/chat/turns/{turn['id']}/context/").json()["dropped"]
    # What is not needed by the conversation the passages may have.
    fresh = start(viewer, contract)
    model.says(tool_use=asked[0])
    model.says(text="It is kept in repair [1].")
    turn = fresh.ask("What of the wall?")
    assert NOT_ALL not in model.requests[-1].text
    assert viewer.api.get(f"/api/chat/turns/{turn['id']}/context/").json()["dropped"] == []
    assert model.requests[-1].text.count("is kept in repair") > 1.5 * model.requests[-6].text.count("is kept in repair")


def test_tools_have_room_whatever_stands_there_whole(
    viewer: Person, contract: Entity, start: Start, model: Model
) -> None:
    assert compute_room(viewer, start(viewer, contract)) == RESULT_TOKENS
    assert compute_call_room(RESULT_TOKENS) == RESULT_TOKENS


def test_the_offline_engine_reads_what_there_is(viewer: Person, contract: Entity, start: Start) -> None:
    assert compute_room(viewer, start(viewer, contract)) == NO_LIMIT


def compute_room(who: Person, chat: Chat) -> int:
    """Of a long question with tools that have long descriptions."""
    tools = ({"name": "search_knowledge", "description": "Search. " * 3_000},)
    with who.scope.open():
        session = get_session_or_404(who.scope, chat.session)
        return assemble(who.scope, session, Turn(session=session, number=1), "It rains. " * 2_000, tools).room


def test_what_has_no_room_is_left_out_from_the_end() -> None:
    assert fit_sizes([10, 10, 10], 25) == [0, 1]
    assert fit_sizes([10] * 5, 30, "aaabb") == [0, 3, 4]
    assert (fit_sizes([50, 1], 10), fit_sizes([], 10)) == ([0], [])


def test_what_one_layer_does_not_need_the_next_may_have() -> None:
    assert compute_history_room(2_500) == 5_000
    assert compute_history_room(7_500) == 2_500
    assert compute_history_room(11_900) == 500
    assert [compute_call_room(left) for left in (9_500, 4_750, 2_500, 500, 99, -3)] == [4_750, 2_375, 2_000, 500, 0, 0]
    short = [HistoryMessage("user", "Is it wet?", 10), HistoryMessage("assistant", "Yes.", 10)]
    assert fit_history(short, 500).messages == tuple(short)
    long = [HistoryMessage("user", "word " * 4_000, n) for n in range(1, 10)]
    fitted = fit_history([*long, *short], 5_000)
    assert fitted.tokens <= 5_000
    assert fitted.messages[-2:] == tuple(short)
    assert fitted.cut == {*range(1, 10)}
    # A number of a citation is not cut in two.
    assert "[12" not in cut_middle("a " * 30 + "[123]" * 90 + " b" * 30, 40).replace("[123]", "")
    assert cut_middle("word", 25) == "word"
