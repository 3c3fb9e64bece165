"""Labels given by stewards."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from uuid import UUID

from django.db import transaction
from django.http import Http404
from django.utils.translation import gettext, gettext_lazy

from entities.access import (
    Scope,
    combine_many,
    list_atoms,
    load_atoms_of_people,
    load_concealed_atoms,
    load_granted_atoms,
    raise_labels,
)
from entities.access.scope import get_current_scope
from entities.api.errors import Conflict
from entities.api.lists import load_atom_chips
from entities.audit import AuditedQuery, record_question
from entities.models import Classification, Entity, FieldParagraph
from entities.models.classification import STEWARDS
from entities.models.text import Labelled
from ingestion.access import is_steward, select_visible_files
from ingestion.attachments import relabel_names
from ingestion.drawn import lock_paragraphs
from ingestion.errors import BadUpload
from ingestion.index import delete_rows
from ingestion.models import File, Paragraph
from ingestion.name_labels import forget_names
from ingestion.paragraph_rows import find_rows, raise_rows
from ingestion.questions import find_atoms_by_rules
from ingestion.queueing import publish_again
from ingestion.records import mark_stale
from ingestion.votes import Vote, build_votes, collect_overruled, decide_atoms, find_floor

LONGEST_REASON = 500
CHANGED = gettext_lazy("This paragraph has changed since it was shown. Nothing was decided; look at it again.")


@dataclass(frozen=True)
class Decision:
    """A steward's label for a paragraph of a file or of a typed text.

    over: what it overrules, where that was judged when it was made: votes that came since add to it. floor: what was
    known then of the floor of the file. digest: of the text that was judged; other text is not what the decision was
    about. seen: `digest_judged` of the paragraph, where the decision is about that and nothing newer. accepted: why it
    had waited, where a proposal was taken as it stood.
    """

    workspace: int
    paragraph: UUID
    of_file: bool
    atoms: frozenset[int]
    reason: str
    by: int
    over: frozenset[int] | None = None
    floor: frozenset[int] = frozenset()
    digest: str = ""
    seen: str = ""
    accepted: tuple[str, ...] = ()


def get_paragraph_or_404(scope: Scope, pk: UUID) -> Paragraph | FieldParagraph:
    """A paragraph that a steward may read, on a record that they may see. Raises: Http404."""
    paragraph = Paragraph.objects.filter(pk=pk, file__in=select_visible_files(scope).values("pk")).first()
    if paragraph is None:
        seen = Entity.objects.visible_to(scope).values("pk")
        typed = FieldParagraph.objects.filter(pk=pk, entity__in=seen).first()
        if typed is None:
            raise Http404("Not found.")
        return typed
    return paragraph


def relabel_paragraph(
    *, scope: Scope, paragraph: Labelled, labels: Iterable[int], reason: str, seen: str = ""
) -> list[Vote]:
    """A steward's decision on a paragraph got with `get_paragraph_or_404`. Returns its votes as they will be.

    seen: `digest_judged` of the paragraph as the steward was shown it, where the decision is about that and nothing
    newer. It is carried out when this transaction commits, before the caller gets an answer, in one transaction of the
    service: text drawn from the paragraph may rise above the label of whoever decides, and scopes do not nest.
    Raises: BadUpload without a reason, or for a label that does not exist or is not the steward's; Conflict where it
    has changed since it was seen, also by the commit, and where its text has by then; PermissionError for who is no
    steward.
    """
    if not is_steward(scope):
        raise PermissionError(gettext("Labels are decided by stewards."))
    if seen and seen != digest_judged(paragraph):
        raise Conflict(CHANGED)
    atoms, reason = check_decision(labels, reason)
    decision = build_decision(scope, paragraph, atoms, reason, seen)
    transaction.on_commit(partial(apply_decision, decision))
    return [*build_votes(paragraph.votes), _cast_vote(decision, paragraph)]


def check_decision(labels: Iterable[int], reason: str) -> tuple[frozenset[int], str]:
    """(atoms, reason) of a steward's own decision. Raises: BadUpload as `relabel_paragraph`."""
    atoms = check_labels(labels)
    reason = reason.replace("\x00", "").strip()
    if not reason:
        raise BadUpload(gettext("Say in a few words why this label is right; the audit keeps it."), "no_reason")
    return atoms, reason[:LONGEST_REASON]


def check_labels(labels: Iterable[int]) -> frozenset[int]:
    """The atoms, none for Public. Raises: BadUpload for a label that does not exist for the open scope, or that it does
    not hold.
    """
    atoms = frozenset(labels) - {0}
    known = load_atom_chips().keys() - load_concealed_atoms()
    if not atoms <= known:
        listed = ", ".join(map(str, sorted(known)))
        raise BadUpload(gettext("Labels are some of: %(known)s.") % {"known": listed}, "unknown_label")
    check_own_labels(atoms)
    return atoms


def list_own_chips() -> list[Classification]:
    """The levels that a steward chooses from: those that they hold, without Public."""
    held = load_granted_atoms() - {STEWARDS}
    return [chip for value, chip in load_atom_chips().items() if value in held]


def check_own_labels(atoms: frozenset[int]) -> None:
    """What somebody labels above their own clearances they would lose sight of, and could not undo. That of stewards
    alone is given by resting only. Raises: BadUpload for an atom that the open scope does not hold.
    """
    if not atoms <= load_granted_atoms() - {STEWARDS}:
        raise BadUpload(
            gettext("You can give labels that you are cleared for yourself, and no others."), "label_not_yours"
        )


