"""Who can see a record and through what, and changing it. In the open scope of somebody who may share the record."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from entities.access import ADMIN, Scope, grant_entity, has_permission, revoke_entity
from entities.access.objects import lock_or_404
from entities.access.routes import open_scope_satisfies
from entities.actions import PULSE_ROLE, announce_access_change, record_action
from entities.language import lowercase_noun
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
    "view": gettext_lazy("may see it"),
    "change": gettext_lazy("may change it and add files"),
    "share": gettext_lazy("may do everything, also delete and share it"),
}
LAST_SHARER = gettext_lazy("Then nobody could share this record for good. Give that to somebody else first.")
VERB_NAMES = {
    "view": pgettext_lazy("permission", "see"),
    "change": pgettext_lazy("permission", "change"),
    "upload": pgettext_lazy("permission", "add files"),
    "delete": pgettext_lazy("permission", "delete"),
    "share": pgettext_lazy("permission", "share"),
}


class SharingRefused(Exception):
    """It cannot be given, or taken away, like this; the message is for the person who tried."""


@dataclass(frozen=True)
class AccessPath:
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
        return ", ".join(str(VERB_NAMES[verb]) for verb in VERBS if verb in self.verbs)


def list_access_paths(scope: Scope, entity: Entity) -> list[AccessPath]:
    """Every way in, the widest first. What each reader then reads of the record is decided by labels.

    Who is in a role is for administrators.
    """
    paths = _list_paths(entity)
    return paths if open_scope_satisfies(scope, ADMIN) else [replace(path, members=()) for path in paths]


def give_access(scope: Scope, entity: Entity, principal: int, level: str, until: datetime | None = None) -> None:
    """Grant the verbs of a level. Who gives keeps sharing, and somebody shares the record without an end.

    Raises: SharingRefused, upon which the caller rolls back; Http404 when the record was deleted meanwhile.
    """
    if level not in LEVELS:
        raise SharingRefused(gettext("Choose what they may do."))
    if until is not None and until <= timezone.now():
        raise SharingRefused(gettext("Access ends in the future; to end it now, take it away."))
    if principal == scope.principal:
        raise SharingRefused(gettext("You cannot change your own access. Ask somebody else who may share the record."))
    if not _is_holder(principal):
        raise SharingRefused(gettext("Choose a member or a role of this workspace."))
    _lock_to_share(scope, entity)
    missing = [str(VERB_NAMES[verb]) for verb in LEVELS[level] if not has_permission(scope, entity, verb)]
    if missing:
        raise SharingRefused(
            gettext("You may not do all of this with the record yourself (%(verbs)s), so you cannot give that.")
            % {"verbs": ", ".join(missing)}
        )
    lasted = _is_shared_without_end(entity)
    # What was given before is replaced: who is given less has less.
    revoke_entity(entity, principal)
    shares_otherwise = has_permission(scope, entity, "share")
    grant_entity(entity, principal, LEVELS[level], expires_at=until)
    if not shares_otherwise and (until or not has_permission(scope, entity, "share")):
        raise SharingRefused(gettext("You share this record through that role, so it keeps that without an end."))
    if lasted and not _is_shared_without_end(entity):
        raise SharingRefused(LAST_SHARER)
    ends = until.isoformat() if until else None
    _record_sharing(scope, "entity.granted", entity, principal, verbs=[*LEVELS[level]], expires_at=ends)


def take_access(scope: Scope, entity: Entity, principal: int) -> bool:
    """Whether there was a grant. Raises: as `give_access`."""
    if principal == scope.principal:
        raise SharingRefused(
            gettext("You cannot take your own access away. Ask somebody else who may share the record.")
        )
    _lock_to_share(scope, entity)
    lasted = _is_shared_without_end(entity)
    if not revoke_entity(entity, principal):
        return False
    if not has_permission(scope, entity, "share"):
        raise SharingRefused(gettext("You share this record through that role. Ask somebody else who may share it."))
    if lasted and not _is_shared_without_end(entity):
        raise SharingRefused(LAST_SHARER)
    _record_sharing(scope, "entity.revoked", entity, principal)
    return True


def change_visibility(scope: Scope, entity: Entity, visibility: str, was: str = "") -> None:
    """Who shares a record keeps what they may do with it, whatever it becomes, and gains nothing.

    was: how it was when they chose, where that is known. Raises: SharingRefused, also where it is another by now;
    Http404 when it was deleted meanwhile.
    """
    if visibility not in Visibility.values:
        raise SharingRefused(gettext("Choose who can see it."))
    _lock_to_share(scope, entity)
    row = Entity._base_manager.filter(pk=entity.pk)
    before, creator = row.values_list("visibility", "created_by").get()
    if was not in ("", before):
        raise SharingRefused(
            gettext("Somebody else has changed this meanwhile. It is now: %(value)s. Choose again.")
            % {"value": Visibility(before).label}
        )
    if Visibility.PRIVATE in (visibility, before) and creator != scope.principal:
        raise SharingRefused(gettext("Only the creator of a record can make it private."))
    held = [verb for verb in VERBS if has_permission(scope, entity, verb)]
    row.update(visibility=visibility)
    record_action(scope, "entity.changed", entity.type_name, entity.pk, visibility=visibility)
    if not all(has_permission(scope, entity, verb) for verb in held):
        # What ends on a day goes on ending then.
        verbs = [verb for verb in held if verb not in _list_ending_verbs(entity, scope.principal)]
        grant_entity(entity, scope.principal, verbs)
        _record_sharing(scope, "entity.granted", entity, scope.principal, verbs=verbs)
    announce_access_change(scope, entity.pk)


def list_roles_to_share_with(scope: Scope) -> list[tuple[int, str]]:
    """(principal, name) of the roles that the caller may give access to: their own, and to administrators all."""
    roles = Role.objects.exclude(name=PULSE_ROLE).order_by("name")
    if not open_scope_satisfies(scope, ADMIN):
        roles = roles.filter(group__user=scope.principal)
    return [(-pk, f"Role {name}") for pk, name in roles.values_list("pk", "name")]


def list_people_to_share_with() -> list[tuple[int, str]]:
    """(principal, name) of all active members: for administrators."""
    people = Membership.objects.filter(user__is_active=True).select_related("user").order_by("user__username")
    return [(one.user_id, str(one.user)) for one in people]


def find_person(username: str) -> int | None:
    """The principal of the active member with exactly this username."""
    found = Membership.objects.filter(user__username=username, user__is_active=True)
    return found.values_list("user", flat=True).first()


def name_holder(principal: int) -> str:
    """Of a principal that has been given access here, as sentences call them."""
    if principal < 0:
        return f"Role {Role.objects.get(pk=-principal).name}"
    return str(User.objects.get(pk=principal))


def _lock_to_share(scope: Scope, entity: Entity) -> None:
    """What is tested from here on is what stands until the transaction ends. Raises: SharingRefused; Http404."""
    lock_or_404(entity)
    if not has_permission(scope, entity, "share"):
        raise SharingRefused(gettext("You may no longer share this record."))


def _is_holder(principal: int) -> bool:
    if principal < 0:
        return Role.objects.filter(pk=-principal).exists()
    return Membership.objects.filter(user=principal, user__is_active=True).exists()


def _is_shared_without_end(entity: Entity) -> bool:
    """Whether somebody may share the record, and does not cease to on a day."""
    return any(
        "share" in path.verbs and path.until is None and not path.part and (path.members or path.principal > 0)
        for path in _list_paths(entity)
    )


def _list_ending_verbs(entity: Entity, user: int) -> set[str]:
    """Verbs that a user has by grants with an end, of their own or of a role."""
    members, found = _load_members_by_role(), set()
    for (principal, _, until), verbs in _list_grants(entity).items():
        if until and (principal == user or user in members.get(principal, {})):
            found |= verbs
    return found


def _list_paths(entity: Entity) -> list[AccessPath]:
    visibility, creator = Entity._base_manager.values_list("visibility", "created_by").get(pk=entity.pk)
    if visibility == Visibility.PRIVATE:
        person = User.objects.filter(pk=creator).first()
        return [
            AccessPath(
                str(person or gettext("its creator")),
                gettext("created it, and it is private"),
                VERBS,
                principal=creator,
            )
        ]
    members, rules, grants = _load_members_by_role(), _list_rules(entity), _list_grants(entity)
    paths = []
    # What somebody may do with a record, they may do where they see it: of their own or through a role.
    seeing = {principal for (principal, *_), verbs in [*rules.items(), *grants.items()] if "view" in verbs}
    seeing |= {user for principal in seeing for user in members.get(principal, {})}
    if visibility == Visibility.WORKSPACE:
        paths.append(AccessPath(gettext("Everybody in the workspace"), gettext("it is open to all"), ("view",)))
        seeing = {principal for principal, *_ in [*rules, *grants]}
    for (principal, name, part), verbs in sorted(rules.items(), key=lambda item: item[0][1:]):
        if principal in seeing:
            through, inside = (
                gettext("the rules for %(kinds)s") % {"kinds": lowercase_noun(entity.plural_title)},
                _list_names(members, principal),
            )
            paths.append(
                AccessPath(
                    gettext("Role %(name)s") % {"name": name}, through, _sort_verbs(verbs), part=part, members=inside
                )
            )
    for (principal, name, until), verbs in sorted(grants.items(), key=lambda item: (item[0][0] > 0, item[0][1])):
        if principal in seeing:
            through = gettext("created it") if principal == creator else gettext("was given access")
            inside = _list_names(members, principal)
            paths.append(AccessPath(name, through, _sort_verbs(verbs), until, principal, members=inside))
    return paths


def _list_rules(entity: Entity) -> dict[tuple[int, str, bool], set[str]]:
    """(principal, name of the role, whether for some records only) -> verbs that the type's rules give."""
    roles = dict(Role.objects.values_list("name", "pk"))
    found: dict[tuple[int, str, bool], set[str]] = {}
    for rule in entity.type_class.access().rules:
        for name in rule.roles:
            if name in roles:
                found.setdefault((-roles[name], name, rule.rows is not None), set()).add(rule.verb)
    return found


