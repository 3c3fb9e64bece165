"""Another way of reading for a file that is there: who may choose it, and what readers see meanwhile."""

import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from entities.access import Scope
from entities.models import AuditEntry
from entities.models.classification import FINANCIAL
from entities.rag import Collection
from entities.types import Contract
from ingestion import drift, pipeline
from ingestion.inline import work_off
from ingestion.models import ContextRow, File, FileRevision, Paragraph, PastParagraph
from ingestion.staleness import foreign_rows, is_stale
from ingestion.votes import Vote
from llm import scripted
from llm.models import ModelCall
from tests.conftest import Person
from tests.ingestion.helpers import labelled, ready, texts, upload
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


def choose(who: Person, file: str, strategy: str) -> Any:
    """As a program does; nothing is worked on yet."""
    return who.api.patch(f"/api/files/{file}/", {"strategy": strategy}, format="json")


def read_anew(who: Person, file: str, strategy: str) -> dict[str, Any]:
    answer = choose(who, file, strategy)
    assert answer.status_code == 202, answer.content
    work_off(who.scope.workspace)
    shown: dict[str, Any] = who.api.get(f"/api/files/{file}/").json()
    return shown


@pytest.mark.ocr
def test_a_file_is_read_anew_in_another_way_and_stays_readable_meanwhile(
    file: str, alice: Person, viewer: Person, cfo: Person, service: Scope
) -> None:
    assert texts(alice, file) == [OWN]
    answer = choose(alice, file, "ocr")
    assert (answer.status_code, answer.json()["strategy"], answer.json()["state"]) == (202, "ocr", "pending")
    assert texts(alice, file) == texts(viewer, file) == [OWN], "until it has been read"
    work_off(alice.scope.workspace)
    assert texts(alice, file) == [OWN, SALARY]
    assert texts(viewer, file) == [OWN, "[Financial]"], "what comes is labelled as any text"
    assert cfo.api.get(f"/api/files/{file}/download/").status_code == 200, "and all of it is accounted for"
    with service.open():
        assert FileRevision.objects.filter(file=file).count() == 1, "no version: the bytes are the same"
        assert not File.objects.filter(is_stale()).exists()
        assert not foreign_rows().exists()
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
    monkeypatch.setattr(pipeline, "rules_vote", lambda *given: Vote("rules", frozenset(), ""))
    with scripted.model() as script:
        script.push(tool_use=labelled(2, {}), when=lambda request: "record_labels" in request.tools)
        read_anew(alice, file, "layout")
    assert texts(viewer, file) == [OWN, "[Financial]"]
    found = alice.api.get(f"/api/desk/?file={file}").json()["results"]
    assert [item["text"] for item in found] == [SALARY], "a steward decides whether it needs it still"


LEASE = "The office is open from eight to six, and the canteen until two."
PAY = "Jane Doe's salary is 68,400 pounds a year and her bonus 4,000."


