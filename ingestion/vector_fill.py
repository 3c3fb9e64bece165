"""Making the vectors of a model that stands beside the one in use, in the background.

Each batch is committed under the claim, so a killed worker loses one batch at most, and whoever comes next goes on
where it stopped: work is what has no vector yet, found by asking the database. A failure is written to the model's row
and tried again later; indexing by the model in use never waits for it.
"""

import logging
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db import connection
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils import timezone

from entities.access import Scope
from ingestion.chunk import SEPARATOR, build_embedding_text
from ingestion.embed import get_embedder
from ingestion.embedders import Embedder, EmbeddingFailed
from ingestion.index import Vector, format_vector, write_vectors
from ingestion.models import ContextRow, WorkspaceModel
from ingestion.turns import is_free
from ingestion.vector_models import State, count_missing
from ingestion.vector_switch import ModelSwitchRefused, NotWhole, find_model, try_switch

logger = logging.getLogger(__name__)

BATCH = 32
FOUND_AT_ONCE = 4_096
LEASE = timedelta(minutes=5)
"""Longer than a batch takes with every repetition of a remote model's requests."""
FREE = is_free(LEASE)
ASKED_FOR = Q(state=State.BESIDE, switch_asked_by__isnull=False)
RETRY_AFTER, RETRY_AT_MOST = 20, 600
"""Seconds: doubled with every failure."""
AT_A_TIME = 600.0
"""Seconds that one task works; the sweep wakes the next."""
CHECK_AFTER = timedelta(minutes=10)
ATTEMPTS = 20
"""How often `switch_model` looks for text that came in meanwhile."""
WITHOUT = """
WITH used AS MATERIALIZED (
  SELECT thing, max(at) AS at FROM (
    SELECT object_id::uuid AS thing, at FROM entities_auditentry WHERE workspace_id = app_workspace()
      AND action IN ('file.viewed', 'file.downloaded') AND at > now() - interval '30 days'
    UNION ALL
    SELECT (passage ->> 1)::uuid, e.at FROM entities_auditentry e JOIN entities_audittext t ON t.entry_id = e.id,
      jsonb_array_elements(t.retrieved) AS passage WHERE e.workspace_id = app_workspace()
      AND e.action = 'answer' AND e.at > now() - interval '30 days'
  ) happened GROUP BY thing
)
SELECT c.number FROM ingestion_contextrow c
  LEFT JOIN ingestion_vector v ON v."row" = c.number AND v.model = %(model)s
  LEFT JOIN used f ON f.thing = c.file_id
  LEFT JOIN used r ON r.thing = c.entity_id
WHERE c.workspace_id = app_workspace() AND v."row" IS NULL
ORDER BY greatest(f.at, r.at) DESC NULLS LAST, c.number DESC LIMIT %(most)s"""
"""Files that were opened and records that answers drew on within 30 days, the latest first; then the newest text. The
audit knows both, and keeps its rows for 30 days at least."""
WITHOUT_AMONG = """
SELECT c.number FROM ingestion_contextrow c WHERE c.workspace_id = app_workspace() AND c.number = ANY(%s)
  AND NOT EXISTS (SELECT FROM ingestion_vector v WHERE v."row" = c.number AND v.model = %s)"""
BROKEN = "Something went wrong on our side while vectors were made. It is tried again by itself."


class FillLost(Exception):
    """Another process fills this model now, or it was dropped."""


@dataclass(frozen=True)
class FillClaim:
    """The right to fill one model of a workspace. model: its number."""

    workspace: int
    model: int
    model_id: str
    token: UUID

    @property
    def service(self) -> Scope:
        return Scope.for_service(self.workspace)

    def update(self, **columns: object) -> None:
        """In an open service scope. Extends the claim. Raises: FillLost."""
        mine = WorkspaceModel.objects.filter(model=self.model, claim=self.token)
        if not mine.update(**{"claimed_until": Now() + LEASE, **columns}):
            raise FillLost


