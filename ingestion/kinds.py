"""Kinds of documents that are sensitive as a whole, and what each of them needs at least."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import F, Func, JSONField
from django.utils.translation import gettext_noop

from entities.access import list_atoms
from entities.api.lists import list_atom_chips
from entities.models import Classification, WorkspaceSettings
from entities.models.classification import CONFIDENTIAL, FINANCIAL, PII, PII_SENSITIVE
from ingestion.models import File, Paragraph


@dataclass(frozen=True)
class DocumentKind:
    """looks_like: English, for people. floor: atoms, unless an administrator says otherwise."""

    looks_like: str
    floor: frozenset[int]


def _build(looks_like: str, *floor: int) -> DocumentKind:
    return DocumentKind(looks_like, frozenset(floor))


KINDS: Mapping[str, DocumentKind] = {
    "application": _build(gettext_noop("looks like a job application"), PII),
    "appraisal": _build(gettext_noop("looks like an appraisal"), PII),
    "asylum": _build(gettext_noop("looks like a file on asylum or residence"), PII_SENSITIVE),
    "bank": _build(gettext_noop("looks like a bank statement"), PII, FINANCIAL),
    "belief": _build(gettext_noop("looks like a paper on somebody’s belief or union"), PII_SENSITIVE),
    "claim": _build(gettext_noop("looks like an insurance claim"), PII),
    "credentials": _build(gettext_noop("looks like a paper with credentials or weaknesses"), CONFIDENTIAL),
    "deal": _build(gettext_noop("looks like a plan, a deal or a trade secret"), CONFIDENTIAL),
    "debt": _build(gettext_noop("looks like a paper on somebody’s debts"), PII, FINANCIAL),
    "disciplinary": _build(gettext_noop("looks like a disciplinary paper"), PII),
    "dismissal": _build(gettext_noop("looks like a dismissal"), PII),
    "dispute": _build(gettext_noop("looks like a dispute or negotiation"), CONFIDENTIAL),
    "grievance": _build(gettext_noop("looks like a complaint about a person"), PII),
    "identity": _build(gettext_noop("looks like an identity document"), PII),
    "legaladvice": _build(gettext_noop("looks like legal advice"), CONFIDENTIAL),
    "medical": _build(gettext_noop("looks like a medical letter or report"), PII_SENSITIVE),
    "payroll": _build(gettext_noop("looks like a list of pay"), PII, FINANCIAL),
    "payslip": _build(gettext_noop("looks like a payslip"), PII, FINANCIAL),
    "police": _build(gettext_noop("looks like a paper of police or court"), PII_SENSITIVE),
    "psychological": _build(gettext_noop("looks like a psychological assessment"), PII_SENSITIVE),
    "reference": _build(gettext_noop("looks like a reference"), PII),
    "safeguarding": _build(gettext_noop("looks like a safeguarding record"), PII_SENSITIVE),
    "school": _build(gettext_noop("looks like a report on a pupil"), PII),
    "sicknote": _build(gettext_noop("looks like a sick note"), PII_SENSITIVE),
    "social": _build(gettext_noop("looks like a paper on family or welfare"), PII_SENSITIVE),
    "tax": _build(gettext_noop("looks like tax papers"), PII, FINANCIAL),
    "whistleblowing": _build(gettext_noop("looks like a report of wrongdoing"), CONFIDENTIAL, PII),
    "unknown": _build(gettext_noop("looks sensitive as a whole"), CONFIDENTIAL, PII),
}


def build_kind_floors(changed: Mapping[str, Iterable[int]]) -> dict[str, frozenset[int]]:
    """The floor of each kind, where a workspace has changed the labels of some."""
    return {key: frozenset(changed[key]) if key in changed else kind.floor for key, kind in KINDS.items()}


def load_kind_floors() -> dict[str, frozenset[int]]:
    """The floor of each kind in the open scope's workspace."""
    return build_kind_floors(WorkspaceSettings.objects.values_list("kind_floors", flat=True).first() or {})


@dataclass(frozen=True)
class KeptKind:
    """What a document looks like, and the chips of the labels that it is kept for."""

    looks_like: str
    chips: Sequence[Classification]


class FindKindLabels(Func):
    """What the vote of its kind gives a paragraph, out of its votes; NULL without such a vote."""

    template = """jsonb_path_query_first(%(expressions)s, '$[*] ? (@.source == "kind").labels')"""
    output_field = JSONField()


def describe_kinds(files: Iterable[UUID | None]) -> dict[UUID, KeptKind]:
    """Of published files that a kind keeps, as far as the open scope reads a paragraph that still has what the kind
    gave it. That is what counted when the file was judged, which may be more than counts today.
    """
    known = File.objects.filter(pk__in=[pk for pk in files if pk], revision__kind__in=list(KINDS))
    kinds = dict(known.values_list("pk", "revision__kind"))
    labelled = Paragraph.objects.filter(file__in=list(kinds), data_classification__isnull=False).order_by()
    voted = labelled.annotate(given=FindKindLabels(F("votes"))).filter(given__isnull=False)
    kept = {
        file: given
        for file, label, given in voted.values_list("file", "data_classification", "given").distinct()
        if given and frozenset(given) <= frozenset(list_atoms(label))
    }
    return {file: KeptKind(KINDS[kinds[file]].looks_like, list_atom_chips(given)) for file, given in kept.items()}
