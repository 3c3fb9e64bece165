"""The user that the embedded PostgreSQL runs as, created by root on a machine that has none."""

import threading
from pathlib import Path

import pytest

from config.system_user import DatabaseError, create_system_user

NOBODY_HAS = "clearance-test-absent"


def test_two_processes_never_create_users_at_the_same_moment(tmp_path: Path):
    """Of two workers on a fresh machine the second one's `useradd` replaced the user that the first one's data had."""
    log = tmp_path / "log"
    script = tmp_path / "useradd"
    script.write_text(f"#!/bin/sh\necho begin >> {log}\nsleep 0.3\necho end >> {log}\n")
    script.chmod(0o755)

    def create() -> None:
        with pytest.raises(DatabaseError):
            create_system_user(NOBODY_HAS, [str(script)])

    threads = [threading.Thread(target=create) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert log.read_text().split() == ["begin", "end"] * 3


def test_a_user_that_exists_is_not_created_again():
    assert create_system_user("root", ["/nonexistent/useradd"]).pw_uid == 0
