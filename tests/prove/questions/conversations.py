"""Conversations: what comes back of what was said, and who is told that an answer was removed with a source."""

from collections.abc import Sequence
from itertools import combinations_with_replacement
from uuid import UUID

from django.db.models import F, OuterRef, Subquery
from django.utils import timezone

from chat.access import find_removed, select_readable_messages
from chat.memory import recall_turns
from chat.models import Message, Role, Session, State, Turn
from entities.models import Source
from tests.oracle.asked import WORDS, Asked
from tests.oracle.chat_paths import conversations_of, reads_of, recall_answers
from tests.oracle.planted_world import WORKSPACE, Everything, talked_of
from tests.prove.questions.refusals import undone


def list_sessions(e: Everything, asked: Asked) -> list[tuple[str, UUID]]:
    """What somebody reads, with what it is about."""
    seen = [WORKSPACE, *(record.name for record in e.world.records if asked.sees(record))]
    return [(about, pk) for (_, about), pk in conversations_of(asked, seen).items()]


def what_was_said_comes_back(e: Everything) -> None:
    """From a conversation that one reads, as far as one may read it, and from before the turn that asks."""
    for person in e.world.people:
        asked = Asked(e, person)
        for n, (about, session) in enumerate(list_sessions(e, asked)):
            if not asked.takes(n):
                continue
            texts, read = talked_of(e.world, about), reads_of(asked, about)
            assert sorted(recall_answers(asked, session, len(texts) + 1)) == sorted(read), (person.name, about)
            before = len(texts)
            early = [text.words for text in texts[: before - 1] if text.words in read]
            assert sorted(recall_answers(asked, session, before)) == sorted(early), (person.name, about)
            with asked.scope.open():
                # What is hidden in one conversation says nothing of another: of others none is shown.
                assert not select_readable_messages(asked.scope, session).exclude(session=session).exists()
                assert recall_turns(asked.scope, Session(pk=session), "?", len(texts) + 1, 10**6).turns == ()
        others = next(pk for (name, _), pk in e.sessions.items() if name != person.name)
        assert recall_answers(asked, others, 10**6) == []
        with asked.scope.open():
            found = select_readable_messages(asked.scope).filter(role=Role.ASSISTANT).values_list("content", flat=True)
            assert set(found) <= {text.words for text in e.world.texts if text.words.endswith(WORDS)}


def every_source_of_an_answer_is_asked(e: Everything) -> None:
    """Of an answer from two records, which are sources of its conversation, or its own as an older version wrote them:
    it is there for who sees both. A row of the conversation that has no number is nobody's.
    """
    for person in e.world.people:
        asked = Asked(e, person)
        seen = [record.name for record in e.world.records if asked.sees(record)]
        hidden = [record.name for record in e.world.records if not asked.sees(record)]
        session = Session(pk=next(pk for (name, _), pk in e.sessions.items() if name == person.name))
        for pair in combinations_with_replacement([*seen[:2], *hidden[:2]], 2):
            for is_old in (False, True):
                with undone():
                    answer = _plant_answer(e, session, pair, is_old, hidden[:1])
                    with asked.scope.open():
                        shown = select_readable_messages(asked.scope, session.pk).filter(pk=answer).exists()
                        assert select_readable_messages(asked.scope).filter(pk=answer).exists() == shown
                    assert shown == (set(pair) <= set(seen)), (person.name, pair, is_old)


def _plant_answer(
    e: Everything, session: Session, names: tuple[str, ...], is_old: bool, nobodys: Sequence[str]
) -> UUID:
    """The last answer of a conversation, drawn from these records. nobodys: of rows without a number."""
    with e.planted.service.open():
        session.refresh_from_db()
        at = {"workspace_id": session.workspace_id}
        mine = {**at, "audience": session.audience, "session": session}
        drawn = "{}" if is_old else "{[900,901]}"
        turn = Turn.objects.create(
            **mine, owner=session.owner, number=900, state=State.DONE, lease_until=timezone.now(), answer_from=drawn
        )
        said = {"role": Role.ASSISTANT, "content": "Both.", "data_classification": 0}
        Message.objects.create(**mine, **said, turn=turn, owner=session.owner, pk=turn.answer)
        for number, name in enumerate(names, start=900):
            place = {"derived": turn.answer} if is_old else {"derived": session.pk, "number": number}
            Source.objects.create(**at, **place, entity_id=e.planted.records[name])
        for name in nobodys:
            Source.objects.create(**at, derived=session.pk, entity_id=e.planted.records[name])
    return turn.answer


def removed_answers_are_disclosed(e: Everything) -> None:
    """To who holds the label that the answer had and sees what else it was drawn from."""
    with undone():
        with e.planted.service.open():
            of_turn = Message.objects.filter(pk=OuterRef("answer")).values("data_classification")
            Turn.objects.update(removed_label=Subquery(of_turn))
            for turn in Turn.objects.values_list("pk", "answer"):
                Source.objects.filter(derived=turn[1]).update(derived=turn[0])
            Message.objects.filter(turn__answer=F("pk")).delete()
        for person in e.world.people:
            asked = Asked(e, person)
            for n, (about, session) in enumerate(list_sessions(e, asked)):
                if not asked.takes(n):
                    continue
                texts, read = talked_of(e.world, about), reads_of(asked, about)
                with asked.scope.open():
                    turns = list(Turn.objects.filter(session=session).order_by("number"))
                    told = find_removed(asked.scope, turns)
                    assert find_removed(asked.scope, turns[:1]) == told & {turns[0].pk}
                assert [texts[t.number - 1].words for t in turns if t.pk in told] == read, (person.name, about)
