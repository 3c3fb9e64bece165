"""Who opened a stream: found anew from the headers of the request, as `entities.middleware` finds it, at every look."""

from dataclasses import dataclass, field
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from importlib import import_module

from django.conf import settings
from django.contrib.auth import get_user
from django.http import HttpRequest

from entities.access import Scope, open_token
from entities.models import User

CREDENTIALS = ("authorization", "cookie", "x-workspace")
"""Headers that say who asks."""


class NotSignedIn(Exception):
    """Nobody, or nobody any more."""


@dataclass(frozen=True)
class Who:
    """Who asks, as the request says: slug: of the workspace in the address. headers: those of CREDENTIALS."""

    slug: str | None
    headers: tuple[tuple[str, str], ...] = field(repr=False)

    def scope(self) -> Scope:
        """Their scope, looked up at every call. Raises: NotSignedIn; NoWorkspace."""
        return identify(self.slug, dict(self.headers)).with_attachments()


def read_caller(path: str, headers: dict[str, str]) -> Who:
    """Who asks by a request of this path with these headers (names in lower case)."""
    parts = path.strip("/").split("/")
    slug = parts[1] if parts[0] == "w" and len(parts) > 1 else None
    return Who(slug, tuple((name, headers[name]) for name in CREDENTIALS if name in headers))


def identify(slug: str | None, headers: dict[str, str]) -> Scope:
    """Who asks, in which workspace, as `entities.middleware` finds it. Raises: NotSignedIn; NoWorkspace."""
    scheme, _, secret = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "token" and secret:
        # Under a workspace's address the API takes no token, and it is not made good by a cookie.
        digest = sha256(secret.strip().encode()).hexdigest()
        found = open_token(digest) if slug is None else None
        user = User.objects.filter(pk=found[0], is_active=True).first() if found else None
        if found is None or user is None:
            raise NotSignedIn
        let_in = {"token": digest}
        slug = found[1]
    else:
        user, key = get_session_user(headers.get("cookie", ""))
        let_in = {"sign_in": key}
        slug = slug or headers.get("x-workspace", "")
    if user.password_by_other:
        raise NotSignedIn
    return Scope.for_user(user, slug, **let_in)


def get_session_user(cookies: str) -> tuple[User, str]:
    """The user of a browser's session, and its key. Raises: NotSignedIn."""
    try:
        morsel = SimpleCookie(cookies).get(settings.SESSION_COOKIE_NAME)
    except CookieError:
        morsel = None
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(morsel.value if morsel else None)
    user = get_user(request)
    if not isinstance(user, User) or not user.is_active:
        raise NotSignedIn
    return user, request.session.session_key or ""
