"""Homes of their own for tests that start a database. Not in pytest's directory: each run of pytest by the same user
closes that to other users when it begins, and PostgreSQL's user could no longer reach its files."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from config.postgres import Cluster
from tests.settings import PREFIX


@contextmanager
def make_home() -> Iterator[Path]:
    """A CLEARANCE_HOME that PostgreSQL's system user may reach; afterwards its cluster is stopped and it is removed."""
    with tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as made:
        yield Path(made)
        Cluster(Path(made)).stop()
