"""From a file to the index (design §4).

    STEPS = extract → classify → segment → chunk → embed, then publish

`processing` takes a file through them. Each step runs with no scope open, reads what it needs in short transactions and
hands on a value. Values are saved (`StepResult`, not for readers) as soon as more than SAVE_AFTER_SECONDS of work would
be lost with this process, and each time a model has answered that is not the offline engine, or a service has given
vectors: no call to one is made twice. Nothing is visible to a reader before `publish_revision`, which is one
transaction. Every write is under the claim, so two workers never publish one file.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID

from django.db.models import F

from entities.access import Scope, combine_many, has_open_scope
from entities.models.classification import FIRST_COMPOUND
from ingestion import drift, results
from ingestion.blobs import local_copy
from ingestion.chunk import split_into_chunks as cut
from ingestion.claims import limit_rate, report_advance, report_checkpoint
from ingestion.classify import Classifier, WindowVotes, build_rules_vote, vote_by_model
from ingestion.documents import Extraction
from ingestion.embed import get_embedder, is_remote
from ingestion.extract import extract_file
from ingestion.index import RowDraft, Vector, embed_texts, load_known_vectors
from ingestion.judging import join_votes, vote_by_heads
from ingestion.label_cuts import cut_by_labels
from ingestion.models import FileRevision, Review, Stage
from ingestion.paragraph_identity import group_texts_by_label, segment_text
from ingestion.passages import build_passages, build_summaries, guess_languages, list_labelled
from ingestion.picture_reader import Looker
from ingestion.quarantine import REJECTED
from ingestion.remainder import weigh_texts
from ingestion.sandbox import Progress, Quarantined
from ingestion.stored import load_known_digests, load_known_votes, load_published_extraction, load_published_votes
from ingestion.synthesis import summarise_labels
from ingestion.votes import FLOOR, Vote
from ingestion.work import FileVotes, SegmentedFile, Work, build_clearances
from llm.metering import take_spent, write_calls

SAVE_AFTER_SECONDS = 1.0


@dataclass(frozen=True)
class Step:
    """run(work, results of the steps before, by stage) -> result. dump and load: to and from JSON."""

    stage: Stage
    run: Callable[[Work, dict[Stage, Any]], Any]
    dump: Callable[[Any], Any]
    load: Callable[[Any], Any]


def load_parts(work: Work, stage: Stage) -> dict[int, Any]:
    """Part number -> data of what an earlier worker finished of a step. Opens a service scope where none is open."""
    witness = work.build_witness(stage)
    if (stage, witness) not in work.saved:
        return {}
    with nullcontext() if has_open_scope() else Scope.for_service(work.workspace).open():
        return results.load_parts(work.claim.revision, stage, witness)


def extract(work: Work, done: dict[Stage, Any]) -> Extraction:
    """Paragraphs from the bytes, in limited processes; of a published revision, from what was published, unless text is
    taken out in another way now."""
    if not work.opened:
        with Scope.for_service(work.workspace).open():
            return load_published_extraction(work)

    done_so_far = 0

    def show(progress: Progress) -> None:
        nonlocal done_so_far  # a file with pictures is read twice, and its progress goes one way
        if progress.page and progress.pages:
            done_so_far = max(done_so_far, 100 * (progress.page - 1) // progress.pages)
            report_checkpoint(work.claim, Stage.EXTRACT, done_so_far, progress.page, progress.pages)

    def keep(part: int, data: Mapping[str, Any]) -> None:
        save(work, Stage.EXTRACT, data, part, progress=done_so_far)

    if work.review == Review.REJECTED:
        raise Quarantined("rejected", REJECTED)
    saved = load_parts(work, Stage.EXTRACT)
    tell = limit_rate(show)
    look = Looker(work.workspace, work.strategy, keep, tell, saved)
    with local_copy(work.path) as path:
        extraction = extract_file(path, work.name, strategy=work.strategy, on_progress=tell, look=look, counts=True)
        if work.review != Review.RELEASED:
            extraction = drift.check_losses(path, extraction)
    if work.is_first and not work.lineage[1:]:
        return cut_by_labels(extraction)
    with Scope.for_service(work.workspace).open():
        known = load_known_digests(work)
    return cut_by_labels(extraction, known)


def classify(work: Work, done: dict[Stage, Any]) -> FileVotes:
    """Votes on every paragraph: inherited, rules, heads, model; and on what no paragraph shows: rules."""
    extraction: Extraction = done[Stage.EXTRACT]
    if work.published and not work.changed:
        with Scope.for_service(work.workspace).open():
            return load_published_votes(work, extraction)
    paragraphs = extraction.paragraphs
    show = limit_rate(partial(report_checkpoint, work.claim, Stage.CLASSIFY))
    votes: list[list[Vote]] = []
    for number, paragraph in enumerate(paragraphs):
        before = paragraphs[number - 1].text if number else ""
        by_rules = build_rules_vote(paragraph.text, paragraph.lang, paragraph.heading_path, before)
        votes.append([Vote("inherited", work.floor, FLOOR, public=work.declared_public), by_rules])
        show(BY_RULES * number // len(paragraphs))
    said = vote_by_heads(
        get_embedder(work.embedder),
        work.name,
        [paragraph.text for paragraph in paragraphs],
        floors=work.policy.kind_floors,
        known=work.known_atoms,
        resting=work.policy.resting,
        show=lambda: show(BY_RULES),
    )
    kind = said.kind if said else ""
    remainder = weigh_texts(extraction.remainder, lambda: show(BY_RULES))
    if not work.collection.classify:
        return FileVotes(join_votes(votes, said, holds=work.policy.holds), asked=True, remainder=remainder, kind=kind)
    with Scope.for_service(work.workspace).open():
        known, proposals = load_known_votes(work, paragraphs)
        saved = load_parts(work, Stage.CLASSIFY)

    def save_window(part: int, window: WindowVotes, percent: int) -> None:
        progress = BY_RULES + (100 - BY_RULES) * percent // 100
        save(work, Stage.CLASSIFY, window.to_json(), part, progress=progress)

    answers = vote_by_model(
        paragraphs,
        Classifier(work.workspace, work.levels, work.policy.guidance, work.name, work.is_offline),
        known=known,
        done={part: WindowVotes.from_json(data) for part, data in saved.items()},
        on_window=save_window,
    )
    for number, given in known.items():
        votes[number] += given
    for answer in answers:
        for number, vote in answer.votes.items():
            votes[number].append(vote)
    proposals += [summary for answer in answers for summary in answer.summaries]
    injections = tuple(dict.fromkeys(name for answer in answers for name in answer.injections))
    joined = join_votes(votes, said, is_offline=work.is_offline, holds=work.policy.holds)
    return FileVotes(joined, tuple(proposals), injections, bool(answers), remainder, kind)


def segment(work: Work, done: dict[Stage, Any]) -> SegmentedFile:
    """Every paragraph's identity and label, so that runs of one label can be cut; then a summary per label."""
    extraction, classified = done[Stage.EXTRACT], done[Stage.CLASSIFY]
    with Scope.for_service(work.workspace).open():
        segmented = segment_text(work, extraction, classified)
        saved = load_parts(work, Stage.SEGMENT)
    if not classified.asked:
        return segmented

    def keep(label: int, sentences: Sequence[str]) -> None:
        save(work, Stage.SEGMENT, list(sentences), label)

    classifier = Classifier(work.workspace, work.levels, work.policy.guidance, work.name, work.is_offline)
    made = summarise_labels(
        classifier, group_texts_by_label(extraction, segmented.paragraphs), segmented.summaries, saved, keep
    )
    return replace(segmented, summaries=made)


