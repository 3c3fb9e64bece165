"""Who asks which doors, and what is wrong with the answers (docs/proof.md, part 2)."""

import re
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any
from uuid import UUID

from tests.prove.doors import (
    ABSENT,
    WRITES,
    Answer,
    Door,
    ask,
    difference,
    doors,
    is_hidden,
    methods_of,
    things_of,
)
from tests.prove.inside import Inside
from tests.prove.size import FACTOR
from tests.prove.world import HIDDEN_WORD, READERS, World, named

Case = tuple[Door, str, Any]
"""A door, a method, and a body or None."""


EVERYBODY = [*READERS, "anonymous", "outsider", "former"]
STRIDE = 20 if FACTOR == 1 else max(1, 6 // FACTOR)
"""Whoever a door is not for asks one of so many of its cases; from 6 on everybody asks all."""
ABSENCE = (302, 404)
"""Answers for what is absent: it was looked up."""
BODIES: dict[str, dict[str, Any]] = {
    r"api/entities/\w+/<uuid:pk>/$": {"name": "New"},
    r"entities/<uuid:pk>/edit/": {"name": "New", "counterparty": "Port", "currency": "EUR", "status": "draft"},
    r"(api/)?entities/<uuid:pk>/files/$": {"file": ""},
    r"(api/)?entities/<uuid:pk>/files/retry/": {"batch": "11111111-1111-4111-8111-111111111111"},
    r"entities/<uuid:pk>/references/new/": {"kind": "CrossReference", "label": "Same quay"},
    r"entities/<uuid:pk>/chat/ask/": {"content": "What of it?"},
    r"api/chat/sessions/<uuid:pk>/messages/": {"content": "What of it?"},
    r"api/chat/sessions/<uuid:pk>/$": {"title": "New"},
    r"chat/<uuid:pk>/change/": {"do": "rename", "title": "New"},
    r"api/references/<uuid:pk>/": {"reason": "New"},
    r"api/paragraphs/<uuid:pk>/": {"labels": [1], "reason": "New"},
    r"api/access-requests/<uuid:pk>/": {"state": "refused", "reason": "New"},
    r"access-requests/<uuid:pk>/": {"state": "refused", "reason": "New"},
    r"desk/paragraphs/<uuid:pk>/decide/": {"labels": ["1"], "reason": "New"},
    r"api/files/<uuid:pk>/remainder/": {"labels": [1], "reason": "New"},
    r"desk/files/<uuid:pk>/decide/": {"labels": ["1"], "reason": "New"},
    r"(api/)?files/<uuid:pk>/review/": {"decision": "release"},
}
"""What a write sends beside an empty body, where it needs something to go through."""


def named_case(case: Case) -> tuple[str, str, bool]:
    return case[0].route, case[1], case[2] is not None


def cases(found: list[Door]) -> list[Case]:
    return [
        (door, method, body)
        for door in found
        if door.kind not in ("", "number")
        for method in methods_of(door)
        for body in [None, *(b for pattern, b in BODIES.items() if method in WRITES and re.match(pattern, door.route))]
    ]


def guest(door: Door, number: int) -> str:
    """Whom a door is for: the reader who asks all its cases at factor 1."""
    return door.rule if door.rule in READERS else READERS[number % len(READERS)]


def asked_by(who: str) -> list[Case]:
    """At each door all cases, or those that fall to somebody whom it is not for."""
    found = []
    for number, (door, of_door) in enumerate(groupby(cases(doors()), key=itemgetter(0))):
        place = number + EVERYBODY.index(who)
        found += [case for n, case in enumerate(of_door) if who == guest(door, number) or (n + place) % STRIDE == 0]
    return found


def findings(world: World, who: str, asked: list[Case], *, every: bool = FACTOR > 1) -> Iterator[str]:
    """What `who` learns, asking in these ways for what is hidden from them.

    every: for every thing in every way, but for those that a door does not know (405). Else, where somebody asks all
    cases of a door, for every thing in one of the ways in which it is looked up; and for one in each other way.
    """
    for door, of_door in groupby(asked, key=itemgetter(0)):
        ways = [(m, body, ask(world, who, m, door.path(ABSENT), ABSENT, body)) for _, m, body in of_door]
        things = list(things_of(world, door.kind, who))
        looked_up = [n for n, (_, _, absent) in enumerate(ways) if absent.status in ABSENCE]
        for n, (method, body, absent) in enumerate(ways):
            place = n + len(door.route)
            if every and absent.status != 405:
                chosen = things
            elif absent.status == 405 and any(other.status == 405 for _, _, other in ways[:n]):
                chosen = []
            elif n in looked_up and len(ways) > 1:
                chosen = things[looked_up.index(n) :: len(looked_up)]
            else:
                chosen = [things[place % len(things)]]
            for name, pk in chosen:
                answer = ask(world, who, method, door.path(pk), pk, body)
                hidden = is_hidden(who, door.kind, name, door.route, door.of_type)
                where = f"{who} {method} {door.route} of {name}{' with a body' if body else ''}:"
                yield from judged(where, absent, answer, hidden=hidden)
                if not hidden and method == "GET" and answer.status == absent.status == 404:
                    yield f"{where} is shown to nobody"


def judged(where: str, absent: Answer, answer: Answer, *, hidden: bool) -> Iterator[str]:
    if answer.status >= 500:
        yield f"{where} breaks"
    if hidden and (found := difference(absent, answer)):
        yield f"{where} {found}"
    if HIDDEN_WORD.encode() in answer.body and not where.startswith("outsider"):
        yield f"{where} tells what is hidden"


def findings_inside(world: World, who: str, asked: list[Inside]) -> Iterator[str]:
    """At factor 1 each is asked for every second thing, and from one to the next for the others."""
    for n, inside in enumerate(asked):
        absent = told_inside(world, who, inside, ABSENT)
        things = things_inside(world, inside.kind, who)
        for name, pk in things if FACTOR > 1 else things[n % 2 :: 2]:
            answer = told_inside(world, who, inside, pk)
            where = f"{who} {inside.method} {inside.path} naming {name} as {inside.name}:"
            yield from judged(where, absent, answer, hidden=is_hidden(who, inside.kind, name, inside.path))


def told_inside(world: World, who: str, inside: Inside, pk: UUID) -> Answer:
    url, body = inside.request(pk)
    return ask(world, who, inside.method, url, pk, body)


def things_inside(world: World, kind: str, who: str) -> list[tuple[str, UUID]]:
    if kind != "row":
        return list(things_of(world, kind, who))
    paragraphs = things_of(world, "paragraph", who)
    return [(name, named(f"row {pk}")) for name, pk in paragraphs]