def digest_judged(paragraph: Labelled) -> str:
    """A digest of what a steward sees of a paragraph when deciding: its text, label and votes."""
    seen = [paragraph.digest, paragraph.data_classification, paragraph.votes]
    return hashlib.sha256(json.dumps(seen, sort_keys=True).encode()).hexdigest()[:16]


def build_decision(
    scope: Scope, paragraph: Labelled, atoms: frozenset[int], reason: str, seen: str, accepted: tuple[str, ...] = ()
) -> Decision:
    """It overrules what the other votes say today, and what the paragraph was labelled with."""
    votes = build_votes(paragraph.votes)
    return Decision(
        scope.workspace,
        paragraph.pk,
        isinstance(paragraph, Paragraph),
        atoms,
        reason,
        scope.principal,
        collect_overruled(votes),
        find_floor(votes),
        paragraph.digest,
        seen,
        accepted,
    )


def _cast_vote(decision: Decision, paragraph: Labelled) -> Vote:
    votes = build_votes(paragraph.votes)
    if decision.over is None:
        over = collect_overruled(votes)
    else:
        over = decision.over - (find_floor(votes) - decision.floor)
    return Vote("manual", decision.atoms, decision.reason, by=decision.by, over=over)


def apply_decision(decision: Decision) -> None:
    """Raises: Conflict where what it was about is gone, or not as it was seen."""
    if not apply_decisions([decision]):
        raise Conflict(CHANGED)


def apply_decisions(decisions: Sequence[Decision], missed: list[UUID] | None = None) -> int:
    """One transaction, of one workspace: labels, index rows with that text out, text drawn from it raised, the index
    queued to follow, file by file. Returns how many were carried out; `missed` gets the paragraphs of the others, whose
    text is gone or which are not as they were seen.
    """
    with Scope.for_service(decisions[0].workspace).open():
        # Publishing locks the file before its paragraphs: so does this, or they would wait for each other.
        holders = Paragraph.objects.filter(pk__in=[d.paragraph for d in decisions if d.of_file]).values("file")
        list(File.objects.select_for_update().filter(pk__in=holders).order_by("pk"))
        lock_paragraphs([decision.paragraph for decision in decisions], to_change=True)  # all, in everybody's order
        made = {decision.paragraph: _apply_decision(decision) for decision in decisions}
        done = [one for one in made.values() if one is not None]
        raise_labels({paragraph.pk: paragraph.data_classification or 0 for paragraph, _ in done})
        moved = [paragraph for paragraph, index_follows in done if index_follows]
        decided = {paragraph.file_id for paragraph, _ in done if isinstance(paragraph, Paragraph)}
        named = forget_names(decided, load_atoms_of_people([decisions[0].by])[decisions[0].by])
        for file in dict.fromkeys([*(p.file_id for p in moved if isinstance(p, Paragraph)), *named]):
            publish_again(file)
        records = dict.fromkeys(p.entity_id for p in moved if isinstance(p, FieldParagraph))
        if records:
            mark_stale(decisions[0].workspace, list(records))
    if missed is not None:
        missed += [pk for pk, one in made.items() if one is None]
    return len(done)


def _apply_decision(decision: Decision) -> tuple[Paragraph | FieldParagraph, bool] | None:
    """(the paragraph, whether the index has to follow: its label is another now). None where there was nothing to
    decide on any more. With the paragraph locked.
    """
    model = Paragraph if decision.of_file else FieldParagraph
    paragraph = model._default_manager.filter(pk=decision.paragraph).first()
    if paragraph is None or decision.digest not in ("", paragraph.digest):
        return None  # deleted or edited meanwhile
    if decision.seen not in ("", digest_judged(paragraph)):
        return None  # somebody else decided first, or votes came
    old = paragraph.data_classification
    votes = [*build_votes(paragraph.votes), _cast_vote(decision, paragraph)]
    label = combine_many(decide_atoms(votes, model_needed=False) or ())
    if label != old:
        rows = find_rows(paragraph)
        if old is not None and label is not None and set(list_atoms(old)) < set(list_atoms(label)):
            rows = raise_rows(paragraph, rows, label)
        delete_rows(rows)
    paragraph.votes = [vote.to_json() for vote in votes]
    paragraph.floor = paragraph.data_classification = label
    paragraph.save(update_fields=["votes", "floor", "data_classification"])
    relabel_names({paragraph.pk: label})
    record_decision(decision, paragraph, old)
    return paragraph, label != old


def record_decision(decision: Decision, paragraph: Paragraph | FieldParagraph, old: int | None) -> None:
    """In the audit, whose rows are shown to administrators who may not read the paragraph. Its id, which is made of its
    text, goes with the reason, under the labels of both. Of what was accepted the row says why it had waited.
    """
    if isinstance(paragraph, Paragraph):
        kind, pk, entity = "file", paragraph.file_id, paragraph.file.entity_id
    else:
        kind, pk, entity = "entity", paragraph.entity_id, paragraph.entity_id
    reason = "" if decision.accepted else decision.reason
    was = None if old is None else list_atoms(old)
    now = list_atoms(paragraph.data_classification)
    found = find_atoms_by_rules(reason) if reason else frozenset()
    record_question(
        replace(get_current_scope(), principal=decision.by),  # the service does it, the steward decided it
        "paragraph.relabelled",
        AuditedQuery(reason, None if found is None else {*now, *(was or ()), *found}, ((paragraph.pk, entity),)),
        kind,
        pk,
        was=None if was is None else list(was),
        labels=sorted(decision.atoms),
        **({"accepted": list(decision.accepted)} if decision.accepted else {}),
    )
