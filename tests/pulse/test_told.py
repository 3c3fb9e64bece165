"""What a reader can tell from the times of a Pulse about fields that they may not see.

The variant with all clearances has readers with none while its text needs none.
"""

from typing import Any

import pytest

from entities.access import Scope
from entities.actions import create_entity
from entities.types import Contract
from llm.scripted import Script
from pulse import generation
from pulse.claims import claim_due
from tests.conftest import Person
from tests.pulse.conftest import Work, pass_time, pulse_of

TOLD = ("refreshing", "stale_since", "problem", "generated_at", "text")


@pytest.fixture
def unpriced(alice: Person, work: Work) -> Contract:
    """A contract without a value: its Pulse is Public and the same for everybody."""
    with alice.scope.open():
        made = create_entity(
            scope=alice.scope, model=Contract, fields={"name": "Crane hire", "counterparty": "Liftworks"}
        )
    work()
    assert isinstance(made, Contract)
    return made


def patch(person: Person, contract: Contract, **fields: Any) -> None:
    assert person.api.patch(f"/api/entities/contract/{contract.pk}/", fields, format="json").status_code == 200


def told(person: Person, contract: Contract) -> dict[str, Any]:
    shown = pulse_of(person, contract)
    assert shown["state"] == "ready"
    return {name: shown[name] for name in TOLD}


def panel(person: Person, contract: Contract) -> str:
    return person.client.get(f"{person.base}entities/{contract.pk}/pulse/").content.decode()


def begin(service: Scope) -> bool:
    """What a worker does with the one variant that is due."""
    pass_time(service)
    with service.open():
        (claim,) = claim_due()
    return generation.update_variant(service.workspace, claim)


def test_a_hidden_field_that_gets_a_value_is_looked_at_quietly(
    alice: Person, viewer: Person, cfo: Person, unpriced: Contract, work: Work, service: Scope
) -> None:
    before = told(viewer, unpriced)
    patch(alice, unpriced, value="7")
    assert told(viewer, unpriced) == before
    assert "Refreshing" not in panel(viewer, unpriced)
    patch(alice, unpriced, value=None)
    assert work() == 0
    assert told(viewer, unpriced) == before, "what came and went within the window was never there"
    patch(alice, unpriced, value="7")
    work()
    assert "7" in pulse_of(cfo, unpriced)["text"]


def test_what_everybody_reads_is_still_said(alice: Person, viewer: Person, unpriced: Contract) -> None:
    patch(alice, unpriced, status="active")
    assert told(viewer, unpriced)["refreshing"] is True
    assert "Refreshing" in panel(viewer, unpriced)


def test_a_value_that_readers_of_the_text_know_is_said_to_them(
    alice: Person, cfo: Person, viewer: Person, unpriced: Contract, work: Work
) -> None:
    patch(alice, unpriced, value="7")
    work()
    pulse_of(viewer, unpriced)
    work()
    patch(alice, unpriced, value=None)
    assert told(cfo, unpriced)["refreshing"] is True
    assert told(viewer, unpriced)["refreshing"] is False


def test_while_the_text_with_a_hidden_value_is_made_nothing_shows(
    alice: Person, viewer: Person, unpriced: Contract, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, seen = told(viewer, unpriced), []
    complete = generation.client.complete

    def watched(*args: Any, **kwargs: Any) -> Any:
        seen.append(told(viewer, unpriced))
        return complete(*args, **kwargs)

    monkeypatch.setattr(generation.client, "complete", watched)
    patch(alice, unpriced, value="7")
    assert begin(service)
    assert seen == [before]


def test_a_failure_on_a_hidden_value_is_not_said(
    alice: Person, viewer: Person, unpriced: Contract, service: Scope, script: Script
) -> None:
    before = told(viewer, unpriced)
    script.push(error=529)
    patch(alice, unpriced, value="7")
    assert begin(service)
    assert told(viewer, unpriced) == before
    script.push(error=529)
    patch(alice, unpriced, status="active")
    assert begin(service)
    assert told(viewer, unpriced)["problem"] == "The model is overloaded; try again in a moment."


def test_a_hidden_change_during_the_writing_is_not_said_of_the_text_without_it(
    alice: Person, viewer: Person, unpriced: Contract, work: Work, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old text needed the clearance, the new one does not, and between the two the value comes back."""
    patch(alice, unpriced, value="7")
    work()
    complete = generation.client.complete

    def interrupted(*args: Any, **kwargs: Any) -> Any:
        reply = complete(*args, **kwargs)
        monkeypatch.undo()
        patch(alice, unpriced, value="8")
        return reply

    patch(alice, unpriced, value=None)
    monkeypatch.setattr(generation.client, "complete", interrupted)
    assert begin(service)
    shown = told(viewer, unpriced)
    assert (shown["refreshing"], shown["stale_since"]) == (False, None)
    assert work() == 1
