"""Another way of reading for a file that is there: who may choose it, and what readers see meanwhile."""

import re
from functools import partial

import pytest

from entities.access import Scope
from entities.models import AuditEntry
from entities.models.classification import FINANCIAL
from entities.rag import Collection
from entities.types import Contract
from ingestion import drift, pipeline
from ingestion.inline import process_all_waiting
from ingestion.models import ContextRow, File, FileRevision, Paragraph, PastParagraph
from ingestion.staleness import is_stale, select_foreign_rows
from ingestion.votes import Vote
from llm import scripted
from llm.models import ModelCall
from tests.conftest import Person
from tests.ingestion.helpers import choose, labelled, lossy, read_anew, ready, texts, upload
from tests.ingestion.pdfs import draw, line
from tests.ingestion.scans import photographed, scan

OWN = "The digital page is read as it is."
SALARY = "The average salary of a site manager is 68,400 pounds a year."


@pytest.fixture(scope="module")
def scanned(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A page that says something itself, and a scan of a salary."""
    folder = tmp_path_factory.mktemp("scanned")
    image = photographed(folder, partial(line, x=60, top=100, text=SALARY, size=12), 150)
    return draw(folder / "a.pdf", partial(line, x=60, top=100, text=OWN, size=12), scan(image)).read_bytes()


@pytest.fixture
def file(alice: Person, contract: Contract, scanned: bytes) -> str:
    """Read without looking at pictures: the salary is not found."""
    return ready(alice, contract, "scanned.pdf", scanned, strategy="text")


@pytest.mark.ocr
def test_a_file_is_read_anew_in_another_way_and_stays_readable_meanwhile(
    file: str, alice: Person, viewer: Person, cfo: Person, service: Scope
) -> None:
    assert texts(alice, file) == [OWN]
    answer = choose(alice, file, "ocr")
    assert (answer.status_code, answer.json()["strategy"], answer.json()["state"]) == (202, "ocr", "pending")
    assert texts(alice, file) == texts(viewer, file) == [OWN], "until it has been read"
    process_all_waiting(alice.scope.workspace)
    assert texts(alice, file) == [OWN, SALARY]
    assert texts(viewer, file) == [OWN, "[Financial]"], "what comes is labelled as any text"
    assert cfo.api.get(f"/api/files/{file}/download/").status_code == 200, "and all of it is accounted for"
    with service.open():
        assert FileRevision.objects.filter(file=file).count() == 1, "no version: the bytes are the same"
        assert not File.objects.filter(is_stale()).exists()
        assert not select_foreign_rows().exists()
        assert ContextRow.objects.filter(file=file).exists()
        entry = AuditEntry.objects.get(action="file.strategy_chosen", object_id=file)
        assert (entry.detail["strategy"], entry.actor) == ("ocr", alice.scope.principal)


@pytest.mark.ocr
def test_a_label_that_a_reading_no_longer_gives_stays_until_a_steward_decides(
    file: str, alice: Person, viewer: Person, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_anew(alice, file, "ocr")
    read_anew(alice, file, "text")
    assert texts(alice, file) == [OWN]
    with service.open():
        assert PastParagraph.objects.filter(file=file, data_classification=FINANCIAL).exists()
    # It comes back, and neither rules nor model find a salary in it any more.
    monkeypatch.setattr(pipeline, "build_rules_vote", lambda *given: Vote("rules", frozenset(), ""))
    with scripted.use_scripted_model() as script:
        script.push(tool_use=labelled(2, {}), when=lambda request: "record_labels" in request.tools)
        read_anew(alice, file, "layout")
    assert texts(viewer, file) == [OWN, "[Financial]"]
    found = alice.api.get(f"/api/desk/?file={file}").json()["results"]
    assert [item["text"] for item in found] == [SALARY], "a steward decides whether it needs it still"


def test_who_may_choose(file: str, alice: Person, staff: Person, viewer: Person, outsider: Person) -> None:
    assert choose(viewer, file, "layout").status_code == 403
    assert choose(outsider, file, "layout").status_code == 404
    assert choose(alice, file, "guess").json()["error"]["code"] == "unknown_strategy"
    assert choose(alice, file, "").status_code == 400
    assert choose(staff, file, "layout").status_code == 202, "an editor may, without clearance for all of it"
    page = f"files/{file}/strategy/"
    assert viewer.client.post(f"{viewer.base}{page}", {"strategy": "ocr"}).status_code == 403
    assert outsider.client.post(f"{outsider.base}{page}", {"strategy": "ocr"}).status_code == 404
    assert outsider.client.post(f"{alice.base}{page}", {"strategy": "ocr"}).status_code == 404
    assert alice.client.get(f"{alice.base}{page}").status_code == 405
    assert alice.api.get(f"/api/files/{file}/").json()["strategy"] == "layout"


def test_of_a_record_that_is_hidden_nobody_chooses(
    alice: Person, staff: Person, steward: Person, restricted: Contract
) -> None:
    file = ready(alice, restricted, "note.md", b"# Note\n\nThe quay is closed.\n")
    for who in (staff, steward):
        assert choose(who, file, "layout").status_code == 404
    assert choose(alice, file, "layout").status_code == 202


def test_the_page_offers_it_to_who_may(file: str, alice: Person, viewer: Person) -> None:
    page = f"{alice.base}files/{file}/versions/"
    shown = alice.client.get(page).content.decode()
    assert 'value="text" selected' in shown
    assert 'name="strategy"' not in viewer.client.get(page).content.decode()
    link = f'href="{page}#reading"'
    for where in (f"entities/{alice.api.get(f'/api/files/{file}/').json()['entity']}/files/", f"files/{file}/"):
        assert link in alice.client.get(alice.base + where).content.decode(), where
        assert link not in viewer.client.get(alice.base + where).content.decode(), where
    chosen = alice.client.post(f"{alice.base}files/{file}/strategy/", {"strategy": "layout"}, follow=True)
    assert "It is being read again" in chosen.content.decode()
    assert "Being read" in chosen.content.decode()
    process_all_waiting(alice.scope.workspace)
    refused = alice.client.post(f"{alice.base}files/{file}/strategy/", {"strategy": "guess"}, follow=True)
    assert "no way of reading called" in refused.content.decode()


def test_the_same_way_by_another_name_is_no_work(
    alice: Person, contract: Contract, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Contract.Rag, "collections", {"documents": Collection("Documents", strategy="layout")})
    file = ready(alice, contract, "note.md", b"# Note\n\nThe quay is closed.\n")
    with service.open():
        before = ModelCall.objects.count()
    for strategy, words in (
        ("layout", "Look for tables on every page"),
        ("layout", "Look for tables on every page"),
        ("auto", "As usual here: look for tables on every page"),
    ):
        answer = choose(alice, file, strategy)
        assert (answer.json()["state"], answer.json()["strategy"]) == ("ready", strategy)
        assert alice.api.get(f"/api/files/{file}/").json()["strategy"] == strategy
        page = alice.client.get(f"{alice.base}files/{file}/versions/").content.decode()
        assert re.findall(r'<option value="(\w+)" selected>([^<]*)', page) == [(strategy, words)], "what is true of it"
    with service.open():
        assert ModelCall.objects.count() == before


def test_text_that_came_out_the_same_is_not_asked_of_the_model_again(
    alice: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract, "note.md", b"# Note\n\nThe quay is closed.\n")
    with service.open():
        before = ModelCall.objects.count(), set(Paragraph.objects.values_list("pk", flat=True))
    assert read_anew(alice, file, "text")["state"] == "ready"
    with service.open():
        assert (ModelCall.objects.count(), set(Paragraph.objects.values_list("pk", flat=True))) == before


@pytest.mark.parametrize("door", ["page", "api"])
def test_what_could_not_be_compared_is_compared_when_it_is_read_again(
    alice: Person, viewer: Person, contract: Contract, service: Scope, monkeypatch: pytest.MonkeyPatch, door: str
) -> None:
    monkeypatch.setattr(drift, "_count_source", lambda *given: None)
    file = ready(alice, contract, "note.rtf", rb"{\rtf1 The quay is closed.\par}")
    assert viewer.api.get(f"/api/files/{file}/download/").status_code == 403
    monkeypatch.undo()
    choose(alice, file, "auto")
    process_all_waiting(alice.scope.workspace)
    assert viewer.api.get(f"/api/files/{file}/download/").status_code == 403, (
        "the same way is no work unless it is asked"
    )
    with service.open():
        before = ModelCall.objects.count(), set(Paragraph.objects.values_list("pk", flat=True))
    if door == "page":
        answer = alice.client.post(f"{alice.base}files/{file}/strategy/", {"strategy": "auto"}, follow=True)
        assert "It is being read again" in answer.content.decode()
    else:
        given = {"strategy": "auto", "again": True}
        assert alice.api.patch(f"/api/files/{file}/", given, format="json").json()["state"] == "pending"
    process_all_waiting(alice.scope.workspace)
    assert viewer.api.get(f"/api/files/{file}/download/").status_code == 200
    with service.open():
        assert (ModelCall.objects.count(), set(Paragraph.objects.values_list("pk", flat=True))) == before
        assert not File.objects.filter(is_stale()).exists()


def test_a_reading_that_ends_badly_leaves_what_is_there(
    file: str, alice: Person, steward: Person, viewer: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drift, "check_losses", lossy)
    shown = read_anew(alice, file, "layout")
    assert (shown["state"], shown["error"]["code"]) == ("quarantined", "drift")
    assert texts(viewer, file) == [OWN]
    page = alice.client.get(f"{alice.base}files/{file}/versions/").content.decode()
    assert "none of them was read" in page
    assert "Tables" not in viewer.client.get(f"{alice.base}files/{file}/versions/").content.decode()
    # Released for what was read then: another way is other text, and checked again.
    answer = steward.api.post(f"/api/files/{file}/review/", {"decision": "release"}, format="json")
    assert answer.status_code in (200, 202)
    process_all_waiting(alice.scope.workspace)
    assert alice.api.get(f"/api/files/{file}/").json()["state"] == "ready"
    assert read_anew(alice, file, "text")["state"] == "quarantined"
    monkeypatch.undo()
    assert read_anew(alice, file, "auto")["state"] == "ready"


def test_a_version_that_failed_is_read_in_the_way_that_is_chosen(
    alice: Person, contract: Contract, service: Scope
) -> None:
    """Nothing was published yet; and one that a steward kept back is not read by another way."""
    file = upload(alice, contract, "cut.pdf", b"%PDF-1.7 cut").json()["id"]
    process_all_waiting(alice.scope.workspace)
    shown = read_anew(alice, file, "layout")
    assert (shown["state"], shown["strategy"]) == ("quarantined", "layout")
    alice.api.post(f"/api/files/{file}/review/", {"decision": "reject"}, format="json")
    assert choose(alice, file, "auto").json()["error"]["code"] == "nothing_to_read"
