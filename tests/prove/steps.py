"""Interleavings without sleeping: actors in threads of their own that stop before each database statement.

The scheduler lets one go on at a time. An actor that waits for a lock that another one holds is told apart from one
that is slow by asking the database who blocks it.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import connection, connections

PATIENCE = 60.0
"""Seconds after which an actor that neither stops, ends nor waits for a lock is taken for dead."""


COMMIT = "COMMIT"


class Actor:
    """Runs `work` in a thread with a connection of its own.

    It stops before its first statement, before each later one and before each commit, until `step` lets it go on.
    statements: those at which it has stopped.
    """

    def __init__(self, name: str, work: Callable[[], Any], *, pooled: bool = False) -> None:
        """pooled: its connection comes from a pool of one, as in the web server; closing gives it back."""
        self.name, self.work, self.pooled = name, work, pooled
        self.result: Any = None
        self.error: BaseException | None = None
        self.statements: list[str] = []
        self.ended = False
        self._backend: int | None = None
        self._changed = threading.Condition()
        self._stopped = self._go = False
        self._free = False
        self.thread = threading.Thread(target=self._run, name=name, daemon=True)
        self.thread.start()
        self._settle(None)

    # In the actor's thread

    def _run(self) -> None:
        wrapper = connections["default"]
        if self.pooled:
            options = {**wrapper.settings_dict["OPTIONS"], "pool": {"min_size": 1, "max_size": 1, "timeout": 10}}
            wrapper.settings_dict = {**wrapper.settings_dict, "OPTIONS": options}
        try:
            connection.ensure_connection()
            self._backend = connection.connection.info.backend_pid
            with wrapper.execute_wrapper(self._before), self._ends(wrapper):
                self.result = self.work()
        except BaseException as error:
            self.error = error
        finally:
            connections.close_all()
            if self.pooled:
                wrapper.close_pool()
            with self._changed:
                self.ended = True
                self._changed.notify_all()

    def _before(self, execute: Any, sql: Any, params: Any, many: bool, context: Any) -> Any:
        self._stop(str(sql))
        return execute(sql, params, many, context)

    @contextmanager
    def _ends(self, wrapper: Any) -> Iterator[None]:
        commit = wrapper._commit

        def committing() -> None:
            self._stop(COMMIT)
            commit()

        wrapper._commit = committing
        try:
            yield
        finally:
            del wrapper._commit

    def _stop(self, what: str) -> None:
        with self._changed:
            self.statements.append(what)
            if self._free:
                return
            self._stopped = True
            self._changed.notify_all()
            while not self._go:
                self._changed.wait()
            self._stopped = self._go = False

    # For the scheduler

    def step(self, database: psycopg.Connection | None = None) -> bool:
        """Let it go on to its next stop. False when it has ended, or waits for a lock (`database` can tell)."""
        if self.ended:
            return False
        with self._changed:
            if self._stopped:
                self._go = True
                self._stopped = False
                self._changed.notify_all()
        return self._settle(database)

    def _settle(self, database: psycopg.Connection | None) -> bool:
        deadline = time.monotonic() + PATIENCE
        while True:
            with self._changed:
                if self._changed.wait_for(lambda: self.ended or self._stopped, 0.02):
                    return not self.ended
            if database is not None and self._backend and blocked(database, self._backend):
                return False
            assert time.monotonic() < deadline, f"{self.name} neither stops nor ends after {self.statements[-1:]}"

    def go_to(self, stop: int | str, database: psycopg.Connection) -> None:
        """Let it go on to its stop of that number, counted from 0, or before a statement that holds those words; or as
        far as it gets.
        """
        while not self._has_come_to(stop) and self.step(database):
            pass

    def _has_come_to(self, stop: int | str) -> bool:
        if isinstance(stop, str):
            return bool(self.statements) and stop in self.statements[-1]
        return len(self.statements) > stop

    def run(self, database: psycopg.Connection) -> bool:
        """Let it run without stops. False where it waits for a lock, and will go on when that is given up."""
        with self._changed:
            self._free = self._go = True
            self._stopped = False
            self._changed.notify_all()
        self._settle(database)
        return self.ended

    def finish(self) -> Any:
        """Let it run to its end. Raises what the work raised."""
        with self._changed:
            self._free = self._go = True
            self._changed.notify_all()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive(), f"{self.name} does not end after {self.statements[-1:]}"
        if self.error is not None:
            raise self.error
        return self.result


def blocked(database: psycopg.Connection, backend: int) -> bool:
    found = database.execute("SELECT cardinality(pg_blocking_pids(%s)) > 0", [backend]).fetchone()
    return bool(found and found[0])
