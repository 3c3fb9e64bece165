"""After wrong passwords the next try has to wait, for the page and the API alike (docs/adr/0073).

A try is counted before its password is looked at, in the database that all processes share, and taken back when it was
right: of many at once no more are looked at than one after the other. Where the browser is known to the account, only
what was typed in it counts; else the account together with the address, and the account by itself. So a guesser holds
up neither who signs in where they always do, nor somebody else behind the same proxy.
"""

from dataclasses import dataclass
from datetime import timedelta
from math import ceil

from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.db.models import F
from django.forms import BaseForm
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import ngettext

from entities.devices import read_device
from entities.models.sign_in import SignInCount
from entities.network import get_network

FORGOTTEN = timedelta(days=1)
"""After the last wrong password the count begins anew."""


@dataclass(frozen=True)
class Limit:
    """`free` wrong passwords without a wait; then `first` seconds, twice as many after each further one."""

    free: int
    first: int
    longest: int  # seconds


DEVICE = Limit(10, int(FORGOTTEN.total_seconds()), int(FORGOTTEN.total_seconds()))
"""Of a known device, which is a stranger then."""
PLACE = Limit(5, 1, 60)
"""Of an account from an address."""
ACCOUNT = Limit(50, 1, 60)
"""Of an account from wherever it is not known."""

# The power is bounded before it is raised: a count may be large.
WAIT = """make_interval(secs => CASE WHEN c.count < %(free)s THEN 0
  ELSE least(%(longest)s, %(first)s * 2 ^ least(c.count - %(free)s, 20)) END)"""
TAKE = f"""
INSERT INTO entities_signincount AS c (key, count, last_at) VALUES (%(key)s, 1, clock_timestamp())
ON CONFLICT (key) DO UPDATE SET
  count = CASE WHEN c.last_at < clock_timestamp() - %(forgotten)s THEN 1 ELSE c.count + 1 END,
  last_at = clock_timestamp()
WHERE c.last_at + {WAIT} <= clock_timestamp()
RETURNING 0
"""  # noqa: S608  our own words
LEFT = f"""
SELECT extract(epoch FROM c.last_at + {WAIT} - clock_timestamp()) FROM entities_signincount c WHERE key = %(key)s
"""  # noqa: S608  our own words


class MustWait(ValidationError):
    """No password is looked at for `seconds`."""

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        words = ngettext(
            "Too many wrong passwords. Wait %(count)s second, then try again.",
            "Too many wrong passwords. Wait %(count)s seconds, then try again.",
            seconds,
        )
        super().__init__(words % {"count": seconds})


@dataclass(frozen=True)
class Attempt:
    """A try that is counted as wrong until it is said to be otherwise. keys: of rows; the first is the caller's own."""

    keys: tuple[str, ...]

    def forgive(self) -> None:
        """The password was right: nothing that was typed here before counts any more."""
        SignInCount.objects.filter(key=self.keys[0]).delete()
        self._take_back(self.keys[1:])

    def withdraw(self) -> None:
        """The password was not looked at."""
        self._take_back(self.keys)

    def _take_back(self, keys: tuple[str, ...]) -> None:
        SignInCount.objects.filter(key__in=keys, count__gt=0).update(count=F("count") - 1)


def begin_attempt(request: HttpRequest, username: str) -> Attempt:
    """Count a try to sign in as `username`, who may or may not exist. Raises: MustWait."""
    name = username.strip().lower()[:150]
    device = read_device(request)
    if device.knows(username):
        key = _hash("device", name, device.id)
        if _take(key, DEVICE) is None:
            return Attempt((key,))
    limits = {_hash("place", name, get_network(request)): PLACE, _hash("account", name): ACCOUNT}
    with transaction.atomic():
        for key, limit in limits.items():
            if (seconds := _take(key, limit)) is not None:
                raise MustWait(seconds)
    return Attempt(tuple(limits))


def get_wait(form: BaseForm) -> int:
    """Seconds after which a form that was refused may be sent again; 0 where something else is wrong with it."""
    every = (error for errors in form.errors.as_data().values() for error in errors)
    return next((error.seconds for error in every if isinstance(error, MustWait)), 0)


def sweep_counts() -> int:
    """Delete what counts no more. Returns how many rows."""
    return SignInCount.objects.filter(last_at__lt=timezone.now() - FORGOTTEN).delete()[0]


def _take(key: str, limit: Limit) -> int | None:
    """Count one more, or the seconds until that is possible."""
    parameters = {"key": key, "forgotten": FORGOTTEN, **vars(limit)}
    with connection.cursor() as cursor:
        cursor.execute(TAKE, parameters)
        if cursor.fetchone():
            return None
        cursor.execute(LEFT, parameters)
        row = cursor.fetchone()
    return max(1, ceil(row[0])) if row else 1


def _hash(*parts: str) -> str:
    return salted_hmac("clearance.attempts", "\n".join(parts), algorithm="sha256").hexdigest()
