"""What the API says of a question that cannot be answered, and of types and labels."""

import pytest

from entities.types import Contract
from tests.conftest import Person


@pytest.mark.parametrize("page", ["99", "0", "x"])
def test_a_page_that_is_not_there_is_told_as_such(viewer: Person, contract: Contract, page: str) -> None:
    assert viewer.api.get("/api/entities/contract/?page=1").status_code == 200
    answer = viewer.api.get(f"/api/entities/contract/?page={page}")
    assert answer.status_code == 400
    assert "no such page" in answer.json()["error"]["fields"]["page"][0]


def test_a_page_of_no_size_is_refused(subtests: pytest.Subtests, viewer: Person, contract: Contract) -> None:
    for size in ["0", "-1", "x", "", "²", "9" * 5_000]:
        with subtests.test(size=size):
            assert viewer.api.get("/api/entities/contract/", {"page_size": "0200"}).status_code == 200
            answer = viewer.api.get("/api/entities/contract/", {"page_size": size})
            assert answer.status_code == 400
            assert "1 to 200" in answer.json()["error"]["fields"]["page_size"][0]


def test_a_question_with_a_nul_is_refused_as_in_lists(viewer: Person) -> None:
    assert viewer.api.get("/api/search/?q=quay").status_code == 200
    answer = viewer.api.get("/api/search/?q=%00")
    assert answer.status_code == 400
    assert "NUL" in answer.json()["error"]["fields"]["q"][0]


def test_search_in_an_unknown_collection_names_those_there_are(viewer: Person) -> None:
    assert viewer.api.get("/api/search/?q=quay&collection=hr_documents").json()["results"] == []
    answer = viewer.api.get("/api/search/?q=quay&collection=nope")
    assert answer.status_code == 400
    assert "hr_documents" in answer.json()["error"]["fields"]["collection"][0]


def test_a_token_is_made_whatever_else_the_caller_sends(viewer: Person) -> None:
    body = {"username": "viewer", "password": "pass", "workspace": "acme"}
    assert viewer.api.post("/api/token/", body).status_code == 200
    as_session = viewer.client.post(
        "/api/token/", body, content_type="application/json", headers={"X-Workspace": "acme"}
    )
    assert as_session.status_code == 200
    assert viewer.api.post("/api/token/", {**body, "password": "no"}).status_code == 401


def test_types_tell_the_options_and_nothing_of_fields_that_are_hidden(viewer: Person, cfo: Person) -> None:
    def told(who: Person) -> dict:
        return next(t for t in who.api.get("/api/types/").json() if t["type"] == "contract")

    assert told(viewer)["pulse"] is True
    assert (told(viewer)["propagation"], told(viewer)["coalesce"]) == ("parent", 30)
    assert "value" in told(cfo)["pulse_tracked_fields"]
    assert "counterparty" in told(viewer)["pulse_tracked_fields"]
    assert "value" not in told(viewer)["pulse_tracked_fields"]


def test_public_is_the_empty_list_but_where_clearances_are_listed(viewer: Person, contract: Contract) -> None:
    assert viewer.api.get("/api/me/").json()["labels"] == [{"value": 0, "label": "Public"}]
    fields = next(t for t in viewer.api.get("/api/types/").json() if t["type"] == "contract")["fields"]
    assert next(f for f in fields if f["name"] == "counterparty")["labels"] == []


def test_what_is_refused_is_said_in_german_where_it_is_asked(
    subtests: pytest.Subtests, viewer: Person, alice: Person, contract: Contract
) -> None:
    german = {"HTTP_ACCEPT_LANGUAGE": "de"}
    search, record = "/api/search/?q=quay", f"/api/entities/{contract.pk}/"
    asked = {
        "/api/entities/contract/?page=99": "Eine solche Seite gibt es nicht",
        "/api/entities/contract/?page_size=0": "Zahl von 1 bis 200",
        "/api/entities/contract/?nothing=1": "keinen Filter",
        f"{search}&since=soon": "ist kein Datum",
        f"{search} before:soon": "2026-03 oder 2026",
        f"{search}&sort=oldest": "Möglich ist nur newest",
        f"{search}&collection=nope": "Sammlungen sind",
        "/api/search/?q=": "wonach gesucht wird",
        "/api/references/?kind=Odd": "Arten sind",
        "/api/references/?direction=up": "out, in oder both",
        f"{record}graph/?depth=9": "Schritten von 1 bis",
        "/api/access-requests/?state=odd": "Zustände sind",
        "/api/chat/sessions/?entity=x": "mit ihrer Kennung",
    }
    for path, words in asked.items():
        with subtests.test(path=path):
            answer = viewer.api.get(path, **german)
            english = viewer.api.get(path)
            assert (answer.status_code, english.status_code) == (400, 400)
            assert words in answer.content.decode()
            assert words not in english.content.decode()
    with subtests.test("what is written"):
        body = {"name": "A quay", "nothing": 1}
        refused = viewer.api.post("/api/entities/contract/", body, content_type="application/json", **german)
        assert (refused.status_code, "Keine Ihrer Rollen" in refused.content.decode()) == (403, True)
        for text, detail in (
            ('{\n"a" 1}', "Das ist kein gültiges JSON: siehe Zeile 2, Spalte 5."),
            ("[NaN]", "Das ist kein gültiges JSON."),
        ):
            broken = alice.api.post("/api/entities/contract/", text, content_type="application/json", **german)
            assert (broken.status_code, broken.json()["error"]["detail"]) == (400, detail)
        unknown = alice.api.post("/api/entities/contract/", body, content_type="application/json", **german)
        assert (unknown.status_code, "Ein solches Feld gibt es nicht" in unknown.content.decode()) == (400, True)
