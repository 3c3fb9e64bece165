"""Whose turn it is: asked of the query itself, without working on a file."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db.models import F
from django.db.models.functions import Now

from entities.access import Scope
from entities.types import Contract
from ingestion import claims, tasks
from ingestion.models import File, FileRevision, Redo
from ingestion.queueing import choose_file, take_sleeping
from ingestion.turns import MAX_SHORT_BYTES, list_at_work, list_unfinished, list_woken, order_waiting
from tests.conftest import Person
from tests.ingestion.helpers import upload

pytestmark = pytest.mark.django_db(transaction=True)
LARGE = MAX_SHORT_BYTES + 1


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    monkeypatch.setattr(tasks.process_file, "delay", lambda workspace, file: found.append(file))
    return found


@pytest.fixture
def send(settings: Any, alice: Person, contract: Contract, service: Scope, woken: list[str]) -> Any:
    """Upload a file, of which the database says who sent it and how many bytes it has; nobody is woken for it. Its
    id."""
    settings.CLEARANCE_FILES_AT_ONCE = 2

    def send(who: Person, name: str, size: int = 100, batch: UUID | None = None) -> str:
        pk = upload(alice, contract, name, name.encode()).json()["id"]
        with service.open():
            FileRevision.objects.filter(file=pk).update(created_by=who.scope.principal, batch=batch)
            File.objects.filter(pk=pk).update(size=size)
            File.objects.filter(claim=None).update(woken_at=None)
        woken.clear()
        return str(pk)

    return send


def waiting(service: Scope) -> list[str]:
    with service.open():
        files = order_waiting(list_unfinished().filter(woken_at=None), list_at_work(list_woken()))
        return list(files.values_list("name", flat=True))


def test_whoever_has_fewer_files_at_work_goes_first_then_the_smaller_file(
    alice: Person, steward: Person, service: Scope, send: Any
) -> None:
    first = send(alice, "a-first.txt", 10)
    for name, size in (("a-large.txt", 900), ("a-small.txt", 50)):
        send(alice, name, size)
    send(steward, "s-note.txt", 500)
    assert waiting(service) == ["a-first.txt", "a-small.txt", "s-note.txt", "a-large.txt"]
    assert claims.claim_file(alice.scope.workspace, first)
    assert waiting(service) == ["s-note.txt", "a-small.txt", "a-large.txt"]


def test_a_large_file_does_not_wait_for_ever(alice: Person, service: Scope, send: Any) -> None:
    large = send(alice, "large.txt", LARGE)
    send(alice, "small.txt")
    assert waiting(service) == ["small.txt", "large.txt"]
    with service.open():
        File.objects.filter(pk=large).update(updated_at=Now() - timedelta(hours=2))
    assert waiting(service) == ["large.txt", "small.txt"]


def test_files_with_new_labels_go_before_new_files_and_those_before_what_is_made_again(
    alice: Person, service: Scope, send: Any
) -> None:
    files = {name: send(alice, f"{name}.txt") for name in ("new", "relabelled", "redone")}
    with service.open():
        for name in ("relabelled", "redone"):
            File.objects.filter(pk=files[name]).update(revision=F("pending_revision"), size=LARGE)
        File.objects.filter(pk=files["redone"]).update(redo=Redo.STALE, size=1)
    assert waiting(service) == ["relabelled.txt", "new.txt", "redone.txt"]


def test_the_last_place_is_for_short_files(alice: Person, service: Scope, send: Any) -> None:
    workspace = alice.scope.workspace
    large = [send(alice, f"large {n}.txt", LARGE + n) for n in range(3)]
    assert [str(pk) for pk in take_sleeping(workspace)] == large[:1]
    claim = claims.claim_file(workspace, large[0])
    assert claim
    assert claims.claim_file(workspace, large[1]) is None, "a command does not take the last place either"
    note = send(alice, "note.txt")
    assert [str(pk) for pk in take_sleeping(workspace)] == [note]
    assert claims.claim_file(workspace, note)
    claims.end_file(claim, "failed", "failed", "It broke.")
    assert [str(pk) for pk in take_sleeping(workspace)] == large[1:2]


def test_the_last_place_is_for_what_was_not_sent_with_the_others(
    alice: Person, steward: Person, service: Scope, send: Any, settings: Any
) -> None:
    settings.CLEARANCE_FILES_AT_ONCE = 3
    workspace, batch = alice.scope.workspace, uuid4()
    drop = [send(alice, f"drop {n}.txt", 50 + n, batch) for n in range(4)]
    assert [str(pk) for pk in take_sleeping(workspace)] == drop[:2]
    assert claims.claim_file(workspace, drop[0])
    assert claims.claim_file(workspace, drop[1])
    assert claims.claim_file(workspace, drop[2]) is None
    own = send(alice, "own.txt", 900)
    assert [str(pk) for pk in take_sleeping(workspace)] == [own], "a file of its own, though it is larger"
    note = send(steward, "note.txt", 900)
    assert [str(pk) for pk in take_sleeping(workspace)] == [note], "whoever has no file at work goes first"
    assert claims.claim_file(workspace, note)
    assert claims.claim_file(workspace, own) is None, "all three places are taken"


def test_a_message_about_one_file_is_used_for_the_file_whose_turn_it_is(
    alice: Person, steward: Person, service: Scope, send: Any, woken: list[str]
) -> None:
    """A note does not wait for the files that were in the broker's queue before it."""
    workspace = alice.scope.workspace
    first, second = send(alice, "first.txt"), send(alice, "second.txt")
    assert [str(pk) for pk in take_sleeping(workspace)] == [first, second]
    assert claims.claim_file(workspace, first)
    note = send(steward, "note.txt", 500)
    tasks.process_file(workspace, second)
    with service.open():
        states = dict(File.objects.values_list("name", "state"))
        assert states == {"first.txt": "processing", "second.txt": "pending", "note.txt": "ready"}
    assert woken == [second], "it is told of again, for its message was used"
    assert str(choose_file(workspace, note)) == note, "a message about what is done is about nothing else"
    with service.open():
        assert FileRevision.objects.count() == 3
