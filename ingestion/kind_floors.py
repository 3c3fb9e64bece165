"""Administrators change what documents of a kind are kept for.

What is added binds documents that are kept already too, also in the bin. What is taken away holds for documents that
are judged from then on: no label falls by itself, so what is kept waits for a steward.
"""

import logging
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import or_
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet

from entities.access import (
    Scope,
    combine_many,
    hold_rows,
    list_atoms,
    list_workspace_ids,
    load_granted_atoms,
    looking_into_bin,
    raise_labels,
)
from entities.access.scope import get_current_scope
from entities.actions import record_action
from entities.api.lists import list_atom_chips
from entities.models import Classification, WorkspaceSettings
from ingestion.access import select_visible_files
from ingestion.attachments import relabel_names
from ingestion.kinds import KINDS, build_kind_floors, load_kind_floors
from ingestion.models import ContextRow, File, Paragraph
from ingestion.name_labels import add_name_atoms
from ingestion.policy import Policy, load_policy
from ingestion.queueing import publish_again
from ingestion.relabelling import check_labels
from ingestion.votes import Vote, build_votes, decide_atoms, is_judged
from ingestion.work import load_workspace_atoms

logger = logging.getLogger(__name__)

MOST_SECONDS = 5.0
"""Of one request, or of one sweep; then the next sweep goes on."""


@dataclass(frozen=True)
class KindRow:
    """A kind of documents. atoms, shipped: what it is kept for, and is unless an administrator says otherwise, as far
    as the open scope is cleared for it.
    """

    key: str
    atoms: frozenset[int]
    shipped: frozenset[int]

    @property
    def looks_like(self) -> str:
        return KINDS[self.key].looks_like

    @property
    def shipped_chips(self) -> list[Classification]:
        return list_atom_chips(self.shipped)


def list_kind_rows() -> list[KindRow]:
    """Every kind, the one of documents that look like nothing in particular last. In an open scope."""
    held, floors = load_granted_atoms(), load_kind_floors()
    return [KindRow(key, floors[key] & held, kind.floor & held) for key, kind in KINDS.items()]


def lock_kind_floors() -> None:
    """In an open scope: nobody else changes them until its transaction ends."""
    list(WorkspaceSettings.objects.select_for_update().values_list("pk"))


def count_left(rows: Collection[KindRow]) -> int:
    """Documents that the open scope reads and that still have to rise to what their kinds need."""
    below = select_below({row.key: row.atoms for row in rows})
    return below.filter(file__in=select_visible_files(get_current_scope()).values("pk")).count()


def change_kind_floors(*, scope: Scope, wanted: Mapping[str, Collection[int] | None]) -> bool:
    """For administrators. wanted: by kind the atoms of its documents, None for those that Clearance comes with. Atoms
    that the caller is not cleared for stay as they are. Returns whether anything changed; documents that are kept begin
    to rise when this transaction commits, before the caller gets an answer (`raise_documents`).

    Raises: BadUpload for a label that does not exist or that the caller does not hold.
    """
    given = {key: KINDS[key].floor if atoms is None else check_labels(atoms) for key, atoms in wanted.items()}
    lock_kind_floors()
    changed = dict(WorkspaceSettings.objects.values_list("kind_floors", flat=True).get())
    before, after, held = build_kind_floors(changed), dict(changed), load_granted_atoms()
    for key, atoms in given.items():
        floor = (before[key] - held) | (atoms & held)
        after.pop(key, None)
        if floor != KINDS[key].floor:
            after[key] = sorted(floor)
        if floor != before[key]:
            added, removed = sorted(floor - before[key]), sorted(before[key] - floor)
            record_action(scope, "document_kind.changed", "document_kind", key, added=added, removed=removed)
    if after == changed:
        return False
    WorkspaceSettings.objects.update(kind_floors=after)
    transaction.on_commit(partial(raise_documents, scope.workspace))
    return True


def raise_documents_everywhere() -> None:
    """What a release keeps more strictly than the one before it is so from its first start on. Needs no scope open."""
    for workspace in list_workspace_ids():
        raise_documents(workspace, float("inf"))