def chunk(work: Work, done: dict[Stage, Any]) -> list[RowDraft]:
    """Passages, each within one segment, and a summary per label."""
    extraction, segmented = done[Stage.EXTRACT], done[Stage.SEGMENT]
    paragraphs = list_labelled(extraction, segmented)
    labels = {paragraph.label for paragraph in paragraphs}
    if all(label is None or label < FIRST_COMPOUND for label in labels):
        clearances = build_clearances(labels, work.inputs.concealed_atoms)
    else:
        with Scope.for_service(work.workspace).open():
            clearances = build_clearances(labels, work.inputs.concealed_atoms)
    count_tokens = get_embedder(work.embedder).count_tokens
    found = cut(work.file, paragraphs, clearances=clearances, count_tokens=count_tokens)
    langs = guess_languages(paragraphs, clearances)
    return [*build_passages(found, langs), *build_summaries(work, extraction, segmented, clearances, langs)]


def embed(work: Work, done: dict[Stage, Any]) -> dict[UUID, Vector]:
    """Vectors of the rows that have none, reused where equal text has one."""
    embedder, drafts = get_embedder(work.embedder), done[Stage.CHUNK]
    with Scope.for_service(work.workspace).open():
        present, vectors = load_known_vectors(drafts, embedder.model_id, is_first=work.is_first)
        saved = load_parts(work, Stage.EMBED)
    for data in saved.values():
        vectors.update({UUID(pk): vector for pk, vector in data.items()})
    todo = [draft for draft in drafts if draft.id not in present and draft.id not in vectors]
    made = 0

    def save_batch(batch: dict[UUID, Vector]) -> None:
        nonlocal made
        part, made = max(saved, default=-1) + 1 + made, made + len(batch)
        if made < len(todo):  # with the last one the step is finished, and saved as a whole
            data = {str(pk): vector for pk, vector in batch.items()}
            save(work, Stage.EMBED, data, part, progress=100 * made // len(todo))

    vectors.update(embed_texts(embedder, todo, save_batch))
    return vectors


STEPS = [
    Step(
        Stage.EXTRACT,
        extract,
        lambda extraction: {"head": extraction.head_to_json(), "rows": list(extraction.rows_to_json())},
        lambda data: Extraction.from_json(data["head"], data["rows"]),
    ),
    Step(Stage.CLASSIFY, classify, FileVotes.to_json, FileVotes.from_json),
    Step(Stage.SEGMENT, segment, SegmentedFile.to_json, SegmentedFile.from_json),
    Step(
        Stage.CHUNK, chunk, lambda rows: [r.to_json() for r in rows], lambda data: [RowDraft.from_json(r) for r in data]
    ),
    Step(
        Stage.EMBED,
        embed,
        lambda vectors: {str(pk): vector for pk, vector in vectors.items()},
        lambda data: {UUID(pk): vector for pk, vector in data.items()},
    ),
]
BY_RULES = 30
"""Per cent of classifying that the rules are shown to be; the rest are the windows of the model."""
FOLLOWING = dict(zip([step.stage for step in STEPS], [*(step.stage for step in STEPS[1:]), Stage.PUBLISH], strict=True))


def run_steps(work: Work, took: dict[Stage, float] | None = None) -> dict[Stage, Any]:
    """Results by stage; `took` gets the seconds of the steps that were run here, not by an earlier worker."""
    done: dict[Stage, Any] = {}
    for step in STEPS:
        witness = work.build_witness(step.stage)
        if (step.stage, witness) in work.saved:
            with Scope.for_service(work.workspace).open():
                saved = results.load_result(work.claim.revision, step.stage, witness)
            if saved is not None:
                done[step.stage] = step.load(saved)
                report_checkpoint(work.claim, FOLLOWING[step.stage])
                continue
        begun = time.monotonic()
        done[step.stage] = step.run(work, done)
        if took is not None:
            took[step.stage] = round(time.monotonic() - begun, 2)
        save(work, step.stage, step.dump(done[step.stage]))
    return done


def save(work: Work, stage: Stage, data: Any, part: int = results.WHOLE, *, progress: int = 0) -> None:
    """Save what a step gave, or a part of it, with all that was not saved before it, under the claim. What took no time
    and cost nothing waits for the next one: of most files nothing is saved, for they are ready sooner. progress: per
    cent of the step after that part.
    """
    unsaved, paid = work.unsaved, take_spent()
    unsaved.results.append((stage, part, data))
    is_free = work.is_offline and not paid and not (stage == Stage.EMBED and is_remote(work.embedder))
    if is_free and unsaved.age_seconds < SAVE_AFTER_SECONDS:
        return
    with Scope.for_service(work.workspace).open():
        report_advance(work.claim, FOLLOWING[stage] if part == results.WHOLE else stage, progress)
        write_calls()
        if paid:
            FileRevision.objects.filter(pk=work.claim.revision).update(cost=F("cost") + paid)
        floor = combine_many(level.value for level in work.levels)
        for step, number, result in unsaved.results:
            results.save_result(
                work.workspace, work.claim.revision, step, work.build_witness(step), floor, result, number
            )
    unsaved.clear()
