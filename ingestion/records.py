"""Typed text: labelled like documents, then indexed with the record's properties and relations (design §2.2, §4).

However often a record changes, one row says that its index is behind, and one task brings it up to date.
"""

import logging
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import pairwise
from uuid import UUID

from django.db import IntegrityError, OperationalError, transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils import timezone

from entities.access import Scope, combine_many, list_atoms
from entities.actions import move_date
from entities.models import Entity, FieldParagraph
from entities.rag import split_label
from entities.text import DECLARED_PUBLIC
from ingestion.access import hold_record
from ingestion.claims import RETRY_AFTER, WAIT_FOR_BUDGET
from ingestion.classify import Classifier, build_rules_vote, vote_by_model
from ingestion.documents import ParagraphText
from ingestion.embed import get_embedder
from ingestion.embedders import EmbeddingFailed
from ingestion.extract import language
from ingestion.index import embed_texts, load_known_vectors, replace_rows
from ingestion.judging import join_votes, vote_by_heads
from ingestion.models import ContextRow, Kind, RecordIndex
from ingestion.policy import load_policy, load_workspace_guidance
from ingestion.record_rows import build_drafts
from ingestion.signals import record_indexed
from ingestion.turns import is_free
from ingestion.vector_models import get_current_model, load_embedder, lock_embedder
from ingestion.votes import KEPT_TYPED, Vote, build_votes, collect_automatic, decide_atoms
from ingestion.work import load_workspace_levels
from llm.client import is_labelling_offline
from llm.errors import BudgetExceeded, ModelError

logger = logging.getLogger(__name__)

LEASE = timedelta(minutes=5)
FREE = is_free(LEASE)
WAIT_AT_MOST = timedelta(hours=1)
"""Between two tries: text that nobody could label is hidden until one succeeds, so they never end."""
CHANGED = Q(claim=None, attempts=0)
"""It has changed since it was tried, so it need not wait for the next try."""
DECLARED = "declared by the type"
TYPED_AS_PUBLIC = Vote.from_json(DECLARED_PUBLIC)


@dataclass(frozen=True)
class RecordClaim:
    workspace: int
    entity: UUID
    token: UUID
    stale_since: datetime
    attempts: int


def mark_stale(workspace: int, entities: Iterable[UUID]) -> None:
    """Note, in the open transaction, that the index of these records is behind; tasks start when it commits."""
    entities = list(dict.fromkeys(entities))
    if not entities:
        return
    RecordIndex.objects.bulk_create(
        [RecordIndex(workspace_id=workspace, entity_id=pk, stale_since=timezone.now()) for pk in entities],
        update_conflicts=True,
        unique_fields=["entity"],
        update_fields=["stale_since", "attempts"],
    )
    for pk in entities:
        transaction.on_commit(partial(wake_worker, workspace, pk))


def wake_worker(workspace: int, entity: UUID) -> None:
    """Tell a worker; should the broker be away, the sweep will."""
    from ingestion.tasks import index_record as task

    try:
        task.delay(workspace, str(entity))
    except Exception:
        logger.warning("record %s waits for the next sweep: the broker did not take the task", entity, exc_info=True)


def index_record(workspace: int, entity: UUID) -> bool:
    """Label and index one record's own text. Needs no scope open. Returns whether there was anything to do."""
    claim = claim_record(workspace, entity)
    if claim is None:
        return False
    problem: Exception | None = None
    try:
        label_texts(claim)
    except (ModelError, OperationalError) as error:
        problem = error  # what has no label stays hidden; the rest is indexed all the same
    try:
        refresh_rows(claim)
    except (EmbeddingFailed, IntegrityError, OperationalError) as error:
        # A paragraph was edited or relabelled meanwhile, or PostgreSQL ended a deadlock. The next try is soon, not when
        # the lease ends.
        problem = problem or error
    release_claim(claim, problem)
    return True


def claim_record(workspace: int, entity: UUID) -> RecordClaim | None:
    token = uuid.uuid4()
    with Scope.for_service(workspace).open():
        waiting = RecordIndex.objects.filter(FREE | CHANGED, entity=entity, stale_since__isnull=False)
        if not waiting.update(claim=token, claimed_until=Now() + LEASE, attempts=F("attempts") + 1):
            return None
        since, attempts = RecordIndex.objects.values_list("stale_since", "attempts").get(entity=entity)
        assert since is not None
        return RecordClaim(workspace, entity, token, since, attempts)


def release_claim(claim: RecordClaim, problem: Exception | None) -> None:
    """Done, or to be tried again: at once where the record changed while this went on, else after a while, which is
    longer each time."""
    with Scope.for_service(claim.workspace).open():
        mine = RecordIndex.objects.filter(entity=claim.entity, claim=claim.token)
        unchanged = mine.filter(stale_since=claim.stale_since)
        if problem is not None:
            wait = min(RETRY_AFTER * 2 ** min(claim.attempts - 1, 10), WAIT_AT_MOST)
            wait = WAIT_FOR_BUDGET if isinstance(problem, BudgetExceeded) else wait
            unchanged.update(claim=None, claimed_until=Now() + wait, error=str(problem).partition("\n")[0][:200])
        else:
            unchanged.update(claim=None, claimed_until=None, stale_since=None, attempts=0, error="")
        if mine.update(claim=None, claimed_until=None):
            transaction.on_commit(partial(wake_worker, claim.workspace, claim.entity))


