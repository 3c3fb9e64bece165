"""A second embedding model, of other dimensions, takes the place of the first without a gap."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import QuerySet
from django.db.models.functions import Now

from entities.access import Scope
from entities.models import AuditEntry, Workspace
from entities.types import Contract
from ingestion import embed, pipeline, vector_fill, vector_models
from ingestion.embed import default_model, get_embedder
from ingestion.models import ContextRow, WorkspaceModel
from ingestion.vector_models import NotWhole, Refused, State
from retrieval.candidates import vectors_of
from retrieval.models import EvaluationRun
from retrieval.query import prepare
from retrieval.related import related
from retrieval.search import find, search
from tests.conftest import Person, person
from tests.ingestion.embedding_service import DIM, Service, embedding_service
from tests.ingestion.helpers import ready

pytestmark = pytest.mark.django_db(transaction=True)


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
def report(alice: Person, contract: Contract) -> str:
    return ready(alice, contract)


def command(*words: str) -> str:
    out = StringIO()
    call_command("vector_model", *words, stdout=out, stderr=out)
    return out.getvalue()


def vectors(service: Scope) -> dict[str, tuple[int, set[int]]]:
    """Model -> how many rows have its vector, and the dimensions of those."""
    with service.open(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT m.model_id, count(*), array_agg(DISTINCT vector_dims(v.embedding)) FROM ingestion_vector v"
            " JOIN ingestion_vectormodel m ON m.id = v.model GROUP BY 1"
        )
        return {model: (count, set(dims)) for model, count, dims in cursor.fetchall()}


def rows(service: Scope) -> int:
    with service.open():
        return ContextRow.objects.count()


def let_settle(service: Scope) -> None:
    with service.open():
        WorkspaceModel.objects.filter(switched_at__isnull=False).update(switched_at=Now() - timedelta(hours=1))


def found(person: Person, question: str) -> list[str]:
    with person.scope.open():
        return [str(result.id) for result in search(person.scope, question)]


def model_of_search(person: Person) -> str:
    with person.scope.open():
        return find(person.scope, "the storm").query.model_id


def test_a_model_is_added_filled_switched_to_and_the_old_one_dropped(
    report: str, tiny: Service, alice: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    first = default_model()
    before = found(viewer, "storm at the quay")
    assert "beside" in command("add", "tiny", "--workspace", "acme")
    # Added, half filled, whole: searches use the old one, and its rows alone.
    assert found(viewer, "storm at the quay") == before
    with pytest.raises(NotWhole):
        vector_models.try_switch(service.workspace, "tiny")
    assert "acme: tiny is whole." in command("fill", "tiny", "--workspace", "acme")
    assert vectors(service) == {first: (rows(service), {384}), "tiny": (rows(service), {DIM})}
    assert found(viewer, "storm at the quay") == before
    assert model_of_search(viewer) == first
    told = command("status", "--workspace", "acme")
    assert f"{first} (384 dimensions), in use" in told
    assert f"{rows(service)} of {rows(service)} rows (100.0%)" in told

    # New text is embedded by both: by the one in use at once, by the other right after.
    other = ready(alice, contract, "second.md", b"The crane on the quay was painted green.\n")
    vector_fill.follow(service.workspace, contract.pk, other)  # type: ignore[arg-type]
    assert vectors(service)["tiny"][0] == vectors(service)[first][0] == rows(service)

    command("switch", "tiny", "--workspace", "acme")
    assert model_of_search(viewer) == "tiny"
    assert found(viewer, "storm at the quay")
    with viewer.scope.open():
        query = prepare("crane", viewer.scope)
        hits = find(viewer.scope, query).hits
        assert {hit.row for hit in hits if hit.similarity is not None} <= set(vectors_of([h.row for h in hits], "tiny"))
        related(viewer.scope, contract)
    # A search that began before goes on with the old model, which is whole for a while.
    with pytest.raises(Refused, match="may still use"):
        vector_models.drop(service.workspace, first)
    third = ready(alice, contract, "third.md", b"The gate is open on Mondays.\n")
    vector_fill.follow(service.workspace, contract.pk, third)  # type: ignore[arg-type]
    assert vectors(service)[first][0] == vectors(service)["tiny"][0] == rows(service)

    let_settle(service)
    assert "is gone" in command("drop", first, "--workspace", "acme")
    assert vectors(service) == {"tiny": (rows(service), {DIM})}
    ready(alice, contract, "fourth.md", b"The gate is closed on Sundays.\n")
    assert vectors(service) == {"tiny": (rows(service), {DIM})}
    assert model_of_search(viewer) == "tiny"
    with service.open():
        actions = list(AuditEntry.objects.filter(action__startswith="vector_model").values_list("action", flat=True))
    assert sorted(actions) == ["vector_model.added", "vector_model.dropped", "vector_model.switched"]


def test_what_cannot_be_done_is_refused(report: str, tiny: Service, service: Scope) -> None:
    for words in (("add", "unknown"), ("add", default_model()), ("switch", "tiny"), ("drop", default_model())):
        with pytest.raises(CommandError):
            command(*words, "--workspace", "acme")
    with pytest.raises(CommandError, match="no workspace"):
        command("status", "--workspace", "nobody")
    tiny.broken = True
    with pytest.raises(CommandError):
        command("add", "tiny", "--workspace", "acme")
    assert list(vectors(service)) == [default_model()]


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
    checkpoint = pipeline.checkpoint

    def switch_at_publishing(claim: Any, stage: Any, progress: int = 0) -> None:
        checkpoint(claim, stage, progress)
        if stage == pipeline.Stage.PUBLISH and not switched:
            switched.append(True)
            command("switch", "tiny", "--workspace", "acme")

    monkeypatch.setattr(pipeline, "checkpoint", switch_at_publishing)
    ready(alice, contract, "second.md", b"The crane on the quay was painted green.\n")
    assert switched
    assert vectors(service)["tiny"][0] == rows(service)


def test_a_model_that_fails_stops_nothing_and_is_tried_again(
    report: str, tiny: Service, alice: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    command("add", "tiny", "--workspace", "acme")
    tiny.broken = True
    assert not vector_fill.fill(service.workspace, "tiny")
    other = ready(alice, contract, "second.md", b"The crane on the quay was painted green.\n")
    vector_fill.follow(service.workspace, contract.pk, other)  # type: ignore[arg-type]
    assert found(viewer, "green crane")
    with service.open():
        row = WorkspaceModel.objects.get(state=State.BESIDE)
        assert "refused" in row.error
        assert row.attempts == 1
        assert vector_fill.waiting() == [], "it waits for a while"
        WorkspaceModel.objects.update(claimed_until=Now() - timedelta(seconds=1))
        assert vector_fill.waiting() == ["tiny"]
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
    assert not vector_fill.fill(service.workspace, "tiny"), "the claim of the killed process still stands"
    with service.open():
        assert WorkspaceModel.objects.get(state=State.BESIDE).missing == total - done
        WorkspaceModel.objects.update(claimed_until=Now() - timedelta(seconds=1))
    tiny.texts.clear()
    assert vector_fill.fill(service.workspace, "tiny")
    assert vectors(service)["tiny"][0] == total
    assert len([text for text in tiny.texts if "bollard" in text]) <= total - done


def test_a_model_that_is_dropped_while_it_is_filled_stays_gone(report: str, tiny: Service, service: Scope) -> None:
    command("add", "tiny", "--workspace", "acme")
    claim = vector_fill.claim_model(service.workspace, "tiny")
    assert claim is not None
    assert vector_fill.claim_model(service.workspace, "tiny") is None
    vector_models.drop(service.workspace, "tiny")
    with pytest.raises(vector_fill.ClaimLost):
        vector_fill.fill_claimed(claim, float("inf"))
    assert "tiny" not in vectors(service)


def test_a_row_that_is_relabelled_meanwhile_gets_no_vector_with_its_old_label(
    report: str, tiny: Service, service: Scope, alice: Person
) -> None:
    command("add", "tiny", "--workspace", "acme")
    with service.open():
        texts = vector_fill.texts_of(vector_fill.Q())
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
                assert vector_fill.write_beside(made, get_embedder("tiny")) == len(made) - 1
                cursor.execute("ROLLBACK")
        finally:
            other.close()


def test_administrators_see_how_far_it_is_and_others_do_not(
    report: str, tiny: Service, alice: Person, viewer: Person
) -> None:
    command("add", "tiny", "--workspace", "acme")
    command("fill", "tiny", "--workspace", "acme")
    address = "admin/ingestion/workspacemodel/"
    shown = alice.client.get(f"{alice.base}{address}").content.decode()
    assert "tiny" in shown
    assert "100 %" in shown
    assert viewer.client.get(f"{viewer.base}{address}").status_code in (302, 403, 404)


def forget(rows: QuerySet[ContextRow]) -> None:
    """Take their vectors of the second model away."""
    with connection.cursor() as cursor:
        cursor.execute(
            'DELETE FROM ingestion_vector WHERE "row" = ANY(%s) AND model ='
            " (SELECT id FROM ingestion_vectormodel WHERE model_id = 'tiny')",
            [list(rows.values_list("number", flat=True))],
        )


def test_how_far_a_model_is_does_not_tell_of_hidden_rows(
    report: str, tiny: Service, alice: Person, contract: Contract, restricted: Contract, service: Scope
) -> None:
    """An administrator who is cleared for nothing and sees one of two records."""
    boss = person(Workspace.objects.get(slug="acme"), "boss", [], ("Admin",))
    ready(alice, restricted)
    command("add", "tiny", "--workspace", "acme")
    command("fill", "tiny", "--workspace", "acme")

    def told(who: Person) -> list[str]:
        page = who.client.get(f"{who.base}admin/ingestion/workspacemodel/").content.decode()
        return sorted(re.findall(r"(\d+) %", page))

    assert told(alice) == told(boss) == ["100", "100"]
    with service.open():
        forget(ContextRow.objects.exclude(entity=contract.pk, data_classification=0))
    # What an operator counted meanwhile is of all rows.
    with pytest.raises(NotWhole):
        vector_models.try_switch(service.workspace, "tiny")
    assert told(boss) == ["100", "100"]
    assert told(alice)[-1] != "100"
    with service.open():
        forget(ContextRow.objects.filter(entity=contract.pk, data_classification=0))
    assert told(boss) == ["0", "100"]


def test_models_of_another_workspace_are_its_own(report: str, tiny: Service, outsider: Person, service: Scope) -> None:
    command("add", "tiny", "--workspace", "acme")
    with outsider.scope.open():
        assert not WorkspaceModel.objects.exists()
        assert vector_models.current_model() == default_model()
    assert "other: no text yet." in command("status")


def test_models_are_compared_before_the_switch(
    report: str, tiny: Service, alice: Person, service: Scope, tmp_path: Path
) -> None:
    """The same questions by either model, as soon as the new one is whole."""
    question = {
        "id": "quay",
        "question": "Why was the quay closed?",
        "places": [{"file": "report.md", "quote": "storm"}],
    }
    questions = tmp_path / "quay.jsonl"
    questions.write_text(json.dumps(question) + "\n")

    def figures(model: str) -> Any:
        out = StringIO()
        call_command(
            "evaluate", str(questions), workspace="acme", reader="alice", model=model, json=True, stdout=out, stderr=out
        )
        return json.loads(out.getvalue()[out.getvalue().index("{") :])

    command("add", "tiny", "--workspace", "acme")
    with pytest.raises(CommandError, match="or not whole"):
        figures("tiny")
    command("fill", "tiny", "--workspace", "acme")
    tiny.texts.clear()
    by_first, by_tiny = figures(""), figures("tiny")
    assert tiny.texts == ["Why was the quay closed?"]
    assert by_first["figures"]["lexical"] == by_tiny["figures"]["lexical"]
    with service.open():
        used = EvaluationRun.objects.order_by("created_at").values_list("model_id", flat=True)
        assert list(used) == [default_model(), "tiny"]
    # A model that does not answer is no drop: nothing is kept.
    tiny.broken = True
    questions.write_text(json.dumps({**question, "question": "Who closed the quay?"}) + "\n")
    with pytest.raises(CommandError, match="tiny gave no vector of question quay"):
        figures("tiny")
    with service.open():
        assert EvaluationRun.objects.count() == 2
