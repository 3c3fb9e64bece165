"""Names for what rows of the administration are about, as far as the administrator may read them."""

from collections.abc import Callable, Collection, Iterable
from uuid import UUID

from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext

from entities.access import Scope
from entities.models import Classification, Entity, Membership, Role, User
from entities.registry import list_entity_types

Thing = tuple[str, str]
"""Its kind and its id, as the audit has them."""
NameFinder = Callable[[Scope, Collection[UUID]], dict[UUID, tuple[str, str]]]
"""Id -> (address, name) of what the scope may know of."""
FINDERS: dict[str, NameFinder] = {}
"""By kind; apps that build on this one add theirs when they are ready."""


def find_names(scope: Scope, things: Iterable[Thing]) -> dict[Thing, str]:
    """HTML: the name, with a link where there is a page. What is hidden, gone, or of another kind is left out."""
    wanted: dict[str, set[str]] = {}
    for kind, pk in things:
        wanted.setdefault("record" if kind in (*list_entity_types(), "record") else kind, set()).add(pk)
    records = Entity.objects.readable_by(scope).filter(pk__in=_parse_uuids(wanted.get("record", ())))
    found = {
        ("record", str(e.pk)): _render_link(reverse("entities:detail", args=[e.pk]), e.title_or_type) for e in records
    }
    for kind, name, model in (("role", "role", Role), ("classification", "classification", Classification)):
        for row in model._default_manager.filter(pk__in=_parse_numbers(wanted.get(kind, ()))):
            found[kind, str(row.pk)] = _render_link(reverse(f"admin:entities_{name}_change", args=[row.pk]), str(row))
    members = Membership.objects.select_related("user")
    for membership in members.filter(pk__in=_parse_numbers(wanted.get("membership", ()))):
        found["membership", str(membership.pk)] = _link_to_member(membership)
    for membership in members.filter(user__in=_parse_numbers(wanted.get("user", ()))):
        found["user", str(membership.user_id)] = _link_to_member(membership)
    for kind, find in FINDERS.items():
        for file, (url, name) in find(scope, _parse_uuids(wanted.get(kind, ()))).items():
            found[kind, str(file)] = _render_link(url, name)
    return {
        (kind, pk): found[of, pk]
        for kind, pk in things
        if (of := "record" if kind in list_entity_types() else kind, pk) in found
    }


def find_people(principals: Iterable[int]) -> dict[int, str]:
    """Names of users and roles (as minus their keys), and of the service."""
    principals = set(principals)
    people = {user.pk: str(user) for user in User.objects.filter(pk__in=principals)}
    roles = {-role.pk: role.name for role in Role.objects.filter(pk__in=[-number for number in principals])}
    return {0: gettext("the program"), **people, **roles}


def _link_to_member(membership: Membership) -> str:
    return _render_link(reverse("admin:entities_membership_change", args=[membership.pk]), str(membership.user))


def _render_link(url: str, name: str) -> str:
    return format_html('<a href="{}">{}</a>', url, name)


def _parse_numbers(keys: Iterable[str]) -> list[int]:
    return [int(key) for key in keys if key.isascii() and key.isdigit() and len(key) < 10]


def _parse_uuids(keys: Iterable[str]) -> list[UUID]:
    found = []
    for key in keys:
        try:
            found.append(UUID(key))
        except ValueError:
            continue
    return found