def _list_grants(entity: Entity) -> dict[tuple[int, str, datetime | None], set[str]]:
    """(principal, name, end) -> verbs. Grants that have not ended: the policy hides those that have."""
    found: dict[tuple[int, str, datetime | None], set[str]] = {}
    for to_user in EntityUserGrant.objects.filter(content_object=entity.pk).select_related("user", "permission"):
        key = (to_user.user_id, str(to_user.user), to_user.expires_at)
        found.setdefault(key, set()).add(to_user.permission.codename.removesuffix("_entity"))
    for to_role in EntityRoleGrant.objects.filter(content_object=entity.pk).select_related("group__role", "permission"):
        key = (-to_role.group.role.pk, to_role.group.role.name, to_role.expires_at)
        found.setdefault(key, set()).add(to_role.permission.codename.removesuffix("_entity"))
    return found


def _load_members_by_role() -> dict[int, dict[int, str]]:
    """Principal of a role -> user id -> name, of active members."""
    names: dict[int, dict[int, str]] = {}
    inside = Membership.objects.filter(user__is_active=True).values("user")
    people = {user.pk: str(user) for user in User.objects.filter(pk__in=inside)}
    for role, user in Role.objects.filter(group__user__in=people).values_list("pk", "group__user"):
        names.setdefault(-role, {})[user] = people[user]
    return names


def _list_names(members: dict[int, dict[int, str]], role: int) -> list[str]:
    return sorted(members.get(role, {}).values())


def _sort_verbs(verbs: Iterable[str]) -> tuple[str, ...]:
    return tuple(verb for verb in VERBS if verb in verbs)


def _record_sharing(scope: Scope, action: str, entity: Entity, principal: int, **detail: Any) -> None:
    holder = {"user": principal} if principal > 0 else {"role": -principal}
    record_action(scope, action, entity.type_name, entity.pk, **holder, **detail)
    announce_access_change(scope, entity.pk)
