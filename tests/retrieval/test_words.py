"""Exact words and phrases: where they are found, how high, and that the card shows them."""

from typing import Any

import pytest

from entities.access import Scope
from entities.models.classification import FINANCIAL
from entities.types import Contract
from ingestion.models import Kind
from retrieval.matches import Matcher
from retrieval.search import search
from retrieval.snippets import cut_snippet, mark_matches
from tests.conftest import Person
from tests.retrieval.conftest import Index

FILLER = "The crane on the quay lifts steel for the roof, and the crane driver rests at noon. "


def results(person: Person, question: str) -> list[dict[str, Any]]:
    return person.api.get("/api/search/", {"q": question}).json()["results"]


def test_a_phrase_comes_before_what_is_only_near_in_meaning(index: Index, contract: Contract, viewer: Person) -> None:
    """Not among the nearest in meaning, as in a large workspace: words alone must be enough for the first page."""
    for i in range(40):
        index.row(contract, f"Rust resistant metal fittings and crimped rope ends, type {i}.")
    wanted = index.row(contract, f"{FILLER * 3}All were changed to stainless ferrules.", vector=False)
    assert results(viewer, "stainless ferrules")[0]["id"] == str(wanted)
    assert results(viewer, "ferrules")[0]["id"] == str(wanted)


def test_words_as_they_were_asked_come_before_the_same_words_apart(
    index: Index, contract: Contract, viewer: Person
) -> None:
    for i in range(12):
        index.row(contract, f"Notice is given of the termination. Termination needs notice. Notice {i}.")
    phrase = index.row(contract, f"{FILLER}Any notice\nof termination is sent by post. {FILLER}")
    for question in ("notice of termination", "“notice of termination”", '"Notice of Termination"'):
        assert str(phrase) in [r["id"] for r in results(viewer, question)[:3]]


def test_many_like_it_do_not_push_out_the_best(index: Index, contract: Contract, viewer: Person) -> None:
    """A summary is very like the short document that it is of; variety must not cost the passage its place."""
    file = index.file(contract, "short.pdf")
    text = "All terminations were changed to stainless ferrules after the inspection."
    summary = index.row(contract, text, file=file, kind=Kind.FILE_SUMMARY)
    passage = index.row(contract, f"Rope note\n\n{text}", file=file, page=1, position=1)
    for i, subject in enumerate(
        ["Paint", "Steel", "Rain", "Cranes", "Boats", "Nets", "Tea", "Sand", "Salt", "Ice"] * 6
    ):
        index.row(contract, f"{subject} was inspected in week {i}, and the fittings were changed.")
    found = [r["id"] for r in results(viewer, "stainless ferrules")]
    assert found[0] == str(passage)
    assert str(summary) not in found[:1]


def test_the_words_that_a_question_has_hidden_rows_for_change_nothing(
    index: Index, contract: Contract, restricted: Contract, viewer: Person
) -> None:
    index.row(contract, "Ferrules, and stainless ones at that.")
    index.row(contract, "Steel ferrules.")
    before = results(viewer, "stainless ferrules")
    index.row(restricted, "Only stainless ferrules.")
    index.row(contract, "More stainless ferrules.", label=FINANCIAL, file=index.file(contract, "x.pdf"))
    assert results(viewer, "stainless ferrules") == before


def test_the_card_marks_the_words_that_matched(
    subtests: pytest.Subtests, index: Index, contract: Contract, viewer: Person, service: Scope
) -> None:
    for question, text, shown in [
        ("parties", "Either party may leave.", "<mark>party</mark>"),
        ("party", "Both parties agree.", "<mark>parties</mark>"),
        ("Kündigungsfrist", "Die Kündigungsfristen betragen drei Monate.", "<mark>Kündigungsfristen</mark>"),
        ("Résumé", "A RÉSUMÉ was sent.", "<mark>RÉSUMÉ</mark>"),
        ('"liability cap"', "The liability cap.", "<mark>liability</mark> <mark>cap</mark>"),
        ("HV-S-0112", "Under HV-S-0112 steel comes.", "<mark>HV-S-0112</mark>"),
        ("cap", "The “cap” is old.", "“<mark>cap</mark>”"),
        ("client", "It is the client’s–or nobody’s.", "<mark>client</mark>’s"),
        ("51,300", "It is £51,300 a year.", "£<mark>51,300</mark>"),
    ]:
        with subtests.test(question=question):
            lang = "de" if text.startswith("Die ") else "en"
            index.row(contract, f"{FILLER * 6}{text} {FILLER * 6}", lang=lang, vector=False)
            page = viewer.client.get("/w/acme/search/", {"q": question}).content.decode()
            assert shown in page
            if question == '"liability cap"':
                assert "Matched “liability cap”" in page


def test_a_stem_of_two_letters_marks_no_other_word() -> None:
    assert Matcher([("fee", ["fee", "fe"])]).places("Fees in February.") == [(0, 4, 0)]


