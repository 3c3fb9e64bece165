"""Runs, kept: what they are compared with, and what the pages show."""

import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from entities.access import Scope, combine_many, get_current_scope, load_granted_atoms
from entities.audit import record_action
from entities.models import Classification
from entities.models.classification import FIRST_COMPOUND
from ingestion.vector_models import get_search_model
from retrieval.evaluation.metrics import RankingFigures
from retrieval.evaluation.rankings import FUSED, RANKINGS, SHOWN
from retrieval.evaluation.run import QuestionOutcome, RunMeasurement, list_names
from retrieval.evaluation.sets import AnswerPlace, BadQuestionSet, QuestionSet, SetQuestion
from retrieval.models import EvaluationOutcome, EvaluationQuestion, EvaluationRun, RankingSettings
from retrieval.tuning import load_tuning

HELD_TO = (FUSED, SHOWN)
"""The rankings of which nDCG@10 must not drop: what a branch loses, the other may gain."""
THRESHOLD = 0.02
"""How much they may drop, where nobody says otherwise."""
BATCH = 500


@dataclass(frozen=True)
class RankingDrop:
    """nDCG@10 of one ranking in the run before, and in this one."""

    ranking: str
    before: float
    now: float


@dataclass(frozen=True)
class SavedRun:
    """before: the run that this one was compared with. changed: settings that were others then: name -> (then, now)."""

    run: EvaluationRun
    before: EvaluationRun | None
    drops: Sequence[RankingDrop]
    changed: Mapping[str, tuple[Any, Any]]


def note_run(reader: Scope, given: QuestionSet, *, name: str, model_id: str) -> None:
    """Put on record that a set is asked in the reader's place, whatever comes of it. Needs no scope open."""
    service = Scope.for_service(reader.workspace)
    with service.open():
        record_action(
            service,
            "evaluation.run",
            set=given.name,
            reader=name,
            principal=reader.principal,
            model=model_id,
            questions=len(given.questions),
        )


def save_run(
    reader: Scope,
    given: QuestionSet,
    measured: RunMeasurement,
    *,
    name: str,
    model_id: str,
    threshold: float,
    accept: bool = False,
    same_settings: bool = False,
) -> SavedRun:
    """Compare a run with the last one of the same questions and reader, and keep it. Needs no scope open.

    name: of the reader. accept: later runs are compared with this one, whatever it lost. same_settings: only runs with
    the settings of today count as the last. Raises: BadSet for a label that the workspace does not have.
    """
    with reader.open():
        held = load_granted_atoms()
    with Scope.for_service(reader.workspace).open():
        questions = keep_questions(reader.workspace, given, measured, held)
        now = read_current_settings()
        before = find_last_run(given, name, model_id, now if same_settings else None)
        drops = find_drops(before.figures if before else {}, build_figures(measured), threshold)
        run = EvaluationRun.objects.create(
            workspace_id=reader.workspace,
            set_name=given.name,
            digest=given.digest,
            reader=name,
            model_id=model_id,
            commit=commit_of_today(),
            settings=now,
            figures=build_figures(measured),
            silence=asdict(measured.silence) if measured.silence else {},
            questions=sum(bool(outcome.question.places) for outcome in measured.outcomes),
            lost=len(measured.lost),
            seconds=round(measured.seconds, 1),
            dropped=bool(drops) and not accept,
        )
        EvaluationOutcome.objects.bulk_create(
            (
                EvaluationOutcome(
                    workspace_id=reader.workspace,
                    run=run,
                    question_id=questions[outcome.question.id],
                    scores=build_scores(outcome, measured.files),
                    files=list_files(outcome, measured.files),
                )
                for outcome in measured.outcomes
            ),
            batch_size=BATCH,
        )
    return SavedRun(run, before, drops, list_changes(before, run))


def build_figures(measured: RunMeasurement) -> dict[str, dict[str, float | None]]:
    return {ranking: round_figures(figures) for ranking, figures in measured.figures.items()}


def round_figures(figures: RankingFigures) -> dict[str, float | None]:
    return {name: None if value is None else round(value, 4) for name, value in asdict(figures).items()}


def build_scores(outcome: QuestionOutcome, files: Mapping[str, Sequence[UUID]]) -> dict[str, Any]:
    """As `EvaluationOutcome.scores`."""
    told = {"nearest": outcome.found.nearest, "lost": not list_names(outcome.question) <= set(files)}
    if not outcome.question.places:
        return told
    return {
        **told,
        **{
            ranking: [outcome.first(ranking), *round_figures(outcome.figures(ranking)).values()] for ranking in RANKINGS
        },
    }


def list_files(outcome: QuestionOutcome, files: Mapping[str, Sequence[UUID]]) -> list[UUID]:
    """As `EvaluationOutcome.files`."""
    return sorted({pk for name in list_names(outcome.question) for pk in files.get(name, ())})


