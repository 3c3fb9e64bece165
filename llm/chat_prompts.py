"""What stands beside the question of a chat, in the same message: all that changes with every turn."""

from collections.abc import Sequence

from llm.prompts import NOT_FOUND, render


def render_reminder(turn: int) -> str:
    """The short reminder that goes before the question every few turns."""
    return render("chat_reminder", turn=turn, not_found=NOT_FOUND)


def render_place(look_in: str) -> str:
    """What stands before the question where the person asking has chosen a place to look in: "record", "linked" or
    "files". "" for any other.
    """
    return render("chat_place", look_in=look_in)


def render_earlier(turns: Sequence[tuple[int, Sequence[tuple[str, str]]]]) -> str:
    """What stands before the question of what was said in earlier turns, in their order: pairs of a turn's number and
    its texts, each with "asked" or "answered" before it. "" for none.
    """
    return render("chat_earlier", turns=turns) if turns else ""


def render_other_question(question: str) -> str:
    """A question in the conversation so far that is not of the person asking now."""
    return f"{render('chat_other')}\n{question}"
