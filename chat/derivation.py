"""What a text was drawn from: an answer from all that the model was given, what somebody types from all that it may
repeat (`chat.typed`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from chat.models import Session
from entities.models import Entity, Source, Weight


@dataclass(frozen=True)
class SourceLabel:
    """Something the model was given: a passage (its paragraphs) or a record's own fields (none). label: with its
    names'. weight: less than text where it was given the record's name alone, or a number that includes it.
    """

    entity: UUID
    label: int
    paragraphs: tuple[UUID, ...] = ()
    weight: Weight = Weight.TEXT


def load_derivation_sources(texts: Mapping[UUID, int]) -> list[SourceLabel]:
    """What derived texts (id -> label) were drawn from: an answer that may repeat them needs all of it, but for the
    numbers of a Pulse, which include what was open to the workspace when it was written.
    """
    by_label: dict[int, list[UUID]] = {}
    for text, label in texts.items():
        by_label.setdefault(label, []).append(text)
    grouped: dict[tuple[UUID, int, Weight], list[UUID]] = {}
    for label, derived in by_label.items():
        # Texts of one conversation have most of their sources in common.
        rows = Source.objects.filter(derived__in=derived).exclude(weight=Weight.COUNT, counted=None).order_by()
        for entity, passage, weight, counted in rows.values_list("entity", "passage", "weight", "counted").distinct():
            for one in [entity] if counted is None else counted:
                grouped.setdefault((one, label, Weight(weight)), []).extend([passage] if passage else [])
    return [
        SourceLabel(entity, label, tuple(passages), weight) for (entity, label, weight), passages in grouped.items()
    ]


def record_sources(session: Session, derived: UUID, given: Sequence[SourceLabel]) -> None:
    """Add what a message or the title of a session may repeat to its sources. In the service's scope, or as its
    author.
    """
    wanted = {(g.entity, p, g.weight) for g in given if g.weight != Weight.COUNT for p in (g.paragraphs or (None,))}
    known = set(Source.objects.filter(derived=derived).values_list("entity", "passage", "weight"))
    Source.objects.bulk_create(
        Source(workspace_id=session.workspace_id, derived=derived, entity_id=entity, passage=passage, weight=weight)
        for entity, passage, weight in sorted(wanted - known, key=str)
    )
    list_counted_records(session, derived, {g.entity for g in given if g.weight == Weight.COUNT})


def list_counted_records(session: Session, derived: UUID, counted: set[UUID]) -> None:
    """Add records that are included in numbers which a text may repeat to the one source that lists them.

    Deleting one leaves the text alone. A reader who may not see one of them is not shown it. The row stands at the
    record that was asked about; of a conversation about the workspace at one of those it lists, and goes over to
    another where that one is deleted (a trigger). A list names records that were deleted since, too.
    """
    if not counted:
        return
    source = Source.objects.filter(derived=derived, weight=Weight.COUNT).first()
    if source is None:
        left = Entity._base_manager.filter(pk__in=counted).order_by("pk").values_list("pk", flat=True)
        record = session.entity_id or left.first()
        if record is None:
            return  # nobody is left from whom the number must be kept
        source = Source(workspace_id=session.workspace_id, derived=derived, entity_id=record, weight=Weight.COUNT)
    source.counted = sorted({*(source.counted or ()), *counted})
    source.save()
