"""Scopes: who reads, in which workspace, for the length of one transaction."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from django.db import connection, transaction

if TYPE_CHECKING:
    from entities.models import Role, User


OWN = "own"


class ScopeError(RuntimeError):
    """A scope was opened inside another, or database work was tried with none open."""


class NoWorkspace(Exception):
    """There is no such workspace, or the user is not in it: the two are the same answer."""


class ScopeKind(StrEnum):
    USER = "user"
    ROLE = "role"
    SERVICE = "service"


@dataclass(frozen=True)
class Scope:
    """A principal in a workspace.

    attachments: whose files in conversations are there as well: of the conversation of this id; `OWN` for the
    principal's own of all; "" for none, as in all of the product but conversations (docs/adr/0064). sent: text of files
    that the principal sent is there for them while it rests, whatever it rests as (docs/adr/0075); only where it is
    read, never where something is made for others.
    principal: user id (positive), a role as minus its id, 0 for the service. The same integer is the audience of rows
    that are for one principal only. narrowed_to: minus the id of a role whose clearances and permissions the principal
    is held to as well (view-as, agents that run as a role): what is seen is the intersection. token, sign_in: SHA-256
    of the API token, or key of the browser's session, by which it came to be, where there is one.
    """

    workspace: int
    principal: int
    kind: ScopeKind
    slug: str
    narrowed_to: int = 0
    atoms: frozenset[int] | None = None
    attachments: str = ""
    sent: bool = False
    token: str = field(default="", repr=False)
    sign_in: str = field(default="", repr=False)

    @staticmethod
    def for_user(user: "User", slug: str, *, token: str = "", sign_in: str = "") -> "Scope":
        """Raises: NoWorkspace."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT app_open_scope(%s, %s)", [user.pk, slug])
            (workspace,) = cursor.fetchone()
        if workspace is None:
            raise NoWorkspace(slug)
        return Scope(workspace, user.pk, ScopeKind.USER, slug, token=token, sign_in=sign_in)

    @staticmethod
    def for_role(role: "Role") -> "Scope":
        """A role's own scope, for Pulse and workflow steps. `role` comes from an open scope of its workspace."""
        return Scope(role.workspace_id, -role.pk, ScopeKind.ROLE, role.workspace.slug)

    @staticmethod
    def for_service(workspace: int) -> "Scope":
        """All labels, unlabelled text included, of one workspace. For the pipeline, sweeps and cascades."""
        return Scope(workspace, 0, ScopeKind.SERVICE, "")

    def limit_to(self, atoms: Iterable[int]) -> "Scope":
        """This principal with no more clearances than `atoms`.

        Raises: ScopeError for the service, which has no clearances.
        """
        if self.is_service:
            raise ScopeError("a service scope sees all labels")
        return replace(self, atoms=frozenset(atoms) if self.atoms is None else self.atoms & frozenset(atoms))

    def with_attachments(self, of: str = OWN) -> "Scope":
        """This principal where files in conversations are found, to be opened. of: as `attachments`."""
        return replace(self, attachments=of)

    def add_sent(self) -> "Scope":
        """This principal where text of their own files is read while it rests."""
        return replace(self, sent=True)

    @property
    def is_service(self) -> bool:
        return self.kind is ScopeKind.SERVICE

    @contextmanager
    def open(self) -> Iterator[None]:
        """Begin a transaction as this principal.

        Raises: ScopeError when a scope is open already: settings made in a savepoint would outlive it; NoWorkspace
        when the principal is no active member, or no role, of the workspace any more, or the token or sign-in behind it
        has ended. Do not yield out of a generator inside: the transaction would be handed to the caller.
        """
        if has_open_scope():
            raise ScopeError("a scope is already open on this connection")
        outermost = not connection.in_atomic_block
        with transaction.atomic():
            present = _apply_settings(
                str(self.workspace),
                str(self.principal),
                "on" if self.is_service else "",
                str(self.narrowed_to or ""),
                "" if self.atoms is None else f"{{{','.join(map(str, sorted(self.atoms)))}}}",
                self.token,
                self.sign_in,
                self.attachments,
                "on" if self.sent else "",
            )
            if not present:
                # It ended after this scope was made: rolling back takes the settings with it.
                raise NoWorkspace(self.slug)
            connection.open_scope = self  # type: ignore[attr-defined]
            connection.scope_cache = {}  # type: ignore[attr-defined]
            try:
                yield
                if not outermost and not connection.needs_rollback:
                    _apply_settings("", "", "", "", "")
            finally:
                connection.open_scope = None  # type: ignore[attr-defined]
                connection.scope_cache = None  # type: ignore[attr-defined]


