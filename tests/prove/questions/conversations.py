"""Conversations: what comes back of what was said, and who is told that an answer was removed with a source."""

from uuid import UUID

from django.db.models import F, OuterRef, Subquery

from chat.access import find_removed, select_readable_messages
from chat.memory import recall_turns
from chat.models import Message, Role, Session, Turn
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
