"""Quoted phrases: what stands between quotation marks must stand in a passage, word for word (docs/adr/0021).

Not by stems, or quoting would be of no use; whatever the case, the accents and the marks between the words. A passage
that spells a phrase over a line's end holds it.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.db.models import QuerySet

from ingestion.models import ContextRow
from retrieval.gate import Gate, Gates
from retrieval.matches import IDEOGRAPH, WORD
from retrieval.statements import fetch_rows
from retrieval.terms import CONFIGS

MOST = 5_000
"""Passages with all words of the phrases that are read for them, the latest first."""
AT_ONCE = 500
LOOKED_UP = 6
"""Words of the phrases, the longest, that rows are found by; the rest is compared in what those found. Each is a join,
and a quotation of a page would have hundreds.
"""
NO_WORD = re.compile(r"[^\w]+|_+")

# Words whose postings every row with the phrase has: no language drops them as saying nothing.
FIRM = """
SELECT w.n, array_agg(DISTINCT hashtext(t.lexeme)) FROM unnest(%(words)s::text[]) WITH ORDINALITY w (word, n)
CROSS JOIN unnest(%(configs)s::regconfig[]) c (config)
LEFT JOIN LATERAL unnest(to_tsvector(c.config, app_words(w.word))) t ON true
GROUP BY w.n HAVING count(DISTINCT c.config) FILTER (WHERE t.lexeme IS NOT NULL) = cardinality(%(configs)s::regconfig[])
"""
TOGETHER = """
WITH {ctes}
SELECT DISTINCT p."row" FROM ingestion_posting p WHERE {condition} AND p.term = ANY(%(firm_0)s::int[]) {others}
ORDER BY p."row" DESC LIMIT %(most)s
"""
OTHER = 'AND EXISTS (SELECT FROM ingestion_posting o WHERE o."row" = p."row" AND o.term = ANY(%(firm_{n})s::int[]))'


@dataclass(frozen=True)
class Holders:
    """The visible rows that hold every one of `phrases`, as far as was looked.

    sought: False where no word of the phrases is one that all languages keep, so that no row was read. whole: no row
    with all the words was left unread.
    """

    phrases: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    sought: bool = True
    whole: bool = True

    @property
    def lacks_passages(self) -> bool:
        """Whether something was quoted and no row was found that holds it."""
        return bool(self.phrases) and not self.rows

    def describe_lack(self, *, narrowed: bool, nearest: bool) -> str:
        """What whoever quoted must be told, "" for nothing. It says no more than was looked at.

        narrowed: only some of what the reader may see was searched. nearest: passages are shown in their place.
        """
        if not self.phrases or (self.rows and self.whole):
            return ""
        said = " and ".join(f"“{phrase}”" for phrase in self.phrases)
        if self.rows:
            return f"Only the latest {MOST:,} passages with these words were read for {said}. Others may hold it too."
        if not self.sought:
            told = f"The words of {said} are too common to be looked for as a phrase."
        elif not self.whole:
            told = f"None of the latest {MOST:,} passages with these words holds {said}. Older ones were not read."
        elif narrowed:
            told = f"No passage of those searched holds {said}."
        else:
            told = f"No passage that you may see holds {said}."
        return f"{told} These are the nearest." if nearest else told


def find_rows(phrases: Sequence[str], gates: Gates) -> Holders:
    """The visible rows that hold every one of `phrases`, in their text or in the headings above it."""
    wanted = [f" {normalise_words(phrase)} " for phrase in phrases]
    terms = _find_rarest_terms(phrases)
    together = _find_rows_with_all(terms, gates.choose_cheaper(MOST)) if terms else []
    found: list[int] = []
    for start in range(0, min(len(together), MOST), AT_ONCE):
        for number, heading, text in _select_texts(together[start : min(start + AT_ONCE, MOST)]):
            said = f" {normalise_words(heading)} | {normalise_words(text)} "
            if all(phrase in said for phrase in wanted):
                found.append(number)
    return Holders(tuple(phrases), tuple(sorted(found)), bool(terms), len(together) <= MOST)


def normalise_words(text: str) -> str:
    """Words between single blanks, in lower case, without accents."""
    decomposed = unicodedata.normalize("NFKD", text.casefold().replace("\u00ad", ""))
    bare = "".join(c for c in decomposed if not unicodedata.combining(c)) if not decomposed.isascii() else decomposed
    return NO_WORD.sub(" ", IDEOGRAPH.sub(r" \g<0> ", bare)).strip()


def narrow_gates(gates: Gates, rows: Sequence[int]) -> Gates:
    """The gate for these rows alone."""
    only, params = 'AND p."row" = ANY(%(quoted)s::int[])', {**gates.each.params, "quoted": list(rows)}
    each, all_ = (replace(gate, cleared=f"{gate.cleared}\n  {only}", params=params) for gate in (gates.each, gates.all))
    return Gates(each, all_)


def _select_texts(rows: Sequence[int]) -> QuerySet[ContextRow, tuple[int, str, str]]:
    return ContextRow.objects.filter(number__in=rows).values_list("number", "heading_path", "text")


def _find_rarest_terms(phrases: Sequence[str]) -> list[list[int]]:
    """The terms of the longest words that no language drops: mostly the rarest."""
    words = sorted({word for phrase in phrases for word in WORD.findall(phrase)}, key=lambda word: (-len(word), word))
    found = sorted(fetch_rows(FIRM, {"words": words, "configs": list(CONFIGS)})) if words else []
    return [terms for _, terms in found[:LOOKED_UP]]


def _find_rows_with_all(firm: Sequence[Sequence[int]], gate: Gate) -> list[int]:
    """Visible rows that hold all the words, somewhere; one more than are read, where there are more."""
    others = " ".join(OTHER.format(n=n) for n in range(1, len(firm)))
    statement = gate.fill(TOGETHER, others=others)
    params = {**gate.params, **{f"firm_{n}": terms for n, terms in enumerate(firm)}, "most": MOST + 1}
    return [row for (row,) in fetch_rows(statement, params)]
