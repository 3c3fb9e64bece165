"""The links of a file as one reader may know them: where each leads for them, or why it leads nowhere."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from entities.access import Scope, load_allowed_labels
from entities.api.lists import label_list, list_chips
from entities.models import Classification, Entity
from ingestion.access import select_readable_files, select_visible_files
from ingestion.link_targets import Reason, Wanted, build_anchor_key, build_keys
from ingestion.links import Target, list_places, look_up
from ingestion.models import DocumentLink, File, Paragraph

MOST_TARGETS = 5
"""Of a link that fits several."""
SENTENCES = {
    Reason.ABSENT: gettext_lazy("There is nothing here by that name that you may see."),
    Reason.AMBIGUOUS: gettext_lazy("Several things here fit."),
    Reason.OUTSIDE: gettext_lazy("It leads out of this workspace."),
    Reason.UNSUPPORTED: gettext_lazy("Links of this kind are not followed."),
    Reason.MALFORMED: gettext_lazy("It is not a valid link."),
    Reason.ANCHOR: gettext_lazy("The document is there, the place in it is not, or not for you."),
}
OWN_ANCHOR = re.compile(r"\{#([\w:.-]{1,100})\}\s*\Z")


@dataclass(frozen=True)
class LinkTarget:
    """name: of the file, or of the record. passage: the paragraph that the link's anchor names."""

    entity: UUID
    file: UUID | None
    name: str
    passage: UUID | None = None

    @property
    def url(self) -> str:
        if self.file is None:
            return reverse("entities:detail", args=[self.entity])
        place = f"?passage={self.passage}#p-{self.passage}" if self.passage else ""
        return reverse("ingestion:reader", args=[self.file]) + place


@dataclass(frozen=True)
class LinkView:
    """reason: why it leads nowhere, or not to the place that it names; "" where it leads to its one target. label: None
    where its paragraph has none yet. passage: the paragraph it stands in.
    """

    id: UUID
    passage: UUID
    words: str
    target: str
    targets: Sequence[LinkTarget]
    reason: str
    label: int | None

    @property
    def sentence(self) -> str:
        return str(SENTENCES[Reason(self.reason)]) if self.reason else ""

    @property
    def labels(self) -> Sequence[Classification] | None:
        return list_chips(self.label)

    def to_json(self) -> dict[str, Any]:
        return {
            "id": str(self.id),
            "passage": str(self.passage),
            "words": self.words,
            "target": self.target,
            "labels": None if self.label is None else label_list(self.label),
            "reason": self.reason or None,
            "targets": [
                {
                    "entity": str(t.entity),
                    "file": str(t.file) if t.file else None,
                    "name": t.name,
                    "passage": str(t.passage) if t.passage else None,
                }
                for t in self.targets
            ],
        }


@dataclass(frozen=True)
class Backlink:
    """A file with links to the one that is looked at. count: those that the reader may read."""

    file: UUID
    name: str
    count: int

    @property
    def url(self) -> str:
        return reverse("ingestion:reader", args=[self.file])


def list_links(scope: Scope, file: File) -> list[LinkView]:
    """The links in the paragraphs that the caller may read of a file that they got with `get_file_or_404`."""
    rows = list(DocumentLink.objects.filter(file=file.pk))
    found = load_targets(scope, rows)
    anchors = _load_anchors(scope, file, rows, found)
    names = _load_names(scope, {t for targets in found.values() for t in targets})
    return [_build_view(file, row, found[row.pk], anchors, names) for row in rows]


def load_targets(scope: Scope, rows: Sequence[DocumentLink]) -> dict[UUID, list[Target]]:
    """Where links may lead, among what `scope` sees and of what it may read the names."""
    open_ = [row for row in rows if row.wanted not in (Wanted.NOTHING, Wanted.ITSELF)]
    readable, records = load_allowed_labels(), Entity.objects.visible_to(scope)
    # Before one comes before another: a file whose name is not theirs to read would hide those whose names are.
    files = select_readable_files(scope, select_visible_files(scope)).filter(name_classification__in=readable)
    found = look_up(list_places(open_), files, records) if open_ else {}
    return {row.pk: [t for t in found.get(row.pk, ()) if t.label in readable] for row in rows}


def list_backlinks(scope: Scope, file: File) -> list[Backlink]:
    """Files with links that lead the caller to this one, by name."""
    asked = {Wanted.PATH: [*build_keys(file.path)], Wanted.FILE: [str(file.pk)]}
    rows = [
        row
        for wanted, keys in asked.items()
        for row in DocumentLink.objects.filter(wanted=wanted, key__in=keys).exclude(file=file.pk)
    ]
    seen = select_readable_files(scope, select_visible_files(scope)).filter(pk__in={row.file_id for row in rows})
    seen = seen.filter(name_classification__in=load_allowed_labels())
    names = dict(seen.values_list("pk", "name"))
    found = load_targets(scope, [row for row in rows if row.file_id in names])
    counts: dict[UUID, int] = {}
    for row in rows:
        if [t.file for t in found.get(row.pk, ())] == [file.pk]:
            counts[row.file_id] = counts.get(row.file_id, 0) + 1
    return sorted((Backlink(pk, names[pk], count) for pk, count in counts.items()), key=lambda b: (b.name, str(b.file)))


