"""A page and a prompt say different things: of passages that say the same, not all are shown."""

from typing import Any

import numpy as np
import pytest

from entities.types import Contract
from retrieval.fusion import blend_scores, skip_copies
from tests.conftest import Person
from tests.retrieval.conftest import Index

CLAUSE = "The liability cap is two million euros."
OTHER = "For pollution of the harbour the liability of the tenant has no cap."


def test_copies_of_one_clause_do_not_push_out_another(index: Index, contract: Contract, viewer: Person) -> None:
    """As in contracts with their amendments."""

    for _ in range(15):
        index.row(contract, CLAUSE)
    index.row(contract, OTHER)

    def shown(**more: Any) -> list[str]:
        answer = viewer.api.get("/api/search/", {"q": "liability cap", **more}).json()
        return [result["text"] for result in answer["results"]]

    assert shown(limit=50).index(OTHER) >= 10, "by relevance alone it comes after the copies"
    found = shown(limit=10)
    assert len(found) == 10
    assert (found[0], OTHER in found) == (CLAUSE, True)
    assert shown(limit=1) == [CLAUSE], "the best stays"


def test_the_first_five_stay_however_alike_they_are(index: Index, contract: Contract, viewer: Person) -> None:
    for _ in range(5):
        index.row(contract, CLAUSE)
    index.row(contract, OTHER)
    found = viewer.api.get("/api/search/", {"q": "liability cap", "limit": 6}).json()["results"]
    assert [result["text"] for result in found] == [*[CLAUSE] * 5, OTHER]


def test_scores_are_blended_by_hand() -> None:
    found = blend_scores({1: 0.9, 2: 0.5, 3: 0.4}, {2: 1.0, 4: 0.25}, 0.4, 0.45)
    assert found == {1: 0.4, 2: pytest.approx(0.08 + 0.6), 3: 0.0, 4: pytest.approx(0.15)}
    assert blend_scores({1: 0.3}, {}, 0.4, 0.2) == {1: 0.4}, "one alone is the nearest"
    assert blend_scores({1: 0.8, 2: 0.7}, {}, 1.0, 0.6) == {1: 1.0, 2: pytest.approx(0.5)}, "not the last of two near"


def test_a_copy_gives_its_place_to_the_next() -> None:
    one, other = np.array([1.0, 0.0], dtype=np.float32), np.array([0.0, 1.0], dtype=np.float32)
    vectors = {1: one, 2: one, 3: one, 4: other}
    assert skip_copies([1, 2, 3, 4], vectors, 3, 2, 0.95) == [1, 2, 4]
    assert skip_copies([1, 2, 3, 4], vectors, 4, 1, 0.95) == [1, 2, 3, 4], "they come back where there is room"
    assert skip_copies([1, 5, 6], vectors, 3, 1, 0.95) == [1, 5, 6], "without a vector nothing is a copy"
