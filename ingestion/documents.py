"""What extraction hands on: paragraphs with their place, and what could not be read (design.md §4, Extract).

Nothing here knows a database or a file format. An extraction crosses the boundary of the limited process as JSON: a
head and a row for each paragraph. What comes from there is checked, and ValueError raised for anything else.

The *canonical text* of a document is its paragraphs joined by one blank line. `ParagraphText.start` and `.end` are
offsets into it, and the boxes of a paragraph tie slices of its text to rectangles of a page: together they are the
span map from canonical text to the raw pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from ingestion.boxes import Box, Boxes
from ingestion.picture_reading import WantedPicture

Kind = Literal["heading", "text", "table", "list", "code"]
ReadBy = Literal["", "ocr", "vision"]
KINDS: frozenset[str] = frozenset(get_args(Kind))
READERS: frozenset[str] = frozenset(get_args(ReadBy))
JOIN = "\n\n"
LONGEST_TARGET, LONGEST_WORDS = 2_000, 300  # characters, of a link
MOST_LINKS = 5_000  # of a file


@dataclass(frozen=True, slots=True)
class ParagraphText:
    """One paragraph in reading order.

    page: 1-based, None where the format has no pages. boxes: one per word, in the order of the text; they may lie on
    several pages (a running header is one paragraph with a box on every page that shows it), so a page is cleared
    only when every paragraph with a box on it is. heading_path: the headings above, outermost first, without the
    paragraph itself. lang: ISO 639-1. start, end: span in the canonical text. read_by: "" for the file's own text; else
    who read it off a picture: optical recognition, or a model.
    """

    text: str
    kind: Kind
    page: int | None
    boxes: Sequence[Box]
    heading_path: tuple[str, ...]
    lang: str
    start: int
    end: int
    read_by: ReadBy = ""


@dataclass(frozen=True, slots=True)
class UnreadContent:
    """Something in the file that extraction could not read; it blocks the original (design.md §2.3).

    code: a word for programs. detail: a sentence for people. page: 1-based or None.
    """

    code: str
    detail: str
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """Something about how a file was read, told to who uploaded it and to stewards; it blocks nothing."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file within the file, which becomes a file of its own.

    part: its number, by which it is taken out. name: as its sender gave it. paragraph: the number of the paragraph
    that names it, whose label is that of the name.
    """

    part: int
    name: str
    paragraph: int


@dataclass(frozen=True, slots=True)
class Link:
    """A link of the document. paragraph: the number of the one that holds its target as text, so that who may read that
    may know of it. target: as it is written, LONGEST_TARGET characters at most. words: what it lies on, "" where those
    stand elsewhere.
    """

    paragraph: int
    target: str
    words: str = ""


@dataclass(frozen=True, slots=True)
class Extraction:
    """Everything one file gave.

    strategy: `text`, or `layout` where tables were found. notes: what people should know of how it was read. wanted:
    pictures that nobody has looked at yet. remainder: texts in the bytes of the file that no paragraph shows; they are
    labelled by the same rules, and the original needs their labels too. shown: the bytes are a text of which no word
    and no sign that can hide is missing in the paragraphs; of any other file nothing proves that. unread: a digest of
    what is not text, where there is any. counted: what the file holds as other code counts it (`extract.structure`),
    where that was counted with it; not saved.
    """

    media_type: str
    pages: int | None
    paragraphs: tuple[ParagraphText, ...]
    unaccounted: tuple[UnreadContent, ...]
    strategy: str
    attachments: tuple[Attachment, ...] = ()
    links: tuple[Link, ...] = ()
    notes: tuple[Note, ...] = ()
    wanted: tuple[WantedPicture, ...] = ()
    remainder: tuple[str, ...] = ()
    shown: bool = False
    unread: str = ""
    counted: Mapping[str, Any] | None = None

    @property
    def text(self) -> str:
        """The canonical text."""
        return JOIN.join(paragraph.text for paragraph in self.paragraphs)

    def head_to_json(self) -> dict[str, Any]:
        """All but the paragraphs, which travel row by row."""
        return {
            "media_type": self.media_type,
            "pages": self.pages,
            "strategy": self.strategy,
            "unaccounted": [[u.code, u.detail, u.page] for u in self.unaccounted],
            "attachments": [[a.part, a.name, a.paragraph] for a in self.attachments],
            "links": [[link.paragraph, link.target, link.words] for link in self.links],
            "notes": [[n.code, n.detail] for n in self.notes],
            "wanted": [w.to_json() for w in self.wanted],
            "remainder": list(self.remainder),
            "shown": self.shown,
            "unread": self.unread,
        }

    def rows_to_json(self) -> Iterator[list[Any]]:
        for p in self.paragraphs:
            boxes = p.boxes if isinstance(p.boxes, Boxes) else Boxes(p.boxes)
            yield [p.text, p.kind, p.page, boxes.to_wire(), list(p.heading_path), p.lang, p.read_by]

    @classmethod
    def from_json(cls, head: Any, rows: Iterable[Any]) -> Extraction:
        """Raises ValueError: the other side of the process boundary is not trusted."""
        try:
            paragraphs: list[ParagraphText] = []
            paths: dict[tuple[str, ...], tuple[str, ...]] = {}
            start = 0
            for row in rows:
                paragraph = _read_paragraph(row, start, paths)
                paragraphs.append(paragraph)
                start = paragraph.end + len(JOIN)
            return cls(
                media_type=_read_text(head["media_type"]),
                pages=_read_page(head["pages"]),
                paragraphs=tuple(paragraphs),
                unaccounted=tuple(
                    UnreadContent(_read_text(c), _read_text(d), _read_page(p)) for c, d, p in head["unaccounted"]
                ),
                strategy=_read_text(head["strategy"]),
                attachments=tuple(
                    Attachment(_read_number(part), _read_text(name), _read_number(paragraph, len(paragraphs)))
                    for part, name, paragraph in head.get("attachments", ())
                ),
                links=tuple(
                    Link(
                        _read_number(paragraph, len(paragraphs)),
                        _read_short_text(target, LONGEST_TARGET),
                        _read_short_text(words, LONGEST_WORDS),
                    )
                    for paragraph, target, words in head.get("links", ())[:MOST_LINKS]
                ),
                notes=tuple(Note(_read_text(code), _read_text(detail)) for code, detail in head.get("notes", ())),
                wanted=tuple(map(WantedPicture.from_json, head.get("wanted", ()))),
                remainder=tuple(map(_read_text, head.get("remainder", ()))),
                shown=head.get("shown") is True,
                unread=_read_text(head.get("unread", "")),
            )
        except (KeyError, TypeError, IndexError) as error:
            raise ValueError(f"not an extraction: {error}") from error


def _read_paragraph(row: Any, start: int, paths: dict[tuple[str, ...], tuple[str, ...]]) -> ParagraphText:
    text, kind, page, boxes, path, lang, *more = row
    read_by: Any = more[0] if more else ""  # rows that were kept by an earlier version end before it
    if kind not in KINDS:
        raise ValueError(f"not a kind of paragraph: {kind!r}")
    if read_by not in READERS:
        raise ValueError(f"not who reads: {read_by!r:.40}")
    heading_path = tuple(_read_text(heading) for heading in path)
    return ParagraphText(
        text=_read_text(text),
        kind=kind,
        page=_read_page(page),
        boxes=Boxes.from_json(boxes),
        heading_path=paths.setdefault(heading_path, heading_path),  # thousands of paragraphs share a few paths
        lang=_read_text(lang),
        start=start,
        end=start + len(text),
        read_by=read_by,
    )


def _read_text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"not text: {value!r:.40}")
    return value


def _read_short_text(value: Any, longest: int) -> str:
    text = _read_text(value)
    if len(text) > longest:
        raise ValueError("a text that is too long")
    return text


def _read_page(value: Any) -> int | None:
    if value is not None and (type(value) is not int or value < 0):
        raise ValueError(f"not a page: {value!r:.40}")
    return value


def _read_number(value: Any, below: int = 1 << 31) -> int:
    if type(value) is not int or not 0 <= value < below:
        raise ValueError(f"not a number in range: {value!r:.40}")
    return value
