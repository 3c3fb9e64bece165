"""Records that stand only in the numbers of a Pulse: the Pulse goes when one of them is not open any more, and comes
again; an answer that was given it stays.
"""

import threading
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.db import connection
from psycopg import sql

from chat import runner
from chat.message_sources import select_message_sources
from chat.models import Event, Role, Turn
from entities.access import Scope
from entities.actions import archive_entity, create_entity
from entities.models import Entity, Source
from entities.types import Contract, Project, Risk, Task
from pulse.models import Pulse
from tests.chat.conftest import Chat, Model, text_of
from tests.conftest import Person
from tests.pulse.conftest import Work, move, pulse_of, rename, work  # noqa: F401  fixture
from tests.retrieval.conftest import Index

TASKS = 12
MAX_SOURCES = 200
SOME, MANY = 250, 2_000
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
    """Twelve tasks of the project, which its Pulse counts."""
    made = make_tasks(alice, project, [f"Task {n}" for n in range(TASKS)])
    work()
    return made


def ask(who: Person, record: Entity, start: Start, model: Model, answer: str = "Twelve are to do.") -> tuple[Chat, str]:
    chat = start(who, record)
    model.says(text=answer)
    return chat, chat.ask("How many tasks are there?")["id"]


def delete(who: Person, kind: str, record: Entity) -> None:
    answer = who.api.delete(f"/api/entities/{kind}/{record.pk}/?forever=1")
    assert answer.status_code == 204, answer.content


def restrict(who: Person, record: Entity) -> None:
    where = f"{who.base}admin/entities/entity/{record.pk}/change/"
    assert who.client.post(where, {"visibility": "restricted"}).status_code == 302


def archive(scope: Scope, record: Entity) -> None:
    with scope.open():
        archive_entity(scope=scope, entity=record)


def answers(chat: Chat) -> list[str]:
    return [m["content"] for m in chat.messages() if m["type"] == "text" and m["role"] == "assistant"]


def sources_of(service: Scope, turn: str) -> list[Source]:
    """Of the answer of a turn."""
    with service.open():
        return list(select_message_sources(Turn.objects.get(pk=turn), Role.ASSISTANT))


def copy_tasks(service: Scope, task: Entity, count: int, source: str = "copy") -> None:
    """More tasks like `task`, in two statements: one by one they would take half a minute."""
    with service.open(), connection.cursor() as cursor:
        cursor.execute(COPY_RECORDS, [source, count, task.pk])
        cursor.execute(COPY_TASKS, [source, task.pk])


COPY_RECORDS = """
INSERT INTO entities_entity (id, workspace_id, content_type_id, name, name_classification, visibility, created_at,
  updated_at, created_by, updated_by, deleted_by, source_system, source_id)
SELECT gen_random_uuid(), workspace_id, content_type_id, 'Copy ' || n, name_classification, visibility, created_at,
  created_at - interval '1 day', created_by, updated_by, 0, %s, n FROM entities_entity, generate_series(1, %s) n
WHERE id = %s
"""
COPY_TASKS = """
INSERT INTO entities_task (entity_ptr_id, workspace_id, project_id, status)
SELECT e.id, e.workspace_id, t.project_id, t.status FROM entities_entity e, entities_task t
WHERE e.source_system = %s AND t.entity_ptr_id = %s
"""


def test_what_becomes_of_one_of_many_records_takes_no_answer_and_its_number_is_one_source(
    alice: Person,
    viewer: Person,
    hr: Person,
    project: Entity,
    start: Start,
    model: Model,
    work: Work,  # noqa: F811
    service: Scope,
) -> None:
    """Whatever becomes of one of them, answers about the project stay, and its Pulse goes and comes again."""
    tasks = make_tasks(alice, project, [f"Task {n}" for n in range(9)])
    copy_tasks(service, tasks[0], SOME - len(tasks))
    work()
    assert f"{SOME} To do" in pulse_of(viewer, project)["text"]
    readers = {who.user.username: who for who in (viewer, hr, alice)}
    chats = {name: ask(who, project, start, model, "Many.")[0] for name, who in readers.items()}
    chat, turn = ask(viewer, project, start, model, "The crane is red.")
    assert all(f"{SOME} To do" in request.text for request in model.requests[-4:])
    assert {(s.entity_id, s.weight) for s in sources_of(service, turn)} == {(project.pk, "text")}
    assert chat.turn(turn)["drew_on"] == {"passages": 1, "names": 0, "counts": 0}
    other = make(alice, Project, name="Quay 8")
    work()
    left = SOME

    def leaves(*changes: Callable[[], object]) -> None:
        nonlocal left
        for change in changes:
            change()
            left -= 1
            for name, who in readers.items():
                assert (pulse_of(who, project)["text"], answers(chats[name])) == (None, ["Many."]), change
            assert work() > 0
            for name, who in readers.items():
                assert f"{left} To do" in pulse_of(who, project)["text"], change
                assert answers(chats[name]) == ["Many."]

    leaves(
        lambda: archive(alice.scope, tasks[1]),
        lambda: delete(alice, "task", tasks[2]),
        lambda: restrict(alice, tasks[3]),
        lambda: alice.api.delete(f"/api/entities/task/{tasks[4].pk}/"),
        lambda: move(alice, tasks[5], other),
    )
    before = pulse_of(viewer, project)
    rename(alice, "task", tasks[6], "Other")
    restrict(alice, tasks[1])
    move(alice, tasks[3], other)
    delete(alice, "task", tasks[3])
    assert pulse_of(viewer, project)["text"] == before["text"], "who was in no number changes nothing"
    assert answers(chat) == ["The crane is red."]
    assert "crane" in viewer.api.get(f"{chat.url}export/").content.decode()

    copy_tasks(service, tasks[0], MANY - left, "another")
    viewer.api.post(f"/api/entities/{project.pk}/pulse/refresh/")
    work()
    _, turn = ask(viewer, project, start, model, "Very many.")
    assert f"{MANY} To do" in model.requests[-1].text
    assert len(sources_of(service, turn)) <= MAX_SOURCES
    with service.open():
        of_pulse = Source.objects.filter(derived__in=Pulse.objects.filter(entity=project.pk).values("pk"))
        assert of_pulse.count() <= MAX_SOURCES
        assert [(s.entity_id, s.counted) for s in of_pulse.filter(weight="count")] == [(project.pk, None)]


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


def test_a_number_that_includes_a_hidden_record_is_given_to_nobody(
    alice: Person,
    viewer: Person,
    project: Entity,
    tasks: list[Entity],
    start: Start,
    model: Model,
    work: Work,  # noqa: F811
) -> None:
    chat, _ = ask(viewer, project, start, model)
    assert f"{TASKS} To do" in model.requests[-1].text
    restrict(alice, tasks[3])
    for who in (viewer, alice):
        ask(who, project, start, model)
        assert f"{TASKS} To do" not in model.requests[-1].text
    work()
    ask(viewer, project, start, model)
    assert f"{TASKS - 1} To do" in model.requests[-1].text
    assert answers(chat) == ["Twelve are to do."]


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
    model.says(chunks=["Twelve are ", "to do."], hold=hold)
    turn = chat.post("How many tasks are there?")

    def begun() -> bool:
        with viewer.scope.open():
            return Event.objects.filter(turn=turn, kind="token").exists()

    wait_for(begun)
    delete(alice, "task", tasks[3])
    hold.set()
    runner.wait_until_idle()
    assert chat.turn(turn)["state"] == "done"
    assert answers(chat) == ["Twelve are to do."]


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
