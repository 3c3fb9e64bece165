"""Records that stand only in the numbers of a Pulse: an answer that was given the Pulse neither goes with one of them
nor tells its number to a reader who may not see it.
"""

import json
import threading
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.db import connection
from psycopg import sql

from chat import runner
from chat.models import Event, Turn
from entities.access import Scope
from entities.actions import create_entity
from entities.models import Entity, Source
from entities.types import Contract, Project, Risk, Task
from pulse.models import Pulse
from tests.chat.conftest import Chat, Model, text_of
from tests.conftest import Person
from tests.pulse.conftest import Work, pulse_of, work  # noqa: F401  fixture
from tests.retrieval.conftest import Index

TASKS = 40
Start = Callable[[Person, Entity], Chat]


def make(who: Person, model: type[Entity], **fields: Any) -> Entity:
    with who.scope.open():
        return create_entity(scope=who.scope, model=model, fields=fields)


def make_tasks(who: Person, project: Entity, names: list[str]) -> list[Entity]:
    with who.scope.open():
        return [create_entity(scope=who.scope, model=Task, fields={"name": name, "project": project}) for name in names]


@pytest.fixture
def project(alice: Person) -> Entity:
    return make(alice, Project, name="Quay 7")


@pytest.fixture
def tasks(alice: Person, project: Entity, work: Work) -> list[Entity]:  # noqa: F811
    """Forty tasks of the project, which its Pulse counts."""
    made = make_tasks(alice, project, [f"Task {n}" for n in range(TASKS)])
    work()
    return made


def ask(who: Person, record: Entity, start: Start, model: Model, answer: str = "Forty are to do.") -> tuple[Chat, str]:
    chat = start(who, record)
    model.says(text=answer)
    return chat, chat.ask("How many tasks are there?")["id"]


def delete(who: Person, kind: str, record: Entity) -> None:
    answer = who.api.delete(f"/api/entities/{kind}/{record.pk}/?forever=1")
    assert answer.status_code == 204, answer.content


def restrict(who: Person, record: Entity) -> None:
    where = f"{who.base}admin/entities/entity/{record.pk}/change/"
    assert who.client.post(where, {"visibility": "restricted"}).status_code == 302


def answers(chat: Chat) -> list[str]:
    return [m["content"] for m in chat.messages() if m["type"] == "text" and m["role"] == "assistant"]


def sources_of(service: Scope, turn: str) -> list[Source]:
    """Of the answer of a turn."""
    with service.open():
        return list(Source.objects.filter(derived=Turn.objects.get(pk=turn).answer))


def copy_tasks(service: Scope, task: Entity, count: int) -> None:
    """More tasks like `task`, in two statements: one by one they would take half a minute."""
    with service.open(), connection.cursor() as cursor:
        cursor.execute(COPY_RECORDS, [count, task.pk])
        cursor.execute(COPY_TASKS, [task.pk])


COPY_RECORDS = """
INSERT INTO entities_entity (id, workspace_id, content_type_id, name, name_classification, visibility, created_at,
  updated_at, created_by, updated_by, deleted_by, source_system, source_id)
SELECT gen_random_uuid(), workspace_id, content_type_id, 'Copy ' || n, name_classification, visibility, created_at,
  created_at - interval '1 day', created_by, updated_by, 0, 'copy', n FROM entities_entity, generate_series(1, %s) n
WHERE id = %s
"""
COPY_TASKS = """
INSERT INTO entities_task (entity_ptr_id, workspace_id, project_id, status)
SELECT e.id, e.workspace_id, t.project_id, t.status FROM entities_entity e, entities_task t
WHERE e.source_system = 'copy' AND t.entity_ptr_id = %s
"""


