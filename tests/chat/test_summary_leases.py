"""One process at a time makes a summary as one asker, and a model that fails is left alone for a while."""

import threading
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from chat import runner
from chat.models import Session, SummaryLease
from chat.summary_leases import FIRST_PAUSE, LEASE, claim_summary, end_lease
from entities.access import Scope
from entities.models import Entity
from tests.chat.conftest import Chat, Model
from tests.chat.test_memory import chatter
from tests.chat.test_summaries import is_summary, stored, summaries
from tests.chat.test_summary_calls import Start, ask, read_lease, read_text
from tests.conftest import Person


def let_pass(service: Scope) -> None:
    with service.open():
        SummaryLease.objects.update(until=timezone.now())


def test_after_a_failed_try_a_model_is_left_alone_for_longer_each_time(
    viewer: Person, contract: Entity, start: Start, model: Model, service: Scope
) -> None:
    chat = start(viewer, contract)
    chatter(service, chat, 9)
    for failures in (1, 2, 3):
        ask(chat, model, error=503)
        for _ in range(2):
            ask(chat, model)
        assert len(summaries(model)) == failures, "not after every turn"
        found = read_lease(service)
        assert found is not None
        left = found[1] - timezone.now()
        assert found[0] == failures
        assert FIRST_PAUSE * 2 ** (failures - 1) - timedelta(minutes=1) < left <= FIRST_PAUSE * 2 ** (failures - 1)
        let_pass(service)
    ask(chat, model, text="They agreed.")
    assert (read_text(service), read_lease(service)) == ("They agreed.", None)


def test_one_is_made_at_a_time_for_each_asker(
    viewer: Person, alice: Person, contract: Entity, share: Any, model: Model, service: Scope, wait_for: Any
) -> None:
    chat, hold = share(alice, contract), threading.Event()
    chatter(service, chat, 9)
    model.script.push(chunks=["They agreed", " on nothing."], hold=hold, when=is_summary)
    model.says(text="Yes.")
    turn = chat.post("Is it raining?")
    try:
        wait_for(lambda: summaries(model) and chat.turn(turn)["state"] == "done")
        model.says(text="Yes.")
        turn = chat.post("Is it raining?")
        wait_for(lambda: chat.turn(turn)["state"] == "done")
        wait_for(lambda: sum(thread.is_alive() for thread in runner._threads) == 1)
        assert len(summaries(model)) == 1
        # Somebody else's does not wait for it.
        theirs = Chat(viewer, chat.session)
        model.script.push(text="They agreed on all.", when=is_summary)
        model.says(text="Yes.")
        turn = theirs.post("Is it raining?")
        wait_for(lambda: stored(service) == 1)
        assert len(summaries(model)) == 2
    finally:
        hold.set()
    runner.wait_until_idle()
    assert (stored(service), read_lease(service)) == (2, None)


def test_a_lease_ends_by_its_time_and_with_its_holder_alone(
    viewer: Person, alice: Person, contract: Entity, start: Start, service: Scope
) -> None:
    chat, (first, second) = start(viewer, contract), (uuid4(), uuid4())
    with service.open():
        session = Session.objects.get(pk=chat.session)

    def claim(holder: Any, owner: int = viewer.user.pk) -> bool:
        with service.open():
            return claim_summary(service, session, owner, holder)

    assert [claim(first), claim(second), claim(second, alice.user.pk)] == [True, False, True]
    with service.open():
        SummaryLease.objects.filter(holder=second).delete()
    found = read_lease(service)
    assert found is not None
    assert timedelta() < found[1] - timezone.now() <= LEASE
    let_pass(service)
    assert claim(second)
    with service.open():
        end_lease(service, first, has_failed=True)
    assert not claim(first), "whoever had it before ends it no more"
    with service.open():
        end_lease(service, second, has_failed=False)
    assert claim(first)
    # Nobody but the service writes one, and it goes with its conversation.
    with viewer.scope.open(), pytest.raises(DatabaseError), transaction.atomic():
        SummaryLease.objects.update(until=timezone.now())
    assert viewer.api.delete(chat.url).status_code == 204
    assert read_lease(service) is None
