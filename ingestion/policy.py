"""What a workspace has decided about its labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from entities.access import list_atoms
from entities.actions import RESTING
from entities.models import WorkspaceSettings
from entities.models.classification import STEWARDS
from ingestion.kinds import build_kind_floors


@dataclass(frozen=True)
class Policy:
    """guidance: advice to the model. epoch: of its rules; None without settings. resting: the atoms of what nobody has
    judged. kind_floors: what documents of each kind need at least.
    """

    guidance: str
    epoch: int | None
    resting: frozenset[int]
    kind_floors: Mapping[str, frozenset[int]]

    @property
    def holds(self) -> bool:
        """Whether findings are held: text rests with stewards and its sender alone."""
        return STEWARDS in self.resting


def load_policy(*, hold: bool = False) -> Policy:
    """Of the open scope's workspace. hold: nobody changes it until this transaction ends."""
    held = "SELECT * FROM entities_workspacesettings FOR SHARE"
    row = next(iter(WorkspaceSettings.objects.raw(held) if hold else WorkspaceSettings.objects.all()), None)
    if row is None:
        return Policy("", None, frozenset({RESTING}), build_kind_floors({}))
    atoms = frozenset(list_atoms(row.resting))
    return Policy(row.classification_prompt, row.policy_epoch, atoms, build_kind_floors(row.kind_floors))


def load_resting() -> frozenset[int]:
    """The atoms of what nobody in the open scope's workspace has judged."""
    return load_policy().resting


def load_workspace_guidance() -> str:
    return load_policy().guidance
