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


def save_result(
    workspace: int, revision: UUID, step: str, witness: str, floor: int, data: Any, part: int = WHOLE
) -> None:
    """Keep JSON data, in an open service scope. A finished step's parts are dropped, but for LASTING ones. floor: what
    one must be cleared for to read it as a steward.
    """
    rows = StepResult.objects.filter(revision=revision, step=step)
    (rows if part == WHOLE and step not in LASTING else rows.filter(part=part)).delete()
    payload = zlib.compress(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode(), 3)
    StepResult.objects.create(
        workspace_id=workspace,
        revision_id=revision,
        step=step,
        part=part,
        witness=witness,
        floor=floor,
        payload=payload,
    )


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
