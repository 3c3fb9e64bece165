"""Is the process alive, and can it serve? For load balancers and process managers; says nothing about data."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse

from config import checks
from ingestion.sandbox.strength import Strength, measure_strength

# Anybody may ask, so the answer is reused for this many seconds.
REUSED = 2.0


def database() -> bool:
    return checks.run_query("SELECT 1") == [(1,)]


def migrations() -> bool:
    return not checks.list_unapplied_migrations()


def row_level_security() -> bool:
    return not checks.list_unprotected_tables()


def broker() -> bool:
    checks.check_broker()
    return True


CHECKS: tuple[Callable[[], bool], ...] = (database, migrations, row_level_security, broker)


@dataclass(frozen=True)
class Readiness:
    at: float
    results: dict[str, bool]
    strength: Strength


_last: Readiness | None = None


def check_readiness() -> Readiness:
    """Run every check; one that raises has failed."""
    results = {}
    for check in CHECKS:
        try:
            results[check.__name__] = check()
        except Exception:
            results[check.__name__] = False
            connection.close()
    try:
        strength = measure_strength()
    except Exception:
        strength = Strength.REFUSED
    results["sandbox"] = strength != Strength.REFUSED
    return Readiness(time.monotonic(), results, strength)


def healthz(request: HttpRequest) -> HttpResponse:
    """200 as long as the process answers; touches no database."""
    return HttpResponse("ok\n", content_type="text/plain")


def readyz(request: HttpRequest) -> HttpResponse:
    """200 with `{"ready": true, "checks": {name: bool}, "sandbox": "full"}`, or 503 with what is missing. sandbox: how
    well the process is bounded that opens files, `full`, `weak` or `refused`."""
    global _last
    if _last is None or time.monotonic() - _last.at > REUSED:
        _last = check_readiness()
    ready = all(_last.results.values())
    return JsonResponse(
        {"ready": ready, "checks": _last.results, "sandbox": _last.strength}, status=200 if ready else 503
    )
