"""A limited process that somebody took over reaches nothing outside, whoever runs Clearance (docs/sandbox.md).

Each act of `hostile_acts` is tried as root with files that only root can read (as originals are), as root with files
that anybody can read, and as an ordinary user: outside, where it has to work, or the test would show nothing; in a
process forked from the template; and in a fresh one.
"""

import ctypes
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.ingestion.hostile_acts import ACTS, ONLY_ROOT

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


# ── Where the kernel offers less ─────────────────────────────────────────────────────────────────────────────────

LOOK = """
import sys
from pathlib import Path
from tests.ingestion.test_hostile_child import refuse_calls
refuse_calls({refused})
from django.conf import settings
settings.configure(LIMITED_PROCESS_TEMPLATE={template}, LIMITED_PROCESS_MAY_BE_WEAK={weak}, LIMITED_PROCESS_USER=65520)
from ingestion.sandbox import TooWeak, run_limited
try:
    print(run_limited("tests.ingestion.sandbox_tasks:size", Path({path!r})))
except TooWeak:
    print("too weak")
"""
LANDLOCK = {"x86_64": 444, "aarch64": 444}
UNSHARE = {"x86_64": 272, "aarch64": 97}
PRCTL = {"x86_64": 157, "aarch64": 167}


def refuse_calls(numbers: list[int]) -> None:
    """This process and those it starts get ENOSYS for them, as from a kernel that does not know them."""
    from ingestion.sandbox import seccomp

    code = [(seccomp.LOAD, 0, 0, seccomp.NUMBER_OFFSET)]
    for number in numbers:
        code += [(seccomp.EQUAL, 0, 1, number), (seccomp.RETURN, 0, 0, seccomp.ERRNO | 38)]
    code.append((seccomp.RETURN, 0, 0, seccomp.ALLOW))
    libc = ctypes.CDLL(None)
    libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
    array = (seccomp._Instruction * len(code))(*(seccomp._Instruction(*each) for each in code))
    program = seccomp._Program(len(code), array)
    assert libc.prctl(seccomp.PR_SET_SECCOMP, seccomp.MODE_FILTER, ctypes.byref(program), 0, 0) == 0
