"""The fuzzer notices when a limit is broken: each is broken once here, on purpose."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from entities.types import Contract
from ingestion import pipeline
from ingestion.sandbox import Limits, Quarantined, processes, run_limited
from tests.conftest import Person
from tests.fuzz.hostile_text import always
from tests.fuzz.recipe import Recipe
from tests.fuzz.test_fuzz import MEMORY, Fuzzer
from tests.fuzz.watch import MIB, Watch

pytestmark = [pytest.mark.fuzz]

TASKS = "tests.fuzz.control_tasks"
UNCONFINED = (
    "import ingestion.sandbox.child as child, ingestion.sandbox.template as template; "
    "child.confine_process = lambda limits, readable, user: None; child.list_missing = lambda: []; "
    "template.enter_empty_network = lambda libc: None; "
)


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Watch]:
    made = Watch(monkeypatch)
    yield made
    made.close()


@pytest.fixture
def upload(tmp_path: Path) -> Path:
    path = tmp_path / "upload.bin"
    path.write_bytes(b"twelve bytes")
    return path


def problems(watch: Watch, task: str, path: Path, *, limits: Limits | None = None, seconds: float = 30.0) -> list[str]:
    with watch.file() as seen:
        try:
            run_limited(f"{TASKS}:{task}", path, limits=limits, options={"url": watch.canary.url})
        except Quarantined as refusal:
            return [*seen.problems(seconds, MEMORY), refusal.code]
    return seen.problems(seconds, MEMORY)


def test_too_much_memory_is_noticed_where_the_limit_is_broken(watch: Watch, upload: Path) -> None:
    assert problems(watch, "eat", upload) == ["memory"]
    (found,) = problems(watch, "eat", upload, limits=Limits(memory_bytes=4096 * MIB))
    assert "the limited process took 6" in found


def test_silence_is_noticed_where_the_limit_is_broken(watch: Watch, upload: Path) -> None:
    assert problems(watch, "sleep", upload, limits=Limits(silence_seconds=1.0), seconds=2.5)[-1:] == ["timeout"]
    (found,) = problems(watch, "sleep", upload, seconds=2.5)
    assert "no progress for" in found


@pytest.mark.parametrize("way", ["forked", "fresh"])
def test_a_call_to_the_outside_is_noticed_where_the_process_is_not_confined(
    watch: Watch, upload: Path, monkeypatch: pytest.MonkeyPatch, settings: Any, way: str
) -> None:
    settings.LIMITED_PROCESS_TEMPLATE = way == "forked"
    assert problems(watch, "call", upload) == []
    for start in ("START", "START_TEMPLATE"):
        code = getattr(processes, start)
        monkeypatch.setattr(processes, start, code.replace("from ingestion", f"{UNCONFINED}from ingestion", 1))
    processes.stop_template()
    found = problems(watch, "call", upload)
    processes.stop_template()
    assert "a limited process had a socket" in found
    assert f"called {watch.canary.url}" in found


@pytest.mark.django_db(transaction=True)
def test_what_breaks_in_the_worker_or_on_a_page_is_noticed(
    alice: Person,
    viewer: Person,
    steward: Person,
    contract: Contract,
    watch: Watch,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fuzzer = Fuzzer(alice, viewer, steward, contract, watch)
    plain = Recipe("plain.txt", "a control", always(b"The quay is closed."), ready=True)
    assert fuzzer.try_recipe(plain) == []
    with monkeypatch.context() as broken:
        broken.setattr(Client, "get", lambda *given, **named: broken_answer())
        assert any("500 at" in problem for problem in fuzzer.look_at(fuzzer.last, plain))
    monkeypatch.setattr(pipeline, "cut", lambda *given, **named: 1 / 0)
    other = Recipe("other.txt", "a control", always(b"The quay is open."), ready=True)
    assert any("it ended as pending" in problem for problem in fuzzer.try_recipe(other))


def broken_answer():
    from django.http import HttpResponseServerError

    return HttpResponseServerError()
