"""Password hashing: a few at a time, and without a database connection.

A hash takes a core for a third of a second, and anybody may ask for one. Without this, a storm of wrong passwords would
hold every connection and every core until it is over.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore

from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.db import connection
from django.utils.translation import gettext_lazy

MAX_RUNNING = max(1, (os.cpu_count() or 2) // 2)
"""Hashes that a process computes at once; the other cores are for requests of people who are signed in."""
MAX_WAITING = 16 * MAX_RUNNING
"""Requests that wait for their turn, the last of them for five seconds. A further one is refused."""
BUSY = gettext_lazy("Many people are signing in at this moment. Wait a few seconds, then try again.")

_running = BoundedSemaphore(MAX_RUNNING)
_admitted = BoundedSemaphore(MAX_RUNNING + MAX_WAITING)


class TooManyHashes(Exception):
    """More requests wait for a password hash than `MAX_WAITING`; `entities.middleware` answers 429."""

    def __init__(self) -> None:
        super().__init__(BUSY)


class PasswordHasher(PBKDF2PasswordHasher):
    """Django's default hasher. Checking a password, setting one and the hash for an unknown user all call `encode`."""

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        """Raises: TooManyHashes."""
        release_connection()
        with hashing_turn():
            return super().encode(password, salt, iterations)


def release_connection() -> None:
    """Return this thread's connection to the pool; the next query gets one. In a transaction it has to stay."""
    if not connection.in_atomic_block:
        connection.close()


@contextmanager
def hashing_turn() -> Iterator[None]:
    """Wait for a turn to hash. Raises: TooManyHashes."""
    if not _admitted.acquire(blocking=False):
        raise TooManyHashes
    try:
        with _running:
            yield
    finally:
        _admitted.release()
