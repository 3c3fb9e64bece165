"""What the reader does not show of a file: its label, without a database."""

from dataclasses import replace
from typing import get_args

import pytest

from entities.models.classification import FINANCIAL, PII, SECRET
from entities.option_values import find_wrong_collection
from entities.rag import Collection, RemainderPolicy
from ingestion.documents import Extraction, ParagraphText, UnreadContent
from ingestion.remainder import (
    DECIDED_BEFORE,
    KINDS,
    UNSHOWN,
    Remainder,
    find_codes,
    find_kind,
    label_original,
    weigh_texts,
)
from ingestion.votes import FLOOR, Vote
from tests.ingestion.helpers import SALARY

NONE: frozenset[int] = frozenset()
PAY = frozenset({FINANCIAL})


def decision(*atoms: int, over: frozenset[int] = NONE) -> Vote:
    return Vote("manual", frozenset(atoms), "as seen", by=1, over=over)


def test_a_code_that_nobody_listed_is_strict() -> None:
    assert find_kind("image") == "inherit"
    assert find_kind("a_part_of_tomorrow") == "strict"
    assert {find_kind(code, "strict") for code in KINDS} == {"strict"}
    assert {find_kind(code, "inherit") for code in KINDS} == {"inherit"}


@pytest.mark.parametrize(
    ("code", "page", "found"),
    [
        ("image", 1, "image"),
        ("image", 2, "no_text_layer"),
        ("image", None, "image"),
        ("media", 2, "media"),
        ("unreadable_text", 1, "unreadable_letters"),
        ("unreadable_page", 1, "unreadable_page"),
        ("unreadable_text", 2, "no_text_layer"),
        ("unreadable_text", None, "unreadable_text"),
        ("of_tomorrow", 1, "of_tomorrow"),
    ],
)
def test_what_inherits_stands_beside_text_that_was_read(code: str, page: int | None, found: str) -> None:
    read = ParagraphText("The quay is closed.", "text", 1, (), (), "en", 0, 19)
    extraction = Extraction("application/pdf", 2, (read,), (UnreadContent(code, "", page),), "text", shown=True)
    assert find_codes(extraction) == {found}


def test_what_is_not_proved_to_be_shown_is_on_record() -> None:
    read = ParagraphText("The quay is closed.", "text", 1, (), (), "en", 0, 19)
    shown = Extraction("text/plain", None, (read,), (), "text", shown=True)
    assert find_codes(shown) == set()
    assert find_codes(replace(shown, remainder=("Pat",))) == find_codes(replace(shown, shown=False)) == {UNSHOWN}
    assert [find_kind(UNSHOWN, policy) for policy in get_args(RemainderPolicy)] == ["inherit", "inherit", "strict"]


@pytest.mark.parametrize(
    ("text", "is_labelled"),
    [
        ("LibreOffice/24.8.3.2$Linux_X86_64", False),
        ("server 84.19.7.201 of J. Smith", True),
        ("º~wj8:2¥k)2", False),
        ("$159>BEILQY]alty", False),
        ("xmp.iid:CAD06C322320681195FEFE4093690B57", False),
        ('{"pay": "$5,000"}', True),
        ("<b>£5m</b>", True),
    ],
)
def test_what_only_looks_like_something_gets_no_label(text: str, is_labelled: bool) -> None:
    ((vote),) = weigh_texts([text])
    assert bool(vote.labels) == is_labelled


def test_a_secret_in_it_weighs_what_it_weighs_on_a_page() -> None:
    (vote,) = weigh_texts(["Layer 1", SALARY])
    assert vote.labels == PAY
    assert "68,400" not in vote.reason
    assert [vote.labels for vote in weigh_texts(["Layer 1"])] == [NONE]
    assert weigh_texts([]) == ()


@pytest.mark.parametrize(
    ("paragraphs", "floor", "remainder", "policy", "needed"),
    [
        ([NONE, PAY], NONE, Remainder(), "default", PAY),
        ([NONE], frozenset({PII}), Remainder(), "default", frozenset({PII})),
        ([NONE], NONE, Remainder(votes=(Vote("rules", PAY),)), "default", PAY),
        ([NONE, None], NONE, Remainder(), "default", None),
        ([PAY], NONE, Remainder(("image",)), "default", PAY),
        ([PAY], NONE, Remainder(("image",)), "strict", None),
        ([PAY], NONE, Remainder(("image", "media")), "default", None),
        ([PAY], NONE, Remainder(("image", "media")), "inherit", PAY),
        ([PAY], NONE, Remainder(("media",), "", (decision(PII),), frozenset({"media"})), "default", PAY | {PII}),
        ([NONE], NONE, Remainder(("media", "macros"), "", (decision(),), frozenset({"media"})), "default", None),
        ([NONE], NONE, Remainder((), "", (Vote("rules", PAY), decision(over=PAY))), "default", NONE),
    ],
)
def test_the_original_needs_every_label_in_it_and_has_none_where_one_is_missing(
    paragraphs: list[frozenset[int] | None],
    floor: frozenset[int],
    remainder: Remainder,
    policy: str,
    needed: frozenset[int] | None,
) -> None:
    assert label_original(paragraphs, floor, remainder, policy) == needed  # type: ignore[arg-type]
    assert label_original(paragraphs, floor, Remainder.from_json(remainder.to_json()), policy) == needed  # type: ignore[arg-type]


def test_read_again_it_keeps_what_was_decided_and_no_label_gets_lower() -> None:
    before = Remainder(("media",), "x", (Vote("inherited", NONE, FLOOR), Vote("rules", PAY)))
    again = Remainder(("media",), "x").keep_decisions(before)
    assert again.label("inherit") == PAY
    settled = before.settle(decision(over=PAY))
    once = Remainder(("media",), "x", (Vote("rules", PAY),)).keep_decisions(settled)
    assert once.label("default") == NONE
    assert once.keep_decisions(once) == once
    found = Remainder(("macros", "media"), "y", (Vote("rules", frozenset({SECRET})),)).keep_decisions(settled)
    assert found.label("default") is None
    assert found.label("inherit") == {SECRET}, "what was not known when it was decided adds to it"


def test_other_bytes_ask_again_unless_the_same_was_found() -> None:
    settled = Remainder(("media",), "x", (decision(),), frozenset({"media"}))
    assert Remainder(("media",), "x").follow(settled).label("default") == NONE
    other = Remainder(("image",), "y").follow(settled)
    assert DECIDED_BEFORE in other.codes
    assert other.label("default") is None
    assert Remainder(("image",), "z").follow(other).label("default") is None, "nobody has decided on this one either"
    assert Remainder((), "z").follow(settled).label("default") == NONE, "there is nothing to decide on"
    assert Remainder(("image",), "y").follow(Remainder(("media",), "x")).label("default") == NONE


def test_a_collection_declares_one_of_three_ways() -> None:
    assert [*find_wrong_collection("x", Collection(remainder="strict"))] == []
    ((number, text),) = find_wrong_collection("x", Collection(remainder="some"))  # type: ignore[arg-type]
    assert number == 13
    assert "'some'" in text
