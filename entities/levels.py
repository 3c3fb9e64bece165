"""The levels of a workspace as administrators describe them, its own name, and its kinds of records."""

from collections.abc import Mapping, Sequence

from entities.access import Scope
from entities.actions import announce_access_change
from entities.audit import record_action
from entities.models import Classification, Workspace, WorkspaceSettings
from entities.registry import list_entity_types


def change_level(scope: Scope, level: Classification, *, description: str, conceal: bool) -> bool:
    """Write a level's description, which the model is told, and whether its text leaves no placeholder. In the open
    scope of an administrator. Returns whether something changed.
    """
    before = Classification.objects.select_for_update().get(pk=level.pk)
    if (before.description, before.conceal) == (description, conceal):
        return False
    Classification.objects.filter(pk=level.pk).update(description=description, conceal=conceal)
    record_action(scope, "classification.changed", "classification", level.pk, value=level.value, conceal=conceal)
    announce_access_change(scope)
    return True


def rename_workspace(scope: Scope, name: str) -> bool:
    """In the open scope of an administrator. Its address stays. Returns whether the name is another one."""
    renamed = Workspace.objects.filter(pk=scope.workspace).exclude(name=name).update(name=name)
    if renamed:
        record_action(scope, "workspace.renamed", "workspace", scope.workspace)
    return bool(renamed)


def choose_kinds(scope: Scope, shown: Sequence[str], names: Mapping[str, Sequence[str]]) -> bool:
    """In the open scope of an administrator. shown: keys of the types that the menus have, in order; none is all of
    them. names: by key, what a type is called here, as (one, several); "" for the usual name. Returns whether something
    changed.
    """
    every = list(shown) in ([], list(list_entity_types()))
    chosen = (None if every else list(shown), {key: list(pair) for key, pair in names.items()})
    if WorkspaceSettings.objects.select_for_update().values_list("kinds", "kind_names").get() == chosen:
        return False
    WorkspaceSettings.objects.update(kinds=chosen[0], kind_names=chosen[1])
    record_action(scope, "workspace.kinds", "workspace", scope.workspace)
    return True