def label_texts(claim: RecordClaim) -> None:
    """Votes and labels for the paragraphs that have no label yet. Raises: ModelError."""
    with Scope.for_service(claim.workspace).open():
        entity = Entity.objects.filter(pk=claim.entity).first()
        if entity is None:
            return
        rows = list(
            FieldParagraph.objects.filter(entity=claim.entity, data_classification=None).order_by("field", "position")
        )
        texts_before = _load_preceding_texts(claim.entity)
        default = split_label(entity.type_class.rag().default)
        inherited = [_build_inherited(default, frozenset(list_atoms(row.floor))) for row in rows]
        classifier = Classifier(
            claim.workspace,
            load_workspace_levels(),
            load_workspace_guidance(),
            entity.type_title,
            is_labelling_offline(),
        )
        policy, embedder = load_policy(), get_current_model()
    if not rows:
        return
    texts = [_build_text(row.text) for row in rows]
    votes = [
        [
            *(v for v in build_votes(row.votes) if v.source == "manual" or v == TYPED_AS_PUBLIC),
            *given,
            build_rules_vote(text.text, text.lang, before=texts_before.get(row.pk, "")),
        ]
        for row, given, text in zip(rows, inherited, texts, strict=True)
    ]
    by_heads = vote_by_heads(
        get_embedder(embedder),
        classifier.title,
        [text.text for text in texts],
        floors={},  # a field of a record is no document of some kind
        known=frozenset(level.value for level in classifier.levels) - {0},
        resting=policy.resting,
    )
    for answer in vote_by_model(texts, classifier):
        for number, vote in answer.votes.items():
            votes[number].append(vote)
    appeared = False
    with Scope.for_service(claim.workspace).open():
        # The record before its paragraphs, as whoever edits them, since its date may move: or both would wait.
        list(Entity.objects.select_for_update(no_key=True).filter(pk=claim.entity).order_by().values_list("pk"))
        policy = load_policy(hold=True)  # it may be another since the text was read
        joined = join_votes(votes, by_heads, is_offline=classifier.is_offline, holds=policy.holds)
        for row, given_votes in zip(rows, joined, strict=True):
            decided = decide_atoms(given_votes, model_needed=True, resting=policy.resting)
            # Only what was read: a paragraph that was edited or labelled meanwhile keeps what it has.
            written = FieldParagraph.objects.filter(pk=row.pk, digest=row.digest, data_classification=None).update(
                votes=[vote.to_json() for vote in given_votes],
                data_classification=None if decided is None else combine_many(decided),
                floor=row.floor if decided is not None else combine_many([row.floor, *collect_automatic(given_votes)]),
            )
            appeared |= bool(written) and decided == frozenset()
        if appeared:
            move_date(claim.entity)


def _load_preceding_texts(entity: UUID) -> dict[UUID, str]:
    """Of each paragraph that follows another of its field, the text of that one."""
    rows = FieldParagraph.objects.filter(entity=entity).order_by("field", "position")
    pairs = pairwise(rows.values_list("pk", "field", "text"))
    return {pk: text for (_, field, text), (pk, own_field, _) in pairs if field == own_field}


def _build_inherited(default: frozenset[int], floor: frozenset[int]) -> list[Vote]:
    """What the type declares, and what an edit left behind where that is more."""
    declared = Vote("inherited", default, DECLARED)
    return [declared] if floor <= default else [declared, Vote("inherited", floor, KEPT_TYPED)]


def _build_text(text: str) -> ParagraphText:
    return ParagraphText(text, "text", None, (), (), language.guess_language(text), 0, len(text))


def refresh_rows(claim: RecordClaim) -> None:
    """Make the index say what the record says. Raises: EmbeddingFailed, IntegrityError."""
    embedder = load_embedder(claim.workspace)
    scope = Scope.for_service(claim.workspace)
    with scope.open():
        base = Entity.objects.filter(pk=claim.entity).first()
        if base is None:
            return
        drafts = build_drafts(base.type_class._base_manager.get(pk=base.pk), embedder)
        present, vectors = load_known_vectors(drafts, embedder.model_id)
    todo = [draft for draft in drafts if draft.id not in present and draft.id not in vectors]
    vectors.update(embed_texts(embedder, todo))
    with scope.open():
        hold_record(claim.entity)
        # Paragraphs before the state of the index, as whoever edits them: or the two would wait for each other.
        texts = FieldParagraph.objects.select_for_update(no_key=True).filter(entity=claim.entity)
        list(texts.order_by("field", "position", "pk").values_list("pk"))
        # Then whoever builds on the index, and that too as a change of the record does.
        record_indexed.send(Entity, workspace=claim.workspace, entity_id=claim.entity)
        if not RecordIndex.objects.select_for_update().filter(entity=claim.entity, claim=claim.token).exists():
            return
        if lock_embedder().model_id != embedder.model_id:
            raise EmbeddingFailed("Searches were switched to another embedding model while this record was indexed.")
        replace_rows(
            workspace=claim.workspace,
            entity=claim.entity,
            file=None,
            existing=ContextRow.objects.filter(
                entity=claim.entity, file=None, kind__in=[Kind.METADATA, Kind.RELATIONSHIP]
            ),
            drafts=drafts,
            vectors=vectors,
            embedder=embedder,
            witness="",
        )
