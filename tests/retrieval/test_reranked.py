"""What holds of a search whether or not somebody reads the best again: nothing is lost, and all is on record."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from entities.access import Scope
from entities.models import AuditEntry
from entities.models.classification import FINANCIAL
from entities.types import Contract
from llm import scripted
from llm.models import ModelCall
from tests.conftest import Person
from tests.retrieval.conftest import Index
from tests.retrieval.test_rerank import cross_encoder


@pytest.mark.parametrize("label", [0, FINANCIAL])
def test_what_only_its_words_find_is_never_lost(
    label: int, index: Index, contract: Contract, viewer: Person, choose_reranker: Callable[[str], None]
) -> None:
    """The best by its words comes after seventy that both branches found; no reranker has read it."""
    for n in range(70):
        index.row(contract, f"The liability cap of quay lease number {n} is two million euros.")
    index.row(contract, "Kestrel, see kestrel.", label=label, vector=False)
    question = "Which liability cap of the quay lease has the kestrel?"

    def shown(**more: Any) -> list[str]:
        return [r["text"] for r in viewer.api.get("/api/search/", {"q": question, **more}).json()["results"]]

    expected = ["Kestrel, see kestrel."] * (label == 0)
    fused = shown()
    assert (len(fused), [text for text in fused if "Kestrel" in text]) == (10, expected)
    assert shown(limit=1) == fused[:1], "the best stays"
    page = viewer.client.get(f"{viewer.base}search/", {"q": question})
    assert [card.result.text for card in page.context["cards"]] == fused
    choose_reranker("model")
    with scripted.use_scripted_model() as script:
        script.push(tool_use=("rank_passages", {"order": [3, 1]}))
        ordered = shown()
    assert ordered[0] != fused[0]
    assert [text for text in ordered if "Kestrel" in text] == expected


@pytest.mark.parametrize("order", [[3, 1], []])
def test_what_a_reranker_took_is_on_record(
    order: list[int],
    index: Index,
    contract: Contract,
    viewer: Person,
    service: Scope,
    choose_reranker: Callable[[str], None],
    tmp_path: Path,
    settings: Any,
) -> None:
    def detail() -> dict[str, Any]:
        with service.open():
            return AuditEntry.objects.filter(action="search").latest("pk").detail

    def asked() -> None:
        assert viewer.client.get(f"{viewer.base}search/", {"q": "chains in the yard"}).status_code == 200

    for n in range(3):
        index.row(contract, f"Chains of anchor {n} are kept in the yard.")
    settings.CLEARANCE_RERANKER = {"path": str(cross_encoder(tmp_path)), "threads": 1}
    asked()
    plain = detail()
    choose_reranker("cross_encoder")
    asked()
    assert {name: value for name, value in detail().items() if name not in plain} == {"reranked_by": "cross_encoder"}
    choose_reranker("model")
    with scripted.use_scripted_model() as script:
        script.push(tool_use=("rank_passages", {"order": order}))
        asked()
    told = detail()
    with service.open():
        call = ModelCall.objects.get(feature="rerank")
    assert (told["reranked_by"], told["rerank_model"], Decimal(told["cost"])) == ("model", call.model, call.cost)
    assert told["tokens"]["input"] > 0
    assert set(told["tokens"]) == {"input", "output", "cached"}
