"""Who is in a workspace, and what each may read, through what. In the open scope of an administrator."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q
from django.utils import timezone

from entities.access import Scope
from entities.access.scope import load_once
from entities.actions import announce_access_change, record_action
from entities.api.lists import list_atom_chips
from entities.models import Classification, ClassificationGrant, LabelGrant, Membership, Role, User
from entities.models.classification import STEWARDS


@dataclass(frozen=True)
class PersonRow:
    """A member. own: clearances that a steward granted to this person alone, with their ends."""

    membership: Membership
    roles: list[Role]
    cleared_for: list[Classification]
    own: list[tuple[Classification, datetime | None]]

    @property
    def name(self) -> str:
        return str(self.membership.user)


@dataclass(frozen=True)
class RoleRow:
    """A role, with whether it clears for each level, in the order of `list_levels`."""

    role: Role
    cells: list[tuple[Classification, bool]]
    members: int


def has_other_steward(principal: int) -> bool:
    """Whether somebody else can decide what `principal` asks for. Asked once a page, in an open scope."""

    def load() -> bool:
        others = User.objects.filter(is_active=True).exclude(pk=principal)
        return Role.objects.filter(is_steward=True, group__user__in=others).exists()

    return bool(load_once("other steward", load))


def list_levels() -> list[Classification]:
    """The levels that can be granted: every one but Public, that of stewards alone, and combinations."""
    return list(Classification.objects.filter(value__gt=0, value__lt=STEWARDS).order_by("value"))


def list_people() -> list[PersonRow]:
    """Members by name."""
    roles: dict[int, list[Role]] = {}
    levels = _load_levels_by_role()
    for role in Role.objects.order_by("name"):
        for user in role.group.user_set.values_list("pk", flat=True):
            roles.setdefault(user, []).append(role)
    own: dict[int, list[LabelGrant]] = {}
    in_force = LabelGrant.objects.filter(Q(expires_at=None) | Q(expires_at__gt=timezone.now()))
    for grant in in_force.select_related("classification").order_by("classification__value"):
        own.setdefault(grant.membership_id, []).append(grant)
    rows = []
    for membership in Membership.objects.select_related("user").order_by("user__username"):
        held, granted = roles.get(membership.user_id, []), own.get(membership.pk, [])
        atoms = {0, *(value for role in held for value in levels.get(role.pk, ()))}
        atoms |= {grant.classification.value for grant in granted}
        alone = [(list_atom_chips({grant.classification.value})[0], grant.expires_at) for grant in granted]
        rows.append(PersonRow(membership, held, list_atom_chips(atoms), alone))
    return rows


def list_roles() -> list[RoleRow]:
    """Roles by name, with what they clear for."""
    held, levels = _load_levels_by_role(), list_levels()
    return [
        RoleRow(role, [(level, level.value in held.get(role.pk, ())) for level in levels], role.group.user_set.count())
        for role in Role.objects.select_related("group").order_by("name")
    ]


def change_levels(scope: Scope, ticked: Mapping[int, set[int]], were: Mapping[int, set[int]]) -> int:
    """Clear roles for levels, and take levels from them: key of the role -> values, as they are ticked now and as they
    were when the page was made. What others changed meanwhile stays. Returns how many roles changed."""
    levels = {level.value: level for level in list_levels()}
    roles = list(Role.objects.select_for_update().filter(pk__in=list(ticked)).order_by("pk"))
    held, changed = _load_levels_by_role(), 0
    for role in roles:
        before, now, was = held.get(role.pk, set()), ticked[role.pk], were.get(role.pk, set())
        after = (before | (now - was) & levels.keys()) - ((was - now) & levels.keys())
        if before == after:
            continue
        changed += 1
        ClassificationGrant.objects.filter(role=role, classification__value__in=before - after).delete()
        ClassificationGrant.objects.bulk_create(
            ClassificationGrant(workspace_id=scope.workspace, role=role, classification=levels[value])
            for value in sorted(after - before)
        )
        flags = {"is_admin": role.is_admin, "is_steward": role.is_steward}
        record_action(scope, "role.changed", "role", role.pk, labels=sorted(after), **flags)
    if changed:
        announce_access_change(scope)
    return changed


def list_members(role: Role) -> list[tuple[User, bool]]:
    """Every member by name, and whether they have the role."""
    held = set(role.group.user_set.values_list("pk", flat=True))
    members = Membership.objects.select_related("user").order_by("user__username")
    return [(membership.user, membership.user_id in held) for membership in members]


def change_members(scope: Scope, role: Role, ticked: Collection[int], were: Collection[int]) -> int:
    """Give members a role, and take it from them, by their keys as they are ticked now and as they were when the page
    was made. What others changed meanwhile stays. Returns how many members changed.
    """
    changed = set(ticked) ^ set(were)
    held = set(role.group.user_set.values_list("pk", flat=True))
    count = 0
    for membership in Membership.objects.select_related("user").filter(user__in=changed).order_by("pk"):
        wanted = membership.user_id in ticked
        if wanted == (membership.user_id in held):
            continue
        (membership.user.groups.add if wanted else membership.user.groups.remove)(role.group_id)
        roles = Role.objects.filter(group__user=membership.user_id).order_by("pk").values_list("pk", flat=True)
        record_action(
            scope, "membership.changed", "membership", membership.pk, user=membership.user_id, roles=list(roles)
        )
        count += 1
    if count:
        announce_access_change(scope)
    return count


def _load_levels_by_role() -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for role, value in ClassificationGrant.objects.values_list("role", "classification__value"):
        found.setdefault(role, set()).add(value)
    return found