@pytest.mark.parametrize("tasks_before", [TASKS, 500])
def test_an_answer_stays_when_one_of_many_counted_records_is_deleted(
    alice: Person,
    viewer: Person,
    project: Entity,
    start: Start,
    model: Model,
    work: Work,  # noqa: F811
    service: Scope,
    tasks_before: int,
) -> None:
    tasks = make_tasks(alice, project, [f"Task {n}" for n in range(5)])
    copy_tasks(service, tasks[0], tasks_before - len(tasks))
    work()
    assert f"{tasks_before} To do" in pulse_of(viewer, project)["text"]
    chat, turn = ask(viewer, project, start, model)
    assert f"{tasks_before} To do" in model.requests[-1].text
    sources = sources_of(service, turn)
    assert {source.entity_id for source in sources} == {project.pk}, "what is only counted is not copied"
    assert [len(source.counted) for source in sources if source.counted] == [tasks_before]
    before = pulse_of(viewer, project)

    delete(alice, "task", tasks[3])

    assert answers(chat) == ["Forty are to do."]
    assert text_of(chat.events(turn)) == "Forty are to do."
    assert "Forty are to do." in viewer.api.get(f"{chat.url}export/").content.decode()
    withdrawn = pulse_of(viewer, project)
    assert (withdrawn["state"], withdrawn["text"]) == ("waiting", None)
    assert work() > 0
    after = pulse_of(viewer, project)
    assert f"{tasks_before - 1} To do" in after["text"]
    assert after["id"] == before["id"]
    assert answers(chat) == ["Forty are to do."]


def test_an_answer_goes_with_a_record_whose_text_the_pulse_repeats(
    alice: Person,
    viewer: Person,
    project: Entity,
    tasks: list[Entity],
    index: Index,
    start: Start,
    model: Model,
    work: Work,  # noqa: F811
    service: Scope,
) -> None:
    quoted = tasks[5]
    index.row(quoted, "The sheet piling is late by a month.", file=index.file(quoted, "piling.md"))
    viewer.api.post(f"/api/entities/{project.pk}/pulse/refresh/")
    work()
    assert "sheet piling" in pulse_of(viewer, project)["text"]
    chat, turn = ask(viewer, project, start, model, "The piling is late.")
    assert {source.entity_id for source in sources_of(service, turn)} == {project.pk, quoted.pk}
    delete(alice, "task", tasks[6])
    assert answers(chat) == ["The piling is late."]
    delete(alice, "task", quoted)
    assert answers(chat) == []
    assert text_of(chat.events(turn)) == ""
    with service.open():
        assert not Pulse.objects.filter(entity=project.pk).exists()
    work()
    assert "sheet piling" not in pulse_of(viewer, project)["text"]


def test_a_number_that_includes_a_hidden_record_reaches_no_reader(
    alice: Person,
    viewer: Person,
    project: Entity,
    contract: Contract,
    start: Start,
    model: Model,
    work: Work,  # noqa: F811
) -> None:
    early, _ = ask(viewer, project, start, model, "No Pulse yet.")
    tasks = make_tasks(alice, project, [f"Task {n}" for n in range(TASKS)])
    work()
    chat, turn = ask(viewer, project, start, model)
    of_alice, _ = ask(alice, project, start, model)
    other, _ = ask(viewer, contract, start, model, "A lease.")

    restrict(alice, tasks[3])

    assert answers(chat) == []
    assert "Forty" not in json.dumps(chat.turn(turn)) + json.dumps(chat.messages())
    assert [event.kind for event in chat.events(turn)] == ["done"]
    assert "Forty" not in viewer.api.get(f"{chat.url}export/").content.decode()
    assert answers(of_alice) == ["Forty are to do."], "who may see it reads on"
    assert (answers(other), answers(early)) == (["A lease."], ["No Pulse yet."])
    model.says(text="Fine.")
    chat.ask("And now?")
    assert "40 To do" not in model.requests[-1].text
    assert "Forty" not in model.requests[-1].text
    work()
    model.says(text="Fine.")
    chat.ask("And now?")
    assert "39 To do" in model.requests[-1].text


def test_a_number_of_an_earlier_answer_keeps_what_it_counted(
    alice: Person,
    viewer: Person,
    project: Entity,
    tasks: list[Entity],
    start: Start,
    model: Model,
    service: Scope,
) -> None:
    """The second answer is given no Pulse: it knows the number from the conversation alone."""
    chat, _ = ask(viewer, project, start, model)
    with service.open():
        Pulse.objects.all().delete()
    model.says(text="Forty, as I wrote.")
    chat.ask("How many?")
    assert "To do" not in model.requests[-1].text
    assert len(answers(chat)) == 2
    restrict(alice, tasks[3])
    assert answers(chat) == []