def find_last_run(
    given: QuestionSet, reader: str, model_id: str, with_settings: Mapping[str, Any] | None
) -> EvaluationRun | None:
    """In the open scope; a run that dropped is not what the next one has to reach.

    By the same embedding model: what another one reached on trial is nothing that was lost. The first run by a model is
    held to the last by the one in use.
    """
    runs = EvaluationRun.objects.filter(set_name=given.name, digest=given.digest, reader=reader, dropped=False)
    if with_settings is not None:
        runs = runs.filter(settings=with_settings)
    runs = runs.order_by("-created_at", "pk")
    return runs.filter(model_id=model_id).first() or runs.filter(model_id=get_search_model(get_current_scope())).first()


def find_drops(
    before: Mapping[str, Mapping[str, float | None]], now: Mapping[str, Mapping[str, float | None]], threshold: float
) -> list[RankingDrop]:
    """The rankings that people see, where they lost more than `threshold` of nDCG@10."""
    found = []
    for ranking in HELD_TO:
        then, here = before.get(ranking, {}).get("ndcg_10"), now[ranking]["ndcg_10"]
        if then is not None and here is not None and then - here > threshold + 1e-9:
            found.append(RankingDrop(ranking, then, here))
    return found


def list_changes(before: EvaluationRun | None, run: EvaluationRun) -> dict[str, tuple[Any, Any]]:
    """What was otherwise in the run before: settings, model, code."""
    if before is None:
        return {}
    then, now = ({**one.settings, "embedder": one.model_id, "commit": one.commit[:10]} for one in (before, run))
    return {name: (then.get(name), now.get(name)) for name in {**then, **now} if then.get(name) != now.get(name)}


def read_current_settings() -> dict[str, Any]:
    """As they come back from the database, so that they can be compared. In an open scope of the workspace."""
    chosen = RankingSettings.objects.first() or RankingSettings()
    constants = {
        name: list(value) if isinstance(value, tuple) else value for name, value in asdict(load_tuning()).items()
    }
    return {**constants, "rerank": chosen.rerank, "strict": load_tuning().strict or chosen.strict}


def commit_of_today() -> str:
    """Of the checkout that runs, with a mark where it was changed since; empty where there is none."""
    try:
        told = subprocess.run(
            ["git", "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return told.stdout.strip()[:60] if told.returncode == 0 else ""


# Questions


def keep_questions(
    workspace: int,
    given: QuestionSet,
    measured: RunMeasurement,
    held: Iterable[int],
) -> dict[str, UUID]:
    """The set's questions as rows, in the open service scope; those that it has no more go, with their outcomes.

    Returns key -> id. A question without labels is labelled with all that its reader holds (docs/adr/0008); one that is
    there already never loses a label.
    """
    known = {one.key: one for one in EvaluationQuestion.objects.filter(set_name=given.name)}
    everything, names = combine_many(held), label_names()
    shown_by = {outcome.question.id: outcome.shown_by for outcome in measured.outcomes}
    made: list[EvaluationQuestion] = []
    changed: list[EvaluationQuestion] = []
    for question in given.questions:
        label = everything if question.labels is None else build_label(question, names)
        places = [
            build_place_row(place, shown_by[question.id].get(n, ()), measured.files)
            for n, place in enumerate(question.places)
        ]
        row = known.pop(question.id, None) or EvaluationQuestion(
            workspace_id=workspace, set_name=given.name, key=question.id, data_classification=label
        )
        new = row.text == ""
        row.data_classification = combine_many([row.data_classification, label])
        row.text, row.answerable = question.text, question.answerable
        row.places = [place for place in places if place]
        row.files = [str(pk) for name in question.files for pk in measured.files.get(name, ())]
        (made if new else changed).append(row)
    if given.whole:
        EvaluationQuestion.objects.filter(pk__in=[one.pk for one in known.values()])._raw_delete("default")
    EvaluationQuestion.objects.bulk_create(made, batch_size=BATCH)
    EvaluationQuestion.objects.bulk_update(
        changed, ["data_classification", "text", "answerable", "places", "files"], batch_size=BATCH
    )
    return {one.key: one.pk for one in (*made, *changed)}


def build_place_row(place: AnswerPlace, rows: Iterable[UUID], files: Mapping[str, Sequence[UUID]]) -> dict[str, Any]:
    """As in `EvaluationQuestion.places`; {} for a file that the reader does not see."""
    found = files.get(place.file)
    if not found:
        return {}
    shown = {"rows": [str(pk) for pk in rows]} if place.quote else {}
    pages = {name: page for name, page in place.to_json().items() if name in ("page", "to")}
    return {"file": str(found[0]), **pages, **shown}


def label_names() -> dict[str, int]:
    """Name, in lower case -> atom, of the open scope's workspace."""
    atoms = Classification.objects.filter(value__lt=FIRST_COMPOUND)
    return {label.casefold(): value for value, label in atoms.values_list("value", "label")}


def build_label(question: SetQuestion, names: Mapping[str, int]) -> int:
    """Raises: BadSet."""
    labels = question.labels or ()
    if unknown := [label for label in labels if label.casefold() not in names]:
        raise BadQuestionSet(f"question {question.id!r}: there is no classification {unknown[0]!r} in this workspace")
    return combine_many(names[label.casefold()] for label in labels)
