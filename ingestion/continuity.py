"""Which paragraphs of a new version are those of the published one, and which are made from them (design §4).

Text that stands once in both is the same. Paragraphs with equal text are told apart by their place, and where that
cannot tell them apart none of them is the same as before: what a steward decided of one is not about the other.
"""

import re
from collections.abc import Collection, Mapping, Sequence

from ingestion.models import Paragraph, PastParagraph
from ingestion.summaries import extract_words
from ingestion.votes import build_votes, find_manual_vote

SHARED = 0.6
"""Share of the shorter one's words from which a paragraph counts as made from one that is gone, and keeps its label."""
IDEOGRAPHS = re.compile(
    "[\u2e80-\u2fff\u3005-\u3007\u3041-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
"""As `app_words` has them: written without blanks."""


def match_unchanged(before: Sequence[Paragraph], digests: Sequence[str]) -> dict[int, Paragraph]:
    """number -> the published paragraph that it is. before: all, in order; digests: of the new version's texts.

    Equal ones are matched in order between two texts that stand once in both versions, if they are as many there. Where
    they all have the same label and decision, the others are matched too, as long as they have not become more.
    """
    old_digests = [paragraph.digest for paragraph in before]
    olds, news = _group_by_digest(old_digests), _group_by_digest(digests)
    fixed = {digest for digest in olds.keys() & news.keys() if len(olds[digest]) == len(news[digest]) == 1}
    found = {news[digest][0]: before[olds[digest][0]] for digest in fixed}
    places, new_places = _find_anchors(old_digests, fixed), _find_anchors(digests, fixed)
    for digest in (olds.keys() & news.keys()) - fixed:
        old_at, new_at = _group_by_place(olds[digest], places), _group_by_place(news[digest], new_places)
        same = {place for place in old_at if len(old_at[place]) == len(new_at.get(place, ()))}
        pairs = [pair for place in same for pair in zip(old_at[place], new_at[place], strict=True)]
        left = [number for number in olds[digest] if places[number] not in same]
        new_left = [number for number in news[digest] if new_places[number] not in same]
        if len(new_left) <= len(left) and len({describe_standing(before[number]) for number in olds[digest]}) == 1:
            pairs += zip(left, new_left, strict=False)
        found.update((new, before[old]) for old, new in pairs)
    return found


def describe_standing(paragraph: Paragraph | PastParagraph) -> tuple[object, ...]:
    """What tells two paragraphs with equal text apart: the label, and the decision on it."""
    label, decision = paragraph.data_classification, find_manual_vote(build_votes(paragraph.votes))
    return label, paragraph.floor if label is None else None, decision and (decision.labels, decision.over)


def _group_by_digest(digests: Sequence[str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for number, digest in enumerate(digests):
        found.setdefault(digest, []).append(number)
    return found


def _find_anchors(digests: Sequence[str], fixed: Collection[str]) -> list[tuple[str, str]]:
    """For each, the nearest fixed ones before and after it; "" at the ends."""
    before, after = [""], [""]
    for digest in digests:
        before.append(digest if digest in fixed else before[-1])
    for digest in reversed(digests):
        after.append(digest if digest in fixed else after[-1])
    return list(zip(before[:-1], after[-2::-1], strict=True))


def _group_by_place(
    numbers: Sequence[int], places: Sequence[tuple[str, str]]
) -> Mapping[tuple[str, str], Sequence[int]]:
    found: dict[tuple[str, str], list[int]] = {}
    for number in numbers:
        found.setdefault(places[number], []).append(number)
    return found


def split_words(text: str) -> frozenset[str]:
    """What two texts are compared by: words; where a script has no blanks, its characters, alone and in pairs."""
    parts = set(extract_words(IDEOGRAPHS.sub(" ", text)))
    for run in IDEOGRAPHS.findall(text):
        parts.update(run, (run[place : place + 2] for place in range(len(run) - 1)))
    return frozenset(parts)


def is_made_from(old: frozenset[str], new: frozenset[str]) -> bool:
    """Whether the one holds most of the other; both as `split_words` gives them."""
    return bool(old and new) and len(old & new) >= SHARED * min(len(old), len(new))
