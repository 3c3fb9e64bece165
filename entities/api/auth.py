"""Tokens. The middleware has resolved the token already, because the scope must be open before the view runs."""

import secrets
from hashlib import sha256

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework import authentication, exceptions
from rest_framework.request import Request

from entities.models import Membership, Token


class TokenAuthentication(authentication.BaseAuthentication):
    """`Authorization: Token …`; a token belongs to one membership, so it names its workspace too."""

    def authenticate(self, request: Request) -> tuple[object, str] | None:
        scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "token" or not secret:
            return None
        user = getattr(request._request, "token_user", None)
        if user is None:
            raise exceptions.AuthenticationFailed("This token is not valid.")
        return user, secret

    def authenticate_header(self, request: Request) -> str:
        return "Token"


class TokenScheme(OpenApiAuthenticationExtension):
    target_class = "entities.api.auth.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "apiKey", "in": "header", "name": "Authorization", "description": "`Token <secret>`"}


def issue_token(membership: Membership, name: str = "") -> str:
    """Make a token for a membership, in the open scope of its workspace. The secret is returned once and not stored."""
    secret = secrets.token_urlsafe(32)
    Token.objects.create(
        workspace_id=membership.workspace_id,
        membership=membership,
        digest=sha256(secret.encode()).hexdigest(),
        name=name,
    )
    return secret
