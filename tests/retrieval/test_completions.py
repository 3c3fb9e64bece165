"""Completing the word that is being typed: from text that the reader sees, and from no other."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from entities.access import Scope
from entities.actions import archive_entity
from entities.models import Source
from entities.models.classification import FINANCIAL, PII
from entities.types import Contract
from ingestion.models import ContextRow
from retrieval.completions import list_completions
from tests.conftest import Person
from tests.retrieval.conftest import Index


def suggested(person: Person, typed: str) -> list[str]:
    found = person.api.get("/api/suggest/", {"q": typed}).json()["results"]
    return [s["name"] for s in found if s["type"] == "search"]


def test_the_last_word_is_completed_the_most_used_first(index: Index, contract: Contract, viewer: Person) -> None:
    index.row(contract, "The liability is limited. Liability ends.")
    index.row(contract, "All liabilities of the tenant.")
    index.row(contract, "The liability of the port, and the lighthouse.")
    assert suggested(viewer, "liab") == ["liability", "liabilities"]
    assert suggested(viewer, "who bears LIAB") == ["who bears liability", "who bears liabilities"]
    assert suggested(viewer, '"the liab') == ['"the liability', '"the liabilities']
    assert suggested(viewer, "liability") == []
    assert suggested(viewer, "li") == [], "too little to go by"
    assert suggested(viewer, "liab ") == []
    answer = viewer.api.get("/api/suggest/", {"q": "lighth"}).json()["results"]
    assert answer[-1]["id"] is None
    assert answer[-1]["kind"] == "Search"
    assert viewer.client.get(answer[-1]["url"]).status_code == 200
    page = viewer.client.get(f"{viewer.base}search/suggest/", {"q": "lighth"}).content.decode()
    assert "lighthouse" in page


def test_a_word_of_hidden_text_is_completed_for_nobody_who_may_not_see_it(
    index: Index, contract: Contract, restricted: Contract, viewer: Person, cfo: Person, alice: Person, outsider: Person
) -> None:
    visible = index.row(contract, "The quarry is old.")
    index.row(restricted, "Quarantine of the quarterdeck.")
    index.row(contract, "Quarterly figures.", label=FINANCIAL)
    index.row(contract, "Quartered together.", label=(FINANCIAL, PII))
    index.row(contract, "Quartz of somebody.", audience=alice.user.pk)
    index.row(contract, "Quarrel, told elsewhere.", sources=(restricted,))
    assert suggested(viewer, "quar") == ["quarry"]
    assert suggested(cfo, "quar") == ["quarry", "quarterly"]
    assert suggested(outsider, "quar") == []
    with alice.scope.open():
        assert sorted(list_completions(alice.scope, "quar", limit=20)) == [
            "quarantine", "quarrel", "quarry", "quarterdeck", "quartered", "quarterly", "quartz",
        ]  # fmt: skip
    # The twin: what is hidden changes neither words nor their order.
    with index.service.open():
        ContextRow.objects.exclude(pk=visible)._raw_delete("default")
    assert suggested(viewer, "quar") == ["quarry"]


def test_a_form_that_only_hidden_text_has_is_not_suggested(
    index: Index, contract: Contract, restricted: Contract, viewer: Person
) -> None:
    """The stem is in visible text too, so an index of stems would give it away."""
    index.row(contract, "The merger is done.")
    index.row(restricted, "Mergers are planned.")
    assert suggested(viewer, "merg") == ["merger"]


def entries(service: Scope, word: str) -> list[tuple[Any, ...]]:
    with service.open(), connection.cursor() as cursor:
        cursor.execute(
            'SELECT data_classification, file <> 0, drawn FROM ingestion_word WHERE word = %s ORDER BY "row"', [word]
        )
        return cursor.fetchall()


def test_words_follow_the_rows(index: Index, contract: Contract, viewer: Person, service: Scope) -> None:
    """Of a file each word has one entry a label; it is there as long as a passage holds it."""
    file = index.file(contract)
    first = index.row(contract, "The bulkhead leaks.", file=file)
    second = index.row(contract, "A bulkhead of steel.", file=file, position=1)
    assert entries(service, "bulkhead") == [(0, True, False)]
    with service.open():
        ContextRow.objects.filter(pk=first)._raw_delete("default")
    assert suggested(viewer, "bulk") == ["bulkhead"]
    assert suggested(viewer, "leak") == []
    with service.open(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        for table in ("ingestion_contextrow", "ingestion_paragraph", "ingestion_rowparagraph"):
            cursor.execute(f"UPDATE {table} SET data_classification = %s", [FINANCIAL])
    assert entries(service, "bulkhead") == [(FINANCIAL, True, False)]
    assert suggested(viewer, "bulk") == []
    with service.open():
        ContextRow.objects.filter(pk=second)._raw_delete("default")
    assert entries(service, "bulkhead") == []


def test_sources_that_come_and_go_are_followed(
    index: Index, contract: Contract, restricted: Contract, viewer: Person, service: Scope
) -> None:
    row = index.row(contract, "The bulkhead leaks.", file=index.file(contract))
    assert suggested(viewer, "bulk") == ["bulkhead"]
    with service.open():
        Source.objects.create(workspace_id=service.workspace, derived=row, entity_id=restricted.pk)
    assert entries(service, "bulkhead") == [(0, True, True)]
    assert suggested(viewer, "bulk") == []
    with service.open():
        Source.objects.filter(derived=row)._raw_delete("default")
    assert suggested(viewer, "bulk") == ["bulkhead"]


def test_words_in_other_languages(subtests: pytest.Subtests, index: Index, contract: Contract, viewer: Person) -> None:
    for lang, text, typed, word in [
        ("de", "Die KÜNDIGUNG der Verträge.", "künd", "kündigung"),
        ("fr", "L’école est fermée.", "éco", "école"),
        ("es", "La obligación del año.", "oblig", "obligación"),
        ("en", "Nothing that is there.", "tha", None),
        ("de", "Nichts, sondern alles.", "sond", None),
        ("en", "Key 12345abcd6789 opens.", "abc", None),
        ("xx", "Wörter ohne Sprache.", "wör", "wörter"),
    ]:
        with subtests.test(lang=lang, text=text):
            index.row(contract, text, lang=lang)
            assert suggested(viewer, typed) == ([word] if word else [])


def test_anything_may_be_typed(subtests: pytest.Subtests, index: Index, contract: Contract, viewer: Person) -> None:
    index.row(contract, "The liability.")
    for typed in ["", " ", "%%%", "___", "'; DROP", "a" * 5000, "\x00lia", "(((((", "lia%"]:
        with subtests.test(typed=typed):
            assert viewer.api.get("/api/suggest/", {"q": typed}).status_code == 200


def test_names_leave_room_for_two_searches(
    index: Index, contract: Contract, alice: Person, viewer: Person, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    from entities.actions import create_entity

    with alice.scope.open():
        for n in range(9):
            create_entity(scope=alice.scope, model=Contract, fields={"name": f"Harbour {n}"})
    for word in ("harbours", "harbourmaster", "harboured"):
        index.row(contract, word)
    found = viewer.api.get("/api/suggest/", {"q": "harbour"}).json()["results"]
    assert len(found) == 8
    assert [s["type"] for s in found] == ["contract"] * 6 + ["search"] * 2
    with alice.scope.open():
        archive_entity(scope=alice.scope, entity=contract)
    assert suggested(viewer, "harbourm") == ["harbourmaster"], "archived records stay searchable"
