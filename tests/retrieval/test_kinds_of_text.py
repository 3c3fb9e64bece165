"""Search over six kinds of text that were written for it, read through the pipeline: the table of docs/evaluation.md
is true, and a page is no worse than the fused ranking, and that no worse than plain rank fusion."""

import json
import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command

SETS = Path(__file__).parent / "sets"
KINDS = sorted(path.name for path in SETS.iterdir())
TITLES = {
    "BM25, title and text": "bm25",
    "by meaning": "vector",
    "by words": "lexical",
    "plain rank fusion": "plain",
    "fused": "fused",
    "chosen (the page)": "shown",
}
FIGURES = ("hit_1", "hit_5", "hit_10", "ndcg_10")
TOLERANCE = 0.03
"""Of a figure: one question of the smallest set is 0.025. Vectors differ a little from machine to machine."""


def read_documented_table() -> Iterator[tuple[str, str, list[float]]]:
    """(kind, ranking, its four figures)."""
    text = (Path(settings.BASE) / "docs" / "evaluation.md").read_text()
    table = text.partition("### Six kinds of text")[2].partition("\n#")[0]
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in table.splitlines() if line[:1] == "|"]
    kinds = [cell.partition(":")[0].replace(" ", "_") for cell in rows[0][1:]]
    for title, *cells in rows[2:]:
        for kind, cell in zip(kinds, cells, strict=True):
            yield kind, TITLES[title], [float(figure) for figure in re.findall(r"\d\.\d+", cell)]


@pytest.mark.usefixtures("db")
@pytest.mark.parametrize("kind", KINDS)
def test_the_table_of_kinds_of_text_is_true(kind: str) -> None:
    out = StringIO()
    call_command("evaluate", str(SETS / kind), json=True, answerable=True, stdout=out, stderr=StringIO())
    found = json.loads(out.getvalue())["comparison"]
    documented = {ranking: figures for of, ranking, figures in read_documented_table() if of == kind}
    assert documented.keys() == set(TITLES.values())
    for ranking, figures in documented.items():
        assert [found[ranking][name] for name in FIGURES] == pytest.approx(figures, abs=TOLERANCE), ranking
    for name in ("hit_5", "ndcg_10"):
        assert found["shown"][name] >= found["fused"][name] - TOLERANCE
        assert found["fused"][name] >= found["plain"][name] - TOLERANCE


def test_every_kind_is_documented() -> None:
    assert {kind for kind, _, _ in read_documented_table()} == set(KINDS)
