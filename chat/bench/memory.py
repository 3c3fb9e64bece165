"""What a conversation finds again of what was said in it, and how fast, whatever its length.

Evidence is a turn that answers a question about the conversation (`chat.bench.conversations`). It is found when it is
among what a prompt of so many tokens would hold.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import uuid4

import numpy as np
from django.utils import timezone

from chat.bench.conversations import Conversation, make_conversation
from chat.memory import recall_turns
from chat.message_sources import get_block
from chat.models import Message, Role, Session, State, Turn
from entities.access import Scope
from entities.actions import add_member, create_entity, create_role, create_workspace
from entities.models import Entity, Source, User
from entities.types import Contract
from retrieval.bench.timing import BenchRow
from retrieval.bench.world import remove_world

CONVERSATIONS, TURNS = 5, 300
BUDGETS = {2_000: 0.88, 5_760: 0.95}
P95_MS = 50.0
LENGTHS = (10, 1_000)
"""Messages of the shorter conversations in which a recall is timed."""
TIMED = 60


@dataclass(frozen=True)
class Talk:
    """A conversation in the database."""

    scope: Scope
    session: Session
    made: Conversation


def measure(count: int, rounds: int, seconds: float, plans: list[str]) -> list[BenchRow]:
    """count: messages of the longest conversation."""
    del rounds, seconds, plans
    found: list[BenchRow] = []
    with one_reader() as (scope, records):
        talks = [plant(scope, records, make_conversation(seed, TURNS)) for seed in range(CONVERSATIONS)]
        for budget, goal in BUDGETS.items():
            shares = measure_evidence(talks, budget)
            for kind, values in sorted(shares.items()):
                found.append(
                    BenchRow(
                        f"evidence within {budget:,} tokens, {kind} ({len(values)} questions)", _compute_mean(values)
                    )
                )
            every = [value for values in shares.values() for value in values]
            share = _compute_mean(every)
            found.append(
                BenchRow(
                    f"evidence within {budget:,} tokens, all {len(every)} questions", share, f"≥ {goal}", share >= goal
                )
            )
        for messages in (*LENGTHS, count):
            p50, p95, own = measure_recall(plant(scope, records, make_conversation(7, messages // 2)))
            found.append(BenchRow(f"a recall among {messages:,} messages, p50 ms", p50))
            found.append(
                BenchRow(f"a recall among {messages:,} messages, p95 ms", p95, f"≤ {P95_MS} ms", p95 <= P95_MS)
            )
            found.append(BenchRow(f"a recall among {messages:,} messages, own processor time, p50 ms", own))
    return found


def measure_evidence(talks: list[Talk], budget: int) -> dict[str, list[float]]:
    """Kind of a question -> for each the share of its evidence that was found."""
    shares: dict[str, list[float]] = {}
    for talk in talks:
        for asked in talk.made.asked:
            with talk.scope.open():
                recall = recall_turns(talk.scope, talk.session, asked.text, len(talk.made.turns) + 1, budget)
            taken = {turn.number for turn in recall.turns}
            shares.setdefault(asked.kind, []).append(len(taken & set(asked.turns)) / len(asked.turns))
    return shares


def measure_recall(talk: Talk) -> tuple[float, float, float]:
    """Milliseconds that 50, and 95, of 100 recalls take at most, in a scope that is open; and of processor time of this
    process, which a busy machine does not change much.
    """
    times, own = [], []
    questions = [asked.text for asked in talk.made.asked][:: max(1, len(talk.made.asked) // TIMED)]
    with talk.scope.open():
        for text in (*questions[:3], *questions):
            begun, worked = time.monotonic(), time.process_time()
            recall_turns(talk.scope, talk.session, text, len(talk.made.turns) + 1, 2_000)
            times.append(1000 * (time.monotonic() - begun))
            own.append(1000 * (time.process_time() - worked))
    return float(np.percentile(times[3:], 50)), float(np.percentile(times[3:], 95)), float(np.percentile(own[3:], 50))


@contextmanager
def one_reader() -> Iterator[tuple[Scope, list[Entity]]]:
    """Somebody in a workspace of their own, with a few records; both go afterwards."""
    workspace = create_workspace(slug=f"bench-{uuid4().hex[:8]}", name="Bench")
    service = Scope.for_service(workspace.pk)
    try:
        user = User.objects.create_user(f"bench-{workspace.pk}-0")
        with service.open():
            add_member(workspace, user, [create_role(workspace, "Reader", ())])
            records = [create_entity(scope=service, model=Contract, fields={"name": f"Lease {n}"}) for n in range(20)]
        yield Scope.for_user(user, workspace.slug), records
    finally:
        remove_world(workspace.pk)


def plant(scope: Scope, records: list[Entity], made: Conversation) -> Talk:
    """A conversation with its answers, each drawn from three records and what is behind the one before."""
    now = timezone.now()
    mine = {"workspace_id": scope.workspace, "audience": scope.principal}
    with Scope.for_service(scope.workspace).open():
        session = Session.objects.create(**mine, entity_id=records[0].pk)
        turns = [
            Turn(
                **mine,
                session=session,
                number=n,
                state=State.DONE,
                lease_until=now,
                answer_from=f"{{[{get_block(1, Role.USER)},{get_block(n + 1, Role.USER)})}}",
            )
            for n in range(1, len(made.turns) + 1)
        ]
        Turn.objects.bulk_create(turns, batch_size=1_000)
        said = {**mine, "session": session, "data_classification": 0}
        for turn, (question, answer) in zip(turns, made.turns, strict=True):
            turn.texts = [  # type: ignore[attr-defined]
                Message(**said, pk=turn.question, turn=turn, role=Role.USER, content=question),
                Message(**said, pk=turn.answer, turn=turn, role=Role.ASSISTANT, content=answer),
            ]
        Message.objects.bulk_create([m for turn in turns for m in turn.texts], batch_size=500)  # type: ignore[attr-defined]
        Source.objects.bulk_create(
            [
                Source(
                    workspace_id=scope.workspace,
                    derived=session.pk,
                    number=get_block(turn.number, Role.ASSISTANT) + n,
                    entity_id=records[(turn.number + n) % 20].pk,
                )
                for turn in turns
                for n in range(3)
            ],
            batch_size=1_000,
        )
    return Talk(scope, session, made)


def _compute_mean(values: list[float]) -> float:
    return sum(values) / len(values)
