"""Which files were made from what is no longer so (design §4): their revision's inputs are not those of today.

A file is stale only for the inputs that changed and that it was made from: another prompt for labels concerns no file
of a collection that no model classifies, of which a model makes the summaries alone; another set of rules asks no model
for labels; what is concealed concerns files that have it.
"""

from functools import reduce
from operator import or_

from django.db.models import BooleanField, Exists, ExpressionWrapper, F, OuterRef, Q, QuerySet

from entities.access import load_atoms_by_label
from entities.access.scope import load_once
from entities.rag import Collection
from entities.registry import get_type_by_content_type
from ingestion.index import delete_rows
from ingestion.models import ContextRow, File, Kind, Paragraph
from ingestion.policy import load_policy
from ingestion.queueing import publish_again
from ingestion.witness import CONCEALED, RevisionInputs, collect_inputs
from ingestion.work import load_levels

OF_FILES = (Kind.FILE_CHUNK, Kind.FILE_SUMMARY)
NAMES = {
    "extraction": "how text is taken out",
    "policy": "levels, guidance or the collection's declaration",
    "rules": "rules",
    "model": "model",
    "prompt": "prompt",
    "summaries": "model or prompt of summaries",
    CONCEALED: "which labels are concealed",
}
"""The inputs in words, for people."""


Group = tuple[int, str, str]
"""Files that are worked on with the same inputs: content type of their record, collection, strategy."""


def load_inputs_by_group() -> dict[Group, RevisionInputs]:
    """Of the published files that the open scope sees, what they would be worked on with today."""

    def load() -> dict[Group, RevisionInputs]:
        (levels, concealed), policy = load_levels(), load_policy()
        published = File.objects.filter(revision__isnull=False).order_by()
        found: dict[Group, RevisionInputs] = {}
        for group in published.values_list("entity__content_type", "collection", "strategy").distinct():
            content_type, name, strategy = group
            declared = get_type_by_content_type(content_type).rag().collections.get(name, Collection(name))
            used = strategy if strategy != "auto" else declared.strategy
            found[group] = collect_inputs(declared, used, levels, policy.guidance, concealed, policy.epoch)
        return found

    return load_once("inputs by group", load)  # type: ignore[no-any-return]


def is_stale() -> Q:
    """Published files whose revision was made with other inputs than today's. In an open scope."""
    conditions = [
        Q(entity__content_type=content_type, collection=name, strategy=strategy)
        & ~Q(revision__inputs__contains=inputs.drop_concealment())
        for (content_type, name, strategy), inputs in load_inputs_by_group().items()
    ]
    return Q(revision__isnull=False) & reduce(or_, [*conditions, is_cut_otherwise()])


def is_cut_otherwise() -> Q:
    """Published files that were cut into passages when other labels were concealed than are now, and that have a
    paragraph with one of those: the others would be cut as they are. In an open scope."""

    def load() -> dict[str, list[int]]:
        now, atoms = load_levels()[1], load_atoms_by_label()
        published = File.objects.filter(revision__isnull=False).order_by()
        found = {}
        for was in published.values_list(f"revision__inputs__{CONCEALED}", flat=True).distinct():
            changed = RevisionInputs.from_json({CONCEALED: was or ""}).concealed_atoms ^ now
            if changed:
                found[was or ""] = [label for label, parts in atoms.items() if changed & {*parts}]
        return found

    conditions = [Q(pk__in=[])]
    for was, labels in load_once("concealed otherwise", load).items():  # type: ignore[attr-defined]
        told = Q(**{f"revision__inputs__{CONCEALED}": was} if was else {f"revision__inputs__{CONCEALED}__isnull": True})
        having = Paragraph.objects.filter(file=OuterRef("pk"), data_classification__in=labels)
        conditions.append(told & Q(Exists(having)))
    return reduce(or_, conditions)


def annotate_causes(files: QuerySet[File]) -> QuerySet[File]:
    """What `list_causes` wants to know of each."""
    cut = ExpressionWrapper(is_cut_otherwise(), output_field=BooleanField())
    return files.select_related("revision").annotate(of_type=F("entity__content_type"), cut_otherwise=cut)


def list_causes(file: File) -> tuple[str, ...]:
    """Names of the inputs that changed since a file `annotate_causes` was worked on; all where that is not known."""
    now = load_inputs_by_group().get((file.of_type, file.collection, file.strategy))  # type: ignore[attr-defined]
    changed = now.list_changed_since(file.revision.inputs) if now and file.revision else ()
    return tuple(name for name in changed if name != CONCEALED or file.cut_otherwise)  # type: ignore[attr-defined]


def select_foreign_rows() -> QuerySet[ContextRow]:
    """Rows of files that were not made by what their file's published revision was made from. In an open service
    scope."""
    return ContextRow.objects.filter(kind__in=OF_FILES, file__isnull=False).exclude(
        file__revision__witness=F("witness"), file__revision__isnull=False
    )


def reject_foreign_rows() -> int:
    """Take out rows that another witness made than their file's, and queue their files: in an open service scope.
    Returns how many there were."""
    found = list(select_foreign_rows().values_list("pk", "file"))
    delete_rows(pk for pk, _ in found)
    for file in sorted({file for _, file in found if file}):
        publish_again(file)
    return len(found)
