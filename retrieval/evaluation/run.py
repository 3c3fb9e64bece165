"""A run: every question of a set asked once, as one reader, and what came of it."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from entities.access import Scope
from ingestion.models import File
from retrieval.evaluation.metrics import Figures, Judged, Silence, figures, first, gains, mean, silence
from retrieval.evaluation.rankings import RANKINGS, SHOWN, Rankings, rank
from retrieval.evaluation.relevance import Passage, judge, load_passages
from retrieval.evaluation.sets import Question, QuestionSet
from retrieval.query import PreparedQuery, Within, prepare

Say = Callable[[str], None]


@dataclass(frozen=True)
class Outcome:
    """One question. lists: ranking -> its passages against the places. shown_by: number of a place -> ids of index rows
    that show it, of those that were found. nearest: as `Rankings.nearest`.
    """

    question: Question
    lists: Mapping[str, Sequence[Judged]]
    nearest: float | None
    shown_by: Mapping[int, Sequence[UUID]]

    def gains(self, ranking: str) -> list[int]:
        return gains(self.lists[ranking])

    def figures(self, ranking: str) -> Figures:
        """Raises: ValueError for a question without places."""
        if not self.question.places:
            raise ValueError("a question without an answer has no figures")
        return figures(self.gains(ranking), len(self.question.places), far=ranking != SHOWN)

    def first(self, ranking: str) -> int | None:
        return first(self.gains(ranking))


@dataclass(frozen=True)
class Measured:
    """figures: ranking -> means over the answerable questions. files: name -> files that the reader sees. lost: names
    of those that they do not see.
    """

    outcomes: Sequence[Outcome]
    figures: Mapping[str, Figures]
    silence: Silence | None
    files: Mapping[str, Sequence[UUID]]
    lost: Sequence[str]
    seconds: float


def measure(scope: Scope, given: QuestionSet, say: Say = lambda text: None) -> Measured:
    """Ask all questions as `scope`, which is not open yet; each in a transaction of its own, so a long run holds none.

    Raises: ValueError for a set without an answerable question.
    """
    begun = time.monotonic()
    known: dict[int, Passage] = {}
    with scope.open():
        files = files_of(scope, given)
    lost = sorted(names_in(given) - set(files))
    outcomes = []
    for number, question in enumerate(given.questions, start=1):
        if number % 100 == 0:
            say(f"{number} of {len(given.questions)} questions")
        query = prepare(question.text)
        with scope.open():
            outcomes.append(ask(scope, question, query, files, known))
    answered = [one for one in outcomes if one.question.places]
    return Measured(
        outcomes,
        {ranking: mean([one.figures(ranking) for one in answered]) for ranking in RANKINGS},
        silence([o.nearest for o in answered], [o.nearest for o in outcomes if not o.question.answerable]),
        files,
        lost,
        time.monotonic() - begun,
    )


def names_in(given: QuestionSet) -> set[str]:
    """Files that questions speak of."""
    places = {place.file for question in given.questions for place in question.places}
    return places | {name for question in given.questions for name in question.files}


def files_of(scope: Scope, given: QuestionSet) -> dict[str, tuple[UUID, ...]]:
    """Name -> files by that name, as the reader sees them: one that they do not see is one that is not there."""
    found: dict[str, tuple[UUID, ...]] = {}
    readable = File.objects.filter(name__in=names_in(given), revision__isnull=False)
    for pk, name in readable.order_by("pk").values_list("pk", "name"):
        found[name] = (*found.get(name, ()), pk)
    return found


def ask(
    scope: Scope,
    question: Question,
    query: PreparedQuery,
    files: Mapping[str, Sequence[UUID]],
    known: dict[int, Passage],
) -> Outcome:
    """In the open scope. known: passages seen before, which are not read again."""
    narrowed = [pk for name in question.files for pk in files.get(name, ())]
    if question.files and not narrowed:
        found = Rankings(dict.fromkeys(RANKINGS, ()), None)
    else:
        found = rank(scope, query, Within(files=narrowed))
    rows = {row for ranked in found.rows.values() for row in ranked}
    known.update(load_passages(rows - set(known)))
    passages = {name: [known[row] for row in ranked if row in known] for name, ranked in found.rows.items()}
    return Outcome(
        question,
        {name: judge(ranked, question.places) for name, ranked in passages.items()},
        found.nearest,
        _shown_by(question, (known[row] for row in sorted(rows) if row in known)),
    )


def _shown_by(question: Question, passages: Iterable[Passage]) -> dict[int, list[UUID]]:
    shown: dict[int, list[UUID]] = {}
    for passage in passages:
        for number, place in enumerate(question.places):
            if passage.shows(place):
                shown.setdefault(number, []).append(passage.id)
    return shown
