"""Many writers of one chain at once, on connections of their own: none waits for another's work, none forks the chain,
and what was committed is there, whoever is killed.
"""

import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import psycopg
import pytest
from django.conf import settings
from django.db import connection

from config.postgres import Cluster
from config.roles import APP, OWNER
from entities.access import Scope
from entities.actions import create_workspace
from entities.audit import AuditedQuery, record_action, record_question
from entities.audit.chain import verify_chain
from entities.models import AuditEntry, AuditLink

WRITERS, EACH = 6, 25
ROW = (
    "INSERT INTO entities_auditentry (workspace_id, at, actor, action, object_kind, object_id, detail)"
    " VALUES (%s, now(), 0, 'entity.changed', '', '', '{}')"
)


@pytest.fixture
def service(transactional_db: None) -> Scope:
    return Scope.for_service(create_workspace(slug="acme", name="Acme").pk)


def test_no_gap_no_fork_no_lost_row(service: Scope) -> None:
    """Rollbacks among them, and a writer that is killed in the middle of its transactions."""
    committed: list[tuple[int, int]] = []

    def write(writer: int) -> None:
        chance = random.Random(writer)
        for number in range(EACH):
            with suppress(ZeroDivisionError), service.open():
                for _ in range(chance.choice((1, 1, 3))):
                    record_action(service, "entity.changed", "row", f"{writer} {number}")
                record_question(service, "search", AuditedQuery(f"{writer} {number}", ()), "row", f"{writer} {number}")
                time.sleep(chance.random() * 0.004)
                if chance.random() < 0.3:
                    _ = 1 / 0
                committed.append((writer, number))
        connection.close()

    killed = subprocess.Popen(
        [sys.executable, "-m", "tests.entities.audit_writer", str(service.workspace)],
        stdout=subprocess.PIPE,
        cwd=settings.BASE,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"},
    )
    assert killed.stdout is not None
    first = killed.stdout.readline()
    threads = [threading.Thread(target=write, args=(n,)) for n in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    killed.kill()
    said = [int(first), *map(int, killed.stdout.read().split())]
    killed.wait()
    time.sleep(0.1)  # its server process sees that nobody is there any more
    with service.open():
        found = verify_chain(service)
        assert found.problem is None
        assert found.rows == AuditEntry.objects.count()
        there = set(AuditEntry.objects.filter(action="search").values_list("object_id", flat=True))
        assert there == {f"{writer} {number}" for writer, number in committed}
        survived = set(AuditEntry.objects.filter(object_kind="killed").values_list("object_id", flat=True))
        assert set(map(str, said)) <= survived <= {str(n) for n in range(1, max(said) + 3)}
        numbers = list(AuditLink.objects.order_by("seq").values_list("seq", flat=True))
        assert numbers == list(range(1, found.rows + 1))


@pytest.fixture
def two(cluster: Cluster, service: Scope) -> Iterator[tuple[psycopg.Connection, psycopg.Connection]]:
    """Two connections as the application's role, in the service's scope of the workspace."""
    with psycopg.connect(cluster.url(APP)) as one, psycopg.connect(cluster.url(APP)) as other:
        for each in (one, other):
            each.execute("SET lock_timeout = '5s'")
            each.execute("SELECT set_config('app.workspace', %s, false)", [str(service.workspace)])
            each.execute("SELECT set_config('app.service', 'on', false)")
            each.commit()
        yield one, other


def test_who_has_written_keeps_nobody_waiting(
    two: tuple[psycopg.Connection, psycopg.Connection], service: Scope
) -> None:
    """The negative control of the lock's place: taken when the row is written, the second commit would time out."""
    one, other = two
    one.execute(ROW, [service.workspace])
    other.execute(ROW, [service.workspace])
    other.commit()
    one.commit()
    with service.open():
        assert verify_chain(service).rows == 2


def test_what_is_checked_at_the_commit_is_checked_before_the_lock_is_taken(
    two: tuple[psycopg.Connection, psycopg.Connection], service: Scope
) -> None:
    """Or two commits would wait for each other: the first for the second's row, the second for the first's lock.

    The first writes its row of the audit before a link that is checked at the commit; the second deletes that link's
    end and has a row to seal too.
    """
    one, other = two
    (level,) = other.execute(
        "INSERT INTO entities_classification"
        " (workspace_id, value, label, icon, color, description, conceal, components)"
        " VALUES (%s, 7, 'Own', '', '', '', false, '{7}') RETURNING id",
        [service.workspace],
    ).fetchone() or (0,)
    other.commit()
    (holder,) = other.execute("SELECT id FROM entities_role LIMIT 1").fetchone() or (0,)
    other.execute(ROW, [service.workspace])
    other.execute("DELETE FROM entities_classification WHERE id = %s", [level])
    one.execute(ROW, [service.workspace])
    one.execute(
        "INSERT INTO entities_classificationgrant (workspace_id, role_id, classification_id) VALUES (%s, %s, %s)",
        [service.workspace, holder, level],
    )
    ended: list[str] = []

    def commit() -> None:
        try:
            one.commit()
            ended.append("committed")
        except psycopg.Error as problem:
            ended.append(type(problem).__name__)

    waiting = threading.Thread(target=commit)
    waiting.start()
    time.sleep(0.3)
    other.commit()
    waiting.join()
    assert ended == ["ForeignKeyViolation"], "the link has lost its end; a deadlock would be another error"
    with service.open():
        assert verify_chain(service).problem is None


def test_a_chain_does_not_fork_under_an_old_snapshot(
    two: tuple[psycopg.Connection, psycopg.Connection], service: Scope
) -> None:
    one, other = two
    one.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    one.execute(ROW, [service.workspace])
    other.execute(ROW, [service.workspace])
    other.commit()
    with pytest.raises(psycopg.errors.IntegrityError):
        one.commit()
    with service.open():
        assert verify_chain(service).rows == 1


def test_without_the_lock_writers_collide(
    two: tuple[psycopg.Connection, psycopg.Connection], service: Scope, cluster: Cluster
) -> None:
    """The negative control: a build whose chain is not locked loses rows to the key of the chain."""
    one, other = two
    with psycopg.connect(cluster.url(OWNER), autocommit=True) as owner:
        (sealing,) = owner.execute("SELECT pg_get_functiondef('app_audit_seal'::regproc)").fetchone() or ("",)
        broken = sealing.replace("PERFORM pg_advisory_xact_lock", "PERFORM pg_try_advisory_xact_lock")
        broken = broken.replace("head := coalesce", "PERFORM pg_sleep(0.3); head := coalesce")
        assert broken != sealing
        owner.execute(broken)
        try:
            one.execute(ROW, [service.workspace])
            other.execute(ROW, [service.workspace])
            problems: list[Exception] = []

            def commit(mine: psycopg.Connection) -> None:
                try:
                    mine.commit()
                except psycopg.errors.UniqueViolation as problem:
                    problems.append(problem)

            threads = [threading.Thread(target=commit, args=(each,)) for each in two]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            owner.execute(sealing)
    assert len(problems) == 1
