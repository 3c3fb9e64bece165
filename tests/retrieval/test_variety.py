"""A page and a prompt say different things: of passages that say the same, not all are shown."""

from typing import Any

import pytest

from entities.types import Contract
from retrieval.fusion import reciprocal_rank
from tests.conftest import Person
from tests.retrieval.conftest import Index

CLAUSE = "The liability cap is two million euros."
OTHER = "For pollution of the harbour the liability of the tenant has no cap."


@pytest.mark.parametrize("limit", [5, 10])
def test_copies_of_one_clause_do_not_push_out_another(
    limit: int, index: Index, contract: Contract, viewer: Person
) -> None:
    """As in contracts with their amendments."""

    for _ in range(15):
        index.row(contract, CLAUSE)
    index.row(contract, OTHER)

    def shown(**more: Any) -> list[str]:
        answer = viewer.api.get("/api/search/", {"q": "liability cap", **more}).json()
        return [result["text"] for result in answer["results"]]

    assert shown(limit=50).index(OTHER) >= 10, "by relevance alone it comes after the copies"
    found = shown(limit=limit)
    assert len(found) == limit
    assert (found[0], OTHER in found) == (CLAUSE, True)
    assert shown(limit=1) == [CLAUSE], "the best stays"


def test_reciprocal_rank_by_hand() -> None:
    found = reciprocal_rank([[1, 2], [2, 3]], [0.6, 0.4], 60)
    assert found == {
        1: pytest.approx(0.6),
        2: pytest.approx(0.6 * 61 / 62 + 0.4),
        3: pytest.approx(0.4 * 61 / 62),
    }
