"""The layout of a prompt: which turns it holds, and how much of it a provider can keep from the call before."""

import json

import pytest

from chat.agents import ASSISTANT
from chat.budget import FittedHistory, HistoryMessage, compute_history_room, fit_history
from chat.context import TOOLS
from chat.layout import BLOCK_TURNS, KEPT_TURNS, LAYERS, OLDER, PARTS, find_first_turn, lay_out, mark_prefixes
from llm import prompts
from llm.search_results import build_search_results
from llm.tokens import estimate

FIELDS = {"Status": "active", "Counterparty": "Tallis Marine"} | {f"Field {n}": "some value of it" for n in range(8)}
RECORD = prompts.Record("Contract", "Quay lease", FIELDS)
PULSE = "The lease runs to 2031. The cap on liability is two million euros. Three risks are open." * 11
PASSAGES = "The tenant shall keep the quay wall, its fenders and its ladders in good repair. " * 23
"""1,840 characters: four passages of the demo's mean length. With five (2,275) 84 % are a prefix."""


def said_in(role, n):
    length = 80 if role == "user" else 480
    return HistoryMessage(
        role, (f"{role} says in turn {n}: " + f"the quay wall is kept by the tenant [{n}]. " * 20)[:length]
    )


def said_before(number):
    """What turn `number` is given of the turns before it, as `chat.context` reads them."""
    return [said_in(role, n) for n in range(find_first_turn(number), number) for role in ("user", "assistant")]


def lay(number, cites_blocks=False):
    said = FittedHistory(tuple(said_before(number)))
    system = prompts.build_chat_system(ASSISTANT.prompt, RECORD, pulse=PULSE, cites_blocks=cites_blocks)
    return lay_out(system, PULSE, said, number, said_in("user", number).text, cites_blocks=cites_blocks)


@pytest.mark.parametrize(
    ("messages", "first", "given"), [(1, 1, 0), (10, 1, 8), (11, 1, 10), (20, 1, 18), (21, 6, 10), (10_000, 4991, 18)]
)
def test_the_beginning_moves_by_whole_blocks(messages, first, given):
    """messages: of the conversation, the new question included."""
    number = (messages + 1) // 2
    layout = lay(number)
    assert find_first_turn(number) == first
    assert layout.history == len(layout.messages) - 1 == given
    assert given < 2 * (KEPT_TURNS + BLOCK_TURNS)
    assert layout.dropped == ((OLDER,) if first > 1 else ())
    assert layout.messages[-1]["role"] == "user"
    assert list(layout.layers) == [*LAYERS[:-1]]


def test_an_answer_whose_question_is_hidden_does_not_begin_a_prompt():
    system = prompts.build_chat_system(ASSISTANT.prompt, None)
    said = FittedHistory((HistoryMessage("assistant", "Yes."), *said_before(2)), frozenset({1}))
    layout = lay_out(system, "", said, 2, "And?")
    assert layout.dropped == (PARTS,)
    assert [message["content"][:4] for message in layout.messages] == ["user", "assi", "And?"]


@pytest.mark.parametrize("number", [1, 7])
def test_a_summary_stands_in_the_first_message_and_not_among_the_instructions(number):
    short = "<summary>\nThey agreed.\n</summary>"
    system = prompts.build_chat_system(ASSISTANT.prompt, None)
    said = FittedHistory(tuple(said_before(number)))
    with_it, without = (lay_out(system, "", said, number, "And?", summary=text) for text in (short, ""))
    assert with_it.system == without.system == system
    assert with_it.messages[0]["content"] == f"{short}\n\n{without.messages[0]['content']}"
    assert with_it.messages[1:] == without.messages[1:]
    layers = {**without.layers, "summary of older messages": estimate(short)}
    assert with_it.layers == layers


def bytes_of(tools, system, messages):
    """A request without its marks, in the order in which a provider reads it. Of a search result the words alone: the
    names of its parts are said once a sentence, and are few tokens.
    """

    def plain(content):
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        return [
            {key: value for key, value in block.items() if key != "cache_control"} | words(block) for block in blocks
        ]

    def words(block):
        if block["type"] != "tool_result" or isinstance(block["content"], str):
            return {}
        found = [
            [part["source"], part["title"], *(one["text"] for one in part["content"])] for part in block["content"]
        ]
        return {"content": found}

    said = "".join(json.dumps([m["role"], plain(m["content"])]) for m in messages)
    return (json.dumps(tools) + json.dumps(plain(system)) + said).encode()


def calls_of(number, cites_blocks):
    """The requests of a turn whose model asks for a tool three times, then answers."""
    layout = lay(number, cites_blocks)
    document = prompts.PromptDocument(
        "Lease.pdf", [prompts.NumberedPassage(n, PASSAGES[: len(PASSAGES) // 4]) for n in range(4)]
    )
    messages = layout.messages
    for call in range(4):
        yield layout.system, mark_prefixes(messages, layout.history)
        asked = {"type": "tool_use", "id": f"t{number}.{call}", "name": "search_knowledge", "input": {"query": "wall"}}
        content = [block for _, block in build_search_results([document])] if cites_blocks else PASSAGES
        result = {"type": "tool_result", "tool_use_id": f"t{number}.{call}", "content": content}
        messages = [*messages, {"role": "assistant", "content": [asked]}, {"role": "user", "content": [result]}]


@pytest.mark.parametrize("cites_blocks", [False, True])
def test_most_of_twenty_turns_is_a_prefix_that_was_sent_before(viewer, cites_blocks):
    with viewer.scope.open():
        tools = [TOOLS[name](viewer.scope) for name in ASSISTANT.tools]
    total = kept = 0
    before = b""
    for number in range(1, 21):
        for call, (system, messages) in enumerate(calls_of(number, cites_blocks)):
            now = bytes_of(tools, system, messages)
            same = next((n for n, (a, b) in enumerate(zip(now, before, strict=False)) if a != b), len(before))
            if call == 0:
                print(f"turn {number}: differs at byte {same} of {len(now)}: {now[same : same + 40]!r}")
                tokens = estimate(now[:same].decode())
                assert number == 1 or tokens >= 1024, f"turn {number} keeps {tokens} tokens"
            total, kept, before = total + len(now), kept + same, now
            marks = json.dumps([system, messages]).count("cache_control")
            assert marks == 2 + (number > 1) + (call > 0) <= 4
    print(f"{kept / total:.1%} of the input")
    assert kept / total >= 0.85


def test_the_beginning_of_a_long_conversation_changes_by_steps():
    """Long messages are cut alike from turn to turn, until there are so many more that they need a smaller share."""
    said = [
        HistoryMessage(role, f"{role} {n} " + "the quay wall " * 200, n)
        for n in range(9)
        for role in ("user", "assistant")
    ]
    room = compute_history_room(fixed=2_500)
    fitted = [fit_history(said[: 2 * turns], room) for turns in range(1, 10)]
    assert all(one.tokens <= room for one in fitted)
    starts = [one.messages[0].text for one in fitted]
    assert len(set(starts)) <= 5
    assert all(one.messages[-1].text[:11] == "assistant 8"[:11].replace("8", str(n)) for n, one in enumerate(fitted))
    assert [bool(one.cut) for one in fitted][:3] == [False] * 3
