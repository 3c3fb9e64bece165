"""What administrators of a workspace manage: people, roles, classifications, grants, and records' metadata."""

from entities.admin.audit import AuditAdmin
from entities.admin.base import ListAdmin, WorkspaceAdmin
from entities.admin.labels import ClassificationAdmin
from entities.admin.people import MembershipAdmin, RoleAdmin
from entities.admin.records import EntityAdmin, GrantAdmin
from entities.admin.workspace import SettingsAdmin
from entities.admin_site import site
from entities.models import (
    AuditEntry,
    Classification,
    Entity,
    EntityRoleGrant,
    EntityUserGrant,
    Membership,
    Role,
    WorkspaceSettings,
)

__all__ = ["ListAdmin", "WorkspaceAdmin"]

site.register(Classification, ClassificationAdmin)
site.register(Role, RoleAdmin)
site.register(Membership, MembershipAdmin)
site.register(EntityUserGrant, GrantAdmin)
site.register(EntityRoleGrant, GrantAdmin)
site.register(Entity, EntityAdmin)
site.register(WorkspaceSettings, SettingsAdmin)
site.register(AuditEntry, AuditAdmin)
