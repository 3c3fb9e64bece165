"""What a source supported goes with it: from every prompt, title, Pulse and memory that could be put together after."""

import os
import random
import re
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import pytest

from chat import labelling
from chat.access import load_known_turns, select_events_after
from chat.context import assemble
from chat.log import raise_high_water
from chat.models import LookIn, Message, Session, Title, Turn
from entities.access import Scope, grant_entity, revoke_entity
from entities.actions import create_entity, delete_entity
from entities.models import Entity
from entities.types import Contract
from ingestion.bin import delete_for_good
from pulse.models import Pulse
from tests.chat.conftest import Chat, Model
from tests.chat.test_memory import chatter, say, words_of
from tests.conftest import Person
from tests.retrieval.conftest import Index

Start = Callable[[Person, Entity], Chat]
OF_FILE, OF_RECORD, OF_GRANT, OF_LABEL, KEPT = (
    f"{name}-{n}" for n, name in enumerate(("vermilion", "ochre", "cobalt", "umber", "sienna"), start=7000)
)
CANARIES = (OF_FILE, OF_RECORD, OF_GRANT, OF_LABEL, KEPT)
FIRST = int(os.environ.get("CLEARANCE_PROMPTS_FROM", "0"))
QUESTIONS = range(FIRST, FIRST + int(os.environ.get("CLEARANCE_PROMPTS", "40")))
"""Prompts that are put together each time it is looked what is held: after each source that was taken away. A long run
is cut into pieces, of which each begins at another number.
"""
ASKED = (
    "What was said of {} by the harbour master?",
    "Which colour has the wall, the gate or the berth: {}?",
    "You said {}. And before?",
    "{}",
    "And {}?",
    "Is it {}, or free from Monday?",
)


def prompts_of(who: Person, chat: Chat) -> Iterator[str]:
    """Many prompts that could be next: at every length of the conversation and in every place, asking for each canary,
    for all of them, and for some. The first forty ask at each length in the plainest way.
    """
    with who.scope.open():
        session = Session.objects.get(pk=chat.session)
        longest = Turn.objects.filter(session=session).count() + 1
        for n in QUESTIONS:
            chance = random.Random(n)
            asked = " ".join(CANARIES) if n % 6 == 5 else ASKED[0].format(CANARIES[n % 6])
            turn = Turn(session=session, number=longest - n % (longest - 1))
            if n >= 40:
                words = chance.sample(
                    [*CANARIES, "vermilion", "7001", "colour", "gate", "berth 3"], chance.randint(1, 5)
                )
                asked = chance.choice(ASKED).format(" ".join(words))
                turn = Turn(session=session, number=chance.randint(2, longest), look_in=chance.choice(LookIn.values))
            context = assemble(who.scope, session, turn, asked)
            beside = context.messages[-1]["content"].removesuffix(asked)
            yield f"{context.system}{context.messages[:-1]}{beside}"


def held(who: Person, chat: Chat) -> set[str]:
    """The canaries in any prompt, title, Pulse and event of a log that the reader could be given."""
    with who.scope.open():
        texts = [*Title.objects.values_list("text", flat=True), *Pulse.objects.values_list("text", flat=True)]
        turns = load_known_turns(who.scope, Turn.objects.values_list("pk", flat=True))
        texts += [str(event.data) for event in select_events_after(who.scope, dict.fromkeys(turns, 0))]
    return set(re.findall("|".join(CANARIES), " ".join([*texts, *prompts_of(who, chat)])))


def test_nothing_is_left_of_a_source_in_what_is_put_together_after(
    viewer: Person,
    alice: Person,
    contract: Entity,
    restricted: Entity,
    index: Index,
    start: Start,
    model: Model,
    service: Scope,
) -> None:
    file = index.file(contract, "Colours.pdf")
    index.row(contract, f"The wall is painted {OF_FILE}.", file=file)
    chat = start(viewer, contract)
    model.says(tool_use=("search_knowledge", {"query": f"wall painted {OF_FILE}"}))
    model.says(text=f"It is {OF_FILE} [1].")
    said = [chat.ask("Which colour has the wall?")]
    # Said again from the conversation, with no tool: first beside it, later from memory.
    model.says(text=f"As I said: {OF_FILE}.")
    said.append(chat.ask("Are you sure?"))
    with service.open():
        grant_entity(restricted, viewer.user.pk)
    with alice.scope.open():
        other = create_entity(scope=alice.scope, model=Contract, fields={"name": "Quay"})
    answers = {
        name: say(service, chat, "Which colour has the gate?", f"The harbour master says {name}.", label, sources)
        for name, label, sources in (
            (OF_RECORD, 0, [other]),
            (OF_GRANT, 0, [restricted]),
            (OF_LABEL, 0, []),
            (KEPT, 0, [contract]),
        )
    }
    chatter(service, chat)
    model.says(text=f"You asked before: {OF_FILE}.")
    said.append(chat.ask(f"What did you say of {OF_FILE}?"))
    assert OF_FILE in model.requests[-1].text.replace("What did you say of", "")
    chatter(service, chat, 6)
    assert held(viewer, chat) == set(CANARIES)

    # The last question has the word in it: it is its asker's own, and so is the title made of the first.
    with service.open():
        Message.objects.filter(content__startswith="What did you say of").delete()
        revoke_entity(restricted, viewer.user.pk)
    assert held(viewer, chat) == set(CANARIES) - {OF_GRANT}
    with service.open():
        Message.objects.filter(pk=answers[OF_LABEL]).update(data_classification=6)
    assert held(viewer, chat) == {OF_FILE, OF_RECORD, KEPT}
    assert alice.api.delete(f"/api/files/{file.pk}/").status_code == 204  # into the bin
    assert held(viewer, chat) == {OF_RECORD, KEPT}
    with alice.scope.open():
        delete_for_good(scope=alice.scope, pk=file.pk)
        delete_entity(scope=alice.scope, entity=other)
    assert held(viewer, chat) == {KEPT}
    gone = [*(UUID(turn["message"]["id"]) for turn in said), answers[OF_RECORD]]
    with service.open():
        assert not Message.objects.filter(pk__in=gone).exists()
    assert [words_of(service, pk) for pk in gone] == [set()] * 4
    assert words_of(service, answers[KEPT])


def test_a_question_that_goes_as_it_is_labelled_leaves_no_title(
    viewer: Person,
    contract: Entity,
    start: Start,
    service: Scope,
    superuser_connection: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def delete_first(*given: Any) -> int:
        superuser_connection.execute("DELETE FROM chat_message")
        return raise_high_water(*given)

    monkeypatch.setattr(labelling, "raise_high_water", delete_first)
    turn = start(viewer, contract).ask("Was it Olufsen?")
    assert "was deleted" in turn["error"]["detail"]
    with service.open():
        assert not Message.objects.exists()
        assert not Title.objects.exists()
