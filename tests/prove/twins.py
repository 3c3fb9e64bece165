"""Photographs of a world: everything that a reader can be told, by every door that reads."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from urllib.parse import quote

from django.core.cache import cache
from django.db import connection, transaction

from config.roles import APP
from tests.prove.deletions import deleted
from tests.prove.doors import Answer, ask, difference, doors
from tests.prove.size import FACTOR
from tests.prove.twin_worlds import make
from tests.prove.world import DAY_AFTER, START, WORDS, World
from tests.prove.write_requests import written

READERS = ("bare", "admin") if FACTOR == 1 else ("bare", "granted", "creator", "expired", "admin")
"""Stewards are told that a file exists which is concealed from others: for them the twins may differ."""
TELLS = ("audit", "bin/")
"""To administrators: the audit names the ids of all records, and the bin what they may restore."""
FIRST_NUMBER = 10_000
DAYS = ("since=2031-01-01", f"since={DAY_AFTER:%Y-%m-%d}", f"until={START:%Y-%m-%d}")

Photo = dict[tuple[str, str], Answer]
"""(reader, address or write) -> what was answered."""
DELETED = (("contract", "own0"), ("project", "project0"), ("task", "task0"))


@dataclass(frozen=True)
class Break:
    """seen_at: a regular expression of the addresses where what it breaks is looked for. writes: or in writes. who:
    asks.
    """

    apply: Callable[[], AbstractContextManager[object]]
    seen_at: str
    writes: bool = False
    who: str = "bare"


@dataclass(frozen=True)
class Photographs:
    """broken: by break. deletions: record -> what deleting it answered, and where it is still named
    (`deleting.deleted`).
    """

    plain: Photo
    broken: Mapping[str, Photo]
    deletions: Mapping[str, tuple[Answer, list[str]]]


def photographs(
    seed: int, count: int, breaks: Mapping[str, Break], *, hidden: bool, twin: Photographs | None = None
) -> Photographs:
    """A world made anew, photographed as it is and with each of `breaks` on: there up to the first answer that differs
    from that of the `twin`. Leaves nothing behind.

    Sequences start where they start for the twin, so that only the rows between could move a number.
    """
    with transaction.atomic():
        restart_sequences()
        world = make(seed, count, hidden=hidden)
        plain = {}
        for place, who in enumerate(READERS):
            others = share([*addresses(world, count)], who)
            plain |= photograph(world, (who,), [*others, *telling(world)]) | written(world, who, place)
        without_guard = {}
        for name, broken in breaks.items():
            seen_at = [address for address in telling(world) if re.search(broken.seen_at, address)]
            with broken.apply():
                shown = photograph(world, (broken.who,), seen_at, twin.broken[name] if twin else {})
                without_guard[name] = shown | (written(world, broken.who) if broken.writes else {})
        deletions = {name: deleted(world, kind, name) for kind, name in DELETED}
        transaction.set_rollback(True)
    return Photographs(plain, without_guard, deletions)


def share(asked: list[str], who: str) -> list[str]:
    """What falls to one of the readers: all of it, but at factor 1 the administration's pages to who administers, and
    of the others every second to each.
    """
    if FACTOR > 1:
        return asked
    administered = [address for address in asked if address.startswith("admin/")]
    others = [address for address in asked if not address.startswith("admin/")]
    return others[READERS.index(who) :: len(READERS)] + (administered if who == "admin" else [])


def restart_sequences() -> None:
    with connection.cursor() as cursor:
        cursor.execute("RESET ROLE")
        cursor.execute("SELECT setval(c.oid, %s) FROM pg_class c WHERE relkind = 'S'"
                       " AND relnamespace = 'public'::regnamespace", [FIRST_NUMBER])  # fmt: skip
        cursor.execute(f"SET ROLE {APP}")


def photograph(world: World, readers: tuple[str, ...], asked: list[str], other: Photo | None = None) -> Photo:
    """other: of the twin, by which the first answer that differs is the last."""
    photo = {}
    for who in readers:
        cache.clear()
        for address in asked:
            answer = photo[who, address] = ask(world, who, "GET", own(world, who, address))
            if other and difference(other[who, address], answer):
                return photo
    return photo


def own(world: World, who: str, address: str) -> str:
    """The address with the ids that `<kind name>` in it stand for; conversations are each reader's own."""
    for kind in ("session", "turn", "message"):
        for n in range(9):
            key = (kind, f"own{n} {who}")
            if key in world.things:
                address = address.replace(f"<{kind} own{n}>", str(world.things[key]))
    return address


