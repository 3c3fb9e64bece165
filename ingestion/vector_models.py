"""The embedding models of a workspace: which one its searches use, and how another takes its place (docs/adr/0020).

A model is added, its vectors are made in the background (`vector_fill`), it is compared, and then searches are switched
to it in one transaction, in which no row lacks its vector. Both models follow new text until one of them is dropped.
"""

import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock

from django.db import connection
from django.db.models import BooleanField, Count
from django.db.models.expressions import RawSQL
from django.db.models.functions import Now
from django.utils import timezone

from entities.access import Scope, build_sources_visible_q, has_open_scope
from entities.access.scope import get_current_scope
from entities.actions import record_action
from entities.models import Entity
from ingestion.embed import get_default_model, get_embedder
from ingestion.embedders import Embedder
from ingestion.models import ContextRow, VectorModel, WorkspaceModel

State = WorkspaceModel.State
REMEMBERED = 5.0
"""Seconds for which a process may go on searching with the model that it last read."""
SETTLED = timedelta(seconds=60)
"""How long after a switch the former model stays whole, for searches that began with it."""
DROPPED_AT_ONCE = 20_000


class ModelSwitchRefused(Exception):
    """What was asked for cannot be done now; the message is a sentence for people."""


class NotWhole(ModelSwitchRefused):
    """Some rows have no vector of the model yet."""


# Which model is used


class _ModelCache:
    """Workspace -> the model that it used a moment ago."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.known: dict[int, tuple[str, float]] = {}

    def get(self, workspace: int) -> str | None:
        with self.lock:
            model_id, until = self.known.get(workspace, ("", 0.0))
            return model_id if time.monotonic() < until else None

    def put(self, workspace: int, model_id: str) -> None:
        with self.lock:
            self.known[workspace] = model_id, time.monotonic() + REMEMBERED

    def forget(self, workspace: int) -> None:
        with self.lock:
            self.known.pop(workspace, None)


_remembered = _ModelCache()


def get_current_model() -> str:
    """The id of the model that the open scope's workspace uses."""
    used = WorkspaceModel.objects.filter(state=State.CURRENT).values_list("model__model_id", flat=True).first()
    return used or get_default_model()


def get_search_model(scope: Scope) -> str:
    """The model that searches of the scope's workspace use, with or without that scope open.

    May be the former one for `REMEMBERED` seconds after a switch; that is whole for `SETTLED`. Raises: NoWorkspace.
    """
    known = _remembered.get(scope.workspace)
    if known is None:
        if has_open_scope():
            known = get_current_model()
        else:
            with scope.open():
                known = get_current_model()
        _remembered.put(scope.workspace, known)
    return known


def load_embedder(workspace: int) -> Embedder:
    """The embedder that a workspace's text is indexed by. Needs no scope open. Raises: EmbeddingFailed."""
    with Scope.for_service(workspace).open():
        used = get_current_model()
    return get_embedder(used)


def lock_embedder() -> Embedder:
    """The embedder of the open scope's workspace, which stays the one in use until the open transaction ends.

    The first text of a workspace decides its model: another default changes nothing for it afterwards. Raises:
    EmbeddingFailed.
    """
    _lock_models(shared=True)
    used = WorkspaceModel.objects.filter(state=State.CURRENT).values_list("model__model_id", flat=True).first()
    embedder = get_embedder(used or "")
    if used is None:
        _pin_embedder(embedder)
    return embedder


def _lock_models(*, shared: bool) -> None:
    """Writers of vectors share it with each other, and wait for nobody but a switch."""
    kind = "_shared" if shared else ""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT pg_advisory_xact_lock{kind}(hashtext('clearance.vectors'), app_workspace())")


def _pin_embedder(embedder: Embedder) -> None:
    model = get_or_create_model(embedder)
    WorkspaceModel.objects.bulk_create(
        [
            WorkspaceModel(
                workspace_id=get_current_scope().workspace, model=model, state=State.CURRENT, switched_at=timezone.now()
            )
        ],
        ignore_conflicts=True,  # another writer of this workspace's first text was faster
    )


