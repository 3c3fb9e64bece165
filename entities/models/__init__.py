from entities.models.audit import AuditEntry, AuditLink, AuditText
from entities.models.classification import Classification, ClassificationGrant, LabelGrant
from entities.models.entity import Alias, Entity
from entities.models.grants import EntityRoleGrant, EntityUserGrant
from entities.models.people import Invitation, MadeOnce, Membership, Role, Token, User, Workspace, WorkspaceSettings
from entities.models.sign_in import SignInCount
from entities.models.source import Derived, Source, Weight
from entities.models.text import FieldParagraph, Labelled, Review
from entities.types import *  # noqa: F403  every concrete type is a model of this app

__all__ = [
    "Alias",
    "AuditEntry",
    "AuditLink",
    "AuditText",
    "Classification",
    "ClassificationGrant",
    "Derived",
    "Entity",
    "EntityRoleGrant",
    "EntityUserGrant",
    "FieldParagraph",
    "LabelGrant",
    "Labelled",
    "MadeOnce",
    "Invitation",
    "Membership",
    "Review",
    "Role",
    "SignInCount",
    "Source",
    "Token",
    "User",
    "Weight",
    "Workspace",
    "WorkspaceSettings",
]
