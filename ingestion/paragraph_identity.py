"""Identity and label of every paragraph of a revision, from its votes and what is known of the revision before.

Invariants (design §2.3, §4): a steward's decision holds for the paragraph it was given to, and is the floor of what an
edit makes of it. No label gets lower by itself: what an earlier label had more stays until a steward takes it away.
"""

import difflib
import hashlib
import json
import uuid
from collections.abc import Mapping, Sequence
from uuid import UUID

from django.utils.crypto import salted_hmac

from entities.access import combine_many, list_atoms
from entities.models.classification import STEWARDS
from entities.text import compute_digest
from ingestion.continuity import describe_standing, is_made_from, match_unchanged, split_words
from ingestion.documents import Extraction
from ingestion.models import Paragraph, PastParagraph
from ingestion.segment import find_headings_above, list_disclosed_headings
from ingestion.summaries import split_sentences, summarise_paragraphs
from ingestion.votes import (
    KEPT,
    KEPT_DECISION,
    Vote,
    add_floor,
    build_votes,
    collect_automatic,
    decide_atoms,
    find_manual_vote,
    hold_floor,
    is_judged,
)
from ingestion.work import FileVotes, MarkedParagraph, SegmentedFile, Work, build_clearances


def segment_text(work: Work, extraction: Extraction, classified: FileVotes) -> SegmentedFile:
    """In an open service scope."""
    paragraphs = extraction.paragraphs
    digests = [compute_digest(p.text) for p in paragraphs]
    before = list(Paragraph.objects.filter(file=work.file).order_by("position"))
    same = match_unchanged(before, digests)
    ids = choose_identities(work.file, digests, {number: old.pk for number, old in same.items()})
    carried = carry_votes(before, same, digests, [p.text for p in paragraphs], work.floor)
    for number, back in recall_votes(work.lineage, before, same, ids, digests, work.floor).items():
        carried[number] += [vote for vote in back if vote not in carried[number]]
    above = find_headings_above([(p.kind, p.text, p.heading_path) for p in paragraphs])
    marked = []
    for number, pk in enumerate(ids):
        votes = tuple(add_floor(classified.votes[number], work.floor))  # kept ones may be from before it was raised
        votes = tuple(hold_floor(votes, held=work.policy.holds and not work.declares))
        # A vote of the old label is worth keeping only where it says more than the others.
        votes += tuple(v for v in carried[number] if v.source == "manual" or not v.labels <= collect_automatic(votes))
        atoms = decide_atoms(votes, model_needed=work.collection.classify, resting=work.policy.resting)
        decision = find_manual_vote(votes)
        # Nobody knows the label of what has none, or rests: what was found or had before is what it needs at least.
        known = atoms is not None and is_judged(votes)
        least = decision.labels if decision else work.floor if known else collect_automatic(votes)
        marked.append(
            MarkedParagraph(
                id=pk,
                digest=digests[number],
                label=None if atoms is None else combine_many(atoms),
                floor=combine_many(least),
                votes=votes,
                headings=tuple(ids[place] for place in above[number]),
            )
        )
    return SegmentedFile(
        tuple(marked), build_label_summaries(extraction, classified, marked), digest_decisions(before, work.floor)
    )


def choose_identities(file: UUID, digests: Sequence[str], kept: Mapping[int, UUID]) -> list[UUID]:
    """By number: what is kept, whatever gave it, else one made of (file, digest, the first ordinal among equals that is
    free). Made with the installation's key: no reader can compute from the ordinal what stands hidden among the equals.
    """
    taken = set(kept.values())
    ordinals: dict[str, int] = {}
    result = []
    for number, digest in enumerate(digests):
        pk = kept.get(number)
        while pk is None:
            ordinal = ordinals[digest] = ordinals.get(digest, -1) + 1
            secret = salted_hmac("ingestion.paragraph", f"{digest} {ordinal}", algorithm="sha256").hexdigest()
            free = uuid.uuid5(file, secret)
            pk = None if free in taken else free
        result.append(pk)
    return result


