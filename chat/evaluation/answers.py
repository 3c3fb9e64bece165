"""Questions of a set asked in conversations as one member, and what came of it. Nothing of the text is kept."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any
from uuid import UUID

import numpy as np

from chat import actions, runner, session_actions
from chat.access import get_turn_or_404, select_messages
from chat.citations import read_listed
from chat.evaluation.figures import FigureDrop, JudgedAnswer, compute_means, find_drops, score_answer
from chat.evaluation.judge import Judge, choose_judge
from chat.evaluation.models import AnswerRun
from chat.models import LookIn, Session, State, Turn
from chat.tools import get_owner
from entities.access import Scope, get_entity_or_404
from entities.audit import record_action
from entities.models import Entity
from ingestion.access import select_visible_files
from ingestion.embed import get_embedder
from ingestion.embedders import EmbeddingFailed
from ingestion.models import ContextRow
from retrieval.citation_links import check_support, read_claim
from retrieval.evaluation.relevance import load_passages
from retrieval.evaluation.sets import QuestionSet, SetQuestion
from retrieval.evaluation.store import commit_of_today
from retrieval.locate import resolve_all
from retrieval.owners import CitingText
from retrieval.support import Support, list_citing_sentences

Say = Callable[[str], None]
PATIENCE_SECONDS = 300.0
STOP_SECONDS = 10.0


@dataclass(frozen=True)
class EvaluationResult:
    """run: as it is kept. before: what it was compared with. drops: what it lost beyond noise. left_out: how many
    questions were within files that the reader does not see.
    """

    run: AnswerRun
    before: AnswerRun | None
    drops: Sequence[FigureDrop]
    left_out: int


def evaluate_answers(
    reader: Scope, given: QuestionSet, *, name: str, accept: bool = False, say: Say = lambda text: None
) -> EvaluationResult:
    """Ask all questions as `reader`, who is a member and whose scope is not open, each in a conversation of its own
    that is deleted afterwards. The run is kept and compared with the last of the same questions, reader, model and
    judge.

    accept: later runs are compared with this one, whatever it lost. Raises: ValueError for a set of which no question
    can be asked, as `plan_questions`, and as `ask`: a run with a question that got no answer is not kept.
    """
    begun = time.monotonic()
    planned = plan_questions(reader, given)
    if not planned:
        raise ValueError(f"{given.name} has no question that {name} can be asked.")
    service = Scope.for_service(reader.workspace)
    with service.open():
        # First, whatever comes of it: the conversations are in the reader's name, who asked none of this.
        record_action(
            service,
            "evaluation.answers",
            set=given.name,
            reader=name,
            principal=reader.principal,
            questions=len(planned),
        )
    judge = choose_judge(reader.workspace, reader.principal)
    scores: dict[str, dict[str, float]] = {}
    verdicts: dict[str, dict[str, Any]] = {}
    models: set[str] = set()
    for number, (question, entity) in enumerate(planned, start=1):
        if number % 20 == 0:
            say(f"{number} of {len(planned)} questions")
        answer, model = ask(reader, question, entity, judge)
        models.add(model)
        if answer.verdict:
            verdicts[question.id] = asdict(answer.verdict)
        scores[question.id] = {figure: round(value, 4) for figure, value in score_answer(answer).items()}
    model, judged_by = ", ".join(sorted(models))[:100], judge.name if judge else ""
    with service.open():
        runs = AnswerRun.objects.filter(
            set_name=given.name, digest=given.digest, reader=name, model=model, judge=judged_by, dropped=False
        )
        before = runs.order_by("-created_at", "pk").first()
        drops = find_drops(before.scores, scores) if before else []
        run = AnswerRun.objects.create(
            workspace_id=reader.workspace,
            set_name=given.name,
            digest=given.digest,
            reader=name,
            model=model,
            judge=judged_by,
            verdicts=verdicts,
            commit=commit_of_today(),
            figures={figure: round(value, 4) for figure, value in compute_means(scores).items()},
            scores=scores,
            seconds=round(time.monotonic() - begun, 1),
            dropped=bool(drops) and not accept,
        )
    return EvaluationResult(run, before, drops, len(given.questions) - len(planned))


def plan_questions(reader: Scope, given: QuestionSet) -> list[tuple[SetQuestion, Entity | None]]:
    """The questions that can be asked, each with the record that it is asked about; None: everything.

    A question within files of which the reader sees none is left out: asked of everything it would be another one.
    Raises: ValueError for one within files of several records, for a conversation is about one.
    """
    planned: list[tuple[SetQuestion, Entity | None]] = []
    with reader.open():
        for question in given.questions:
            if not question.files:
                planned.append((question, None))
                continue
            files = select_visible_files(reader).filter(name__in=question.files, revision__isnull=False)
            records = sorted(set(files.values_list("entity", flat=True)))
            if len(records) > 1:
                raise ValueError(f"Question {question.id} is within files of several records.")
            planned += [(question, get_entity_or_404(reader, pk)) for pk in records]
    return planned


def ask(
    reader: Scope, question: SetQuestion, entity: Entity | None, judge: Judge | None = None
) -> tuple[JudgedAnswer, str]:
    """The answer, and the model that gave it. entity: the record in whose files it is looked for, None: everywhere.
    judge: None where the support check judges alone.

    The conversation is deleted whatever comes of it. Raises: ValueError where there is no answer, or the embedding
    model or the judge fails: a failure is nothing that was rightly not found.
    """
    with reader.open():
        session = session_actions.create_session(scope=reader, entity=entity)
        look_in = LookIn.FILES if entity else ""
        turn = actions.post_message(
            scope=reader, session=session, content=question.text, look_in=look_in, is_paced=False
        ).turn
    try:
        try:
            runner.wait_until_idle(PATIENCE_SECONDS)
        except TimeoutError:
            raise ValueError(f"Question {question.id} got no answer in {PATIENCE_SECONDS:.0f} seconds.") from None
        with reader.open():
            row = get_turn_or_404(reader, turn.pk)
            message = select_messages(reader, session).filter(pk=row.answer).first()
            if row.state != State.DONE or message is None or not message.content:
                raise ValueError(f"Question {question.id} got no answer ({row.state}). {row.error}".strip())
            text = message.content
            places = len(question.places)
            passages = _list_context_sources(row.manifest.get("passages", []), question)
            support = _check_citations(reader, session, question.text, text)
            read = resolve_all(reader, get_owner(session), {n for n, _ in (*passages, *support)}) if judge else {}
        try:
            likeness = measure_likeness(question.text, text)
        except EmbeddingFailed as problem:
            raise ValueError(f"Question {question.id} has no figures: {problem}") from problem
        answer = JudgedAnswer(text, places, passages, support, likeness)
        if judge and places and not answer.is_not_found:
            try:
                verdict = judge.judge(question.text, text, [read[n] for n in sorted(read)])
            except ValueError as problem:
                raise ValueError(f"Question {question.id} has no figures: {problem}") from problem
            answer = replace(answer, verdict=verdict)
        return answer, str(row.usage.get("model", ""))
    finally:
        _delete_conversation(reader, session, turn)


def _delete_conversation(reader: Scope, session: Session, turn: Turn) -> None:
    """A turn that still runs is stopped first, so that its end is on record."""
    with reader.open():
        is_running = actions.stop_turn(scope=reader, turn=turn)
    if is_running:
        with suppress(TimeoutError):
            runner.wait_until_idle(STOP_SECONDS)
    with reader.open():
        session_actions.delete_session(scope=reader, session=session)


def measure_likeness(question: str, answer: str) -> float:
    """Cosine of the two by the installation's embedding model, not below 0. Raises: EmbeddingFailed."""
    a, b = (np.asarray(get_embedder().embed_query(text), dtype=np.float64) for text in (question, answer[:2_000]))
    return max(0.0, float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b) or 1.0)))


def _list_context_sources(passages: Sequence[dict[str, str]], question: SetQuestion) -> list[tuple[int, list[int]]]:
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
    citing = CitingText(get_owner(session), text, question, read_listed(text))
    resolved = resolve_all(scope, citing.owner, {place.n for place in places})
    checked: list[tuple[int, Support | None]] = []
    for place in places:
        found = resolved.get(place.n)
        asked, sentences = read_claim(citing, found, [place.sentence]) if found else ("", [])
        checked.append((place.n, check_support(asked, found, sentences) if found else None))
    return checked