def test_a_snippet_is_where_the_words_stand_together() -> None:
    matcher = Matcher([("liability", ["liabil"]), ("cap", ["cap"])])
    text = f"Liability is discussed. {FILLER * 8} The cap is old. {FILLER * 8} The liability cap is two million."
    assert "liability cap is two million" in cut_snippet(text, matcher)
    assert mark_matches("<b>cap</b>", matcher) == "&lt;b&gt;<mark>cap</mark>&lt;/b&gt;"
    assert matcher.find_best_sentence(text) is not None


def test_a_snippet_ends_with_a_sentence_where_one_ends_soon() -> None:
    matcher = Matcher([("liability", ["liabil"])])
    begin = f"Of the liability: {'quiet words ' * 20}and at last it is limited to"
    clause = f"{begin} 125 per cent of the sum of this agreement, value added tax left out."
    assert cut_snippet(f"{clause} {FILLER * 8}", matcher) == f"{clause} …"
    assert cut_snippet(f"{begin} {'many ' * 60}. {FILLER}", matcher).endswith("many …")


def test_one_letter_is_not_half_the_text(index: Index, contract: Contract, viewer: Person) -> None:
    index.row(contract, "Between both banks, sector B broke.", vector=False)
    with viewer.scope.open():
        (found,) = search(viewer.scope, "sector b")
    assert mark_matches(found.text, found.matcher).count("<mark>") == 2


def test_words_without_blanks_between_them_are_found(
    index: Index, contract: Contract, restricted: Contract, viewer: Person
) -> None:
    chinese = index.row(contract, "甲方违约责任的上限为合同总额的百分之十。乙方应当按时付款。", vector=False)
    japanese = index.row(contract, "本契約は東京地方裁判所を専属的合意管轄裁判所とする。", vector=False)
    index.row(restricted, "违约责任的上限是秘密。", vector=False)
    (found,) = results(viewer, "违约责任")
    assert (found["id"], found["why"]) == (str(chinese), "Matched “违约责任”.")
    for question in ('"违约责任"', '"责任的上限" 合同', "上限", "「违约责任」"):
        answer = viewer.api.get("/api/search/", {"q": question}).json()
        assert [r["id"] for r in answer["results"]] == [str(chinese)], question
        assert answer["notices"] == []
    assert [r["id"] for r in results(viewer, "東京地方裁判所")][0] == str(japanese)
    # The characters apart are not the phrase.
    answer = viewer.api.get("/api/search/", {"q": '"责违任约"'}).json()
    assert answer["notices"] == ["No passage that you may see holds “责违任约”. These are the nearest."]
    page = viewer.client.get(f"{viewer.base}search/", {"q": "裁判所"}).content.decode()
    assert "<mark>裁</mark><mark>判</mark><mark>所</mark>" in page


def test_a_word_behind_a_hyphen_or_a_slash_is_found(index: Index, contract: Contract, viewer: Person) -> None:
    row = index.row(contract, "Gyroscope GX-4411/B of 2027-03-31, at -5 degrees.", vector=False)
    index.row(contract, "Gyroscope GX-4412/C of an employer/employee.", vector=False)
    for question in ("4411", "GX 4411", "GX-4411", '"GX-4411/B"', "2027-03"):
        assert [r["id"] for r in results(viewer, question)][:1] == [str(row)], question
    for question in ("4411", "employee", "and/or employer"):
        assert len(results(viewer, question)) == 1, question


def test_a_snippet_of_a_table_says_its_cells() -> None:
    text = "Fees\n\n| Lift | Annual fee |\n| --- | :---: |\n| L1 | £21,600 |\n| a\\|b | |\n\nA pipe | in prose."
    assert cut_snippet(text, Matcher([])) == "Fees Lift · Annual fee; L1 · £21,600; a|b; A pipe | in prose."


def test_rules_and_dot_leaders_are_left_out_of_a_snippet() -> None:
    text = "RECEIPT\n==========\nSubtotal ........ 40.00\n- - -\nTOTAL 44.00 -- paid"
    assert cut_snippet(text, Matcher([])) == "RECEIPT Subtotal 40.00 - - - TOTAL 44.00 -- paid"


def test_a_snippet_of_text_without_blanks_has_its_length() -> None:
    text = f"{'合' * 900}违约{'同' * 900} end"
    shown = cut_snippet(text, Matcher([("违", ["违"]), ("约", ["约"])]))
    assert "违约" in shown
    assert 300 <= len(shown) <= 330


def test_words_that_ask_for_nothing_are_not_looked_for(index: Index, contract: Contract, viewer: Person) -> None:
    """They are rare in documents, and rare words weigh most. Where a question has no others they are."""
    wanted = index.row(contract, "The ferry has forty berths, and each berth has a lamp.", vector=False)
    other = index.row(contract, "Please tell many of the guests what they need.", vector=False)
    for i in range(20):
        index.row(contract, f"The berths of ferry {i} were painted.", vector=False)
    found = results(viewer, "Please tell me how many berths have a lamp, I need it")
    assert found[0]["id"] == str(wanted)
    assert str(other) not in [r["id"] for r in found]
    assert results(viewer, "tell many")[0]["id"] == str(other)
