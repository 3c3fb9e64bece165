"""A browser remembers, in a signed cookie, for which accounts a right password was typed in it (docs/adr/0073).

A new password ends what was remembered of the account everywhere. Signing out does not: the next person at this browser
gets in no more easily, for they still need the password.
"""

from dataclasses import dataclass, field
from secrets import token_hex

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponseBase
from django.utils.crypto import constant_time_compare, salted_hmac

from entities.models import User

COOKIE = "clearance_device"
SALT = "clearance.device"
LIFE = 365 * 86_400
"""Seconds for which a device is remembered after the last right password."""
MOST = 20
"""Accounts of one device that are remembered: those that signed in last."""


@dataclass(frozen=True)
class Device:
    """accounts: ids of users, each with a fingerprint of the password that they had."""

    id: str = field(default_factory=lambda: token_hex(16))
    accounts: dict[str, str] = field(default_factory=dict)

    def knows(self, username: str) -> bool:
        user = User.objects.filter(username=username).first() if self.accounts else None
        seen = self.accounts.get(str(user.pk), "") if user else ""
        return user is not None and constant_time_compare(seen, _digest_password(user))


def read_device(request: HttpRequest) -> Device:
    """A new one where no cookie of ours came."""
    try:
        return Device(*signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=LIFE))
    except (signing.BadSignature, TypeError):
        return Device()


def remember_device(request: HttpRequest, response: HttpResponseBase, user: User) -> None:
    """To be called where `user` has just typed or chosen their password."""
    device = read_device(request)
    others = [(key, seen) for key, seen in device.accounts.items() if key != str(user.pk)]
    accounts = dict([*others[1 - MOST :], (str(user.pk), _digest_password(user))])
    response.set_cookie(
        COOKIE,
        signing.dumps([device.id, accounts], salt=SALT),
        max_age=LIFE,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _digest_password(user: User) -> str:
    return salted_hmac(SALT, user.password, algorithm="sha256").hexdigest()[:32]
