"""What may leave the audit: words, and rows whose time is over. Both through the database's one door, which writes into
the chain what went.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import StrEnum

from django.db import connection
from django.utils import timezone

from entities.access import Scope
from entities.models import AuditLink, WorkspaceSettings

BATCH = 5000
LEAST_DAYS = 30
"""Younger rows are kept whatever a workspace says; the database holds to it (entities/migrations/audit.sql)."""


class Why(StrEnum):
    """Why words were taken out. erasure: a person asked for it. mistake: they should not have been typed. retention:
    their time was over. label: the classification that they carry is being deleted.
    """

    ERASURE = "erasure"
    MISTAKE = "mistake"
    RETENTION = "retention"
    LABEL = "label"


def redact_rows(places: Iterable[int], why: Why) -> int:
    """Take the words out of rows, by their places in the chain, in an open scope of an administrator or the service.

    Returns how many had words. Raises: django.db.ProgrammingError for anybody else.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT app_redact_audit(%s, %s)", [list(places), why])
        return int(cursor.fetchone()[0])


def redact_label(atom: int) -> int:
    """Take out all words that carry a classification which is to be deleted, whoever may read them. Raises and returns
    as `redact`.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT app_redact_audit_of(%s)", [atom])
        return int(cursor.fetchone()[0])


def apply_retention(workspace: int) -> tuple[int, int]:
    """Let go what a workspace wants to keep no longer. Returns (words, rows). Needs no scope open."""
    scope = Scope.for_service(workspace)
    with scope.open():
        chosen = WorkspaceSettings.objects.get()
    words = rows = 0
    if chosen.keep_questions_days is not None:
        until = compute_cutoff(chosen.keep_questions_days)
        while done := _redact_some(scope, until):
            words += done
    if chosen.keep_audit_days is not None:
        until = compute_cutoff(max(chosen.keep_audit_days, LEAST_DAYS))
        while done := _remove_some(scope, until):
            rows += done
    return words, rows


def compute_cutoff(days: int) -> datetime:
    """So many days ago; of more than there have been, the first day."""
    now = timezone.now()
    return now - timedelta(days=min(days, now.toordinal() - 1))


def _redact_some(scope: Scope, until: datetime) -> int:
    with scope.open():
        old = AuditLink.objects.filter(entry__text__isnull=False, entry__at__lt=until).order_by("seq")
        return redact_rows([link.seq for link in old.only("seq")[:BATCH] if link.seq is not None], Why.RETENTION)


def _remove_some(scope: Scope, until: datetime) -> int:
    with scope.open(), connection.cursor() as cursor:
        cursor.execute("SELECT app_remove_audit(%s, %s)", [until, BATCH])
        return int(cursor.fetchone()[0])
