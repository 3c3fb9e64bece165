"""Wrong passwords are counted, for the page and the API alike, so that guessing is slow.

Counted in the cache of the web process, by user name and address together, and by each alone with a higher limit.
"""

from hashlib import sha256

from django.core.cache import cache
from django.http import HttpRequest
from django.utils.translation import gettext_lazy

WINDOW = 300
"""Seconds after the first wrong password until the count begins anew."""
LIMITS = {"both": 10, "name": 50, "address": 100}
SLOW_DOWN = gettext_lazy("Too many wrong passwords. Try again in five minutes.")


def _build_cache_keys(request: HttpRequest, username: str) -> dict[str, str]:
    # REMOTE_ADDR and no header: a header is the caller's to write.
    address, name = request.META.get("REMOTE_ADDR", ""), username.strip().lower()[:150]
    keys = {"both": f"{name}|{address}", "name": name, "address": address}
    return {kind: f"sign-in:{kind}:{sha256(key.encode()).hexdigest()}" for kind, key in keys.items()}


def too_many(request: HttpRequest, username: str) -> bool:
    keys = _build_cache_keys(request, username)
    counts = cache.get_many(keys.values())
    return any(counts.get(keys[kind], 0) >= limit for kind, limit in LIMITS.items())


def note_wrong_password(request: HttpRequest, username: str) -> None:
    for key in _build_cache_keys(request, username).values():
        if not cache.add(key, 1, WINDOW):
            cache.incr(key)
