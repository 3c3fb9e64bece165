"""A question of many sentences is answered as the one sentence that is meant would be."""

import pytest

from entities.models.classification import FINANCIAL
from entities.types import Contract
from retrieval.long_questions import MAX_PARTS, MIN_LONG_CHARS, split_question
from tests.conftest import Person
from tests.retrieval.conftest import Index

TALK = (
    "I joined the yard in spring and still learn how everything is done here. "
    "My neighbour told me over lunch that her afternoons went by with looking for papers. "
    "The children have changed schools, and the new house keeps us busy at weekends. "
    "I would rather ask here first than bother people who have enough to do. "
)
ANSWER = "The capstan is oiled on Fridays by the harbour crew."
ELSEWHERE = "Lunch for the children of neighbours is served on afternoons in spring; weekends are busy."


def ask(person: Person, question: str) -> list[str]:
    found = person.api.get("/api/search/", {"q": question}).json()["results"]
    return [result["text"] for result in found]


@pytest.mark.parametrize("question", ["When is the capstan oiled?", "Please tell me when the capstan is oiled."])
@pytest.mark.parametrize("place", [0, 4])
def test_the_sentence_that_is_meant_decides(
    index: Index, contract: Contract, viewer: Person, question: str, place: int
) -> None:
    for n in range(6):
        index.row(contract, f"{ELSEWHERE} Notice {n}.")
        index.row(contract, f"Invoice {n} is paid within thirty days of receipt.")
    index.row(contract, ANSWER)
    sentences = [f"{sentence}." for sentence in TALK.split(". ")]
    asked = " ".join([*sentences[:place], question, *sentences[place:]])
    assert ask(viewer, asked)[0] == ANSWER


def test_hidden_rows_change_nothing(
    index: Index, contract: Contract, restricted: Contract, viewer: Person, cfo: Person
) -> None:
    index.row(contract, ELSEWHERE)
    index.row(contract, ANSWER)
    asked = f"{TALK} When is the capstan oiled? {TALK}"
    before = viewer.api.get("/api/search/", {"q": asked}).json()
    index.row(restricted, f"{ANSWER} So it is in the other yard.")
    secret = "When is the capstan oiled? On paydays."
    index.row(contract, secret, label=FINANCIAL, file=index.file(contract, "x.pdf"))
    assert viewer.api.get("/api/search/", {"q": asked}).json() == before
    assert secret in ask(cfo, asked)


def test_a_short_question_stays_whole() -> None:
    assert split_question("When is it oiled? " * 5) == []


def test_what_asks_stands_alone_and_weighs_most() -> None:
    parts = split_question(f"{TALK}When is it oiled? {TALK}")
    (asking,) = [part for part, weight in parts if weight == 1]
    assert asking == "When is it oiled?"
    assert {weight for _, weight in split_question(TALK)} == {1}


@pytest.mark.parametrize("text", ["?" * 2_000, "word " * 400, "x" * 2_000, "违约责任的上限。" * 250, "Is it? " * 285])
def test_parts_are_few_and_lose_nothing(text: str) -> None:
    parts = [part for part, _ in split_question(text.strip())]
    assert 0 < len(parts) <= MAX_PARTS
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert len(text) >= MIN_LONG_CHARS
