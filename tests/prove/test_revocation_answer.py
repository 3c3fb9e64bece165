"""Taking something away while a worker writes the answer of a conversation.

What stands in the answer has the label that it has now, and what the worker reads in a transaction begun after the
commit, it reads as the asker may now.
"""

import asyncio
import threading
from collections.abc import Callable, Sequence
from datetime import timedelta
from itertools import takewhile
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.db import connections
from django.db.models import F

from chat.models import Event, Message, Turn
from chat.turn import run_turn
from entities.access import Scope, list_atoms
from entities.models import Classification, Entity, LabelGrant, Membership
from entities.models.classification import FINANCIAL, SECRET
from ingestion.models import File, Paragraph
from tests.conftest import Person
from tests.prove.size import sample
from tests.prove.steps import Actor
from tests.prove.test_revocation_worker import (  # noqa: F401  a fixture among them
    BEGINS,
    WORD,
    below,
    interleaved,
    plant_heron,
    raising,
    relabelled,
    stops_of,
)

pytestmark = [pytest.mark.prove, pytest.mark.usefixtures("transactional_db")]
SEARCHES = "WITH seen"
READS_PARAGRAPHS = "FROM ingestion_rowparagraph l LEFT JOIN"
"""In the statement that follows the one that reads the text of passages."""
WRITES_ANSWER = 'UPDATE "chat_message" SET "content"'
HELD = threading.local()


