"""Whatever a file makes the reading process do, the caller gets an answer or a sentence, and soon.

Each test runs against both ways to start the process: forked from the template, and as a fresh interpreter.
"""

import os
import signal
import stat
import sys
import threading
from pathlib import Path
from typing import Any

import psutil
import pytest

from ingestion.sandbox import Limits, ProcessKilled, Progress, Quarantined, run_limited

TASKS = "tests.ingestion.sandbox_tasks"
QUICK = Limits(silence_seconds=3.0, page_seconds=1.0, wall_seconds=8.0)
LINUX = sys.platform == "linux"


@pytest.fixture(autouse=True, params=["forked", "fresh"])
def way(request: pytest.FixtureRequest, settings: Any) -> str:
    settings.LIMITED_PROCESS_TEMPLATE = request.param == "forked"
    return request.param


@pytest.fixture
def upload(tmp_path: Path) -> Path:
    path = tmp_path / "upload.bin"
    path.write_bytes(b"twelve bytes")
    return path


def limited_processes() -> list[psutil.Process]:
    """Those that run: fresh interpreters, and children of templates."""
    return [child for child in psutil.Process().children(recursive=True) if is_limited(child)]


def is_limited(child: psutil.Process) -> bool:
    """Not what has ended already, though nobody has asked how."""
    try:
        return "ingestion.sandbox.child" in " ".join(child.cmdline()) or (
            "ingestion.sandbox.template" in " ".join(child.parent().cmdline())
        )
    except psutil.NoSuchProcess:
        return False


def refused(task: str, path: Path, limits: Limits = QUICK) -> Quarantined:
    with pytest.raises(Quarantined) as caught:
        run_limited(f"{TASKS}:{task}", path, limits=limits)
    assert caught.value.detail.endswith((".", "it"))
    return caught.value


def test_the_answer_and_progress_come_back(upload: Path) -> None:
    heard: list[Progress] = []
    assert run_limited(f"{TASKS}:size", upload, on_progress=heard.append) == {"size": 12}
    assert heard[-1] == Progress("reading", 2, 2)


def test_bytes_come_back_as_bytes(upload: Path) -> None:
    assert run_limited(f"{TASKS}:blob", upload) == {"pages": 1, "blob": b"\x00\xfftwelve bytes"}


def test_rows_come_back_whole_and_in_order(upload: Path) -> None:
    assert run_limited(f"{TASKS}:rows", upload) == {"pages": 1, "rows": [[n, "x"] for n in range(1000)]}


def test_a_refusal_keeps_code_sentence_and_page(upload: Path) -> None:
    refusal = refused("refuse", upload)
    assert (refusal.code, refusal.detail, refusal.page) == ("encrypted", "Protected by a password.", 3)


def test_silence_on_a_page_is_a_timeout_that_names_the_page(upload: Path) -> None:
    refusal = refused("sleep", upload)
    assert (refusal.code, refusal.page) == ("timeout", 7)
    assert "page 7" in refusal.detail


def test_progress_for_ever_ends_at_the_wall(upload: Path) -> None:
    assert refused("trickle", upload, Limits(wall_seconds=1.0)).code == "timeout"


@pytest.mark.parametrize("task", ["spin", "shout", "sleep_after_closing", "forge"])
def test_a_child_that_will_not_talk_is_ended(upload: Path, task: str) -> None:
    assert refused(task, upload).code in ("timeout", "crashed", "bomb")


def test_processor_time_is_limited(upload: Path) -> None:
    assert refused("spin", upload, Limits(cpu_seconds=1, silence_seconds=20.0)).code == "timeout"


def test_memory_is_limited(upload: Path) -> None:
    refusal = refused("eat", upload, Limits(memory_bytes=200 << 20))
    assert (refusal.code, refusal.page) == ("memory", 4)


@pytest.mark.parametrize("task", ["abort", "leave", "fail"])
def test_a_crash_is_a_sentence(upload: Path, task: str) -> None:
    held = b"x" * (400 << 20)  # more than the file may take: what the worker holds is no fault of the file
    assert refused(task, upload).code == "crashed"
    assert len(held)


def test_what_libraries_print_does_not_mix_with_the_answer(upload: Path) -> None:
    assert run_limited(f"{TASKS}:babble", upload) == {"done": True}


def test_an_answer_that_is_too_long_is_not_taken(upload: Path) -> None:
    assert refused("flood", upload, Limits(output_bytes=100_000)).code == "bomb"


