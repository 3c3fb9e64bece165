"""Whose language a page speaks, and in whose time zone; the API speaks English unless it is asked otherwise."""

import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from urllib.parse import urljoin

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


ENGLISH = re.compile(
    r"\b(the|and|of|is|are|with|this|that|you|your|not|from|to|be|or|has|have|by|what|who|which|where|when|may|can|they"
    r"|it|its|for|no|all|change|delete|created|updated|added|record|records|file|files|back|name not cleared|needs)\b"
)
"""Words that no German sentence has."""
FOREIGN = {"add", "all-MiniLM-L6-v2", "close", "delete", "search", "manage.py evaluate SET --workspace … --as …"}
"""Texts that are no words: names of symbols and of a model, and a command."""


class SpokenParser(HTMLParser):
    """What a page says: its texts, and attributes that are read out or shown. links: where it leads."""

    def __init__(self) -> None:
        super().__init__()
        self.spoken: list[str] = []
        self.links: list[str] = []
        self.silent = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "style", "textarea", "code"):
            self.silent = tag
        for name, value in attrs:
            if name in ("title", "aria-label", "placeholder", "alt", "data-title"):
                self.spoken.append(value or "")
            elif name == "href":
                self.links.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        self.silent = "" if tag == self.silent else self.silent

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.spoken.append(data)


def test_german_pages_hold_no_english_sentence(alice: Person, contract: Contract) -> None:
    """Every page that one comes to by links from the home page and that of a record, the administration among them."""
    User.objects.filter(pk=alice.user.pk).update(language="de")
    sentences = {
        entry["msgid"]
        for entry in read_catalogue().values()
        if len(entry["msgid"].split()) > 2 and "%(" not in entry["msgid"] and "<" not in entry["msgid"]
    }
    record = f"{alice.base}entities/{contract.pk}/"
    parts = ["files/", "files/table/", "references/new/"]
    pages = ["", "search/?q=lease", "nowhere/", "bin/", "notifications/", "levels/", "workspace/", "tokens/", "admin/"]
    waiting = [*(record + part for part in ["", *parts]), *(alice.base + page for page in pages)]
    waiting += [PROFILE, "/join/", "/account/password/"]
    seen: dict[str, list[str]] = {}
    while waiting:
        path = waiting.pop(0)
        # One page of each kind: ids and queries make no other.
        kind = re.sub(r"[0-9a-f-]{32,36}|\d+", "N", path.partition("?")[0])
        if kind in seen:
            continue
        answer = alice.client.get(path)
        seen[kind] = []
        if "html" not in answer.get("Content-Type", "") or answer.status_code in (302, 405):
            continue
        html = answer.content.decode()
        if "<html" in html:
            assert '<html lang="de"' in html, path
        parser = SpokenParser()
        parser.feed(html)
        spoken = {" ".join(text.split()) for text in parser.spoken} - FOREIGN
        seen[kind] += sorted(text for text in spoken if ENGLISH.search(text))
        seen[kind] += sorted(sentence for sentence in sentences for text in spoken if sentence in text)
        here = [urljoin(path, link) for link in parser.links]
        waiting += [link for link in here if link.startswith(alice.base) and "/api/" not in link]
    del seen[f"{alice.base}admin/entities/auditentry/"]  # its rows are written in English
    assert {path: found for path, found in seen.items() if found} == {}
    assert len(seen) > 60


def test_a_page_in_german_says_who_may_not_see_it_nothing_more(viewer: Person, restricted: Contract) -> None:
    """What is hidden answers as what is not there, in every language."""
    absent = viewer.client.get(f"{viewer.base}entities/{viewer.scope.workspace:032x}/", **GERMAN)
    hidden = viewer.client.get(f"{viewer.base}entities/{restricted.pk}/", **GERMAN)
    assert (hidden.status_code, absent.status_code) == (404, 404)
    assert hidden.content == absent.content
    assert "Hier ist nichts für Sie" in hidden.content.decode()
