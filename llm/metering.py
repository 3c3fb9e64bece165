"""Budgets before a call, and a row after it. Each function opens a service scope of its own.

The cap is compared with what is already spent, so calls in flight together may overshoot it by their own cost.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal

from django.conf import settings
from django.db.models import Sum

from entities.access import Scope
from llm.errors import BudgetExceeded
from llm.messages import Call, Usage
from llm.models import Budget, ModelCall
from llm.models_catalogue import OFFLINE

logger = logging.getLogger(__name__)

DEFAULT_MONTHLY_CAP = Decimal(100)


@dataclass
class _SpendTotal:
    """cost: USD that nobody has asked for yet. calls: of the offline engine, which are not written yet."""

    cost: Decimal = Decimal(0)
    calls: list[ModelCall] = field(default_factory=list)


_spent: ContextVar[_SpendTotal | None] = ContextVar("spent", default=None)


def sum_spent_this_month(workspace: int) -> Decimal:
    """USD since the first of the month (UTC). Inside an open scope of the workspace."""
    first = datetime.now(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    rows = ModelCall.objects.filter(workspace_id=workspace, at__gte=first)
    return rows.aggregate(total=Sum("cost"))["total"] or Decimal(0)


def get_monthly_cap(workspace: int) -> Decimal:
    """USD a month: the workspace's `Budget`, else the setting CLEARANCE_MONTHLY_BUDGET. Inside an open scope."""
    cap = Budget.objects.filter(workspace_id=workspace).values_list("monthly_cap", flat=True).first()
    return cap if cap is not None else Decimal(getattr(settings, "CLEARANCE_MONTHLY_BUDGET", DEFAULT_MONTHLY_CAP))


def check_budget(call: Call, model: str) -> None:
    """Raises: BudgetExceeded, and records the refusal, when the month's cap is reached."""
    with Scope.for_service(call.workspace).open():
        cap = get_monthly_cap(call.workspace)
        if sum_spent_this_month(call.workspace) < cap:
            return
        _describe_call(call, model, Usage(), 0, ModelCall.Outcome.REFUSED).save(force_insert=True)
    raise BudgetExceeded(f"This workspace has spent its budget of {cap} USD for models this month.")


@contextmanager
def track_spending() -> Iterator[None]:
    """Within, what calls cost is added up for `take_spent`; calls from threads that were started within count too where
    they took the context over (asyncio.to_thread does). Calls of the offline engine are collected until `write_calls`
    or the end, so that they need no transaction each.
    """
    spent = _SpendTotal()
    token = _spent.set(spent)
    try:
        yield
    finally:
        try:
            if spent.calls:
                with Scope.for_service(spent.calls[0].workspace_id).open():
                    write_calls()
        except Exception:
            logger.exception("%s model calls could not be metered", len(spent.calls))
        finally:
            _spent.reset(token)


def write_calls() -> None:
    """Write the collected calls, in an open service scope of their workspace. Those of a transaction that is rolled
    back are not metered: they cost nothing.
    """
    spent = _spent.get()
    if spent is not None and spent.calls:
        ModelCall.objects.bulk_create(spent.calls)
        spent.calls.clear()


def take_spent() -> Decimal:
    """USD since it was last asked, within `track_spending`; 0 without."""
    spent = _spent.get()
    if spent is None:
        return Decimal(0)
    taken, spent.cost = spent.cost, Decimal(0)
    return taken


def record_call(call: Call, model: str, usage: Usage, latency_ms: int, outcome: str) -> None:
    """Write the row of a call. An answer that is paid for is not lost to a failing database: the failure is logged."""
    row = _describe_call(call, model, usage, latency_ms, outcome)
    if (spent := _spent.get()) is not None:
        spent.cost += usage.cost
        if model == OFFLINE.name:
            spent.calls.append(row)
            return
    try:
        with Scope.for_service(call.workspace).open():
            row.save(force_insert=True)
    except Exception:
        logger.exception("a model call of workspace %s (%s) could not be metered", call.workspace, call.feature)


def _describe_call(call: Call, model: str, usage: Usage, latency_ms: int, outcome: str) -> ModelCall:
    return ModelCall(
        workspace_id=call.workspace,
        principal=call.principal,
        feature=call.feature,
        model=model,
        tokens_in=usage.input,
        tokens_out=usage.output,
        tokens_cached=usage.cached,
        cost=usage.cost,
        latency_ms=latency_ms,
        outcome=outcome,
    )
