"""One question's passages beside their pages, as the caller may see them: through the gates of search and reader."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import Http404

from entities.access import Scope
from entities.api.lists import list_chips
from ingestion.access import get_file_or_404
from ingestion.listing import build_file_view
from ingestion.models import ContextRow, Paragraph
from ingestion.pages import ShownBlock, build_sections
from ingestion.reader import Block, TextBlock, list_blocks, mark_citation, resolve_cited
from retrieval.audit import list_disclosed, note_search
from retrieval.cards import Card
from retrieval.evaluation.rankings import FUSED, LEXICAL, VECTOR, list_branches
from retrieval.evaluation.relevance import ComparedPassage, load_passages
from retrieval.models import EvaluationQuestion
from retrieval.query import Within, prepare_query
from retrieval.rerank import rerank_hits, select_shortlist
from retrieval.results import SearchResult
from retrieval.search import FoundHits, choose_results, drop_hidden_since, find_hits, list_notices

SHOWN = 20
AROUND = 12
"""Blocks on either side of a passage, in a file without pages."""


@dataclass(frozen=True)
class BenchLine:
    """A passage. place: as a page of results would show it, from 1. ranks: in each list, None where it is not. answers:
    whether it shows a place of the question.
    """

    place: int
    card: Card
    vector: int | None
    lexical: int | None
    fused: int | None
    answers: bool
    chosen: bool

    @property
    def result(self) -> SearchResult:
        return self.card.result


@dataclass(frozen=True)
class ExpectedPlace:
    """A place that answers the question, in a file that the caller may see. ranks: the first of each list that shows
    it.
    """

    name: str
    url: str
    first: int | None
    last: int | None
    vector: int | None
    lexical: int | None
    fused: int | None


@dataclass(frozen=True)
class BenchPage:
    """The page on which a passage stands; in a file without pages, what stands around it."""

    name: str
    url: str
    number: int | None
    sections: Sequence[ShownBlock]


@dataclass(frozen=True)
class Bench:
    """What a question gets. expected: where the answer to one of a set stands. page: of the passage `chosen`."""

    text: str
    question: EvaluationQuestion | None
    lines: Sequence[BenchLine] = ()
    expected: Sequence[ExpectedPlace] = ()
    page: BenchPage | None = None
    chosen: BenchLine | None = None
    notices: Sequence[str] = ()

    @property
    def question_chips(self) -> list[Any] | None:
        return list_chips(self.question.data_classification) if self.question else []


def look_at(scope: Scope, text: str, files: Sequence[str]) -> tuple[FoundHits, FoundHits]:
    """What a question finds, fused and as the workspace's reranker orders it. Opens the scope itself."""
    asked = prepare_query(text, scope)
    with scope.open():
        found = find_hits(scope, asked, within=build_within(files))
        short = select_shortlist(found)
    return found, rerank_hits(scope, found, short)


def build_within(files: Sequence[str]) -> Within:
    return Within(files=[UUID(pk) for pk in files])


def build_bench(
    scope: Scope,
    found: FoundHits,
    ordered: FoundHits,
    question: EvaluationQuestion | None,
    row: UUID | None,
    started: float,
) -> Bench:
    """In the open scope; found, ordered: as `look_at` gives them. row: the passage whose page is shown; the first where
    it is not among what was found. started: `time.monotonic()` from before the search.
    """
    if not found.query.text:
        return Bench("", question)
    found, ordered = drop_hidden_since(scope, found), drop_hidden_since(scope, ordered)
    results = choose_results(scope, ordered, limit=SHOWN)
    note_search(
        scope, "page", ordered, build_within(question.files if question else ()), list_disclosed(results), started
    )
    ranks = {name: {row: n for n, row in enumerate(rows, start=1)} for name, rows in list_branches(found).items()}
    numbers = dict(ContextRow.objects.filter(pk__in=[result.id for result in results]).values_list("pk", "number"))
    passages = load_passages({*numbers.values(), *(hit.row for hit in found.hits)} if question else set())
    places = question.places if question else []
    chosen = next((result.id for result in results if result.id == row), results[0].id if results else None)
    lines = [
        BenchLine(
            n,
            Card(result),
            vector=ranks[VECTOR].get(numbers[result.id]),
            lexical=ranks[LEXICAL].get(numbers[result.id]),
            fused=ranks[FUSED].get(numbers[result.id]),
            answers=any(_shows_place(passages.get(numbers[result.id]), place) for place in places),
            chosen=result.id == chosen,
        )
        for n, result in enumerate(results, start=1)
        if result.id in numbers
    ]
    current = next((line for line in lines if line.chosen), None)
    return Bench(
        found.query.text,
        question,
        lines,
        list(_list_expected(scope, places, ranks, passages.values())),
        find_page(scope, current.result) if current else None,
        current,
        list_notices(ordered),
    )


def _shows_place(passage: ComparedPassage | None, place: Mapping[str, Any]) -> bool:
    """As `Passage.shows`, for a place as it is kept."""
    if passage is None or str(passage.file) != place["file"]:
        return False
    if "rows" in place:
        return str(passage.id) in place["rows"]
    if "page" not in place:
        return True
    last = place.get("to", place["page"])
    return passage.first is not None and passage.first <= last and place["page"] <= (passage.last or passage.first)


def _list_expected(
    scope: Scope,
    places: Sequence[Mapping[str, Any]],
    ranks: Mapping[str, Mapping[int, int]],
    found: Iterable[ComparedPassage],
) -> Iterable[ExpectedPlace]:
    """A place in a file that the caller may not see is left out without a word, and so is the number of a page of which
    they read nothing: it may be of concealed text.
    """
    passages = list(found)
    for place in places:
        try:
            view = build_file_view(scope, get_file_or_404(scope, place["file"]))
        except Http404:
            continue
        first = place.get("page")
        last = place.get("to")
        if first is not None and not Paragraph.objects.filter(file=place["file"], page__range=(first, last or first)):
            first = last = None
        rows = [passage.row for passage in passages if _shows_place(passage, place)]
        best = {name: min((of[row] for row in rows if row in of), default=None) for name, of in ranks.items()}
        yield ExpectedPlace(view.name, view.url, first, last, best[VECTOR], best[LEXICAL], best[FUSED])


def find_page(scope: Scope, result: SearchResult) -> BenchPage | None:
    """The reader's text of a passage's page, as the caller may read it; None for text that is of no file."""
    if result.file is None:
        return None
    file = get_file_or_404(scope, result.file.id)
    found = mark_citation(list_blocks(scope, file), resolve_cited(file, row=str(result.id)))
    view = build_file_view(scope, file)
    return BenchPage(view.name, result.url, result.page, build_sections(select_page_blocks(found, result.page)))


def select_page_blocks(found: Sequence[Block], page: int | None) -> Sequence[Block]:
    """The blocks of a page; without pages, those near the first cited one."""
    if page is not None:
        return [block for block in found if block.page == page or _is_cited(block)]
    at = next((n for n, block in enumerate(found) if _is_cited(block)), 0)
    return found[max(0, at - AROUND) : at + AROUND + 1]


def _is_cited(block: Block) -> bool:
    return isinstance(block, TextBlock) and block.cited
