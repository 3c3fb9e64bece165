"""How another embedding model takes the place of the one that a workspace's searches use (docs/adr/0020, 0068).

A model is added, its vectors are made in the background (`vector_fill`), and searches are switched to it in one
transaction, in which no row lacks its vector: by a command, or by itself where somebody asked for that. Both models
follow new text until one of them is dropped. What is asked for is written to the model's row, and the sweep finds it.
"""

from dataclasses import replace
from datetime import timedelta

from django.core.exceptions import PermissionDenied
from django.db import connection
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext

from entities.access import ADMIN, Scope, get_current_scope
from entities.access.routes import open_scope_satisfies
from entities.actions import record_action
from ingestion.embed import get_embedder
from ingestion.models import WorkspaceModel
from ingestion.vector_models import (
    State,
    count_missing,
    forget_search_model,
    get_current_model,
    get_or_create_model,
    lock_models,
    pin_model,
)

SETTLED = timedelta(seconds=60)
"""How long after a switch the former model stays whole, for searches that began with it."""
FORMER_STAYS = timedelta(days=7)
"""How long after a switch that somebody asked for one can change back at once."""
DROPPED_AT_ONCE = 20_000


class ModelSwitchRefused(Exception):
    """What was asked for cannot be done now; the message is a sentence for people."""


class NotWhole(ModelSwitchRefused):
    """Some rows have no vector of the model yet."""


def add_model(*, scope: Scope, model_id: str, switch: bool = False) -> None:
    """Put a configured model beside the one in use; it is filled by workers. switch: searches change to it by
    themselves once it is whole, in the name of the scope's principal.

    scope: the service's, or an administrator's. Raises: Refused, EmbeddingFailed, PermissionDenied.
    """
    embedder = get_embedder(model_id)
    # A model that does not answer, or not with vectors of the promised length, is found out before anything is written.
    embedder.embed_query("Is this model there?")
    with scope.open(), connection.cursor() as cursor:
        check_administers(scope)
        # Of two who ask for different models at once the second is refused.
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('clearance.models'), app_workspace())")
        if get_current_model() == model_id:
            raise ModelSwitchRefused(gettext("%(model)s is the model in use already.") % {"model": model_id})
        if not WorkspaceModel.objects.filter(state=State.CURRENT).exists():
            first = get_embedder()
            pin_model(get_or_create_model(first.model_id, first.dim))
        others = WorkspaceModel.objects.exclude(state=State.CURRENT)
        if other := others.exclude(model__model_id=model_id, state=State.BESIDE).select_related("model").first():
            raise ModelSwitchRefused(describe_other(other))
        model = get_or_create_model(model_id, embedder.dim)
        if model.dim != embedder.dim:
            raise ModelSwitchRefused(
                f"{model_id} was registered with {model.dim} dimensions and is configured with {embedder.dim}."
            )
        if not others.exists():
            WorkspaceModel.objects.create(workspace_id=scope.workspace, model=model, state=State.BESIDE)
            record_action(scope, "vector_model.added", "vector_model", model.pk, model=model_id)
        if switch:
            beside = WorkspaceModel.objects.filter(model=model, state=State.BESIDE)
            beside.update(switch_asked_by=scope.principal)


def change_model(*, scope: Scope, model_id: str) -> bool:
    """Searches change to a configured model as soon as it has a vector of every row; whether they did at once, as to a
    former model. Needs no scope open. Raises: Refused, EmbeddingFailed, PermissionDenied.
    """
    add_model(scope=scope, model_id=model_id, switch=True)
    try:
        try_switch(scope.workspace, model_id)
    except NotWhole:
        return False
    return True


def describe_other(row: WorkspaceModel) -> str:
    if row.state == State.DROPPED:
        return gettext("%(model)s is being removed: try again in a minute.") % {"model": row.model.model_id}
    return gettext("%(model)s stands beside the model in use: switch to it or drop it first.") % {
        "model": row.model.model_id
    }


def check_administers(scope: Scope) -> None:
    """In the open scope. Raises: PermissionDenied."""
    if not (scope.is_service or open_scope_satisfies(scope, ADMIN)):
        raise PermissionDenied


def try_switch(workspace: int, model_id: str) -> None:
    """Let searches use a model, in one transaction in which no text comes in and no row lacks its vector.

    The audit names who asked for it, where somebody did. Raises: NotWhole, Refused.
    """
    scope = Scope.for_service(workspace)
    with scope.open():
        check_not_current(find_model(model_id))
        lock_models(shared=False)
        row = find_model(model_id, lock=True)  # nobody drops it meanwhile, nor switches to it
        check_not_current(row)
        rows, missing = count_missing(row.model_id)
        WorkspaceModel.objects.filter(pk=row.pk).update(rows=rows, missing=missing, checked_at=Now())
        if not missing:
            former = WorkspaceModel.objects.filter(state=State.CURRENT)
            record_action(
                replace(scope, principal=row.switch_asked_by or 0),
                "vector_model.switched",
                "vector_model",
                row.model_id,
                model=model_id,
                former=former.values_list("model__model_id", flat=True).first() or "",
            )
            former.update(state=State.BESIDE, switched_at=Now(), switch_asked_by=None)
            WorkspaceModel.objects.filter(pk=row.pk).update(state=State.CURRENT, switched_at=Now())
    if missing:
        raise NotWhole(f"{missing} of {rows} rows have no vector of {model_id} yet.")
    forget_search_model(workspace)