async def at_once(function: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """A database step of a turn in the actor's own thread and on its connection, where it can be stopped."""
    connections["default"] = HELD.connection
    return function(*given, **named)


def answer(workspace: int, turn: UUID) -> None:
    """Inside a loop a thread's connections are others than outside it: the actor's is handed in."""
    HELD.connection = connections["default"]
    asyncio.run(run_turn(workspace, turn))


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    for module in ("chat.steps", "chat.turn", "chat.tool_calls"):
        monkeypatch.setattr(f"{module}.run_in_thread", at_once)
    monkeypatch.setattr("chat.runner.start", lambda workspace, turn: None)


def asked(person: Person, contract: Entity) -> UUID:
    """The turn of a question. Those before it were asked long ago: within a minute one may ask less often than here."""
    with Scope.for_service(person.scope.workspace).open():
        Turn.objects.update(created_at=F("created_at") - timedelta(hours=1))
    session = person.api.post("/api/chat/sessions/", {"entity": str(contract.pk)}).json()["id"]
    url = f"/api/chat/sessions/{session}/messages/"
    return UUID(person.api.post(url, {"content": "What is the heron password?"}).json()["turn"])


def quoted(service: Scope) -> bool:
    """Whether an answer has the words of the passage: the offline engine answers in them."""
    with service.open():
        return Message.objects.filter(content__icontains=WORD).exists()


def fresh_below(service: Scope, atom: int) -> list[Any]:
    """Events with the word that do not need `atom`, of answers that are still there."""
    with service.open():
        known = Message.objects.values_list("turn", flat=True)
        events = Event.objects.filter(turn__in=known, data__icontains=WORD, kind="token")
        return [e.data for e in events if atom not in list_atoms(e.data_classification)]


def raised_at(
    stop: int | str, cfo: Person, contract: Entity, heron: File, service: Scope, database: psycopg.Connection
) -> list[Any]:
    """What needs no more than before, where the passage was raised when the worker had come to `stop`: the number of a
    statement, which differs from turn to turn, or what stands in it.
    """
    relabelled(service, heron, FINANCIAL)
    with service.open():
        Message.objects.all().delete()
    turn = asked(cfo, contract)
    interleaved(lambda: answer(service.workspace, turn), raising(service, heron), stop, database)
    assert below(service, Paragraph, "text", SECRET) == [], "it was not raised"
    return [*below(service, Message, "content", SECRET), *fresh_below(service, SECRET)]


def test_an_answer_has_the_label_of_what_went_in(
    cfo: Person, contract: Entity, heron: File, service: Scope, superuser_connection: psycopg.Connection
) -> None:
    turn = asked(cfo, contract)
    statements = stops_of(lambda: answer(service.workspace, turn))
    assert quoted(service)
    for stop in sample(range(len(statements)), 5, "answer"):
        found = raised_at(stop, cfo, contract, heron, service, superuser_connection)
        assert found == [], f"raised at {stop}: {statements[stop]}"


def test_what_rises_between_its_text_and_its_paragraphs_is_not_given(
    cfo: Person, contract: Entity, heron: File, service: Scope, superuser_connection: psycopg.Connection
) -> None:
    """Its paragraphs are hidden by then, and an answer without sources would never rise."""
    answer(service.workspace, asked(cfo, contract))
    assert quoted(service)
    assert raised_at(READS_PARAGRAPHS, cfo, contract, heron, service, superuser_connection) == []


def test_the_control_finds_an_answer_that_is_written_without_looking_again(
    cfo: Person,
    contract: Entity,
    heron: File,
    service: Scope,
    superuser_connection: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The negative control: what was read is taken for what is."""
    monkeypatch.setattr("chat.log.lock_message_labels", lambda *turn: [])
    assert raised_at(WRITES_ANSWER, cfo, contract, heron, service, superuser_connection)


@pytest.fixture
def lent(viewer: Person, service: Scope) -> Callable[[], None]:
    """Gives viewer, who has no clearance of a role, one of their own."""

    def lend() -> None:
        with service.open():
            LabelGrant.objects.create(
                workspace_id=service.workspace,
                membership=Membership.objects.get(user=viewer.user),
                classification=Classification.objects.get(value=FINANCIAL),
            )

    lend()
    return lend


def begins_to_read(statements: Sequence[str]) -> int:
    """Where the transaction begins in which passages are looked for."""
    first = next(n for n, sql in enumerate(statements) if SEARCHES in sql)
    return max(n for n in range(first) if BEGINS in statements[n])


def taken_at(
    stop: int, viewer: Person, contract: Entity, service: Scope, database: psycopg.Connection
) -> tuple[bool, str]:
    """(whether the worker had begun to read, what viewer is answered in the end), their clearance taken at `stop`."""
    turn = asked(viewer, contract)

    def take() -> None:
        with service.open():
            assert LabelGrant.objects.all().delete()[0] == 1

    worker, other = Actor("worker", lambda: answer(service.workspace, turn)), Actor("other", take)
    worker.go_to(stop, database)
    done = worker.statements[:-1]
    assert other.run(database), "nothing that a worker holds keeps somebody's clearance"
    worker.finish()
    other.finish()
    with service.open():
        session = Message.objects.filter(turn=turn).values_list("session", flat=True)[0]
    told = viewer.api.get(f"/api/chat/sessions/{session}/messages/").content.decode()
    # Its flushes come with the clock, so the statement of a number is another one each time. What was begun goes on.
    begun = [*done, *takewhile(lambda sql: BEGINS not in sql, worker.statements[len(done) :])]
    return any(SEARCHES in sql for sql in begun), told


def test_an_answer_is_made_of_what_the_asker_may_read_now(
    viewer: Person,
    contract: Entity,
    heron: File,
    service: Scope,
    lent: Callable[[], None],
    superuser_connection: psycopg.Connection,
) -> None:
    """A clearance of one person is taken: the worker reads with it no more, and what it read they read no more."""
    turn = asked(viewer, contract)
    statements = stops_of(lambda: answer(service.workspace, turn))
    assert quoted(service)
    begins = begins_to_read(statements)
    before, after = sample(range(begins), 2, "before"), sample(range(begins + 1, len(statements)), 2, "after")
    obeyed = 0
    for stop in [*before, begins, *after]:
        with service.open():
            Message.objects.all().delete()
        read, told = taken_at(stop, viewer, contract, service, superuser_connection)
        place = f"taken at {stop}: {statements[stop]}"
        assert WORD not in told, place
        assert below(service, Message, "content", FINANCIAL) == [], place
        assert fresh_below(service, FINANCIAL) == [], place
        assert read or not quoted(service), place
        obeyed += not read
        lent()
    assert obeyed


def test_the_control_finds_a_worker_that_reads_for_somebody_else(
    viewer: Person,
    contract: Entity,
    heron: File,
    service: Scope,
    lent: Callable[[], None],
    superuser_connection: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The negative control: whoever asks, the service reads."""
    monkeypatch.setattr("chat.steps.Asker.scope", lambda asker: service)
    read, _ = taken_at(0, viewer, contract, service, superuser_connection)
    assert not read
    assert quoted(service)
