"""What stands beside the question of a chat, in the same message: all that changes with every turn. And what a
tool says beside its passages.
"""

from collections.abc import Iterable, Sequence

from llm.prompts import NOT_FOUND, Cleaner, Prompt, RenderedText, build_user_message, render_template


def render_reminder(cites_blocks: bool = False) -> str:
    """The short reminder that goes before the question every few turns. It names no number: of a shared conversation
    that would count turns that the asker does not know of. cites_blocks: as of `build_chat_system`.
    """
    return render_template("chat_reminder", not_found=NOT_FOUND, cites_blocks=cites_blocks)


def render_place(look_in: str, has_attachments: bool = False) -> str:
    """What stands before the question where the person asking has chosen a place to look in: "record", "linked" or
    "files". "" for any other. has_attachments: also that files are attached to the conversation.
    """
    return render_template("chat_place", look_in=look_in, has_attachments=has_attachments)


def render_earlier(turns: Sequence[tuple[int, Sequence[tuple[str, str]]]]) -> str:
    """What stands before the question of what was said in earlier turns, in their order: pairs of a turn's number and
    its texts, each with "asked" or "answered" before it. "" for none.
    """
    return render_template("chat_earlier", turns=turns) if turns else ""


def render_other_question(question: str, clean: Cleaner) -> str:
    """A question in the conversation so far that is not of the person asking now: without orders, and without what
    could be taken for an element or a citation.
    """
    return render_template("chat_other", question=clean(question))


def render_lines(texts: Iterable[str]) -> RenderedText:
    """Lines that no passage stands behind, for a tool's result: without what could be taken for one, or for orders."""
    clean = Cleaner()
    shown = [render_template("line", text=clean(" ".join(text.split()))) for text in texts]
    return RenderedText("\n".join(shown), clean.injections)


def build_summary_prompt(before: str, texts: Sequence[tuple[int, str]]) -> Prompt:
    """Ask for a summary of messages of a conversation, in their order, each after the number of the person who wrote
    it, from 1, or 0 for an answer. before: the summary of those before them, "" for none.
    """
    clean = Cleaner()
    shown = [(person, clean(text)) for person, text in texts]
    asked = render_template("chat_summary_user", before=clean(before), texts=shown)
    system = render_template("chat_summary_system")
    return Prompt(system, [build_user_message(asked)], max_tokens=700, injections=clean.injections)


def render_summary(text: str, clean: Cleaner) -> str:
    """What stands before the conversation so far: the summary of what was said before that."""
    return render_template("chat_summary", text=clean(text))
