"""Who may reach this installation."""

from django.conf import settings

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1", "[::1]"})


def is_public() -> bool:
    """Whether people on other machines may reach this installation, directly or through a proxy."""
    return (
        settings.CLEARANCE_BIND not in LOOPBACK
        or settings.CLEARANCE_HTTPS
        or not LOOPBACK.issuperset(settings.ALLOWED_HOSTS)
    )
