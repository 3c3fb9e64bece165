"""Links between documents (docs/adr/0036): what is kept of them, and where each leads for whoever asks.

Nothing is stored of where a link leads. It is looked up among what the asker sees, whenever they look: a target that
they may not see is absent, one that comes is there at once, one that goes is gone. Two targets of which the asker sees
one are one. What others may learn of a link they learn through `references`, which asks as the service and labels what
it finds.
"""

import uuid
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q, QuerySet
from django.db.models.functions import Lower

from entities.models import Alias, Entity, Workspace
from ingestion.documents import MOST_LINKS, Extraction, Link
from ingestion.folder_addresses import convert_to_path, list_addresses
from ingestion.index import BATCH
from ingestion.link_targets import (
    Wanted,
    build_title_address,
    find_bare_addresses,
    find_titles,
    list_variants,
    read_target,
)
from ingestion.models import DocumentLink, File, FileRevision
from ingestion.work import SegmentedFile, Work


@dataclass(frozen=True)
class Target:
    """What a link may lead to. file: None for a record as a whole. label: of the name by which it was found; knowing
    that the link leads here is knowing that name.
    """

    entity: UUID
    file: UUID | None
    label: int


@dataclass(frozen=True)
class LinkPlace:
    """Where a link stands, without its text: what looking up its target needs."""

    link: UUID
    file: UUID
    entity: UUID
    wanted: str
    key: str


def publish_links(work: Work, extraction: Extraction, segmented: SegmentedFile, *, is_first: bool = False) -> None:
    """Make the links of a file those of the revision that is being published, in its transaction. Those that stay are
    not touched; their labels follow their paragraphs by themselves. is_first: the file has none yet.
    """
    links = list_all_links(extraction)
    if not links and is_first:
        return
    if not links:
        DocumentLink.objects.filter(file=work.file)._raw_delete("default")
        return
    path = File.objects.values_list("path", flat=True).get(pk=work.file)
    sent = FileRevision.objects.values_list("addresses", flat=True).get(pk=work.claim.revision)
    addresses = list_addresses(sent, work.collection)
    slug = Workspace.objects.values_list("slug", flat=True).get(pk=work.workspace)
    wanted: dict[UUID, DocumentLink] = {}
    for position, link in enumerate(links):
        paragraph = segmented.paragraphs[link.paragraph]
        title = link.target[2:-2] if link.target.startswith("[[") else ""
        address = build_title_address(title) if title else read_target(link.target, path, slug)
        if address is None:
            continue
        address = convert_to_path(address, addresses)
        pk = uuid.uuid5(paragraph.id, f"{link.target} {link.words}")
        wanted.setdefault(
            pk,
            DocumentLink(
                id=pk,
                workspace_id=work.workspace,
                file_id=work.file,
                paragraph_id=paragraph.id,
                position=position,
                data_classification=paragraph.label,
                floor=paragraph.floor,
                target=link.target,
                words=link.words,
                wanted=address.wanted,
                key=address.key,
                anchor=address.anchor,
                reason=address.reason,
            ),
        )
    before = {row.pk: row for row in DocumentLink.objects.filter(file=work.file)}
    DocumentLink.objects.filter(pk__in=[pk for pk in before if pk not in wanted])._raw_delete("default")
    moved = [row for pk, row in wanted.items() if pk in before and is_different(row, before[pk])]
    DocumentLink.objects.bulk_update(moved, COLUMNS, batch_size=BATCH)
    DocumentLink.objects.bulk_create([row for pk, row in wanted.items() if pk not in before], batch_size=BATCH)


COLUMNS = ("position", "wanted", "key", "anchor", "reason")


def is_different(row: DocumentLink, before: DocumentLink) -> bool:
    return any(getattr(row, column) != getattr(before, column) for column in COLUMNS)


