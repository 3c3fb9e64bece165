"""What cosines of an encoder mean is measured, and the table is in keeping with it."""

from typing import Any

import pytest

from ingestion.embed import INCLUDED, get_embedder
from retrieval.bench.likeness import measure_likeness
from retrieval.likeness import LIKENESS, get_likeness
from retrieval.tuning import load_tuning
from tests.retrieval.test_kinds_of_text import SETS


def test_every_encoder_that_comes_with_clearance_is_in_the_table() -> None:
    assert LIKENESS.keys() == {model_id for model_id, _ in INCLUDED.values()}


@pytest.mark.parametrize("model_id", sorted(LIKENESS))
def test_the_table_is_in_keeping_with_what_is_measured(model_id: str) -> None:
    rows = measure_likeness(get_embedder(model_id), [SETS / "forum"])
    found = {row.name.partition(": ")[2]: row.value for row in rows}
    table = LIKENESS[model_id]
    assert table.floor <= found["median of passages that answer"]
    assert found["median of others"] < table.close < found["median of passages that answer"] + 0.1
    assert found["close"] == pytest.approx(table.close, abs=0.03 if "e5" in model_id else 0.15)
    assert found["share of changed passages that pass for copies"] > 0.5
    assert found["copy"] == pytest.approx(table.copy, abs=0.05 if "e5" in model_id else 0.3)


def test_an_installation_sets_its_own_limits(settings: Any) -> None:
    settings.RETRIEVAL = {"floor": 0.5}
    load_tuning.cache_clear()
    try:
        assert get_likeness("multilingual-e5-small").floor == 0.5
        assert get_likeness("multilingual-e5-small").copy == LIKENESS["multilingual-e5-small"].copy
        assert get_likeness("a model of one's own").floor == 0.5
    finally:
        load_tuning.cache_clear()