@pytest.fixture
def blind(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A reader that overlooks what stands last, and says nothing of it. `undo` makes it see."""
    seeing = pipeline.extract_file

    def overlook(*given: Any, **options: Any) -> Any:
        found = seeing(*given, **options)
        return replace(found, paragraphs=found.paragraphs[:-1])

    monkeypatch.setattr(drift, "check", lambda path, extraction: extraction)
    monkeypatch.setattr(pipeline, "extract_file", overlook)
    return monkeypatch


def lossy(path: Path, extraction: Any) -> None:
    raise drift.Drifted([drift.Loss("tables", "It has 1 table, and none of them was read.")])


def has_original(who: Person, file: str, version: int) -> list[int]:
    """Status of the original as it is, and of that version's."""
    at = f"/api/files/{file}/"
    return [who.api.get(f"{at}{path}download/").status_code for path in ("", f"versions/{version}/")]


def test_what_a_reading_overlooks_is_in_the_original_still(
    alice: Person, viewer: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    given = f"{LEASE}\n\n{PAY}\n".encode()
    file = ready(alice, contract, "office.txt", given)
    assert has_original(viewer, file, 1) == [403, 403]
    request.getfixturevalue("blind")
    read_anew(alice, file, "layout")
    assert texts(alice, file) == [LEASE]
    assert has_original(viewer, file, 1) == [403, 403], "nothing shown needs a clearance, but the bytes hold the salary"
    assert has_original(alice, file, 1) == [200, 200]
    # Other bytes are theirs to have; those bytes come back as another version, which is read blindly from the start.
    ready(alice, contract, "office.txt", b"It is closed.\n\nThis is overlooked.\n")
    assert has_original(viewer, file, 1) == [200, 403]
    ready(alice, contract, "office.txt", given)
    assert texts(alice, file) == [LEASE]
    assert has_original(viewer, file, 3) == [403, 403]


@pytest.mark.parametrize("way", ["upload", "restore"])
def test_what_a_reading_overlooks_as_a_version_comes_is_in_its_original_too(
    alice: Person, viewer: Person, contract: Contract, request: pytest.FixtureRequest, way: str
) -> None:
    """The same bytes as another version; and a heading that says what was lost has not its label."""
    given = f"{LEASE}\n\n# Salary\n\n{PAY}\n".encode()
    file = ready(alice, contract, "office.md", given)
    assert has_original(viewer, file, 1) == [403, 403]
    if way == "restore":
        ready(alice, contract, "office.md", b"It is closed.\n\nNobody is there.\n")
        assert has_original(viewer, file, 2)[0] == 200
    request.getfixturevalue("blind")
    if way == "restore":
        assert alice.api.post(f"/api/files/{file}/versions/1/restore/").status_code == 202
        work_off(alice.scope.workspace)
    else:
        ready(alice, contract, "office.md", given, strategy="layout")
    assert texts(viewer, file) == [LEASE, "Salary"]
    assert has_original(viewer, file, 1)[0] == 403
    assert has_original(alice, file, 1)[0] == 200


@pytest.mark.parametrize("theirs", [True, False])
def test_a_choice_tells_nothing_of_a_version_that_is_withheld(
    alice: Person, staff: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch, theirs: bool
) -> None:
    file = ready(alice, contract, "office.txt", LEASE.encode())
    if theirs:
        monkeypatch.setattr(drift, "check", lossy)
        upload(alice, contract, "office.txt", b"Other words.")
        work_off(alice.scope.workspace)
        assert alice.api.get(f"/api/files/{file}/").json()["state"] == "quarantined"
        monkeypatch.undo()
    chosen = choose(staff, file, "layout")
    assert (chosen.status_code, chosen.json()["state"], chosen.json()["strategy"]) == (202, "pending", "layout")
    work_off(alice.scope.workspace)
    assert staff.api.get(f"/api/files/{file}/").json()["state"] == "ready"
    assert alice.api.get(f"/api/files/{file}/").json()["state"] == ("quarantined" if theirs else "ready")


def lossy_of_others(path: Path, extraction: Any) -> None:
    if b"Other" in path.read_bytes():
        lossy(path, extraction)


@pytest.mark.parametrize("sent", ["by another", "by themselves"])
@pytest.mark.parametrize("ending", ["ready", "quarantined"])
def test_a_choice_answers_the_same_whether_or_not_a_version_is_on_its_way(
    alice: Person,
    staff: Person,
    contract: Contract,
    service: Scope,
    monkeypatch: pytest.MonkeyPatch,
    sent: str,
    ending: str,
) -> None:
    sender = staff if sent == "by themselves" else alice
    file, twin = (ready(sender, contract, name, LEASE.encode()) for name in ("office.txt", "office.text"))
    upload(alice, contract, "office.txt", b"Other words.\n\nAnd more of them.")

    def told(who: Person, pk: str) -> list[Any]:
        """What the API and the page say of it, but which of the two it is."""
        shown = {k: v for k, v in who.api.get(f"/api/files/{pk}/").json().items() if k not in ("id", "name", "path")}
        versions = who.api.get(f"/api/files/{pk}/versions/").json()["results"]
        page = who.client.get(f"{who.base}files/{pk}/versions/").content.decode()
        return [shown, [{**v, "at": ""} for v in versions], page.partition('id="reading"')[2].replace(pk, "")]

    def same(who: Person) -> bool:
        return _unsaid(told(who, file)) == _unsaid(told(who, twin))

    assert same(staff)
    assert not same(alice), "it is hers"
    here, there = choose(staff, file, "layout"), choose(staff, twin, "layout")
    own = ("id", "name", "path")
    assert {**here.json(), **dict.fromkeys(own)} == {**there.json(), **dict.fromkeys(own)}
    assert (here.status_code, here.json()["state"], here.json()["stage"]) == (202, "pending", "waiting")
    assert same(staff)
    if ending == "quarantined":
        monkeypatch.setattr(drift, "check", lossy_of_others)
    work_off(alice.scope.workspace)
    assert alice.api.get(f"/api/files/{file}/").json()["state"] == ending
    if ending == "quarantined":
        assert same(staff), "and what they see has been read in the way that they chose"
        assert staff.api.get(f"/api/files/{file}/").json()["state"] == "ready"
    with service.open():
        assert not File.objects.filter(is_stale()).exists()
        assert not File.objects.exclude(redo="").exists()


def _unsaid(told: list[Any]) -> list[Any]:
    """Without what a page says anew each time."""
    return [*told[:-1], re.sub(r'name="csrfmiddlewaretoken" value="\w+"|nonce-\w+', "", told[-1])]


@pytest.mark.django_db(transaction=True)
def test_what_is_found_again_is_decided_on_again(
    alice: Person, viewer: Person, steward: Person, contract: Contract, request: pytest.FixtureRequest
) -> None:
    file = ready(alice, contract, "office.txt", f"{LEASE}\n\n{PAY}\n".encode())
    blind: pytest.MonkeyPatch = request.getfixturevalue("blind")
    read_anew(alice, file, "layout")
    blind.undo()
    read_anew(alice, file, "text")
    assert has_original(viewer, file, 1) == [403, 403]
    rows = steward.api.get(f"/api/files/{file}/paragraphs/").json()["results"]
    (salary,) = [row["id"] for row in rows if row["text"] == PAY]
    decided = steward.api.patch(f"/api/paragraphs/{salary}/", {"labels": [], "reason": "an example"}, format="json")
    assert decided.status_code == 200
    work_off(alice.scope.workspace)
    assert texts(viewer, file) == [LEASE, PAY]
    assert has_original(viewer, file, 1) == [200, 200], "what was remembered of it has no say any more"


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
    assert "It is read anew" in chosen.content.decode()
    assert "Being read" in chosen.content.decode()
    work_off(alice.scope.workspace)
    again = alice.client.post(f"{alice.base}files/{file}/strategy/", {"strategy": "layout"}, follow=True)
    assert "in this way already" in again.content.decode()
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


def test_a_reading_that_ends_badly_leaves_what_is_there(
    file: str, alice: Person, steward: Person, viewer: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drift, "check", lossy)
    shown = read_anew(alice, file, "layout")
    assert (shown["state"], shown["error"]["code"]) == ("quarantined", "drift")
    assert texts(viewer, file) == [OWN]
    page = alice.client.get(f"{alice.base}files/{file}/versions/").content.decode()
    assert "none of them was read" in page
    assert "Tables" not in viewer.client.get(f"{alice.base}files/{file}/versions/").content.decode()
    # Released for what was read then: another way is other text, and checked again.
    answer = steward.api.post(f"/api/files/{file}/review/", {"decision": "release"}, format="json")
    assert answer.status_code in (200, 202)
    work_off(alice.scope.workspace)
    assert alice.api.get(f"/api/files/{file}/").json()["state"] == "ready"
    assert read_anew(alice, file, "text")["state"] == "quarantined"
    monkeypatch.undo()
    assert read_anew(alice, file, "auto")["state"] == "ready"


def test_a_version_that_failed_is_read_in_the_way_that_is_chosen(
    alice: Person, contract: Contract, service: Scope
) -> None:
    """Nothing was published yet; and one that a steward kept back is not read by another way."""
    file = upload(alice, contract, "cut.pdf", b"%PDF-1.7 cut").json()["id"]
    work_off(alice.scope.workspace)
    shown = read_anew(alice, file, "layout")
    assert (shown["state"], shown["strategy"]) == ("quarantined", "layout")
    alice.api.post(f"/api/files/{file}/review/", {"decision": "reject"}, format="json")
    assert choose(alice, file, "auto").json()["error"]["code"] == "nothing_to_read"
