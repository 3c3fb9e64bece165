"""What a workspace has decided about its labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from entities.access import list_atoms, load_atoms_by_label
from entities.models import WorkspaceSettings
from ingestion.kinds import build_kind_floors


@dataclass(frozen=True)
class Policy:
    """guidance: advice to the model. epoch: of its rules; None without settings. resting: the atoms of what nobody has
    judged; None for no label. kind_floors: what documents of each kind need at least.
    """

    guidance: str
    epoch: int | None
    resting: frozenset[int] | None
    kind_floors: Mapping[str, frozenset[int]]


def load_policy(*, hold: bool = False) -> Policy:
    """Of the open scope's workspace. hold: nobody changes it until this transaction ends."""
    held = "SELECT * FROM entities_workspacesettings FOR SHARE"
    row = next(iter(WorkspaceSettings.objects.raw(held) if hold else WorkspaceSettings.objects.all()), None)
    if row is None:
        return Policy("", None, None, build_kind_floors({}))
    atoms = None if row.resting is None else frozenset(list_atoms(row.resting))
    return Policy(row.classification_prompt, row.policy_epoch, atoms, build_kind_floors(row.kind_floors))


def load_resting(*, hold: bool = False) -> frozenset[int] | None:
    """The atoms of what nobody in the open scope's workspace has judged; None where it has no label. hold: as
    `load_policy`.
    """
    return load_policy(hold=hold).resting


def load_least_resting() -> frozenset[int]:
    """The atoms of a text that must have a label and that nobody has judged: where unjudged text has none, all."""
    resting = load_resting()
    return frozenset(load_atoms_by_label()) if resting is None else resting


def load_workspace_guidance() -> str:
    return load_policy().guidance
