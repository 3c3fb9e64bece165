"""Which passages show which places of a question."""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from uuid import UUID

from ingestion.models import ContextRow, RowParagraph
from retrieval.evaluation.metrics import JudgedPassage
from retrieval.evaluation.sets import AnswerPlace

RUN = 5
"""Words in a row that are compared; shorter quotes are compared whole."""
SHARE = 0.4
"""Of the shorter of quote and passage, so much must be in the other: of a quote that is cut in two, one half counts."""
WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class ComparedPassage:
    """An index row as places are compared with it. first, last: pages on which its paragraphs begin."""

    row: int
    id: UUID
    file: UUID | None = None
    name: str = ""
    first: int | None = None
    last: int | None = None
    text: str = field(default="", repr=False)

    @cached_property
    def words(self) -> list[str]:
        return split_words(self.text)

    def shows(self, place: AnswerPlace) -> bool:
        if self.name != place.file:
            return False
        if place.quote:
            return shares_words(self.words, split_words(place.quote))
        if place.first is None:
            return True
        last = place.first if place.last is None else place.last
        return self.first is not None and self.first <= last and place.first <= (self.last or self.first)

    def unit(self, kind: str) -> Hashable:
        """A passage without a page or a file is its own."""
        if kind == "page" and self.file and self.first is not None:
            return self.file, self.first
        return self.file if kind == "file" and self.file else self.row


def split_words(text: str) -> list[str]:
    return WORD.findall(text.casefold())


def shares_words(passage: Sequence[str], quote: Sequence[str]) -> bool:
    """Whether a passage and a quote share `SHARE` of the runs of words of the shorter one."""
    length = min(RUN, len(quote))
    if not length or len(passage) < length:
        return False
    ours, theirs = list_word_runs(passage, length), list_word_runs(quote, length)
    return len(ours & theirs) >= SHARE * min(len(ours), len(theirs))


def list_word_runs(words: Sequence[str], length: int) -> set[tuple[str, ...]]:
    return {tuple(words[n : n + length]) for n in range(len(words) - length + 1)}


def choose_unit(places: Sequence[AnswerPlace]) -> str:
    """What ranks are counted in, by the most exact of the places: passages, pages or files."""
    if any(place.quote for place in places):
        return "passage"
    return "page" if any(place.first is not None for place in places) else "file"


def judge_passages(passages: Iterable[ComparedPassage], places: Sequence[AnswerPlace]) -> list[JudgedPassage]:
    """A ranked list against the places of its question."""
    kind = choose_unit(places)
    return [
        JudgedPassage(one.unit(kind), frozenset(n for n, place in enumerate(places) if one.shows(place)))
        for one in passages
    ]


def load_passages(rows: Iterable[int]) -> dict[int, ComparedPassage]:
    """row -> what it is, under the labels of the open scope."""
    found = list(
        ContextRow.objects.filter(number__in=list(rows)).values_list(
            "number", "id", "file_id", "file__name", "page", "text"
        )
    )
    ends = find_last_pages([pk for _, pk, *_ in found])
    return {
        number: ComparedPassage(number, pk, file, name or "", page, ends.get(pk, page), text)
        for number, pk, file, name, page, text in found
    }


def find_last_pages(rows: Sequence[UUID]) -> Mapping[UUID, int]:
    """row -> the last page on which one of its paragraphs begins."""
    links = RowParagraph.objects.filter(row__in=rows, paragraph__page__isnull=False)
    ends: dict[UUID, int] = {}
    for row, page in links.values_list("row_id", "paragraph__page"):
        if page is not None:
            ends[row] = max(page, ends.get(row, page))
    return ends
