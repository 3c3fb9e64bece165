"""What was drawn from a file hides with it in the bin, comes back with it, and goes with it for good."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from chat.models import Message, Session, Turn
from entities.access import Scope
from entities.models import Source
from entities.types import Contract
from ingestion.inline import process_all_waiting
from ingestion.models import File, Paragraph, PastParagraph
from pulse.models import Pulse
from references.models import Reference
from tests.conftest import Person
from tests.ingestion.access_requests import ask, listed
from tests.ingestion.helpers import ready, upload
from tests.ingestion.test_attachments import message
from tests.pulse.conftest import Work, pulse_of, work  # noqa: F401  fixture

pytestmark = pytest.mark.usefixtures("connection_pool")

ANSWER = "The gate is green, says the plan."
Shown = Callable[[], tuple[bool, bool]]


@pytest.fixture
def draw(alice: Person, service: Scope, contract: Contract) -> Callable[[UUID], Shown]:
    """`draw(passage)` makes an answer and a reference from a passage; what it returns says whether Alice finds them."""

    def make(passage: UUID) -> Shown:
        at: Any = {"workspace_id": service.workspace}
        mine: Any = {**at, "audience": alice.user.pk}
        with service.open():
            session = Session.objects.create(**mine, entity_id=contract.pk)
            turn = Turn.objects.create(**mine, session=session, number=1, state="done", lease_until=session.created_at)
            answer = Message.objects.create(
                **mine,
                pk=turn.answer,
                session=session,
                turn=turn,
                role="assistant",
                content=ANSWER,
                data_classification=0,
            )
            link = Reference.objects.create(
                **at, source_id=contract.pk, target_id=contract.pk, kind="BuildsOn", label="x", data_classification=0
            )
            for row in (answer, link):
                Source.objects.create(**at, derived=row.pk, entity_id=contract.pk, passage=passage)

        def shown() -> tuple[bool, bool]:
            page = alice.api.get(f"/api/chat/sessions/{session.pk}/messages/").content.decode()
            with alice.scope.open():
                return ANSWER in page, Reference.objects.readable_by(alice.scope).filter(pk=link.pk).exists()

        return shown

    return make


def passage_of(service: Scope, file: str, words: str) -> UUID:
    with service.open():
        return Paragraph.objects.get(file=file, text__contains=words).pk


def test_an_answer_from_an_earlier_version_hides_comes_back_and_goes_with_the_file(
    alice: Person, service: Scope, contract: Contract, draw: Callable[[UUID], Shown]
) -> None:
    file = ready(alice, contract, "plan.txt", b"The gate is green.")
    other = ready(alice, contract, "other.txt", b"The wall is grey.")
    passage = passage_of(service, file, "gate")
    shown, beside = draw(passage), draw(passage_of(service, other, "wall"))
    assert ready(alice, contract, "plan.txt", b"A fence stands there instead.") == file
    with service.open():
        assert PastParagraph.objects.filter(file=file, paragraph=passage).exists()
        assert not Paragraph.objects.filter(pk=passage).exists()
    assert shown() == (True, True)
    assert alice.api.delete(f"/api/files/{file}/").status_code == 204
    assert shown() == (False, False)
    assert alice.api.post(f"/api/bin/{file}/restore/").status_code == 204
    assert shown() == (True, True)
    assert alice.api.delete(f"/api/files/{file}/").status_code == 204
    assert alice.api.delete(f"/api/bin/{file}/").status_code == 204
    assert shown() == (False, False)
    assert beside() == (True, True), "what was drawn from another file stays"
    with service.open():
        assert Message.objects.count() == Reference.objects.filter(kind="BuildsOn").count() == 1


@pytest.mark.parametrize("inside", [False, True])
def test_what_was_drawn_from_a_file_that_goes_past_the_bin_goes_too(
    alice: Person, service: Scope, contract: Contract, draw: Callable[[UUID], Shown], inside: bool
) -> None:
    mail = ready(alice, contract, "m.eml", message(("gate.txt", b"The gate is green.")).as_bytes())
    with service.open():
        attachment = str(File.objects.get(origin=mail).pk)
    shown = draw(passage_of(service, attachment, "gate"))
    assert shown() == (True, True)
    path = f"/api/files/{attachment}/" if inside else f"/api/files/{mail}/?forever=1"
    assert alice.api.delete(path).status_code == 204
    assert shown() == (False, False)


@pytest.mark.parametrize("how", ["bin", "forever"])
def test_a_pulse_that_repeats_a_file_is_withdrawn_and_written_again(
    alice: Person,
    service: Scope,
    contract: Contract,
    work: Work,  # noqa: F811
    how: str,
) -> None:
    file = ready(alice, contract, "plan.txt", b"The gate is green.")
    passage = passage_of(service, file, "gate")
    work()
    with service.open():
        drawn = list(Source.objects.filter(passage=passage, derived__in=Pulse.objects.values("pk")))
        assert drawn
    assert pulse_of(alice, contract)["text"]
    if how == "bin":
        assert alice.api.delete(f"/api/files/{file}/").status_code == 204
        assert not pulse_of(alice, contract)["text"]
    path = f"/api/bin/{file}/" if how == "bin" else f"/api/files/{file}/?forever=1"
    assert alice.api.delete(path).status_code == 204
    assert not pulse_of(alice, contract)["text"]
    with service.open():
        assert {p.text for p in Pulse.objects.filter(pk__in=[source.derived for source in drawn])} == {""}
    work()
    assert pulse_of(alice, contract)["text"]


def test_several_files_go_to_the_bin_without_what_came_in_a_message(
    alice: Person, service: Scope, contract: Contract
) -> None:
    mail = ready(alice, contract, "m.eml", message(("gate.txt", b"The gate is green.")).as_bytes())
    plan = ready(alice, contract, "plan.txt", b"The wall is grey.")
    with service.open():
        attachment = str(File.objects.get(origin=mail).pk)

    def delete(*files: str) -> tuple[bool, str]:
        """Whether the attachment was refused, and the page."""
        where = f"{alice.base}entities/{contract.pk}/files/change/"
        page = alice.client.post(where, {"act": "delete", "file": files}, follow=True).content.decode()
        return "stays with it. Delete the message." in page, page

    refused, page = delete(attachment, plan)
    assert refused
    assert "1 file is in the bin." in page
    with service.open():
        assert {str(pk) for pk in File.objects.values_list("pk", flat=True)} == {mail, attachment}
    refused, page = delete(attachment, mail)
    assert not refused, "it goes with its message"
    assert "1 file is in the bin." in page
    with service.open():
        assert not File.objects.exists()
    assert alice.api.post(f"/api/bin/{mail}/restore/").status_code == 204
    with service.open():
        assert File.objects.filter(pk=attachment).exists()


def test_only_what_can_come_back_is_said_to_come_back(alice: Person, service: Scope, contract: Contract) -> None:
    """Of files that could not be read."""
    broken = b"%PDF-1.4 nothing"
    mail = ready(alice, contract, "m.eml", message(("inside.pdf", broken)).as_bytes())
    upload(alice, contract, "alone.pdf", broken)
    process_all_waiting(service.workspace)
    with service.open():
        files = File.objects.get(origin=mail).pk, File.objects.get(name="alone.pdf").pk
    rows = [alice.client.get(f"{alice.base}files/{file}/row/").content.decode() for file in files]
    said = [("cannot be restored by itself" in row, "restore it from the bin" in row) for row in rows]
    assert said == [(True, False), (False, True)], rows


def test_many_requests_for_one_level_are_counted_once_and_shown_by_pages(
    viewer: Person, steward: Person, alice: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    def count_levels() -> int:
        with CaptureQueriesContext(connection) as statements:
            assert listed(steward, state="open")
        counted = [s["sql"] for s in statements if "COUNT(*)" in s["sql"] and '"ingestion_paragraph"' in s["sql"]]
        return sum('"file_id" =' not in s and '"entity_id" =' not in s for s in counted)

    files = [ready(alice, contract, f"{n}.txt", b"The gate is green.\n\nThe fee is 12,000 pounds.") for n in range(2)]
    ask(viewer, file=files[0], run=0)
    once = count_levels()
    ask(viewer, file=files[1], run=0)
    assert count_levels() == once == 1
    monkeypatch.setattr("ingestion.request_views.WAITING", 1)
    pages = [steward.client.get(f"{steward.base}access-requests/?waiting={n}").content.decode() for n in (1, 2)]
    assert [(page.count('name="state" value="granted"'), "0.txt" in page, "1.txt" in page) for page in pages] == [
        (1, True, False),
        (1, False, True),
    ]
