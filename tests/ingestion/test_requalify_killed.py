"""A renewal killed by SIGKILL in its first share and in the rest: nothing is lost, doubled, half there, paid twice."""

import random
from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import pytest
from django.db.models.functions import Now

from entities.access import Scope
from entities.models import AuditEntry, Classification
from entities.models.classification import SECRET
from entities.types import Contract
from ingestion import requalify
from ingestion.models import ContextRow, File, Paragraph, RequalifiedFile, StepResult
from ingestion.staleness import is_stale
from llm.models import ModelCall
from tests.conftest import Person
from tests.ingestion.helpers import REPORT, ready, texts

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(600), pytest.mark.whole_record]

SIGKILL = -9
A_FILE = 100
"""Statements that renewing one takes, about; a process that finishes before it is told to die has done its share."""


def calls(service: Scope) -> int:
    with service.open():
        return ModelCall.objects.count()


def assert_whole(service: Scope, reader: Person, files: list[str]) -> None:
    """Each file is wholly of before or wholly renewed: text, rows, and what they say they were made from."""
    for file in files:
        assert len(texts(reader, file)) == 6
        with service.open():
            rows = list(ContextRow.objects.filter(file=file).values_list("kind", "text", "data_classification"))
            assert rows
            assert len(rows) == len(set(rows))
            revision = File.objects.get(pk=file).revision
            assert revision is not None
            assert set(ContextRow.objects.filter(file=file).values_list("witness", flat=True)) == {revision.witness}
            assert Paragraph.objects.filter(file=file).count() == 6


def test_killed_in_the_first_share_and_in_the_rest(
    alice: Person, contract: Contract, service: Scope, killed: Callable[[str, int, object], int]
) -> None:
    chance = random.Random(41)
    files = [
        ready(alice, contract, f"{name}.md", REPORT.replace(b"# Progress", f"# {name}".encode()))
        for name in ("north", "south", "west")
    ]
    with service.open():
        Classification.objects.filter(value=SECRET).update(description="Only for the board.")
    run, planned = requalify.start_run(service.workspace, 0.5, everything=False)
    before, deaths = calls(service), 0
    assert planned.calls == sum(one.windows + one.summaries for one in planned.files) > 3
    for share, tries in (("canary", 3), ("all", 3)):
        for _ in range(tries):
            status = killed(f"requalify:{share}:{chance.randint(2, A_FILE)}", service.workspace, UUID(int=0))
            assert status in (0, SIGKILL)
            deaths += status == SIGKILL
            assert_whole(service, alice, files)
            with service.open():
                File.objects.filter(claim__isnull=False).update(claimed_until=Now() - timedelta(seconds=1))
        assert requalify.go_on(run, canary_only=share == "canary")
        assert_whole(service, alice, files)
        with service.open():
            states = list(RequalifiedFile.objects.order_by("position").values_list("canary", "state"))
            assert File.objects.filter(is_stale()).count() == (1 if share == "canary" else 0)
        assert states == [(True, "done"), (True, "done"), (False, "waiting" if share == "canary" else "done")]
    assert deaths >= 4, "it was killed in earnest"
    # What a killed process had been answered and not kept is asked again, nothing else is.
    assert planned.calls <= calls(service) - before <= planned.calls + deaths
    came = requalify.report_run(run)
    assert (came.files, came.paragraphs, came.still, came.failed) == (3, 18, 0, ())
    with service.open():
        assert not StepResult.objects.exists()
        assert AuditEntry.objects.filter(action="file.indexed").count() == 2 * len(files)
