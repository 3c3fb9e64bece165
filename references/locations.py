"""Where in its target a reference points: ids and numbers that are checked as the person who gives them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.http import Http404
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext

from entities.access import Scope, list_readable_fields
from entities.models import Entity, FieldParagraph
from ingestion.access import get_file_or_404, select_visible_files
from ingestion.listing import build_file_views
from ingestion.models import File, Paragraph
from references.kinds import Kind, LocationType
from references.models import Reference

KEYS: dict[str, tuple[str, ...]] = {
    LocationType.PAGE: ("file", "page"),
    LocationType.SECTION: ("file", "passage"),
    LocationType.MESSAGE: ("session", "message"),
    LocationType.PROPERTY: ("field",),
    LocationType.CHUNK: ("file", "passage"),
}
"""What people may give."""
SHOWN = frozenset({"file", "page", "passage", "session", "message", "field"})
"""What is shown of a place. How far into a text it is, or in which of its versions, would tell of the rest."""


class BadLocation(ValueError):
    """A location that does not exist for the caller. The same answer for hidden and for absent ones."""


@dataclass(frozen=True)
class Location:
    """type: empty for the whole record. label: of the passage that it names, 0 where it names none."""

    type: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)
    label: int = 0
    passage: UUID | None = None


def check_location(scope: Scope, target: Entity, kind: str, detail: Mapping[str, Any]) -> Location:
    """The location in `target`, which the caller got from an access function, as `scope` may see it.

    Raises: BadLocation with a sentence.
    """
    if not kind:
        if detail:
            raise BadLocation(gettext("Say what type of location this is."))
        return Location()
    if kind not in KEYS:
        raise BadLocation(
            gettext("There is no location type %(kind)s. Types are: %(values)s.")
            % {"kind": repr(kind), "values": ", ".join(LocationType.values)}
        )
    unknown = sorted(set(detail) - set(KEYS[kind]))
    if unknown:
        raise BadLocation(
            gettext("A %(kind)s location has no %(unknown)s. It has: %(kind2)s.")
            % {"kind": kind, "unknown": repr(unknown[0]), "kind2": ", ".join(KEYS[kind])}
        )
    if kind == LocationType.PROPERTY:
        return Location(kind, {"field": _read_field(target, detail.get("field"))})
    if kind == LocationType.MESSAGE:
        return Location(kind, {key: str(_read_uuid(detail, key)) for key in KEYS[kind]})
    if kind == LocationType.PAGE:
        return Location(kind, {"file": str(_read_file(scope, target, detail).pk), "page": _read_page(detail)})
    return _read_passage(scope, target, kind, detail)


def _read_field(target: Entity, name: object) -> str:
    known = [*list_readable_fields(target.type_class), *target.type_class.long_texts]
    if name not in known:
        raise BadLocation(gettext("There is no such field. Fields are: %(known)s.") % {"known": ", ".join(known)})
    return str(name)


def _read_file(scope: Scope, target: Entity, detail: Mapping[str, Any]) -> File:
    try:
        file = get_file_or_404(scope, _read_uuid(detail, "file"))
    except Http404:
        file = None
    if file is None or file.entity_id != target.pk:
        raise BadLocation(gettext("The record has no such file, or none that you may see."))
    return file


def _read_page(detail: Mapping[str, Any]) -> int:
    page = detail.get("page")
    if not isinstance(page, int) or isinstance(page, bool) or not 1 <= page <= 1_000_000:
        raise BadLocation(gettext("Give the page as a number from 1."))
    return page


def _read_passage(scope: Scope, target: Entity, kind: str, detail: Mapping[str, Any]) -> Location:
    """A paragraph of a file, or of a long text where no file is given."""
    wanted = _read_uuid(detail, "passage")
    rows: Any
    if detail.get("file"):
        rows = Paragraph.objects.filter(pk=wanted, file=_read_file(scope, target, detail).pk)
    else:
        rows = FieldParagraph.objects.filter(pk=wanted, entity=target.pk)
    label = rows.filter(data_classification__isnull=False).values_list("data_classification", flat=True).first()
    if label is None:
        raise BadLocation(gettext("There is no such passage, or none that you may see."))
    return Location(kind, {key: str(detail[key]) for key in detail}, label, wanted)


def _read_uuid(detail: Mapping[str, Any], key: str) -> UUID:
    try:
        return UUID(str(detail.get(key)))
    except ValueError:
        raise BadLocation(gettext("Give the %(key)s by its id.") % {"key": key}) from None


def list_visible_locations(
    scope: Scope, references: Iterable[Reference], records: Mapping[UUID, Entity]
) -> dict[UUID, Location]:
    """Where those of `references` point whose place the caller may know; the others lead to the record as a whole.

    records: those at the ends, by id. A citation has the label of what it cites. What a person pointed at has no label
    of its own: it is shown as far as the file and the page, or the field, exist for who reads the reference.
    """
    placed = [r for r in references if r.location_type]
    wanted = {r.location_detail["file"] for r in placed if r.kind != Kind.CITATION and "file" in r.location_detail}
    files = select_visible_files(scope).filter(pk__in=wanted) if wanted else []
    pages = {str(view.id): view.pages for view in build_file_views(scope, files)}

    def may_know(reference: Reference) -> bool:
        detail = reference.location_detail
        if reference.kind == Kind.CITATION:
            return True
        if reference.location_type == LocationType.PROPERTY:
            model = records[reference.target_id].type_class
            return detail.get("field") in {*list_readable_fields(model), *model.long_texts}
        file, page = detail.get("file"), detail.get("page")
        return (not file or file in pages) and (not page or page <= (pages.get(file) or 0))

    return {
        r.pk: Location(r.location_type, {key: value for key, value in r.location_detail.items() if key in SHOWN})
        for r in placed
        if may_know(r)
    }


def build_location_url(target: UUID, kind: str, detail: Mapping[str, Any]) -> str:
    """The page that shows a location: the document at the passage, the conversation at the message, or the record."""
    record = reverse("entities:detail", args=[target])
    if kind == LocationType.MESSAGE:
        place = f"?at={detail.get('message')}#m-{detail.get('message')}"
        return _build_address("chat:session", detail.get("session"), place) or record
    if kind == LocationType.PROPERTY:
        return f"{record}#f-{detail.get('field')}"
    file, passage, page = detail.get("file"), detail.get("passage"), detail.get("page")
    if file:
        place = f"?passage={passage}#p-{passage}" if passage else f"#page-{page}" if page else ""
        return _build_address("ingestion:reader", file, place) or record
    return f"{record}#p-{passage}" if passage else record


def _build_address(name: str, key: object, place: str) -> str:
    """The address of a page that another app has, or nothing where it has none."""
    try:
        return reverse(name, args=[key]) + place
    except NoReverseMatch:
        return ""
