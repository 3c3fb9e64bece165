"""Quoted phrases: required word for word, in the page, the API and the tools; the fallback is told."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from entities.models.classification import FINANCIAL
from entities.types import Contract
from retrieval.phrases import normalise_words
from retrieval.query import PreparedQuery
from tests.conftest import Person
from tests.retrieval.conftest import Index


def asked(person: Person, question: str, **more: Any) -> tuple[list[str], list[str]]:
    answer = person.api.get("/api/search/", {"q": question, **more}).json()
    return [r["text"] for r in answer["results"]], answer["notices"]


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ('"liability cap" for ships', ["liability cap"]),
        ("“liability  cap” and „letzter Tag“ and «force majeure»", ["liability cap", "letzter Tag", "force majeure"]),
        ('a 5" pipe and a 6" valve', []),
        ('it is "open', []),
        ('"" and "—"', []),
        ('"__" and «_»', []),
        ("nothing", []),
    ],
)
def test_what_is_quoted(text: str, quoted: list[str]) -> None:
    assert PreparedQuery(text, "", ()).quoted == quoted


def test_words_as_a_phrase_is_compared() -> None:
    assert normalise_words("  Résiliation\nde l’ACCORD – “cap”, £51,300!") == "resiliation de l accord cap 51 300"


def test_a_phrase_is_required_word_for_word(index: Index, contract: Contract, viewer: Person) -> None:
    holds = "The Liability\nCap is two million."
    others = ["The liability caps are two.", "A cap on liability.", "The liability captain.", "Reliability cap."]
    for text in (holds, *others):
        index.row(contract, text)
    assert asked(viewer, '"liability cap"') == ([holds], [])
    assert len(asked(viewer, "liability cap")[0]) > 1, "without quotation marks all of them are found"
    both = "The liability cap holds; force majeure ends it."
    index.row(contract, both, vector=False)
    assert asked(viewer, '"force majeure" "liability cap"') == ([both], [])
    index.row(contract, "Something else.", section="Annex 4: Liability cap")
    assert "Something else." in asked(viewer, '"liability cap"')[0]


def test_more_than_the_branches_hand_on(index: Index, contract: Contract, viewer: Person) -> None:
    """A passage that neither branch would have among its hundred best."""
    for n in range(130):
        index.row(contract, f"Notice of notice, notice: termination notice {n}, notice.", vector=False)
    wanted = "Long before, and after many other words of no importance at all here, the notice of termination was sent."
    index.row(contract, wanted, vector=False)
    assert asked(viewer, '"notice of termination"') == ([wanted], [])


def test_a_long_quotation_is_found_by_a_few_of_its_words(index: Index, contract: Contract, viewer: Person) -> None:
    """Each word that rows are found by is a join: a page in quotation marks kept the planner busy for a minute."""
    said = " ".join(f"word{n} of" for n in range(100))
    index.row(contract, f"{said} the end.", vector=False)
    index.row(contract, f"{said} something else.", vector=False)
    with CaptureQueriesContext(connection) as captured:
        assert asked(viewer, f'"{said} the end"') == ([f"{said} the end."], [])
    # A statement that comes again and again is prepared, and no longer written out.
    assert 0 < max((query["sql"] or "").count("ingestion_posting o WHERE") for query in captured) < 8
    assert asked(viewer, f'"{said} no end"')[1], "every word of it is compared"


def test_where_nothing_holds_it_the_nearest_are_shown_and_that_is_said(
    index: Index, contract: Contract, restricted: Contract, viewer: Person, alice: Person
) -> None:
    near = "The cap on liability is two million."
    index.row(contract, near)
    shown, notices = asked(viewer, '"liability cap"')
    assert (shown, notices) == ([near], ["No passage that you may see holds “liability cap”. These are the nearest."])
    page = viewer.client.get(f"{viewer.base}search/", {"q": '"liability cap"'}).content.decode()
    assert "No passage that you may see holds “liability cap”" in page
    # Text that the reader may not see changes nothing about that.
    index.row(restricted, "The liability cap is a secret.")
    index.row(contract, "The liability cap is 7.", label=FINANCIAL)
    assert asked(viewer, '"liability cap"') == (shown, notices)
    assert len(asked(alice, '"liability cap"')[0]) == 2


def test_filters_apply_to_phrases(index: Index, contract: Contract, alice: Person, viewer: Person) -> None:
    index.row(contract, "The liability cap.")
    # What other records hold is not denied, and nothing is called near where nothing is shown.
    assert asked(viewer, '"liability cap"', type="project") == (
        [],
        ["No passage of those searched holds “liability cap”."],
    )
    assert asked(viewer, '"liability cap"', type="contract") == (["The liability cap."], [])


def test_no_more_is_said_than_was_read(
    index: Index, contract: Contract, restricted: Contract, viewer: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where more passages have the words than are read, and where no word of a phrase can be looked for."""
    monkeypatch.setattr("retrieval.phrases.MOST", 3)
    oldest = "The liability cap is 1."
    index.row(contract, oldest)
    for n in range(3):
        index.row(contract, f"A cap on liability, {n}.")
    shown, notices = asked(viewer, '"liability cap"')
    assert oldest in shown, "near it is all the same"
    assert notices == [
        "None of the latest 3 passages with these words holds “liability cap”. Older ones were not read."
        " These are the nearest."
    ]
    newest = "The liability cap is 2."
    index.row(contract, newest)
    assert asked(viewer, '"liability cap"') == (
        [newest],
        ["Only the latest 3 passages with these words were read for “liability cap”. Others may hold it too."],
    )
    # Three, of which none is left unread, and others that the reader may not see.
    for n in range(3):
        index.row(contract, f"A notice of termination, {n}.")
        index.row(restricted, f"The termination notice {n}.")
    assert asked(viewer, '"termination notice"')[1] == [
        "No passage that you may see holds “termination notice”. These are the nearest."
    ]
    index.row(contract, "To be or not to be, that is the question.")
    shown, notices = asked(viewer, 'a question: "to be or not to be"')
    assert shown[0] == "To be or not to be, that is the question."
    assert notices == [
        "The words of “to be or not to be” are too common to be looked for as a phrase. These are the nearest."
    ]


