"""What is left of a long text is whole lines, and says what the columns of a table are."""

from collections.abc import Callable
from random import Random

import pytest

from chat.cuts import LEFT_OUT, cut_middle, find_table_heads
from entities.access import Scope
from entities.models import Entity
from llm.tokens import estimate
from tests.chat.conftest import Chat, Model
from tests.chat.test_memory import recall, say
from tests.conftest import Person

Start = Callable[[Person, Entity], Chat]
AGREED = "We agreed on two million, but only if the board consents."
HEAD = "| Project | Begin | End |\n| --- | --- | --- |\n"
ROWS = [f"| Quay {n} | 2026-01-02 | 2027-01-02 |\n" for n in range(1, 99)]


def test_a_history_that_is_cut_holds_no_half_line(
    viewer: Person, contract: Entity, start: Start, model: Model, service: Scope
) -> None:
    chat = start(viewer, contract)
    for n in range(3):
        say(service, chat, f"What of it, {n}?", f"{AGREED}\n" * 300)
    model.says(text="Yes.")
    chat.ask("Is it raining?")
    (before,) = [m for m in model.requests[-1].messages if m["role"] == "assistant"][-1:]
    lines = str(before["content"]).replace("\\n", "\n").split("\n")
    assert LEFT_OUT.strip() in lines
    shown = [line for line in lines if "agreed" in line]
    assert 10 < len(shown) < 300
    assert all(AGREED in line for line in shown)


@pytest.mark.parametrize("tokens", [25, 33, 50, 77, 150, 400])
def test_it_is_cut_at_lines_where_there_are_lines_and_else_between_sentences(tokens: int) -> None:
    for border in ("\n", " "):
        shown = cut_middle((AGREED + border) * 100, tokens)
        assert estimate(shown) <= tokens
        assert AGREED in shown
        assert not shown.replace(LEFT_OUT, border).replace(AGREED, "").strip()
    long = cut_middle("word " * 500, tokens)
    assert set(long.split()) == {"word", LEFT_OUT.strip()}, "between words, where there is nothing else"


@pytest.mark.parametrize("tokens", [80, 120, 200, 400])
@pytest.mark.parametrize("before", ["", "word " * 500])
def test_rows_of_a_table_have_its_head_above_them(tokens: int, before: str) -> None:
    shown = cut_middle(f"{before}\n\n{HEAD}{''.join(ROWS)}", tokens)
    assert estimate(shown) <= tokens
    lines = [f"{line}\n" for line in shown.split("\n") if line.startswith("|")]
    assert "".join(lines[:2]) == HEAD
    assert lines[2:]
    assert set(lines[2:]) <= set(ROWS), "whole rows"
    assert shown.count(HEAD) == 1


def test_where_a_head_has_no_room_its_rows_are_left_out() -> None:
    wide = f"| {'Name of the project ' * 20} | End |\n| --- | --- |\n" + "| Quay | 2027 |\n" * 90
    assert "Quay" not in cut_middle(f"{'word ' * 500}\n{wide}", 60)
    assert cut_middle(f"{'word ' * 500}\n{wide}\nThat is all.", 60).endswith("That is all.")


def test_a_line_of_no_table_has_no_head() -> None:
    lines = ["Here:", "| a | b |", "| - | - |", "| 1 | 2 |", "", "| 3 | 4 |", "| 5 | 6 |", "x | y"]
    assert [list(head) for head in find_table_heads(lines)] == [[], [1, 2], [1, 2], [1, 2], [], [], [], []]


def test_what_is_left_has_room() -> None:
    random = Random(7)
    for _ in range(300):
        parts = random.choices(["a", "b ", "\n", ". ", "|", "| - |\n", "[12]"], k=random.randint(0, 300))
        for tokens in (5, 12, 30, 60):
            assert estimate(cut_middle("".join(parts), tokens)) <= tokens, parts


def test_rows_that_are_said_again_have_the_head_of_their_table(
    viewer: Person, contract: Entity, start: Start, service: Scope
) -> None:
    chat = start(viewer, contract)
    kestrel = ROWS[76].replace("77", "Kestrel")
    table = HEAD + "".join([*ROWS[:76], kestrel, *ROWS[77:]])
    said = f"The projects:\n\n{table}\nAnd so on. " + "It rains at the berth. " * 40
    say(service, chat, "What of the projects?", said)
    (found,) = recall(viewer, chat, "What of the quay of the kestrel?")
    assert HEAD in found
    assert kestrel.strip() in found
    assert ROWS[-1].strip() not in found
