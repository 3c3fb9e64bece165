"""Whether what a Pulse was made from is still so, in the transaction that writes it, and the locks that keep it so."""

from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING
from uuid import UUID

from django.db import OperationalError, connection, transaction
from django.db.models import Model

from entities.access import list_atoms
from entities.models import Entity, FieldParagraph
from ingestion.models import ContextRow, File, Paragraph
from pulse.inputs import PulseInputs, are_still_below, open_records
from pulse.models import Pulse

if TYPE_CHECKING:
    from pulse.generation import Job


def is_still_current(job: "Job", inputs: PulseInputs) -> bool:
    """Whether rows, labels, names and permissions are what was read; if so they are locked to this transaction's end.

    Whoever raises a label afterwards waits, and then finds the sources of this text. Whoever is changing one of them
    now holds its lock, and that is an answer too: nothing is waited for here, so nobody can be waiting for us in turn.
    """
    passages = {passage for piece in inputs.pieces for _, passage in piece.sources if passage}
    wanted = {p.result.id: (p.result.label, p.digest) for p in inputs.pieces}
    others = ({r for piece in inputs.pieces for r, _ in piece.sources} | {*inputs.anchor.named}) - {job.entity}
    try:
        with transaction.atomic():
            # What is counted too: who restricts or archives it afterwards waits, and withdraws this text (a trigger).
            lock_rows(Entity, {*others, *chain.from_iterable(inputs.anchor.counted.values()), job.entity})
            lock_rows(Paragraph, passages)
            lock_rows(FieldParagraph, passages)
            lock_rows(Pulse, {job.claim.variant}, "NO KEY UPDATE")
            lock_rows(ContextRow, set(wanted))
    except OperationalError:
        return False
    rows = ContextRow.objects.filter(pk__in=wanted, audience=0).values_list("pk", "data_classification", "digest")
    if {pk: (label, digest) for pk, label, digest in rows} != wanted:
        return False
    if not all(are_still_below(job.entity, of_type, counted) for of_type, counted in inputs.anchor.counted.items()):
        return False
    named = Entity.objects.filter(pk__in=inputs.anchor.named).values_list("pk", "name")
    if dict(named) != inputs.anchor.named:
        return False
    return open_records(others) == others and collect_atoms(list_name_labels(job, inputs)) <= collect_atoms(
        inputs.labels
    )


def lock_rows(model: type[Model], ids: set[UUID], strength: str = "SHARE") -> None:
    """Keep rows as they are. Shared: the variants of a record, and of those around it, are often written at once, and
    read the same rows. Raises: OperationalError when somebody is changing one of them.
    """
    with connection.cursor() as cursor:
        table = connection.ops.quote_name(model._meta.db_table)
        cursor.execute(f"SELECT id FROM {table} WHERE id = ANY(%s) ORDER BY id FOR {strength} NOWAIT", [list(ids)])  # noqa: S608


def collect_atoms(labels: Iterable[int]) -> set[int]:
    return {atom for label in labels for atom in list_atoms(label)}


def list_name_labels(job: "Job", inputs: PulseInputs) -> set[int]:
    """Labels of the names that stand in the prompt, today."""
    shown = {*inputs.anchor.named} | ({job.entity} if inputs.anchor.record.name else set())
    labels = set(Entity.objects.filter(pk__in=shown).values_list("name_classification", flat=True))
    files = {p.result.file.id for p in inputs.pieces if p.result.file and p.result.file.name}
    return labels | set(File.objects.filter(pk__in=files).values_list("name_classification", flat=True))
