"""The bin of records: what is deleted goes here first, and for good after `BIN_DAYS`.

The rule that hides it is in the policies (`entities.rls`): a record or file with a `deleted_at` is found by no scope,
the service's neither, unless it looks into the bin. So no list, search, count, prompt or worker has to know of it.
"""

from datetime import timedelta
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Case, Exists, OuterRef, Q, QuerySet, UUIDField, Value, When
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext_lazy

from entities.access import Scope, build_visibility_q, looking_into_bin
from entities.access.objects import lock_or_404
from entities.actions import announce_access_change, delete_entity, list_belonging, list_parent_ids, send_entity_changed
from entities.api.errors import Conflict
from entities.audit import record_action
from entities.models import Entity
from entities.signals import entity_deleted

BIN_DAYS = 30
PARENT_IN_BIN = gettext_lazy("What this belongs to is in the bin too. Restore that first.")
SOURCE_TAKEN = gettext_lazy("Another record has come from the same source since. Delete that one first.")
PLACE_TAKEN = gettext_lazy("Its place has been taken since. Ask an administrator.")


def bin_entity(*, scope: Scope, entity: Entity) -> None:
    """Put a record got with the verb "delete" into the bin, with its files and the records that belong to it, whoever
    may see them. Raises: Http404 when it was deleted meanwhile.
    """
    lock_or_404(entity)
    going = [entity, *list_belonging(entity)]
    above = {row.pk: list_parent_ids(row) for row in going}
    with looking_into_bin():
        # First the records, then what was made of them, as everywhere: rows are locked in this order.
        Entity._base_manager.filter(pk__in=above, deleted_at__isnull=True).update(
            deleted_at=timezone.now(),
            deleted_by=scope.principal,
            deleted_with=Case(When(pk=entity.pk, then=None), default=Value(entity.pk), output_field=UUIDField()),
        )
        for row in going:
            announce_access_change(scope, row.pk)
            if row.type_class is not Entity:  # who has attached something is told to nobody
                record_action(scope, "entity.binned", row.type_name, row.pk)
    for pk, parents_of in above.items():
        entity_deleted.send(
            Entity, entity_id=pk, workspace=scope.workspace, parents=[p for p in parents_of if p not in above]
        )


def select_binned_entities(scope: Scope) -> QuerySet[Entity]:
    """Records that `scope` may see and delete, and that did not go with another. To be asked `looking_into_bin`."""
    rows = Entity.objects.readable_by(scope).filter(build_visibility_q(scope, Entity, "delete"))
    return rows.filter(deleted_at__isnull=False, deleted_with__isnull=True).order_by("-deleted_at", "pk")


def get_binned_entity_or_404(scope: Scope, pk: UUID) -> Entity:
    """To be asked `looking_into_bin`. Raises: Http404 when it is not there, or not the caller's to delete."""
    entity = select_binned_entities(scope).filter(pk=pk).first()
    if entity is None:
        raise Http404("Not found.")
    return entity.specific(scope)


def restore_entity(*, scope: Scope, pk: UUID) -> Entity:
    """Take a record out of the bin, with all that went with it. Its labels, grants and files are as they were.

    Raises: Http404 as `get_binned_entity_or_404`; Conflict where what it belongs to is in the bin, or its place taken.
    """
    with looking_into_bin():
        entity = get_binned_entity_or_404(scope, pk)
        lock_or_404(entity)
        if Entity._base_manager.filter(pk__in=list_parent_ids(entity, owners=True), deleted_at__isnull=False).exists():
            raise Conflict(PARENT_IN_BIN)
        back = Entity._base_manager.filter(Q(pk=pk) | Q(deleted_with=pk), deleted_at__isnull=False)
        with_it = set(back.values_list("pk", flat=True))
        if pk not in with_it:
            raise Http404("Not found.")  # somebody else has restored it meanwhile
        coming = [entity, *(row for row in list_belonging(entity) if row.pk in with_it)]
        try:
            with transaction.atomic():
                back.update(deleted_at=None, deleted_by=0, deleted_with=None)
        except IntegrityError:
            came = Entity.objects.visible_to(scope).filter(
                deleted_at=None, source_system=OuterRef("source_system"), source_id=OuterRef("source_id")
            )
            # Of a record that the caller may not see, nothing is said.
            raise Conflict(SOURCE_TAKEN if back.filter(Exists(came)).exists() else PLACE_TAKEN) from None
    for row in coming:
        if row.type_class is not Entity:
            record_action(scope, "entity.unbinned", row.type_name, row.pk)
        send_entity_changed(scope, row, ["name", "visibility"])
        announce_access_change(scope, row.pk)
    return entity


def delete_binned_entity(*, scope: Scope, pk: UUID) -> None:
    """Delete a record in the bin for good. Raises: Http404 as `get_binned_entity_or_404`."""
    with looking_into_bin():
        delete_entity(scope=scope, entity=get_binned_entity_or_404(scope, pk))


def list_expired_entities(scope: Scope) -> list[UUID]:
    """Records that have been in the bin for `BIN_DAYS`, the oldest first."""
    with looking_into_bin():
        ended = timezone.now() - timedelta(days=BIN_DAYS)
        return list(select_binned_entities(scope).filter(deleted_at__lt=ended).reverse().values_list("pk", flat=True))
