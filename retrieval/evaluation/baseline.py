"""What anybody would try first: BM25 over the title and the text of every passage that the reader sees, in memory.

It shares nothing with search: not the words, which it stems by itself, nor the statements, nor the statistics.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from entities.access import Scope, build_sources_visible_q, build_visibility_q
from entities.models import Entity
from ingestion.models import ContextRow
from retrieval.tuning import load_tuning
from text.terms import extract_terms

BASELINE = "bm25"
K1, B = 1.2, 0.75
"""Of Robertson and Zaragoza 2009, chapter 3.5, and not of `Tuning`: a baseline is not tuned with what it is beside."""
CHUNK_ROWS = 2_000


@dataclass(frozen=True)
class Baseline:
    """postings: term -> row -> how often. lengths: row -> terms. files: row -> its file."""

    postings: Mapping[str, Mapping[int, int]]
    lengths: Mapping[int, int]
    files: Mapping[int, UUID | None]

    def rank(self, question: str, files: Collection[UUID] = ()) -> list[int]:
        """Rows, best first, as many as a page has; equal scores by row number. files: look in these alone, if any."""
        count = len(self.lengths)
        mean = sum(self.lengths.values()) / count if count else 1.0
        scores: dict[int, float] = defaultdict(float)
        for term in dict.fromkeys(extract_terms(question)):
            found = self.postings.get(term, {})
            inverse = math.log(1 + (count - len(found) + 0.5) / (len(found) + 0.5))
            for row, often in found.items():
                if not files or self.files[row] in files:
                    long = K1 * (1 - B + B * self.lengths[row] / mean)
                    scores[row] += inverse * often * (K1 + 1) / (often + long)
        return sorted(scores, key=lambda row: (-scores[row], row))[: load_tuning().page]


def index_passages(scope: Scope, questions: Iterable[str]) -> Baseline:
    """Of all that `scope`, which is not open, sees: labels and audience by the policy, records and sources here.

    Only terms of `questions` are kept, for these alone are looked up. Each chunk is read in a transaction of its own.
    """
    wanted = {term for question in questions for term in extract_terms(question)}
    postings: dict[str, dict[int, int]] = defaultdict(dict)
    lengths: dict[int, int] = {}
    files: dict[int, UUID | None] = {}
    while chunk := _read_chunk(scope, max(lengths, default=0)):
        for row, file, name, text in chunk:
            bag = Counter(extract_terms(f"{name or ''} {text}"))
            lengths[row], files[row] = bag.total(), file
            for term in bag.keys() & wanted:
                postings[term][row] = bag[term]
    return Baseline(postings, lengths, files)


def _read_chunk(scope: Scope, after: int) -> list[tuple[int, UUID | None, str | None, str]]:
    """(number, file, its name, text) of the next passages by number."""
    with scope.open():
        seen = Entity.objects.filter(build_visibility_q(scope, Entity)).order_by().values("pk")
        rows = ContextRow.objects.filter(build_sources_visible_q(scope), entity__in=seen, number__gt=after).order_by(
            "number"
        )
        return list(rows.values_list("number", "file_id", "file__name", "text")[:CHUNK_ROWS])
