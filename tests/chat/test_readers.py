"""What was said stays with its readers: in placeholders, streams, numbers and titles, and whatever a statement says."""

import threading
from contextlib import suppress
from unittest import mock
from uuid import UUID, uuid4

from django.db import Error, connection, transaction
from django.utils import timezone

from chat import labelling, runner
from chat.access import load_events_after, load_known_turns
from chat.conversation import NOT_WHOLE
from chat.events import AT_ONCE, look
from chat.log import FORGOTTEN
from chat.models import Event, EventKind, Message, Session, State, Title, Turn
from entities.access import grant_entity
from entities.models import Source
from entities.models.classification import FINANCIAL
from tests.chat.conftest import SALARY, SentEvent, tail
from tests.chat.test_shared import INVOICE, conceal, find_invoice, joined


def page_of(chat):
    return chat.who.client.get(f"{chat.who.base}chat/{chat.session}/").content.decode()


def test_nothing_is_told_of_what_came_from_a_hidden_record(alice, viewer, restricted, index, share, model, service):
    """Not that it is there and needs a clearance; nor in a stream, where it comes while the stream is looked at."""
    text = "The settlement sum is 5 million."
    index.row(restricted, text, label=FINANCIAL, file=index.file(restricted, "Settlement.pdf"))
    chat = share(alice, None)
    theirs = joined(viewer, chat)
    model.says(text="Well.")
    known = UUID(theirs.ask("How are things?")["id"])
    model.says(tool_use=("search_knowledge", {"query": "settlement sum"}))
    model.says(text="5 million [1].")
    about = chat.ask("What about it?")["id"]
    model.says(text="Yes.")
    hidden = chat.ask("Is it 5 million?")["id"]
    absent = viewer.api.get(f"/api/chat/turns/{uuid4()}/").content
    assert [message["type"] for message in theirs.messages()] == ["text"] * 3
    assert viewer.api.get(f"/api/chat/turns/{hidden}/").content == absent
    assert tail(viewer, hidden) == (404, absent)
    # Of an answer whose question they read, that it has ended: not why, not how long it is, not that it is hidden.
    assert theirs.events(about) == [SentEvent(1, "done", {"state": "done", "message": None})]
    assert "no longer shown" not in page_of(theirs)
    with service.open():
        Turn.objects.filter(pk=about).update(state=State.FAILED, error=FORGOTTEN)
    assert chat.turn(about)["error"]["detail"] == FORGOTTEN
    assert theirs.turn(about)["error"]["detail"] == NOT_WHOLE
    told = page_of(theirs), str(theirs.events(about)), viewer.api.get(f"{chat.url}export/").content.decode()
    assert not any("deleted while" in text for text in told)
    assert NOT_WHOLE in told[0]
    assert NOT_WHOLE in told[2]
    with viewer.scope.open():  # nor does a statement of theirs take away what a text was drawn from
        assert Source.objects.filter(entity=restricted.pk).exists()
        assert Source.objects.filter(entity=restricted.pk)._raw_delete("default") == 0
        assert Source.objects.filter(entity=restricted.pk).update(entity=None) == 0

    def grow():
        with service.open():
            row = Turn.objects.get(pk=known)
            Source.objects.create(workspace_id=row.workspace_id, derived=row.answer, entity_id=restricted.pk)
            Event.objects.create(
                workspace_id=row.workspace_id, audience=viewer.user.pk, turn=row, seq=99, kind=EventKind.TOKEN,
                data={"text": "5 million"}, data_classification=0,
            )  # fmt: skip
        connection.close()

    with viewer.scope.open():
        row = load_known_turns(viewer.scope, [known])[known]
        meanwhile = threading.Thread(target=grow)
        meanwhile.start()
        meanwhile.join()
        events = load_events_after(viewer.scope, {row.pk: 0}, AT_ONCE).get(row.pk, [])
        assert b"5 million" not in b"".join(look(viewer.scope, row, 0, events, removed=False, readable=False).chunks)
    assert b"5 million" not in tail(viewer, known)[1]

    with service.open():
        grant_entity(restricted, viewer.user.pk, ["view"])
    assert b"5 million" in tail(viewer, known)[1]
    assert [message["type"] for message in theirs.messages()] == [*["text"] * 3, *["placeholder"] * 3]
    assert tail(viewer, hidden)[0] == 200


