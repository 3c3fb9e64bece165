"""Who can see a record and through what, and changing it. In the open scope of somebody who may share the record."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils import timezone

from entities.access import Scope, grant_entity, may, revoke_entity
from entities.access.objects import lock_or_404
from entities.actions import PULSE_ROLE, announce_access_change, record
from entities.models import Entity, EntityRoleGrant, EntityUserGrant, Membership, Role, User
from entities.models.entity import Visibility
from entities.rag import VERBS

LEVELS = {
    "view": ("view",),
    "change": ("view", "change", "upload"),
    "share": VERBS,
}
"""What can be given at once."""
LEVEL_NAMES = {
    "view": "may see it",
    "change": "may change it and add files",
    "share": "may do everything, also delete and share it",
}
VERB_NAMES = {"view": "see", "change": "change", "upload": "add files", "delete": "delete", "share": "share"}


class SharingRefused(Exception):
    """It cannot be given, or taken away, like this; the message is for the person who tried."""


@dataclass(frozen=True)
class Way:
    """One way in. holder: who has it. through: why. principal: of a grant, user id or -role id; 0: no grant.

    part: it holds for some records of the type, and whether for this one is not said: that may hang on a hidden field.
    members: names, of a role's.
    """

    holder: str
    through: str
    verbs: tuple[str, ...]
    until: datetime | None = None
    principal: int = 0
    part: bool = False
    members: Sequence[str] = field(default_factory=tuple)

    @property
    def words(self) -> str:
        return ", ".join(VERB_NAMES[verb] for verb in VERBS if verb in self.verbs)


def list_ways(entity: Entity) -> list[Way]:
    """Every way in, the widest first. What each reader then reads of the record is decided by labels."""
    members = _members_by_role()
    if entity.visibility == Visibility.PRIVATE:
        creator = User.objects.filter(pk=entity.created_by).first()
        return [Way(str(creator or "its creator"), "created it, and it is private", VERBS)]
    ways = []
    if entity.visibility == Visibility.WORKSPACE:
        ways.append(Way("Everybody in the workspace", "it is open to all", ("view",)))
    rules: dict[tuple[str, bool], set[str]] = {}
    for rule in entity.type_class.access().rules:
        for name in rule.roles:
            rules.setdefault((name, rule.rows is not None), set()).add(rule.verb)
    roles = {role.name: role for role in Role.objects.all()}
    for (name, part), verbs in sorted(rules.items()):
        if name in roles:
            through = f"the rules for {entity.plural_title.lower()}"
            ways.append(
                Way(f"Role {name}", through, _in_order(verbs), part=part, members=members.get(roles[name].pk, ()))
            )
    return ways + _list_grants(entity, members)


def give_access(scope: Scope, entity: Entity, principal: int, level: str, until: datetime | None = None) -> None:
    """Grant the verbs of a level. Raises: SharingRefused; Http404 when the record was deleted meanwhile."""
    if level not in LEVELS:
        raise SharingRefused("Choose what they may do.")
    missing = [VERB_NAMES[verb] for verb in LEVELS[level] if not may(scope, entity, verb)]
    if missing:
        raise SharingRefused(f"You may not {' or '.join(missing)} this record yourself, so you cannot give that.")
    if until is not None and until <= timezone.now():
        raise SharingRefused("Access ends in the future; to end it now, take it away.")
    if not _is_holder(principal):
        raise SharingRefused("Choose a member or a role of this workspace.")
    lock_or_404(entity)
    # What was given before is replaced: who is given less has less.
    revoke_entity(entity, principal, [verb for verb in VERBS if verb not in LEVELS[level]])
    grant_entity(entity, principal, LEVELS[level], expires_at=until)
    ends = until.isoformat() if until else None
    _record(scope, "entity.granted", entity, principal, verbs=[*LEVELS[level]], expires_at=ends)


def take_access(scope: Scope, entity: Entity, principal: int) -> bool:
    """Whether there was a grant. Raises: SharingRefused for one's own; Http404 when the record was deleted."""
    if principal == scope.principal:
        raise SharingRefused("You cannot take your own access away. Ask somebody else who may share the record.")
    lock_or_404(entity)
    if not revoke_entity(entity, principal):
        return False
    if not may(scope, entity, "share"):
        raise SharingRefused("You share this record through that role. Give yourself access first.")
    _record(scope, "entity.revoked", entity, principal)
    return True


