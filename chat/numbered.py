"""Passages that were given earlier in a conversation, asked for again by their numbers."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db.models import Q

from chat.models import LookIn, Session
from chat.places import OutOfBounds, resolve_within
from chat.tools import BadCall, ToolFindings, get_owner, print_results
from entities.access import Scope
from ingestion.models import ContextRow, Kind, RowParagraph
from retrieval.citations import Owner
from retrieval.fusion import Hit
from retrieval.gate import build_gates
from retrieval.models import Citation
from retrieval.query import Within
from retrieval.results import load_results
from retrieval.terms import Terms

MAX_NUMBERS = 20
NO_SUCH_NUMBER = "No passage is there under these numbers that the person asking may see now."
NOT_AMONG = "Not among these passages:"
"""Before the numbers that were asked for and of which none is given, for whatever reason."""


def parse_numbers(asked: Any) -> tuple[int, ...]:
    """Raises: BadCall."""
    is_list = isinstance(asked, list | tuple) and len(asked) <= MAX_NUMBERS
    if not (is_list and all(type(n) is int and 0 < n < 1 << 31 for n in asked)):
        raise BadCall(f"Give `numbers` as a list of at most {MAX_NUMBERS} whole numbers.")
    return tuple(dict.fromkeys(asked))


def read_numbered(
    scope: Scope,
    session: Session,
    numbers: Sequence[int],
    look_in: str,
    mentioned: Within | None,
    room: int,
    known: Collection[int],
) -> ToolFindings:
    """Passages that the conversation has numbers for, as they stand today and as far as the asker may read them, in
    what the turn looks in. known: those that are in its prompt. Where others read along no other number is looked up:
    it may be of a turn that the asker may not read, and would tell what that was given. Raises: BadCall, Http404.
    """
    rows = _find_rows(get_owner(session), [n for n in numbers if session.is_private or n in known])
    is_bounded = mentioned is not None or look_in not in ("", LookIn.WORKSPACE)
    try:
        within = resolve_within(scope, session, look_in, "", None, "", mentioned) if is_bounded else Within()
    except OutOfBounds as problem:
        raise BadCall(str(problem)) from None
    hits = [Hit(key, 0.0) for key in dict.fromkeys(key for n in sorted(rows) for key in rows[n].values())]
    results = load_results(scope, hits, build_gates(scope, within), Terms({})) if hits else []
    found = print_results(scope, session, results, within=within, by="number", room=room)
    if not found.passages:
        return ToolFindings(NO_SUCH_NUMBER, (), ())
    printed = {passage.row for passage in found.passages}
    missing = [f"[{n}]" for n in numbers if printed.isdisjoint(rows.get(n, ()))]
    if not missing:
        return found
    line = " ".join([NOT_AMONG, *missing])
    return replace(found, text=f"{line}\n{found.text}", notes="\n".join(filter(None, (line, found.notes))))


def _find_rows(owner: Owner, numbers: Sequence[int]) -> dict[int, dict[UUID, int]]:
    """Number -> id and number of the index row that was cited; where that has been replaced, of the rows of its kind
    that hold one of its paragraphs, and of a record's snapshot today's one of the same label, as `retrieval.locate`
    goes on to these.
    """
    cited = list(Citation.objects.filter(owner_kind=owner.kind, owner=owner.id, n__in=numbers))
    places = {citation.n: citation.locator for citation in cited}
    own = {n: UUID(place["row"]) for n, place in places.items() if place.get("row")}
    keys = dict(ContextRow.objects.filter(pk__in=list(own.values())).values_list("pk", "number"))
    found = {n: {pk: keys[pk]} for n, pk in own.items() if pk in keys}
    numbers_of: dict[UUID, list[int]] = {}
    for n, place in places.items():
        for pk in place.get("paragraphs", ()) if n not in found else ():
            numbers_of.setdefault(UUID(pk), []).append(n)
    links = RowParagraph.objects.filter(Q(paragraph__in=list(numbers_of)) | Q(field_paragraph__in=list(numbers_of)))
    columns = ("paragraph", "field_paragraph", "row__kind", "row", "row__number")
    for paragraph, field, kind, pk, key in links.order_by("row__number").values_list(*columns):
        for n in numbers_of[paragraph or field]:
            if kind == places[n].get("kind"):
                found.setdefault(n, {})[pk] = key
    return found | _find_snapshots([citation for citation in cited if citation.n not in found])


def _find_snapshots(cited: Sequence[Citation]) -> dict[int, dict[UUID, int]]:
    """As `_find_rows`, of those that are snapshots of records."""
    snapshots = [one for one in cited if one.file is None and one.locator.get("kind") == Kind.METADATA]
    rows = ContextRow.objects.filter(
        kind=Kind.METADATA, field="", file=None, entity__in=[one.entity_id for one in snapshots]
    )
    columns = ("entity", "data_classification", "pk", "number")
    latest = {
        (entity, label): {pk: key}
        for entity, label, pk, key in rows.order_by("created_at", "number").values_list(*columns)
    }
    found = {one.n: latest.get((one.entity_id, one.data_classification)) for one in snapshots}
    return {n: row for n, row in found.items() if row is not None}
