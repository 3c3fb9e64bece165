"""Rows of the audit as an administrator may see them: words by row-level security, records by object permission."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.db import connection

from entities.access import Scope, list_atoms
from entities.models import AuditEntry, AuditLink, AuditText, Entity


class TextState(StrEnum):
    """Of the words of a row. none: it never had any. hidden: the reader is not cleared for them, or nobody yet."""

    NONE = "none"
    SHOWN = "shown"
    HIDDEN = "hidden"
    REDACTED = "redacted"


@dataclass(frozen=True)
class Words:
    """atoms: None where the words are not labelled. retrieved: (index row, record), of records that the reader may see;
    the others are not counted. within: where it was looked for, by the same rule.
    """

    text: str
    atoms: tuple[int, ...] | None
    retrieved: tuple[tuple[UUID, UUID], ...]
    within: dict[str, Any]


@dataclass(frozen=True)
class AuditRow:
    """number: the place in the chain. words: where `state` is shown."""

    number: int | None
    entry: AuditEntry
    state: TextState
    words: Words | None


def build_day_filter(since: date | None, until: date | None) -> dict[str, datetime]:
    """The condition for entries from the first day to the last, in UTC."""
    found: dict[str, datetime] = {}
    if since:
        found["at__gte"] = datetime.combine(since, time.min, UTC)
    if until and until < date.max:  # after which there is no day
        found["at__lt"] = datetime.combine(until, time.min, UTC) + timedelta(days=1)
    return found


def build_rows(scope: Scope, page: Sequence[AuditEntry]) -> list[AuditRow]:
    """A page of the audit: three statements, for links, words, and the records that the words name as found."""
    ids = [entry.pk for entry in page]
    links, texts = AuditLink.objects.in_bulk(ids), AuditText.objects.in_bulk(ids)
    named = {UUID(record) for text in texts.values() for _, record in text.retrieved}
    named |= {UUID(record) for text in texts.values() for record in text.within.get("entities", ())}
    seen = set(Entity.objects.visible_to(scope).filter(pk__in=named).values_list("pk", flat=True)) if named else set()
    return [_build_row(entry, links.get(entry.pk), texts.get(entry.pk), seen) for entry in page]


def _build_row(entry: AuditEntry, link: AuditLink | None, text: AuditText | None, seen: set[UUID]) -> AuditRow:
    number = link.seq if link else None
    if text is not None:
        return AuditRow(number, entry, TextState.SHOWN, _build_words(text, seen))
    if link is None or link.text_digest is None:
        return AuditRow(number, entry, TextState.NONE, None)
    return AuditRow(number, entry, TextState.REDACTED if link.redacted else TextState.HIDDEN, None)


def _build_words(text: AuditText, seen: set[UUID]) -> Words:
    found = ((UUID(row), UUID(record)) for row, record in text.retrieved)
    # Places that a layer above knows the rules of (files, conversations) are left out; they are in the database.
    within = {name: value for name, value in text.within.items() if name not in ("entities", "files", "sessions")}
    if records := [record for record in text.within.get("entities", ()) if UUID(record) in seen]:
        within["entities"] = records
    label = text.data_classification
    return Words(
        text.text,
        None if label is None else list_atoms(label),
        tuple((row, record) for row, record in found if record in seen),
        within,
    )


KNOWN_ACTIONS = """
WITH RECURSIVE known(action) AS (
  (SELECT action FROM entities_auditentry WHERE workspace_id = %(workspace)s ORDER BY action LIMIT 1)
  UNION ALL
  SELECT (SELECT e.action FROM entities_auditentry e
          WHERE e.workspace_id = %(workspace)s AND e.action > known.action ORDER BY e.action LIMIT 1)
  FROM known WHERE known.action IS NOT NULL)
SELECT action FROM known WHERE action IS NOT NULL
"""


def list_known_actions(scope: Scope) -> list[str]:
    """The actions that there are, from one to the next by their index: not a look at every row."""
    with connection.cursor() as cursor:
        cursor.execute(KNOWN_ACTIONS, {"workspace": scope.workspace})
        return [action for (action,) in cursor.fetchall()]
