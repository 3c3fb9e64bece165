"""How far a request for access is granted: for the paragraphs that it is about, its file, its record, or the level.

A grant of the level is a `LabelGrant` and holds everywhere. The others are `TextGrant` rows, which let one person read
on its page and derive nothing (docs/adr/0051).
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import connection
from django.utils.translation import gettext

from entities.access import Scope, load_atoms_by_label
from entities.access.scope import load_once
from entities.api.lists import list_atom_chips
from entities.models import Classification, FieldParagraph, LabelGrant
from ingestion.desk import select_field_paragraphs, select_paragraphs
from ingestion.errors import BadUpload
from ingestion.models import AccessRequest, Extent, Paragraph, TextGrant


@dataclass(frozen=True)
class Offer:
    """What granting a request to `extent` gives: `count` paragraphs more that the steward sees as well."""

    extent: Extent
    count: int


def find_grantable_atoms(scope: Scope) -> frozenset[int]:
    """The atoms that the caller may grant: a steward's, held by a role of theirs."""

    def load() -> frozenset[int]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT app_grantable()")
            return frozenset(cursor.fetchone()[0] or ())

    return load_once("grantable", load)  # type: ignore[no-any-return]


def find_opened_labels(request: AccessRequest) -> list[int]:
    """Labels that whoever asked is not cleared for, and would be with what they ask for."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT app_atoms_of(%s)", [request.requester])
        held = frozenset(cursor.fetchone()[0] or ())
    wanted = held | frozenset(request.atoms)
    return [
        label
        for label, atoms in load_atoms_by_label().items()
        if wanted.issuperset(atoms) and not held.issuperset(atoms)
    ]


def find_asked_passages(
    scope: Scope, request: AccessRequest, labels: Collection[int] | None = None
) -> list[Paragraph | FieldParagraph]:
    """The paragraphs that a request is about, as far as the caller may read them and what it asks for opens them. None
    where it is about all of a file or record, or where the file was published again since.
    """
    opened = find_opened_labels(request) if labels is None else labels
    if request.file_id is not None:
        rows = select_paragraphs(scope).filter(file=request.file_id, data_classification__in=opened)
        if request.passage is not None:
            return list(rows.filter(pk=request.passage))
        return list(rows.filter(revision=request.revision, position__in=request.positions))
    typed = select_field_paragraphs(scope).filter(entity=request.entity_id, data_classification__in=opened)
    return list(typed.filter(field=request.field, position__in=request.positions))


def list_offers(scope: Scope, request: AccessRequest) -> list[Offer]:
    """The ways in which a steward can grant a request, from the narrowest. The narrow ones are left out where they
    would show nothing. Counted is what the steward may read, on records that they may see.
    """
    labels = find_opened_labels(request)
    of_files = select_paragraphs(scope).filter(data_classification__in=labels)
    typed = select_field_paragraphs(scope).filter(data_classification__in=labels)
    counts = {Extent.PASSAGE: len(find_asked_passages(scope, request, labels))}
    counts[Extent.FILE] = of_files.filter(file=request.file_id).count()  # none where it names no file
    in_record = of_files.filter(file__entity=request.entity_id).count()
    counts[Extent.RECORD] = in_record + typed.filter(entity=request.entity_id).count()
    # Of the whole workspace: once for all requests for the same, in one transaction.
    counts[Extent.LEVEL] = load_once(f"level {sorted(labels)}", lambda: of_files.count() + typed.count())
    return [Offer(extent, count) for extent, count in counts.items() if count or extent == Extent.LEVEL]


def grant_request(scope: Scope, request: AccessRequest, until: datetime | None, extent: str = Extent.LEVEL) -> None:
    """The database holds to the same rule (`app_check_label_grant`). Raises: PermissionDenied for who does not hold by
    a role what they grant; BadUpload where the place is not there.
    """
    lacking = frozenset(request.atoms) - find_grantable_atoms(scope)
    if lacking:
        names = ", ".join(chip.label for chip in list_atom_chips(lacking))
        raise PermissionDenied(
            gettext("Only a steward with a role that holds %(names)s can grant this.") % {"names": names}
        )
    passages: list[UUID] = []
    if extent == Extent.PASSAGE:
        passages = [paragraph.pk for paragraph in find_asked_passages(scope, request)]
    if (extent == Extent.PASSAGE and not passages) or (extent == Extent.FILE and request.file_id is None):
        raise BadUpload(
            gettext("The place that was asked about is not there any more. Grant it another way."), "no_place"
        )
    for classification in Classification.objects.filter(value__in=request.atoms):
        to = {
            "workspace_id": scope.workspace,
            "membership_id": request.membership_id,
            "classification": classification,
            "expires_at": until,
            "granted_by": scope.principal,
        }
        if extent == Extent.LEVEL:
            LabelGrant.objects.create(**to, origin=request.pk)
        else:
            TextGrant.objects.create(**to, request=request, extent=extent, passages=passages)


def withdraw_grants(request: AccessRequest) -> None:
    """Everything that was granted on a request."""
    LabelGrant.objects.filter(origin=request.pk).delete()
    TextGrant.objects.filter(request=request.pk).delete()
