"""What the reader does not show of a file, as people may know it, and the label that a steward gives it
(docs/adr/0046)."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import BooleanField, F, Func, JSONField, Q, QuerySet, Value
from django.utils.translation import gettext, gettext_lazy, gettext_noop, ngettext

from entities.access import Scope, list_atoms
from entities.access.scope import get_current_scope
from entities.api.errors import Conflict
from entities.api.lists import list_atom_labels
from entities.audit import AuditedQuery, record_question
from entities.language import join_words, translate_stored
from entities.registry import get_content_type_id, list_entity_types
from ingestion.access import is_steward, select_readable_files, select_visible_files
from ingestion.downloads import is_cleared
from ingestion.errors import BadUpload
from ingestion.models import File, FileRevision, State
from ingestion.policy import load_policy
from ingestion.questions import find_atoms_by_rules
from ingestion.relabelling import check_decision
from ingestion.remainder import DECIDED_BEFORE, INSIDE, KINDS, NOT_READ, RELEASED, UNSHOWN, Remainder, find_kind
from ingestion.remainder_store import build_remainder_columns, get_remainder_policy, load_remainder
from ingestion.votes import Vote, collect_overruled, find_manual_vote

CHANGED = gettext_lazy(
    "What was not read of this file has changed since it was shown. Nothing was decided; look at it again."
)
SENTENCES: Mapping[str, str] = {
    RELEASED: gettext_noop("A steward released a version of which not all was read."),
    INSIDE: gettext_noop("Something came in this file that is not here any more."),
    DECIDED_BEFORE: gettext_noop(
        "A steward decided on what was not read of the version before; in this one it is something else."
    ),
    NOT_READ: gettext_noop("Nothing of this file was read."),
    UNSHOWN: gettext_noop("Besides what the reader shows, this file holds or may hold more."),
}
"""Of codes that no reading gave."""
FOUND_BEFORE = gettext_noop("Another reading of this file found something that is not text ({}).")


@dataclass(frozen=True)
class Unread:
    """What the reader does not show of a file, for who may have its original and for stewards.

    details: a sentence for each thing. atoms: of its label, None where it has none. waits: whether a steward is to
    decide. reason: of the decision in force. seen: to be sent back with a decision.
    """

    details: Sequence[str]
    atoms: frozenset[int] | None
    waits: bool
    reason: str
    seen: str

    def to_json(self) -> dict[str, Any]:
        return {
            "labels": None if self.atoms is None else list_atom_labels(self.atoms),
            "unread": list(self.details),
            "waits": self.waits,
            "reason": self.reason,
            "seen": self.seen,
        }


@dataclass(frozen=True)
class RemainderDecision:
    """A steward's label for what is not read of a version. seen: a digest of what it was about."""

    workspace: int
    revision: UUID
    atoms: frozenset[int]
    reason: str
    by: int
    seen: str


def find_unread(scope: Scope, file: File) -> Unread | None:
    """Of a file got with `get_file_or_404`. None for who is not cleared for all of it: what is not read may lie on a
    page that they may not know of."""
    revision = _find_settled_version(file)
    remainder = _load_remainder_now(file, revision) if revision is not None and is_cleared(scope, file) else None
    return _build_unread(file, remainder) if remainder is not None else None


def _build_unread(file: File, remainder: Remainder) -> Unread:
    policy, decision = get_remainder_policy(file), find_manual_vote(remainder.votes)
    return Unread(
        _list_details(file, remainder),
        remainder.label(policy),
        bool(remainder.list_unsettled(policy)),
        decision.reason if decision else "",
        _hash_remainder(remainder),
    )


def settle_remainder(*, scope: Scope, file: File, labels: Iterable[int], reason: str, seen: str = "") -> Unread:
    """A steward gives what is not read of a file, got with `get_file_or_404`, its label. It holds for these bytes,
    however often they are read, and for other bytes in which the same is found. Returns it as it will be.

    seen: `Unread.seen` as the steward was shown it. It is carried out when this transaction commits, before the caller
    gets an answer, by the service: the label may be above those of the steward. Raises: BadUpload without a reason, for
    a label that does not exist and where there is nothing to decide on; Conflict where it has changed, also by the
    commit; PermissionDenied for who is no steward, or not cleared for the rest of the file.
    """
    if not is_steward(scope):
        raise PermissionDenied(gettext("Labels are decided by stewards."))
    if not is_cleared(scope, file):
        raise PermissionDenied(gettext("To decide on what was not read, you must be cleared for the rest of the file."))
    revision = _find_settled_version(file)
    remainder = _load_remainder_now(file, revision) if revision is not None else None
    if revision is None or remainder is None:
        raise BadUpload(
            gettext("Nothing is known of what was not read of this file. Read it again first."), "nothing_to_settle"
        )
    if seen not in ("", _hash_remainder(remainder)):
        raise Conflict(CHANGED)
    atoms, reason = check_decision(labels, reason)
    decision = RemainderDecision(
        scope.workspace, revision.pk, atoms, reason, scope.principal, _hash_remainder(remainder)
    )
    transaction.on_commit(partial(_apply_decision, decision))
    return _build_unread(file, _settle_remainder(remainder, decision))


def _settle_remainder(remainder: Remainder, decision: RemainderDecision) -> Remainder:
    """It overrules what the other votes say today."""
    over = collect_overruled(remainder.votes)
    return remainder.settle(Vote("manual", decision.atoms, decision.reason, by=decision.by, over=over))


