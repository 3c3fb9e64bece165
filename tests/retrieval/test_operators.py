"""Operators in the search field: what is left out, which kind, which level, since when; and what finds nothing."""

import re
from datetime import date
from typing import Any

import pytest

from entities.access import Scope, list_atoms
from entities.actions import create_entity
from entities.levels import choose_kinds
from entities.models import AuditText, Classification
from entities.models.classification import FINANCIAL, INTERNAL, PII, SECRET
from entities.types import Contract, Project
from retrieval.operators import split_operators
from tests.conftest import Person, person
from tests.retrieval.conftest import Index


@pytest.mark.parametrize(
    ("written", "text", "found"),
    [
        ("liability -cap type:contract", "liability", {"without": ("cap",), "types": ("contract",)}),
        ('label:"Export Controlled" rope', "rope", {"labels": ("export controlled",)}),
        ("rope before:2026-03 after:2025", "rope", {"before": date(2026, 3, 1), "after": date(2025, 12, 31)}),
        ("after:2024-02 rope", "rope", {"after": date(2024, 2, 29)}),
        ('"-cap type:risk" rope', '"-cap type:risk" rope', {}),
        ("HV-S-0112 a-b -5 - x", "HV-S-0112 a-b -5 - x", {}),
        ("what came before: this", "what came before: this", {}),
        ("  two  blanks ", "two  blanks", {}),
    ],
)
def test_operators_are_told_from_the_question(written: str, text: str, found: dict[str, Any]) -> None:
    operators = split_operators(written)
    assert operators.text == text
    for name in ("without", "types", "labels", "before", "after"):
        assert getattr(operators, name) == found.get(name, () if name not in ("before", "after") else None), name


pages = pytest.mark.django_db


def titles(who: Person, question: str) -> list[str]:
    return sorted(hit["text"] for hit in who.api.get("/api/search/", {"q": question}).json()["results"])


@pytest.fixture
def rows(index: Index, contract: Contract, alice: Person) -> Contract:
    with alice.scope.open():
        project = create_entity(scope=alice.scope, model=Project, fields={"name": "Pier"})
    index.row(contract, "The rope bears two tonnes.")
    index.row(contract, "The ropes are drafted for renewal.")
    index.row(project, "A rope hangs from the pier.")
    index.row(contract, "The rope costs forty pounds.", label=FINANCIAL)
    return contract


@pages
def test_operators_narrow_what_is_found(rows: Contract, alice: Person, viewer: Person, cfo: Person) -> None:
    three = ["A rope hangs from the pier.", "The rope bears two tonnes.", "The ropes are drafted for renewal."]
    costs = "The rope costs forty pounds."
    assert titles(viewer, "rope") == three
    assert titles(viewer, "rope -draft") == three[:2]  # in every form of the word
    assert titles(viewer, "rope -draft -hang") == [three[1]]
    assert titles(viewer, "rope type:project") == titles(viewer, "rope type:Projects") == [three[0]]
    assert titles(cfo, "rope label:Financial") == [costs]
    assert costs not in titles(cfo, "rope label:public")
    assert len(titles(viewer, "rope after:2001")) == 3
    assert titles(viewer, "rope before:2001") == []
    # A key means its kind, whatever the workspace calls another.
    with alice.scope.open():
        choose_kinds(alice.scope, [], {"task": ("Project", "Jobs")})
    assert titles(viewer, "rope type:project") == [three[0]]
    assert titles(viewer, "rope type:jobs") == []


@pages
@pytest.mark.parametrize("word", ["deadline", "date", "dated", "when", "frist"])
def test_a_word_that_asks_when_leaves_out_that_word_and_no_day(
    index: Index, contract: Contract, viewer: Person, word: str
) -> None:
    index.row(contract, "The rope was renewed on 2 May 2026.")
    index.row(contract, f"The rope has a {word}.")
    day, said = "The rope was renewed on 2 May 2026.", f"The rope has a {word}."
    # A word that says nothing in its language is in no index.
    assert titles(viewer, f"rope -{word}") == ([said, day] if word == "when" else [day])


