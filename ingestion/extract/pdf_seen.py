"""What of a page of a PDF has to be looked at, because its text says too little, and what is made of it (docs/ocr.md).

A page is read as it says itself where it says enough. It is looked at where it has nothing but a picture, where its
fonts do not say which letters they draw, where its text is no language, where it is drawn and says next to nothing, and
where pictures stand on it. What was seen joins what the page says: a word is never lost, and none is told twice.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ingestion.extract.eyes import LETTERS, PAPER
from ingestion.extract.pdf_words import PageContent, PdfPicture, Word
from ingestion.extract.picture_text import SURE, list_words
from ingestion.picture_reading import PictureReading, Region

ICON = 48.0  # points: smaller pictures are ornaments
COVERED = 5  # words of a text layer under a picture that make it a scan with its text
UNREADABLE = 0.2  # share of characters without a letter
MOST_OF_PAGE = 0.5  # share of the page that pictures cover: the page is a scan, whatever else stands on it
LITTLE = 120  # characters that are next to nothing
DRAWN = 60  # strokes and shapes: so many may be letters that were turned into shapes
ENOUGH = 200  # letters that show whether a text is of a language
VOWELS = re.compile(r"[aeiouyäöüáéíóúàèìòùâêîôûãõåæøœ]", re.I)
LATIN = re.compile(r"[A-Za-zÀ-ɏ]")
WORD = re.compile(r"[^\W_]+")
READABLE = re.compile(r"^[^\x00-\x1f\x7f-\x9f\ufffd\ue000-\uf8ff]*[^\W_]")
AGREES = 0.5  # share of the words of a page that recognition finds too, from which on its text is believed


@dataclass(frozen=True, slots=True)
class Look:
    """What a page wants looked at. why: `scan`, `fonts`, `language`, `asked`, `scan with text`, `drawn` or `pictures`.
    whole: the page, and not only the pictures on it. instead: what is seen takes the place of what the page says; else
    it is added."""

    why: str

    @property
    def whole(self) -> bool:
        return self.why != "pictures"

    @property
    def instead(self) -> bool:
        return self.why in ("scan", "fonts", "language", "asked")


def plan_look(content: PageContent, strategy: str | None) -> Look | None:
    """None where the page says enough itself."""
    if strategy == "text" or not (content.words or content.marks):
        return None
    if strategy in ("ocr", "vision"):
        return Look("asked")
    if not content.words:
        return Look("scan")
    if content.unmapped > UNREADABLE * content.characters:
        return Look("fonts")
    if _is_no_language(content.words):
        return Look("language")
    scans = [picture for picture in content.pictures if not has_text_layer(picture, content.words)]
    covered = max((_measure_visible_area(picture, content) for picture in scans), default=0.0)
    if covered > MOST_OF_PAGE * content.width * content.height:
        return Look("scan with text")
    if content.characters < LITTLE and content.marks - len(content.pictures) > DRAWN:
        return Look("drawn")
    return Look("pictures") if content.pictures or content.drawings else None


def has_text_layer(picture: PdfPicture, words: Iterable[Word]) -> bool:
    inside = (w for w in words if w.invisible and picture.x0 <= w.x0 <= picture.x1 and picture.y0 <= w.y0 <= picture.y1)
    return sum(1 for _ in zip(range(COVERED), inside, strict=False)) == COVERED


def is_ornament(picture: PdfPicture) -> bool:
    return max(picture.x1 - picture.x0, picture.y1 - picture.y0) <= ICON


def _measure_visible_area(picture: PdfPicture, content: PageContent) -> float:
    wide = min(content.width, picture.x1) - max(0.0, picture.x0)
    high = min(content.height, picture.y1) - max(0.0, picture.y0)
    return max(0.0, wide) * max(0.0, high)


def _is_no_language(words: Sequence[Word]) -> bool:
    """Latin letters that make no words: fonts whose table of letters is wrong."""
    text = "".join(word.text for word in words)
    counts = {letter: text.count(letter) for letter in set(text) if LATIN.match(letter)}
    letters = sum(counts.values())
    if letters < ENOUGH or letters < 0.5 * len(text):
        return False
    vowels = sum(count for letter, count in counts.items() if VOWELS.match(letter))
    return not 0.2 < vowels / letters < 0.62


@dataclass(frozen=True, slots=True)
class JoinedPage:
    """A page that was looked at as a whole.

    places: words that tell where those of a model stand: of recognition, else the page's own. leftover: words of the
    page's own text that were not seen. more: words that recognition is sure of and a model that
    looked did not tell. unchecked: a model looked, and nothing else says whether it told everything. blank: there is
    nothing on the page. unread: there is something, and nothing could be made out.
    """

    seen: PictureReading
    leftover: tuple[Word, ...] = ()
    more: tuple[Word, ...] = ()
    unchecked: bool = False
    blank: bool = False
    unread: bool = False
    places: tuple[Word, ...] = ()


def join(content: PageContent, look: Look, seen: PictureReading) -> JoinedPage | None:
    """Makes what was seen the words of the page, beside what it says or instead of it. None where the page's own text
    turned out to be right."""
    found = list_words(seen)
    if look.why == "language" and _share(content.words, found) >= AGREES:
        return None
    if not look.instead and not seen.turned:
        content.words = content.words + [word for word in found if not _is_in_text(word, content.words)]
        return JoinedPage(seen)
    told = Counter(_split_words(seen.text))
    known = _count_words(found) + told
    own = [word for word in content.words if not _is_known(word, known)]
    leftover = tuple(word for word in own if seen.turned or not _is_in_text(word, found))
    unchecked = bool(seen.text) and not seen.width and not content.words
    nothing = sum(len(word.text) for word in found) < LETTERS and not seen.text
    unread = nothing and seen.ink > PAPER
    blank = nothing and not unread and not leftover
    places = tuple(found or content.words) if seen.text else ()
    content.words = [] if seen.text else found
    if seen.turned:
        content.width, content.height = seen.width, seen.height
    sure = {(w.text, round(w.x0), round(w.y0)) for w in seen.words if w.confidence >= SURE} if seen.text else set()
    more = tuple(
        word for word in found if (word.text, round(word.x0), round(word.y0)) in sure and not _is_known(word, told)
    )
    return JoinedPage(seen, leftover, more, unchecked, blank, unread, places)


def list_unsaid_words(own: Sequence[Word], seen: PictureReading) -> list[Word]:
    """What was seen and the page's own text does not say there; once, where pictures lie over each other."""
    unsaid: list[Word] = []
    for word in list_words(seen):
        if not _is_in_text(word, own) and not _is_in_text(word, unsaid):
            unsaid.append(word)
    return unsaid


