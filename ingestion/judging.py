"""Votes of the heads: on a document as a whole, whose kind has a floor, and on each of its paragraphs."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np

from ingestion.embedders import Embedder
from ingestion.heads import LONGEST, Finding, Heads, Judgement, load_heads
from ingestion.kinds import KINDS
from ingestion.votes import Vote, hold_findings

BATCH = 32
"""Texts between two reports."""
RESEMBLES = "resembles text that needs this"
STANDS_IN = "stands in a document that resembles sensitive ones"
ORDINARY = 0.3
"""Below it a paragraph's head takes it for ordinary, whatever rules see in its words."""


@dataclass(frozen=True)
class HeadVotes:
    """kind: of a document that is held as a whole, else "". votes: of each paragraph. ordinary: the numbers of those
    that their head takes for ordinary. published: whether sums of money in the document are.
    """

    kind: str
    votes: tuple[tuple[Vote, ...], ...]
    ordinary: frozenset[int] = frozenset()
    published: bool = False

    def find_cues(self, vote: Vote, number: int) -> frozenset[int]:
        """Those of a vote's labels that are no finding in that paragraph: what words alone suggest where its head takes
        it for ordinary, and sums of money in a published document where nothing else is found in it.
        """
        cues = vote.prose if number in self.ordinary else frozenset()
        is_open = self.published and not any(by_head.labels for by_head in self.votes[number])
        return cues | vote.amounts if is_open and vote.labels <= cues | vote.amounts else cues


def vote_by_heads(
    embedder: Embedder,
    name: str,
    texts: Sequence[str],
    *,
    floors: Mapping[str, frozenset[int]],
    known: frozenset[int],
    resting: frozenset[int],
    show: Callable[[], None] = lambda: None,
) -> HeadVotes | None:
    """name: of the file. floors: of each kind. known: the atoms of the workspace. resting: those of unjudged text. None
    without heads for this encoder, or without text. Raises: EmbeddingFailed.
    """
    heads = load_heads(embedder.model_id)
    if heads is None or not texts:
        return None
    pieces = [(number, piece) for number, text in enumerate(texts) for piece in split_evenly(text)]
    vectors = []
    for first in range(0, len(pieces), BATCH):
        vectors.append(embedder.embed_documents([piece for _, piece in pieces[first : first + BATCH]]))
        show()
    lengths = [len(piece) for _, piece in pieces]
    judgement = heads.judge(np.concatenate(vectors), lengths, embedder.embed_documents([name])[0])
    found: dict[int, Finding] = {}
    for (number, _), finding in zip(pieces, judgement.paragraphs, strict=True):
        found[number] = max(found.get(number, finding), finding, key=attrgetter("sensitive"))
    whole = build_kind_votes(judgement, floors, known)
    votes = [(*whole, *build_paragraph_votes(heads, found[number], known, resting)) for number in range(len(texts))]
    if heads.suspect <= judgement.sensitive and not judgement.held:
        suggest_likeliest(votes, found, known)
    ordinary = frozenset(number for number, finding in found.items() if finding.sensitive < ORDINARY)
    return HeadVotes(judgement.kind if judgement.held else "", tuple(votes), ordinary, judgement.published)


def join_votes(
    votes: Sequence[Sequence[Vote]], said: HeadVotes | None, *, is_offline: bool = False, holds: bool = False
) -> tuple[tuple[Vote, ...], ...]:
    """The votes on each paragraph, with those of its head. What is a cue and no finding labels nothing.
    is_offline: the model's votes are the rules' own. holds: findings are held.
    """
    rules = {"rules", "model"} if is_offline else {"rules"}
    found = []
    for number, given in enumerate(votes):
        cues = frozenset().union(*(said.find_cues(vote, number) for vote in given if said))
        kept = (
            replace(vote, labels=vote.labels - cues, held=holds) if vote.source in rules else replace(vote, held=False)
            for vote in given
        )
        by_heads = said.votes[number] if said else ()
        found.append((*kept, *(hold_findings(by_heads) if holds else by_heads)))
    return tuple(found)


def split_evenly(text: str) -> list[str]:
    """Pieces of about one length that a vector can be made of."""
    count = max(1, math.ceil(len(text) / LONGEST))
    size = max(1, math.ceil(len(text) / count))
    return [text[at : at + size] for at in range(0, max(1, len(text)), size)]


def build_kind_votes(
    judgement: Judgement, floors: Mapping[str, frozenset[int]], known: frozenset[int]
) -> tuple[Vote, ...]:
    atoms = floors.get(judgement.kind, frozenset()) & known if judgement.held else frozenset()
    if not atoms:
        return ()
    return (Vote("kind", atoms, KINDS[judgement.kind].looks_like, confidence=judgement.sensitive),)


def suggest_likeliest(votes: list[tuple[Vote, ...]], found: Mapping[int, Finding], known: frozenset[int]) -> None:
    """Proposes a label for the likeliest paragraph of a document that resembles sensitive ones and is not held, so that
    a steward looks at the document. Nothing where a paragraph of it is proposed already, or all are labelled.
    """
    if any(vote.proposed for given in votes for vote in given):
        return
    left = [number for number, given in enumerate(votes) if not given and found[number].atoms & known]
    if left:
        likeliest = max(left, key=lambda number: found[number].sensitive)
        votes[likeliest] = (Vote("head", reason=STANDS_IN, proposed=found[likeliest].atoms & known),)


def build_paragraph_votes(
    heads: Heads, found: Finding, known: frozenset[int], resting: frozenset[int]
) -> tuple[Vote, ...]:
    """A label also where the resting one has it already: no declaration and no other resting label opens what was
    found.
    """
    atoms = found.atoms & known
    if not atoms or found.sensitive < heads.propose:
        return ()
    if found.sensitive < heads.label:
        return () if atoms <= resting else (Vote("head", reason=RESEMBLES, proposed=atoms),)
    return (Vote("head", atoms, RESEMBLES, confidence=round(found.sensitive, 2)),)