def list_disclosed_sections(work: Work, extraction: Extraction, segmented: SegmentedFile) -> dict[int, list[UUID]]:
    """By place, of paragraphs under a heading of which not all their readers may know: the headings that they stand
    under to those. In an open scope.
    """
    marked = segmented.paragraphs
    labels, kinds = [mark_.label for mark_ in marked], [paragraph.kind for paragraph in extraction.paragraphs]
    places = {mark_.id: place for place, mark_ in enumerate(marked)}
    above = [tuple(places[pk] for pk in mark_.headings) for mark_ in marked]
    clearances = build_clearances(labels, work.inputs.concealed_atoms)
    found = {}
    for label in {*labels}:
        if label is None:
            continue
        for place, path in list_disclosed_headings(kinds, labels, above, label, clearances).items():
            if labels[place] == label and path != above[place]:
                found[place] = [marked[heading].id for heading in path]
    return found


def digest_decisions(paragraphs: Sequence[Paragraph], floor: frozenset[int]) -> str:
    """A digest of what the labels of a new version were made from: what is published now, with its labels and what
    people decided of it, and the floor of the file.
    """
    rows = [
        [str(p.pk), p.data_classification, [v for v in p.votes if v["source"] == "manual"]]
        for p in sorted(paragraphs, key=lambda p: p.pk)
    ]
    return hashlib.sha256(json.dumps([sorted(floor), rows], sort_keys=True).encode()).hexdigest()


def carry_votes(
    before: Sequence[Paragraph],
    same: Mapping[int, Paragraph],
    digests: Sequence[str],
    texts: Sequence[str],
    floor: frozenset[int],
) -> list[list[Vote]]:
    """What the published paragraphs hand on to those of the new revision, whose file has this floor. same: those that
    are still there, by number.

    A paragraph that is gone hands its label and the decision on it to every new one that holds most of its words, or of
    whose words it holds most, wherever that stands: text that was edited, merged, split or moved. A decision that finds
    no such paragraph binds all that stand in the place of its own. What a steward decided is the floor of a new
    paragraph with the same words too.
    """
    carried: list[list[Vote]] = [[] for _ in digests]
    decided: dict[str, list[Vote]] = {}
    for number, old in same.items():
        carried[number] += _keep_standing_votes(old, floor)
        decided.setdefault(old.digest, []).extend(_carry_decision(old))
    new = {number: split_words(text) for number, text in enumerate(texts) if number not in same}
    for number in new:
        carried[number] += dict.fromkeys(decided.get(digests[number], ()))
    stay = {old.pk for old in same.values()}
    unplaced: dict[UUID, list[Vote]] = {}
    for old in before:
        votes = _inherit_votes(old)
        if old.pk in stay or not votes:
            continue
        parts = split_words(old.text)
        heirs = [n for n, others in new.items() if digests[n] == old.digest or is_made_from(parts, others)]
        for number in heirs:
            carried[number] += [vote for vote in votes if vote not in carried[number]]
        if not heirs:
            unplaced[old.pk] = _carry_decision(old)
    matcher = difflib.SequenceMatcher(a=[p.digest for p in before], b=list(digests), autojunk=False)
    for _, a0, a1, b0, b1 in matcher.get_opcodes() if any(unplaced.values()) else ():
        decisions = [vote for old in before[a0:a1] for vote in unplaced.get(old.pk, ())]
        for number in new.keys() & set(range(b0, b1)):
            carried[number] += [vote for vote in decisions if vote not in carried[number]]
    return carried