def test_an_empty_file_and_a_huge_one_start_nothing(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.touch()
    assert refused("size", empty).code == "empty"
    huge = tmp_path / "huge"
    with huge.open("wb") as file:
        file.truncate(300 << 20)
    refusal = refused("size", huge)
    assert refusal.code == "too_large"
    assert "300 MB" in refusal.detail


def test_what_the_listener_raises_ends_the_child_and_comes_through(upload: Path) -> None:
    class Cancelled(Exception):
        pass

    def listener(progress: Progress) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        run_limited(f"{TASKS}:sleep", upload, on_progress=listener)
    assert not limited_processes()


def test_several_at_once_from_threads(upload: Path) -> None:
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(run_limited(f"{TASKS}:size", upload))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [{"size": 12}] * 4


@pytest.mark.skipif(not LINUX, reason="docs/sandbox.md: these limits are the Linux kernel's")
def test_nothing_can_be_reached_from_inside(upload: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEARANCE_SECRET", "not for readers of files")
    (upload.parent / "neighbour.txt").write_text("somebody else's upload")
    found = run_limited(f"{TASKS}:attempts", upload)
    assert "done" not in found.values(), found
    assert not (upload.parent / "written").exists()


@pytest.mark.skipif(not LINUX, reason="docs/sandbox.md: these limits are the Linux kernel's")
def test_the_limits_say_that_they_are_in_force(upload: Path) -> None:
    answer = run_limited("ingestion.sandbox.child:describe_restrictions", upload)
    assert answer["missing"] == []
    limits = {"rlimit_as", "rlimit_cpu", "rlimit_fsize", "rlimit_nofile"}
    assert limits | {"no_new_privileges", "no_capabilities", "landlock", "seccomp", "audit"} <= set(answer["in_force"])


@pytest.mark.skipif(not LINUX, reason="docs/sandbox.md: these limits are the Linux kernel's")
def test_the_kernel_says_that_the_process_has_no_rights(upload: Path, settings: Any) -> None:
    """As root it is a user of its own, and only opens files that no other may read as root does."""
    told: dict[str, list[str]] = {}

    class Seen(Exception):
        pass

    def look(progress: Progress) -> None:
        if progress.page:
            lines = Path(f"/proc/{progress.page}/status").read_text().splitlines()
            told.update((name, values.split()) for name, _, values in (line.partition(":") for line in lines))
            raise Seen

    settings.LIMITED_PROCESS_USER = 65_500
    upload.chmod(0o600)
    with pytest.raises(Seen):
        run_limited(f"{TASKS}:report_pid", upload, on_progress=look)
    for kind in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(told[kind][0], 16) == 0
    assert (told["NoNewPrivs"], told["Seccomp"], told["Threads"]) == (["1"], ["2"], ["1"])
    if os.geteuid() == 0:
        assert told["Uid"] == ["65500", "65500", "65500", "0"]
        assert told["Gid"] == ["65500"] * 4
        assert told["Groups"] == []


@pytest.mark.skipif(not LINUX, reason="docs/sandbox.md: these limits are the Linux kernel's")
def test_files_are_opened_as_that_user_where_it_may_read_them(upload: Path) -> None:
    here = Path(__file__)
    if any(
        not folder.stat().st_mode & stat.S_IXOTH for place in (here, Path(sys.executable)) for folder in place.parents
    ):
        pytest.skip("only whoever owns this checkout may read it")
    in_force = run_limited("ingestion.sandbox.child:describe_restrictions", here)["in_force"]
    elsewhere = run_limited("ingestion.sandbox.child:describe_restrictions", upload)["in_force"]
    assert ("own_files" in in_force) is ("own_user" in in_force) is (os.geteuid() == 0)
    assert "own_files" not in elsewhere


def test_nothing_of_the_application_is_loaded_inside(upload: Path) -> None:
    loaded = run_limited(f"{TASKS}:modules", upload)["modules"]
    assert not {"django", "numpy", "onnxruntime", "psycopg", "anthropic"} & set(loaded)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_process_that_is_ended_from_outside_is_started_once_more(upload: Path, number: signal.Signals) -> None:
    """The file is not to blame for that: no sentence about it is made."""
    ended: list[int] = []

    def end(progress: Progress) -> None:
        if progress.page and progress.page not in ended:
            ended.append(progress.page)
            os.kill(progress.page, number)

    with pytest.raises(ProcessKilled):
        run_limited(f"{TASKS}:report_pid", upload, limits=QUICK, on_progress=end)
    assert len(ended) == 2


def test_a_process_that_is_ended_from_outside_once_still_answers(upload: Path) -> None:
    ended: list[int] = []

    def end(progress: Progress) -> None:
        if progress.page and not ended:
            ended.append(limited_processes()[0].pid)
            os.kill(ended[0], signal.SIGKILL)

    assert run_limited(f"{TASKS}:wait", upload, limits=QUICK, on_progress=end) == {"size": 12}
    assert ended
