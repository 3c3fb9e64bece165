"""Chunks: the passages that are searched, embedded and cited (design.md §4, Segment, chunk, merge).

Rules, in this order: a chunk lies in one segment, so it has one label, and text of which its readers may not know
leaves no mark on it, not in its id either. A heading starts a chunk. Sentences stay whole, tables are cut between rows
and their header is repeated; only what is too long by itself is cut further. A chunk has `target` characters at most
and, with its heading path, `max_tokens` tokens at most. Where running text had to be cut, the next chunk begins with
the last sentences of the one before, `overlap` characters at most. Neighbours that are both under half the target are
merged, and one that holds next to nothing with either. A heading that the passage under it shows has none of its own.

Identity is that of the content: an edit elsewhere in the document leaves id, row, vector and citations of a chunk as
they were. To that end a chunk also ends before some paragraphs that are chosen by their own digest (the longer, the
likelier), so that the cuts after an insertion fall back into step.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from os.path import commonprefix

from ingestion.lone_headings import drop_repeated_headings
from ingestion.pieces import Span, TextSlice, measure_table_header, split_pieces
from ingestion.segment import (
    Clearances,
    LabelledParagraph,
    Segment,
    find_headings_above,
    list_disclosed_paths,
    list_labels,
    split_segments,
)

TARGET = 900  # characters
OVERLAP = 120  # characters
MAX_TOKENS = 256  # of all-MiniLM-L6-v2, with its two marks
MIN_CHARS = 40  # fewer hold nothing to find
WORTHWHILE = 0.35  # of a full chunk: from there on a paragraph may be chosen to begin the next one
STEP = 3  # one is chosen every three targets of text, on average
PATH_SHARE = 4  # the heading path takes at most a quarter of the tokens
COUNTED_TEXTS = 256  # whose tokens are remembered while a document is cut
SEPARATOR = " > "
LEADERS = re.compile(r"(?:(?<![^\S\n])[^\S\n]++)?(?:[.·…_][^\S\n]?){4,}")


@dataclass(frozen=True, slots=True)
class Chunk:
    """One passage.

    paragraph_ids: all whose text is in it, in order, overlap and repeated table headers included. spans: the same with
    places. heading_path: outermost first, only headings that the label covers. page: 1-based, where its own text
    begins. position: 0-based in the document. digest: sha256 of the text, hexadecimal. identity: uuid5 of file,
    heading path, digest, atoms and the ordinal among equals of the same label. tokens: of `build_embedding_text`.
    """

    text: str
    label: int
    paragraph_ids: tuple[Hashable, ...]
    spans: tuple[Span, ...]
    heading_path: tuple[str, ...]
    page: int | None
    position: int
    digest: str
    identity: uuid.UUID
    tokens: int

    @property
    def embedding_text(self) -> str:
        return build_embedding_text(self.heading_path, self.text)


def estimate_tokens(text: str) -> int:
    """Where no tokenizer is at hand: rather too many than too few for a word-piece vocabulary of English."""
    count = 2
    for word in text.split():
        plain = sum(letter.isascii() and letter.isalpha() for letter in word)
        count += -(-plain // 3) + len(word) - plain
    return count


def build_embedding_text(path: Sequence[str], text: str) -> str:
    """The heading path in front of the text, without headings that the text begins with itself or dots that lead on."""
    shown = [heading for heading in path if heading not in text[: len(heading) + 200].split("\n")]
    text = LEADERS.sub(" ", text)
    return f"{SEPARATOR.join(shown)}\n{text}" if shown else text


def split_into_chunks(
    file_id: uuid.UUID,
    paragraphs: Sequence[LabelledParagraph],
    *,
    clearances: Clearances | None = None,
    target: int = TARGET,
    overlap: int = OVERLAP,
    max_tokens: int = MAX_TOKENS,
    count_tokens: Callable[[str], int] = estimate_tokens,
) -> list[Chunk]:
    """All chunks of a document. `paragraphs` are all of it, in order, unlabelled ones too (they are left out).

    A heading shows in the path of a chunk when its own label is 0 or the chunk's; `None` and other labels leave it out.
    """
    clearances = clearances or Clearances()
    count_tokens = lru_cache(maxsize=COUNTED_TEXTS)(count_tokens)  # paths come again with every piece
    above = find_headings_above([(p.kind, p.text, p.heading_path) for p in paragraphs])
    paths = {label: list_disclosed_paths(paragraphs, above, label, clearances) for label in list_labels(paragraphs)}
    placed: list[tuple[int, Chunk]] = []
    equals: dict[tuple[int, tuple[str, ...], str], int] = {}
    for segment in split_segments(paragraphs, clearances):
        shown = [paths[segment.label][place] for place in segment.places]
        cutter = _Cutter(segment, shown, target, overlap, max_tokens, count_tokens)
        for draft in _merge_small(cutter.build_drafts(), target, cutter):
            text, path = cutter.text(draft), cutter.path(draft)
            digest = hashlib.sha256(text.encode()).hexdigest()
            # Counted among what the same people read: an id must not tell that an equal text stands hidden before it.
            ordinal = equals[segment.label, path, digest] = equals.get((segment.label, path, digest), -1) + 1
            own = [piece for piece in draft.pieces if piece not in draft.borrowed]
            first = (own or draft.pieces)[0]
            made = Chunk(
                text=text,
                label=segment.label,
                paragraph_ids=tuple(dict.fromkeys(cutter.get_member(p).id for p in draft.pieces)),
                spans=tuple(Span(cutter.get_member(p).id, p.start, p.end) for p in draft.pieces),
                heading_path=path,
                page=cutter.get_member(first).page,
                position=0,
                digest=digest,
                # The path that is shown, not the whole one: an id must not confirm a guess at a hidden heading.
                identity=_compute_identity(file_id, path, digest, clearances.get_atoms(segment.label), ordinal),
                tokens=count_tokens(build_embedding_text(path, text)),
            )
            placed.append((segment.places[first.paragraph], made))
    placed.sort(key=lambda found: found[0])  # segments may lie in one another; those of one keep their order
    found = drop_repeated_headings(paragraphs, [made for _, made in placed], clearances)
    return [replace(made, position=position) for position, made in enumerate(found)]


def _compute_identity(
    file_id: uuid.UUID, path: Sequence[str], digest: str, atoms: frozenset[int], ordinal: int
) -> uuid.UUID:
    return uuid.uuid5(file_id, "\x1f".join([*path, digest, *map(str, sorted(atoms)), str(ordinal)]))


@dataclass(slots=True)
class _Draft:
    """A chunk in the making. borrowed: pieces that stand in an earlier chunk too (overlap, repeated table header)."""

    pieces: list[TextSlice] = field(default_factory=list)
    borrowed: set[TextSlice] = field(default_factory=set)

    def add_own(self, *more: TextSlice) -> _Draft:
        return _Draft([*self.pieces, *more], self.borrowed)


class _Cutter:
    """Cuts one segment. Pieces carry the number of their paragraph in it, from 0. paths: of each of its paragraphs."""

    def __init__(
        self,
        segment: Segment,
        paths: Sequence[tuple[str, ...]],
        target: int,
        overlap: int,
        max_tokens: int,
        count_tokens: Callable[[str], int],
    ) -> None:
        self._segment, self._paths = segment, paths
        self._target, self._overlap = target, overlap
        self._max_tokens, self._count = max_tokens, count_tokens

    def get_member(self, piece: TextSlice) -> LabelledParagraph:
        return self._segment.paragraphs[piece.paragraph]

    def build_drafts(self) -> list[_Draft]:
        done: list[_Draft] = []
        current = _Draft()
        for number, paragraph in enumerate(self._segment.paragraphs):
            if current.pieces and self._starts_chunk(paragraph, current):
                done.append(current)
                current = _Draft()
            header = self._find_header(number, paragraph)
            fits_alone = partial(self._fits_alone, number, header, self._find_lead(current))
            cut = list(split_pieces(number, paragraph.text, paragraph.kind, fits_alone))
            for place, piece in enumerate(cut):
                ahead = cut[place : place + 2] if piece == header else [piece]  # a header needs its first row with it
                if self.fits(current.add_own(*ahead)):
                    current.pieces.append(piece)
                    continue
                if current.pieces:
                    done.append(current)
                current = self._begin_chunk(done, piece, header)
                current.pieces.append(piece)
        if current.pieces:
            done.append(current)
        return done

    def _starts_chunk(self, paragraph: LabelledParagraph, current: _Draft) -> bool:
        if paragraph.kind == "heading":
            return any(self.get_member(piece).kind != "heading" for piece in current.pieces)
        text = self.text(current)
        if len(text) < WORTHWHILE * self._target and self._count(text) < WORTHWHILE * self._max_tokens:
            return False
        lot = int.from_bytes(hashlib.sha256(paragraph.text.encode()).digest()[:4])
        return lot < len(paragraph.text) / (STEP * self._target) * 2**32

    def _begin_chunk(self, done: list[_Draft], piece: TextSlice, header: TextSlice | None) -> _Draft:
        """What the next chunk borrows from before: the table's header for its rows, the last sentences for prose."""
        if header is not None:
            top = [*self._find_caption(header), header]
            return _Draft(top, {*top}) if piece.start >= header.end else _Draft()
        best = _Draft()
        if not done or self.get_member(piece).kind in ("table", "code", "heading"):
            return best
        before = done[-1]
        for place in reversed(range(len(before.pieces))):
            last = before.pieces[place]
            if last in before.borrowed or self.get_member(last).kind in ("table", "code", "heading"):
                break
            taken = before.pieces[place:]
            more = _Draft(list(taken), set(taken))
            if len(self.text(more)) > self._overlap or not self.fits(more.add_own(piece)):
                break
            best = more
        return best

    def _find_header(self, number: int, paragraph: LabelledParagraph) -> TextSlice | None:
        """The header of a table, when it is short enough to be repeated."""
        length = measure_table_header(paragraph.text) if paragraph.kind == "table" else 0
        if not length or length > self._target // 2:
            return None
        header = TextSlice(number, 0, length - 1)
        return header if self._count(paragraph.text[: header.end]) <= self._max_tokens // 2 else None

    def _find_caption(self, header: TextSlice) -> list[TextSlice]:
        """The short text right above a table says what its rows are about."""
        above = self._segment.paragraphs[header.paragraph - 1 : header.paragraph]
        short = [p for p in above if p.kind == "text" and len(p.text) <= self._target // 6]
        return [TextSlice(header.paragraph - 1, 0, len(p.text)) for p in short]

    def _find_lead(self, current: _Draft) -> str:
        """The headings right above what comes next, with which it must fit; "" where they would take half of it."""
        if not current.pieces or any(self.get_member(piece).kind != "heading" for piece in current.pieces):
            return ""
        text = self.text(current)
        return f"{text}\n\n" if len(text) <= self._target // 2 and self._count(text) <= self._max_tokens // 2 else ""

    def _fits_alone(self, number: int, header: TextSlice | None, lead: str, part: str) -> bool:
        """Whether a part of paragraph `number` fits a chunk of its own, behind its heading and its table's header."""
        text = self._segment.paragraphs[number].text
        if header is not None and part != text[: header.end]:
            part = f"{self.text(_Draft([*self._find_caption(header), header]))}\n{part}"
        return self._is_within(self._shorten_path(self._find_path_within(number)), f"{lead}{part}")

    def fits(self, draft: _Draft) -> bool:
        return self._is_within(self.path(draft), self.text(draft))

    def _is_within(self, path: tuple[str, ...], text: str) -> bool:
        return len(text) <= self._target and self._count(build_embedding_text(path, text)) <= self._max_tokens

    def _find_path_within(self, number: int) -> tuple[str, ...]:
        """The path of what stands under the paragraph: a heading counts itself."""
        paragraph = self._segment.paragraphs[number]
        return (*self._paths[number], paragraph.text) if paragraph.kind == "heading" else self._paths[number]

    def path(self, draft: _Draft) -> tuple[str, ...]:
        """What all its own paragraphs stand under."""
        common: tuple[str, ...] | None = None
        for number in dict.fromkeys(piece.paragraph for piece in draft.pieces if piece not in draft.borrowed):
            path = self._find_path_within(number)
            common = path if common is None else tuple(commonprefix([common, path]))
        return self._shorten_path(common or ())

    def _shorten_path(self, path: tuple[str, ...]) -> tuple[str, ...]:
        """As much of the innermost path as a quarter of the tokens allows."""
        while path and self._count(SEPARATOR.join(path)) > self._max_tokens // PATH_SHARE:
            path = path[1:]
        return path

    def text(self, draft: _Draft) -> str:
        """Pieces of one paragraph with what stands between them there, where they follow each other."""
        out = ""
        last: TextSlice | None = None
        for piece in draft.pieces:
            text = self.get_member(piece).text
            if last is None:
                out = text[piece.start : piece.end]
            elif piece.paragraph == last.paragraph:
                between = text[last.end : piece.start]
                out += (between if not between.strip() else "\n") + text[piece.start : piece.end]
            else:
                lists = self.get_member(piece).kind == "list" and self.get_member(last).kind == "list"
                out += ("\n" if lists else "\n\n") + text[piece.start : piece.end]
            last = piece
        return out


def _merge_small(drafts: list[_Draft], target: int, cutter: _Cutter) -> list[_Draft]:
    """Neighbours that are both under half the target become one, and one that holds next to nothing joins another; the
    segment keeps them to one label."""
    out: list[_Draft] = []
    for draft in drafts:
        sizes = sorted(len(cutter.text(one)) for one in (*out[-1:], draft))
        if out and (sizes[1] < target / 2 or sizes[0] < MIN_CHARS):
            own = [piece for piece in draft.pieces if piece not in draft.borrowed]
            together = out[-1].add_own(*own)
            if cutter.fits(together):
                out[-1] = together
                continue
        out.append(draft)
    return out
