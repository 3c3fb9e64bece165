"""The only door to data (design §2.4).

A `Scope` says who reads in which workspace; it is opened around database work, and PostgreSQL's row-level security does
the rest from the settings that opening makes. `visible_to` and `readable_by` on entities add object permission.
Outside an open scope every workspace table is empty.
"""

from entities.access.grants import grant_entity, revoke_entity
from entities.access.labels import (
    allowed_labels,
    atoms_by_label,
    atoms_of,
    combine,
    combine_many,
    concealed_atoms,
    held_atoms,
    missing_atoms,
    raise_labels,
    readable_now,
)
from entities.access.objects import (
    clears,
    entity_content_type,
    field_is_readable,
    get_entity_or_404,
    may,
    may_create,
    readable_fields,
    redacted_fields,
    select_readable,
    sources_visible,
    visible,
)
from entities.access.routes import (
    ADMIN,
    MEMBER,
    OWN_ACCOUNT,
    PUBLIC_ROUTE,
    SIGNED_IN,
    STEWARD,
    Rule,
    requires,
    rule_of,
)
from entities.access.scope import (
    Kind,
    NoWorkspace,
    Scope,
    ScopeError,
    current,
    make_group,
    open_token,
    scope_is_open,
    workspaces_of,
)

__all__ = [
    "ADMIN",
    "MEMBER",
    "OWN_ACCOUNT",
    "PUBLIC_ROUTE",
    "SIGNED_IN",
    "STEWARD",
    "Kind",
    "NoWorkspace",
    "Rule",
    "Scope",
    "ScopeError",
    "allowed_labels",
    "atoms_by_label",
    "atoms_of",
    "clears",
    "combine",
    "combine_many",
    "current",
    "entity_content_type",
    "field_is_readable",
    "get_entity_or_404",
    "grant_entity",
    "concealed_atoms",
    "held_atoms",
    "make_group",
    "may",
    "may_create",
    "missing_atoms",
    "open_token",
    "raise_labels",
    "readable_fields",
    "readable_now",
    "redacted_fields",
    "requires",
    "revoke_entity",
    "rule_of",
    "scope_is_open",
    "select_readable",
    "sources_visible",
    "visible",
    "workspaces_of",
]
