"""Inviting somebody to a workspace by a link, which is good once and for a week (docs/access.md).

The link has the workspace's slug and a secret of 256 bits; the database has the secret's SHA-256 alone. Who follows it
makes an account under the workspace's own names, or joins with the one that they have. So neither side learns which
accounts the installation has.
"""

import secrets
from collections.abc import Iterable
from datetime import timedelta
from hashlib import sha256

from django.db.models import QuerySet
from django.utils import timezone

from entities.access import Scope
from entities.actions import add_member, announce_access_change, record_action
from entities.models import Invitation, Role, User, Workspace

VALID_DAYS = 7
SECRET_BYTES = 32


class InvitationEnded(Exception):
    """It was used, withdrawn, is too old, or never was: the four are the same answer."""


def make_invitation(scope: Scope, *, note: str, roles: Iterable[Role]) -> str:
    """The path of the link, which can be shown this once. In the open scope of an administrator."""
    secret = secrets.token_urlsafe(SECRET_BYTES)
    invitation = Invitation.objects.create(
        workspace_id=scope.workspace,
        digest=_hash_secret(secret),
        note=note,
        roles=sorted(role.pk for role in roles),
        created_by=scope.principal,
        expires_at=timezone.now() + timedelta(days=VALID_DAYS),
    )
    record_action(scope, "invitation.added", "invitation", invitation.pk, roles=invitation.roles)
    return f"/invited/{scope.slug}/{secret}/"


def list_invitations() -> QuerySet[Invitation]:
    """Those that can still be used, the latest first. In an open scope."""
    return Invitation.objects.filter(expires_at__gt=timezone.now()).order_by("-created_at")


def withdraw_invitation(scope: Scope, invitation: Invitation) -> bool:
    """Whether it was there still. In the open scope of an administrator."""
    gone, _ = Invitation.objects.filter(pk=invitation.pk).delete()
    if gone:
        record_action(scope, "invitation.withdrawn", "invitation", invitation.pk)
    return bool(gone)


def find_invitation(slug: str, secret: str) -> tuple[Workspace, Invitation, list[Role]]:
    """The workspace, the invitation and its roles. Needs no scope open. Raises: InvitationEnded."""
    workspace = Workspace.objects.filter(slug=slug).first()
    if workspace is None:
        raise InvitationEnded
    with Scope.for_service(workspace.pk).open():
        invitation = list_invitations().filter(digest=_hash_secret(secret)).first()
        if invitation is None or not _can_still_administer(invitation.created_by):
            raise InvitationEnded
        return workspace, invitation, list(Role.objects.filter(pk__in=invitation.roles).order_by("name"))


def accept_invitation(workspace: Workspace, secret: str, user: User) -> None:
    """Make `user` a member, and end the invitation, in one transaction. A user who is new is saved in it.

    Needs no scope open. Raises: InvitationEnded.
    """
    scope = Scope.for_service(workspace.pk)
    with scope.open():
        mine = list_invitations().select_for_update().filter(digest=_hash_secret(secret)).first()
        if mine is None or not _can_still_administer(mine.created_by):
            raise InvitationEnded
        record_action(scope, "invitation.accepted", "invitation", mine.pk)
        if user.pk is None:
            user.save()
        add_member(workspace, user, Role.objects.filter(pk__in=mine.roles))
        mine.delete()
        announce_access_change(scope)


def _can_still_administer(user: int) -> bool:
    """An invitation is good as long as who made it could make it again. In the open scope of the service."""
    return Role.objects.filter(group__user=user, is_admin=True).exists()


def _hash_secret(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
