"""Tokens. The middleware has resolved the token already, because the scope must be open before the view runs."""

from django.utils.translation import gettext
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework import authentication, exceptions
from rest_framework.request import Request


class TokenAuthentication(authentication.BaseAuthentication):
    """`Authorization: Token …`; a token belongs to one membership, so it names its workspace too."""

    def authenticate(self, request: Request) -> tuple[object, str] | None:
        scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "token" or not secret:
            return None
        user = getattr(request._request, "token_user", None)
        if user is None:
            raise exceptions.AuthenticationFailed(gettext("This token is not valid."))
        return user, secret

    def authenticate_header(self, request: Request) -> str:
        return "Token"


class TokenScheme(OpenApiAuthenticationExtension):
    target_class = "entities.api.auth.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "apiKey", "in": "header", "name": "Authorization", "description": "`Token <secret>`"}
