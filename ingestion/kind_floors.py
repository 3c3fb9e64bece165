"""Administrators change what documents of a kind are kept for.

What is added binds at once, also documents that are kept already. What is taken away holds for documents that are
judged from then on: no label falls by itself, so what is kept waits for a steward.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from uuid import UUID

from django.db import transaction

from entities.access import Scope, combine_many, list_atoms, load_granted_atoms, raise_labels
from entities.actions import record_action
from entities.api.lists import list_atom_chips
from entities.models import Classification, WorkspaceSettings
from ingestion.attachments import relabel_names
from ingestion.drawn import lock_paragraphs
from ingestion.index import delete_rows
from ingestion.kinds import KINDS, build_kind_floors, load_kind_floors
from ingestion.models import File, Paragraph
from ingestion.name_labels import add_name_atoms
from ingestion.paragraph_rows import find_rows, raise_rows
from ingestion.policy import Policy, load_policy
from ingestion.queueing import publish_again
from ingestion.relabelling import check_labels
from ingestion.votes import Vote, build_votes, decide_atoms
from ingestion.work import load_workspace_atoms


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


def change_kind_floors(*, scope: Scope, wanted: Mapping[str, Collection[int] | None]) -> bool:
    """For administrators. wanted: by kind the atoms of its documents, None for those that Clearance comes with. Atoms
    that the caller is not cleared for stay as they are. Returns whether anything changed; documents that are kept rise
    when this transaction commits, before the caller gets an answer.

    Raises: BadUpload for a label that does not exist or that the caller does not hold.
    """
    given = {key: KINDS[key].floor if atoms is None else check_labels(atoms) for key, atoms in wanted.items()}
    lock_kind_floors()
    changed = dict(WorkspaceSettings.objects.values_list("kind_floors", flat=True).get())
    before, after, held = build_kind_floors(changed), dict(changed), load_granted_atoms()
    raised = []
    for key, atoms in given.items():
        floor = (before[key] - held) | (atoms & held)
        after.pop(key, None)
        if floor != KINDS[key].floor:
            after[key] = sorted(floor)
        if floor != before[key]:
            added, removed = sorted(floor - before[key]), sorted(before[key] - floor)
            record_action(scope, "document_kind.changed", "document_kind", key, added=added, removed=removed)
            raised += [key] if added else []
    if after == changed:
        return False
    WorkspaceSettings.objects.update(kind_floors=after)
    if raised:
        transaction.on_commit(partial(raise_documents, scope.workspace, raised))
    return True


def raise_documents(workspace: int, keys: Collection[str]) -> None:
    """Give documents of these kinds that are published what their kind needs by now. Needs no scope open."""
    with Scope.for_service(workspace).open():
        policy, known = load_policy(), load_workspace_atoms()
        kinds = dict(File.objects.filter(revision__kind__in=list(keys)).values_list("pk", "revision__kind"))
        # Publishing locks the file before its paragraphs: so does this.
        files = list(File.objects.select_for_update().filter(pk__in=list(kinds)).order_by("pk"))
        of_files = Paragraph.objects.filter(file__in=list(kinds))
        lock_paragraphs(of_files.values_list("pk", flat=True), to_change=True)
        labels: dict[UUID, int] = {}
        for file in files:
            kind, atoms = kinds[file.pk], policy.kind_floors[kinds[file.pk]] & known
            paragraphs = list(of_files.filter(file=file.pk).order_by("position"))
            moved = {p.pk: label for p in paragraphs if (label := _raise_paragraph(p, kind, atoms, policy)) is not None}
            labels |= moved
            if moved and file.origin_id is None:
                add_name_atoms(file, atoms)
            if moved:
                publish_again(file.pk)
        raise_labels(labels)


def _raise_paragraph(paragraph: Paragraph, kind: str, atoms: frozenset[int], policy: Policy) -> int | None:
    """The label that it has now, where that is another. With the paragraph locked."""
    votes, old = _add_to_kind(build_votes(paragraph.votes), kind, atoms, policy), paragraph.data_classification
    paragraph.votes = [vote.to_json() for vote in votes]
    if old is None:
        paragraph.floor = combine_many([paragraph.floor, *atoms])
    else:
        needed = decide_atoms(votes, model_needed=False, resting=policy.resting) or frozenset()
        paragraph.data_classification = combine_many([old, *needed]) if paragraph.judged else combine_many(needed)
    label = paragraph.data_classification
    if label is not None and label != old:
        rows = find_rows(paragraph)
        if old is not None and set(list_atoms(old)) < set(list_atoms(label)):
            rows = raise_rows(paragraph, rows, label)
        delete_rows(rows)
        relabel_names(paragraph.pk, label)
    paragraph.save(update_fields=["votes", "floor", "data_classification"])
    return label if label != old else None


def _add_to_kind(votes: list[Vote], kind: str, atoms: frozenset[int], policy: Policy) -> list[Vote]:
    """With the vote of the kind as it would be today, and what it was before."""
    place = next((n for n, vote in enumerate(votes) if vote.source == "kind"), None)
    vote = Vote("kind", reason=KINDS[kind].looks_like) if place is None else votes[place]
    if policy.resting is None:
        vote = replace(vote, proposed=vote.proposed | atoms)
    else:
        vote = replace(vote, labels=vote.labels | atoms)
    return [*votes, vote] if place is None else [*votes[:place], vote, *votes[place + 1 :]]
