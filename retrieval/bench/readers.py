"""Readers of a workspace to measure in, by how much of it they see and through what."""

from collections.abc import Sequence
from dataclasses import dataclass

from entities.access import Scope
from entities.actions import add_member, create_role
from entities.models import Classification, User, Workspace

# Label -> share of rows. 7 is found in restricted records alone; 8 to 13 are the workspace's own and rare.
SHARES = {
    0: 0.0001, 1: 0.60, 2: 0.1554, 7: 0.20, 8: 0.03, 9: 0.01, 10: 0.003, 11: 0.001, 12: 0.0003, 13: 0.0002,
}  # fmt: skip
OWN = tuple(label for label in SHARES if label >= 7)
RESTRICTED_ONLY = 7

# name -> labels held, share of the restricted records that were granted.
READERS: dict[str, tuple[tuple[int, ...], float]] = {
    "all of it": ((1, 2, *OWN), 1.0),
    "one label, open records": ((1,), 0.0),
    "half of the restricted records": ((7,), 0.5),
    "1 in 20 restricted records": ((7,), 0.05),
    "1 in 200 restricted records": ((7,), 0.005),
    "1 in 2,000 restricted records": ((7,), 0.0005),
    "a label of 3 % of rows": ((8,), 0.0),
    "a label of 0.3 % of rows": ((10,), 0.0),
    "a label of 0.03 % of rows": ((12,), 0.0),
    "a label of 0.02 % of rows": ((13,), 0.0),
}


@dataclass(frozen=True)
class BenchReader:
    """labels: that they hold, Public among them. granted: share of the restricted records. group: of their role."""

    name: str
    scope: Scope
    labels: tuple[int, ...]
    granted: float
    group: int
    user: User


def make_readers(workspace_id: int) -> dict[str, BenchReader]:
    """One member and role each, in the open service scope."""
    workspace = Workspace.objects.get(pk=workspace_id)
    Classification.objects.bulk_create(
        Classification(workspace=workspace, value=value, label=f"Bench {value}", components=[value]) for value in OWN
    )
    return {name: _create_reader(workspace, name, labels, granted) for name, (labels, granted) in READERS.items()}


def _create_reader(workspace: Workspace, name: str, labels: Sequence[int], granted: float) -> BenchReader:
    role = create_role(workspace, name, list(labels))
    user = User.objects.create_user(f"bench-{workspace.pk}-{role.pk}")
    add_member(workspace, user, [role])
    scope = Scope(workspace.pk, user.pk, Scope.for_service(workspace.pk).kind.USER, workspace.slug)
    return BenchReader(name, scope, (0, *labels), granted, role.group_id, user)
