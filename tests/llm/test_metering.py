"""Every call leaves a row of figures, and a workspace cannot spend more than its budget."""

import threading
from decimal import Decimal

import pytest
from asgiref.sync import async_to_sync
from django.db import DatabaseError

from entities.access import Scope
from entities.actions import create_workspace
from llm import client, metering, scripted
from llm.client import BudgetExceeded, Call, ModelInterrupted, ModelUnavailable
from llm.models import Budget, ModelCall
from llm.models_catalogue import CATALOGUE, CatalogueError, get_tier_model
from llm.prompts import NOT_FOUND

ASK = {"system": "", "messages": [{"role": "user", "content": "Salaries of the crew?"}]}


def rows(service):
    with service.open():
        return list(ModelCall.objects.order_by("id"))


def test_a_call_is_recorded_with_tokens_cost_and_outcome(call, service):
    with scripted.use_scripted_model() as script:
        script.push(text="None.", usage=(1_000_000, 200_000, 500_000))
        reply = client.complete(call, **ASK)
    (row,) = rows(service)
    assert (row.principal, row.feature, row.model, row.outcome) == (7, "chat", "claude-haiku-5-5", "ok")
    assert (row.tokens_in, row.tokens_out, row.tokens_cached) == (1_000_000, 200_000, 500_000)
    # Above 100,000 tokens of input: 0.50 in, 2.50 out, 0.05 from the cache.
    assert row.cost == reply.usage.cost == Decimal("0.50") + Decimal("0.50") + Decimal("0.025")


def test_rows_hold_no_text():
    kinds = {field.name: field.get_internal_type() for field in ModelCall._meta.local_fields}
    assert [name for name, kind in kinds.items() if kind in ("TextField", "JSONField")] == []


def test_broken_failed_and_stopped_calls_are_recorded_too(call, service, streamed):
    with scripted.use_scripted_model() as script:
        script.push(text="Half an ans", truncate=True)
        script.push(text="Half an ans", truncate=True)
        script.push(error=529)
        script.push(chunks=["One ", "two"], hold=threading.Event())
        with pytest.raises(ModelInterrupted):
            client.complete(call, **ASK)
        streamed(call, **ASK)
        with pytest.raises(ModelUnavailable):
            client.complete(call, **ASK)

        async def leave() -> None:
            items = client.stream(call, **ASK)
            await anext(items)
            await items.aclose()

        async_to_sync(leave)()
    assert [row.outcome for row in rows(service)] == ["interrupted", "interrupted", "failed", "stopped"]
    assert rows(service)[0].cost > 0
    assert rows(service)[3].tokens_out > 0


def test_over_budget_no_call_is_made(call, service, streamed):
    with service.open():
        Budget.objects.create(workspace_id=call.workspace, monthly_cap=Decimal("0.01"))
    with scripted.use_scripted_model() as script:
        script.push(text="dear", usage=(0, 1_000_000, 0))
        script.push(text="never")
        assert client.complete(call, **ASK).text == "dear"
        with pytest.raises(BudgetExceeded, match="0.01 USD"):
            client.complete(call, **ASK)
        with pytest.raises(BudgetExceeded):
            streamed(call, **ASK)
        assert script.left == 1
    assert [row.outcome for row in rows(service)] == ["ok", "refused", "refused"]


def test_the_default_budget_comes_from_the_settings(call, settings):
    settings.CLEARANCE_MONTHLY_BUDGET = "0"
    with scripted.use_scripted_model() as script:
        script.push(text="never")
        with pytest.raises(BudgetExceeded):
            client.complete(call, **ASK)


def test_one_workspace_does_not_spend_anothers_budget(call, service):
    other = create_workspace(slug="other", name="Other")
    elsewhere = Scope.for_service(other.pk)
    with service.open():
        Budget.objects.create(workspace_id=call.workspace, monthly_cap=Decimal(0))
    with scripted.use_scripted_model() as script:
        script.push(text="fine")
        client.complete(Call(other.pk, 0, "chat", "fast"), **ASK)
    assert len(rows(elsewhere)) == 1
    assert rows(service) == []


def test_the_offline_engine_costs_nothing_and_has_no_budget(call, service):
    with service.open():
        Budget.objects.create(workspace_id=call.workspace, monthly_cap=Decimal(0))
    client.complete(call, **ASK)
    (row,) = rows(service)
    assert (row.cost, row.model, row.outcome) == (Decimal(0), "offline-extractive", "ok")
    assert row.tokens_in > 0


def test_calls_and_budgets_are_invisible_without_a_scope_and_from_elsewhere(call, outsider, opened):
    client.complete(call, **ASK)
    assert not ModelCall.objects.exists()
    with opened(outsider):
        assert not ModelCall.objects.exists()
        assert not Budget.objects.exists()


def test_a_recorded_call_cannot_be_changed(call, service):
    client.complete(call, **ASK)
    with service.open():
        assert ModelCall.objects.update(cost=0) == 0
        assert ModelCall.objects.all().delete()[0] == 0
        assert ModelCall.objects.count() == 1


def test_an_answer_survives_a_database_that_cannot_record_it(call, monkeypatch):
    def broken(*args, **kwargs):
        raise DatabaseError("gone")

    monkeypatch.setattr(ModelCall.objects, "create", broken)
    assert client.complete(call, **ASK).text == NOT_FOUND


def test_tiers_are_models_with_a_price(settings):
    assert {get_tier_model(tier).name for tier in ("fast", "standard", "deep")} <= set(CATALOGUE)
    settings.MODEL_TIERS = {**settings.MODEL_TIERS, "fast": "local-70b"}
    with pytest.raises(CatalogueError, match="MODEL_PRICES"):
        get_tier_model("fast")
    settings.MODEL_PRICES = {"local-70b": ("0", "0")}
    assert get_tier_model("fast").cost(fresh=10, written=0, read=0, output=10) == 0
    with pytest.raises(CatalogueError):
        get_tier_model("enormous")


def offline_call(call):
    client.complete(call, **ASK)


def test_calls_that_cannot_be_written_end_the_collecting_and_nothing_else(call, service, monkeypatch):
    def fail(*args, **kwargs):
        raise DatabaseError("gone")

    with monkeypatch.context() as patch:
        patch.setattr(ModelCall.objects, "bulk_create", fail)
        with metering.track_spending():
            offline_call(call)
    offline_call(call)
    assert len(rows(service)) == 1, "written at once again: nothing is collected any more"


@pytest.mark.django_db(transaction=True)
def test_collected_calls_are_written_once_however_often_they_are_asked_for(call, service):
    with metering.track_spending():
        offline_call(call)
        with service.open():
            metering.write_calls()
            metering.write_calls()
        assert len(rows(service)) == 1
        offline_call(call)
    assert len(rows(service)) == 2