def _build_view(
    file: File,
    row: DocumentLink,
    found: Sequence[Target],
    anchors: Mapping[tuple[UUID, str], UUID | None],
    names: Mapping[Target, str],
) -> LinkView:
    if row.wanted == Wanted.ITSELF:
        passage = anchors.get((file.pk, row.anchor))
        target = LinkTarget(file.entity_id, file.pk, gettext("this document"), passage)
        return _build_link_view(row, [target], "" if passage or not row.anchor else Reason.ANCHOR)
    if not found:
        gone = Reason.OUTSIDE if row.wanted == Wanted.URL else Reason.ABSENT
        return _build_link_view(row, [], row.reason or gone)
    targets = [
        LinkTarget(t.entity, t.file, names[t], anchors.get((t.file, row.anchor)) if t.file else None)
        for t in found[:MOST_TARGETS]
    ]
    if len(found) > 1:
        return _build_link_view(row, targets, Reason.AMBIGUOUS)
    missing = row.anchor and (found[0].file, row.anchor) in anchors and targets[0].passage is None
    return _build_link_view(row, targets, Reason.ANCHOR if missing else "")


def _build_link_view(row: DocumentLink, targets: Sequence[LinkTarget], reason: str) -> LinkView:
    return LinkView(row.pk, row.paragraph_id, row.words, row.target, targets, str(reason), row.data_classification)


def _load_names(scope: Scope, targets: Iterable[Target]) -> dict[Target, str]:
    targets = list(targets)
    files = dict(File.objects.filter(pk__in={t.file for t in targets if t.file}).values_list("pk", "name"))
    records = Entity.objects.readable_by(scope).filter(pk__in={t.entity for t in targets if not t.file})
    titles = {entity.pk: str(entity) for entity in records}
    return {t: files[t.file] if t.file else titles.get(t.entity, "") for t in targets}


def _load_anchors(
    scope: Scope, file: File, rows: Sequence[DocumentLink], found: Mapping[UUID, Sequence[Target]]
) -> dict[tuple[UUID, str], UUID | None]:
    """(file, anchor) → the heading or the mark that it names, among those that the caller may read; None where there is
    none. Only formats whose anchors are read have an entry.
    """
    asked: dict[UUID, set[str]] = {}
    for row in rows:
        if row.anchor:
            files = [file.pk] if row.wanted == Wanted.ITSELF else [t.file for t in found[row.pk] if t.file]
            for pk in files:
                asked.setdefault(pk, set()).add(row.anchor)
    told = File.objects.filter(pk__in=asked, media_type="text/markdown", revision__isnull=False)
    known: dict[tuple[UUID, str], UUID | None] = {
        (pk, a): None for pk in told.values_list("pk", flat=True) for a in asked[pk]
    }
    headings = Paragraph.objects.filter(file__in={pk for pk, _ in known}, data_classification__isnull=False)
    for pk, holder, kind, text in headings.order_by("-position").values_list("pk", "file", "kind", "text"):
        for anchor in asked[holder]:
            if kind == "heading" and _is_named(text, anchor) or f'id="{anchor}"' in text or f'name="{anchor}"' in text:
                known[holder, anchor] = pk
    return known


def _is_named(heading: str, anchor: str) -> bool:
    """As GitHub names headings, punctuation aside; the number that tells equal ones apart leads to the first."""
    own = OWN_ANCHOR.search(heading)
    if own is not None:
        return own[1] == anchor
    plain, wanted = build_anchor_key(heading), build_anchor_key(anchor)
    return plain == wanted or (plain != "" and plain == build_anchor_key(re.sub(r"-\d+\Z", "", anchor)))


SHOWN = 100
"""Links of a kind that a page shows; the API gives all."""


@dataclass(frozen=True)
class LinkPanel:
    """leading, broken, outside: the links of each kind, at most SHOWN. counts: how many there are of each."""

    leading: Sequence[LinkView]
    broken: Sequence[LinkView]
    outside: Sequence[LinkView]
    counts: tuple[int, int, int]
    back: Sequence[Backlink]


def link_panel(scope: Scope, file: File) -> LinkPanel:
    views = list_links(scope, file)
    outside = [view for view in views if view.reason in (Reason.OUTSIDE, Reason.UNSUPPORTED)]
    leading = [view for view in views if not view.reason]
    broken = [view for view in views if view.reason and view not in outside]
    counts = len(leading), len(broken), len(outside)
    return LinkPanel(leading[:SHOWN], broken[:SHOWN], outside[:SHOWN], counts, list_backlinks(scope, file)[:SHOWN])
