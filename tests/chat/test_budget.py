"""What a prompt holds has room in its budget, however long the messages and the results of tools are."""

import json
from collections.abc import Callable

from entities.models import Entity
from llm.offline.tokens import estimate
from llm.scripted import RecordedRequest
from tests.chat.conftest import Chat, Model
from tests.conftest import Person

Start = Callable[[Person, Entity], Chat]


def count(request: RecordedRequest) -> int:
    """Tokens of all that a request sends, estimated."""
    return estimate(request.text) + estimate(json.dumps(request.body.get("tools", [])))


def test_long_messages_have_room(viewer: Person, contract: Entity, start: Start, model: Model) -> None:
    chat = start(viewer, contract)
    for n in range(3):
        model.says(text=f"Answer {n}. " + f"The winch {n} turns slowly. " * 680)
        chat.ask(f"Question {n}? " + f"The berth {n} is wet. " * 850)
    model.says(text="Yes.")
    chat.ask("And the second one?")
    print("TOKENS", count(model.requests[-1]), [count(r) for r in model.requests])
