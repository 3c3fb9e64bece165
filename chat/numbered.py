"""Passages that were given earlier in a conversation, asked for again by their numbers."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from chat.models import LookIn, Session
from chat.places import OutOfBounds, resolve_within
from chat.tools import BadCall, ToolFindings, fit_results, get_owner, print_results
from entities.access import Scope
from ingestion.models import ContextRow
from retrieval.fusion import Hit
from retrieval.gate import build_gates
from retrieval.models import Citation
from retrieval.query import Within
from retrieval.results import load_results
from retrieval.terms import Terms

MAX_NUMBERS = 20
NO_SUCH_NUMBER = "No passage is there under these numbers that the person asking may see now."


def parse_numbers(asked: Any) -> tuple[int, ...]:
    """Raises: BadCall."""
    is_list = isinstance(asked, list | tuple) and len(asked) <= MAX_NUMBERS
    if not (is_list and all(type(n) is int and 0 < n < 1 << 31 for n in asked)):
        raise BadCall(f"Give `numbers` as a list of at most {MAX_NUMBERS} whole numbers.")
    return tuple(dict.fromkeys(asked))


def read_numbered(
    scope: Scope, session: Session, numbers: Sequence[int], look_in: str, mentioned: Within | None, room: int
) -> ToolFindings:
    """Passages that the conversation has numbers for, as they stand today and as far as the asker may read them, in
    what the turn looks in. Raises: BadCall, Http404.
    """
    owner = get_owner(session)
    cited = Citation.objects.filter(owner_kind=owner.kind, owner=owner.id, n__in=numbers).order_by("n")
    rows = [row for row in cited.values_list("locator__row", flat=True) if row]
    keys = dict(ContextRow.objects.filter(pk__in=rows).values_list("pk", "number"))
    is_bounded = mentioned is not None or look_in not in ("", LookIn.WORKSPACE)
    try:
        within = resolve_within(scope, session, look_in, "", None, "", mentioned) if is_bounded else Within()
    except OutOfBounds as problem:
        raise BadCall(str(problem)) from None
    hits = [Hit(keys[UUID(row)], 0.0) for row in dict.fromkeys(rows) if UUID(row) in keys]
    results = load_results(scope, hits, build_gates(scope, within), Terms({})) if hits else []
    if not results:
        return ToolFindings(NO_SUCH_NUMBER, (), ())
    return print_results(scope, session, fit_results(results, room), within=within, by="number")