def list_all_links(extraction: Extraction) -> list[Link]:
    """Those that the format marks as links, then web addresses and titles in double brackets that stand in the text."""
    known: dict[int, list[str]] = {}
    for link in extraction.links:
        known.setdefault(link.paragraph, []).append(link.target)
    found = list(extraction.links)
    for number, paragraph in enumerate(extraction.paragraphs):
        marked = known.get(number, ())
        if "://" in paragraph.text:
            bare = [url for url in find_bare_addresses(paragraph.text) if not any(url in target for target in marked)]
            found += [Link(number, url) for url in bare]
        if "[[" in paragraph.text and paragraph.kind != "code":
            found += [Link(number, f"[[{title}]]", words) for title, words in find_titles(paragraph.text)]
    return sorted(found, key=lambda link: link.paragraph)[:MOST_LINKS]


def list_places(links: Iterable[DocumentLink]) -> list[LinkPlace]:
    links = list(links)
    records = dict(File.objects.filter(pk__in={link.file_id for link in links}).values_list("pk", "entity"))
    return [LinkPlace(link.pk, link.file_id, records[link.file_id], link.wanted, link.key) for link in links]


def look_up(
    places: Sequence[LinkPlace], files: QuerySet[File], records: QuerySet[Entity], hidden: Container[UUID] = ()
) -> dict[UUID, list[Target]]:
    """What each link may lead to, among `files` and `records`. Files of the record that the link stands in come before
    those of others; not where they are `hidden` from some, for whom the others are what it leads to.
    """
    asked: dict[str, set[str]] = {}
    for place in places:
        asked.setdefault(place.wanted, set()).update(
            list_variants(place.key) if place.wanted == Wanted.PATH else [place.key]
        )
    seen = _load_files(asked, files)
    known = _load_records(asked, records)
    found: dict[UUID, list[Target]] = {}
    for place in places:
        if place.wanted == Wanted.PATH:
            paths = list_variants(place.key)
            among = [(entity, target) for path in paths for entity, target in seen.get(path, ())]
            near = [target for entity, target in among if entity == place.entity]
            whole = place.key.startswith("/")
            far = [target for entity, target in among if whole and entity != place.entity]
            named = [target for path in paths for target in known.get((Wanted.PATH, path), ()) if whole]
            targets = near if any(t.file not in hidden for t in near) else [*near, *far, *named]
        elif place.wanted == Wanted.FILE:
            targets = [target for _, target in seen.get(place.key, ())]
        else:
            targets = known.get((place.wanted, place.key), [])
        found[place.link] = list(dict.fromkeys(targets))
    return found


def _load_files(asked: dict[str, set[str]], files: QuerySet[File]) -> dict[str, list[tuple[UUID, Target]]]:
    """By path and by id."""
    wanted = Q(path__in=asked.get(Wanted.PATH, ())) | Q(pk__in=asked.get(Wanted.FILE, ()))
    found: dict[str, list[tuple[UUID, Target]]] = {}
    if not asked.keys() & {Wanted.PATH, Wanted.FILE}:
        return found
    rows = files.filter(wanted).order_by("pk").values_list("pk", "entity", "path", "name_classification")
    for pk, entity, path, label in rows:
        for key in (path, str(pk)):
            found.setdefault(key, []).append((entity, Target(entity, pk, label)))
    return found


def _load_records(asked: dict[str, set[str]], records: QuerySet[Entity]) -> dict[tuple[str, str], list[Target]]:
    """By (what was asked for, key): aliases of records, their names and their ids."""
    found: dict[tuple[str, str], list[Target]] = {}

    def add_target(wanted: str, key: str, entity: UUID, label: int) -> None:
        found.setdefault((wanted, key), []).append(Target(entity, None, label))

    for kind in (Wanted.PATH, Wanted.URL, Wanted.TITLE):
        if keys := asked.get(kind):
            rows = Alias.objects.filter(kind=kind, value__in=keys, entity__in=records.values("pk"))
            for key, entity, label in rows.values_list("value", "entity", "entity__name_classification"):
                add_target(kind, key, entity, label)
    if keys := asked.get(Wanted.TITLE):
        named = records.annotate(lowered=Lower("name")).filter(lowered__in=keys)
        for key, entity, label in named.values_list("lowered", "pk", "name_classification"):
            add_target(Wanted.TITLE, key, entity, label)
    if keys := asked.get(Wanted.RECORD):
        for entity in records.filter(pk__in=keys).values_list("pk", flat=True):
            add_target(Wanted.RECORD, str(entity), entity, 0)
    return found