def check_not_current(row: WorkspaceModel) -> None:
    """Raises: Refused."""
    if row.state == State.CURRENT:
        raise ModelSwitchRefused(gettext("%(model)s is the model in use already.") % {"model": row.model.model_id})


def find_model(model_id: str, *, lock: bool = False) -> WorkspaceModel:
    """In an open scope. Raises: Refused."""
    rows = WorkspaceModel.objects.select_related("model").exclude(state=State.DROPPED)
    row = (rows.select_for_update(of=("self",)) if lock else rows).filter(model__model_id=model_id).first()
    if row is None:
        raise ModelSwitchRefused(
            gettext("%(model)s is no model of this workspace: add it first.") % {"model": model_id}
        )
    return row


def settles_in(workspace: int, model_id: str) -> float:
    """Seconds until a former model may be dropped, because a search may have begun with it."""
    with Scope.for_service(workspace).open():
        row = WorkspaceModel.objects.filter(model__model_id=model_id).first()
    return 0.0 if row is None else measure_settling(row)


def measure_settling(row: WorkspaceModel) -> float:
    if row.switched_at is None or row.state != State.BESIDE:
        return 0.0
    return max(0.0, (row.switched_at + SETTLED - timezone.now()).total_seconds())


def drop_model(*, scope: Scope, model_id: str) -> None:
    """Take a model that is not in use out of a workspace; `delete_vectors` does the rest.

    scope: the service's, or an administrator's. Raises: Refused, PermissionDenied.
    """
    with scope.open():
        check_administers(scope)
        rows = WorkspaceModel.objects.select_related("model").select_for_update(of=("self",))
        row = rows.filter(model__model_id=model_id).first()
        if row is None and get_current_model() != model_id:
            raise ModelSwitchRefused(gettext("There is no model %(model)s.") % {"model": model_id})
        if row is None or row.state == State.CURRENT:
            raise ModelSwitchRefused(
                gettext("%(model)s is in use: switch to another model first.") % {"model": model_id}
            )
        if wait := measure_settling(row):
            raise ModelSwitchRefused(
                gettext("Searches may still use %(model)s: try again in %(seconds)d seconds.")
                % {"model": model_id, "seconds": wait + 1}
            )
        mark_dropped(row)


def mark_dropped(row: WorkspaceModel) -> None:
    """In the open scope of who drops it, with the row locked. No worker adds to it from here on."""
    if row.state != State.DROPPED:
        changes = {"state": State.DROPPED, "claim": None, "claimed_until": None, "switch_asked_by": None}
        WorkspaceModel.objects.filter(pk=row.pk).update(**changes)
        record_action(
            get_current_scope(), "vector_model.dropped", "vector_model", row.model_id, model=row.model.model_id
        )


def delete_vectors(workspace: int, model_id: str) -> int:
    """Delete those of a dropped model; how many. One that was broken off is finished by the next."""
    scope = Scope.for_service(workspace)
    gone = 0
    while True:
        with scope.open(), connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext('clearance.dropped'), app_workspace())")
            dropped = WorkspaceModel.objects.filter(model__model_id=model_id, state=State.DROPPED)
            model = dropped.values_list("model", flat=True).first()
            cursor.execute(
                'DELETE FROM ingestion_vector WHERE ("row", model) IN (SELECT v."row", v.model FROM ingestion_vector v'
                " WHERE v.workspace_id = app_workspace() AND v.model = %s LIMIT %s)",
                [model, DROPPED_AT_ONCE],
            )
            if not cursor.rowcount:
                dropped.delete()
                return gone
            gone += cursor.rowcount


def list_dropped() -> list[str]:
    """Models whose vectors have to be deleted, in an open service scope: those whose time is over are dropped here."""
    if WorkspaceModel.objects.filter(state=State.CURRENT, switch_asked_by__isnull=False).exists():
        over = Q(switched_at__lt=Now() - FORMER_STAYS, switch_asked_by=None, state=State.BESIDE)
        for row in WorkspaceModel.objects.select_related("model").select_for_update(of=("self",)).filter(over):
            mark_dropped(row)
    dropped = WorkspaceModel.objects.filter(state=State.DROPPED)
    return list(dropped.values_list("model__model_id", flat=True))
