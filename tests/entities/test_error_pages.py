"""What people see when a request is refused: a page of the product, with what to do next."""

import logging
from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from entities.types import Contract
from tests.conftest import Person


def test_a_form_without_its_token_is_told_to_be_sent_again(alice: Person):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice.user)
    answer = strict.post(f"{alice.base}records/contract/new/", {"name": "Typed long ago"})
    page = answer.content.decode()
    assert answer.status_code == 403
    assert "This page was out of date" in page
    assert 'class="cl-gate"' in page
    assert "Typed long ago" not in page


def test_a_form_with_its_token_is_taken(alice: Person):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice.user)
    page = strict.get(f"{alice.base}records/contract/new/").content.decode()
    fields = {"name": "New lease", "counterparty": "Port", "currency": "EUR", "status": "draft"}
    token = page.split('name="csrfmiddlewaretoken" value="')[1].split('"')[0]
    answer = strict.post(f"{alice.base}records/contract/new/", fields | {"csrfmiddlewaretoken": token})
    assert answer.status_code == 302


def test_a_refusal_names_who_can_really_allow_it(steward: Person, viewer: Person):
    for person, path in ((steward, "admin/"), (viewer, "records/contract/new/")):
        answer = person.client.get(f"{person.base}{path}")
        assert answer.status_code == 403
        page = answer.content.decode()
        assert "The administrators of the workspace decide what your roles allow" in page
        assert "steward of the workspace can" not in page


def test_a_page_that_is_not_there_does_not_speak_of_a_record(viewer: Person):
    for path in ("/w/nope/", "/nowhere/", f"{viewer.base}records/nosuch/"):
        answer = viewer.client.get(path)
        assert answer.status_code == 404
        page = answer.content.decode()
        assert "Nothing here for you" in page
        assert "share the record" not in page


def test_too_many_files_at_once_are_refused_with_a_sentence(alice: Person, contract: Contract):
    def send(count: int) -> dict[str, list[SimpleUploadedFile]]:
        return {"file": [SimpleUploadedFile(f"{n}.txt", b"") for n in range(count)]}

    page = alice.client.post(f"{alice.base}entities/{contract.pk}/files/upload/", send(51))
    assert page.status_code == 413
    assert "At most 50 files can be sent at once" in page.content.decode()
    assert 'class="cl-gate"' in page.content.decode()
    answer = alice.api.post(f"/api/entities/{contract.pk}/files/", send(51), format="multipart")
    assert answer.status_code == 413
    assert answer.json()["error"]["code"] == "too_large"
    assert alice.client.post(f"{alice.base}entities/{contract.pk}/files/upload/", send(50)).status_code == 302


def test_too_many_fields_are_refused_with_a_sentence(alice: Person, contract: Contract):
    fields = {f"f{n}": "x" for n in range(2_001)}
    page = alice.client.post(f"{alice.base}entities/{contract.pk}/edit/", fields)
    assert page.status_code == 413
    assert "too much for one request" in page.content.decode()


@pytest.fixture
def log() -> Iterator[StringIO]:
    """What the installation writes to its log."""
    (console,) = [handler for handler in logging.getLogger().handlers if handler.name == "console"]
    written = StringIO()
    before = console.setStream(written)
    yield written
    console.setStream(before)


def test_a_refusal_is_one_line_in_the_log(viewer: Person, log: StringIO):
    for path in ("admin/", "records/contract/new/"):
        assert viewer.client.get(f"{viewer.base}{path}").status_code == 403
        (line,) = log.getvalue().splitlines()
        assert line.endswith(f"Forbidden (Permission denied): {viewer.base}{path}")
        log.truncate(log.seek(0))


def test_a_failure_keeps_its_traceback(log: StringIO):
    for extra in ({"status_code": 500}, {}):
        try:
            raise ZeroDivisionError
        except ZeroDivisionError:
            logging.getLogger("django.request").exception("broken", extra=extra)
        assert "ZeroDivisionError" in log.getvalue()
        log.truncate(log.seek(0))