def raise_documents(workspace: int, seconds: float | None = None) -> None:
    """Give documents that are published, in the bin too, what their kind needs by now, each in a transaction of its
    own: one that fails does not hold up the others. seconds: MOST_SECONDS unless said. What is left then is found again
    by the next call. Needs no scope open.
    """
    service, until = Scope.for_service(workspace), time.monotonic() + (MOST_SECONDS if seconds is None else seconds)
    with service.open(), looking_into_bin():
        known = load_workspace_atoms()
        below = select_below({key: atoms & known for key, atoms in load_kind_floors().items()})
        found = list(below.order_by("file").values_list("file", flat=True))
    for file in found:
        if time.monotonic() >= until:
            return
        try:
            with service.open(), looking_into_bin():
                raise_document(file)
        except Exception:
            logger.exception("file %s of workspace %s did not rise; the sweep tries again", file, workspace)


def select_below(floors: Mapping[str, Collection[int]]) -> QuerySet[Paragraph]:
    """The first paragraph of each published document that its kind has not given all of these: in an open scope. All
    paragraphs of a document have the vote of its kind alike.
    """
    lacking = (
        Q(file__revision__kind=key) & ~Q(votes__contains=[{"source": "kind", "labels": [atom]}])
        for key, atoms in floors.items()
        for atom in atoms
    )
    return Paragraph.objects.filter(reduce(or_, lacking, Q(pk__in=[])), position=0)


def raise_document(pk: UUID) -> None:
    """One file, if it is below what its kind needs. In an open service scope."""
    # Publishing locks the file before its paragraphs: so does this.
    file = File.objects.select_for_update(of=("self",)).select_related("revision").filter(pk=pk).first()
    if file is None or file.revision is None or file.revision.kind not in KINDS:
        return
    kind, policy = file.revision.kind, load_policy()
    atoms = policy.kind_floors[kind] & load_workspace_atoms()
    if not select_below({kind: atoms}).filter(file=pk).exists():
        return
    paragraphs = list(hold_rows(Paragraph.objects.filter(file=pk).order_by("position"), to_change=True))
    raised = {p.pk: label for p in paragraphs if (label := _raise_paragraph(p, kind, atoms, policy))}
    Paragraph.objects.bulk_update(paragraphs, ["votes", "floor", "data_classification"], batch_size=500)
    has = {atom for p in paragraphs if p.data_classification for atom in list_atoms(p.data_classification)}
    if file.origin_id is None and atoms & has:
        raised[pk] = add_name_atoms(file, atoms & has)
    if not raised:
        return
    ContextRow.objects.filter(file=pk)._raw_delete("default")
    relabel_names(raised)
    raise_labels(raised)
    publish_again(pk)


def _raise_paragraph(paragraph: Paragraph, kind: str, atoms: frozenset[int], policy: Policy) -> int | None:
    """What text that was drawn from it needs by now; None where that is what it was. With the paragraph locked."""
    votes = _add_to_kind(build_votes(paragraph.votes), kind, atoms, holds=policy.holds and not paragraph.judged)
    paragraph.votes = [vote.to_json() for vote in votes]
    old, rested = paragraph.data_classification, not paragraph.judged
    if old is None:
        if not policy.holds:
            paragraph.floor = combine_many([paragraph.floor, *atoms])
        return None
    needed = decide_atoms(votes, model_needed=False, resting=policy.resting)
    assert needed is not None
    label = paragraph.data_classification = combine_many(needed if rested else [old, *needed])
    # Who sent it, and what they were told from it, had no need of the label that it rested with.
    return label if label != old or (rested and is_judged(votes)) else None


def _add_to_kind(votes: list[Vote], kind: str, atoms: frozenset[int], *, holds: bool) -> list[Vote]:
    """With the vote of the kind as it would be today, and what it was before. holds: findings are held."""
    place = next((n for n, vote in enumerate(votes) if vote.source == "kind"), None)
    vote = Vote("kind", reason=KINDS[kind].looks_like) if place is None else votes[place]
    vote = replace(vote, labels=vote.labels | atoms, held=holds)
    return [*votes, vote] if place is None else [*votes[:place], vote, *votes[place + 1 :]]
