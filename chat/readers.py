"""Who reads a conversation along, as its owner chooses and as the page says it (docs/adr/0060).

A choice is a word: "private", "record" (who may see the record, or everybody in the workspace where it is about none),
or "role <name>" for the members of one of the owner's roles.
"""

from dataclasses import dataclass, replace

from django.utils.translation import gettext, gettext_noop

from chat.models import Session
from entities.access import Scope, ScopeKind, load_atoms_of_people
from entities.access.scope import load_once
from entities.actions import PULSE_ROLE
from entities.models import Entity, Membership, Role, User
from entities.models.entity import Visibility

PRIVATE, RECORD, OF_ROLE = "private", "record", "role "
EVERYBODY = 0
"""The audience of what everybody in the workspace reads who may see the record."""
MAX_LOOKED_UP = 200
"""People of whom it is asked whether they see a closed record; the others count as its readers."""
AS_CLEARED = gettext_noop("%(who)s reads what you write here and its answers, as far as cleared for each.")


@dataclass(frozen=True)
class Readers:
    """visibility: as it was chosen. sentence: who reads along, for who is about to write. owner: their name."""

    visibility: str
    sentence: str
    owner: str


def list_choices(scope: Scope, entity: Entity | None) -> list[tuple[str, str]]:
    """(choice, words) that the caller has for a new conversation, the narrowest first."""
    shared = gettext("Who may see this record") if entity else gettext("Everybody in this workspace")
    roles = [(f"{OF_ROLE}{name}", gettext("Role %(name)s") % {"name": name}) for name in _load_own_roles(scope)]
    return [(PRIVATE, gettext("Only you")), *roles, (RECORD, shared)]


def resolve_audience(scope: Scope, visibility: str) -> int | None:
    """The audience of a new conversation. None for a choice that the caller does not have: a role that is not theirs
    and one that is not there are the same.
    """
    if visibility == PRIVATE:
        return scope.principal
    if visibility == RECORD:
        return EVERYBODY
    role = _load_own_roles(scope).get(visibility.removeprefix(OF_ROLE)) if visibility.startswith(OF_ROLE) else None
    return -role if role else None


def describe_readers(scope: Scope, session: Session) -> Readers:
    """Of a session from `get_session_or_404`."""
    owner = load_once(f"person {session.owner}", lambda: name_people({session.owner})).get(session.owner, "")
    if session.is_private:
        return Readers(PRIVATE, gettext("Only you see this conversation."), owner)
    if session.audience == EVERYBODY:
        who = gettext("Who may see this record") if session.entity_id else gettext("Everybody in this workspace")
        return Readers(RECORD, gettext(AS_CLEARED) % {"who": who}, owner)
    names = Role.objects.values_list("name", flat=True)
    name = load_once(f"role {-session.audience}", lambda: names.get(pk=-session.audience))
    of_role = gettext("Who has the role %(name)s and may see this record")
    who = (of_role if session.entity_id else gettext("Who has the role %(name)s")) % {"name": name}
    return Readers(f"{OF_ROLE}{name}", gettext(AS_CLEARED) % {"who": who}, owner)


def load_common_atoms(scope: Scope, session: Session) -> frozenset[int]:
    """The atoms that everybody holds who reads a session today, in the service's scope. Who cannot sign in does not
    count. A reader too many leaves an atom out; nothing is shown to anybody because of this.
    """
    people = Membership.objects.filter(user__is_active=True)
    if session.audience != EVERYBODY:
        people = people.filter(user__groups__role=-session.audience)
    held = load_atoms_of_people(set(people.values_list("user", flat=True)))
    records = Entity.objects.filter(pk__in=[pk for pk in [session.entity_id] if pk])
    is_closed = records.exclude(visibility=Visibility.WORKSPACE).exists()
    common, looked_up = frozenset().union(*held.values()), 0
    for user, atoms in held.items():
        if common <= atoms:
            continue
        if is_closed and looked_up < MAX_LOOKED_UP:
            looked_up += 1
            if not records.visible_to(replace(scope, principal=user, kind=ScopeKind.USER)).exists():
                continue
        common &= atoms
    return common


def name_people(users: set[int]) -> dict[int, str]:
    """User id -> name, of who wrote in a conversation that the caller reads; also of people who have left since."""
    return {user.pk: str(user) for user in User.objects.filter(pk__in=users)}


def _load_own_roles(scope: Scope) -> dict[str, int]:
    """Name -> key of the caller's roles; of one that they are held to, that one."""
    rows = Role.objects.filter(group__user=scope.principal).exclude(name=PULSE_ROLE).order_by("name")
    if scope.narrowed_to:
        rows = rows.filter(pk=-scope.narrowed_to)
    return dict(rows.values_list("name", "pk"))