def _apply_settings(
    workspace: str,
    principal: str,
    service: str,
    narrowed: str,
    atoms: str,
    token: str = "",
    sign_in: str = "",
    attachments: str = "",
    sent: str = "",
) -> bool:
    """Make the settings; whether there is such a principal in the workspace, let in by what still holds (one statement,
    so one round trip).
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('app.workspace', %s, true), set_config('app.principal', %s, true),"
            " set_config('app.service', %s, true), set_config('app.narrowed', %s, true),"
            " set_config('app.atoms', %s, true), set_config('app.attachments', %s, true),"
            " set_config('app.sent', %s, true),"
            # Sets of visible records and rows are hashed up to work_mem times this. A larger one would be read through
            # for every row that is asked of it.
            " set_config('hash_mem_multiplier', '32', true),"
            # A service sees labels that others make meanwhile: it looks them up in every statement.
            " set_config('app.allowed', CASE WHEN app_service() THEN '' ELSE app_allowed_now()::text END, true),"
            " set_config('app.allowed_until',"
            " CASE WHEN app_service() THEN '' ELSE app_allowed_until()::text END, true),"
            " set_config('app.allowed_for', CASE WHEN app_service() THEN '' ELSE app_settings() END, true),"
            " (app_service() OR app_is_principal(app_principal()))"
            " AND (%s = '' OR EXISTS (SELECT FROM app_open_token(%s)))"
            " AND (%s = '' OR EXISTS (SELECT FROM django_session WHERE session_key = %s AND expire_date > now()))",
            [workspace, principal, service, narrowed, atoms, attachments, sent, token, token, sign_in, sign_in],
        )
        return bool(cursor.fetchone()[-1])


@contextmanager
def looking_into_bin() -> Iterator[None]:
    """Inside, the open scope finds what is in the bin beside what is not, as far as it might see it otherwise. For the
    pages of the bin and its sweep alone: what is found here goes into no list, prompt or count.
    """
    get_current_scope()
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('app.bin', 'on', true)")
        try:
            yield
        finally:
            if not connection.needs_rollback and connection.connection.info.transaction_status.name != "INERROR":
                cursor.execute("SELECT set_config('app.bin', '', true)")


def has_open_scope() -> bool:
    return getattr(connection, "open_scope", None) is not None


def get_current_scope() -> Scope:
    """The scope that is open on this connection; for checks that a given scope is the open one.

    Raises: ScopeError when none is.
    """
    scope: Scope | None = getattr(connection, "open_scope", None)
    if scope is None:
        raise ScopeError("no scope is open")
    return scope


def load_once(key: str, load: Any) -> Any:
    """`load()` once for the open scope: every transaction begun after a revocation asks anew."""
    cache: dict[str, Any] | None = getattr(connection, "scope_cache", None)
    if cache is None:
        raise ScopeError("no scope is open")
    if key not in cache:
        cache[key] = load()
    return cache[key]


def make_group(name: str) -> int:
    """The Django group of a new role, made by the database because no policy can show it before its role exists."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT app_make_group(%s)", [name])
        return int(cursor.fetchone()[0])


def list_workspace_ids() -> list[int]:
    """Every workspace of the installation, for periodic work; needs no scope."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT app_workspace_ids()")
        return [row[0] for row in cursor.fetchall()]


def list_workspaces(user: "User") -> list[tuple[str, str]]:
    """(slug, name) of the workspaces that `user` is a member of, by name."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT slug, name FROM app_workspaces_of(%s)", [user.pk])
        return [(slug, name) for slug, name in cursor.fetchall()]


def open_token(digest: str) -> tuple[int, str] | None:
    """(user id, workspace slug) of an API token's SHA-256, or None. Notes that it was used today."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT user_id, slug FROM app_use_token(%s)", [digest])
        row = cursor.fetchone()
    return (row[0], row[1]) if row else None