def addresses(world: World, count: int) -> Iterator[str]:
    """Every door that reads, for everything that is in both twins, and the lists with what narrows and orders them. At
    factor 1 each is photographed by one of the readers, for one thing; what `telling` has, by each of them.
    """
    for position, door in enumerate(doors()):
        if any(word in door.route for word in TELLS):
            continue
        numbers = range(count) if FACTOR > 1 else [position // len(READERS) % count]
        if not door.kind:
            yield door.path("")
        elif door.kind in ("session", "turn"):
            yield from (door.path(f"<{door.kind} own{n}>") for n in numbers)
        elif door.kind != "number":
            names = {
                "paragraph": "own{} 0 1",
                "reference": "plain{}",
                "pulse": "own{} []",
                "usergrant": "own{} creator share",
                "rolegrant": "own{} Admin upload",
                "request": "own{} bare",
            }.get(door.kind, "own{}")
            kinds = {"project": "project{}", "task": "task{}", "risk": "risk{}"}
            name = kinds.get(door.of_type, names)
            yield from (door.path(world.things[door.kind, name.format(n)]) for n in numbers)
    yield from (f"api/citations/<message own{n}>/1/" for n in range(count))
    yield from (f"api/citations/{world.things['pulse', f'own{n} []']}/{m}/" for n in range(count) for m in range(2, 5))
    yield from (f"api/entities/{world.things['entity', 'own0']}/graph/?depth={depth}" for depth in (1, 2, 3))
    yield from lists()


def lists() -> Iterator[str]:
    """At factor 1 each type in two of the six ways, and each way for two types."""
    ways = ("?page_size=1", "?page_size=1&page=2", "?page=2", "?ordering=name", "?ordering=-updated_at", "?q=con")
    for place, kind in enumerate(("contract", "project", "task", "risk", "article", "employee")):
        for query in ways if FACTOR > 1 else ways[place % 3 :: 3]:
            yield f"api/entities/{kind}/{query}"
            yield f"records/{kind}/{query}"
    yield "api/entities/contract/?status=active"
    yield "api/entities/project/?ordering=name&page_size=2"
    yield from ("api/references/?kind=CrossReference", "api/references/?page_size=1", "api/chat/sessions/?page_size=1")


def telling(world: World) -> Iterator[str]:
    """The addresses that rank, count and group: here hidden rows would be felt first. At factor 1 both searches are
    asked for half of the words, each for others.
    """
    own0, file = world.things["entity", "own0"], world.things["file", "own0"]
    asked = (*WORDS[:6], "berth liability", '"the berth"', "harbour fees", "berth " + " ".join(WORDS[:5]))
    apart = 2 if FACTOR == 1 else 1
    yield from (f"api/search/?q={quote(words)}&limit=50" for words in asked[::apart])
    yield from (f"search/?q={quote(words)}" for words in asked[apart - 1 :: apart])
    for narrowed in (f"entity={own0}", f"file={file}", "type=contract", "kind=file_chunk", *DAYS):
        yield f"api/search/?q=berth&limit=50&{narrowed}"
    yield from (f"api/search/?q=berth&entity={own0}&reference_depth={depth}" for depth in (1, 2))
    yield from (f"api/suggest/?q={prefix}" for prefix in ("con", "own", "pro", "r", "zan"))
    yield from (f"search/suggest/?q={prefix}" for prefix in ("con", "own", "zan"))
    yield f"api/entities/{own0}/related/"
    yield f"api/entities/{own0}/graph/?depth=2"
    yield from (f"api/files/{file}/", f"api/files/{file}/reader/", f"files/{file}/", f"api/entities/{own0}/files/")
    yield from ("api/entities/contract/", "api/entities/contract/?page_size=1", "records/contract/")
    yield from ("admin/ingestion/file/", f"admin/ingestion/file/{file}/change/")
