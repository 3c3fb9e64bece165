"""Appending to the audit: what happened, and for questions also what was asked and found."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db.models import Func, IntegerField, Value
from django.db.models.functions import Cast

from entities.access import Scope
from entities.models import AuditEntry, AuditText


@dataclass(frozen=True)
class AuditedQuery:
    """What somebody asked, and what they were shown.

    atoms: found in the text, above what its author holds too; None where that could not be found out, and the text
    stays unlabelled. retrieved: (index row, record) in the order shown. within: where it was looked for; ids and names
    of types.
    """

    text: str
    atoms: Collection[int] | None
    retrieved: tuple[tuple[UUID, UUID], ...] = ()
    within: Mapping[str, Any] = field(default_factory=dict)


def record_action(scope: Scope, action: str, kind: str = "", object_id: object = "", **detail: Any) -> AuditEntry:
    """Append to the audit. `detail` holds ids, labels, figures and field names, never text."""
    return AuditEntry.objects.create(
        workspace_id=scope.workspace,
        actor=scope.principal,
        action=action,
        object_kind=kind,
        object_id=str(object_id),
        detail=detail,
    )


def record_question(
    scope: Scope, action: str, question: AuditedQuery, kind: str = "", object_id: object = "", **detail: Any
) -> None:
    """Append a search or an answer: two statements. The database adds to the label what the author is cleared for."""
    entry = record_action(scope, action, kind, object_id, **detail)
    AuditText.objects.create(
        entry=entry,
        workspace_id=scope.workspace,
        text=question.text,
        retrieved=[[str(row), str(entity)] for row, entity in question.retrieved],
        within=dict(question.within),
        data_classification=build_label(question.atoms),
    )


def build_label(atoms: Collection[int] | None) -> Func | None:
    """The label of these atoms, made by the statement that writes it."""
    if atoms is None:
        return None
    return Func(Cast(Value(sorted(atoms)), ArrayField(IntegerField())), function="app_combine")