def change_visibility(scope: Scope, entity: Entity, visibility: str) -> None:
    """Who shares a record keeps sharing it, whatever it becomes.

    Raises: SharingRefused; Http404 when it was deleted meanwhile.
    """
    if visibility not in Visibility.values:
        raise SharingRefused("Choose who can see it.")
    if Visibility.PRIVATE in (visibility, entity.visibility) and entity.created_by != scope.principal:
        raise SharingRefused("Only who created a record makes it private.")
    lock_or_404(entity)
    Entity._base_manager.filter(pk=entity.pk).update(visibility=visibility)
    record(scope, "entity.changed", entity.type_name, entity.pk, visibility=visibility)
    if not may(scope, entity, "share"):
        grant_entity(entity, scope.principal)
        _record(scope, "entity.granted", entity, scope.principal, verbs=[*VERBS])
    announce_access_change(scope, entity.pk)


def list_holders() -> list[tuple[int, str]]:
    """(principal, name) of whom access can be given to: roles first, then people."""
    roles = Role.objects.exclude(name=PULSE_ROLE).order_by("name").values_list("pk", "name")
    people = Membership.objects.filter(user__is_active=True).select_related("user").order_by("user__username")
    return [(-pk, f"Role {name}") for pk, name in roles] + [(one.user_id, str(one.user)) for one in people]


def _is_holder(principal: int) -> bool:
    if principal < 0:
        return Role.objects.filter(pk=-principal).exists()
    return Membership.objects.filter(user=principal, user__is_active=True).exists()


def _list_grants(entity: Entity, members: dict[int, list[str]]) -> list[Way]:
    """Grants that have not ended: the policy hides those that have."""
    found: dict[tuple[int, str, datetime | None], set[str]] = {}
    for to_user in EntityUserGrant.objects.filter(content_object=entity.pk).select_related("user", "permission"):
        key = (to_user.user_id, str(to_user.user), to_user.expires_at)
        found.setdefault(key, set()).add(to_user.permission.codename.removesuffix("_entity"))
    for to_role in EntityRoleGrant.objects.filter(content_object=entity.pk).select_related("group__role", "permission"):
        key = (-to_role.group.role.pk, to_role.group.role.name, to_role.expires_at)
        found.setdefault(key, set()).add(to_role.permission.codename.removesuffix("_entity"))
    ways = []
    for (principal, name, until), verbs in sorted(found.items(), key=lambda item: (item[0][0] > 0, item[0][1])):
        through = "created it" if principal == entity.created_by else "was given access"
        ways.append(Way(name, through, _in_order(verbs), until, principal, members=members.get(-principal, ())))
    return ways


def _members_by_role() -> dict[int, list[str]]:
    names: dict[int, list[str]] = {}
    inside = Membership.objects.filter(user__is_active=True).values("user")
    people = {user.pk: str(user) for user in User.objects.filter(pk__in=inside)}
    for role, user in Role.objects.filter(group__user__in=people).values_list("pk", "group__user"):
        names.setdefault(role, []).append(people[user])
    for members in names.values():
        members.sort()
    return names


def _in_order(verbs: Iterable[str]) -> tuple[str, ...]:
    return tuple(verb for verb in VERBS if verb in verbs)


def _record(scope: Scope, action: str, entity: Entity, principal: int, **detail: Any) -> None:
    holder = {"user": principal} if principal > 0 else {"role": -principal}
    record(scope, action, entity.type_name, entity.pk, **holder, **detail)
    announce_access_change(scope, entity.pk)
