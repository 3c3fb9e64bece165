"""One's own API tokens: made, used, ended, by nobody else."""

import re
from datetime import timedelta

from django.utils import timezone
from rest_framework.test import APIClient

from entities.models import Token
from tests.conftest import Person


def make(who: Person, **fields: object) -> str:
    """The secret, as the page gives it out once."""
    page = who.client.post(f"{who.base}tokens/", {"name": "Reports", "days": 30, **fields}).content.decode()
    found = re.search(r'id="secret"[^>]*>([^<]+)<', page)
    assert found, page
    assert found[1] not in who.client.get(f"{who.base}tokens/").content.decode()
    return found[1]


def status(secret: str) -> int:
    api = APIClient()
    api.credentials(HTTP_AUTHORIZATION=f"Token {secret}")
    return int(api.get("/api/me/").status_code)


def key_of(who: Person, name: str) -> str:
    with who.scope.open():
        return Token.objects.get(membership__user=who.user, name=name).key


def test_a_person_makes_a_token_uses_it_and_revokes_it(viewer: Person, alice: Person) -> None:
    secret = make(viewer)
    assert status(secret) == 200
    page = viewer.client.get(f"{viewer.base}tokens/").content.decode()
    assert "Reports" in page
    assert f"{timezone.now():%-d %B %Y}" in page, "the day on which it was used"
    assert "Reports" not in alice.client.get(f"{alice.base}tokens/").content.decode(), "an administrator"
    revoke = {"token": key_of(viewer, "Reports")}
    assert alice.client.post(f"{alice.base}tokens/revoke/", revoke).status_code == 404
    assert status(secret) == 200
    assert viewer.client.post(f"{viewer.base}tokens/revoke/", revoke).status_code == 302
    assert status(secret) == 401


def test_a_token_ends_when_its_time_is_over(viewer: Person) -> None:
    short, long = make(viewer), make(viewer, name="For good", days=0)
    with viewer.scope.open():
        Token.objects.filter(name="Reports").update(expires_at=timezone.now() + timedelta(days=1))
    assert (status(short), status(long)) == (200, 200)
    with viewer.scope.open():
        token = Token.objects.get(name="Reports")
    from entities.access import Scope

    with Scope.for_service(viewer.scope.workspace).open():
        Token.objects.filter(pk=token.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert (status(short), status(long)) == (401, 200)


def test_what_is_wrong_with_a_new_one_is_said_and_nothing_is_made(viewer: Person) -> None:
    for fields in ({"name": "", "days": 30}, {"name": "x", "days": 7}):
        answer = viewer.client.post(f"{viewer.base}tokens/", fields)
        assert answer.status_code == 422
        assert b'id="secret"' not in answer.content
