"""Where the words of a question stand in a text, whatever their endings, case and accents."""

import re
import unicodedata
from collections.abc import Iterable
from itertools import pairwise

from text.sentences import find_sentences

WORD_ENDS = re.compile(r"^\W+|(?<=\w)\W++$")
IDEOGRAPHS = (
    "\u2e80-\u2fff\u3005-\u3007\u3041-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Characters written without blanks between them, each a word of its own (`ingestion/migrations/words_apart.sql`)."""
IDEOGRAPH = re.compile(f"[{IDEOGRAPHS}]")
WORD = re.compile(rf"[{IDEOGRAPHS}]|[^\s{IDEOGRAPHS}]+")
NUMBER = re.compile(r"\D?\d{1,3}(?:[,.'’]\d{3})+|\D?\d{4,}")
MARK = "[,.'’]?"
DAY = re.compile(r"d(\d{4})m(\d{1,2})d(\d{1,2})")
"""A day as the index knows it (`ingestion/migrations/dates.sql`)."""
WRITTEN = (
    r"(?<!\d)(?:{y}-0?{m}-0?{d}|0?{d}\.\s?0?{m}\.\s?{y}|0?{d}/0?{m}/{y}|0?{m}/0?{d}/{y}"
    r"|0?{d}(?:st|nd|rd|th|er|\.)?(?:-|\s+(?:day\s+of\s+|of\s+|de\s+)?)[^\W\d_]{{3,12}}\.?,?(?:-|\s+(?:de\s+)?){y}"
    r"|[^\W\d_]{{3,12}}\.?\s+0?{d}(?:st|nd|rd|th)?,?\s+{y})(?!\d)"
)
APART = re.compile(rf"(?<=[{IDEOGRAPHS}]) (?=[{IDEOGRAPHS}])")


def fold_text(text: str) -> str:
    """`text` in lower case without accents, character for character, so that places in both are the same."""
    return "".join(map(_fold_character, text)) if not text.isascii() else text.lower()


def _fold_character(character: str) -> str:
    plain = unicodedata.normalize("NFKD", character)[:1].lower()
    return plain if len(plain) == 1 else character


def format_words(words: Iterable[str]) -> str:
    """Words of a question as people write them."""
    return APART.sub("", " ".join(map(strip_word_ends, words)))


def is_day(lexemes: Iterable[str]) -> bool:
    return any(DAY.fullmatch(lexeme) for lexeme in lexemes)


def strip_word_ends(word: str) -> str:
    """A word without the quotation marks and stops around it; itself where it is nothing else."""
    return WORD_ENDS.sub("", word) or word


class Matcher:
    """Finds the words of a question in texts. stems: word -> the lexemes that the index knows it by."""

    def __init__(self, stems: Iterable[tuple[str, Iterable[str]]]) -> None:
        self.by_word = {word: pattern for word, lexemes in stems if (pattern := _compile_pattern(word, lexemes))}
        self.patterns = list(self.by_word.values())

    def find_words_in(self, text: str, words: Iterable[str]) -> tuple[str, ...]:
        """Those of `words` that stand in a text. The index knows words by their stems, and two words may share one."""
        folded = fold_text(text)
        return tuple(word for word in words if word in self.by_word and self.by_word[word].search(folded))

    def places(self, text: str) -> list[tuple[int, int, int]]:
        """(start, end, number of the word) of the whole words of `text` that words of the question mean, in order."""
        folded = fold_text(text)
        found: dict[tuple[int, int], int] = {}
        for number, pattern in enumerate(self.patterns):
            for match in pattern.finditer(folded):
                found.setdefault(match.span(), number)
        result: list[tuple[int, int, int]] = []
        for (start, end), number in sorted(found.items()):
            if not result or start >= result[-1][1]:
                result.append((start, end, number))
        return result

    def find_best_sentence(self, text: str) -> tuple[int, int] | None:
        """The characters of the sentence that holds most of the words, those that stand as they were asked first."""
        places = self.places(text)
        best: tuple[int, int] | None = None
        most = (0, 0)
        for start, end in find_sentences(text):
            score = compute_closeness(place for place in places if start <= place[0] < end)
            if score > most:
                best, most = (start, end), score
        return best


def compute_closeness(places: Iterable[tuple[int, int, int]]) -> tuple[int, int]:
    """(different words, pairs of words that follow each other as in the question): the more, the better."""
    numbers = [number for _, _, number in places]
    return len(set(numbers)), sum(b == a + 1 for a, b in pairwise(numbers))


def _compile_pattern(word: str, lexemes: Iterable[str]) -> re.Pattern[str] | None:
    """Words that begin with a stem. Stemmers write a final "y" as "i": "party" and "parties" are "parti". Of a stem of
    one or two letters nothing is left to tell words by: in French "fee" is "fe", and so would "February" begin.
    """
    lexemes = list(lexemes)
    if day := next(filter(None, map(DAY.fullmatch, lexemes)), None):
        return re.compile(WRITTEN.format(y=day[1], m=day[2], d=day[3]))
    if IDEOGRAPH.fullmatch(word):
        return re.compile(re.escape(fold_text(word)))
    if grouped := NUMBER.fullmatch(strip_word_ends(word)):
        # However its thousands are marked: the index knows one number.
        digits = re.sub(r"\D", "", grouped.group())
        groups = re.findall(r"\d{1,3}", digits[::-1])
        return re.compile(rf"(?<!\w){MARK.join(group[::-1] for group in reversed(groups))}(?!\d)")
    begins = {fold_text(strip_word_ends(word)), *(fold_text(lexeme) for lexeme in lexemes if len(lexeme) > 2)}
    parts = [_build_pattern(begin) for begin in sorted(begins, key=len, reverse=True) if begin]
    return re.compile(rf"(?<!\w)(?:{'|'.join(parts)})") if parts else None


def _build_pattern(begin: str) -> str:
    if len(begin) == 1:
        return rf"{re.escape(begin)}(?!\w)"
    return rf"{re.escape(begin[:-1])}[iy]\w*" if begin.endswith("i") else rf"{re.escape(begin)}\w*"