@pages
def test_a_filter_and_an_operator_both_count(rows: Contract, viewer: Person) -> None:
    def ask(question: str, **filters: str) -> list[str]:
        answer = viewer.api.get("/api/search/", {"q": question, **filters})
        assert answer.status_code == 200, answer.json()
        return sorted(hit["text"] for hit in answer.json()["results"])

    def fields(question: str, **filters: str) -> set[str]:
        return set(viewer.api.get("/api/search/", {"q": question, **filters}).json()["error"]["fields"])

    pier = ["A rope hangs from the pier."]
    assert ask("rope type:project", type="contract,project") == ask("rope type:project", type="project") == pier
    assert fields("rope type:contract", type="project") == fields("rope type:dragon", type="project") == {"type"}
    assert ask("rope type:project", since="2001-01-01") == ask("rope type:project after:2001") == pier
    assert ask("rope after:2001", since="2999-01-01") == ask("rope after:2998", since="2001-01-01") == []
    assert ask("rope before:2001", until="2999-01-01") == ask("rope before:2999", until="2001-01-01") == []
    assert ask("rope before:2999 type:project", until="2998-01-01") == pier


@pages
def test_facets_widen_no_operator_and_its_type_is_no_ticked_box(rows: Contract, viewer: Person) -> None:
    def counts(**query: str) -> list[tuple[str, str, str]]:
        page = viewer.client.get(f"{viewer.base}search/", query).content.decode()
        return re.findall(r'name="type" value="(\w+)"( checked)?.*?cl-count">(\d+)<', page)

    assert counts(q="rope", type="project") == [("contract", "", "2"), ("project", " checked", "1")]
    assert counts(q="rope type:project") == [("project", "", "1")]
    assert counts(q="rope type:project", type="project") == [("project", " checked", "1")]
    page = viewer.client.get(f"{viewer.base}search/", {"q": "rope after:2001"}).content.decode()
    assert 'value="2002-01-01"' not in page


@pages
def test_search_without_filters_is_without_operators(rows: Contract, viewer: Person) -> None:
    for query in ({"q": "rope before:2001"}, {"q": "rope type:dragon"}, {"q": "rope", "until": "2001-01-01"}):
        page = viewer.client.get(f"{viewer.base}search/", query).content.decode()
        assert re.search(r'href="/w/acme/search/\?q=rope">Search without filters', page), query


@pages
def test_a_level_that_is_not_theirs_finds_what_one_that_does_not_exist_finds(
    rows: Contract, viewer: Person, service: Scope
) -> None:
    with service.open():
        Classification.objects.filter(value=SECRET).update(conceal=True)
    nothing = viewer.api.get("/api/search/", {"q": "rope label:nowhere"}).json()
    for level in ("financial", "secret"):
        assert viewer.api.get("/api/search/", {"q": f"rope label:{level}"}).json() == nothing
    assert nothing["results"] == []


@pages
def test_what_cannot_be_read_is_said_on_the_page_and_the_question_stays(rows: Contract, viewer: Person) -> None:
    for question, sentence in (
        ("rope before:soon", "is not a day"),
        ("rope type:dragon", "There is no type"),
        ("type:contract", "Add what to look for"),
    ):
        page = viewer.client.get(f"{viewer.base}search/", {"q": question}).content.decode()
        assert sentence in page, question
        assert f'value="{question}"' in page


@pages
def test_the_audit_has_the_question_as_it_was_written(rows: Contract, viewer: Person, service: Scope) -> None:
    viewer.client.get(f"{viewer.base}search/", {"q": "rope -draft"})
    viewer.api.get("/api/search/", {"q": "rope -draft"})
    with service.open():
        for text in AuditText.objects.all():
            assert (text.text, text.within) == ("rope -draft", {"without": ["draft"]})
        assert AuditText.objects.count() == 2


@pages
@pytest.mark.parametrize("door", ["page", "api"])
def test_words_of_operators_are_labelled_in_the_audit(
    rows: Contract, viewer: Person, workspace: Any, service: Scope, door: str
) -> None:
    for question in ('rope label:"Jane Doe DE89 3704 0044 0532 0130 00"', "rope label:public"):
        if door == "api":
            assert viewer.api.get("/api/search/", {"q": question}).status_code == 200
        else:
            assert viewer.client.get(f"{viewer.base}search/", {"q": question}).status_code == 200
    with service.open():
        labels = [list_atoms(row.data_classification) for row in AuditText.objects.order_by("pk")]
    assert [PII in atoms for atoms in labels] == [True, False]
    for clearance, texts in (([INTERNAL], 1), ([INTERNAL, PII, FINANCIAL], 2)):
        reader = person(workspace, f"reader{texts}", clearance, ("Admin",))
        with reader.scope.open():
            assert AuditText.objects.count() == texts, clearance


