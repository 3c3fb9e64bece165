"""Suggestions while somebody types: names of records and files, and words, that they may see and are cleared for."""

import re
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, Exists, IntegerField, OuterRef, Q, Value, When

from entities.access import Scope
from entities.models import Entity
from ingestion.access import select_visible_files
from ingestion.models import Paragraph
from retrieval.completions import list_completions
from retrieval.links import build_workspace_url
from retrieval.query import CONTROL
from retrieval.refs import FILE_NAME_IS_READABLE, build_entity_ref

LONGEST = 100
KEPT = 2
"""Places that names leave to completed questions."""
QUOTES = re.compile('["“”„«»]')


@dataclass(frozen=True)
class Suggestion:
    """type: of the record, "file", or "search" for a completed question, which has no id. kind: the word for it."""

    id: str | None
    type: str
    name: str
    kind: str
    url: str
    icon: str
    color: str


def suggest_names(scope: Scope, text: str, *, limit: int = 8) -> list[Suggestion]:
    """Names that hold `text`, those that begin with it first, then those with a word that does: of records the latest
    of each; and the question with its last word completed, which always has two places.
    """
    typed = CONTROL.sub(" ", text[:LONGEST])
    text = " ".join(typed.split())
    if not text:
        return []
    named = QUOTES.sub("", text).strip()
    found = [*_suggest_records(scope, named, limit), *_suggest_files(scope, named, limit)] if named else []
    names = [suggestion for _, suggestion in sorted(found, key=lambda pair: pair[0])][:limit]
    searches = [
        _build_search_suggestion(scope, completed)
        for completed in ([] if typed[-1].isspace() else list_completions(scope, text))
    ]
    names = names[: limit - min(len(searches), KEPT)]
    return [*names, *searches[: limit - len(names)]]


def _build_search_suggestion(scope: Scope, text: str) -> Suggestion:
    return Suggestion(
        None, "search", text, "Search", build_workspace_url(scope, "retrieval:search", q=text), "search", "slate"
    )


def _build_nearness_case(column: str, text: str) -> Case:
    return Case(
        When(Q(**{f"{column}__istartswith": text}), then=Value(0)),
        When(Q(**{f"{column}__icontains": f" {text}"}), then=Value(1)),
        default=Value(2),
        output_field=IntegerField(),
    )


def _suggest_records(scope: Scope, text: str, limit: int) -> list[tuple[int, Suggestion]]:
    readable: Any = Entity.objects.readable_by(scope)
    rows = readable.filter(title__icontains=text, archived_at__isnull=True)
    rows = rows.annotate(nearness=_build_nearness_case("title", text)).order_by("nearness", "-updated_at", "pk")
    refs = [(row.nearness, build_entity_ref(scope, row)) for row in rows[:limit]]
    return [
        (near, Suggestion(str(ref.id), ref.type, ref.title, ref.type_name, ref.url, ref.icon, ref.color))
        for near, ref in refs
    ]


def _suggest_files(scope: Scope, text: str, limit: int) -> list[tuple[int, Suggestion]]:
    """Files with something in them for the reader, whose name they are cleared for, by name: the times of a file are
    also those of versions and steps that not everybody is told of (docs/adr/0032).
    """
    readable = Paragraph.objects.filter(file=OuterRef("pk"), data_classification__isnull=False)
    rows = (
        select_visible_files(scope)
        .filter(Exists(readable), FILE_NAME_IS_READABLE, name__icontains=text, entity__archived_at__isnull=True)
        .annotate(nearness=_build_nearness_case("name", text))
        .order_by("nearness", "name", "pk")
        .values_list("nearness", "pk", "name")
    )
    return [
        (
            near,
            Suggestion(
                str(pk), "file", name, "File", build_workspace_url(scope, "ingestion:reader", pk), "file-text", "slate"
            ),
        )
        for near, pk, name in rows[:limit]
    ]
