"""The pages of files: the panel of a record, its rows and buttons, the top bar, the admin."""

import re

from django.core.files.uploadedfile import SimpleUploadedFile

from entities.access import Scope
from entities.types import Contract
from ingestion.inline import process_all_waiting
from ingestion.models import File
from tests.conftest import Person
from tests.ingestion.helpers import REPORT, ready, upload


def words(page: str) -> str:
    """What a page says, without its tags."""
    return " ".join(re.sub(r"<[^>]+>", " ", page).split()) + " "


def test_the_panel_offers_a_drop_zone_to_who_may_upload(staff: Person, viewer: Person, contract: Contract) -> None:
    offered = staff.client.get(f"{staff.base}entities/{contract.pk}/files/", HTTP_HX_REQUEST="true").content
    assert b"data-upload" in offered
    plain = viewer.client.get(f"{viewer.base}entities/{contract.pk}/files/", HTTP_HX_REQUEST="true").content
    assert b"data-upload" not in plain
    assert b"No files that you may see" in plain


def test_a_page_upload_answers_with_the_row_and_then_what_came_out(
    alice: Person, viewer: Person, contract: Contract
) -> None:
    url = f"{alice.base}entities/{contract.pk}/files/upload/"
    taken = alice.client.post(url, {"file": SimpleUploadedFile("report.md", REPORT)}, headers={"HX-Request": "true"})
    assert taken.status_code == 202
    assert b"Waiting for its turn" in taken.content
    (status_url,) = re.findall(r'hx-get="([^"]+)"', taken.content.decode())
    assert b"clearance:row" in alice.client.get(status_url).content
    process_all_waiting(alice.scope.workspace)
    done = alice.client.get(status_url).content.decode()
    assert "Ready" in done
    assert "hx-get" not in done
    assert "Financial" in done
    assert re.search(r"Public 5 .*Financial 1 ", words(done))
    assert re.search(r"Read .*Classified 6 paragraphs.*Cut into \d passages.*Indexed \d texts", words(done))
    seen = viewer.client.get(status_url).content.decode()
    assert "Financial" not in seen
    assert "Classified" not in seen, "how much there is tells of what does not show"
    assert re.search(r"Public 5 ", words(seen))


def test_a_refused_page_upload_is_a_sentence_after_the_name(alice: Person, viewer: Person, contract: Contract) -> None:
    url = f"entities/{contract.pk}/files/upload/"
    empty = {"file": SimpleUploadedFile("empty.md", b"")}
    refused = alice.client.post(alice.base + url, empty, headers={"HX-Request": "true"})
    assert refused.status_code == 422
    assert "empty" in refused.json()["error"]["detail"]
    body = {"file": SimpleUploadedFile("report.md", REPORT)}
    assert viewer.client.post(viewer.base + url, body, headers={"HX-Request": "true"}).status_code == 403


def test_several_files_from_a_form_without_scripts(alice: Person, contract: Contract, service: Scope) -> None:
    files = [SimpleUploadedFile("a.md", REPORT), SimpleUploadedFile("b.md", b""), SimpleUploadedFile("c.md", REPORT)]
    answer = alice.client.post(f"{alice.base}entities/{contract.pk}/files/upload/", {"file": files}, follow=True)
    assert answer.status_code == 200
    assert b"b.md: This file is empty" in answer.content
    with service.open():
        assert set(File.objects.values_list("name", flat=True)) == {"a.md", "c.md"}


def test_deleting_and_retrying_from_pages(alice: Person, viewer: Person, contract: Contract) -> None:
    file = ready(alice, contract)
    bad = upload(alice, contract, "bad.pdf", b"%PDF-1.7 nothing").json()["id"]
    process_all_waiting(alice.scope.workspace)
    panel = alice.client.get(f"{alice.base}entities/{contract.pk}/files/").content.decode()
    assert "bad.pdf" in panel
    assert "Try again" in panel
    assert "Try again" not in viewer.client.get(f"{viewer.base}entities/{contract.pk}/files/").content.decode()
    assert viewer.client.post(f"{viewer.base}files/{bad}/retry/").status_code == 403
    retried = alice.client.post(f"{alice.base}files/{bad}/retry/", headers={"HX-Request": "true"})
    assert b"Waiting for its turn" in retried.content
    assert viewer.client.post(f"{viewer.base}files/{file}/delete/").status_code == 403
    assert alice.client.post(f"{alice.base}files/{file}/delete/").status_code == 302
    assert alice.client.get(f"{alice.base}files/{file}/").status_code == 404


def test_the_top_bar_counts_what_is_seen(
    alice: Person, viewer: Person, restricted: Contract, contract: Contract
) -> None:
    upload(alice, restricted)
    assert b'data-jobs="1"' in alice.client.get(f"{alice.base}files/jobs/").content
    assert viewer.client.get(f"{viewer.base}files/jobs/").content.strip() == b""
    upload(alice, contract)
    assert b'data-jobs="1"' in viewer.client.get(f"{viewer.base}files/jobs/").content


def test_admin_shows_states_of_files_and_no_names(alice: Person, viewer: Person, contract: Contract) -> None:
    ready(alice, contract, "Quarterly figures.md")
    for path in ("admin/ingestion/file/", "admin/ingestion/recordindex/"):
        page = alice.client.get(alice.base + path)
        assert page.status_code == 200
        assert b"Quarterly" not in page.content
        assert viewer.client.get(viewer.base + path).status_code == 403


def test_nothing_that_somebody_reads_is_kept_for_the_next_at_the_machine(alice: Person, contract: Contract) -> None:
    file = ready(alice, contract)
    for address in (f"files/{file}/", f"api/files/{file}/reader/", "files/nowhere/"):
        assert alice.client.get(f"{alice.base}{address}").headers["Cache-Control"] == "private, no-store"
    assert "no-store" in alice.client.get(f"{alice.base}files/{file}/download/").headers["Cache-Control"]


def test_a_name_has_the_quotation_marks_that_it_was_chosen_with(alice: Person, contract: Contract) -> None:
    url = f"{alice.base}entities/{contract.pk}/files/upload/"
    sent = SimpleUploadedFile("the %22long%22 <b>lease.md", REPORT)
    taken = alice.client.post(url, {"file": sent}, headers={"HX-Request": "true"})
    assert "the &quot;long&quot; &lt;b&gt;lease.md" in taken.content.decode()
