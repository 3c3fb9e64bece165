"""How turns end, in the audit (docs/audit.md)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.utils import timezone

from chat.message_sources import read_all_labels
from chat.models import Message, State, Turn
from entities.access import Scope, list_atoms
from entities.access.scope import get_current_scope
from entities.actions import record_action
from entities.audit import AuditedQuery, record_question
from entities.models import Classification


def note_answer(row: Turn, state: State, usage: Mapping[str, Any], label: int) -> None:
    """The end of a turn, in the service's scope, in the asker's name. label: of everything that went into the answer.

    The question's words carry that label, their own, and all that the classifier found in them, also beyond what the
    asker holds (docs/adr/0008). While the question has no label its words have none either, nor when what was found is
    no classification any more.
    """
    question = Message.objects.filter(pk=row.question).first()
    found = set(question.found) if question else set()
    labelled = question is not None and question.data_classification is not None and have_all_atoms(found)
    behind = None
    if question and labelled:
        labels = (label, question.data_classification, *read_all_labels(row))
        behind = {*found, *(atom for one in labels for atom in list_atoms(one))}
    asked = AuditedQuery(
        question.content if question else "",
        behind,
        tuple((UUID(p["row"]), UUID(p["entity"])) for p in row.manifest.get("passages", ())),
    )
    record_question(
        replace(get_current_scope(), principal=row.owner),
        "answer",
        asked,
        "turn",
        row.pk,
        session=str(row.session_id),
        state=state,
        model=usage.get("model", ""),
        tokens={name: usage.get(name, 0) for name in ("input", "output", "cached")},
        cost=usage.get("cost", "0"),
        latency_ms=round((timezone.now() - row.created_at).total_seconds() * 1000),
        searches=row.manifest.get("searches", 0),
    )


def record_injection(scope: Scope, turn: UUID, names: tuple[str, ...]) -> None:
    """Instructions that were found in what a model was given in a turn, or for the summary after it. names: of their
    patterns. In the service's scope.
    """
    record_action(scope, "prompt.injection", "turn", turn, patterns=list(names))


def have_all_atoms(atoms: set[int]) -> bool:
    """No key holds what was found and is in no label, so it may have been deleted while the answer was written."""
    return not atoms or Classification.objects.filter(value__in=atoms).count() == len(atoms)
