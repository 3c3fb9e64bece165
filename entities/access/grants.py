"""Grants on single records, held in django-guardian's tables with an expiry."""

from collections.abc import Iterable
from datetime import datetime

from django.contrib.auth.models import Permission
from django.db.models import Q

from entities.rag import VERBS


def _permissions(verbs: Iterable[str]) -> dict[str, int]:
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
    for permission in _permissions(verbs).values():
        defaults = {"expires_at": expires_at, "workspace_id": entity.workspace_id}
        if principal > 0:
            EntityUserGrant.objects.update_or_create(
                defaults, content_object_id=entity.pk, user_id=principal, permission_id=permission
            )
        else:
            EntityRoleGrant.objects.update_or_create(
                defaults,
                content_object_id=entity.pk,
                group_id=Role.objects.get(pk=-principal).group_id,
                permission_id=permission,
            )


def revoke_entity(entity: object, principal: int, verbs: Iterable[str] = VERBS) -> int:
    """Take the verbs back; returns how many grants were removed."""
    from entities.models import Entity, EntityRoleGrant, EntityUserGrant

    assert isinstance(entity, Entity)
    which = Q(content_object=entity.pk, permission__in=_permissions(verbs).values())
    if principal > 0:
        return EntityUserGrant.objects.filter(which, user=principal).delete()[0]
    return EntityRoleGrant.objects.filter(which, group__role=-principal).delete()[0]
