"""Asking the demo workspace and scoring what is answered, by the words that a fair answer has."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import uuid4

from chat import actions, runner
from chat.access import get_session_or_404, get_turn_or_404
from chat.closest import list_closest
from chat.context import assemble
from chat.conversation import Exchange, list_exchanges
from chat.document_overviews import parse_reading, read_documents
from chat.models import Message, Session, State, Turn
from chat.record_lists import list_knowledge, read_query
from chat.session_actions import create_session
from chat.shown import list_hidden_in_fields, list_hidden_in_files, list_hidden_neighbours, present_exchange
from chat.tools import BadCall, ToolFindings, find_knowledge, read_search_words, search_knowledge
from chat.turn import TOOL_CALLS
from entities.access import Scope
from entities.models import Entity, User
from llm.prompts import NOT_FOUND, is_closest
from llm.quoting import engine
from llm.quoting.reading import extract_passages, extract_text
from retrieval.query import prepare_query
from tests.refusals import quotes_nothing

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
    question is about does not exist for them. closest: the passages under an answer that quotes none.
    """

    text: str = NOT_FOUND
    requires: bool = False
    hidden: bool = False
    closest: str = ""


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
        session = create_session(scope=scope, entity=about)
    return _ask_in_turns(scope, session, question) if question.after else _ask_at_once(scope, session, question.ask)


def _ask_in_turns(scope: Scope, session: Session, question: Question) -> Reply:
    with patch.object(actions, "A_MINUTE", 10**6):
        for text in (*question.after, question.ask):
            with scope.open():
                turn = actions.post_message(scope=scope, session=session, content=text).turn
            runner.wait_until_idle()
    with scope.open():
        row = get_turn_or_404(scope, turn.pk)
        (exchange,) = list_exchanges(scope, get_session_or_404(scope, session.pk), [row])
        view = present_exchange(scope, exchange)
        closest = [each.text for each in list_closest(scope, row, view.answer)] if view.answer else []
    text = view.answer.content if view.answer else f"[{row.state}: {row.error}]"
    return Reply(text, bool(view.beside or view.in_fields or view.in_files), closest="\n".join(closest))


def _ask_at_once(scope: Scope, session: Session, asked: str) -> Reply:
    """What a turn answers: by its prompt, its tools and its engine. What else a turn does, its lease and log and the
    labels of what it was given, takes twice as long; other tests are about that.
    """
    turn = Turn(session=session, number=1, question=uuid4(), manifest={"passages": [], "searches": 0})
    turn.state, turn.usage = State.DONE, {"offline": True}
    with scope.open():
        context = assemble(scope, session, turn, asked)
    messages = list(context.messages)
    body = {"system": context.system, "tools": list(context.tools), "messages": messages, "max_tokens": 2048}
    for calls in range(TOOL_CALLS + 1):
        reply = engine.answer(body | ({"tool_choice": {"type": "none"}} if calls == TOOL_CALLS else {}))
        for use in reply.tools:
            found = _use_tool(scope, session, use.name, use.input)
            turn.manifest["searches"] += 1
            turn.manifest["passages"] += [
                {"n": p.n, "row": str(p.row), "entity": str(p.given.entity)} for p in found.passages
            ]
            block = {"type": "tool_use", "id": use.id, "name": use.name, "input": use.input}
            messages.append({"role": "assistant", "content": [block]})
            result = {"type": "tool_result", "tool_use_id": use.id, "content": found.text}
            messages.append({"role": "user", "content": [result]})
        if not reply.tools:
            break
    answer = Message(content=re.sub(r"\[(\d+)\]", r"[citation:\1]", "".join(reply.deltas)).strip())
    with scope.open():
        exchange = Exchange(turn, Message(content=asked), answer, is_mine=True)
        requires = [
            *list_hidden_neighbours(scope, turn, answer, asked),
            *list_hidden_in_fields(scope, exchange),
            *list_hidden_in_files(scope, turn),
        ]
    found = "\n".join(extract_text(m["content"]) for m in messages if m["role"] == "user")
    listed = set(map(int, re.findall(r"\[citation:(\d+)\]", answer.content))) if is_closest(answer.content) else set()
    closest = [passage.text for passage in extract_passages(found) if passage.n in listed]
    return Reply(answer.content, bool(requires), closest="\n".join(closest))


def _use_tool(scope: Scope, session: Session, name: str, asked: dict[str, Any]) -> ToolFindings:
    query = prepare_query(read_search_words(asked), scope) if name == "search_knowledge" else None
    with scope.open():
        try:
            if query is not None:
                return search_knowledge(scope, session, find_knowledge(scope, session, query, asked))
            if name == "list_records":
                return list_knowledge(scope, session, read_query(scope, asked))
            return read_documents(scope, session, parse_reading(asked))
        except BadCall as problem:
            return ToolFindings(str(problem), (), ())


def score(who: str, question: Question, reply: Reply) -> float:
    """1 for a fair answer, or the passage that has it, 0.5 for a part of it, 0 for none, or for one that says what it
    must not.
    """
    has = [any(_flat(word) in _flat(reply.text) for word in words.split("|")) for words in question.has]
    if any(_flat(word) in _flat(reply.text) for word in question.lacks):
        return 0.0
    if who in question.sees:
        return 1.0 if all(has) or has_all(reply.closest, question) else 0.5 if any(has) else 0.0
    if any(has):
        return 0.0
    if who in question.requires:
        return 1.0 if reply.requires else 0.0
    return 1.0 if reply.hidden or quotes_nothing(reply.text) else 0.0 if question.kind != "readme" else 0.5


def has_all(text: str, question: Question) -> bool:
    """Whether a text has all words of a fair answer."""
    return all(any(_flat(word) in _flat(text) for word in words.split("|")) for words in question.has)


def discloses(who: str, question: Question, reply: Reply) -> bool:
    """Whether somebody was told the answer who does not get it."""
    if who in question.sees:
        return False
    return any(_flat(word) in _flat(reply.text) for words in question.has for word in words.split("|")) or (
        bool(question.has) and has_all(reply.closest, question)
    )


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
