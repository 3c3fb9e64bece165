"""A request that is stopped before each of its statements in turn, while another transaction takes something away.

The other transaction is committed there, or left open there and committed later, and the request goes on. A second
request on the same connection follows, so that whatever was cached on the way would show.
"""

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import psycopg
from django.contrib.sessions.models import Session as SignIn
from django.db import connection
from django.test import Client

from entities.models import Token
from tests.oracle.known_worlds import RICH
from tests.oracle.planted_world import Everything
from tests.prove.revocations import PAGES, REVOCATIONS, SIGN_INS, TOKENS, WHO, Revocation, path_of
from tests.prove.size import sized
from tests.prove.steps import COMMIT, Actor

BEGINS = "set_config('app.workspace'"
UNSTEADY = {"refreshing", "stale_since", "problem"}
REFUSALS = (302, 401, 404)
Ask = Callable[[], "Answer"]


@dataclass(frozen=True)
class Answer:
    """words: of the world's texts and records that stand in it."""

    status: int
    body: str
    words: frozenset[str]


def asks_of(everything: Everything, who: str) -> Callable[[str], Ask]:
    """How somebody asks for a path. ben's token and sign-in are noted, so that they can be restored."""
    person = next(p for p in RICH.people if p.name == who)
    api, client = everything.planted.api(person), everything.planted.client(person)
    if who == WHO:
        with everything.planted.service.open():
            mine = Token.objects.filter(membership__user=everything.planted.users[WHO])
            TOKENS[everything.citing] = mine.latest("created_at").digest
        SIGN_INS.clear()
        SIGN_INS[client.session.session_key] = SignIn.objects.get(pk=client.session.session_key).session_data

    def ask_page(path: str) -> Answer:
        # A browser of its own each time: the answer to a sign-in that has ended takes the cookie away.
        browser = Client()
        browser.cookies.load(client.cookies.output(header=""))
        return answer_of(browser.get(f"{everything.planted.base}{path}"))

    def ask(name: str) -> Ask:
        path = path_of(everything, name, who)
        if name in PAGES:
            return lambda: ask_page(path)
        return lambda: answer_of(api.get(f"/api/{path}"))

    return ask


def answer_of(response: Any) -> Answer:
    content = b"".join(response.streaming_content) if response.streaming else response.content
    text = content.decode()
    words = frozenset(re.findall(r"(?:word|card|record|original of record)\d+", text))
    if response.get("Content-Type") == "application/json":
        body = json.loads(text)
        text = json.dumps({k: v for k, v in body.items() if k not in UNSTEADY}) if isinstance(body, dict) else text
    else:
        text = ""  # pages carry tokens of their own
    return Answer(response.status_code, text, words)


@dataclass(frozen=True)
class Case:
    """One revocation and one path of one world. stops: statements of a whole request. begins: the one at which its
    transaction begins. readable: words of all that may be read before or after.
    """

    everything: Everything
    revocation: Revocation
    path: str
    ask: Ask
    before: Answer
    after: Answer
    stops: int
    begins: int
    readable: frozenset[str]

    def obeys(self, answer: Answer) -> bool:
        if self.revocation.refused:
            return answer.status in REFUSALS and not answer.words
        return answer == self.after

    def wrong(self, database: psycopg.Connection, at: int, until: int, *, pooled: bool) -> str:
        """What is wrong when the other transaction is begun at one stop and committed at another; "" for nothing."""
        reader = Actor("reader", lambda: self.ask_twice(pooled), pooled=pooled)
        other = Actor("other", lambda: self.revocation.revoke(self.everything))
        try:
            reader.go_to(at, database)
            if until > at:
                while other.statements[-1] != COMMIT and other.step(database):
                    pass
                reader.go_to(until, database)
            reached = len(reader.statements) - 1
            in_time = other.run(database)
            first, second = reader.finish()
            other.finish()
        finally:
            self.revocation.restore(self.everything)
        if not in_time:
            return ""  # it waited for a lock of the reader's, so the reader was first
        if reached <= self.begins and not self.obeys(first):
            return f"begun after the commit, and answered {first}"
        if first.status >= 500 or not first.words <= self.readable:
            return f"answered {first}"
        return "" if self.obeys(second) else f"asked again, and answered {second}"

    def ask_twice(self, pooled: bool) -> tuple[Answer, Answer]:
        first = self.ask()
        if pooled:
            connection.close()  # given back, and taken again
        return first, self.ask()

    def schedules(self, count: int) -> list[tuple[int, int, bool]]:
        """(begun at, committed at, pooled): at once before each statement, and open over a stretch of them."""
        at_once = [(stop, stop) for stop in range(self.stops + 1)]
        stretched = [(a, b) for a in range(self.stops) for b in range(a + 1, self.stops + 1)]
        chance = random.Random(f"{self.revocation.name} {self.path}")
        always = [(self.stops, self.stops), (self.begins, self.begins)]  # between two requests, and in the first
        some = chance.sample(at_once, min(count, len(at_once))) + chance.sample(stretched, min(count, len(stretched)))
        return [(a, b, n % 2 == 1) for n, (a, b) in enumerate(dict.fromkeys([*always, *some]))]


def case_of(everything: Everything, revocation: Revocation, path: str, asks: Callable[[str], Ask]) -> Case:
    """Asks before and after, to know what must be answered. The two differ, or the case would show nothing.

    A page has the first ten results. Where something is taken in the middle of a search, others that may be read, too,
    come among them than before or after.
    """
    ask = asks(path)
    ask_all = asks("search") if path in PAGES else ask
    watched = Actor("watched", ask)
    before, readable = watched.finish(), ask_all().words
    begins = next(n for n, sql in enumerate(watched.statements) if BEGINS in sql)
    revocation.revoke(everything)
    try:
        after, readable = ask(), readable | ask_all().words
    finally:
        revocation.restore(everything)
    again = ask()
    assert before != after, f"{revocation.name} does not show in {path}"
    assert before == again, f"{revocation.name} was not undone in {path}"
    readable |= before.words | after.words
    return Case(everything, revocation, path, ask, before, after, len(watched.statements), begins, readable)


def cases_of(everything: Everything, *names: str) -> list[Case]:
    """Of the named revocations, or of all of them."""
    chosen = [revocation for revocation in REVOCATIONS if not names or revocation.name in names]
    asks = {who: asks_of(everything, who) for who in {revocation.who for revocation in chosen}}
    return [
        case_of(everything, revocation, path, asks[revocation.who])
        for revocation in chosen
        for path in revocation.paths[: sized(1)]
    ]


def violations(cases: list[Case], database: psycopg.Connection, count: int) -> list[str]:
    found = []
    for case in cases:
        for at, until, pooled in case.schedules(count):
            problem = case.wrong(database, at, until, pooled=pooled)
            if problem:
                place = f"{case.revocation.name}, {case.path}, begun at {at} of {case.stops}, committed at {until}"
                found.append(f"{place}{', pooled' if pooled else ''}: {problem}")
    return found
