"""What each option of `Rag` may be set to, for `manage.py check`. Ids are listed in docs/entity-types.md."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_args

from django.contrib.staticfiles import finders

from entities.models.classification import FIRST_CUSTOM
from entities.palette import COLORS, SPRITE
from entities.rag import Collection, Propagation, Rag, RemainderPolicy, Strategy, Tier


@dataclass(frozen=True)
class ExpectedValue:
    """The id of the message about a value that does not fit, and its words after "Rag.<option> is <value>; it is"."""

    number: int
    fits: Callable[[Any], bool]
    words: str


@cache
def load_icons() -> frozenset[str]:
    """The names of the sprite's icons."""
    return frozenset(re.findall(r'<symbol id="([^"]+)"', Path(str(finders.find(SPRITE))).read_text()))


def is_text(value: Any) -> bool:
    return isinstance(value, str)


def is_switch(value: Any) -> bool:
    return isinstance(value, bool)


def is_number(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def are_names(value: Any) -> bool:
    """A string is a sequence of strings too, of its letters, which nobody means."""
    return isinstance(value, Sequence) and not isinstance(value, str) and all(map(is_text, value))


def are_names_or_all(value: Any) -> bool:
    return value is None or are_names(value)


def is_atom(value: Any) -> bool:
    """One of the classifications that every workspace has from the start; those it adds differ from one to the next."""
    return is_number(value, 0) and value < FIRST_CUSTOM


def is_label(value: Any) -> bool:
    return is_atom(value) or (isinstance(value, tuple) and bool(value) and all(map(is_atom, value)))


def are_labels(value: Any) -> bool:
    return isinstance(value, Mapping) and all(is_text(name) and is_label(label) for name, label in value.items())


def are_addresses(value: Any) -> bool:
    return are_names(value) and all(re.fullmatch(r"https?://[^\s?#@]+", address) for address in value)


def are_collections(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        is_text(name) and isinstance(collection, Collection) for name, collection in value.items()
    )


def are_states(value: Any) -> bool:
    return isinstance(value, Mapping) and all(is_text(name) and are_names(states) for name, states in value.items())


LABEL = f"an atom from 0 to {FIRST_CUSTOM - 1} or a tuple of atoms"
NAMES = "a list of names"
EXPECTED: Mapping[str, ExpectedValue] = {
    "semantic": ExpectedValue(11, is_text, "a string"),
    "fields": ExpectedValue(11, are_names_or_all, f"None or {NAMES}"),
    "status_fields": ExpectedValue(11, are_names, NAMES),
    "due": ExpectedValue(11, is_text, "a string"),
    "finished": ExpectedValue(11, are_states, f"a mapping of fields, each to {NAMES}"),
    "pulse_tracked_fields": ExpectedValue(11, are_names_or_all, f"None or {NAMES}"),
    "pulse": ExpectedValue(11, is_switch, "True or False"),
    "pulse_prompt": ExpectedValue(11, is_text, "a string"),
    "pulse_references": ExpectedValue(11, is_switch, "True or False"),
    "default": ExpectedValue(12, is_label, LABEL),
    "classified": ExpectedValue(12, are_labels, f"a mapping of fields, each to {LABEL}"),
    "collections": ExpectedValue(13, are_collections, "a mapping of names to Collection"),
    "pulse_model": ExpectedValue(14, get_args(Tier).__contains__, f"one of the tiers {', '.join(get_args(Tier))}"),
    "pulse_refresh_after": ExpectedValue(
        15, lambda value: value is None or is_number(value, 1), "None or seconds, from 1"
    ),
    "coalesce": ExpectedValue(15, lambda value: is_number(value, 0), "seconds, from 0"),
    "propagation": ExpectedValue(
        16,
        lambda value: is_number(value, 0) or (is_text(value) and value in get_args(Propagation)),
        f"{' or '.join(map(repr, get_args(Propagation)))} or a depth, from 0",
    ),
    "icon": ExpectedValue(17, lambda value: is_text(value) and value in load_icons(), f"an icon of static/{SPRITE}"),
    "color": ExpectedValue(17, lambda value: is_text(value) and value in COLORS, f"one of {', '.join(COLORS)}"),
    # What later versions read. Until then a value of one's own would promise what nothing does.
    "children": ExpectedValue(18, lambda value: value in ((), []), "reserved: not built yet"),
    "chat_references": ExpectedValue(18, lambda value: value is Rag.chat_references, "reserved: not built yet"),
    "chat_visibility": ExpectedValue(18, lambda value: value == Rag.chat_visibility, "reserved: not built yet"),
}


def find_wrong_values(rag: type[Rag]) -> Iterator[tuple[int, str]]:
    """(number of the id, sentence) for every option whose value does not fit."""
    for option, expected in EXPECTED.items():
        value = getattr(rag, option)
        if not expected.fits(value):
            yield expected.number, f"Rag.{option} is {value!r}; it is {expected.words}"
    if are_collections(rag.collections):
        for name, collection in rag.collections.items():
            yield from find_wrong_collection(name, collection)


def find_wrong_collection(name: str, collection: Collection) -> Iterator[tuple[int, str]]:
    for option in ("classification", "name_classification"):
        value = getattr(collection, option)
        if not is_label(value) and (option, value) != ("classification", None):
            yield 12, f"{option} of collection {name!r} is {value!r}; it is {LABEL}"
    if not is_text(collection.label):
        yield 13, f"label of collection {name!r} is {collection.label!r}; it is a string"
    if not is_switch(collection.classify):
        yield 13, f"classify of collection {name!r} is {collection.classify!r}; it is True or False"
    if not are_addresses(collection.addresses):
        yield 13, f"addresses of collection {name!r} are {collection.addresses!r}; they are a sequence of https://…"
    if collection.strategy not in get_args(Strategy):
        words = ", ".join(get_args(Strategy))
        yield 13, f"strategy of collection {name!r} is {collection.strategy!r}; it is one of {words}"
    if collection.remainder not in get_args(RemainderPolicy):
        words = ", ".join(get_args(RemainderPolicy))
        yield 13, f"remainder of collection {name!r} is {collection.remainder!r}; it is one of {words}"
