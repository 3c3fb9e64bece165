"""A run: every question of a set asked once, as one reader, and what came of it."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from entities.access import Scope
from ingestion.access import select_visible_files
from retrieval.evaluation.baseline import BASELINE, Baseline, index_passages
from retrieval.evaluation.metrics import (
    JudgedPassage,
    RankingFigures,
    Silence,
    compute_figures,
    compute_mean,
    compute_silence,
    count_gains,
    find_first_gain,
)
from retrieval.evaluation.rankings import RANKINGS, SHOWN, Rankings, rank_passages
from retrieval.evaluation.relevance import ComparedPassage, judge_passages, load_passages
from retrieval.evaluation.sets import QuestionSet, SetQuestion
from retrieval.query import PreparedQuery, Within, prepare_query

Say = Callable[[str], None]


@dataclass(frozen=True)
class QuestionOutcome:
    """One question. judged: row -> what it shows of the places, of all that was found. shown_by: number of a place ->
    ids of the index rows that show it.
    """

    question: SetQuestion
    found: Rankings
    judged: Mapping[int, JudgedPassage]
    shown_by: Mapping[int, Sequence[UUID]]

    def count_gains(self, ranking: str) -> list[int]:
        return self.compute_gains(self.found.rows[ranking])

    def compute_gains(self, rows: Iterable[int]) -> list[int]:
        """Of any order of rows that were found."""
        return count_gains(self.judged[row] for row in rows if row in self.judged)

    def figures(self, ranking: str) -> RankingFigures:
        """Raises: ValueError for a question without places."""
        if not self.question.places:
            raise ValueError("a question without an answer has no figures")
        return compute_figures(self.count_gains(ranking), len(self.question.places), far=ranking != SHOWN)

    def first(self, ranking: str) -> int | None:
        return find_first_gain(self.count_gains(ranking))


@dataclass(frozen=True)
class RunMeasurement:
    """figures: ranking -> means over the answerable questions. files: name -> files that the reader sees. lost: names
    of those that they do not see.
    """

    outcomes: Sequence[QuestionOutcome]
    figures: Mapping[str, RankingFigures]
    silence: Silence | None
    files: Mapping[str, Sequence[UUID]]
    lost: Sequence[str]
    seconds: float


def measure_set(scope: Scope, given: QuestionSet, say: Say = lambda text: None, *, model: str = "") -> RunMeasurement:
    """Ask all questions as `scope`, which is not open yet; each in transactions of its own, so a long run holds none.

    model: the embedding model to ask by, in the place of the one in use. Raises: ValueError for a set without an
    answerable question, and where the model does not answer: figures without meaning would read as a drop.
    """
    if not any(question.places for question in given.questions):
        raise ValueError(f"{given.name} has no question with an answer, beside which those without could be held.")
    begun = time.monotonic()
    known: dict[int, ComparedPassage] = {}
    with scope.open():
        files = find_files(scope, given)
    baseline = index_passages(scope, [question.text for question in given.questions])
    lost = sorted(list_all_names(given) - set(files))
    outcomes = []
    for number, question in enumerate(given.questions, start=1):
        if number % 100 == 0:
            say(f"{number} of {len(given.questions)} questions")
        query = prepare_query(question.text, scope, model=model)
        if query.text and not query.vector:
            raise ValueError(
                f"{query.model_id} gave no vector of question {question.id}: by words alone is another search."
            )
        outcomes.append(ask_question(scope, question, query, files, known, baseline))
    answered = [one for one in outcomes if one.question.places]
    return RunMeasurement(
        outcomes,
        {ranking: compute_mean([one.figures(ranking) for one in answered]) for ranking in RANKINGS},
        compute_silence(
            [one.found.nearest for one in answered],
            [one.found.nearest for one in outcomes if not one.question.answerable],
        ),
        files,
        lost,
        time.monotonic() - begun,
    )


def list_all_names(given: QuestionSet) -> set[str]:
    """Files that questions speak of."""
    return {name for question in given.questions for name in list_names(question)}


def list_names(question: SetQuestion) -> set[str]:
    """Files that a question is answered in, or asked of."""
    return {*question.files, *(place.file for place in question.places)}


def find_files(scope: Scope, given: QuestionSet) -> dict[str, tuple[UUID, ...]]:
    """Name -> files by that name, as the reader sees them: one that they do not see is one that is not there."""
    found: dict[str, tuple[UUID, ...]] = {}
    readable = select_visible_files(scope).filter(name__in=list_all_names(given), revision__isnull=False)
    for pk, name in readable.order_by("pk").values_list("pk", "name"):
        found[name] = (*found.get(name, ()), pk)
    return found


def ask_question(
    scope: Scope,
    question: SetQuestion,
    query: PreparedQuery,
    files: Mapping[str, Sequence[UUID]],
    known: dict[int, ComparedPassage],
    baseline: Baseline,
) -> QuestionOutcome:
    """Opens the scope itself. known: passages seen before, which are not read again."""
    narrowed = [pk for name in question.files for pk in files.get(name, ())]
    if question.files and not narrowed:
        found = Rankings(dict.fromkeys(RANKINGS, ()), None)
    else:
        found = rank_passages(scope, query, Within(files=narrowed))
        found = replace(found, rows={**found.rows, BASELINE: baseline.rank(question.text, narrowed)})
    rows = sorted({row for ranked in found.rows.values() for row in ranked})
    with scope.open():
        known.update(load_passages(set(rows) - set(known)))
    passages = [known[row] for row in rows if row in known]
    judged = judge_passages(passages, question.places)
    return QuestionOutcome(
        question,
        found,
        {passage.row: one for passage, one in zip(passages, judged, strict=True)},
        _list_retrieved(passages, judged),
    )


def _list_retrieved(passages: Iterable[ComparedPassage], judged: Iterable[JudgedPassage]) -> dict[int, list[UUID]]:
    shown: dict[int, list[UUID]] = {}
    for passage, one in zip(passages, judged, strict=True):
        for number in sorted(one.places):
            shown.setdefault(number, []).append(passage.id)
    return shown
