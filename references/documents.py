"""References that documents make: a link from one record's file to another record, or to a file of it (docs/adr/0036).

They are made by the service, which sees everything, and shown to who may see both records, the paragraph that the link
stands in, the name by which its target was found, and some paragraph of that target. Of a link that fits several
records there is one to each: leaving them out would tell of those that a reader does not see.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import timedelta
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from entities.access import Scope, combine_many, hold_rows, list_atoms
from entities.models import Alias, Classification, Entity, Source
from ingestion.link_targets import Wanted, build_keys
from ingestion.links import Target, list_places, look_up
from ingestion.models import DocumentLink, File, Paragraph
from references.kinds import Kind, LocationType
from references.models import Reference

AT_ONCE = 500
LOOKED_AT_AGAIN = timedelta(hours=1)
MOST_TARGETS = 20
"""References of one link that fits several records."""


def follow_file(workspace: int, file: UUID, path_before: str = "") -> None:
    """Make references of the links in a file, and of those that lead to it or led to where it stood before. Needs no
    scope open.
    """
    with Scope.for_service(workspace).open():
        path = File.objects.filter(pk=file).values_list("path", flat=True).first()
        if path is None:
            return
        to_path = Q(wanted=Wanted.PATH, key__in=[*build_keys(path), *(build_keys(path_before) if path_before else ())])
        links = DocumentLink.objects.filter(Q(file=file) | to_path | Q(wanted=Wanted.FILE, key=str(file)))
        make_references(list(links.values_list("pk", flat=True)))


def follow_record(workspace: int, entity: UUID) -> None:
    """The same, of the links that lead to a record by its name, its aliases or its page. Needs no scope open."""
    with Scope.for_service(workspace).open():
        name = Entity.objects.filter(pk=entity).values_list("name", flat=True).first()
        if name is None:
            return
        asked: dict[str, list[str]] = {Wanted.TITLE: [name.casefold()], Wanted.RECORD: [str(entity)]}
        for kind, value in Alias.objects.filter(entity=entity).values_list("kind", "value"):
            asked.setdefault(kind, []).extend(build_keys(value) if kind == Wanted.PATH else [value])
        rows: dict[UUID, DocumentLink] = {}
        for wanted, keys in asked.items():
            rows |= _load_links_asking(wanted, keys)
        make_references(list(rows))


def follow_oldest(workspace: int) -> int:
    """Links that nobody has looked at for an hour: what two workers missed of each other, or was lost with one. Returns
    how many. Needs no scope open.
    """
    with Scope.for_service(workspace).open():
        waiting = DocumentLink.objects.filter(looked_at__lt=timezone.now() - LOOKED_AT_AGAIN)
        rows = list(waiting.order_by("looked_at").values_list("pk", flat=True)[:AT_ONCE])
        make_references(rows)
        return len(rows)


def _load_links_asking(wanted: str, keys: Iterable[str]) -> dict[UUID, DocumentLink]:
    return {row.pk: row for row in DocumentLink.objects.filter(wanted=wanted, key__in=list(keys))}


def make_references(links: Collection[UUID]) -> None:
    """Make the references of these links, and no others, in an open service scope. Whoever else is at the same links
    waits, and finds the work done.
    """
    if not links:
        return
    rows = list(hold_rows(DocumentLink.objects.filter(pk__in=links).order_by("pk"), to_change=True))
    wanted = {(r.owner, r.target_id, r.location_detail.get("file")): r for r in _build_references(rows)}
    before = Reference.objects.filter(origin=Reference.Origin.DOCUMENT, owner__in=[row.pk for row in rows])
    known = {(r.owner, r.target_id, r.location_detail.get("file")): r for r in before}
    gone = [r.pk for key, r in known.items() if key not in wanted]
    Reference.objects.filter(pk__in=gone).delete()
    new: list[Reference] = []
    for key, reference in wanted.items():
        old = known.get(key)
        if old is None:
            new.append(reference)
        elif (old.data_classification, old.label) != (reference.data_classification, reference.label):
            Reference.objects.filter(pk=old.pk).update(
                data_classification=reference.data_classification, label=reference.label, changed_at=timezone.now()
            )
    Reference.objects.bulk_create(new, batch_size=AT_ONCE)
    Source.objects.bulk_create(
        [source for reference in new for source in _build_sources(reference)], batch_size=AT_ONCE
    )
    DocumentLink.objects.filter(pk__in=[row.pk for row in rows]).update(looked_at=timezone.now())


def _build_references(rows: Sequence[DocumentLink]) -> list[Reference]:
    """What the links should be. Within one record there are none: its page shows its own files anyway. A link without a
    label has none either, and gets them when its file is published with one.
    """
    places = {place.link: place for place in list_places(rows)}
    open_ = [row for row in rows if row.wanted not in (Wanted.NOTHING, Wanted.ITSELF)]
    open_ = [row for row in open_ if row.data_classification is not None]
    # What is attached to a conversation leads nowhere, and nothing leads to it.
    at = {places[row.pk].entity for row in open_}
    attached = set(Entity.objects.filter(pk__in=at, attached_to__isnull=False).values_list("pk", flat=True))
    open_ = [row for row in open_ if places[row.pk].entity not in attached]
    files = File.objects.filter(revision__isnull=False, entity__attached_to__isnull=True)
    asked = [places[row.pk] for row in open_]
    near = File.objects.filter(entity__in={place.entity for place in asked})
    least_near = _find_least_labels(near.values_list("pk", flat=True))
    hidden = {pk for pk, label in least_near.items() if set(list_atoms(label)) & _load_concealed()}
    hidden |= set(near.exclude(name_classification=0).values_list("pk", flat=True))
    found = look_up(asked, files, Entity.objects.filter(attached_to__isnull=True), hidden)
    least = _find_least_labels({t.file for targets in found.values() for t in targets if t.file})
    made = []
    for row in open_:
        away = [t for t in found[row.pk] if t.entity != places[row.pk].entity and (not t.file or t.file in least)]
        made += [_build_reference(row, places[row.pk].entity, t, least) for t in away[:MOST_TARGETS]]
    return made


def _build_reference(row: DocumentLink, source: UUID, target: Target, least: dict[UUID, int]) -> Reference:
    known = least[target.file] if target.file else 0
    return Reference(
        workspace_id=row.workspace_id,
        source_id=source,
        target_id=target.entity,
        kind=Kind.CROSS_REFERENCE,
        label=row.words,
        data_classification=combine_many([row.data_classification or 0, target.label, known]),
        location_type=LocationType.SECTION if target.file else "",
        location_detail={"file": str(target.file)} if target.file else {},
        origin=Reference.Origin.DOCUMENT,
        owner=row.pk,
        passage=row.paragraph_id,
    )


def _build_sources(reference: Reference) -> list[Source]:
    """The paragraph of the link: a raise of it raises the reference in the same transaction."""
    return [
        Source(
            workspace_id=reference.workspace_id,
            derived=reference.pk,
            entity_id=reference.source_id,
            passage=reference.passage,
        )
    ]


def _find_least_labels(files: Iterable[UUID]) -> dict[UUID, int]:
    """The label, of those of a file's paragraphs, that asks for the fewest clearances: who has them reads something of
    it, so that it exists for them whatever is concealed. Files without a labelled paragraph have none.
    """
    rows = Paragraph.objects.filter(file__in=list(files), data_classification__isnull=False)
    labels: dict[UUID, set[int]] = {}
    for file, label in rows.order_by().values_list("file", "data_classification").distinct():
        labels.setdefault(file, set()).add(int(label or 0))
    return {file: min(known, key=lambda label: (len(list_atoms(label)), label)) for file, known in labels.items()}


def _load_concealed() -> set[int]:
    return set(Classification.objects.filter(conceal=True).values_list("value", flat=True))
