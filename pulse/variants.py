"""Which variants of a Pulse there are for whom (design §8).

The service role's clearances are the most that any variant has. A reader is given the variant of everything the role
may read, less what is concealed from that reader: if something concealed stood in it, its label would keep it from
them, and that it exists would be told by its absence. When even that one is above their clearances, they are given the
variant of what they share with the role.
"""

from dataclasses import dataclass

from entities.access import Scope, load_granted_atoms
from entities.access.scope import load_once
from entities.models import Classification, ClassificationGrant, Role

ROLE = "pulse-service"

Atoms = tuple[int, ...]


@dataclass(frozen=True)
class ServiceRole:
    """The role that Pulses are made as. concealed: those of its atoms that show no placeholder."""

    role: Role
    atoms: frozenset[int]
    concealed: frozenset[int]

    @property
    def required_variants(self) -> list[Atoms]:
        """The variants that are kept for every record, whether somebody has asked for them or not."""
        return sorted({sort_atoms(self.atoms), sort_atoms(self.atoms - self.concealed)})


@dataclass(frozen=True)
class Ladder:
    """general: what this reader is shown if its label allows; own: what they are shown otherwise."""

    general: Atoms
    own: Atoms


def sort_atoms(atoms: frozenset[int]) -> Atoms:
    return tuple(sorted(atoms))


def get_service_role() -> ServiceRole | None:
    """The workspace's role, in the open scope; None where there is none, and then there are no Pulses."""
    return load_once("pulse role", _load_service_role)  # type: ignore[no-any-return]


def _load_service_role() -> ServiceRole | None:
    role = Role.objects.select_related("workspace").filter(name=ROLE).first()
    if role is None:
        return None
    grants = ClassificationGrant.objects.filter(role=role).values_list("classification__value", flat=True)
    atoms = frozenset(grants) - {0}
    concealed = Classification.objects.filter(conceal=True, value__in=atoms).values_list("value", flat=True)
    return ServiceRole(role, atoms, frozenset(concealed))


def get_ladder(service: ServiceRole) -> Ladder:
    """The variants for the reader whose scope is open."""
    held = load_granted_atoms()
    return Ladder(sort_atoms(service.atoms - (service.concealed - held)), sort_atoms(service.atoms & held))


def build_role_scope(service: ServiceRole, atoms: Atoms) -> Scope:
    """The scope that a variant is made in: the role, held to the variant's clearances."""
    return Scope.for_role(service.role).limit_to(atoms)
