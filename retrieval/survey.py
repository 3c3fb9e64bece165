"""How much a reader sees, roughly, before it is read: by it a search chooses its way (docs/adr/0013).

Counted over a sample of rows drawn by the hash of their ids, through the same gate as everything else. What depends on
hidden rows (`cleared`) decides only how long a search takes; estimates that enter a score are over visible rows alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retrieval.gate import IN_A_SET, Gates
from retrieval.sizes import read_sizes
from retrieval.statements import fetch_rows
from retrieval.tuning import load_tuning

ENOUGH = 100
"""Sampled visible rows that make an estimate good to about a tenth."""
FEW = 20
"""Visible rows of 256 up to which all of them are counted, and nothing that enters a score is estimated."""
SAMPLED = 256
"""One row of so many is in the larger sample."""
NEAR_SCAN = (0.8, 1.35)
"""Estimates between so many times `Tuning.scan` are made again from a sample eight times as large, by which the number
is known to a thirtieth: whether all vectors are compared must not be a matter of luck."""
HIGHEST = 8
"""Words that a passage holds more often are counted as if it held them so often."""

LEVEL = """
l{level} AS MATERIALIZED (
  SELECT {level} AS level, term, tf, count(*) AS cleared, count(*) FILTER (WHERE seen) AS visible,
    sum(dl) FILTER (WHERE seen) AS length
  FROM (SELECT p.term, least(p.tf, {highest}) AS tf, p.dl, ({seen}) IS TRUE AS seen
        FROM ingestion_posting p
        WHERE {cleared} AND p.sample >= {level} AND p.term = ANY(%(terms)s::int[]) {needed} OFFSET 0) sampled
  GROUP BY term, tf)"""

# A larger sample is taken where the smaller one did not tell enough. That depends on visible rows alone.
NEEDED = {
    11: "",
    8: "AND (SELECT coalesce(max(v), 0) < {enough} FROM n11)",
    5: "AND p.term = 0 AND (SELECT v BETWEEN %(least)s AND %(most)s FROM n8)",
}
# Where many rows are in the sample records are asked as a set: the smaller sample tells, of which it has eight times
# as many.
SEEN = {
    11: "{each}",
    8: "CASE WHEN (SELECT coalesce(sum(cleared), 0) FROM l11) * 8 > %(few)s THEN {all} ELSE {each} END",
    5: "CASE WHEN (SELECT sum(cleared) FROM l8 WHERE term = 0) * 8 > %(few)s THEN {all} ELSE {each} END",
}
VISIBLE = "n{level} (v) AS (SELECT sum(visible) FROM l{level} WHERE term = 0)"

SURVEY = """
WITH {ctes},{levels}
SELECT * FROM l11 UNION ALL SELECT * FROM l8 UNION ALL SELECT * FROM l5
UNION ALL SELECT 0, 0, 0, 0, 0, 0 WHERE EXISTS (SELECT FROM retrieval_rankingsettings WHERE strict)
"""


@dataclass(frozen=True)
class Survey:
    """Estimates of numbers of rows. 0 where the sample held none.

    exact: so few visible rows that no estimate may enter a score. visible: rows that the reader sees. cleared: rows
    under their labels, seen or not. length: mean number of words of the visible ones. holding: term -> visible rows by
    how often they hold it, `holding[term][k]` k times or more. under: term -> rows under their labels that hold it.
    counted: visible rows by the largest sample, where that was asked. strict: the workspace wishes no graph walked.
    """

    exact: bool
    visible: float
    cleared: float
    length: float
    holding: Mapping[int, Sequence[float]]
    under: Mapping[int, float]
    counted: float | None = None
    strict: bool = False

    def get_frequency(self, term: int) -> float:
        """Visible rows that hold a term."""
        return self.holding[term][1] if term in self.holding else 0.0

    @property
    def beyond_scan(self) -> bool:
        """Whether the reader sees more rows than are compared one by one without fail."""
        return (self.visible if self.counted is None else self.counted) > load_tuning().scan

    @property
    def by_record(self) -> bool:
        """Whether it is less work to read the visible records than all that is under the reader's labels.

        Looking up a record takes as long as reading some eight rows in order.
        """
        looked_up = min(read_sizes().records, self.visible)
        return self.visible <= load_tuning().scan and self.cleared > 8 * looked_up + 2 * self.visible

    @property
    def at_most(self) -> float:
        """Rows under the reader's labels, where the sample may have missed some."""
        return self.cleared + SAMPLED


def run_survey(terms: Sequence[int], gates: Gates) -> Survey:
    """One statement; its cost depends little on the size of the workspace."""
    gate, levels = gates.each, []
    for level, needed in NEEDED.items():
        asked = needed.format(few=FEW, enough=ENOUGH)
        seen = SEEN[level].format(each=gates.each.seen, all=gates.all.seen)
        levels.append(LEVEL.format(level=level, highest=HIGHEST, seen=seen, cleared=gate.cleared, needed=asked))
        levels.append(VISIBLE.format(level=level))
    statement = SURVEY.format(ctes=gate.ctes, levels=",".join(levels))
    # Without a graph all vectors are compared, however many there are.
    near = [bound * load_tuning().scan / SAMPLED if read_sizes().graphs else -1.0 for bound in NEAR_SCAN]
    params = {"terms": [0, *terms], "few": round(read_sizes().records / IN_A_SET), "least": near[0], "most": near[1]}
    found = fetch_rows(statement, {**gate.params, **params})
    counted = next((visible * 32.0 for level, _, _, _, visible, _ in found if level == 5), None)
    strict = any(level == 0 for level, *_ in found)
    found = [row for row in found if row[0] not in (0, 5)]
    level = min((row[0] for row in found), default=11)
    factor = float(2**level)
    rows = [row for row in found if row[0] == level]
    holding: dict[int, list[float]] = {}
    under: dict[int, float] = {}
    for _, term, tf, cleared, visible, _ in rows:
        under[term] = under.get(term, 0.0) + cleared * factor
        counts = holding.setdefault(term, [0.0] * (HIGHEST + 2))
        for k in range(1, tf + 1):
            counts[k] += visible * factor
    whole = next((row for row in rows if row[1] == 0), (0, 0, 0, 0, 0, 0))
    _, _, _, cleared, visible, length = whole
    holding.pop(0, None)
    exact = not found or (level == 8 and visible < FEW)
    mean = float(length or 0) / (visible or 1)
    return Survey(exact, visible * factor, cleared * factor, mean, holding, under, counted, strict)
