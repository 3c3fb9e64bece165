"""Identity and label of every paragraph of a revision, from its votes and what is known of the revision before.

Invariants (design §2.3, §4): a steward's decision holds for the paragraph it was given to, and is the floor of what an
edit makes of it. No label gets lower by itself: what an earlier label had more stays until a steward takes it away.
"""

import difflib
import hashlib
import json
import uuid
from collections.abc import Sequence
from uuid import UUID

from entities.access import atoms_of, combine_many
from entities.text import digest_of
from ingestion.documents import Extraction
from ingestion.models import Paragraph, PastParagraph
from ingestion.segment import headings_above
from ingestion.summaries import sentences, summarise, words_of
from ingestion.votes import KEPT, KEPT_DECISION, Vote, automatic, decide, manual_vote, votes_of, with_floor
from ingestion.work import Classified, Marked, Segmented, Work

SHARED = 0.6
"""Share of the shorter one's words from which a paragraph counts as made from one that is gone, and keeps its label."""


def mark(work: Work, extraction: Extraction, classified: Classified) -> Segmented:
    """In an open service scope."""
    paragraphs = extraction.paragraphs
    digests = [digest_of(p.text) for p in paragraphs]
    ids = identities(work.file, digests)
    before = list(Paragraph.objects.filter(file=work.file).order_by("position"))
    carried = carried_votes(before, ids, digests, [p.text for p in paragraphs], work.floor)
    for number, back in remembered_votes(work.lineage, before, ids, digests, work.floor).items():
        carried[number] += [vote for vote in back if vote not in carried[number]]
    above = headings_above([(p.kind, p.text, p.heading_path) for p in paragraphs])
    marked = []
    for number, pk in enumerate(ids):
        votes = tuple(with_floor(classified.votes[number], work.floor))  # kept ones may be from before it was raised
        # A vote of the old label is worth keeping only where it says more than the others.
        votes += tuple(v for v in carried[number] if v.source == "manual" or not v.labels <= automatic(votes))
        atoms = decide(votes, model_needed=work.collection.classify)
        decision = manual_vote(votes)
        # Nobody knows the label of what has none: what was found or had before is what it needs at least.
        least = decision.labels if decision else work.floor if atoms is not None else automatic(votes)
        marked.append(
            Marked(
                id=pk,
                digest=digests[number],
                label=None if atoms is None else combine_many(atoms),
                floor=combine_many(least),
                votes=votes,
                headings=tuple(ids[place] for place in above[number]),
            )
        )
    return Segmented(tuple(marked), summaries(extraction, classified, marked), decisions_of(before, work.floor))


def identities(file: UUID, digests: Sequence[str]) -> list[UUID]:
    """uuid5 of (file, digest, ordinal among equals): stable while other paragraphs change."""
    seen: dict[str, int] = {}
    result = []
    for digest in digests:
        ordinal = seen[digest] = seen.get(digest, -1) + 1
        result.append(uuid.uuid5(file, f"{digest} {ordinal}"))
    return result


def decisions_of(paragraphs: Sequence[Paragraph], floor: frozenset[int]) -> str:
    """A digest of what people decided: the manual votes on what is published now, and the floor of the file."""
    votes = [[str(p.pk), v] for p in paragraphs for v in p.votes if v["source"] == "manual"]
    return hashlib.sha256(
        json.dumps([sorted(floor), sorted(votes, key=json.dumps)], sort_keys=True).encode()
    ).hexdigest()


