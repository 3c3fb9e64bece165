"""Extractive summaries: the sentences that stand early and say what the others say (LexRank's idea, one step of it)."""

from collections.abc import Sequence

from text.pieces import is_furniture, is_heading, split_sentences
from text.rarity import compute_cosine, compute_frequencies, sum_cosines
from text.terms import extract_terms

REMOVED = "instruction-like text removed"


def summarise(texts: Sequence[str], *, limit: int = 3, characters: int = 600, focus: str = "") -> str:
    """Up to `limit` sentences of `texts`, verbatim and in reading order; nearer to `focus` is better."""
    every = [s for text in texts for s in split_sentences(text)]
    units = [s for s in every if not (is_heading(s) or is_furniture(s)) and REMOVED not in s and len(s) <= 500]
    # A row says nothing without its table's head.
    units = [unit for unit in units if not unit.startswith("|")] or units
    if not units:
        joined = " ".join(" ".join(texts).split())
        return joined[:characters]
    bags = [extract_terms(unit) for unit in units]
    weights = compute_frequencies(bags)
    wanted = extract_terms(focus)
    scored = []
    likeness = sum_cosines(bags, weights)
    for index, bag in enumerate(bags):
        central = likeness[index] / max(1, len(bags) - 1)
        early = 1.0 / (1 + index)
        near = compute_cosine(bag, wanted, weights) if wanted else 0.0
        short = 0.5 if len(bag) < 4 else 1.0
        scored.append((short * (central + 0.25 * early + near), index))
    chosen: list[int] = []
    length = 0
    for _, index in sorted(scored, key=lambda pair: (-pair[0], pair[1])):
        alike = any(
            compute_cosine(bags[index], bags[j], weights) > 0.7 or units[index] in units[j] or units[j] in units[index]
            for j in chosen
        )
        if not alike and (not chosen or length + len(units[index]) <= characters):
            chosen.append(index)
            length += len(units[index])
        if len(chosen) == limit:
            break
    return " ".join(units[index] for index in sorted(chosen))
