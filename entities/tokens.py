"""API tokens: a person makes, names and ends their own, one workspace at a time (docs/api.md)."""

import secrets
from datetime import datetime, timedelta
from hashlib import sha256

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy

from entities.access import Scope
from entities.audit import record_action
from entities.models import Membership, Token

LIFETIMES_IN_DAYS = {
    30: gettext_lazy("30 days"),
    90: gettext_lazy("90 days"),
    365: gettext_lazy("1 year"),
    0: gettext_lazy("No end"),
}
MAX_TOKENS = 50
"""Of one person in one workspace."""


def issue_token(membership: Membership, name: str = "", expires_at: datetime | None = None) -> str:
    """Make a token for a membership, in the open scope of its workspace. The secret is returned once and not stored."""
    secret = secrets.token_urlsafe(32)
    Token.objects.create(
        workspace_id=membership.workspace_id,
        membership=membership,
        digest=sha256(secret.encode()).hexdigest(),
        name=name,
        expires_at=expires_at,
    )
    return secret


def list_tokens(scope: Scope) -> QuerySet[Token]:
    """The caller's own that still work, the latest first."""
    return Token.objects.filter(membership__user=scope.principal).order_by("-created_at", "pk")


def make_token(scope: Scope, *, name: str, days: int) -> str:
    """A token of the caller's that works for so many days; 0 for no end. Returns its secret."""
    ends = timezone.now() + timedelta(days=days) if days else None
    secret = issue_token(Membership.objects.get(user=scope.principal), name, ends)
    record_action(scope, "token.issued", "user", scope.principal)
    return secret


def revoke_token(scope: Scope, key: str) -> bool:
    """Whether it was the caller's and there still. Requests that begin afterwards are refused."""
    gone, _ = list_tokens(scope).order_by().filter(digest__startswith=key).delete()
    if gone:
        record_action(scope, "token.revoked", "user", scope.principal)
    return bool(gone)
