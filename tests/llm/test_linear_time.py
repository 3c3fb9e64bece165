"""No text makes rules, filters of prompts or questions slow: their time grows with its length and no faster, whatever
signs it is made of. One slow question stops every other one in the same process.
"""

import importlib
import pkgutil
import re
import string
from collections.abc import Callable, Iterator
from time import process_time

import pytest

import chat
import llm
import retrieval
from entities.models.classification import CONFIDENTIAL, FINANCIAL, PII, SECRET
from ingestion.extract import language
from llm import fences, injection
from llm.quoting.asked import normalise_question
from llm.quoting.form_answers import find_pairs
from llm.quoting.long_questions import EXAMPLES
from llm.quoting.overview_questions import plan_reading
from llm.quoting.question_kinds import find_kind
from llm.quoting.reading import PromptPassage, find_last_question
from llm.recognisers.late import LatePattern
from llm.recognisers.marks import HUSHED, PRIVILEGE
from llm.recognisers.money import AMOUNT
from llm.recognisers.secrets import PLACED
from llm.rules import PIECE, _vote_on_piece, vote_by_heading, vote_by_rules
from retrieval.bearing import judge_support
from retrieval.completions import LAST_WORD
from retrieval.long_questions import split_question
from retrieval.matches import strip_word_ends
from retrieval.query import PreparedQuery
from retrieval.support import check_sentence, extract_figures, list_sentences_citing
from text.pieces import split_sentences

LONGEST = 20_000
FLOOR = 0.5  # seconds of processor time: nobody notices less, and less is not measured
FACTOR = 9.0  # of four times the text: 4 is linear, 16 is quadratic
SIGNS = [*string.punctuation, *"aA1 \t\n–“„«中"]
PAIRS = [
    "- ", "a ", "1 ", "Aa ", "a.", "1.", "1,", "1)", "(a", "A-", "a'", '"a ', "|a", "a@", "a/", "a\n", "=a", "__a",
]  # fmt: skip
URL = "https://"  # addresses are blanks to some rules


def rules(text: str) -> None:
    _vote_on_piece.cache_clear()
    vote_by_heading.cache_clear()
    vote_by_rules(text)


def headings(text: str) -> None:
    vote_by_heading.cache_clear()
    vote_by_heading(text)


def questions(text: str) -> None:
    query = PreparedQuery(text, "", ())
    assert len(query.words) + len(query.phrases) >= 0
    strip_word_ends(text)
    split_question(text)
    LAST_WORD.search(text)
    normalise_question(text)
    find_kind(text)
    find_last_question([{"role": "user", "content": text}])


def bearings(text: str) -> None:
    plan_reading(text, "")
    judge_support(text, ["The rent falls due."], "The rent is due.")


def answers(text: str) -> None:
    list_sentences_citing(text, 1)
    extract_figures(text)
    AMOUNT.search(text)
    check_sentence(text, text)


def prompts(text: str) -> None:
    fences.quote_attribute(text)
    fences.unfence(fences.fence(text))
    injection.neutralise_text(text)
    language.guess_language(text)


