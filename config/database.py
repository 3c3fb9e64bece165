"""Where the databases are: libpq URLs to what Django and Celery expect."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from psycopg.conninfo import conninfo_to_dict, make_conninfo


def build_connection(url: str, *, pool: int = 0, prepare: bool = True) -> dict[str, Any]:
    """A Django DATABASES entry of a libpq URL or connection string, with a connection pool of at most `pool`.

    prepare: whether statements are prepared when they come again, which a pooler between us and the server may not
    know. Values go beside a statement and not into its text, so that it can come again (docs/adr/0049).
    """
    parts = {key: str(value) for key, value in conninfo_to_dict(url).items()}
    options: dict[str, Any] = {
        "application_name": "clearance",
        "prepare_threshold": 1 if prepare else None,
        "server_side_binding": True,
    }
    entry = {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts.pop("dbname", ""),
        "USER": parts.pop("user", ""),
        "PASSWORD": parts.pop("password", ""),
        "HOST": parts.pop("host", ""),
        "PORT": parts.pop("port", ""),
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": options,
    }
    options.update(parts)
    if pool:
        options["pool"] = {"min_size": 1, "max_size": pool, "timeout": 10}
    return entry


def build_url_for_role(url: str, role: str) -> str:
    """The same database for another role that needs no password (Unix socket, certificate, .pgpass)."""
    parts = {key: str(value) for key, value in conninfo_to_dict(url).items() if key != "password"}
    return make_conninfo("", **{**parts, "user": role})


def build_broker(url: str) -> tuple[str, dict[str, Any]]:
    """(broker URL, transport options) for Celery of `pgmq://…`, a libpq string, or any other kombu URL.

    The transport takes a Unix socket only in libpq's `key=value` form, and insists on a password.
    """
    scheme = urlsplit(url).scheme
    if scheme not in ("", "pgmq", "postgres", "postgresql"):
        # A task is shorter than this (CELERY_TASK_TIME_LIMIT), so nothing is delivered twice while it runs.
        return url, {"visibility_timeout": 1800} if scheme.startswith(("redis", "sqs")) else {}
    if scheme == "pgmq":
        parsed = urlsplit(url)
        given = {
            "host": unquote(parsed.hostname or ""),
            "port": str(parsed.port or 5432),
            "user": unquote(parsed.username or ""),
            "password": unquote(parsed.password or ""),
            "dbname": unquote(parsed.path.lstrip("/")),
            **dict(parse_qsl(parsed.query)),
        }
        parts = {key: value for key, value in given.items() if value}
    else:
        parts = {key: str(value) for key, value in conninfo_to_dict(url).items()}
    options = {
        "conn_string": make_conninfo("", **{"password": "x", "connect_timeout": "5", **parts}),
        "init_extension": False,
        "use_notify": True,
        "notify_throttle_interval_ms": 0,
        "wait_time_seconds": 0,
        "polling_interval": 0.1,
        "visibility_timeout": 1800,
        "pool_size": 2,
        "pool_timeout": 5,
    }
    return "pgmq://", options


@contextmanager
def as_owner() -> Iterator[None]:
    """Django's connection as the owner of the tables, for migrations, in this thread and as long as the block lasts."""
    from django.conf import settings
    from django.db import connection as current

    kept = current.settings_dict.copy()
    current.close()
    current.settings_dict.update(build_connection(settings.DATABASE_OWNER_URL))
    try:
        yield
    finally:
        current.close()
        current.settings_dict.clear()
        current.settings_dict.update(kept)
