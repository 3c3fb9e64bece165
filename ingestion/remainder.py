"""What the reader does not show of a file, and the label that the original needs for it (docs/adr/0046).

Text of it is labelled by the rules, as a paragraph is. What is not text has a code, and the kind of the code decides:
it inherits the label of the file, or it is strict and has no label before a steward gives it one. No database here.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from entities.rag import RemainderPolicy
from ingestion.classify import LONGEST_REASON
from ingestion.documents import Extraction
from ingestion.extract import language
from ingestion.votes import KEPT, Vote, build_votes, collect_automatic, decide_atoms, find_manual_vote
from llm.rules import vote_by_rules

Kind = Literal["inherit", "strict"]

UNREADABLE_LETTERS = "unreadable_letters"
"""Letters beside text that was read, of a font that does not say which they are: shapes, as drawn letters are."""
RELEASED = "released"
"""A steward published the version with what was read of it; what it lost may be anything."""
INSIDE = "inside"
"""It was found in a file that came in this one, and that is gone."""
NOT_READ = "not_read"
"""The file itself: none of it was read."""
UNSHOWN = "unshown"
"""More than the paragraphs say is in the file, or may be: texts, whatever the rules make of them; and of a file with
parts, what no reading proves not to be there."""
DECIDED_BEFORE = "decided_before"
"""A steward decided on the remainder of the version before, and that of this one is another."""

KINDS: Mapping[str, Kind] = {
    # Pictures and drawings beside text that was read, and letters that are drawn as shapes (`find_codes`).
    "drawing": "inherit",
    "font": "inherit",
    "image": "inherit",
    "outlined_text": "inherit",
    "thumbnail": "inherit",
    UNREADABLE_LETTERS: "inherit",
    "unexplained_ink": "inherit",
    # Texts are labelled by the rules; a strict collection does not take those for all that can be said.
    UNSHOWN: "inherit",
    # A picture that was read, though not every word of it with certainty.
    "ocr_uncertain": "inherit",
    "vision_unchecked": "inherit",
    # Data that lie elsewhere: the bytes hold their address alone, which is text of the remainder.
    "remote_reference": "inherit",
    # Pages of which nothing was read.
    "no_text_layer": "strict",
    "page_failed": "strict",
    "unreadable_page": "strict",
    "unreadable_text": "strict",
    # Files of their own.
    "attachment": "strict",
    "embedded_object": "strict",
    "media": "strict",
    INSIDE: "strict",
    # Parts that are encrypted, damaged, too large or not known.
    "damaged": "strict",
    "damaged_part": "strict",
    "encrypted_part": "strict",
    "packed_data": "strict",
    "remainder_too_large": "strict",
    "trailing_data": "strict",
    "unknown_part": "strict",
    # Text that no sweep has gathered.
    "annotation": "strict",
    "comments": "strict",
    "earlier_revision": "strict",
    "footnotes": "strict",
    "form": "strict",
    # The formulas themselves are text of the remainder; their values are nowhere.
    "formula": "inherit",
    "header_footer": "strict",
    "hidden_cells": "strict",
    "hidden_data": "strict",
    "hidden_sheet": "strict",
    "hidden_slide": "strict",
    "hidden_text": "strict",
    "javascript": "strict",
    "macros": "strict",
    "notes": "strict",
    "script": "strict",
    "tracked_changes": "strict",
    # What was read could not be compared with what there is, or is less than that.
    "not_compared": "strict",
    RELEASED: "strict",
    NOT_READ: "strict",
    DECIDED_BEFORE: "strict",
}
"""By code. One that is not here is strict."""

MADE_BY_PROGRAMS = re.compile(
    r"\b[A-Za-z][\w+-]{2,40}/v?\d+(?:\.\d+){1,4}(?=[\s$+;,)]|$)"  # a product with its version (RFC 9110, 10.1.5)
    r"|\b(?:[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}|xmp\.[di]id:[0-9A-F]{32})\b"
)
MONEY = re.compile(r"[€$£¥]")
_SUM = r"(?:[€$£¥]\d[\d.,']*+(?:bn|[kKmM])?+|(?<![\d.,'])\d[\d.,']*+[€$£¥])"
IN_NOISE = re.compile(rf"(?<=[^\s\d\"'=:;,()>/A-Z.-]){_SUM}|{_SUM}(?!</|[\s\"'=:;,().?!%*/-]|$)")
LASTING_EXCEPT = frozenset(
    {
        "image",
        "no_text_layer",
        "not_compared",
        "ocr_uncertain",
        "page_failed",
        "unexplained_ink",
        "unreadable_page",
        "vision_unchecked",
    }
)
"""Codes of pages and pictures that one way of reading does not make out and another does."""


def find_kind(code: str, policy: RemainderPolicy = "default") -> Kind:
    return KINDS.get(code, "strict") if policy == "default" else policy


def find_codes(extraction: Extraction) -> set[str]:
    """The codes of an extraction, as far as its pages matter: what inherits stands beside text that was read, and on a
    page without any it is a page that nothing has read."""
    placed = [missed for missed in extraction.unaccounted if missed.page is not None]
    pages = {p.page for p in extraction.paragraphs} if placed else set()
    if placed and not {missed.page for missed in placed} <= pages:
        pages |= {box.page for p in extraction.paragraphs for box in p.boxes}
    codes = {missed.code for missed in extraction.unaccounted if missed.page is None}
    for missed in placed:
        code = UNREADABLE_LETTERS if missed.code == "unreadable_text" else missed.code
        codes.add(code if missed.page in pages or find_kind(code) == "strict" else "no_text_layer")
    return codes if extraction.shown and not extraction.remainder else codes | {UNSHOWN}


@dataclass(frozen=True)
class Remainder:
    """The remainder of one version, as its row has it.

    codes: of what is not text, found by any reading of these bytes. found: a digest of the texts, of the codes with
    their pages, and of what is not text. votes: as on a paragraph. settled: the codes that the
    steward's decision in force was about.
    """

    codes: tuple[str, ...] = ()
    found: str = ""
    votes: tuple[Vote, ...] = ()
    settled: frozenset[str] = frozenset()

    def to_json(self) -> dict[str, Any]:
        return {
            "codes": list(self.codes),
            "found": self.found,
            "votes": [vote.to_json() for vote in self.votes],
            "settled": sorted(self.settled),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Remainder":
        return cls(tuple(data["codes"]), data["found"], tuple(build_votes(data["votes"])), frozenset(data["settled"]))

    def list_unsettled(self, policy: RemainderPolicy) -> tuple[str, ...]:
        """The codes that wait for a steward."""
        return tuple(code for code in self.codes if find_kind(code, policy) == "strict" and code not in self.settled)

    def label(self, policy: RemainderPolicy) -> frozenset[int] | None:
        """The atoms that the original needs for it, beside those of the file's paragraphs and floor. None: it has no
        label."""
        return None if self.list_unsettled(policy) else decide_atoms(self.votes, model_needed=False)

    @property
    def floor(self) -> frozenset[int]:
        """The atoms that it needs at least, while it has no label."""
        decision = find_manual_vote(self.votes)
        return collect_automatic(self.votes) | (decision.labels if decision else frozenset())

    def settle(self, vote: Vote) -> "Remainder":
        """As a steward decided of all that it is now."""
        return replace(self, votes=(*self.votes, vote), settled=frozenset(self.codes))

    def is_same(self, other: "Remainder") -> bool:
        """Whether the same was found, so that what a steward decided of the one holds for the other."""
        return (set(self.codes), self.found) == (set(other.codes), other.found)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known to be in the file that the reader does not show."""
        return {*self.codes} <= {UNSHOWN} and all(vote.source == "inherited" for vote in self.votes)

    def keep_decisions(self, earlier: "Remainder") -> "Remainder":
        """With what was decided of an earlier one. No label gets lower by itself: what that one had more stays."""
        decisions = tuple(vote for vote in earlier.votes if vote.source == "manual")
        over = frozenset(atom for vote in decisions for atom in vote.over)
        before = collect_automatic(earlier.votes) - over - collect_automatic(self.votes)
        kept = (Vote("inherited", before, KEPT),) if before else ()
        new = (vote for vote in decisions if vote not in self.votes)
        return replace(self, votes=(*self.votes, *kept, *new), settled=self.settled | earlier.settled)

    @property
    def is_decided(self) -> bool:
        """Whether a steward decided on it, or on that of a version before, which asks for a decision on this one."""
        return find_manual_vote(self.votes) is not None or DECIDED_BEFORE in self.codes

    def follow(self, before: "Remainder") -> "Remainder":
        """After a version with other bytes: what a steward decided of that one holds where the same was found, and is
        asked again otherwise; and so where nothing tells of bytes what they are."""
        if not before.is_decided:
            return self
        if self.is_same(before):
            return self.keep_decisions(replace(before, settled=before.settled - {UNSHOWN}))
        return self if self.is_empty else replace(self, codes=(*self.codes, DECIDED_BEFORE))


