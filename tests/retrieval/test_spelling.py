"""A word that no visible text has is replaced by one that is a letter away, and whoever asked is told."""

from typing import Any

import pytest

from entities.models.classification import FINANCIAL
from entities.types import Contract
from retrieval.spelling import edit_once
from tests.conftest import Person
from tests.retrieval.conftest import Index


def ask(person: Person, question: str, **more: Any) -> tuple[list[str], str]:
    """Texts that are found, and the notices."""
    answer = person.api.get("/api/search/", {"q": question, **more}).json()
    return [result["text"] for result in answer["results"]], " ".join(answer["notices"])


@pytest.fixture
def words(index: Index, contract: Contract) -> None:
    index.row(contract, "The liability cap of the harbour works is two million euros.")
    index.row(contract, "The permit for the harbour works is late because of the seals.")
    index.row(contract, "The cantilever crane was inspected.", label=FINANCIAL)


def test_a_slip_finds_what_was_meant(subtests: pytest.Subtests, words: None, viewer: Person) -> None:
    for question in ["liabilty cap", "liabiltiy cap", "liabbility cap", "Liabelity cap?"]:
        with subtests.test(question=question):
            texts, notices = ask(viewer, question)
            assert texts[0].startswith("The liability cap")
            assert f"Showing results for “{'L' if question[0] == 'L' else 'l'}iability cap" in notices
            page = viewer.client.get(f"{viewer.base}search/", {"q": question}).content.decode()
            assert "Showing results for" in page


@pytest.mark.parametrize("question", ["liability cap", "the harbour wharf", "permit 68501"])
def test_what_is_written_right_or_near_nothing_stays(words: None, viewer: Person, question: str) -> None:
    assert "Showing results" not in ask(viewer, question)[1]


def test_a_word_that_only_hidden_text_has_corrects_nothing(words: None, viewer: Person, cfo: Person) -> None:
    assert "Showing results for “cantilever”" in ask(cfo, "cantilevr")[1]
    texts, notices = ask(viewer, "cantilevr")
    assert notices == ""
    assert not any("cantilever" in text for text in texts)


def test_a_word_of_hidden_text_is_a_slip_to_who_cannot_read_it(
    index: Index, contract: Contract, viewer: Person, cfo: Person
) -> None:
    index.row(contract, "The harbour is deep.")
    index.row(contract, "The harbours of Kestrel.", label=FINANCIAL)
    index.row(contract, "The kestral nests here.")
    assert "kestral" in ask(viewer, "kestrel")[1]
    assert ask(cfo, "kestrel")[1] == ""


def test_words_of_a_record_that_is_not_seen_correct_nothing_and_hide_no_slip(
    index: Index, contract: Contract, restricted: Contract, viewer: Person, alice: Person
) -> None:
    index.row(contract, "The kestral nests here.")
    index.row(restricted, "The cantilever of Kestrel.")
    assert "“cantilever”" in ask(alice, "cantilevr")[1]
    assert ask(alice, "kestrel")[1] == ""
    assert ask(viewer, "cantilevr")[1] == ""
    assert "“kestral”" in ask(viewer, "kestrel")[1]


def test_a_word_elsewhere_is_no_slip(words: None, index: Index, contract: Contract, viewer: Person) -> None:
    other = index.file(contract)
    index.row(contract, "The reliability of the crane.", file=other)
    assert "Showing" not in ask(viewer, "liability", file=other.pk)[1]


def test_one_edit_away() -> None:
    assert {"abcd", "bac", "ac", "axc"} <= {*edit_once("abc")}
    assert "abc" not in edit_once("abc")
    assert "cab" not in edit_once("abc")


def test_a_quotation_is_required_only_where_it_is_most_of_the_question(
    index: Index, contract: Contract, viewer: Person
) -> None:
    index.row(contract, "The seals delay the permit for the harbour works.")
    index.row(contract, "The project is called Blue Lantern.")
    asked = 'Why is the permit for the harbour works of "Blue Lantern" delayed?'
    assert "The seals delay the permit for the harbour works." in ask(viewer, asked)[0]
    assert ask(viewer, 'the "Blue Lantern"')[0] == ["The project is called Blue Lantern."]


def test_a_number_is_found_however_its_thousands_are_marked(
    subtests: pytest.Subtests, index: Index, contract: Contract, viewer: Person
) -> None:
    index.row(contract, "The crane costs £6,850 a month.", vector=False)
    index.row(contract, "The crane costs £6,580 a month, and 850 more.", vector=False)
    for question in ["6850", "6,850", "£6,850", "6’850"]:
        with subtests.test(question=question):
            (text,) = ask(viewer, question)[0]
            assert text == "The crane costs £6,850 a month."
            page = viewer.client.get(f"{viewer.base}search/", {"q": question}).content.decode()
            assert "<mark>6,850</mark>" in page


def test_a_word_that_has_every_letter_typed_is_meant_before_a_commoner_one(
    index: Index, contract: Contract, viewer: Person, cfo: Person
) -> None:
    for text in ("A note on cranes.", "Another note on seals."):
        index.row(contract, text)
    index.row(contract, "The notice of the crane.", label=FINANCIAL)
    assert "“notice”" in ask(cfo, "notce")[1]
    # Who may not read it is not led to it.
    assert "“note”" in ask(viewer, "notce")[1]