def recall_votes(
    files: Sequence[UUID],
    before: Sequence[Paragraph],
    same: Mapping[int, Paragraph],
    ids: Sequence[UUID],
    digests: Sequence[str],
    floor: frozenset[int],
) -> dict[int, list[Vote]]:
    """By number, what paragraphs hand on that stood in earlier versions with the same text and are back: their last
    label and the decision on them. files: the file, and those it came in. In an open service scope.

    Where it is not certain which of several equal ones is back, each hands on what it had, and no decision to lower it.
    """
    new: dict[str, list[int]] = {}
    for number in range(len(ids)):
        if number not in same:
            new.setdefault(digests[number], []).append(number)
    rows = PastParagraph.objects.filter(file__in=files, digest__in=list(new))
    past: dict[str, list[PastParagraph]] = {}
    for one in rows.order_by("paragraph", "-until", "-pk").distinct("paragraph"):
        past.setdefault(one.digest, []).append(one)
    there = {paragraph.digest for paragraph in before}
    found: dict[int, list[Vote]] = {}
    for digest, olds in past.items():
        alone = len(new[digest]) == 1 or {ids[number] for number in new[digest]} <= {old.paragraph for old in olds}
        if digest not in there and alone and len({describe_standing(old) for old in olds}) == 1:
            votes = _keep_standing_votes(olds[0], floor)
        else:
            votes = list(dict.fromkeys(vote for old in olds for vote in _inherit_votes(old)))
        found |= dict.fromkeys(new[digest], votes)
    return found


def _keep_standing_votes(old: Paragraph | PastParagraph, floor: frozenset[int]) -> list[Vote]:
    """What a paragraph keeps that is there still, or again: the decisions on it, and what its label had beyond them."""
    votes = add_floor(build_votes(old.votes), floor)
    return [*(vote for vote in votes if vote.source == "manual"), *_label_before(old, find_manual_vote(votes))]


def _inherit_votes(old: Paragraph | PastParagraph) -> list[Vote]:
    """What a paragraph that is gone hands on to others: nothing that lowers their label."""
    return [*_carry_decision(old), *_label_before(old, None)]


def _carry_decision(old: Paragraph | PastParagraph) -> list[Vote]:
    """A steward's decision on another paragraph, as a vote; none where it asked for nothing."""
    decision = find_manual_vote(build_votes(old.votes))
    return [Vote("inherited", decision.labels, KEPT_DECISION)] if decision and decision.labels else []


def _label_before(old: Paragraph | PastParagraph, decision: Vote | None) -> list[Vote]:
    """The old label as a vote, as far as a steward's decision does not say it or overrule it. Of a paragraph without a
    label, what it had inherited; of one that nobody had judged, nothing.
    """
    votes = build_votes(old.votes)
    if old.data_classification is None or not is_judged(votes):
        inherited = [vote.labels for vote in votes if vote.source == "inherited"]
        atoms = frozenset().union(*inherited)
    else:
        atoms = frozenset(list_atoms(old.data_classification)) - {STEWARDS}  # of text that rested until a floor came
    if decision is not None:
        atoms -= decision.labels | decision.over
    return [Vote("inherited", atoms, KEPT)] if atoms else []


def build_label_summaries(
    extraction: Extraction, classified: FileVotes, marked: Sequence[MarkedParagraph]
) -> dict[int, list[str]]:
    """label → sentences. A proposal counts for the label that the paragraphs it was made from ended with; where they
    ended with several, it may hold words of each, and counts for none.
    """
    proposed: dict[int, list[str]] = {}
    for text, numbers in classified.proposals:
        labels = {marked[n].label for n in numbers}
        label = labels.pop() if len(labels) == 1 else None
        if label is not None:
            proposed.setdefault(label, []).extend(split_sentences(text))
    return summarise_paragraphs(group_texts_by_label(extraction, marked), proposed)


def group_texts_by_label(extraction: Extraction, marked: Sequence[MarkedParagraph]) -> dict[int, list[str]]:
    """label → the running texts with exactly that label, in order."""
    texts: dict[int, list[str]] = {}
    for paragraph, mark_ in zip(extraction.paragraphs, marked, strict=True):
        if mark_.label is not None and paragraph.kind in ("text", "list", "table"):
            texts.setdefault(mark_.label, []).append(paragraph.text)
    return texts