def get_or_create_model(embedder: Embedder) -> VectorModel:
    model, _ = VectorModel.objects.get_or_create(model_id=embedder.model_id, defaults={"dim": embedder.dim})
    return model


# One in the place of another


@dataclass(frozen=True)
class Status:
    """How far a model of a workspace is. rows, missing: of the index, counted at `checked_at`."""

    model_id: str
    dim: int
    state: str
    rows: int
    missing: int
    checked_at: datetime | None
    working: bool
    error: str

    @property
    def share(self) -> float:
        """0 to 1."""
        return 1 - self.missing / self.rows if self.rows else 1.0


def add_model(workspace: int, model_id: str) -> None:
    """Put a configured model beside the one in use; it is filled by workers. Raises: Refused, EmbeddingFailed."""
    embedder = get_embedder(model_id)
    # A model that does not answer, or not with vectors of the promised length, is found out before anything is written.
    embedder.embed_query("Is this model there?")
    scope = Scope.for_service(workspace)
    with scope.open():
        if get_current_model() == model_id:
            raise ModelSwitchRefused(f"{model_id} is the model in use already.")
        if not WorkspaceModel.objects.filter(state=State.CURRENT).exists():
            _pin_embedder(get_embedder())
        others = WorkspaceModel.objects.filter(state=State.BESIDE).exclude(model__model_id=model_id)
        if other := others.values_list("model__model_id", flat=True).first():
            raise ModelSwitchRefused(f"{other} stands beside the model in use: switch to it or drop it first.")
        model = get_or_create_model(embedder)
        if model.dim != embedder.dim:
            raise ModelSwitchRefused(
                f"{model_id} was registered with {model.dim} dimensions and is configured with {embedder.dim}."
            )
        made = WorkspaceModel.objects.bulk_create(
            [WorkspaceModel(workspace_id=workspace, model=model, state=State.BESIDE)], ignore_conflicts=True
        )
        record_action(scope, "vector_model.added", "vector_model", made[0].model_id, model=model_id)


def list_status(workspace: int) -> list[Status]:
    """The model in use first. Opens the service's scope. What a half-done `drop_model` left is listed as "dropped"."""
    with Scope.for_service(workspace).open():
        rows = WorkspaceModel.objects.select_related("model").order_by("-state", "model_id")
        found = [
            Status(
                row.model.model_id,
                row.model.dim,
                row.state,
                row.rows,
                row.missing,
                row.checked_at,
                row.claimed_until is not None and row.claim is not None and row.claimed_until > timezone.now(),
                row.error,
            )
            for row in rows
        ]
    return sorted(found, key=lambda s: s.state != State.CURRENT)


def list_whole_models(workspace: int) -> set[str]:
    """Ids of the models that searches can be made with: the one in use, and others that have a vector of every row."""
    with Scope.for_service(workspace).open():
        beside = WorkspaceModel.objects.filter(state=State.BESIDE).values_list("model_id", "model__model_id")
        return {get_current_model(), *(model_id for model, model_id in beside if not count_missing(model)[1])}


def count_missing(model: int) -> tuple[int, int]:
    """(rows of the open scope's index, those without a vector of the model)."""
    with connection.cursor() as cursor:
        cursor.execute(
            'SELECT count(*), count(*) FILTER (WHERE v."row" IS NULL) FROM ingestion_contextrow c LEFT JOIN'
            ' ingestion_vector v ON v."row" = c.number AND v.model = %s WHERE c.workspace_id = app_workspace()',
            [model],
        )
        rows, missing = cursor.fetchone()
    return int(rows), int(missing)


