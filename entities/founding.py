"""A workspace with its founder: for `manage.py create_workspace`, and for the page of the first run."""

from collections.abc import Collection, Iterable, Sequence

from django.db import transaction
from django.db.models import TextChoices
from django.utils.translation import gettext_lazy

from entities.access import Scope
from entities.actions import SEEDED, add_member, create_role, create_workspace, load_resting_level
from entities.models import ClassificationGrant, Role, User, Workspace, WorkspaceSettings
from entities.signals import languages_chosen

FOUNDER = "Founder"
"""The role that has the founder's clearances."""
ALL_LEVELS = tuple(value for value, *_ in SEEDED if value)


class Languages(TextChoices):
    """In which languages the documents of a workspace are."""

    SEVERAL = "several", gettext_lazy("Other languages, or several")
    ENGLISH = "english", gettext_lazy("English only")


def found_workspace(
    *,
    slug: str,
    name: str,
    founder: User,
    levels: Iterable[int] = ALL_LEVELS,
    steward: bool = True,
    kinds: Sequence[str] | None = None,
    languages: str = Languages.SEVERAL,
    resting: int | None = None,
) -> Workspace:
    """All of it or none, for a workspace without its administrator could be entered by nobody. Needs no scope open.

    levels: what the founder is cleared for, Public aside. kinds: names of the record types that the menus offer; None:
    all. resting: as of `create_workspace`; the seeded roles of people have it where the founder is cleared for it.
    """
    names = ["Admin", "Editor", *(["Steward"] if steward else [])]
    cleared = list(levels)
    with transaction.atomic():
        workspace = create_workspace(slug=slug, name=name, resting=resting)
        with Scope.for_service(workspace.pk).open():
            roles = list(Role.objects.filter(name__in=names))
            give_resting_level(cleared)
            if cleared:
                roles.append(create_role(workspace, FOUNDER, cleared))
            add_member(workspace, founder, roles)
            if kinds is not None:
                WorkspaceSettings.objects.update(kinds=list(kinds))
            languages_chosen.send(None, workspace=workspace.pk, languages=languages)
    return workspace


def give_resting_level(cleared: Collection[int]) -> None:
    """To the seeded roles of people. Not where the founder has none of it: they would have it through these roles."""
    level = load_resting_level()
    if level is not None and level.value in cleared:
        ClassificationGrant.objects.bulk_create(
            ClassificationGrant(workspace_id=role.workspace_id, role=role, classification=level)
            for role in Role.objects.filter(name__in=["Admin", "Editor", "Steward"])
        )
