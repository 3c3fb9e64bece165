"""A limited process that somebody took over reaches nothing outside, whoever runs Clearance (docs/sandbox.md).

Each act of `hostile_acts` is tried as root with files that only root can read (as originals are), as root with files
that anybody can read, and as an ordinary user: outside, where it has to work, or the test would show nothing; in a
process forked from the template; and in a fresh one.
"""

import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.ingestion.hostile_acts import ACTS, ONLY_ROOT, lay_out

ORDINARY = 12_345
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="docs/sandbox.md: these limits are the Linux kernel's")
WHO = {"root": (0, "600"), "root with open files": (0, "644"), "a user": (ORDINARY, "600")}


@functools.cache
def try_acts(user: int, mode: str) -> dict[str, dict[str, str]]:
    """By way and act: `done`, or the name of the error."""
    folder = Path(tempfile.mkdtemp(prefix="clearance-hostile-"))  # no user but root may pass pytest's own
    folder.chmod(0o755)
    try:
        ran = subprocess.run(
            [sys.executable, "-m", "tests.ingestion.hostile_acts", str(user), str(folder), mode],
            capture_output=True,
            check=True,
            timeout=120,
        )
    finally:
        shutil.rmtree(folder)
    return json.loads(ran.stdout)


@pytest.fixture(params=WHO)
def who(request: pytest.FixtureRequest) -> str:
    if os.geteuid() != 0 and WHO[request.param][0] == 0:
        pytest.skip("only root can be root")
    return request.param


def get_user(who: str) -> tuple[int, str]:
    user, mode = WHO[who]
    return user if os.geteuid() == 0 else os.geteuid(), mode


@pytest.mark.parametrize("act", ACTS)
def test_an_act_that_works_outside_is_refused_inside(who: str, act: str) -> None:
    user, mode = get_user(who)
    found = try_acts(user, mode)
    if user == 0 or act not in ONLY_ROOT:
        assert found["outside"][act].startswith("done"), "this machine refuses it anyway: the test would show nothing"
    assert found["forked"][act] in ("EPERM", "EACCES", "ENOSYS")
    assert found["fresh"][act] in ("EPERM", "EACCES", "ENOSYS")


def test_nothing_outside_has_changed(who: str) -> None:
    found = try_acts(*get_user(who))
    assert found["forked"]["anything at all"] == found["fresh"]["anything at all"] == "refused"


def test_an_allowed_read_still_works_inside(tmp_path: Path) -> None:
    assert open_where_calls_are_refused(tmp_path) == {"strict": [{"size": 12}] * 2, "weak": [{"size": 12}] * 2}


ALONE = """
import json
from ingestion.sandbox import landlock
from tests.ingestion.hostile_acts import ACTS, attempt, libc
at = json.loads({at!r})
before = [attempt(act, at) for act in {acts}]
libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
in_force = sorted(landlock.limit_process(libc, []))
print(json.dumps([in_force, before, [attempt(act, at) for act in {acts}]]))
"""


def test_landlock_alone_refuses_files_connections_and_signals() -> None:
    """What the filter refuses too: were there a way round it, this is the second wall."""
    acts = ["read", "kill", "kill the parent", "TCP", "an abstract socket"]
    with tempfile.TemporaryDirectory() as folder:
        listening, at = lay_out(Path(folder) / "acts", 0o600)
        try:
            code = ALONE.format(at=json.dumps(at), acts=acts)
            ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
        finally:
            os.kill(at["victim"], signal.SIGKILL)
            os.waitpid(at["victim"], 0)
    in_force, before, after = json.loads(ran.stdout)
    assert in_force == ["landlock", "landlock_network", "landlock_scopes"]
    assert before == ["done"] * len(acts)
    assert after == ["EACCES", "EPERM", "EPERM", "EACCES", "EPERM"]
    assert listening


# ── Where the kernel offers less ─────────────────────────────────────────────────────────────────────────────────

LOOK = """
import json, sys
from pathlib import Path
from tests.ingestion.hostile_acts import refuse_calls
refuse_calls(*{refused})
from django.conf import settings
settings.configure(LIMITED_PROCESS_USER=65_520)
from ingestion.sandbox import TooWeak, run_limited
found = dict(strict=[], weak=[])
for settings.LIMITED_PROCESS_MAY_BE_WEAK in (False, True):
    for settings.LIMITED_PROCESS_TEMPLATE in (False, True):
        try:
            answer = run_limited("tests.ingestion.sandbox_tasks:size", Path({path!r}))
        except TooWeak:
            answer = "too weak"
        found["weak" if settings.LIMITED_PROCESS_MAY_BE_WEAK else "strict"].append(answer)
print(json.dumps(found))
"""


def open_where_calls_are_refused(folder: Path, *refused: str) -> dict[str, list[object]]:
    """What becomes of a file of twelve bytes, in a fresh and in a forked process, as a strict and as a weak
    installation."""
    upload = folder / "upload.bin"
    upload.write_bytes(b"twelve bytes")
    code = LOOK.format(refused=refused, path=str(upload))
    return json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)


@pytest.mark.parametrize(
    ("refused", "enough"),
    [
        (["unshare"], True),  # Landlock refuses connections too, from version 4 of its interface
        (["landlock_create_ruleset"], False),
        (["landlock_create_ruleset", "unshare"], False),
        (["prctl"], False),
        (["capset"], False),
    ],
    ids=["no namespace", "no Landlock", "neither", "no filter", "capabilities stay"],
)
def test_no_file_is_opened_where_its_reader_is_not_bounded_but_where_that_is_allowed(
    tmp_path: Path, refused: list[str], enough: bool
) -> None:
    found = open_where_calls_are_refused(tmp_path, *refused)
    assert found["strict"] == [{"size": 12} if enough else "too weak"] * 2
    assert found["weak"] == [{"size": 12}] * 2
