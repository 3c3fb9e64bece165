"""Votes on the label of a paragraph, and what follows from them (design §2.3).

All votes are kept. The label is the union of what they say, with one exception: a steward's decision. It holds as it
is, lower than other votes where the steward so decided, and only what was not known when it was made adds to it, as
does a floor that is given afterwards.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

Source = Literal["inherited", "rules", "kind", "head", "model", "manual"]
SOURCES: frozenset[str] = frozenset(get_args(Source))

FLOOR = "collection and upload"
"""Reason of the inherited vote that holds the floor of a file: what its collection declares and its senders gave."""
KEPT = "label before this version; only a steward lowers it"
KEPT_DECISION = "set by a steward before an edit"
KEPT_TYPED = "label before an edit; only a steward lowers it"
HELD_BACK = (KEPT, KEPT_DECISION, KEPT_TYPED)
"""Reasons of inherited votes that keep an earlier label up: a decrease waits. `app_review_causes` knows them by these
words.
"""


@dataclass(frozen=True)
class Vote:
    """labels: atoms, Public being none. reason: for stewards, never a quotation of the text. proposed: atoms that
    heads suggest and that label nothing until a steward takes them. source: "kind" is what the document looks
    like as a whole, "head" what a paragraph does (`ingestion.heads`).

    held: it does not end what text rests as (docs/adr/0078): the labels of a finding are proposed until another vote
    does (`ends_rest`), a floor that another version got counts beside it.

    prose, amounts: those of the labels that rules saw in words alone, or in sums of money alone: they are not kept
    apart once the heads have been heard.

    by: who voted manually (user id). over: the atoms of all other votes when a manual one was given: it has overruled
    them, for better or worse. confidence: of the model and the heads, 0 to 1. public: where no atom is needed, that
    this was decided; who merely found nothing has not judged.
    """

    source: Source
    labels: frozenset[int] = frozenset()
    reason: str = ""
    by: int | None = None
    over: frozenset[int] = frozenset()
    confidence: float | None = None
    proposed: frozenset[int] = frozenset()
    public: bool = False
    held: bool = False
    prose: frozenset[int] = field(default=frozenset(), compare=False)
    amounts: frozenset[int] = field(default=frozenset(), compare=False)

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {"source": self.source, "labels": sorted(self.labels), "reason": self.reason}
        if self.by is not None:
            data["by"] = self.by
        if self.source == "manual":
            data["over"] = sorted(self.over)
        if self.confidence is not None:
            data["confidence"] = self.confidence
        if self.proposed:
            data["proposed"] = sorted(self.proposed)
        if self.public:
            data["public"] = True
        if self.held:
            data["held"] = True
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Vote":
        """Raises: ValueError for a source that does not exist."""
        if data.get("source") not in SOURCES:
            raise ValueError(f"not a source of votes: {data.get('source')!r}")
        return cls(
            data["source"],
            frozenset(data["labels"]),
            data.get("reason", ""),
            data.get("by"),
            frozenset(data.get("over", ())),
            data.get("confidence"),
            frozenset(data.get("proposed", ())),
            data.get("public", False),
            data.get("held", False),
        )


def build_votes(rows: Iterable[Mapping[str, Any]]) -> list[Vote]:
    return [Vote.from_json(row) for row in rows]


def find_manual_vote(votes: Iterable[Vote]) -> Vote | None:
    """The decision in force: the latest."""
    latest = None
    for vote in votes:
        latest = vote if vote.source == "manual" else latest
    return latest


def ends_rest(vote: Vote) -> bool:
    """Whether it ends that its text rests, whatever that rests as: a steward, a model, a declaration. As
    `app_ends_rest` has it.
    """
    if vote.source == "manual" or vote.held:
        return vote.source == "manual"
    declares = vote.source == "model" or (vote.source == "inherited" and vote.reason not in HELD_BACK)
    return vote.public or (bool(vote.labels) and declares)


def collect_automatic(votes: Iterable[Vote]) -> frozenset[int]:
    """The atoms of every vote but the manual ones, and but findings that are held."""
    votes = list(votes)
    ended = any(map(ends_rest, votes))
    counted = (v for v in votes if v.source == "inherited" or (v.source != "manual" and (ended or not v.held)))
    return frozenset(atom for vote in counted for atom in vote.labels)


def collect_overruled(votes: Iterable[Vote]) -> frozenset[int]:
    """The atoms that a decision overrules which is made by these votes: also those of findings that are held, and of
    the decision before it.
    """
    earlier, atoms = frozenset[int](), frozenset[int]()
    for vote in votes:
        if vote.source == "manual":
            earlier = vote.over
        else:
            atoms |= vote.labels
    return atoms | earlier


def find_proposed_raise(votes: Iterable[Vote]) -> frozenset[int]:
    """The atoms that votes propose beyond what they label with."""
    votes = list(votes)
    atoms = frozenset(atom for vote in votes for atom in (vote.proposed | vote.labels if vote.held else vote.proposed))
    return atoms - collect_automatic(votes)


def hold_findings(votes: Iterable[Vote]) -> tuple[Vote, ...]:
    """With all of them held, where text rests with stewards and its sender alone."""
    return tuple(replace(vote, held=True) for vote in votes)


def hold_floor(votes: Iterable[Vote], *, held: bool) -> list[Vote]:
    """With the floor held, or not, as this version has it."""
    given = ((vote, vote.source == "inherited" and vote.reason == FLOOR) for vote in votes)
    return [replace(vote, held=held and not vote.public) if is_floor else vote for vote, is_floor in given]


def release_findings(votes: Iterable[Vote]) -> list[Vote]:
    """With none of them held: text rests with others now."""
    return [replace(vote, held=False) for vote in votes]


def find_floor(votes: Iterable[Vote]) -> frozenset[int]:
    """The atoms of the floor that is known to these votes."""
    inherited = (vote for vote in votes if vote.source == "inherited" and vote.reason == FLOOR)
    return frozenset().union(*(vote.labels for vote in inherited))


def add_floor(votes: Iterable[Vote], floor: frozenset[int]) -> list[Vote]:
    """The votes on a paragraph of a file that has this floor now. What they do not know of it binds from here on: a
    decision that was made without it has not overruled it, whatever else said the same. Where findings are held it is
    too, since it may be of another version.
    """
    votes = list(votes)
    known = find_floor(votes)
    new = floor - known
    if not new:
        return votes
    others = (vote for vote in votes if not (vote.source == "inherited" and vote.reason == FLOOR))
    return [
        Vote("inherited", known | new, FLOOR, held=any(vote.held for vote in votes)),
        *(replace(vote, over=vote.over - new) if vote.source == "manual" else vote for vote in others),
    ]


def find_own_atoms(votes: Iterable[Vote]) -> frozenset[int]:
    """The atoms that this version would get by itself: every automatic vote but those that keep an earlier label up."""
    return collect_automatic(vote for vote in votes if not (vote.source == "inherited" and vote.reason in HELD_BACK))


def is_judged(votes: Iterable[Vote]) -> bool:
    """Whether somebody or something knows the label: a steward, a finding that is not held, or who decided that nothing
    is needed. As `app_is_judged` has it.
    """
    votes = list(votes)
    found = any(vote.labels for vote in votes) and not any(vote.held for vote in votes)
    return found or any(map(ends_rest, votes))


def decide_atoms(
    votes: Iterable[Vote], *, model_needed: bool, resting: frozenset[int] = frozenset()
) -> frozenset[int] | None:
    """The atoms that the paragraph needs; None where it stays unlabelled.

    model_needed: without a vote of the model, or a manual one, the paragraph stays unlabelled whatever rules say.
    resting: the atoms of what nobody has judged, beside which an earlier label is kept.
    """
    votes = list(votes)
    decision = find_manual_vote(votes)
    if decision is not None:
        return decision.labels | (collect_automatic(votes) - decision.over)
    if model_needed and not any(vote.source == "model" for vote in votes):
        return None
    atoms = collect_automatic(votes)
    return atoms if is_judged(votes) else atoms | resting
