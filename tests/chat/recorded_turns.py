"""Turns as the product runs them, without a model, each given passages of its own."""

from uuid import uuid4

from django.utils import timezone

from chat import log
from chat.actions import add_turn
from chat.context import assemble
from chat.derivation import SourceLabel, record_question_sources
from chat.labelling import label_question
from chat.log import TurnEnding
from chat.models import EventKind, Message, Role, Session, State, Turn
from chat.typed import read_derivation
from entities.models import Weight

PASSAGES = 12
"""That each turn is given of its own."""


def record_turn(who, session, record, service, passages=None, counted=()):
    """A turn as the product runs it, without a model: the question, its prompt, passages of its own, the answer."""
    turn = RecordedTurn(who, session, service)
    passages = passages or [uuid4() for _ in range(PASSAGES)]
    turn.give_prompt(
        [SourceLabel(record.pk, 0, tuple(passages)), *(SourceLabel(pk, 0, weight=Weight.COUNT) for pk in counted)]
    )
    turn.finish()
    return turn


class RecordedTurn:
    """A turn of which the question is asked and labelled, and the prompt put together."""

    def __init__(self, who, session, service):
        self.service, self.holder, self.written = service, uuid4(), 0
        own = {"workspace_id": session.workspace_id, "audience": session.audience, "owner": who.scope.principal}
        with who.scope.open():
            self.row = turn = Turn(**own, session_id=session.pk, lease_until=timezone.now() + log.LEASE)
            assert add_turn(who.scope, turn)
            behind = read_derivation(who.scope, session, "What now?")
            Message(
                **own,
                pk=turn.question,
                session_id=session.pk,
                turn_id=turn.pk,
                role=Role.USER,
                content="What now?",
                found=sorted(behind.atoms),
            ).save(force_insert=True)
            record_question_sources(session, turn, behind.sources)
        self.pk, self.question, self.answer = turn.pk, turn.question, turn.answer
        with service.open():
            assert log.claim(service, turn.pk, self.holder)
            label_question(service, turn.pk, 0, frozenset())
        with who.scope.open():
            self.context = assemble(who.scope, session, Turn.objects.get(pk=turn.pk), "What now?")

    def give_prompt(self, more=(), then=lambda: None):
        """Record what the model is given, and do something before that is committed."""
        given = [*self.context.given, *more]
        with self.service.open():
            log.record_prompt_sources(self.service, self.pk, self.holder, given, {"passages": []}, self.context.label)
            then()

    def write(self, text):
        """Write some of the answer."""
        with self.service.open():
            entry = log.Entry(EventKind.TOKEN, {"text": text}, self.context.label)
            found = log.append(self.service, self.pk, self.holder, [entry], self.context.label, self.written)
        self.written = found.label
        return found

    def finish(self, then=lambda: None):
        with self.service.open():
            ending = TurnEnding(State.DONE, "So it is.", self.context.label)
            log.finish(self.service, self.pk, self.holder, [], ending)
            then()


def begin_session(who, entity, share):
    chat = share(who, entity)
    with who.scope.open():
        return chat, Session.objects.get(pk=chat.session)


def count_texts(chat):
    return sum(message["type"] == "text" for message in chat.messages())
