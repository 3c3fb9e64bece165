"""What must be true before Clearance serves anybody. Each refusal is one sentence for the person who starts it."""

import logging
import os
import re
from contextlib import suppress
from ipaddress import ip_network
from typing import Any
from urllib.parse import urlsplit

import psycopg
from celery import current_app
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import check_password
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from psycopg import sql

from entities.exempt import EXEMPT
from entities.network import is_public
from ingestion.sandbox.strength import Strength, list_lacking, measure_strength

logger = logging.getLogger(__name__)

LEAST_POSTGRES = 150000
# Earlier versions corrupt indexes and leak rows of one relation into another in parallel builds.
LEAST_PGVECTOR = (0, 8, 4)
DEMO_USERS = ("admin", "hr", "cfo", "staff", "viewer", "steward")
DEMO_PASSWORD = "demo"  # noqa: S105  public by intention


class Refusal(Exception):
    """Clearance does not start; the message is one clear sentence."""


def run_query(statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return cursor.fetchall()


def check_server() -> None:
    """Raises: Refusal for a PostgreSQL or pgvector that is too old or missing."""
    try:
        [(version,)] = run_query("SELECT current_setting('server_version_num')::int")
    except Exception as error:
        reason = str(error.__cause__ or error).strip().splitlines()[0]
        raise Refusal(f"The database cannot be reached: {reason}.") from error
    if version < LEAST_POSTGRES:
        raise Refusal(f"PostgreSQL {version // 10000} is too old: Clearance needs 15 or later.")
    extension = run_query("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
    if not extension:
        raise Refusal("The extension pgvector is missing: a superuser runs CREATE EXTENSION vector in the database.")
    installed = tuple(int(part) for part in re.findall(r"\d+", extension[0][0])[:3])
    if installed < LEAST_PGVECTOR:
        least = ".".join(map(str, LEAST_PGVECTOR))
        raise Refusal(f"pgvector {extension[0][0]} can corrupt indexes and leak rows: upgrade it to {least} or later.")


def check_role() -> None:
    """Raises: Refusal for an application role that row-level security does not bind."""
    [(role, superuser, bypasses)] = run_query(
        "SELECT rolname, rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user"
    )
    if superuser:
        raise Refusal(f"The role {role} in DATABASE_URL is a superuser, whom row-level security does not bind.")
    if bypasses:
        raise Refusal(f"The role {role} in DATABASE_URL has BYPASSRLS, so it would see every workspace.")
    owned = run_query(
        "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND pg_has_role(current_user, c.relowner, 'MEMBER')"
        " ORDER BY 1 LIMIT 1"
    )
    if owned:
        raise Refusal(
            f"The role {role} in DATABASE_URL owns the table {owned[0][0]} (or belongs to its owner) and could switch "
            "row-level security off: connect as a role that owns nothing."
        )


UNPROTECTED = r"""
SELECT c.relname FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'm', 'f') AND c.relname <> ALL(%s)
  AND (NOT (c.relrowsecurity AND c.relforcerowsecurity) OR EXISTS (
    SELECT FROM pg_policies p
    WHERE p.schemaname = 'public' AND p.tablename = c.relname AND p.permissive = 'PERMISSIVE'
      AND ('public' = ANY(p.roles) OR EXISTS (
        SELECT FROM pg_roles r WHERE r.rolname = ANY(p.roles) AND pg_has_role(current_user, r.oid, 'MEMBER')))
      AND (coalesce(p.qual, 'app_workspace()') !~ 'app_workspace\(\)'
        OR coalesce(p.with_check, 'app_workspace()') !~ 'app_workspace\(\)')))
ORDER BY 1
"""


def list_unprotected_tables() -> list[str]:
    """Tables that are not in `entities.exempt` and whose rows are not bound to the open scope's workspace.

    A table is bound by forced row-level security, and by policies each of which names the workspace: one policy that
    does not opens the table, because policies add up. A table without any policy shows nothing.
    """
    return [name for (name,) in run_query(UNPROTECTED, list(EXEMPT))]


def check_tables() -> None:
    """Raises: Refusal where a workspace's rows are not protected."""
    if bare := list_unprotected_tables():
        raise Refusal(
            f"The table {bare[0]} is not under forced row-level security with the scope's policy: its migration needs "
            "ProtectType or Protect (docs/entity-types.md), or it belongs into another schema."
        )


def list_unapplied_migrations() -> list[str]:
    executor = MigrationExecutor(connection)
    return [str(migration) for migration, _ in executor.migration_plan(executor.loader.graph.leaf_nodes())]


def check_demo_passwords() -> None:
    """Raises: Refusal where a public installation has users with the demo's password."""
    if not is_public():
        return
    users = get_user_model().objects.filter(username__in=DEMO_USERS, is_active=True)
    weak = [user.username for user in users if check_password(DEMO_PASSWORD, user.password)]
    if weak:
        raise Refusal(
            f"This installation is open to other machines while the demo's password still signs in "
            f"{', '.join(sorted(weak))}: change it with `manage.py changepassword`, or serve only localhost."
        )


def check_proxies() -> None:
    """Raises: Refusal for a proxy that is no address: nobody would be it, or everybody."""
    for proxy in settings.CLEARANCE_PROXIES:
        try:
            ip_network(proxy)
        except ValueError:
            raise Refusal(
                f"CLEARANCE_PROXIES names {proxy}, which is neither an address nor a network such as 10.0.0.0/8."
            ) from None


def check_sandbox() -> None:
    """Tells the log of a weak limited process. Raises: Refusal where uploaded files may not be opened."""
    strength = measure_strength()
    if strength == Strength.WEAK:
        logger.warning(
            "Uploaded files are opened in a weak process: no %s (docs/sandbox.md)", ", ".join(list_lacking())
        )
    elif strength == Strength.REFUSED:
        raise Refusal(
            f"Uploaded files cannot be opened safely here: this system has no {', '.join(list_lacking())} "
            "(docs/sandbox.md). CLEARANCE_SANDBOX=weak opens them nevertheless."
        )


def check_broker() -> None:
    """Raises: Refusal where the message broker does not answer within seconds."""
    try:
        if settings.CELERY_BROKER_URL == "pgmq://":
            conninfo = settings.CELERY_BROKER_TRANSPORT_OPTIONS["conn_string"]
            with psycopg.connect(conninfo, connect_timeout=3) as broker:
                broker.execute("SELECT 1 FROM pgmq.meta LIMIT 1")
        else:
            with current_app.connection_for_write() as link:
                link.ensure_connection(max_retries=1, interval_start=0, timeout=3)
    except Exception as error:
        where = urlsplit(settings.CELERY_BROKER_URL).scheme
        raise Refusal(f"The message broker ({where}) cannot be reached: see CLEARANCE_BROKER_URL.") from error


def reclaim_messages() -> None:
    """Make messages that a dead worker took visible again, instead of after the visibility timeout.

    Only for the embedded broker, whose single worker belongs to the caller and is not running.
    """
    queue = sql.Identifier("pgmq", "q_" + re.sub(r"\W", "_", settings.CELERY_TASK_DEFAULT_QUEUE))
    with (
        suppress(psycopg.errors.UndefinedTable),
        psycopg.connect(settings.CELERY_BROKER_TRANSPORT_OPTIONS["conn_string"]) as broker,
    ):
        broker.execute(sql.SQL("UPDATE {} SET vt = now() WHERE vt > now()").format(queue))


def is_alone_with_broker() -> bool:
    return settings.EMBEDDED and "CLEARANCE_BROKER_URL" not in os.environ
