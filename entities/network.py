"""Who may reach this installation, and from where somebody does."""

from ipaddress import IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1", "[::1]"})


def is_public() -> bool:
    """Whether people on other machines may reach this installation, directly or through a proxy."""
    return (
        settings.CLEARANCE_BIND not in LOOPBACK
        or settings.CLEARANCE_HTTPS
        or not LOOPBACK.issuperset(settings.ALLOWED_HOSTS)
    )


def get_network(request: HttpRequest) -> str:
    """Whence a request came: the peer, or whom a proxy of CLEARANCE_PROXIES names (config.child). Of IPv6 the /64: one
    machine may have all its addresses.
    """
    given = request.META.get("REMOTE_ADDR", "")
    try:
        address = ip_address(given)
    except ValueError:
        return str(given)
    return str(ip_network((address, 64), strict=False)) if isinstance(address, IPv6Address) else given
