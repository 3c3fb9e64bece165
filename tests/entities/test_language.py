"""Whose language a page speaks, and in whose time zone; the API speaks English unless it is asked otherwise."""

import re
from datetime import UTC, datetime

from django.test import Client

from entities.models import User
from entities.types import Contract
from tests.conftest import Person
from tests.entities.test_catalogue import read_catalogue

GERMAN = {"HTTP_ACCEPT_LANGUAGE": "de-DE,de;q=0.9,en;q=0.5"}
PROFILE = "/account/profile/"


def test_who_signs_in_is_spoken_to_as_their_browser_asks(alice: Person) -> None:
    german = Client().get("/sign-in/", **GERMAN)
    assert '<html lang="de"' in german.content.decode()
    assert "Anmelden" in german.content.decode()
    assert german["Content-Language"] == "de"
    assert "Accept-Language" in german["Vary"]
    other = Client().get("/sign-in/", HTTP_ACCEPT_LANGUAGE="fr-FR,fr").content.decode()
    assert "Sign in" in other
    assert "Anmelden" not in other


def test_ones_own_language_goes_before_the_browsers(alice: Person, viewer: Person) -> None:
    own = {"name": "Alice Stone", "email": "alice@example.com", "language": "de", "time_zone": "Europe/Berlin"}
    assert alice.client.post(PROFILE, own).status_code == 302
    user = User.objects.get(pk=alice.user.pk)
    assert (str(user), user.email, user.language, user.time_zone) == tuple(own.values())
    home = alice.client.get(alice.base, HTTP_ACCEPT_LANGUAGE="en").content.decode()
    assert '<html lang="de" data-time-zone="Europe/Berlin">' in home
    assert "Alice Stone" in home
    assert "Abmelden" in home
    # Nobody else's page changes, and what one did leaves nothing behind in the thread.
    assert "Sign out" in viewer.client.get(viewer.base).content.decode()
    assert not User.objects.get(pk=viewer.user.pk).language


def test_a_profile_is_its_owners_alone_and_has_no_other_values(alice: Person) -> None:
    assert Client().get(PROFILE).status_code == 302
    for wrong in ({"language": "xx"}, {"time_zone": "Nowhere/At-All"}, {"email": "no address"}, {"name": "a\nb"}):
        assert alice.client.post(PROFILE, wrong).status_code == 422
    assert User.objects.get(pk=alice.user.pk).language == ""


def test_times_are_shown_in_the_readers_time_zone(alice: Person, contract: Contract) -> None:
    moment = datetime(2024, 1, 31, 23, 30, tzinfo=UTC)
    with alice.scope.open():
        Contract._base_manager.filter(pk=contract.pk).update(updated_at=moment)
    page = f"{alice.base}entities/{contract.pk}/"
    assert "Wed 31 Jan 2024, 23:30 UTC" in alice.client.get(page).content.decode()
    User.objects.filter(pk=alice.user.pk).update(time_zone="Asia/Tokyo")
    assert "Thu 1 Feb 2024, 08:30 JST" in alice.client.get(page).content.decode()


def test_the_api_speaks_english_unless_it_is_asked(alice: Person) -> None:
    User.objects.filter(pk=alice.user.pk).update(language="de")
    path = f"/api/entities/{alice.user.pk}/"
    asked = {"HTTP_X_WORKSPACE": alice.scope.slug}
    plain, german = alice.client.get(path, **asked), alice.client.get(path, **asked, **GERMAN)
    assert (plain.status_code, german.status_code) == (404, 404)
    assert plain.json()["error"]["code"] == german.json()["error"]["code"] == "not_found"
    assert "nothing" in plain.json()["error"]["detail"]
    assert "Hier ist nichts" in german.json()["error"]["detail"]


def test_german_pages_hold_no_english_sentence(alice: Person, contract: Contract) -> None:
    """Of those that the catalogue has; whatever else a page says is somebody's own text."""
    User.objects.filter(pk=alice.user.pk).update(language="de")
    sentences = {
        entry["msgid"]
        for entry in read_catalogue().values()
        if len(entry["msgid"].split()) > 2 and "%(" not in entry["msgid"] and "<" not in entry["msgid"]
    }
    record = f"{alice.base}entities/{contract.pk}/"
    pages = [
        "",
        "records/contract/",
        "records/contract/new/",
        "search/",
        "search/?q=lease",
        "chat/",
        "access-requests/",
    ]
    pages += ["people/", "people/roles/", "model/", "desk/", "quarantine/", "evaluation/", "nowhere/"]
    paths = [*(alice.base + page for page in pages), record, f"{record}edit/", f"{record}share/", f"{record}files/"]
    for path in [*paths, PROFILE, "/join/", "/account/password/"]:
        html = alice.client.get(path).content.decode()
        assert '<html lang="de"' in html, path
        html = re.sub(r'<script id="words".*?</script>', "", html, flags=re.S)
        assert [sentence for sentence in sentences if sentence in html] == [], path


def test_a_page_in_german_says_who_may_not_see_it_nothing_more(viewer: Person, restricted: Contract) -> None:
    """What is hidden answers as what is not there, in every language."""
    absent = viewer.client.get(f"{viewer.base}entities/{viewer.scope.workspace:032x}/", **GERMAN)
    hidden = viewer.client.get(f"{viewer.base}entities/{restricted.pk}/", **GERMAN)
    assert (hidden.status_code, absent.status_code) == (404, 404)
    assert hidden.content == absent.content
    assert "Hier ist nichts für Sie" in hidden.content.decode()
