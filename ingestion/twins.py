"""Twins: paragraphs that say nearly the same and need different labels, so that one gives away what the other hides.

Exact, not by chance: two texts that share nine words in ten share one of their rarest words, so only texts that do are
compared (prefix filtering: Bayardo, Ma and Srikant, Scaling up all pairs similarity search, 2007).
"""

import re
import time
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from entities.access import Scope
from entities.models import FieldParagraph
from ingestion.desk import Item, build_item, load_places, select_field_paragraphs, select_paragraphs
from ingestion.models import Paragraph

WORD = re.compile(r"[^\W_]+(?:[.,'’@:/-][^\W_]+)*")
ALIKE_TENTHS = 9
"""Of the words of the longer one, how many both have: one or two words of twenty may differ."""
FEWEST_WORDS = 4
MAX_COMPARED = 10_000
"""Paragraphs of files, and as many typed ones: a second or two."""
MAX_SECONDS = 3.0
"""Then the longest texts are left."""


@dataclass(frozen=True)
class Twin:
    """alike: share of their words that both have. hidden: the one that fewer may read."""

    hidden: Item
    open: Item
    alike: float


@dataclass(frozen=True)
class TwinsFound:
    """twins: the most alike first, each open paragraph once. count: how many there are. compared, left_out: paragraphs
    that were compared, and that were too many for it.
    """

    twins: Sequence[Twin]
    count: int
    compared: int
    left_out: int


def find_twins(scope: Scope, is_lower: Callable[[int, int], bool], most: int) -> TwinsFound:
    """Of what the open scope may read. is_lower: whether text with the first label is open to somebody who may not read
    the second. Text without a label is for stewards, and nobody's twin.
    """
    of_files = select_paragraphs(scope).filter(data_classification__isnull=False).order_by("pk")
    typed = select_field_paragraphs(scope).filter(data_classification__isnull=False).order_by("pk")
    columns = ("pk", "data_classification", "text")
    rows = [*of_files.values_list(*columns)[:MAX_COMPARED], *typed.values_list(*columns)[:MAX_COMPARED]]
    left_out = of_files.count() + typed.count() - len(rows)
    holders: defaultdict[tuple[tuple[str, ...], int], list[UUID]] = defaultdict(list)
    for pk, label, text in rows:
        words = split_words(text)
        if len(words) >= FEWEST_WORDS:
            holders[words, label].append(pk)
    nodes = list(holders)
    best: dict[UUID, tuple[float, UUID]] = {}
    pairs, late = find_alike([words for words, _ in nodes], [label for _, label in nodes])
    left_out += (late_rows := sum(len(holders[nodes[index]]) for index in late))
    for one, other, alike in pairs:
        for low, high in ((one, other), (other, one)):
            if is_lower(nodes[low][1], nodes[high][1]):
                found = (alike, holders[nodes[high]][0])
                best |= {pk: max(best.get(pk, found), found) for pk in holders[nodes[low]]}
    ranked = sorted(((alike, low, high) for low, (alike, high) in best.items()), key=lambda row: (-row[0], row[1]))
    items = _load_items(scope, {pk for _, low, high in ranked[:most] for pk in (low, high)})
    twins = [Twin(items[high], items[low], alike) for alike, low, high in ranked[:most] if {low, high} <= items.keys()]
    return TwinsFound(twins, len(best), len(rows) - late_rows, left_out)


def split_words(text: str) -> tuple[str, ...]:
    """The words of a text in its order, whatever their case and the marks between them."""
    return tuple(WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def find_alike(
    texts: Sequence[Sequence[str]], labels: Sequence[Hashable]
) -> tuple[list[tuple[int, int, float]], list[int]]:
    """((index, index, share of words) of all texts that are alike and have different labels; the texts for which there
    was no time). Among the others no pair is missed.
    """
    until = time.monotonic() + MAX_SECONDS
    found: list[tuple[int, int, float]] = []
    bags = [_count_words(words) for words in texts]
    known = Counter(word for bag in bags for word in bag)
    ranks = {word: rank for rank, (word, _) in enumerate(sorted(known.items(), key=lambda entry: (entry[1], entry[0])))}
    sets = [frozenset(ranks[word] for word in bag) for bag in bags]
    by_word: defaultdict[int, defaultdict[Hashable, list[int]]] = defaultdict(lambda: defaultdict(list))
    shortest_first = sorted(range(len(sets)), key=lambda n: len(sets[n]))
    for place, index in enumerate(shortest_first):
        if time.monotonic() >= until:
            return found, shortest_first[place:]
        words, label = sets[index], labels[index]
        needed = -(-ALIKE_TENTHS * len(words) // 10)
        rarest = sorted(words)[: len(words) - needed + 1]
        candidates = {
            other
            for word in rarest
            for of, others in by_word[word].items()
            if of != label
            for other in others
            if len(sets[other]) >= needed
        }
        for other in candidates:
            if (shared := len(words & sets[other])) >= needed:
                found.append((other, index, shared / len(words)))
        for word in rarest:
            by_word[word][label].append(index)
    return found, []


def _count_words(words: Sequence[str]) -> list[tuple[str, int]]:
    """Each word with which time it is: a word that stands there twice is two."""
    seen: Counter[str] = Counter()
    numbered = []
    for word in words:
        seen[word] += 1
        numbered.append((word, seen[word]))
    return numbered


def _load_items(scope: Scope, wanted: set[UUID]) -> Mapping[UUID, Item]:
    paragraphs: list[Paragraph | FieldParagraph] = [
        *select_paragraphs(scope).filter(pk__in=wanted),
        *select_field_paragraphs(scope).filter(pk__in=wanted),
    ]
    places = load_places(scope, paragraphs)
    return {row.pk: build_item(row, places[row.pk]) for row in paragraphs if row.pk in places}