def carried_votes(
    before: Sequence[Paragraph],
    ids: Sequence[UUID],
    digests: Sequence[str],
    texts: Sequence[str],
    floor: frozenset[int],
) -> list[list[Vote]]:
    """What the published paragraphs hand on to those of the new revision, whose file has this floor.

    A paragraph that is gone hands its label and the decision on it to every new one that holds most of its words, or of
    whose words it holds most, wherever that stands: text that was edited, merged, split or moved. A decision that finds
    no such paragraph binds all that stand in the place of its own.
    """
    known = {p.pk: p for p in before}
    carried: list[list[Vote]] = [[] for _ in ids]
    for number, pk in enumerate(ids):
        if pk in known:
            votes = with_floor(votes_of(known[pk].votes), floor)
            carried[number] += [vote for vote in votes if vote.source == "manual"]
            carried[number] += _label_before(known[pk], manual_vote(votes))
    new = {number: words_of(texts[number]) for number, pk in enumerate(ids) if pk not in known}
    kept = set(ids)
    unplaced: dict[UUID, Vote] = {}
    for old in before:
        if old.pk in kept:
            continue
        decision = _decided_before(old)
        votes = [*([decision] if decision else []), *_label_before(old, None)]
        words = words_of(old.text)
        heirs = [number for number, others in new.items() if votes and _shares(words, others)]
        for number in heirs:
            carried[number] += [vote for vote in votes if vote not in carried[number]]
        if decision is not None and not heirs:
            unplaced[old.pk] = decision
    matcher = difflib.SequenceMatcher(a=[p.digest for p in before], b=list(digests), autojunk=False)
    for _, a0, a1, b0, b1 in matcher.get_opcodes() if unplaced else ():
        decisions = [unplaced[old.pk] for old in before[a0:a1] if old.pk in unplaced]
        for number in new.keys() & set(range(b0, b1)):
            carried[number] += [vote for vote in decisions if vote not in carried[number]]
    return carried


def remembered_votes(
    files: Sequence[UUID],
    before: Sequence[Paragraph],
    ids: Sequence[UUID],
    digests: Sequence[str],
    floor: frozenset[int],
) -> dict[int, list[Vote]]:
    """By number, what paragraphs hand on that stood in earlier versions with the same text and are back: their last
    label and the decision on them. files: the file, and those it came in. In an open service scope.
    """
    known = {p.pk for p in before}
    new = [number for number, pk in enumerate(ids) if pk not in known]
    rows = PastParagraph.objects.filter(file__in=files, digest__in={digests[number] for number in new})
    last = rows.order_by("paragraph", "-until", "-pk").distinct("paragraph")
    found: dict[str, list[Vote]] = {}
    for past in last:
        votes = with_floor(votes_of(past.votes), floor)
        decisions = [vote for vote in votes if vote.source == "manual"]
        found.setdefault(past.digest, []).extend([*decisions, *_label_before(past, manual_vote(votes))])
    return {number: found[digests[number]] for number in new if digests[number] in found}


def _decided_before(old: Paragraph) -> Vote | None:
    """A steward's decision on a paragraph that is gone, as a vote on what was made of it."""
    decision = manual_vote(votes_of(old.votes))
    return Vote("inherited", decision.labels, KEPT_DECISION) if decision else None


def _label_before(old: Paragraph | PastParagraph, decision: Vote | None) -> list[Vote]:
    """The old label as a vote, unless a steward's decision says it all. Of a paragraph without a label, what it had
    inherited.
    """
    if decision is not None:
        return []
    if old.data_classification is None:
        inherited = [vote.labels for vote in votes_of(old.votes) if vote.source == "inherited"]
        atoms = frozenset().union(*inherited)
    else:
        atoms = frozenset(atoms_of(old.data_classification))
    return [Vote("inherited", atoms, KEPT)] if atoms else []


def _shares(old: frozenset[str], new: frozenset[str]) -> bool:
    return bool(old and new) and len(old & new) >= SHARED * min(len(old), len(new))


def summaries(extraction: Extraction, classified: Classified, marked: Sequence[Marked]) -> dict[int, list[str]]:
    """label → sentences. A proposal counts for the label that the paragraphs it was made from ended with; where they
    ended with several, it may hold words of each, and counts for none.
    """
    proposed: dict[int, list[str]] = {}
    for text, numbers in classified.proposals:
        labels = {marked[n].label for n in numbers}
        label = labels.pop() if len(labels) == 1 else None
        if label is not None:
            proposed.setdefault(label, []).extend(sentences(text))
    return summarise(texts_by_label(extraction, marked), proposed)


def texts_by_label(extraction: Extraction, marked: Sequence[Marked]) -> dict[int, list[str]]:
    """label → the running texts with exactly that label, in order."""
    texts: dict[int, list[str]] = {}
    for paragraph, mark_ in zip(extraction.paragraphs, marked, strict=True):
        if mark_.label is not None and paragraph.kind in ("text", "list", "table"):
            texts.setdefault(mark_.label, []).append(paragraph.text)
    return texts
