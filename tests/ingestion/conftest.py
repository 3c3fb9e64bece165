"""What tests here share: a record that waits for nothing, another embedding model, lossy readers, killed processes."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from config.postgres import Cluster
from entities.access import Scope
from entities.models.classification import SECRET
from entities.types import Contract
from ingestion import embed, pipeline
from ingestion.extract import extract_file
from ingestion.judging import RESEMBLES, HeadVotes
from ingestion.models import RecordIndex
from ingestion.votes import Vote
from tests.conftest import Person, make_contract
from tests.ingestion.embedding_service import Service, embedding_service
from tests.ingestion.helpers import PROPOSED
from tests.ingestion.losing import Loses, Lost, without


@pytest.fixture
def service_of_texts() -> Iterator[Service]:
    with embedding_service() as service:
        yield service


@pytest.fixture
def tiny(service_of_texts: Service, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Service:
    """The second model is configured; nothing uses it yet."""
    monkeypatch.delitem(embed._made, "tiny", raising=False)  # of an earlier test, at another address
    settings.CLEARANCE_EMBEDDERS = [service_of_texts.options]
    return service_of_texts


@pytest.fixture
def proposing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The heads propose Secret for `PROPOSED`, and nothing else."""

    def propose(embedder: object, name: str, texts: Sequence[str], **given: object) -> HeadVotes:
        vote = Vote("head", reason=RESEMBLES, proposed=frozenset({SECRET}))
        return HeadVotes("", tuple((vote,) if text == PROPOSED else () for text in texts))

    monkeypatch.setattr(pipeline, "vote_by_heads", propose)


@pytest.fixture
def contract(request: pytest.FixtureRequest, alice: Person, service: Scope) -> Contract:
    """Not waiting to be indexed: that takes as long as a short file does, and most tests here are of its files.

    No installation has such a record, so tests that count or renew all rows are marked `whole_record`.
    """
    made = make_contract(alice)
    if request.node.get_closest_marker("whole_record") is None:
        with service.open():
            assert RecordIndex.objects.filter(entity=made.pk).update(stale_since=None) == 1
    return made


@pytest.fixture
def loses(monkeypatch: pytest.MonkeyPatch) -> Loses:
    """The reader of files begins to lose paragraphs."""

    def begin(lost: Lost) -> None:
        monkeypatch.setattr(pipeline, "extract_file", lambda *a, **k: without(extract_file(*a, **k), lost))

    return begin


@pytest.fixture(scope="session")
def killed(cluster: Cluster) -> Iterator[Callable[[str, int, object], int]]:
    """Runs a process until it is killed, or to its end (tests/ingestion/killed_worker.py); its exit status."""
    command = [sys.executable, "-m", "tests.ingestion.killed_worker"]
    process: subprocess.Popen[str] | None = None

    def end() -> None:
        nonlocal process
        if process is not None:
            process.kill()
            process.communicate()
        process = None

    def run(where: str, workspace: int, target: object) -> int:
        nonlocal process
        try:
            if process is None:
                process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            assert process.stdin is not None
            assert process.stdout is not None
            print(where, workspace, target, file=process.stdin, flush=True)
            return int(process.stdout.readline())
        except BaseException:  # by its limit of time as well: a late answer would be taken for the next one's
            end()
            raise

    yield run
    end()