def _apply_decision(decision: RemainderDecision) -> None:
    with Scope.for_service(decision.workspace).open():
        # Publishing locks the file too: its version has what was decided, or the decision what was found.
        files = File.objects.select_for_update().filter(
            Q(revision=decision.revision) | Q(revision=None, pending_revision=decision.revision)
        )
        file = files.first()
        revision = FileRevision.objects.get(pk=decision.revision) if file is not None else None
        remainder = _load_remainder_now(file, revision) if file is not None and revision is not None else None
        if file is None or revision is None or remainder is None or _hash_remainder(remainder) != decision.seen:
            raise Conflict(CHANGED)
        columns = build_remainder_columns(_settle_remainder(remainder, decision), get_remainder_policy(file))
        FileRevision.objects.filter(pk=revision.pk).update(**columns)
        was = None if revision.remainder_label is None else list_atoms(revision.remainder_label)
        words = find_atoms_by_rules(decision.reason)
        record_question(
            replace(get_current_scope(), principal=decision.by),  # the service does it, the steward decided it
            "file.remainder_settled",
            AuditedQuery(decision.reason, None if words is None else {*decision.atoms, *(was or ()), *words}),
            "file",
            file.pk,
            was=None if was is None else list(was),
            labels=sorted(decision.atoms),
            codes=list(remainder.codes),
        )


def select_files_to_settle(scope: Scope) -> QuerySet[File]:
    """Files of which something was not read and has no label, or none by what their collection declares today, and that
    a steward sees and is cleared for beside that. The oldest first."""
    read = select_visible_files(scope).filter(revision__remainder__isnull=False)
    waits = read.filter(Q(revision__remainder_label=None) | build_unsettled_q())
    cleared = Func(F("pk"), function="app_cleared_for_file", output_field=BooleanField())
    return select_readable_files(scope, waits).filter(cleared).order_by("created_at", "pk")


def build_unsettled_q() -> Q:
    """`Remainder.unsettled` as a condition on files."""
    by_policy = {policy: Q(pk__in=[]) for policy in ("inherit", "strict")}
    for kind in list_entity_types().values():
        for name, declared in kind.rag().collections.items():
            if declared.remainder != "default":
                of_collection = Q(collection=name, entity__content_type=get_content_type_id(kind))
                by_policy[declared.remainder] |= of_collection
    strict, inherit = ~Q(pk__in=[]) if load_policy().holds else by_policy["strict"], by_policy["inherit"]
    inherited = [code for code, of_code in KINDS.items() if of_code == "inherit"]
    return (strict & Q(_HasCodesBeside([]))) | (~strict & ~inherit & Q(_HasCodesBeside(inherited)))


class _HasCodesBeside(Func):
    """Whether there are codes that are among neither of two others: (settled, known, codes)."""

    template = "NOT (%(expressions)s)"
    output_field = BooleanField()

    def __init__(self, known: Sequence[str]) -> None:
        settled, codes = F("revision__remainder__settled"), F("revision__remainder__codes")
        both = Func(settled, Value(list(known), JSONField()), template="(%(expressions)s)", arg_joiner=" || ")
        super().__init__(both, codes, arg_joiner=" @> ")


def _find_settled_version(file: File) -> FileRevision | None:
    """The version that a decision is about: the one that is shown, or the only one, where nothing of it was read."""
    if file.revision is not None:
        return file.revision
    ended = file.state in (State.QUARANTINED, State.FAILED)
    return file.pending_revision if ended else None


def _load_remainder_now(file: File, revision: FileRevision) -> Remainder | None:
    known = load_remainder(revision)
    return Remainder((NOT_READ,)) if known is None and file.revision is None else known


def _list_details(file: File, remainder: Remainder) -> list[str]:
    pages: dict[str, list[int]] = {}
    for missed in file.unaccounted:
        pages.setdefault(str(missed["detail"]), []).extend([missed["page"]] if missed.get("page") else [])
    missing = [f"{translate_stored(detail)} {name_pages(found)}".strip() for detail, found in pages.items()]
    revision = _find_settled_version(file)
    before = {*SENTENCES, *(revision.withheld if revision is not None else ())}
    codes = (before & {*remainder.codes}) - {missed["code"] for missed in file.unaccounted}
    if find_kind(UNSHOWN, get_remainder_policy(file)) == "inherit":
        codes.discard(UNSHOWN)
    known = {code: translate_stored(SENTENCES[code]) for code in codes & SENTENCES.keys()}
    return [*missing, *(known.get(code) or gettext(FOUND_BEFORE).format(code) for code in sorted(codes))]


def name_pages(pages: Iterable[int]) -> str:
    """ "Page 7.", "Pages 1 to 5 and 9."; empty for none."""
    runs: list[list[int]] = []
    for page in sorted(set(pages)):
        if runs and page == runs[-1][-1] + 1:
            runs[-1].append(page)
        else:
            runs.append([page])
    if not runs:
        return ""
    names: list[str] = []
    for run in runs:
        span = gettext("%(first)s to %(last)s") % {"first": run[0], "last": run[-1]}
        names += [span] if len(run) > 2 else map(str, run)
    sentence = ngettext("Page %(pages)s.", "Pages %(pages)s.", sum(map(len, runs)))
    return sentence % {"pages": join_words(names)}


def _hash_remainder(remainder: Remainder) -> str:
    return hashlib.sha256(json.dumps(remainder.to_json(), sort_keys=True).encode()).hexdigest()[:16]