def test_no_statement_moves_text_to_other_readers(alice, viewer, contract, start, share, model):
    """Neither its owner's nor another's; the database refuses them whatever the code above asks for."""
    private, shared = start(viewer, contract), share(viewer, contract)
    for chat in (private, shared):
        model.says(text="Well.")
        chat.ask("How are things?")

    def is_refused(who, do):
        try:
            with who.scope.open(), transaction.atomic(), connection.cursor() as cursor:
                do()
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        except Error:
            return True
        return False

    of = {Session: "pk", Turn: "session", Message: "session", Title: "session"}
    for model_class, column in of.items():
        mine, ours = ({column: chat.session} for chat in (private, shared))
        assert is_refused(viewer, lambda m=model_class, w=mine: m.objects.filter(**w).update(audience=0))
        assert is_refused(viewer, lambda m=model_class, w=ours: m.objects.filter(**w).update(audience=viewer.user.pk))
    assert is_refused(viewer, lambda: Session.objects.filter(pk=shared.session).update(entity=None))
    assert is_refused(viewer, lambda: Message.objects.filter(session=private.session).update(session=shared.session))
    assert is_refused(viewer, lambda: Message.objects.filter(session=shared.session).update(data_classification=None))
    assert is_refused(viewer, lambda: Title.objects.filter(session=shared.session).update(data_classification=None))

    with viewer.scope.open():
        turns = {chat.session: Turn.objects.get(session=chat.session) for chat in (private, shared)}
    at = {"workspace_id": alice.scope.workspace, "audience": 0}
    by = {**at, "owner": alice.user.pk}

    def ask_in(session):
        turn = Turn(**by, session_id=session, number=9, state=State.DONE, lease_until=timezone.now())
        turn.save(force_insert=True)
        said = Message(pk=turn.question, **by, session_id=session, turn_id=turn.pk, role="user", content="Forged.")
        said.save(force_insert=True)

    def answer_in(turn):
        said = Message(**by, session_id=turn.session_id, turn_id=turn.pk, role="assistant", content="Forged.")
        Message.objects.bulk_create([said])

    def label_own():
        turn = Turn(**by, session_id=shared.session, number=9, state=State.DONE, lease_until=timezone.now())
        turn.save(force_insert=True)
        said = {"session_id": shared.session, "turn_id": turn.pk, "role": "user", "content": "Forged."}
        Message(pk=turn.question, **by, **said, data_classification=0).save(force_insert=True)

    def log_in(turn):
        forged = Event(**at, turn_id=turn.pk, seq=50, kind="token", data={}, data_classification=0)
        Event.objects.bulk_create([forged])

    assert is_refused(alice, lambda: ask_in(private.session))
    assert is_refused(alice, label_own)
    assert is_refused(viewer, lambda: Message.objects.filter(session=shared.session).update(content="Forged."))
    assert is_refused(
        alice, lambda: Title.objects.bulk_create([Title(**by, session_id=private.session, text="Forged")])
    )
    assert not is_refused(alice, lambda: ask_in(shared.session))
    for turn in turns.values():
        with viewer.scope.open():
            Message.objects.filter(turn=turn.pk, role="assistant").delete()
        assert is_refused(alice, lambda t=turn: answer_in(t))
        assert is_refused(alice, lambda t=turn: log_in(t))
    assert [m["content"] for m in private.messages()] == ["How are things?"]


def test_a_name_that_its_author_may_not_read_can_be_replaced(viewer, alice, contract, share, model):
    chat = share(viewer, contract)
    model.says(text="Well.")
    chat.ask("How are things?")
    assert viewer.api.patch(chat.url, {"title": SALARY}).status_code == 200
    assert viewer.api.get(chat.url).json()["title"] is None
    assert alice.api.get(chat.url).json()["title"] == SALARY
    assert viewer.api.patch(chat.url, {"title": "Weekly"}).status_code == 200
    assert {who.api.get(chat.url).json()["title"] for who in (viewer, alice)} == {"Weekly"}


def test_two_first_questions_at_once_make_one_title(viewer, hr, contract, share, model):
    chat, both = share(viewer, contract), threading.Barrier(2, timeout=1)

    def slow(text):
        with suppress(threading.BrokenBarrierError):
            both.wait()
        return text

    model.says(text="One.")
    model.says(text="Two.")
    with mock.patch.object(labelling, "shorten_title", slow):
        first, second = chat.post("First question?"), joined(hr, chat).post("Second question?")
        runner.wait_until_idle()
    assert {chat.turn(first)["state"], joined(hr, chat).turn(second)["state"]} == {"done"}
    assert viewer.api.get(chat.url).json()["title"] in ("First question?", "Second question?")


def test_what_is_concealed_is_not_counted(cfo, viewer, contract, index, share, model, service):
    """Where an answer says what was said again, its reader counts what they know of."""
    index.row(contract, INVOICE, label=FINANCIAL, file=index.file(contract, "Invoice.pdf"))
    conceal(service)
    chat = share(cfo, contract)
    for question in ("What came in this quarter?", "And how high is it?"):
        find_invoice(model)
        chat.ask(question)  # the second one is typed below what is concealed, and so concealed itself
    theirs = joined(viewer, chat)
    for words in ("A bird.", "Yes, a bird."):
        model.says(text=words)
        last = theirs.ask("What is a kestrel?")["id"]
    with service.open():
        row = Turn.objects.get(pk=last)
        row.manifest |= {"recalled": [2, 3], "dropped": ["The earliest messages did not fit."]}
        row.save()

    def told(who):
        found = who.api.get(f"/api/chat/turns/{last}/context/").json()
        return [entry["number"] for entry in found["recalled"]], found["dropped"]

    assert told(viewer) == ([2], [])
    assert told(cfo)[0] == [2, 3]


def test_a_passage_for_one_reader_is_not_given_where_others_read(alice, contract, index, share, start, model):
    index.row(contract, "The kestrel note is mine alone.", audience=alice.user.pk, vector=False)
    for chat, is_given in ((share(alice, contract), False), (start(alice, contract), True)):
        model.says(tool_use=("search_knowledge", {"query": "kestrel note"}))
        model.says(text="I see.")
        chat.ask("What of the note?")
        assert ("mine alone" in model.requests[-1].text) == is_given