@pages
def test_control_characters_break_no_door(
    subtests: pytest.Subtests, rows: Contract, viewer: Person, service: Scope
) -> None:
    for question in ["rope label:a\0", "rope\0 -draft", "rope type:a\0b", "rope -dr\0", "rope\x07"]:
        with subtests.test(question=question):
            assert viewer.client.get(f"{viewer.base}search/", {"q": question}).status_code in (200, 422)
            answer = viewer.api.get("/api/search/", {"q": question})
            assert answer.status_code == (400 if "\0" in question else 200)
            with service.open():
                assert all(text.text.isprintable() and text.text.isascii() for text in AuditText.objects.all())


@pages
def test_a_question_with_operators_is_cut_where_it_is_too_long(rows: Contract, viewer: Person, service: Scope) -> None:
    cut = "Only the first 2,000 characters of the question were read."
    for question, notices in (("rope -draft " * 170, [cut]), ("rope -draft " * 160, [])):
        assert viewer.api.get("/api/search/", {"q": question}).json()["notices"] == notices
        page = viewer.client.get(f"{viewer.base}search/", {"q": question}).content.decode()
        assert (cut in page) is bool(notices)
    with service.open():
        assert max(len(text.text) for text in AuditText.objects.all()) <= 2_000


@pages
def test_there_is_one_field_and_it_says_how_to_search_exactly(rows: Contract, viewer: Person) -> None:
    page = viewer.client.get(f"{viewer.base}search/", {"q": "rope"}).content.decode()
    assert page.count('role="search"') == 1
    assert "type:contract" in page
    assert viewer.client.get(viewer.base).content.decode().count('role="search"') == 1


@pytest.fixture
def english(settings: Any) -> None:
    """The encoder whose cosines tell nonsense from words; the other one is near to any word."""
    settings.CLEARANCE_EMBEDDER = {"kind": "minilm"}


@pages
def test_made_up_words_find_nothing_by_either_encoder(index: Index, contract: Contract, viewer: Person) -> None:
    index.row(contract, "Sefa Lindqvist, Skerrow Harbour Conservancy")
    pages = [
        viewer.client.get(f"{viewer.base}search/", {"q": q}).content.decode() for q in ("xqzvk brrtlm wqpzt", "harbour")
    ]
    assert ["Nothing found" in page for page in pages] == [True, False]


@pages
def test_nonsense_finds_nothing_and_what_it_may_have_meant_is_offered(
    index: Index, contract: Contract, viewer: Person, staff: Person, english: None
) -> None:
    index.row(contract, "Sefa Lindqvist, Skerrow Harbour Conservancy")
    index.row(contract, "Granary", label=INTERNAL, vector=False)
    pages = [who.client.get(f"{who.base}search/", {"q": "grana"}).content.decode() for who in (staff, viewer)]
    assert ["Nothing found" in page for page in pages] == [True, True]
    assert ["Did you mean" in page and "granary" in page for page in pages] == [True, False]


@pages
def test_nonsense_within_filters_counts_nothing_and_offers_the_same(
    index: Index, contract: Contract, viewer: Person, staff: Person, english: None
) -> None:
    index.row(contract, "Sefa Lindqvist, Skerrow Harbour Conservancy")
    index.row(contract, "Granary", label=INTERNAL, vector=False)

    def page(who: Person, **query: str) -> str:
        return str(who.client.get(f"{who.base}search/", {"type": "contract", **query}).content.decode())

    pages = [page(who, q="grana") for who in (staff, viewer)]
    for each in pages:
        assert "Nothing found here" in each
        assert set(re.findall(r'cl-count">(\d+)<', each)) == {"0"}
        assert "weak matches" in each
    assert ["Did you mean" in each and "granary" in each for each in pages] == [True, False]
    faint = page(viewer, q="grana", faint="1")
    assert "Sefa Lindqvist" in faint
    assert set(re.findall(r'cl-count">(\d+)<', faint)) == {"1"}
    assert "weak matches" not in page(viewer, q="grana before:2001"), "nothing is even faintly similar there"


@pages
def test_asking_when_meets_no_word(index: Index, contract: Contract, viewer: Person) -> None:
    index.row(contract, "The rope was renewed on 2 May 2026.", vector=False)
    for question, found in (("when is xqzzt", False), ("when was the rope renewed", True)):
        page = viewer.client.get(f"{viewer.base}search/", {"q": question}).content.decode()
        assert ("2 May 2026" in page, "Nothing found" in page) == (found, not found), question
