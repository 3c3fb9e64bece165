"""The original obeys the label of what the reader does not show, and a steward gives one to what has none."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from entities.access import Scope
from entities.models import AuditEntry, AuditText
from entities.models.classification import FINANCIAL, INTERNAL, SECRET
from entities.rag import Collection
from entities.types import Contract
from ingestion import desk_views, pipeline
from ingestion.documents import Extraction, UnreadContent
from ingestion.inline import process_all_waiting
from ingestion.models import FileRevision
from ingestion.remainder_decisions import name_pages
from tests.conftest import Person, person
from tests.ingestion.helpers import SALARY, paragraph, ready, upload

pytestmark = pytest.mark.django_db(transaction=True)

NOTE = b"The quay is closed until Friday.\n"
OTHER = b"The quay is open again.\n"
MEDIA = UnreadContent("media", "There is sound in this file; it was not read.")
PICTURE = UnreadContent("image", "There is a picture in this file; it was not read.")

Hides = Callable[..., None]


@pytest.fixture
def hides(monkeypatch: pytest.MonkeyPatch) -> Hides:
    """From now on files are read with this beside their text."""
    reading = pipeline.extract_file

    def begin(*missed: UnreadContent, texts: tuple[str, ...] = (), unread: str = "") -> None:
        def extract(*given: Any, **options: Any) -> Extraction:
            return replace(reading(*given, **options), unaccounted=missed, remainder=texts, unread=unread)

        monkeypatch.setattr(pipeline, "extract_file", extract)

    return begin


def gets(who: Person, file: str) -> int:
    return int(who.api.get(f"/api/files/{file}/download/").status_code)


def settle(who: Person, file: str, labels: list[int], **more: Any) -> Any:
    body = {"labels": labels, "reason": "I have listened to it.", **more}
    return who.api.patch(f"/api/files/{file}/remainder/", body, format="json")


def told(who: Person, file: str) -> Any:
    answer = who.api.get(f"/api/files/{file}/remainder/")
    return answer.json() if answer.status_code == 200 else answer.status_code


def test_a_text_that_no_paragraph_shows_weighs_what_it_weighs_on_a_page(
    alice: Person, staff: Person, cfo: Person, viewer: Person, contract: Contract, hides: Hides
) -> None:
    hides(texts=("Layer 1", SALARY))
    file = ready(alice, contract, "note.md", NOTE)
    assert [gets(who, file) for who in (viewer, cfo, alice)] == [403, 200, 200]
    assert told(cfo, file)["labels"] == [{"value": FINANCIAL, "label": "Financial"}]
    assert told(viewer, file) == 403
    # Who sent them has them, whatever is found in them.
    mine = ready(staff, contract, "mine.md", NOTE)
    assert [gets(who, mine) for who in (viewer, staff)] == [403, 200]


def test_a_picture_beside_text_inherits_the_labels_of_the_file(
    alice: Person, cfo: Person, viewer: Person, steward: Person, contract: Contract, service: Scope, hides: Hides
) -> None:
    hides(PICTURE)
    file = ready(alice, contract, "note.md", NOTE)
    assert gets(viewer, file) == 200
    assert told(viewer, file) == {**told(cfo, file), "labels": [], "unread": [PICTURE.detail], "waits": False}
    # The label of a paragraph rises, and what the original needs with it.
    pk = paragraph(service, NOTE.decode().strip()).pk
    answer = steward.api.patch(f"/api/paragraphs/{pk}/", {"labels": [FINANCIAL], "reason": "So."}, format="json")
    assert answer.status_code == 200
    assert [gets(who, file) for who in (viewer, cfo)] == [403, 200]
    process_all_waiting(alice.scope.workspace)
    assert [gets(who, file) for who in (viewer, cfo)] == [403, 200]


def test_a_steward_settles_what_was_not_read_in_one_act(
    alice: Person, cfo: Person, viewer: Person, steward: Person, contract: Contract, service: Scope, hides: Hides
) -> None:
    hides(MEDIA)
    file = ready(alice, contract, "note.md", NOTE)
    assert [gets(who, file) for who in (viewer, cfo, steward, alice)] == [403, 403, 200, 200]
    before = told(steward, file)
    assert (before["labels"], before["unread"], before["waits"]) == (None, [MEDIA.detail], True)
    assert settle(cfo, file, []).status_code == 403
    assert settle(steward, file, [999]).status_code == 422
    assert settle(steward, file, [], reason="  ").status_code == 400
    assert gets(cfo, file) == 403
    answer = settle(steward, file, [FINANCIAL], seen=before["seen"])
    assert answer.status_code == 200, answer.content
    assert (answer.json()["labels"], answer.json()["waits"]) == ([{"value": FINANCIAL, "label": "Financial"}], False)
    assert answer.json() == told(cfo, file)
    assert [gets(who, file) for who in (viewer, cfo, steward)] == [403, 200, 200]
    assert settle(steward, file, [], seen=before["seen"]).status_code == 409, "it is not as it was shown any more"
    assert settle(steward, file, []).status_code == 200
    assert [gets(who, file) for who in (viewer, cfo)] == [200, 200]
    with service.open():
        acts = AuditEntry.objects.filter(action="file.remainder_settled", actor=steward.user.pk).order_by("pk")
        assert [(act.detail["was"], act.detail["labels"]) for act in acts] == [(None, [FINANCIAL]), ([FINANCIAL], [])]
        assert {text.text for text in AuditText.objects.filter(entry__in=acts)} == {"I have listened to it."}


def test_who_settles_is_cleared_for_the_rest_and_gives_what_they_hold(
    alice: Person, cfo: Person, contract: Contract, hides: Hides
) -> None:
    hides(MEDIA, texts=(SALARY,))
    file = ready(alice, contract, "note.md", NOTE)
    clerk = person(contract.workspace, "clerk", [INTERNAL], ("Steward",))
    assert (settle(clerk, file, []).status_code, told(clerk, file)) == (403, 403)
    hides(MEDIA)
    other = ready(alice, contract, "other.md", OTHER)
    refused = settle(clerk, other, [SECRET])
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "label_not_yours")
    page = f"{clerk.base}desk/files/{other}/"
    assert clerk.client.post(f"{page}decide/", {"labels": [SECRET], "reason": "so"}).status_code == 422
    assert ("Internal" in (shown := clerk.client.get(page).content.decode()), "Secret" in shown) == (True, False)
    assert told(clerk, other)["waits"]
    assert settle(alice, other, [SECRET]).status_code == 200
    assert [gets(who, other) for who in (clerk, cfo, alice)] == [403, 403, 200]
    assert settle(clerk, other, []).status_code == 403, "what they do not hold they do not take"
    assert settle(alice, other, [INTERNAL]).status_code == 200
    assert [settle(clerk, other, labels).status_code for labels in ([], [INTERNAL])] == [200, 200]


def test_a_decision_holds_for_its_bytes_and_where_the_same_is_found(
    alice: Person, viewer: Person, steward: Person, contract: Contract, hides: Hides
) -> None:
    hides(MEDIA, texts=("Layer 1",))
    file = ready(alice, contract, "note.md", NOTE)
    assert settle(steward, file, []).status_code == 200
    assert alice.api.patch(f"/api/files/{file}/", {"strategy": "layout"}, format="json").status_code == 202
    process_all_waiting(alice.scope.workspace)
    assert gets(viewer, file) == 200
    assert ready(alice, contract, "note.md", OTHER) == file
    assert gets(viewer, file) == 200, "the same was found in it"
    hides(PICTURE)
    assert ready(alice, contract, "note.md", NOTE * 2) == file
    assert [gets(who, file) for who in (viewer, steward)] == [403, 200]
    assert told(steward, file)["waits"]


def test_a_decision_ends_where_what_is_not_text_has_other_bytes(
    alice: Person, viewer: Person, steward: Person, contract: Contract, hides: Hides
) -> None:
    hides(MEDIA, unread="a digest")
    file = ready(alice, contract, "note.md", NOTE)
    assert settle(steward, file, []).status_code == 200
    ready(alice, contract, "note.md", OTHER)
    assert gets(viewer, file) == 200, "the sound in it is the same"
    hides(MEDIA, unread="another")
    ready(alice, contract, "note.md", NOTE * 2)
    assert [gets(who, file) for who in (viewer, steward)] == [403, 200]


def test_where_a_collection_is_strict_pictures_wait_too(
    alice: Person, viewer: Person, steward: Person, contract: Contract, hides: Hides, monkeypatch: pytest.MonkeyPatch
) -> None:
    hides(PICTURE)
    file = ready(alice, contract, "note.md", NOTE)
    hides()
    plain = ready(alice, contract, "plain.md", OTHER)
    assert [gets(viewer, one) for one in (file, plain)] == [200, 200]
    strict = {"documents": Collection("Documents", remainder="strict")}
    monkeypatch.setattr(Contract.Rag, "collections", strict)
    assert [gets(viewer, one) for one in (file, plain)] == [403, 200]
    assert settle(steward, file, []).status_code == 200
    assert gets(viewer, file) == 200
    monkeypatch.setattr(Contract.Rag, "collections", {"documents": Collection("Documents", remainder="inherit")})
    hides(MEDIA)
    assert gets(viewer, ready(alice, contract, "film.md", NOTE)) == 200


def test_a_stricter_declaration_holds_for_what_was_read_before_and_the_desk_lists_it(
    alice: Person, viewer: Person, steward: Person, contract: Contract, hides: Hides, monkeypatch: pytest.MonkeyPatch
) -> None:
    def declare(**more: Any) -> None:
        monkeypatch.setattr(Contract.Rag, "collections", {"documents": Collection("Documents", **more)})

    def first_version(who: Person) -> int:
        return int(who.api.get(f"/api/files/{file}/versions/1/download/").status_code)

    def listed() -> list[str]:
        return [row["id"] for row in steward.api.get("/api/desk/files/").json()["results"]]

    declare(remainder="inherit")
    hides(MEDIA)
    film = ready(alice, contract, "film.md", NOTE * 3)
    hides(PICTURE)
    file = ready(alice, contract, "note.md", NOTE)
    hides()
    assert ready(alice, contract, "note.md", OTHER) == file
    assert [gets(viewer, film), gets(viewer, file), first_version(viewer), listed()] == [200, 200, 200, []]
    declare(remainder="default")
    assert [gets(viewer, film), gets(viewer, file), first_version(viewer), listed()] == [403, 200, 200, [film]]
    declare(remainder="strict")
    assert [gets(viewer, film), gets(viewer, file), first_version(viewer), listed()] == [403, 200, 403, [film]]
    assert first_version(steward) == 200
    assert settle(steward, film, []).status_code == 200
    assert (gets(viewer, film), listed()) == (200, [])
    # What inherits does so with its text: the rules' label of that stays.
    declare(remainder="inherit")
    hides(UnreadContent("script", "There is a script; it was not run."), texts=(SALARY,))
    assert gets(viewer, ready(alice, contract, "page.md", NOTE * 4)) == 403


def test_what_was_read_before_this_was_worked_out_stays_as_it_was_until_it_is_read_again(
    alice: Person, viewer: Person, steward: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract, "note.md", NOTE)
    with service.open():
        FileRevision.objects.filter(file=file).update(remainder=None, remainder_label=None)
    assert [gets(who, file) for who in (viewer, steward, alice)] == [403, 200, 200]
    assert settle(steward, file, []).status_code == 422
    assert alice.api.patch(f"/api/files/{file}/", {"strategy": "layout"}, format="json").status_code == 202
    process_all_waiting(alice.scope.workspace)
    assert gets(viewer, file) == 200


def test_of_a_file_that_nothing_reads_a_steward_settles_all_of_it(
    alice: Person, viewer: Person, steward: Person, contract: Contract
) -> None:
    file = upload(alice, contract, "empty.md", b"   \n").json()["id"]
    process_all_waiting(alice.scope.workspace)
    assert [gets(who, file) for who in (viewer, steward, alice)] == [403, 200, 200]
    assert settle(steward, file, []).status_code == 200
    assert gets(viewer, file) == 200


def test_the_desk_lists_what_waits_and_a_steward_decides_on_its_page(
    alice: Person, viewer: Person, steward: Person, contract: Contract, hides: Hides
) -> None:
    hides(MEDIA)
    file = ready(alice, contract, "note.md", NOTE)
    hides()
    ready(alice, contract, "plain.md", OTHER)
    page = f"{steward.base}desk/files/{file}/"
    listed = steward.client.get(f"{steward.base}desk/").content.decode()
    assert (listed.count("Not all read"), page in listed, "plain.md" in listed) == (1, True, False)
    assert [row["id"] for row in steward.api.get("/api/desk/files/").json()["results"]] == [file]
    assert viewer.api.get("/api/desk/files/").status_code == 403
    waiting = steward.client.get(f"{steward.base}desk/waiting/").content.decode()
    assert "1" in waiting
    assert viewer.client.get(page).status_code == 403
    shown = steward.client.get(page).content.decode()
    assert MEDIA.detail in shown
    seen = told(steward, file)["seen"]
    refused = steward.client.post(f"{page}decide/", {"labels": [FINANCIAL], "reason": "", "seen": seen})
    assert refused.status_code == 422
    assert "Say in a few words" in refused.content.decode()
    assert steward.client.post(f"{page}decide/", {"reason": "Only music.", "seen": seen}).status_code == 302
    assert gets(viewer, file) == 200
    assert "Not all read" not in steward.client.get(f"{steward.base}desk/").content.decode()
    reader = viewer.client.get(f"{viewer.base}files/{file}/").content.decode()
    assert MEDIA.detail in reader
    assert "Only music." in reader
    assert "Decide on its label" not in reader


def test_the_desk_pages_through_the_files_of_which_not_all_was_read(
    alice: Person, steward: Person, contract: Contract, hides: Hides, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk_views, "ON_A_PAGE", 1)
    hides(MEDIA)
    files = [ready(alice, contract, name, text) for name, text in (("note.md", NOTE), ("other.md", OTHER))]
    first, second = (steward.client.get(f"{steward.base}desk/?files={n}").content.decode() for n in (1, 2))
    assert 'href="?files=2"' in first
    for shown, page, other in ((0, first, second), (1, second, first)):
        address = f"{steward.base}desk/files/{files[shown]}/"
        assert (address in page, address in other) == (True, False)


def test_what_was_not_read_is_told_to_who_is_cleared_for_all_of_it(
    alice: Person, cfo: Person, viewer: Person, contract: Contract, hides: Hides
) -> None:
    hides(PICTURE)
    file = ready(alice, contract, "report.md")
    pages = {who: who.client.get(f"{who.base}files/{file}/").content.decode() for who in (viewer, cfo)}
    assert (PICTURE.detail in pages[cfo], PICTURE.detail in pages[viewer]) == (True, False)
    assert "It needs clearance for Financial at least." in pages[viewer]
    assert "It needs clearance" not in pages[cfo]


@pytest.mark.parametrize(
    ("pages", "words"),
    [
        ([], ""),
        ([7], "Page 7."),
        ([2, 1, 2], "Pages 1 and 2."),
        ([1, 2, 5, 6], "Pages 1, 2, 5 and 6."),
        ([9, *range(1, 6)], "Pages 1 to 5 and 9."),
    ],
)
def test_pages_are_named_in_one_sentence(pages: list[int], words: str) -> None:
    assert name_pages(pages) == words