def drop_chance_finds(text: str) -> str:
    """Without what only looks like something: versions behind the name of a program, random identifiers, and signs of
    money whose number goes on in letters or other signs."""
    return IN_NOISE.sub(lambda found: MONEY.sub("_", found[0]), MADE_BY_PROGRAMS.sub(" ", text))


def weigh_texts(texts: Iterable[str], on_progress: Callable[[], None] = lambda: None) -> tuple[Vote, ...]:
    """What the rules find in texts that no paragraph shows; no vote where there is none. Most of these texts are names,
    addresses and numbers that programs wrote: their versions are no addresses, nor are signs of money among bytes that
    happen to be letters amounts."""
    votes = []
    for text in texts:
        votes.append(vote_by_rules(drop_chance_finds(text), language.guess_language(text)))
        on_progress()
    if not votes:
        return ()
    atoms = frozenset().union(*(vote.atoms for vote in votes))
    reasons = dict.fromkeys(reason for vote in votes for reason in vote.reasons)
    return (Vote("rules", atoms, "; ".join(reasons)[:LONGEST_REASON]),)


def label_original(
    paragraphs: Iterable[frozenset[int] | None], floor: frozenset[int], remainder: Remainder, policy: RemainderPolicy
) -> frozenset[int] | None:
    """The atoms that the original of a file needs. None where something in it has no label."""
    labels: Sequence[frozenset[int] | None] = [*paragraphs, remainder.label(policy)]
    atoms = set(floor)
    for label in labels:
        if label is None:
            return None
        atoms |= label
    return frozenset(atoms)
