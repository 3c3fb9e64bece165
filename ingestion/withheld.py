"""What a reading found in the bytes of a version and nobody can be cleared for, such as a hidden sheet: it is in them
still when another reading, of this version or of one with the same bytes, does not find it (docs/adr/0032).
"""

from collections.abc import Iterable

from django.db.models import Q, QuerySet

from ingestion.documents import Unaccounted
from ingestion.models import File, FileRevision, Review

LOOKED_AT = frozenset({"image", "no_text_layer", "not_compared", "ocr_uncertain", "page_failed", "vision_unchecked"})
"""Of pages and pictures that one way of reading does not make out and another does, and what is counted next time."""
INSIDE = "inside"
"""It was found in a file that came in this one, and that is gone."""


def lasting(unaccounted: Iterable[Unaccounted]) -> set[str]:
    """Codes of what no other way of reading accounts for. Fonts that tell nothing of their letters are read by OCR."""
    return {u.code for u in unaccounted if u.code not in LOOKED_AT and (u.code != "unreadable_text" or u.page is None)}


def remember_inside(message: File, going: Iterable[File]) -> None:
    """Attachments go that were not all accounted for: any version of their message may hold them. In the transaction
    that publishes the one without them."""
    found = (Unaccounted(u["code"], u["detail"], u.get("page")) for file in going for u in file.unaccounted)
    kept = FileRevision.objects.filter(file__in=[message.pk, *(file.pk for file in going)])
    if lasting(found) or kept.exclude(file=message.pk).exclude(withheld=[]).exists():
        for version in kept.filter(file=message.pk, attachments__gt=0):
            version.withheld = sorted({*version.withheld, INSIDE})
            version.save(update_fields=["withheld"])


def is_all_found(file: File) -> bool:
    """Whether the published reading of a file knows of all that any reading of the same bytes did: nothing that nobody
    is cleared for, no attachment that is not here; and of an attachment, nothing of the kind in its message. What a
    steward released is published with what was read of it; what it lost has no label.
    """
    if file.revision is not None and file.revision.review == Review.RELEASED:
        return False
    if _same_bytes(file).filter(~Q(withheld=[]) | Q(attachments__gt=file.attachments)).exists():
        return False
    origin = file.origin
    while origin is not None:
        if _same_bytes(origin).filter(withheld__contains=[INSIDE]).exists():
            return False
        origin = origin.origin
    return True


def _same_bytes(file: File) -> QuerySet[FileRevision]:
    every = FileRevision.objects.filter(file=file.pk)
    return every.filter(blob=file.revision.blob_id) if file.revision is not None else every.none()