def fill_model(workspace: int, model_id: str, *, seconds: float = AT_A_TIME) -> bool:
    """Work on a model until it is whole or the time is over. Needs no scope open. Returns whether it is whole.

    Searches change to it then, if somebody asked for that. What fails is written to the model's row; nothing is raised.
    """
    claim = claim_model(workspace, model_id)
    if claim is None:
        return False
    try:
        whole = fill_claimed(claim, time.monotonic() + seconds)
        if whole:
            try_asked_switch(workspace, model_id)
        return whole
    except FillLost:
        logger.info("model %s of workspace %s is in other hands now", model_id, workspace)
    except EmbeddingFailed as problem:
        give_back(claim, str(problem))
    except Exception:
        logger.exception("model %s of workspace %s", model_id, workspace)
        give_back(claim, BROKEN)
    return False


def try_asked_switch(workspace: int, model_id: str) -> None:
    """Let searches use a model that is to be switched to by itself. Where text came in meanwhile, or the process is
    killed here, the sweep finds it."""
    with Scope.for_service(workspace).open():
        asked = WorkspaceModel.objects.filter(ASKED_FOR, model__model_id=model_id).exists()
    if asked:
        try:
            try_switch(workspace, model_id)
        except ModelSwitchRefused as problem:
            logger.info("workspace %s: %s", workspace, problem)


def claim_model(workspace: int, model_id: str) -> FillClaim | None:
    """Take a model that stands beside; None where somebody has it, or it has to wait after a failure."""
    token = uuid.uuid4()
    with Scope.for_service(workspace).open():
        free = WorkspaceModel.objects.filter(FREE, model__model_id=model_id, state=State.BESIDE)
        model = free.values_list("model_id", flat=True).first()
        mine = WorkspaceModel.objects.filter(FREE, model=model, state=State.BESIDE)
        if model is None or not mine.update(claim=token, claimed_until=Now() + LEASE, attempts=F("attempts") + 1):
            return None
        return FillClaim(workspace, model, model_id, token)


def fill_claimed(claim: FillClaim, until: float) -> bool:
    """Raises: FillLost, EmbeddingFailed."""
    embedder = get_embedder(claim.model_id)
    while True:
        with claim.service.open():
            rows, missing = count_missing(claim.model)
            claim.update(rows=rows, missing=missing, checked_at=Now())
            todo = list_numbers_without(claim.model)
        done = 0
        for start in range(0, len(todo), BATCH):
            if time.monotonic() > until:
                break
            with claim.service.open():
                texts = load_texts(Q(number__in=todo[start : start + BATCH]))
            vectors = embed_texts(embedder, texts)
            with claim.service.open():
                done += write_missing_vectors(vectors, embedder)
                claim.update(missing=max(0, missing - done), attempts=0, error="")
        if not done or time.monotonic() > until:
            # Nothing was to be done, or every row was just being changed: those come with the next check.
            with claim.service.open():
                claim.update(claim=None, claimed_until=None, attempts=0, error="")
            return not todo


def give_back(claim: FillClaim, problem: str) -> None:
    """Let the model wait for another try, longer each time."""
    with claim.service.open():
        mine = WorkspaceModel.objects.filter(model=claim.model, claim=claim.token)
        attempts = mine.values_list("attempts", flat=True).first() or 1
        wait = timedelta(seconds=min(RETRY_AFTER * 2 ** min(attempts - 1, 10), RETRY_AT_MOST))
        mine.update(claim=None, claimed_until=Now() + wait, error=problem[:300])


def list_numbers_without(model: int) -> list[int]:
    """Rows of the open scope's index that have no vector of a model, those that people open first (`WITHOUT`)."""
    with connection.cursor() as cursor:
        cursor.execute(WITHOUT, {"model": model, "most": FOUND_AT_ONCE})
        return [number for (number,) in cursor.fetchall()]


