"""The embedding models of a workspace: which one its searches use, and how far others are (docs/adr/0020)."""

import time
from dataclasses import dataclass
from datetime import datetime
from threading import Lock

from django.conf import settings
from django.db import connection
from django.db.models import BooleanField, Count
from django.db.models.expressions import RawSQL
from django.utils import timezone

from entities.access import Scope, build_sources_visible_q, has_open_scope
from entities.access.scope import get_current_scope
from entities.models import Entity
from ingestion.embed import INCLUDED_DIMENSIONS, get_default_model, get_embedder, list_configured
from ingestion.embedders import Embedder
from ingestion.models import ContextRow, VectorModel, WorkspaceModel

State = WorkspaceModel.State
REMEMBERED = 5.0
"""Seconds for which a process may go on searching with the model that it last read."""


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

    May be the former one for `REMEMBERED` seconds after a switch; that is whole for longer (`vector_switch`). Raises:
    NoWorkspace.
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


def forget_search_model(workspace: int) -> None:
    """After a switch, in this process."""
    _remembered.forget(workspace)


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
    lock_models(shared=True)
    used = WorkspaceModel.objects.filter(state=State.CURRENT).values_list("model__model_id", flat=True).first()
    embedder = get_embedder(used or "")
    if used is None:
        pin_model(get_or_create_model(embedder.model_id, embedder.dim))
    return embedder


def lock_models(*, shared: bool) -> None:
    """Writers of vectors share it with each other, and wait for nobody but a switch."""
    kind = "_shared" if shared else ""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT pg_advisory_xact_lock{kind}(hashtext('clearance.vectors'), app_workspace())")


def pin_model(model: VectorModel) -> None:
    """Searches of the open scope's workspace use a model, where they use none yet."""
    WorkspaceModel.objects.bulk_create(
        [
            WorkspaceModel(
                workspace_id=get_current_scope().workspace, model=model, state=State.CURRENT, switched_at=timezone.now()
            )
        ],
        ignore_conflicts=True,  # another writer of this workspace's first text was faster
    )


def choose_included_model(model_id: str) -> None:
    """As `pin_model`, for a model that comes with Clearance. Nothing where its package is not installed, or whoever
    runs the installation has chosen a model for new workspaces: the first text decides then."""
    if not settings.CLEARANCE_EMBEDDER and model_id in list_configured():
        pin_model(get_or_create_model(model_id, INCLUDED_DIMENSIONS))


def get_or_create_model(model_id: str, dim: int) -> VectorModel:
    model, _ = VectorModel.objects.get_or_create(model_id=model_id, defaults={"dim": dim})
    return model


# How far they are


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


def list_status(workspace: int) -> list[Status]:
    """The model in use first. Opens the service's scope."""
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