def is_over_text(word: Word, own: Iterable[Word]) -> bool:
    """Whether it was seen where the page's own text shows a word that can be read: another reading of that one, or
    something that was printed over it."""
    x, y = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
    return any(
        other.x0 <= x <= other.x1
        and other.y0 <= y <= other.y1
        and not other.invisible
        and READABLE.search(other.text) is not None
        for other in own
    )


def find_missing_words(words: Iterable[Word], own: Sequence[Word]) -> tuple[Word, ...]:
    """Words that the page's own text does not say where they stand."""
    return tuple(word for word in words if _split_words(word.text) and not _is_in_text(word, own))


def compute_picture_area(content: PageContent, turned: int) -> Region:
    """Where the pictures of a page lie, turned as its content; the whole page where there are none."""
    pictures = content.pictures if not turned else []
    return (
        max(0.0, min((p.x0 for p in pictures), default=0.0)),
        max(0.0, min((p.y0 for p in pictures), default=0.0)),
        min(content.width, max((p.x1 for p in pictures), default=content.width)),
        min(content.height, max((p.y1 for p in pictures), default=content.height)),
    )


def _split_words(text: str) -> list[str]:
    return [word.lower() for word in WORD.findall(text)]


def _count_words(words: Iterable[Word]) -> Counter[str]:
    return Counter(piece for word in words for piece in _split_words(word.text))


def _is_known(word: Word, bag: Counter[str]) -> bool:
    """Whether all of a word was seen; what holds no letter that is known says nothing."""
    return all(piece in bag for piece in _split_words(word.text))


def _share(words: Sequence[Word], found: Sequence[Word]) -> float:
    bag = _count_words(found)
    pieces = [piece for word in words for piece in _split_words(word.text)]
    return sum(piece in bag for piece in pieces) / len(pieces) if pieces else 0.0


def _is_in_text(word: Word, own: Iterable[Word]) -> bool:
    """Whether the page's own text says the same at the same place."""
    x, y = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
    said = set(_split_words(word.text))
    for other in own:
        if other.x0 - 2 <= x <= other.x1 + 2 and other.y0 - 3 <= y <= other.y1 + 3:
            there = set(_split_words(other.text))
            if said <= there or _is_alike(word.text, other.text):
                return True
    return False


def _is_alike(a: str, b: str) -> bool:
    """Recognition takes letters for others: most of them in common is the same word."""
    common = sum((Counter(a.lower()) & Counter(b.lower())).values())
    return common >= 0.6 * max(len(a), len(b), 1)