def test_an_answer_keeps_the_numbers_of_two_pulses(
    alice: Person,
    viewer: Person,
    project: Entity,
    tasks: list[Entity],
    start: Start,
    model: Model,
    work: Work,  # noqa: F811
    service: Scope,
) -> None:
    chat, _ = ask(viewer, project, start, model)
    with service.open():
        Entity.objects.filter(pk=tasks[3].pk).update(archived_at="2026-01-01T00:00:00Z")
    (added,) = make_tasks(alice, project, ["One more"])
    work()
    model.says(text="Forty, and forty.")
    turn = chat.ask("How many now?")["id"]
    (counted,) = [source.counted for source in sources_of(service, turn) if source.counted]
    assert set(counted) == {task.pk for task in [*tasks, added]}
    restrict(alice, tasks[3])
    assert answers(chat) == []


def test_a_record_that_is_deleted_while_the_answer_is_written_and_was_only_counted_ends_nothing(
    alice: Person,
    viewer: Person,
    project: Entity,
    tasks: list[Entity],
    start: Start,
    model: Model,
    wait_for: Callable[..., Any],
) -> None:
    hold = threading.Event()
    chat = start(viewer, project)
    model.says(chunks=["Forty are ", "to do."], hold=hold)
    turn = chat.post("How many tasks are there?")

    def begun() -> bool:
        with viewer.scope.open():
            return Event.objects.filter(turn=turn, kind="token").exists()

    wait_for(begun)
    delete(alice, "task", tasks[3])
    hold.set()
    runner.wait_until_idle()
    assert chat.turn(turn)["state"] == "done"
    assert answers(chat) == ["Forty are to do."]


def tables_with(word: str, database: psycopg.Connection) -> set[str]:
    """Tables that have a row with the word in any column."""
    tables = database.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    asked = {
        name: sql.SQL("SELECT FROM {} t WHERE t::text ILIKE %s").format(sql.Identifier(name)) for (name,) in tables
    }
    return {name for name, query in asked.items() if database.execute(query, [f"%{word}%"]).rowcount}


def test_no_word_of_a_deleted_record_is_left(
    alice: Person,
    viewer: Person,
    contract: Contract,
    start: Start,
    model: Model,
    work: Work,  # noqa: F811
    superuser_connection: psycopg.Connection,
) -> None:
    """One that a Pulse only counted, and one that it only named."""
    named = make(alice, Contract, name="Canarylease", counterparty="Port")
    project = make(alice, Project, name="Quay 7", contract=named)
    counted = make_tasks(alice, project, ["Canarytask", "Another"])[0]
    work()
    pulse_of(viewer, project)
    work()
    assert "Canarylease" in pulse_of(viewer, project)["text"]
    chat, _ = ask(viewer, project, start, model, "It is about Canarylease.")
    assert {"pulse_pulse", "chat_message", "chat_event"} <= tables_with("canarylease", superuser_connection)

    delete(alice, "task", counted)
    assert tables_with("canarytask", superuser_connection) == set()
    assert answers(chat) == ["It is about Canarylease."]
    work()
    assert "Canarylease" in pulse_of(viewer, project)["text"]
    delete(alice, "contract", named)
    assert tables_with("canarylease", superuser_connection) == set()
    assert pulse_of(viewer, project)["text"] is None
    work()
    shown = pulse_of(viewer, project)
    assert "1 To do" in shown["text"]
    assert "Canarylease" not in shown["text"]
    assert tables_with("canary", superuser_connection) == set()


def test_an_answer_about_another_record_stays(
    alice: Person, viewer: Person, tasks: list[Entity], start: Start, model: Model
) -> None:
    risk = make(alice, Risk, name="Late steel")
    chat, _ = ask(viewer, risk, start, model, "It is late.")
    delete(alice, "task", tasks[3])
    assert answers(chat) == ["It is late."]
