"""Searches are on record at every door, with words that only cleared administrators read."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from entities.access import Scope, list_atoms
from entities.models import AuditEntry, AuditText
from entities.models.classification import FINANCIAL, INTERNAL, PII
from entities.types import Contract
from ingestion import questions
from tests.conftest import Person, person

JANE = "what does Jane Miller earn, and is her salary 91,000 euros"


@pytest.fixture
def doors(index: Any, contract: Contract, restricted: Contract) -> tuple[str, str]:
    """A record with a row for everybody, and one that alice alone may see."""
    index.row(contract, "The liability cap is two million euros.")
    index.row(restricted, "The liability cap of the settlement is nine million euros.")
    return str(contract.pk), str(restricted.pk)


def texts(service: Scope) -> list[AuditText]:
    with service.open():
        return list(AuditText.objects.select_related("entry").order_by("pk"))


def atoms(service: Scope, label: int | None) -> tuple[int, ...]:
    with service.open():
        return list_atoms(label)


def test_page_and_api_record_who_asked_what_and_what_was_shown(
    doors: tuple[str, str], viewer: Person, cfo: Person, service: Scope
) -> None:
    shown = viewer.api.get("/api/search/", {"q": "liability  cap", "type": "contract", "limit": 3}).json()["results"]
    assert cfo.client.get(f"{cfo.base}search/", {"q": "liability cap"}).status_code == 200
    by_api, by_page = texts(service)
    assert by_api.text == "liability cap"
    assert by_api.retrieved == [[r["id"], r["entity"]["id"]] for r in shown]
    assert by_api.retrieved
    assert by_api.within == {"types": ["contract"]}
    assert (by_api.entry.action, by_api.entry.actor) == ("search", viewer.user.pk)
    detail = by_api.entry.detail
    assert (detail["door"], by_page.entry.detail["door"]) == ("api", "page")
    assert detail["model"]
    assert detail["latency_ms"] >= 0
    assert by_page.entry.actor == cfo.user.pk
    assert doors[1] not in str(by_api.retrieved), "what is hidden from the asker was not found"


def test_nothing_is_recorded_where_nothing_was_searched(doors: tuple[str, str], viewer: Person, service: Scope) -> None:
    viewer.client.get(f"{viewer.base}search/")
    viewer.client.get(f"{viewer.base}search/", {"q": "cap", "type": "nonsense"})
    viewer.api.get("/api/search/", {"q": ""})
    viewer.api.get("/api/suggest/", {"q": "Quay"})
    viewer.client.get(f"{viewer.base}search/suggest/", {"q": "Quay"})
    assert texts(service) == []


def test_the_label_of_a_question(doors: tuple[str, str], viewer: Person, cfo: Person, service: Scope) -> None:
    """Internal, all that its author may read, and what the rules find in it, above its author too."""
    for who, asked in ((viewer, "cap"), (cfo, "cap"), (viewer, JANE)):
        assert who.api.get("/api/search/", {"q": asked}).status_code == 200
    assert [atoms(service, row.data_classification) for row in texts(service)] == [
        (INTERNAL,),
        (INTERNAL, FINANCIAL),
        (INTERNAL, PII, FINANCIAL),
    ]


def test_an_administrator_reads_the_words_they_are_cleared_for(
    doors: tuple[str, str], viewer: Person, cfo: Person, alice: Person, workspace: Any, service: Scope
) -> None:
    clerk = person(workspace, "clerk", [INTERNAL], ("Admin",))
    nobody = person(workspace, "nobody", [], ("Admin",))
    cleared = person(workspace, "cleared", [INTERNAL, PII, FINANCIAL])
    for who, asked in ((viewer, "cap"), (cfo, "cap of the loan"), (viewer, JANE)):
        who.api.get("/api/search/", {"q": asked})
    read = {alice: 3, clerk: 1, nobody: 0, cleared: 0, viewer: 0}
    for who, expected in read.items():
        with who.scope.open():
            assert AuditText.objects.count() == expected, who.user
            assert AuditEntry.objects.filter(action="search").count() == (
                3 if who in (alice, clerk, nobody) else 2 if who is viewer else 0
            )


def test_a_question_that_could_not_be_labelled_is_hidden(
    doors: tuple[str, str], viewer: Person, workspace: Any, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*given: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(questions, "find_vote", broken)
    assert viewer.api.get("/api/search/", {"q": "cap"}).status_code == 200
    (row,) = texts(service)
    assert row.data_classification is None
    clerk = person(workspace, "clerk", [INTERNAL, PII, FINANCIAL], ("Admin",))
    steward = person(workspace, "deciding", [INTERNAL], ("Admin", "Steward"))
    bare = person(workspace, "bare", [], ("Admin", "Steward"))
    for who, expected in ((clerk, 0), (steward, 1), (bare, 0)):
        with who.scope.open():
            assert AuditText.objects.count() == expected


def test_the_row_of_a_search_is_two_statements(doors: tuple[str, str], viewer: Person) -> None:
    viewer.api.get("/api/search/", {"q": "cap"})
    with CaptureQueriesContext(connection) as caught:
        viewer.api.get("/api/search/", {"q": "cap"})
    made = [query["sql"] or "" for query in caught]  # None for what the server has prepared
    written = [sql for sql in made if "audit" in sql or sql.startswith(("INSERT", "UPDATE", "DELETE"))]
    assert [sql.split()[2] for sql in written] == ['"entities_auditentry"', '"entities_audittext"']


def test_who_cannot_be_recorded_is_shown_nothing(
    doors: tuple[str, str], viewer: Person, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*given: object, **more: object) -> None:
        raise RuntimeError("no audit")

    monkeypatch.setattr("retrieval.audit.record_question", broken)
    viewer.client.raise_request_exception = False
    page = viewer.client.get(f"{viewer.base}search/", {"q": "liability cap"})
    assert page.status_code == 500
    assert b"two million" not in page.content
