"""Questions of a set asked in conversations as one member, and what came of it. Nothing of the text is kept."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from chat import actions, runner
from chat.access import get_turn_or_404, select_messages
from chat.evaluation.figures import Answer, Drop, average, find_drops, score_answer
from chat.models import AnswerRun, LookIn, Session
from chat.tools import get_owner
from entities.access import Scope, get_entity_or_404
from entities.audit import record
from ingestion.access import visible_files
from ingestion.embed import get_embedder
from ingestion.embedders import EmbeddingFailed
from ingestion.models import ContextRow
from retrieval.citation_links import check_support
from retrieval.evaluation.relevance import load_passages
from retrieval.evaluation.sets import Question, QuestionSet
from retrieval.evaluation.store import commit_of_today
from retrieval.locate import resolve_all
from retrieval.support import Support, list_citing_sentences

Say = Callable[[str], None]
PATIENCE_SECONDS = 300.0


@dataclass(frozen=True)
class Evaluated:
    """run: as it is kept. before: what it was compared with. drops: what it lost beyond noise."""

    run: AnswerRun
    before: AnswerRun | None
    drops: Sequence[Drop]


def evaluate_answers(
    reader: Scope, given: QuestionSet, *, name: str, accept: bool = False, say: Say = lambda text: None
) -> Evaluated:
    """Ask all questions as `reader`, who is a member and whose scope is not open, each in a conversation of its own
    that is deleted afterwards. The run is kept and compared with the last of the same questions and reader.

    accept: later runs are compared with this one, whatever it lost. Raises: ValueError for a set of no questions.
    """
    if not given.questions:
        raise ValueError(f"{given.name} has no question.")
    begun = time.monotonic()
    scores: dict[str, dict[str, float]] = {}
    model = ""
    for number, question in enumerate(given.questions, start=1):
        if number % 20 == 0:
            say(f"{number} of {len(given.questions)} questions")
        answer, model = ask(reader, question)
        scores[question.id] = {figure: round(value, 4) for figure, value in score_answer(answer).items()}
    service = Scope.for_service(reader.workspace)
    with service.open():
        runs = AnswerRun.objects.filter(set_name=given.name, digest=given.digest, reader=name, dropped=False)
        before = runs.order_by("-created_at", "pk").first()
        drops = find_drops(before.scores, scores) if before else []
        run = AnswerRun.objects.create(
            workspace_id=reader.workspace,
            set_name=given.name,
            digest=given.digest,
            reader=name,
            model=model,
            commit=commit_of_today(),
            figures={figure: round(value, 4) for figure, value in average(scores).items()},
            scores=scores,
            seconds=round(time.monotonic() - begun, 1),
            dropped=bool(drops) and not accept,
        )
        record(service, "evaluation.answers", set=given.name, reader=name, questions=len(given.questions))
    return Evaluated(run, before, drops)


def ask(reader: Scope, question: Question) -> tuple[Answer, str]:
    """The answer, and the model that gave it. A question within a file is asked about that file's record."""
    with reader.open():
        entity = None
        if question.files:
            files = visible_files(reader).filter(name__in=question.files, revision__isnull=False).order_by("pk")
            about = files.values_list("entity", flat=True).first()
            entity = get_entity_or_404(reader, about) if about else None
        session = actions.create_session(scope=reader, entity=entity)
        look_in = LookIn.FILES if entity else ""
        turn = actions.post_message(
            scope=reader, session=session, content=question.text, look_in=look_in, is_paced=False
        ).turn
    runner.wait_until_idle(PATIENCE_SECONDS)
    with reader.open():
        row = get_turn_or_404(reader, turn.pk)
        message = select_messages(reader, session).filter(pk=row.answer).first()
        text = message.content if message else ""
        answer = Answer(
            text,
            len(question.places) if question.answerable else 0,
            _list_given(row.manifest.get("passages", []), question),
            _check_citations(reader, session, question.text, text),
            measure_likeness(question.text, text),
        )
        actions.delete_session(scope=reader, session=session)
    return answer, str(row.usage.get("model", ""))


def measure_likeness(question: str, answer: str) -> float:
    """Cosine of the two by the installation's embedding model, not below 0; 0 where it does not answer."""
    if not answer:
        return 0.0
    try:
        a, b = (np.asarray(get_embedder().embed_query(text), dtype=np.float64) for text in (question, answer[:2_000]))
    except EmbeddingFailed:
        return 0.0
    return max(0.0, float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b) or 1.0)))


def _list_given(passages: Sequence[dict[str, str]], question: Question) -> list[tuple[int, list[int]]]:
    """(number, places that it shows) of the passages of a manifest that are in the index still."""
    numbers = {UUID(entry["row"]): int(entry["n"]) for entry in passages}
    rows = dict(ContextRow.objects.filter(pk__in=numbers).values_list("number", "pk"))
    found = load_passages(rows)
    shown = {
        rows[number]: [n for n, place in enumerate(question.places) if one.shows(place)]
        for number, one in found.items()
    }
    return [(n, shown.get(pk, [])) for pk, n in numbers.items()]


def _check_citations(scope: Scope, session: Session, question: str, text: str) -> list[tuple[int, Support | None]]:
    """(number, verdict) of each citing sentence, in order."""
    places = list_citing_sentences(text)
    resolved = resolve_all(scope, get_owner(session), {place.n for place in places})
    return [
        (place.n, check_support(question, resolved[place.n], [place.sentence]) if place.n in resolved else None)
        for place in places
    ]
