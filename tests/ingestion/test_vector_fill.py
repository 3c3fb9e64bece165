"""Filling a second embedding model: beside the work that goes on, and through failures and kills."""

import json
import os
import subprocess
import sys
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.management import CommandError
from django.db import connection
from django.db.models.functions import Now

from entities.access import Scope
from entities.types import Contract
from ingestion import pipeline, vector_fill, vector_switch
from ingestion.embed import get_embedder
from ingestion.models import WorkspaceModel
from ingestion.vector_models import State
from tests.conftest import Person
from tests.ingestion.embedding_service import DIM, Service
from tests.ingestion.helpers import ready
from tests.ingestion.vectors import command, found, rows, vectors

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def report(alice: Person, contract: Contract) -> str:
    return ready(alice, contract)


def test_a_switch_never_leaves_a_row_without_a_vector(
    report: str, tiny: Service, alice: Person, contract: Contract, service: Scope
) -> None:
    """Text that came in since the last fill is made good by the switch itself, before searches use the model."""
    command("add", "tiny", "--workspace", "acme")
    command("fill", "tiny", "--workspace", "acme")
    ready(alice, contract, "late.md", b"The ferry is late.\n")
    assert vectors(service)["tiny"][0] < rows(service)
    command("switch", "tiny", "--workspace", "acme")
    assert vectors(service)["tiny"][0] == rows(service)


def test_text_that_was_embedded_by_the_former_model_is_not_published(
    tiny: Service, alice: Person, viewer: Person, contract: Contract, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The switch comes between a file's vectors and its publication: the file is embedded anew."""
    ready(alice, contract)
    command("add", "tiny", "--workspace", "acme")
    switched: list[bool] = []
    save = pipeline.save

    def switch_after_embedding(work: Any, stage: Any, *given: Any, **options: Any) -> None:
        save(work, stage, *given, **options)
        if stage == pipeline.Stage.EMBED and not switched:
            switched.append(True)
            command("switch", "tiny", "--workspace", "acme")

    monkeypatch.setattr(pipeline, "save", switch_after_embedding)
    ready(alice, contract, "second.md", b"The crane on the quay was painted green.\n")
    assert switched
    assert vectors(service)["tiny"][0] == rows(service)


def test_a_model_that_fails_stops_nothing_and_is_tried_again(
    report: str, tiny: Service, alice: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    command("add", "tiny", "--workspace", "acme")
    tiny.broken = True
    assert not vector_fill.fill_model(service.workspace, "tiny")
    other = ready(alice, contract, "second.md", b"The crane on the quay was painted green.\n")
    vector_fill.fill_published(service.workspace, contract.pk, other)  # type: ignore[arg-type]
    assert found(viewer, "green crane")
    with service.open():
        row = WorkspaceModel.objects.get(state=State.BESIDE)
        assert "refused" in row.error
        assert row.attempts == 1
        assert vector_fill.list_waiting() == [], "it waits for a while"
        WorkspaceModel.objects.update(claimed_until=Now() - timedelta(seconds=1))
        assert vector_fill.list_waiting() == ["tiny"]
    with pytest.raises(CommandError):
        command("switch", "tiny", "--workspace", "acme")
    tiny.broken = False
    with service.open():
        WorkspaceModel.objects.update(claimed_until=None)
    command("switch", "tiny", "--workspace", "acme")
    # Now the one that fails is the one in use: by words alone, and that is said.
    tiny.broken = True
    page = viewer.client.get(f"{viewer.base}search/", {"q": "painted crane"})
    assert "Searching by meaning is not available" in page.content.decode()
    nothing = viewer.client.get(f"{viewer.base}search/", {"q": "zyzzyva"}).content.decode()
    assert "Searching by meaning is not available" in nothing
    assert "near to this in meaning" not in nothing, "nobody looked"
    assert "second.md" in page.content.decode()


def test_a_killed_filler_loses_and_repeats_nothing(
    tiny: Service, alice: Person, contract: Contract, service: Scope
) -> None:
    lines = b"\n\n".join(
        b"# Part %d\n\nThe bollard numbered %d is old.%s" % (n, n, b" It is painted in the colour of the season." * 18)
        for n in range(70)
    )
    ready(alice, contract, "long.md", lines)
    command("add", "tiny", "--workspace", "acme")
    total = rows(service)
    assert total > 2 * vector_fill.BATCH
    tiny.answers = 2
    tiny.texts.clear()
    process = subprocess.Popen(
        [sys.executable, "manage.py", "vector_model", "fill", "tiny", "--workspace", "acme"],
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "CLEARANCE_EMBEDDERS": json.dumps([tiny.options]),
        },
        cwd=django_settings.BASE,
    )
    try:
        assert tiny.waiting.wait(60)
    finally:
        process.kill()
        process.wait()
    tiny.let_on.set()
    tiny.answers = 1_000_000
    done = vectors(service)["tiny"][0]
    assert done == 2 * vector_fill.BATCH
    assert not vector_fill.fill_model(service.workspace, "tiny"), "the claim of the killed process still stands"
    with service.open():
        assert WorkspaceModel.objects.get(state=State.BESIDE).missing == total - done
        WorkspaceModel.objects.update(claimed_until=Now() - timedelta(seconds=1))
    tiny.texts.clear()
    assert vector_fill.fill_model(service.workspace, "tiny")
    assert vectors(service)["tiny"][0] == total
    assert len([text for text in tiny.texts if "bollard" in text]) <= total - done


def test_a_model_that_is_dropped_while_it_is_filled_stays_gone(report: str, tiny: Service, service: Scope) -> None:
    command("add", "tiny", "--workspace", "acme")
    claim = vector_fill.claim_model(service.workspace, "tiny")
    assert claim is not None
    assert vector_fill.claim_model(service.workspace, "tiny") is None
    vector_switch.drop_model(scope=service, model_id="tiny")
    with pytest.raises(vector_fill.FillLost):
        vector_fill.fill_claimed(claim, float("inf"))
    assert "tiny" not in vectors(service)


def test_a_row_that_is_relabelled_meanwhile_gets_no_vector_with_its_old_label(
    report: str, tiny: Service, service: Scope, alice: Person
) -> None:
    command("add", "tiny", "--workspace", "acme")
    with service.open():
        texts = vector_fill.load_texts(vector_fill.Q())
        made = {pk: f"[{','.join(['1'] * DIM)}]" for pk in texts}
        other = connection.copy()
        try:
            with other.cursor() as cursor:
                cursor.execute("BEGIN")
                cursor.execute(
                    "SELECT set_config('app.workspace', %s, true), set_config('app.service', 'on', true),"
                    " set_config('app.principal', '0', true)",
                    [str(service.workspace)],
                )
                cursor.execute("SELECT id FROM ingestion_contextrow ORDER BY number LIMIT 1 FOR UPDATE")
                assert vector_fill.write_missing_vectors(made, get_embedder("tiny")) == len(made) - 1
                cursor.execute("ROLLBACK")
        finally:
            other.close()
