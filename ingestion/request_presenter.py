"""Requests for access as a caller may know them: one value for pages and API."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext_lazy

from entities.access import Scope
from entities.api.lists import list_atom_chips, list_atom_labels
from entities.models import Entity, User
from ingestion.access import is_name_known, is_steward, load_outlines, write_file_name
from ingestion.grants import Offer, find_asked_passages, find_grantable_atoms, list_offers
from ingestion.models import AccessRequest, Extent, File, Paragraph
from ingestion.request_messages import load_messages
from ingestion.requests import is_over

REACHES = {
    Extent.PASSAGE: gettext_lazy("for this paragraph"),
    Extent.FILE: gettext_lazy("for this file"),
    Extent.RECORD: gettext_lazy("for this record"),
    Extent.LEVEL: gettext_lazy("for everything at this level"),
}


@dataclass(frozen=True)
class PresentedRequest:
    """A request. own: the caller made it. lacks: what keeps a steward from granting it, atoms that no role of theirs
    holds. message: "" where there is none, None where it needs more clearance. text: of the passage, None where the
    caller may not read it. readable: there is text in the file for the caller. offers: how far the caller, a steward,
    can grant it, and what each gives.
    """

    request: AccessRequest
    own: bool
    person: str
    record: str
    record_type: str
    named: bool
    file: str | None
    file_named: bool
    readable: bool
    text: str | None
    message: str | None
    lacks: Sequence[int]
    may_decide: bool
    decider: str
    offers: Sequence[Offer] = ()

    @property
    def state(self) -> str:
        """That of the row, or `expired`."""
        return "expired" if is_over(self.request) else str(self.request.state)

    @property
    def chips(self) -> list[Any]:
        return list_atom_chips(self.request.atoms)

    @property
    def lacks_chips(self) -> list[Any]:
        return list_atom_chips(self.lacks)

    @property
    def may_withdraw(self) -> bool:
        return self.may_decide and self.state == "granted"

    @property
    def may_grant(self) -> bool:
        return self.may_decide and self.state == "open" and not self.lacks

    @property
    def may_recall(self) -> bool:
        return self.own and self.state == "open"

    @property
    def reach_text(self) -> str:
        """How far a grant reaches, in the middle of a sentence; "" of what was never granted."""
        if self.state not in ("granted", "expired", "withdrawn"):
            return ""
        return str(REACHES[Extent(self.request.extent)])

    @property
    def record_url(self) -> str:
        return reverse("entities:detail", args=[self.request.entity_id])

    @property
    def file_url(self) -> str:
        """Of the reader, for who has something to read there."""
        return reverse("ingestion:reader", args=[self.request.file_id]) if self.readable else ""

    def to_json(self) -> dict[str, Any]:
        row = self.request
        return {
            "id": str(row.pk),
            "state": self.state,
            "requires": list_atom_labels(row.atoms),
            "requester": {"id": row.requester, "name": self.person},
            "entity": {
                "id": str(row.entity_id),
                "type": self.record_type,
                "name": self.record if self.named else None,
            },
            "file": {"id": str(row.file_id), "name": self.file if self.file_named else None} if row.file_id else None,
            "passage": str(row.passage) if row.passage and (self.own or self.text is not None) else None,
            "text": self.text,
            "message": self.message,
            "lacks": list_atom_labels(self.lacks),
            "reason": row.reason,
            "until": row.until.isoformat() if row.until else None,
            "extent": row.extent if self.reach_text else None,
            "offers": [{"extent": offer.extent.value, "paragraphs": offer.count} for offer in self.offers],
            "created_at": row.created_at.isoformat(),
            "decided_at": row.decided_at.isoformat() if row.decided_at else None,
        }


def present_request(scope: Scope, row: AccessRequest) -> PresentedRequest:
    """Raises: Http404."""
    found = present_requests(scope, [row])
    if not found:
        raise Http404("Not found.")
    return found[0]


def present_requests(scope: Scope, rows: Iterable[AccessRequest]) -> list[PresentedRequest]:
    """`select_requests` with what belongs to them, as far as the caller is cleared. Left out are those whose record was
    closed to the caller meanwhile.
    """
    rows = list(rows)
    people = {u.pk: str(u) for u in User.objects.filter(pk__in={p for r in rows for p in (r.requester, r.decided_by)})}
    records = {e.pk: e for e in Entity.objects.readable_by(scope).filter(pk__in={r.entity_id for r in rows})}
    files = {f.pk: f for f in File.objects.filter(pk__in={r.file_id for r in rows if r.file_id})}
    outlined = load_outlines(files)
    messages = load_messages(rows)
    wanted = {r.passage for r in rows if r.passage}
    texts = {p.pk: p for p in Paragraph.objects.filter(pk__in=wanted)}
    steward, may_give = is_steward(scope), find_grantable_atoms(scope)
    found = []
    for row in rows:
        record = records.get(row.entity_id)
        if record is None:
            continue
        file = files.get(row.file_id) if row.file_id else None
        own = row.requester == scope.principal
        may_decide = steward and not own
        waits = may_decide and row.state == row.State.OPEN
        passage = texts.get(row.passage) if row.passage else None
        asked = find_asked_passages(scope, row) if waits and row.positions else []
        if passage is not None and passage.file_id == row.file_id:
            asked = [passage]
        message = messages.get(row.pk)
        named = file is not None and is_name_known(scope, file)
        found.append(
            PresentedRequest(
                request=row,
                own=own,
                person=people.get(row.requester, ""),
                record=str(record),
                record_type=record.type_name,
                named=bool(getattr(record, "title", None)),
                file=write_file_name(scope, file) if file else None,
                file_named=named,
                readable=file is not None and file.pk in outlined and outlined[file.pk].shown > 0,
                text="\n\n".join(paragraph.text for paragraph in asked) or None,
                message=message.text if message else (None if row.has_message else ""),
                lacks=() if own or not steward else sorted(frozenset(row.atoms) - may_give),
                may_decide=may_decide,
                decider="" if row.state == row.State.RECALLED else people.get(row.decided_by or 0, ""),
                offers=list_offers(scope, row) if waits else (),
            )
        )
    return found