def test_phrases_in_other_languages(
    subtests: pytest.Subtests, index: Index, contract: Contract, viewer: Person
) -> None:
    for question, lang, text in [
        ('"Kündigung der Verträge"', "de", "Die KÜNDIGUNG der Verträge ist schriftlich zu erklären."),
        ('"résiliation de l\'accord"', "fr", "La Résiliation de l’accord prend effet lundi."),
        ('"terminación del año"', "es", "La terminación del AÑO fiscal."),
        ('"son accord"', "fr", "Il donne son accord."),
        ("« force majeure »", "fr", "Un cas de force\nmajeure est survenu."),
    ]:
        with subtests.test(question=question):
            index.row(contract, text, lang=lang, vector=False)
            index.row(contract, "Something else, of no use.", vector=False)
            assert asked(viewer, question) == ([text], [])


def test_one_reader_four_languages(subtests: pytest.Subtests, index: Index, contract: Contract, viewer: Person) -> None:
    """Stemming follows the language of each row, whatever the question is in."""
    for lang, text in (
        ("de", "Die Kündigung ist schriftlich zu erklären."),
        ("fr", "Une obligation résiliée n'est plus due."),
        ("es", "Las obligaciones del arrendatario son estas."),
        ("en", "The liability is limited."),
        ("en", "Ships berth on Mondays."),
    ):
        index.row(contract, text, lang=lang, vector=False)
    for question, found in [
        ("Kündigungen", "Die Kündigung ist schriftlich zu erklären."),
        ("obligations résiliées", "Une obligation résiliée n'est plus due."),
        ("obligación", "Las obligaciones del arrendatario son estas."),
        ("liabilities", "The liability is limited."),
        ("KÜNDIGUNG", "Die Kündigung ist schriftlich zu erklären."),
    ]:
        with subtests.test(question=question):
            assert asked(viewer, question)[0][0] == found
