"""A second embedding model, of other dimensions, takes the place of the first without a gap."""

import json
import re
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import QuerySet
from django.db.models.functions import Now

from entities.access import Scope
from entities.models import AuditEntry, Workspace
from entities.types import Contract
from ingestion import vector_fill, vector_models, vector_switch
from ingestion.embed import get_default_model
from ingestion.models import ContextRow, WorkspaceModel
from ingestion.vector_switch import ModelSwitchRefused, NotWhole
from retrieval.candidates import load_vectors
from retrieval.models import EvaluationRun
from retrieval.query import prepare_query
from retrieval.related import find_related
from retrieval.search import find_hits
from tests.conftest import Person, person
from tests.ingestion.embedding_service import DIM, Service
from tests.ingestion.helpers import ready
from tests.ingestion.vectors import command, found, rows, vectors

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.whole_record]


@pytest.fixture
def report(alice: Person, contract: Contract) -> str:
    return ready(alice, contract)


def let_settle(service: Scope) -> None:
    with service.open():
        WorkspaceModel.objects.filter(switched_at__isnull=False).update(switched_at=Now() - timedelta(hours=1))


def model_of_search(person: Person) -> str:
    with person.scope.open():
        return find_hits(person.scope, "the storm").query.model_id


def test_a_model_is_added_filled_switched_to_and_the_old_one_dropped(
    report: str, tiny: Service, alice: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    first = get_default_model()
    before = found(viewer, "storm at the quay")
    assert "beside" in command("add", "tiny", "--workspace", "acme")
    # Added, half filled, whole: searches use the old one, and its rows alone.
    assert found(viewer, "storm at the quay") == before
    with pytest.raises(NotWhole):
        vector_switch.try_switch(service.workspace, "tiny")
    assert "acme: tiny is whole." in command("fill", "tiny", "--workspace", "acme")
    assert vectors(service) == {first: (rows(service), {384}), "tiny": (rows(service), {DIM})}
    assert found(viewer, "storm at the quay") == before
    assert model_of_search(viewer) == first
    told = command("status", "--workspace", "acme")
    assert f"{first} (384 dimensions), in use" in told
    assert f"{rows(service)} of {rows(service)} rows (100.0%)" in told

    # New text is embedded by both: by the one in use at once, by the other right after.
    other = ready(alice, contract, "second.md", b"The crane on the quay was painted green.\n")
    vector_fill.fill_published(service.workspace, contract.pk, other)  # type: ignore[arg-type]
    assert vectors(service)["tiny"][0] == vectors(service)[first][0] == rows(service)

    command("switch", "tiny", "--workspace", "acme")
    assert model_of_search(viewer) == "tiny"
    assert found(viewer, "storm at the quay")
    with viewer.scope.open():
        query = prepare_query("crane", viewer.scope)
        hits = find_hits(viewer.scope, query).hits
        assert {hit.row for hit in hits if hit.similarity is not None} <= set(
            load_vectors([h.row for h in hits], "tiny")
        )
        find_related(viewer.scope, contract)
    # A search that began before goes on with the old model, which is whole for a while.
    with pytest.raises(ModelSwitchRefused, match="may still use"):
        vector_switch.drop_model(scope=service, model_id=first)
    third = ready(alice, contract, "third.md", b"The gate is open on Mondays.\n")
    vector_fill.fill_published(service.workspace, contract.pk, third)  # type: ignore[arg-type]
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
    for words in (("add", "unknown"), ("add", get_default_model()), ("switch", "tiny"), ("drop", get_default_model())):
        with pytest.raises(CommandError):
            command(*words, "--workspace", "acme")
    assert vector_switch.settles_in(service.workspace, get_default_model()) == 0, "it is refused at once"
    with pytest.raises(CommandError, match="no workspace"):
        command("status", "--workspace", "nobody")
    tiny.broken = True
    with pytest.raises(CommandError):
        command("add", "tiny", "--workspace", "acme")
    assert list(vectors(service)) == [get_default_model()]


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
        vector_switch.try_switch(service.workspace, "tiny")
    assert told(boss) == ["100", "100"]
    assert told(alice)[-1] != "100"
    with service.open():
        forget(ContextRow.objects.filter(entity=contract.pk, data_classification=0))
    assert told(boss) == ["0", "100"]


def test_models_of_another_workspace_are_its_own(report: str, tiny: Service, outsider: Person, service: Scope) -> None:
    command("add", "tiny", "--workspace", "acme")
    with outsider.scope.open():
        assert not WorkspaceModel.objects.exists()
        assert vector_models.get_current_model() == get_default_model()
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
        assert list(used) == [get_default_model(), "tiny"]
        # What the one on trial reaches is no bar for the one in use.
        best = {ranking: {"ndcg_10": 2.0} for ranking in by_tiny["figures"]}
        EvaluationRun.objects.filter(model_id="tiny").update(figures=best)
    assert by_tiny["compared_with"] == by_first["run"]
    again = figures("")
    assert (again["compared_with"], again["drops"]) == (by_first["run"], [])
    with pytest.raises(CommandError, match="got worse"):
        figures("tiny")
    # A model that does not answer is no drop: nothing is kept.
    tiny.broken = True
    questions.write_text(json.dumps({**question, "question": "Who closed the quay?"}) + "\n")
    with pytest.raises(CommandError, match="tiny gave no vector of question quay"):
        figures("tiny")
    with service.open():
        assert EvaluationRun.objects.count() == 4
