"""What both twins are asked to write: the answer must not tell what is hidden, whether it is refused or done."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from tests.prove.door_probes import cases
from tests.prove.doors import WRITES, Answer, ask, doors
from tests.prove.size import FACTOR
from tests.prove.world import HIDDEN_WORD, World

STRIDE = 24 if FACTOR == 1 else max(1, 6 // FACTOR)
"""One of so many writes is asked by a reader; from 6 on each asks all."""
DATABASE_TIME = rb"%d-\d\d-\d\dT[\d:.]+Z" % datetime.now(tz=UTC).year
"""Django's clock stands still, in another year; the database's does not."""
UUIDS = rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

Write = tuple[str, str, Any]
"""Method, address, and a body or None."""


def at_doors(place: int) -> list[Write]:
    """Those of all doors of one thing, as the proof of the doors makes them; `place`: of the reader."""
    found = [
        (method, door.path(f"<{door.kind} {NAMED.get(door.kind, 'own0')}>"), body)
        for door, method, body in cases(doors())
        if method in WRITES
    ]
    return found[place::STRIDE]


NAMED = {
    "paragraph": "own0 0 1",
    "reference": "plain0",
    "pulse": "own0 []",
    "usergrant": "own0 creator share",
    "rolegrant": "own0 Admin upload",
    "request": "own0 bare",
}
"""Of each kind a thing that is in both twins."""


def named_as_hidden(world: World) -> Iterator[Write]:
    """Writes that would meet what is hidden: its names, its bytes, the references that stand between two records."""
    own0 = world.things["entity", "own0"]
    contract = {"counterparty": "Port", "currency": "EUR", "status": "draft"}
    for name in (f"Contract restricted0 {HIDDEN_WORD}", "Contract own0", ""):
        yield "POST", "api/entities/contract/", {**contract, "name": name}
        yield "PATCH", f"api/entities/contract/{own0}/", {"name": name}
        yield "POST", "records/contract/new/", {**contract, "name": name}
    for kind in ("CrossReference", "nothing"):
        yield "POST", "api/references/", {"source": own0, "target": own0, "kind": kind}
    for _ in range(2):
        yield "POST", f"api/entities/{own0}/files/", {"file": ""}
    yield "POST", "api/search/", {"q": HIDDEN_WORD}


def written(world: World, who: str, place: int | None = None) -> dict[tuple[str, str], Answer]:
    """(reader, write) -> what was answered, where ids of what was made are set aside. place: of the reader among those
    who share the doors; None: only what would meet what is hidden.
    """
    known = {str(pk).encode() for pk in world.things.values()}

    def kept(found: re.Match[bytes]) -> bytes:
        return found[0] if found[0] in known else b"NEW"

    chosen = [*named_as_hidden(world), *(at_doors(place) if place is not None else ())]
    photo = {}
    for n, (method, address, body) in enumerate(chosen):
        for (kind, name), pk in world.things.items():
            own = name.removesuffix(f" {who}") if kind in ("session", "turn") else name
            address = address.replace(f"<{kind} {own}>", str(pk))
        answer = ask(world, who, method, address, body=body)
        body = re.sub(DATABASE_TIME, b"TIME", re.sub(UUIDS, kept, answer.body))
        headers = tuple((name, re.sub(UUIDS, kept, value.encode()).decode()) for name, value in answer.headers)
        photo[who, f"{n}: {method} {address}"] = replace(answer, headers=headers, body=body)
    return photo
