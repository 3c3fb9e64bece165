"""Searches change to a model by themselves, whoever is killed on the way, and the former one goes by itself."""

import json
import os
import subprocess
import sys
from datetime import timedelta

import pytest
from django.conf import settings as django_settings
from django.db.models.functions import Now

from entities.access import Scope
from entities.models import AuditEntry
from entities.types import Contract
from ingestion import vector_fill, vector_switch
from ingestion.embed import get_default_model
from ingestion.models import WorkspaceModel
from ingestion.vector_models import State, get_search_model
from tests.conftest import Person
from tests.ingestion.embedding_service import Service
from tests.ingestion.helpers import ready
from tests.ingestion.vectors import command, rows, vectors

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.whole_record]


@pytest.fixture
def report(alice: Person, contract: Contract) -> str:
    return ready(alice, contract)


def sweep(service: Scope) -> list[str]:
    """What the sweep does, with the work of those that it wakes; the models that it found."""
    with service.open():
        waiting, dropped = vector_fill.list_waiting(), vector_switch.list_dropped()
    for model_id in waiting:
        vector_fill.fill_model(service.workspace, model_id)
    for model_id in dropped:
        vector_switch.delete_vectors(service.workspace, model_id)
    return [*waiting, *dropped]


def let_pass(service: Scope, time: timedelta) -> None:
    with service.open():
        WorkspaceModel.objects.filter(switched_at__isnull=False).update(switched_at=Now() - time)


def test_the_command_lets_searches_change_by_themselves_and_without_the_option_not(
    report: str, tiny: Service, alice: Person, service: Scope
) -> None:
    command("add", "tiny", "--workspace", "acme")
    assert sweep(service) == ["tiny"]
    assert get_search_model(alice.scope) == get_default_model()
    assert "searches change to it" in command("add", "tiny", "--switch", "--workspace", "acme")
    assert sweep(service) == ["tiny"]
    assert get_search_model(alice.scope) == "tiny"
    with service.open():
        acts = list(AuditEntry.objects.filter(action__startswith="vector_model").values_list("action", "actor"))
    assert sorted(acts) == [("vector_model.added", 0), ("vector_model.switched", 0)]


def test_text_that_came_in_last_is_read_before_searches_change(
    report: str, tiny: Service, alice: Person, contract: Contract, service: Scope
) -> None:
    command("add", "tiny", "--switch", "--workspace", "acme")
    claim = vector_fill.claim_model(service.workspace, "tiny")
    assert claim is not None
    assert vector_fill.fill_claimed(claim, float("inf"))
    ready(alice, contract, "late.md", b"The ferry is late.\n")
    vector_fill.try_asked_switch(service.workspace, "tiny")
    assert get_search_model(alice.scope) == get_default_model()
    sweep(service)
    assert get_search_model(alice.scope) == "tiny"
    assert vectors(service)["tiny"][0] == rows(service)


def test_a_worker_that_is_killed_before_the_switch_leaves_it_to_the_sweep(
    report: str, tiny: Service, alice: Person, service: Scope
) -> None:
    command("add", "tiny", "--switch", "--workspace", "acme")
    claim = vector_fill.claim_model(service.workspace, "tiny")
    assert claim is not None
    assert vector_fill.fill_claimed(claim, float("inf")), "and here it is killed"
    assert sweep(service) == ["tiny"]
    assert get_search_model(alice.scope) == "tiny"
    assert sweep(service) == [get_default_model()], "which follows new text, and is not changed to"
    assert get_search_model(alice.scope) == "tiny"


def test_a_worker_that_is_killed_while_it_fills_leaves_it_to_the_sweep(
    report: str, tiny: Service, alice: Person, service: Scope
) -> None:
    command("add", "tiny", "--switch", "--workspace", "acme")
    tiny.answers = 0
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
    assert sweep(service) == [], "its claim stands for a while"
    with service.open():
        WorkspaceModel.objects.update(claimed_until=Now() - timedelta(seconds=1))
    assert sweep(service) == ["tiny"]
    assert get_search_model(alice.scope) == "tiny"


def test_the_former_model_goes_after_seven_days_and_not_before(
    report: str, tiny: Service, alice: Person, contract: Contract, service: Scope
) -> None:
    first = get_default_model()
    command("add", "tiny", "--switch", "--workspace", "acme")
    sweep(service)
    let_pass(service, vector_switch.FORMER_STAYS - timedelta(minutes=1))
    sweep(service)
    assert set(vectors(service)) == {first, "tiny"}
    let_pass(service, vector_switch.FORMER_STAYS + timedelta(minutes=1))
    assert first in sweep(service)
    assert set(vectors(service)) == {"tiny"}
    with service.open():
        assert list(WorkspaceModel.objects.values_list("state", flat=True)) == [State.CURRENT]
        assert AuditEntry.objects.get(action="vector_model.dropped").actor == 0


def test_a_former_model_that_a_command_switched_from_stays(report: str, tiny: Service, service: Scope) -> None:
    command("add", "tiny", "--workspace", "acme")
    command("switch", "tiny", "--workspace", "acme")
    let_pass(service, vector_switch.FORMER_STAYS * 9)
    sweep(service)
    assert set(vectors(service)) == {get_default_model(), "tiny"}


def test_a_former_model_that_somebody_asks_for_again_does_not_go(
    report: str, tiny: Service, alice: Person, contract: Contract, service: Scope
) -> None:
    first = get_default_model()
    command("add", "tiny", "--switch", "--workspace", "acme")
    sweep(service)
    ready(alice, contract, "late.md", b"The ferry is late.\n")
    let_pass(service, vector_switch.FORMER_STAYS * 2)
    assert not vector_switch.change_model(scope=service, model_id=first), "it lacks what came in last"
    assert sweep(service) == [first]
    assert get_search_model(alice.scope) == first
    sweep(service)
    assert get_search_model(alice.scope) == first, "the other one is not changed to again"
    assert set(vectors(service)) == {first, "tiny"}


def test_a_drop_that_was_broken_off_is_finished_by_the_sweep(report: str, tiny: Service, service: Scope) -> None:
    command("add", "tiny", "--workspace", "acme")
    sweep(service)
    vector_switch.drop_model(scope=service, model_id="tiny")
    assert "tiny" in vectors(service)
    assert "being removed" in command("status", "--workspace", "acme")
    assert sweep(service) == ["tiny"]
    assert list(vectors(service)) == [get_default_model()]
    assert "tiny" not in command("status", "--workspace", "acme")
