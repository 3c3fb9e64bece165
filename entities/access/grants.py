"""Grants on single records, held in django-guardian's tables with an expiry."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.contrib.auth.models import Permission
from django.db.models import Q

from entities.rag import VERBS


def _load_permission_ids(verbs: Iterable[str]) -> dict[str, int]:
    codenames = {f"{verb}_entity": verb for verb in verbs}
    found = Permission.objects.filter(
        content_type__app_label="entities", content_type__model="entity", codename__in=codenames
    )
    return {codenames[codename]: pk for pk, codename in found.values_list("pk", "codename")}


def grant_entity(
    entity: object, principal: int, verbs: Iterable[str] = VERBS, *, expires_at: datetime | None = None
) -> None:
    """Give `principal` (user id, or -role id) the verbs on one record; an existing grant gets the new expiry."""
    from entities.models import Entity, EntityRoleGrant, EntityUserGrant, Role

    assert isinstance(entity, Entity)
    model: Any = EntityUserGrant if principal > 0 else EntityRoleGrant
    holder = {"user_id": principal} if principal > 0 else {"group_id": Role.objects.get(pk=-principal).group_id}
    shared = {"workspace_id": entity.workspace_id, "content_object_id": entity.pk, "expires_at": expires_at, **holder}
    # One statement: creating a record grants every verb, and a batch creates hundreds.
    model.objects.bulk_create(
        [model(permission_id=permission, **shared) for permission in _load_permission_ids(verbs).values()],
        update_conflicts=True,
        unique_fields=[*(name.removesuffix("_id") for name in holder), "permission", "content_object"],
        update_fields=["expires_at"],
    )


def revoke_entity(entity: object, principal: int, verbs: Iterable[str] = VERBS) -> int:
    """Take the verbs back; returns how many grants were removed."""
    from entities.models import Entity, EntityRoleGrant, EntityUserGrant

    assert isinstance(entity, Entity)
    which = Q(content_object=entity.pk, permission__in=_load_permission_ids(verbs).values())
    if principal > 0:
        return EntityUserGrant.objects.filter(which, user=principal).delete()[0]
    return EntityRoleGrant.objects.filter(which, group__role=-principal).delete()[0]
