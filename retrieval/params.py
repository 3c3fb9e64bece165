"""What a request asks for, read from its parameters: the same for the page and the API."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, TypeVar
from uuid import UUID

from django.http import QueryDict
from django.utils.translation import gettext

from entities.access import Scope
from entities.language import translate_stored
from entities.registry import list_entity_types
from ingestion.models import Kind
from references.graph import DEEPEST
from retrieval.operators import split_operators
from retrieval.query import CONTROL, KINDS, LONGEST, Within
from retrieval.tuning import load_tuning

T = TypeVar("T")
MOST_VALUES = 100


@dataclass(frozen=True)
class ParsedQuery:
    """text: the question without its operators. written: with them. problems: parameter -> a sentence about what is
    wrong with it. cut: whether it was longer than is read. within: both of chosen, which parameters ask for, and
    operators.
    """

    text: str
    within: Within
    limit: int
    reference_depth: int = 0
    problems: Mapping[str, str] = field(default_factory=dict)
    written: str = ""
    cut: bool = False
    chosen: Within = Within()
    operators: Within = Within()


def read_search_query(scope: Scope, params: QueryDict) -> ParsedQuery:
    """`q`, `limit`, `reference_depth`, and the filters, each of which may be given several times or with commas. To be
    called where no scope is open.
    """
    whole = CONTROL.sub(" ", params.get("q", "")).strip()
    written = whole[:LONGEST].strip()
    operators = split_operators(written)
    problems: dict[str, str] = dict(operators.problems)

    def read_several(name: str, read: Callable[[str], T]) -> tuple[T, ...]:
        given = [part.strip() for value in params.getlist(name) for part in value.split(",") if part.strip()]
        if len(given) > MOST_VALUES:
            problems[name] = gettext("Give at most %(most_values)s of them.") % {"most_values": MOST_VALUES}
            return ()
        try:
            return tuple(dict.fromkeys(read(value) for value in given))
        except ValueError as wrong:
            problems[name] = str(wrong)
            return ()

    def read_one(name: str, default: T, read: Callable[[str], T]) -> T:
        try:
            given = str(params.get(name, "")).strip()
            return read(given) if given else default
        except ValueError as wrong:
            problems[name] = str(wrong)
            return default

    chosen = Within(
        entities=read_several("entity", _parse_id),
        files=read_several("file", _parse_id),
        collections=read_several("collection", _parse_collection),
        sessions=read_several("session", _parse_id),
        types=read_several("type", _parse_type),
        kinds=read_several("kind", _parse_kind),
        since=read_one("since", None, _parse_day),
        until=read_one("until", None, _parse_day),
    )
    written_within = Within(
        types=_parse_types(scope, operators.types, problems),
        since=operators.since,
        until=operators.until,
        labels=operators.labels,
        without=operators.without,
    )
    within = chosen
    try:
        within = chosen.narrow(written_within)
    except ValueError as wrong:
        problems["type"] = str(wrong)
    limit = read_one("limit", load_tuning().page, _build_number_parser(1, load_tuning().most))
    depth = read_one("reference_depth", 0, _build_number_parser(0, DEEPEST))
    cut = len(whole) > LONGEST
    return ParsedQuery(operators.text, within, limit, depth, problems, written, cut, chosen, written_within)


def _parse_types(scope: Scope, names: Sequence[str], problems: dict[str, str]) -> tuple[str, ...]:
    """Types by their key, or by their name in one word or many."""
    if not names:
        return ()
    types = list_entity_types()
    known = {model.plural_title.lower(): key for key, model in types.items()}
    # What a kind is called here goes before what another was once called, and a key before both.
    with scope.open():
        for key, model in types.items():
            known |= {translate_stored(title).lower(): key for title in (model.singular_title, model.plural_title)}
    known |= {key: key for key in types}
    if unknown := [name for name in names if name not in known]:
        problems["type"] = gettext("There is no type %(unknown)s. Types are: %(entity_types)s.") % {
            "unknown": repr(unknown[0][:60]),
            "entity_types": ", ".join(types),
        }
    return tuple(dict.fromkeys(known[name] for name in names if name in known))


def _parse_id(value: str) -> UUID:
    try:
        return UUID(value)
    except ValueError:
        raise ValueError(gettext("%(value)s is not an id.") % {"value": repr(value[:60])}) from None


def _parse_collection(value: str) -> str:
    known = dict.fromkeys(name for model in list_entity_types().values() for name in model.rag().collections)
    if value not in known:
        raise ValueError(
            gettext("There is no collection %(value)s. Collections are: %(known)s.")
            % {"value": repr(value[:60]), "known": ", ".join(known)}
        )
    return value


def _parse_type(value: str) -> str:
    if value not in list_entity_types():
        raise ValueError(
            gettext("There is no type %(value)s. Types are: %(entity_types)s.")
            % {"value": repr(value[:60]), "entity_types": ", ".join(list_entity_types())}
        )
    return value


def _parse_kind(value: str) -> Kind:
    if value not in KINDS:
        raise ValueError(
            gettext("There is no kind %(value)s. Kinds are: %(kinds)s.")
            % {"value": repr(value[:60]), "kinds": ", ".join(KINDS)}
        )
    return KINDS[value]


def _parse_day(value: str) -> Any:
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise ValueError(
            gettext("%(value)s is not a day. Write it like 2026-03-31.") % {"value": repr(value[:60])}
        ) from None


def _build_number_parser(low: int, high: int) -> Callable[[str], int]:
    def read_number(value: str) -> int:
        if len(value) > 9 or not value.isascii() or not value.isdigit() or not low <= int(value) <= high:
            raise ValueError(gettext("Give a whole number from %(low)s to %(high)s.") % {"low": low, "high": high})
        return int(value)

    return read_number
