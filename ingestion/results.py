"""Results of finished steps, kept until publishing so that no worker has to repeat what another has done."""

import json
import zlib
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import Q

from ingestion.models import File, Review, Stage, StepResult

WHOLE = StepResult.WHOLE
LASTING = (Stage.SEGMENT,)
"""Steps whose parts stay until the revision is published: a summary is paid for once, also where the labels of other
paragraphs change while the file is worked on.
"""
REPLACED = ("witness", "floor", "payload")


def save_result(
    workspace: int, revision: UUID, step: str, witness: str, floor: int, data: Any, part: int = WHOLE
) -> None:
    """Save JSON data, in place of an earlier result of the same part, in an open service scope. floor: what one must be
    cleared for to read it as a steward.
    """
    payload = zlib.compress(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode(), 3)
    row = StepResult(
        workspace_id=workspace,
        revision_id=revision,
        step=step,
        part=part,
        witness=witness,
        floor=floor,
        payload=payload,
    )
    StepResult.objects.bulk_create(
        [row], update_conflicts=True, unique_fields=["revision", "step", "part"], update_fields=REPLACED
    )


def list_saved(revision: UUID) -> frozenset[tuple[str, str]]:
    """(step, witness) of every result that was saved, in an open service scope."""
    return frozenset(StepResult.objects.filter(revision=revision).values_list("step", "witness"))


def load_result(revision: UUID, step: str, witness: str) -> Any | None:
    """What a finished step gave for the same inputs, in an open service scope; None where it did not finish."""
    return load_parts(revision, step, witness, whole=True).get(WHOLE)


def load_parts(revision: UUID, step: str, witness: str, *, whole: bool = False) -> dict[int, Any]:
    """Part number -> data of a step that has not finished, or has to be done again."""
    rows = StepResult.objects.filter(revision=revision, step=step, witness=witness)
    rows = rows.filter(part=WHOLE) if whole else rows.exclude(part=WHOLE)
    return {row.part: json.loads(zlib.decompress(bytes(row.payload))) for row in rows}


def drop_superseded(file: UUID, revision: UUID) -> None:
    """Forget what was done for revisions that a newer upload has overtaken, not for one that is put aside."""
    aside = File.objects.values_list("aside__revision", flat=True).get(pk=file)
    kept = [revision, *([UUID(aside)] if aside else [])]
    StepResult.objects.filter(revision__file=file).exclude(revision__in=kept)._raw_delete("default")


def drop_rejected() -> None:
    """Of a version that a steward rejected nothing is kept, also where whoever was to see to that was killed. In an
    open service scope."""
    StepResult.objects.filter(revision__review=Review.REJECTED).delete()


def drop_results(revision: UUID, steps: Iterable[str] | None = None) -> None:
    """Forget results, of all steps or of some; of those, LASTING parts stay."""
    rows = StepResult.objects.filter(revision=revision)
    if steps is not None:
        rows = rows.filter(step__in=list(steps)).exclude(Q(step__in=LASTING) & ~Q(part=WHOLE))
    rows.delete()