def count_visible_missing(scope: Scope, model: int) -> tuple[int, int]:
    """`count_missing` for people: of the rows that the open `scope` may see."""
    vectors = RawSQL(
        'NOT EXISTS (SELECT FROM ingestion_vector v WHERE v."row" = ingestion_contextrow.number AND v.model = %s)',
        [model],
        output_field=BooleanField(),
    )
    seen = ContextRow.objects.filter(
        build_sources_visible_q(scope), entity__in=Entity.objects.visible_to(scope).order_by().values("pk")
    )
    counted = seen.aggregate(rows=Count("pk"), missing=Count("pk", filter=vectors))
    return counted["rows"], counted["missing"]


def try_switch(workspace: int, model_id: str) -> None:
    """Let searches use a model, in one transaction in which no text comes in and no row lacks its vector.

    Raises: NotWhole, Refused.
    """
    scope = Scope.for_service(workspace)
    with scope.open():
        row = find_model(model_id)
        if row.state == State.CURRENT:
            raise ModelSwitchRefused(f"{model_id} is the model in use already.")
        _lock_models(shared=False)
        rows, missing = count_missing(row.model_id)
        WorkspaceModel.objects.filter(pk=row.pk).update(rows=rows, missing=missing, checked_at=Now())
        if not missing:
            former = WorkspaceModel.objects.filter(state=State.CURRENT)
            record_action(
                scope,
                "vector_model.switched",
                "vector_model",
                row.model_id,
                model=model_id,
                former=former.values_list("model__model_id", flat=True).first() or "",
            )
            former.update(state=State.BESIDE, switched_at=Now())
            WorkspaceModel.objects.filter(pk=row.pk).update(state=State.CURRENT, switched_at=Now())
    if missing:
        raise NotWhole(f"{missing} of {rows} rows have no vector of {model_id} yet.")
    _remembered.forget(workspace)


def find_model(model_id: str) -> WorkspaceModel:
    """In an open scope. Raises: Refused."""
    row = WorkspaceModel.objects.select_related("model").filter(model__model_id=model_id).first()
    if row is None:
        raise ModelSwitchRefused(f"{model_id} is no model of this workspace: add it first.")
    return row


def settles_in(workspace: int, model_id: str) -> float:
    """Seconds until a former model may be dropped, because a search may have begun with it."""
    with Scope.for_service(workspace).open():
        row = WorkspaceModel.objects.filter(model__model_id=model_id).first()
        if row is None or row.switched_at is None or get_current_model() == model_id:
            return 0.0
    return max(0.0, (row.switched_at + SETTLED - timezone.now()).total_seconds())


def drop_model(workspace: int, model_id: str) -> int:
    """Take a model that is not in use out of a workspace, with its vectors; how many went.

    A drop that was broken off is finished by the next. Raises: Refused.
    """
    scope = Scope.for_service(workspace)
    if wait := settles_in(workspace, model_id):
        raise ModelSwitchRefused(f"Searches may still use {model_id}: try again in {wait:.0f} seconds.")
    with scope.open():
        model = VectorModel.objects.filter(model_id=model_id).first()
        if model is None:
            raise ModelSwitchRefused(f"There is no model {model_id}.")
        if get_current_model() == model_id:
            raise ModelSwitchRefused(f"{model_id} is in use: switch to another model first.")
        # First of all: no worker adds to it from here on.
        if WorkspaceModel.objects.filter(model=model).delete()[0]:
            record_action(scope, "vector_model.dropped", "vector_model", model.pk, model=model_id)
    gone = 0
    while True:
        with scope.open(), connection.cursor() as cursor:
            cursor.execute(
                'DELETE FROM ingestion_vector WHERE ("row", model) IN (SELECT v."row", v.model FROM ingestion_vector v'
                " WHERE v.workspace_id = app_workspace() AND v.model = %s LIMIT %s)",
                [model.pk, DROPPED_AT_ONCE],
            )
            if not cursor.rowcount:
                return gone
            gone += cursor.rowcount
