"""The remainder of a version as its row has it, worked out when the version is published (docs/adr/0046).

What one reading found in the bytes of a version is in them still when another does not find it. So what is found is
added to what any reading of the same bytes found before.
"""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from entities.access import combine_many
from entities.rag import RemainderPolicy
from ingestion.access import get_collection
from ingestion.documents import Extraction, UnreadContent
from ingestion.models import File, FileRevision, Review
from ingestion.policy import load_policy
from ingestion.remainder import DECIDED_BEFORE, INSIDE, LASTING_EXCEPT, RELEASED, Remainder, find_codes
from ingestion.votes import FLOOR, Vote
from ingestion.witness import hash_parts
from ingestion.work import Work


def get_remainder_policy(file: File) -> RemainderPolicy:
    """What its collection declares of the remainders of its files. Where text rests with stewards and its sender alone,
    text that no reader shows waits for a steward too.
    """
    return "strict" if load_policy().holds else get_collection(file).remainder


def load_remainder(revision: FileRevision) -> Remainder | None:
    """None where it was never worked out."""
    return None if revision.remainder is None else Remainder.from_json(revision.remainder)


def build_remainder_columns(remainder: Remainder, policy: RemainderPolicy) -> dict[str, Any]:
    """The columns of a version's row. In an open scope."""
    label = remainder.label(policy)
    return {
        "remainder": remainder.to_json(),
        "remainder_label": None if label is None else combine_many(label),
        "remainder_floor": combine_many(remainder.floor),
    }


def compute_remainder_columns(
    work: Work,
    file: File,
    revision: FileRevision,
    extraction: Extraction,
    votes: Sequence[Vote],
    lost: Iterable[UnreadContent],
) -> dict[str, Any]:
    """The columns of the row of a version that is being published, in its transaction and before the file has it.
    votes: on the texts. lost: what is there and may be found another time.
    """
    remainder = (
        _compute_remainder(work, file, revision, extraction, votes, lost) if work.opened else load_remainder(revision)
    )
    if remainder is None:
        return {}
    policy: RemainderPolicy = "strict" if work.policy.holds else work.collection.remainder
    return {"withheld": revision.withheld, **build_remainder_columns(remainder, policy)}


def _compute_remainder(
    work: Work,
    file: File,
    revision: FileRevision,
    extraction: Extraction,
    votes: Sequence[Vote],
    lost: Iterable[UnreadContent],
) -> Remainder:
    is_alone = file.revision_id is None and work.number == 1
    same = [revision] if is_alone else list(_select_same_bytes(revision).order_by("number"))
    found = {*extraction.unaccounted}
    revision.withheld = sorted(select_lasting_codes(found - {*lost}).union(*(other.withheld for other in same)))
    known = [one for one in map(load_remainder, same) if one is not None]
    codes = {*revision.withheld, *find_codes(extraction), *_list_codes_of_history(work, revision)}
    codes |= {DECIDED_BEFORE for one in known if DECIDED_BEFORE in one.codes}
    places = sorted((missed.code, missed.page or 0) for missed in found)
    remainder = Remainder(
        tuple(sorted(codes)),
        hash_parts(sorted({*extraction.remainder}), places, extraction.unread),
        (Vote("inherited", work.floor, FLOOR), *votes),
    )
    for one in known:
        remainder = remainder.keep_decisions(one)
    published = FileRevision.objects.filter(pk=file.revision_id) if file.revision_id else FileRevision.objects.none()
    for before in published.exclude(blob=revision.blob_id):
        remainder = remainder.follow(load_remainder(before) or Remainder())
    return remainder


def _list_codes_of_history(work: Work, revision: FileRevision) -> set[str]:
    """What is known of the version, or of those of the messages that it came in, and not by reading it."""
    codes = {RELEASED} if revision.review == Review.RELEASED else set()
    outer = File.objects.select_related("revision").filter(pk__in=work.lineage[1:], revision__isnull=False)
    versions = (message.revision for message in outer if message.revision is not None)
    if any(_select_same_bytes(version).filter(withheld__contains=[INSIDE]).exists() for version in versions):
        codes.add(INSIDE)
    return codes


def _select_same_bytes(revision: FileRevision) -> QuerySet[FileRevision]:
    """Versions of its file with its bytes, itself among them."""
    return FileRevision.objects.filter(file=revision.file_id, blob=revision.blob_id)


def count_most_attachments(revision: FileRevision) -> int:
    """The most files that any reading of its bytes found in them."""
    return max(_select_same_bytes(revision).values_list("attachments", flat=True), default=0)


def select_lasting_codes(unaccounted: Iterable[UnreadContent]) -> set[str]:
    """Codes of what no other way of reading accounts for. Fonts that tell nothing of their letters are read by OCR."""
    return {u.code for u in unaccounted if u.code not in LASTING_EXCEPT and (u.code != "unreadable_text" or not u.page)}


def remember_inside(message: File, going: Iterable[UUID]) -> None:
    """Attachments go of which something has a label of its own, or none: any version of their message may hold it. In
    the transaction that publishes the one without them."""
    gone = FileRevision.objects.filter(file__in=going)
    if not gone.exclude(remainder_label=0).exists():
        return
    for version in FileRevision.objects.filter(file=message.pk, attachments__gt=0):
        version.withheld = sorted({*version.withheld, INSIDE})
        version.save(update_fields=["withheld"])
