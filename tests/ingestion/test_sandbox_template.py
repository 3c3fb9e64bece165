"""The template that limited processes are forked from: nothing is lost with it, and nothing passes through it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from ingestion.sandbox import Progress, processes, run_limited

TASKS = "tests.ingestion.sandbox_tasks"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="docs/sandbox.md: elsewhere there is no template")


@pytest.fixture
def upload(tmp_path: Path) -> Path:
    path = tmp_path / "upload.bin"
    path.write_bytes(b"twelve bytes")
    return path


@pytest.fixture
def template(settings: Any) -> Iterator[psutil.Process]:
    """A new one, which the next tests do not get."""
    settings.LIMITED_PROCESS_TEMPLATE = True
    processes.stop_template()
    processes.start_process().close()
    (running,) = [
        child
        for child in psutil.Process().children()
        if child.pid == processes._current.process.pid  # the template is private to its module
    ]
    yield running
    processes.stop_template()


def test_a_template_that_is_killed_costs_no_file(upload: Path, template: psutil.Process) -> None:
    killed = []

    def kill(progress: Progress) -> None:
        if not killed:
            killed.append(template.pid)
            template.kill()

    assert run_limited(f"{TASKS}:wait", upload, on_progress=kill) == {"size": 12}
    assert killed
    assert run_limited(f"{TASKS}:size", upload) == {"size": 12}


def test_a_process_ends_with_its_template(upload: Path, template: psutil.Process) -> None:
    """The kernel sees to it, also after the process became another user."""
    started: list[psutil.Process] = []

    class Seen(Exception):
        pass

    def kill(progress: Progress) -> None:
        if progress.page and started:
            raise Seen
        if progress.page:
            started.append(psutil.Process(progress.page))
            template.kill()

    with pytest.raises(Seen):
        run_limited(f"{TASKS}:report_pid", upload, on_progress=kill)
    gone, _ = psutil.wait_procs(started, timeout=10)
    assert gone == started


def test_a_template_that_ended_is_replaced(upload: Path, template: psutil.Process) -> None:
    template.kill()
    template.wait(10)
    assert run_limited(f"{TASKS}:size", upload) == {"size": 12}


def test_a_template_serves_so_many_files(
    upload: Path, template: psutil.Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its children share one layout of memory."""
    monkeypatch.setattr(processes, "MAX_FORKS", 2)
    first = run_limited(f"{TASKS}:parent", upload)
    processes.stop_template()
    served = [run_limited(f"{TASKS}:parent", upload)["pid"] for _ in range(5)]
    assert first["pid"] == template.pid
    assert [served.count(pid) for pid in dict.fromkeys(served)] == [2, 2, 1]


def test_a_forked_process_finds_nothing_of_another_file(upload: Path, template: psutil.Process) -> None:
    other = upload.parent / "other.bin"
    other.write_bytes(b"the other one's words")
    assert run_limited(f"{TASKS}:remember", other) == {"before": 0}
    assert run_limited(f"{TASKS}:remember", upload) == {"before": 0}
    descriptors = run_limited(f"{TASKS}:descriptors", upload)["open"]
    assert not [link for link in descriptors if link.startswith("socket:") or "other" in link]


def test_the_end_of_the_caller_ends_the_template_and_its_processes(upload: Path) -> None:
    """Also by SIGKILL: the kernel closes the caller's sockets."""
    code = (
        "import django; django.setup()\n"
        "from pathlib import Path\n"
        "from ingestion.sandbox import run_limited\n"
        "import psutil\n"
        f"run_limited('{TASKS}:sleep', Path({str(upload)!r}), on_progress=lambda progress: print("
        "*(child.pid for child in psutil.Process().children(recursive=True)), flush=True))"
    )
    caller = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"},
    )
    pids = [int(pid) for pid in caller.stdout.readline().split()]
    assert pids
    children = [psutil.Process(pid) for pid in pids]
    caller.kill()
    caller.wait()
    _, alive = psutil.wait_procs(children, timeout=10)
    assert not [child for child in alive if child.status() != psutil.STATUS_ZOMBIE]