def load_texts(rows: Q) -> dict[UUID, str]:
    """Row -> its text as it is embedded (`RowDraft.embedding_text`), in an open service scope."""
    found = ContextRow.objects.filter(rows).values_list("id", "heading_path", "text")
    return {pk: build_embedding_text(path.split(SEPARATOR) if path else (), text) for pk, path, text in found}


def embed_texts(embedder: Embedder, texts: Mapping[UUID, str]) -> dict[UUID, Vector]:
    """With no scope open. Raises: EmbeddingFailed."""
    vectors = embedder.embed_documents(list(texts.values())) if texts else ()
    return {pk: format_vector(vector) for pk, vector in zip(texts, vectors, strict=True)}


def write_missing_vectors(vectors: Mapping[UUID, Vector], embedder: Embedder) -> int:
    """Put vectors beside rows that are there and that nobody is changing, in an open service scope; how many rows.

    A row that is being relabelled would otherwise get a vector with its old label. Such rows are passed over, so this
    waits for nobody and nobody's deadlock begins here; they are found again.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM ingestion_contextrow WHERE id = ANY(%s) FOR SHARE SKIP LOCKED", [list(vectors)])
        held = {pk for (pk,) in cursor.fetchall()}
    write_vectors({pk: vector for pk, vector in vectors.items() if pk in held}, embedder)
    return len(held)


# New text


def fill_published(workspace: int, entity: UUID, file: UUID | None) -> None:
    """Vectors of the models beside, for what was just published. Needs no scope open.

    What fails here is left to the next check of the model.
    """
    with Scope.for_service(workspace).open():
        beside = list(WorkspaceModel.objects.filter(state=State.BESIDE).values_list("model_id", "model__model_id"))
    for model, model_id in beside:
        try:
            follow_one(workspace, model, get_embedder(model_id), Q(entity=entity, file=file))
        except EmbeddingFailed as problem:
            logger.warning("new text of workspace %s waits for %s: %s", workspace, model_id, problem)


def follow_one(workspace: int, model: int, embedder: Embedder, rows: Q) -> None:
    """Raises: EmbeddingFailed."""
    scope = Scope.for_service(workspace)
    with scope.open(), connection.cursor() as cursor:
        among = list(ContextRow.objects.filter(rows).values_list("number", flat=True))
        cursor.execute(WITHOUT_AMONG, [among, model])
        numbers = [number for (number,) in cursor.fetchall()]
    for start in range(0, len(numbers), BATCH):
        with scope.open():
            texts = load_texts(Q(number__in=numbers[start : start + BATCH]))
        vectors = embed_texts(embedder, texts)
        with scope.open():
            # A model that is dropped meanwhile gets nothing more.
            there = WorkspaceModel.objects.filter(model=model).exclude(state=State.DROPPED)
            if not there.select_for_update(of=("self",)).exists():
                return
            write_missing_vectors(vectors, embedder)


def list_waiting() -> list[str]:
    """Models of the open scope's workspace that a worker should look at."""
    due = Q(missing__gt=0) | Q(checked_at=None) | Q(checked_at__lt=timezone.now() - CHECK_AFTER) | ASKED_FOR
    found = WorkspaceModel.objects.filter(FREE, due, state=State.BESIDE)
    return list(found.values_list("model__model_id", flat=True))


def switch_model(workspace: int, model_id: str) -> None:
    """Fill what came in last, and let searches use the model.

    Raises: Refused where a worker fills it now, or text comes in faster than it can follow; EmbeddingFailed.
    """
    with Scope.for_service(workspace).open():
        find_model(model_id)
    for _ in range(ATTEMPTS):
        try:
            return try_switch(workspace, model_id)
        except NotWhole as problem:
            told = problem
        claim = claim_model(workspace, model_id)
        if claim is None:
            raise ModelSwitchRefused(f"{told} Workers are at it, or wait after a failure: look at its status.")
        try:
            fill_claimed(claim, time.monotonic() + AT_A_TIME)
        except EmbeddingFailed as problem:
            give_back(claim, str(problem))
            raise
        except BaseException:
            give_back(claim, BROKEN)
            raise
    raise told
