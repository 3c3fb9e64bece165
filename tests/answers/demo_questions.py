"""Asking the demo workspace and scoring what is answered, by the words that a fair answer has."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from chat import actions, runner
from chat import turn as turn_module
from chat.access import get_session_or_404, get_turn_or_404
from chat.conversation import list_exchanges
from chat.shown import present_exchange
from entities.access import Scope
from entities.models import Entity, User
from llm.prompts import NOT_FOUND

QUESTIONS = Path(__file__).with_name("questions.toml")
PEOPLE = ("admin", "hr", "cfo", "staff", "viewer", "steward")
ABOUT = "project-quay7"


@dataclass(frozen=True)
class Question:
    """One entry of `questions.toml`."""

    ask: str
    kind: str = "readme"
    about: str = ABOUT
    after: tuple[str, ...] = ()
    has: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    sees: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()

    def askers(self) -> tuple[str, ...]:
        """A question of the README is asked by everybody; another one by those whom it names, or by the viewer."""
        return PEOPLE if self.kind == "readme" else (*self.sees, *self.requires) or ("viewer",)


@dataclass(frozen=True)
class Reply:
    """What a person was shown: the answer's text, and whether a placeholder stood with it. hidden: the record that the
    question is about does not exist for them.
    """

    text: str = NOT_FOUND
    requires: bool = False
    hidden: bool = False
    labels: tuple[str, ...] = field(default=())


def questions(kind: str) -> list[Question]:
    found = tomllib.loads(QUESTIONS.read_text())[kind]
    return [Question(**{key: _plain(value) for key, value in entry.items()}) for entry in found]


def ask(who: str, question: Question) -> Reply:
    """Ask in a new conversation, after what is asked before."""
    scope = Scope.for_user(User.objects.get(username=who), "demo")
    with scope.open():
        about = Entity.objects.readable_by(scope).filter(source_id=question.about).first()
        if about is None:
            return Reply(hidden=True)
        session = actions.create_session(scope=scope, entity=about)
    # Nobody watches: what is said need not be written twenty times a second.
    with patch.object(actions, "A_MINUTE", 10**6), patch.object(turn_module, "FLUSH_SECONDS", 1.0):
        for text in (*question.after, question.ask):
            with scope.open():
                turn = actions.post_message(scope=scope, session=session, content=text).turn
            runner.wait_until_idle()
    with scope.open():
        row = get_turn_or_404(scope, turn.pk)
        (exchange,) = list_exchanges(scope, get_session_or_404(scope, session.pk), [row])
        view = present_exchange(scope, exchange)
    text = view.answer.content if view.answer else f"[{row.state}: {row.error}]"
    labels = tuple(chip.label for chip in view.labels or ())
    return Reply(text, bool(view.beside or view.in_fields or view.in_files), labels=labels)


def score(who: str, question: Question, reply: Reply) -> float:
    """1 for a fair answer, 0.5 for a part of it, 0 for none, or for one that says what it must not."""
    has = [any(_flat(word) in _flat(reply.text) for word in words.split("|")) for words in question.has]
    if any(_flat(word) in _flat(reply.text) for word in question.lacks):
        return 0.0
    if who in question.sees:
        return 1.0 if all(has) else 0.5 if any(has) else 0.0
    if any(has):
        return 0.0
    if who in question.requires:
        return 1.0 if reply.requires else 0.0
    return 1.0 if reply.hidden or reply.text == NOT_FOUND else 0.0 if question.kind != "readme" else 0.5


def discloses(who: str, question: Question, reply: Reply) -> bool:
    """Whether somebody was told the answer who does not get it."""
    if who in question.sees:
        return False
    return any(_flat(word) in _flat(reply.text) for words in question.has for word in words.split("|"))


def run(kind: str, *, sample: bool = False) -> Iterator[tuple[str, Question, Reply, float]]:
    """Each question asked by each of its askers; in a sample by one who gets the answer and by one who does not, in
    turn."""
    for number, question in enumerate(questions(kind)):
        askers = question.askers()
        if sample:
            sides = ([who for who in askers if (who in question.sees) is sees] for sees in (True, False))
            askers = tuple(side[number % len(side)] for side in sides if side)
        for who in askers:
            reply = ask(who, question)
            yield who, question, reply, score(who, question, reply)


def shares(scored: Mapping[Any, list[float]]) -> dict[Any, str]:
    return {kind: f"{sum(points):g} of {len(points)}" for kind, points in scored.items()}


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _flat(text: str) -> str:
    return " ".join(text.split()).casefold()
