"""Words of other languages are no slips, and neither is a word that stands in any text that the reader sees."""

import pytest

from entities.models.classification import FINANCIAL
from entities.types import Contract
from retrieval.spelling import find_foreign_languages
from retrieval.terms import Terms
from tests.conftest import Person
from tests.retrieval.conftest import Index
from tests.retrieval.test_spelling import ask


def is_corrected(person: Person, question: str, to: str = "") -> bool:
    notices = ask(person, question)[1]
    return f"{to}" in notices if to else "Showing results" in notices


@pytest.fixture
def english(index: Index, contract: Contract) -> None:
    index.row(contract, "The crew works forty hours a week, and the hours are paid at the end of the month.")
    index.row(contract, "The vertex of the dome was repaired in the year of the storm. The contract names a rate.")


@pytest.mark.parametrize(
    "question", ["jours", "combien de jours de congé", "Les jours du contrast", "quantos anos", "der Vertrex am Dom"]
)
def test_a_question_in_another_language_than_the_text_stays(english: None, viewer: Person, question: str) -> None:
    assert not is_corrected(viewer, question)


@pytest.mark.parametrize("question", ["huors", "how many huors", "How many hoours does the crew work"])
def test_a_slip_in_the_language_of_the_text_does_not(english: None, viewer: Person, question: str) -> None:
    assert is_corrected(viewer, question, "hours")


def test_a_slip_is_corrected_in_its_own_language(
    index: Index, contract: Contract, english: None, viewer: Person
) -> None:
    index.row(contract, "Die Rechnung wird nach der Abnahme der Arbeiten gestellt.", lang="de")
    index.row(contract, "The rechnunga is a tree.")
    for question in ("Rechnugn", "Wann wird die Rechnugn gestellt"):
        assert is_corrected(viewer, question, "Rechnung")
    assert not is_corrected(viewer, "What is the rechnug of the dome")
    assert not is_corrected(viewer, "Was ist der Huors")


def test_a_word_of_any_text_that_is_seen_stays_and_one_of_hidden_text_is_absent(
    index: Index, contract: Contract, english: None, viewer: Person, cfo: Person
) -> None:
    index.row(contract, "Die Honrs aus dem Norden sind teuer.", lang="de", label=FINANCIAL)
    assert not is_corrected(cfo, "honrs")
    assert is_corrected(viewer, "honrs", "hours")
    index.row(contract, "Die Honrs aus dem Norden sind teuer.", lang="de")
    assert not is_corrected(viewer, "honrs")


@pytest.mark.parametrize(
    "text",
    [
        "Write to kestrel@example.org about it.",
        "See www.kestrel.org for all of it.",
        "It is in Kestrel-Plan.docx, page two.",
        "It is in kestrel_plan.pdf, page two.",
        "A half-kestrel nest.",
        "KESTREL: the name of a barn.",
    ],
)
def test_a_word_within_an_address_stands_there(
    index: Index, contract: Contract, viewer: Person, cfo: Person, text: str
) -> None:
    index.row(contract, "The kestral nests here.")
    index.row(contract, text, label=FINANCIAL)
    assert not is_corrected(cfo, "kestrel")
    assert is_corrected(viewer, "kestrel", "kestral")


def test_a_heading_counts_and_a_code_is_no_word(index: Index, contract: Contract, viewer: Person) -> None:
    index.row(contract, "The kestral nests here.")
    assert not is_corrected(viewer, "kestrel7")
    assert is_corrected(viewer, "kestrel", "kestral")
    index.row(contract, "Forty of them.", section="Kestrel")
    assert not is_corrected(viewer, "kestrel")


def test_a_word_within_an_address_of_a_record_that_is_not_seen_is_absent(
    index: Index, contract: Contract, restricted: Contract, viewer: Person, alice: Person
) -> None:
    index.row(contract, "The kestral nests here.")
    index.row(restricted, "Write to kestrel@example.org about it.")
    assert not is_corrected(alice, "kestrel")
    assert is_corrected(viewer, "kestrel", "kestral")


def test_function_words_of_other_languages_stay(index: Index, contract: Contract, viewer: Person) -> None:
    """The index has none of them, wherever they stand."""
    index.row(contract, "The avon flows, and the diesel is an engine.")
    index.row(contract, "In diesem Haus wohnt niemand.", lang="de")
    for question in ("avons", "diesem", "where is the diesem engine"):
        assert not is_corrected(viewer, question)
    assert is_corrected(viewer, "where is the diesek engine", "diesel")


def test_languages_that_a_question_is_not_in() -> None:
    french = Terms({}, silent={"fr": frozenset({"de", "les"}), "es": frozenset({"de"})})
    assert "fr" not in find_foreign_languages("les jours de", french)
    assert {"en", "es"} <= find_foreign_languages("les jours de", french)
    assert find_foreign_languages("4711", Terms({})) == set()


def test_the_stem_of_a_word_in_another_language_weighs_as_the_word(
    index: Index, contract: Contract, viewer: Person
) -> None:
    """ "Leases" is "leas" in English rows and "leases" in the one German row, which must not be rarer for it."""
    for n in range(12):
        index.row(contract, f"Leases of the quay, part {n}.")
    index.row(contract, "The leases of both yards end in May.")
    index.row(contract, "Leases gibt es hier keine.", lang="de")
    found = viewer.api.get("/api/search/", {"q": "when do the leases of both yards end"}).json()["results"]
    assert found[0]["text"] == "The leases of both yards end in May."
    assert max(result["scores"]["lexical"] or 0 for result in found) <= 2
    assert found[0]["scores"]["lexical"] > 2 * max(result["scores"]["lexical"] or 0 for result in found[1:])
