"""One label for all paragraphs of several files, as a steward decides at the desk for a group (docs/labels.md)."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from uuid import UUID

from django.db import transaction
from django.utils.formats import number_format
from django.utils.translation import gettext

from entities.access import Scope
from entities.api.errors import Conflict
from entities.models import Entity
from entities.models.classification import STEWARDS
from ingestion.access import is_steward
from ingestion.desk import Item, build_item, load_places, select_paragraphs
from ingestion.errors import BadUpload
from ingestion.policy import load_resting
from ingestion.relabelling import apply_decisions, build_decision, check_decision
from ingestion.votes import Vote

MAX_PARAGRAPHS = 500
"""In one act, which the request waits for: 30 ms each, three times that on a busy machine."""


def list_file_items(scope: Scope, entity: Entity, files: Iterable[UUID], *, unlike: bool = False) -> list[Item]:
    """The paragraphs of these files of a record that the open scope may read, by file and place. Files of other records
    and files that the scope may not see have none. unlike: those alone that are kept for the kind of their document,
    with what they need if it is none of that kind as the proposal. Raises: BadUpload for more than MAX_PARAGRAPHS.
    """
    found = select_paragraphs(scope).filter(file__in=set(files), file__entity=entity.pk).order_by("file", "position")
    if (count := found.count()) > MAX_PARAGRAPHS:
        words = gettext("These files have %(count)s paragraphs, and at most %(most)s are labelled at once. Tick fewer.")
        numbers = {"count": count, "most": MAX_PARAGRAPHS}
        written = {name: number_format(number, force_grouping=True) for name, number in numbers.items()}
        raise BadUpload(words % written, "too_many")
    paragraphs = list(found)
    places = load_places(scope, paragraphs)
    items = [build_item(paragraph, places[paragraph.pk]) for paragraph in paragraphs if paragraph.pk in places]
    if not unlike:
        return items
    resting = load_resting()
    kept = [item for item in items if item.paragraph.judged and any(vote.source == "kind" for vote in item.votes)]
    unlike_kind = [replace(item, proposed=find_certain_atoms(item.votes) or resting) for item in kept]
    if any(STEWARDS in (item.proposed or ()) for item in unlike_kind):
        words = gettext("New text is for stewards and its sender alone here: choose the levels that these need.")
        raise BadUpload(words, "no_proposal")
    return unlike_kind


def find_certain_atoms(votes: Iterable[Vote]) -> frozenset[int]:
    """What a text needs by all but what it merely looks like."""
    return frozenset(atom for vote in votes if vote.source not in ("kind", "head", "manual") for atom in vote.labels)


def digest_items(items: Iterable[Item]) -> str:
    """A digest of which paragraphs there are and of what a steward sees of each."""
    return hashlib.sha256(" ".join(f"{item.key} {item.seen}" for item in items).encode()).hexdigest()[:16]


def label_files(
    *, scope: Scope, entity: Entity, files: Iterable[UUID], labels: Sequence[int] | None, reason: str, seen: str
) -> tuple[int, list[UUID]]:
    """Give all paragraphs of these files `labels`, carried out as `relabelling.relabel_paragraph` describes; None:
    these are no documents of their kinds, and what was kept for that gets what it needs without (`list_file_items`).

    Returns how many were decided, and a list that gets those that had changed by the commit. Raises: BadUpload without
    a reason, for a label that does not exist, or for too many; Conflict where they are not as they were `seen`
    (`digest_items`); PermissionError for who is no steward.
    """
    if not is_steward(scope):
        raise PermissionError(gettext("Labels are decided by stewards."))
    atoms, reason = check_decision(labels or (), reason)
    items = list_file_items(scope, entity, files, unlike=labels is None)
    if digest_items(items) != seen:
        raise Conflict(gettext("These files have changed since they were shown. Nothing was decided; look again."))
    given = [(item, atoms if labels is not None else item.proposed or atoms) for item in items]
    decisions = [build_decision(scope, item.paragraph, to, reason, item.seen) for item, to in given]
    missed: list[UUID] = []
    if decisions:
        transaction.on_commit(partial(apply_decisions, decisions, missed=missed))
    return len(decisions), missed
