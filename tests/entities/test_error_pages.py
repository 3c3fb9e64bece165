"""What people see when a request is refused: a page of the product, with what to do next."""

from django.test import Client

from tests.conftest import Person


def test_a_form_without_its_token_is_told_to_be_sent_again(alice: Person):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice.user)
    answer = strict.post(f"{alice.base}records/contract/new/", {"name": "Typed long ago"})
    page = answer.content.decode()
    assert answer.status_code == 403
    assert "This page had gone stale" in page
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
