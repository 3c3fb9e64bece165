"""What is told of a system that does not bound the process that opens files: to whoever starts it, to load balancers,
to the log, and to administrators."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from ingestion.sandbox import strength
from tests.conftest import Person

LOOK = """
import django; django.setup()
import json, os
from tests.ingestion.hostile_acts import refuse_calls
refuse_calls(*{refused})
from django.test import Client
from config.checks import check_sandbox
from config.prepare import Console, prepare_installation
answer = Client().get("/readyz")
said = ""
if answer.json()["checks"]["sandbox"]:
    check_sandbox()
else:
    reading, writing = os.pipe()
    try:
        prepare_installation(Console(writing))
    except SystemExit:
        said = os.read(reading, 1000).decode()
print(json.dumps([answer.status_code, answer.json(), said]))
"""


def start(setting: str, *refused: str) -> tuple[int, dict[str, object], str, str]:
    """Status and answer of /readyz, what the supervisor is told, and the log, where the kernel lacks these calls."""
    ran = subprocess.run(
        [sys.executable, "-c", LOOK.format(refused=refused)],
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "CLEARANCE_SANDBOX": setting,
            "CLEARANCE_LOGS": "-",
        },
        check=True,
    )
    status, answer, said = json.loads(ran.stdout.splitlines()[-1])
    return status, answer, said, ran.stdout + ran.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="docs/sandbox.md: elsewhere the process is always weak")
def test_without_landlock_clearance_does_not_start(transactional_db: None) -> None:
    status, answer, said, _ = start("", "landlock_create_ruleset")
    assert (status, answer["sandbox"], answer["checks"]["sandbox"]) == (503, "refused", False)
    assert said.startswith("refuse Uploaded files cannot be opened safely here: this system has no landlock")
    assert "CLEARANCE_SANDBOX=weak" in said


@pytest.mark.skipif(sys.platform != "linux", reason="docs/sandbox.md: elsewhere the process is always weak")
def test_where_that_is_allowed_it_says_so(transactional_db: None) -> None:
    _, answer, said, log = start("weak", "landlock_create_ruleset")
    assert (answer["sandbox"], answer["checks"]["sandbox"], said) == ("weak", True, "")
    assert "Uploaded files are opened in a weak process: no landlock" in log


@pytest.mark.skipif(sys.platform != "linux", reason="docs/sandbox.md: elsewhere the process is always weak")
def test_allowing_it_says_nothing_where_nothing_is_missing(transactional_db: None) -> None:
    _, answer, said, log = start("weak")
    assert (answer["sandbox"], answer["checks"]["sandbox"], said) == ("full", True, "")
    assert "weak" not in log


@pytest.fixture
def without_landlock(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(strength, "describe_process", lambda: {"missing": ["landlock"]})
    strength.list_lacking.cache_clear()
    yield
    strength.list_lacking.cache_clear()


@pytest.mark.usefixtures("without_landlock")
@pytest.mark.parametrize(
    ("weak", "told"),
    [(True, "opened with fewer limits than Clearance asks for"), (False, "No uploaded file is opened")],
)
def test_the_page_of_the_workspace_tells_administrators(
    alice: Person, viewer: Person, settings: Any, weak: bool, told: str
) -> None:
    settings.LIMITED_PROCESS_MAY_BE_WEAK = weak
    page = alice.client.get(f"{alice.base}workspace/").content.decode()
    assert told in page
    assert "this server has no landlock" in page
    assert viewer.client.get(f"{viewer.base}workspace/").status_code == 403


@pytest.mark.skipif(sys.platform != "linux", reason="docs/sandbox.md: elsewhere the process is always weak")
def test_the_page_says_nothing_where_nothing_is_missing(alice: Person) -> None:
    assert "docs/sandbox.md" not in alice.client.get(f"{alice.base}workspace/").content.decode()