def assert_linear(run: Callable[[str], object], unit: str, *, begin: str = "", longest: int = LONGEST) -> None:
    """A quarter of the text is tried first, so that a failure takes seconds and not minutes."""
    quarter, whole = (begin + (unit * size)[:size] + "\x00" for size in (longest // 4, longest))
    limit = max(FLOOR, FACTOR * seconds(run, quarter))
    assert seconds(run, whole) < limit, f"{longest} characters of {unit!r} behind {begin!r}"


def seconds(run: Callable[[str], object], text: str) -> float:
    started = process_time()
    run(text)
    return process_time() - started


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    rules("Jane Miller, jane@example.org, 4111 1111 1111 1111, call +49 40 5550 1234.")


@pytest.mark.parametrize(
    ("run", "longest"), [(headings, 2_000), (questions, LONGEST), (answers, 5_000), (prompts, LONGEST)]
)
def test_a_long_text_takes_no_quadratic_time(run: Callable[[str], object], longest: int) -> None:
    for unit in SIGNS + PAIRS:
        assert_linear(run, unit, longest=longest)


def test_a_paragraph_takes_no_quadratic_time() -> None:
    """A longer one is read in pieces."""
    for unit in [*SIGNS, "- ", "a ", "1,", "(a", "A-"]:
        assert_linear(rules, unit, longest=PIECE // 2)


@pytest.mark.parametrize(
    ("begin", "unit"),
    [
        ("account number " + URL, "a"), ("password for " + URL, "a"), ("password was " + URL, "a"),
        ("medical record " + URL, "a"), ("payment card " + URL, "a"), ("call " + URL, "a"), ("code de la " + URL, "a"),
        ("badge number " + URL, "a"), ("login jane " + URL, "a"), ("passport " + URL, "a"), ("Via " + URL, "a"),
        ("licence " + URL, "a"), ("license plate " + URL, "a"), ("the pwd " + URL, "a"), ("5 and ", "1,"),
        ("twenty and ", "1,"), ("", "login@"), ("|born|\n", "|"), ("|", "|bid"), ("|", "|code|"), ("|", "|born"),
        ("a,", "7,"), ("webhook", "_"), ("Confidential", "."), ("Internal", "\n"), ("(", "(1.1."), ("a ", "i. "),
        ("", "keep in "), ("", "\nConfidential"), ("", "Ann-"), ("", "5 pounds "), ("| ", "1 "),
    ],
)  # fmt: skip
def test_a_word_before_signs_takes_no_quadratic_time(begin: str, unit: str) -> None:
    assert_linear(rules, unit, begin=begin, longest=PIECE)


@pytest.mark.parametrize(
    ("begin", "unit"),
    [
        ("[ref", " "), ("[1", " ,1"), ("Note", " "), ("\nSystem", " "), ("## Response", " "), ("", "!["), ("", "![](http://=a"),
        ("remove ", "spaces "), ("add ", "a space "), ("ignore all ", "previous "), ("reveal ", "your "), ("<", " /"),
    ],
)  # fmt: skip
def test_an_order_before_signs_takes_no_quadratic_time(begin: str, unit: str) -> None:
    assert_linear(prompts, unit, begin=begin)


@pytest.mark.parametrize(
    ("begin", "unit"),
    [
        ('"a', "b"), ("«a", "_"), ("a", "("), ("", "a"), ('"', '"a'), ("What does ", " "), ("What does ", "in all "),
        ("What does x in all", "."), ("", "whats "), ("", "how "), ("", "which "), ("", "how pay "), ("Is ", "it "),
    ],
)  # fmt: skip
def test_a_question_takes_no_quadratic_time(begin: str, unit: str) -> None:
    assert_linear(questions, unit, begin=begin)


def test_a_text_without_blanks_takes_no_quadratic_time() -> None:
    assert_linear(lambda text: list(PLACED.finditer(text)), "aB3xZ9/Q", longest=LONGEST)


@pytest.mark.parametrize(
    "unit", ["ab, ", "a-", "what is ", "any ", "can i ", "what rent ", "Mr. A. ", "a or ", "a?", "\n"]
)
def test_a_pasted_question_takes_no_quadratic_time(unit: str) -> None:
    assert_linear(bearings, unit)


@pytest.mark.parametrize(
    "unit", ["a: ", "a #1 ", "A:A:", "Nr. 1 ", "No.", "a\n1\n", "Cashier 7.00\n", "|a|1|b|\n", "|1"]
)
def test_a_form_takes_no_quadratic_time(unit: str) -> None:
    def read(text: str) -> None:
        passage = PromptPassage(1, "a.pdf (Shop)", text)
        split_sentences(text)
        find_pairs("What is the cashier 7?", ["cashi", "7"], {"7"}, None, [passage])

    for begin in ("", "|a" * 500 + "|\n"):
        assert_linear(read, unit, begin=begin)


@pytest.mark.parametrize(
    ("begin", "unit"), [("one and", " "), ("111", " 111"), ("[citation:1]. ", "[1] "), ("1.", " ")]
)
def test_an_answer_takes_no_quadratic_time(begin: str, unit: str) -> None:
    assert_linear(answers, unit, begin=begin)


@pytest.mark.parametrize(
    ("text", "atom"),
    [
        ("account number https://bank.example/branch 12345678", FINANCIAL),
        ("The password for https://portal.example/login : Tr4ctor-9", SECRET),
        ("the code de la porte est : 4711", SECRET),
        ("login on https://portal.example/login jane.doe , and Tr4ctor-9", SECRET),
        ("the pwd   Tr4ctor-9x", SECRET),
        ("# **[((Confidential))]**: the bid is low", CONFIDENTIAL),
        ("(ii) *[Secret]*: the bid is low", SECRET),
        ("| Bidder | Bid |\n|---|---|\n| Marsh | 120 000 |", FINANCIAL),
        ("| User | Password |\n|---|---|\n| jane | Tr4ctor |", SECRET),
        ("| Name | Born |\n|---|---|\n| Jane Miller | 3.4.1981 |", PII),
    ],
)
def test_what_stands_behind_signs_and_addresses_is_found(text: str, atom: int) -> None:
    assert atom in vote_by_rules(text).atoms


@pytest.mark.parametrize("pattern", [EXAMPLES, HUSHED, PRIVILEGE], ids=["examples", "hushed", "privilege"])
def test_empty_lines_take_no_quadratic_time(pattern: re.Pattern[str]) -> None:
    assert_linear(lambda text: list(pattern.finditer(text)), "\n")


def patterns(app: object) -> Iterator[re.Pattern[str]]:
    for found in pkgutil.walk_packages(app.__path__, f"{app.__name__}."):
        if not {"migrations", "management", "bench"}.intersection(found.name.split(".")):
            for value in vars(importlib.import_module(found.name)).values():
                members = value if isinstance(value, (tuple, list)) else [value]
                yield from (
                    one for one in members if isinstance(one, re.Pattern | LatePattern) and isinstance(one.pattern, str)
                )


@pytest.mark.parametrize("app", [llm, retrieval, chat], ids=lambda app: app.__name__)
def test_no_pattern_takes_quadratic_time(app: object) -> None:
    """Of what no other test of these calls as well."""
    known = dict.fromkeys(patterns(app))
    assert known
    for pattern in known:
        for unit in ("(", "_", "- ", "a ", "1,", "|a"):
            assert_linear(lambda text, pattern=pattern: list(pattern.finditer(text)), unit, longest=PIECE)  # type: ignore[misc]
