"""A file as a caller may know it: one value for pages and API."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.urls import reverse

from entities.api.lists import build_redacted_json, list_atom_labels
from entities.versions import build_version
from ingestion.extract.sniff import PDF


@dataclass(frozen=True)
class LabelCount:
    """Paragraphs with one label that the caller may read. chips: its atoms; None for not labelled."""

    chips: Sequence[Any] | None
    count: int


@dataclass(frozen=True)
class StageDone:
    """A finished step. count: pages, paragraphs or passages that came out of it. seconds: None where not known."""

    stage: str
    count: int | None
    seconds: float | None


@dataclass(frozen=True)
class FileOrigin:
    """The file that a file came in as an attachment, as far as the caller may know. readable: has text for them."""

    id: UUID
    name: str
    readable: bool

    @property
    def url(self) -> str:
        return reverse("ingestion:reader", args=[self.id]) if self.readable else ""


@dataclass(frozen=True)
class FileView:
    """A file as the caller may know it.

    name: what stands in its place where it is not `named` (`write_file_name`); name_requires: what it needs, where that
    may be told. size, pages: of the original for stewards and whoever uploaded the newest revision that they know of;
    for all others no size and the last page that shows, whether or not there is more, so that they do not tell; None
    where there is no such text yet. progress: 0 for others until it is
    ready, for the steps in which it grows would tell of pages. error: why it ended badly, or waits; its sentence tells
    others the kind of problem only, no numbers. labels: atoms of what is readable or acknowledged in it. outcome: what
    came out, by label. stages: how it was worked on, told to whom the size of the original is; the API leaves them out.
    notes: how it was read, told to the same. unaccounted: what could not be read of it, told to stewards. strategy: how
    it is to be read. page, page_count: what is being read; cost:
    USD so far; told to whom the size is told, on pages only. folders: in which it stood, outermost first, where
    its name is readable. version: the key of the version that all this is told of. origin: None also where the caller
    may not know of it. looks_like: why all of it is kept, where it is and the caller is told how it was read. url: of
    the reader, "" where there is nothing to read; the other addresses are "" where the caller may not.
    """

    id: UUID
    name: str
    media_type: str
    size: int | None
    state: str
    stage: str
    progress: int
    error: dict[str, Any] | None
    pages: int | None
    entity: UUID
    collection: str
    labels: tuple[int, ...]
    revision: int
    named: bool = True
    name_requires: tuple[int, ...] = ()
    outcome: Sequence[LabelCount] = ()
    collection_title: str = ""
    in_default: bool = False
    may_retry: bool = False
    may_delete: bool = False
    may_reread: bool = False
    stages: Sequence[StageDone] = ()
    origin: "FileOrigin | None" = None
    strategy: str = "auto"
    notes: Sequence[Mapping[str, str]] = ()
    unaccounted: Sequence[Mapping[str, Any]] = ()
    page: int | None = None
    page_count: int | None = None
    cost: Decimal = Decimal(0)
    attachments: int = 0
    folders: Sequence[str] = ()
    version: UUID | None = None
    looks_like: str = ""

    # Addresses of pages, which only pages ask for.

    @property
    def key(self) -> str:
        return str(self.id)

    @property
    def url(self) -> str:
        return reverse("ingestion:reader", args=[self.id]) if self.outcome or self.has_details else ""

    @property
    def has_details(self) -> bool:
        """Whether there is something to know of how it was read, although there may be no text."""
        return bool(self.unaccounted or self.notes)

    @property
    def is_pdf(self) -> bool:
        """Whether it can be seen page by page."""
        return self.media_type == PDF

    @property
    def status_url(self) -> str:
        return reverse("ingestion:file_row", args=[self.id])

    @property
    def retry_url(self) -> str:
        return reverse("ingestion:retry", args=[self.id]) if self.may_retry else ""

    @property
    def delete_url(self) -> str:
        return reverse("ingestion:delete", args=[self.id]) if self.may_delete else ""

    @property
    def reading_url(self) -> str:
        """Where another way of reading is chosen."""
        return f"{reverse('ingestion:versions', args=[self.id])}#reading" if self.may_reread else ""

    @property
    def path(self) -> str | None:
        return "/".join([*self.folders, self.name]) if self.folders else None

    def list_values(self) -> dict[str, object]:
        """What its version stands for: what people change. How far it has been read changes by itself."""
        return {"path": self.path, "strategy": self.strategy, "revision": self.revision}

    def to_json(self) -> dict[str, Any]:
        """The file object of design §11."""
        return {
            "id": str(self.id),
            "version": build_version(self.list_values()),
            "name": self.name if self.named else None,
            "path": self.path,
            "media_type": self.media_type,
            "size": self.size,
            "state": self.state,
            "stage": self.stage,
            "progress": self.progress,
            "error": self.error,
            "pages": self.pages,
            "entity": str(self.entity),
            "collection": self.collection,
            "labels": list_atom_labels(self.labels),
            "revision": self.revision,
            "origin": str(self.origin.id) if self.origin else None,
            "strategy": self.strategy,
            "redacted": build_redacted_json("name", self.name_requires),
            "notes": [dict(note) for note in self.notes],
            "unaccounted": [dict(missed) for missed in self.unaccounted],
        }
