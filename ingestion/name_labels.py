"""Labels of file names: a name is text, with its folders, and rests like text in which nothing is found."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from entities.access import combine_many, list_atoms
from entities.models.classification import STEWARDS
from entities.rag import split_label
from ingestion.judges.pool import find_vote
from ingestion.models import File, Paragraph
from ingestion.votes import is_judged
from ingestion.work import SegmentedFile, Work


@dataclass(frozen=True)
class NameLabel:
    """judged: somebody or something knows it; else it rests, and moves with the resting label (`ingestion.resting`)."""

    label: int
    judged: bool

    @property
    def columns(self) -> dict[str, Any]:
        """Of a file."""
        return {"name_classification": self.label, "name_judged": self.judged}


def combine_name_label(
    path: str,
    given: Iterable[int],
    *,
    opened: bool,
    resting: frozenset[int],
    everything: Iterable[int],
    least: Iterable[int] = (),
) -> NameLabel:
    """path: the name and the folders that it stands in. given: atoms that the collection declares for names, and those
    of the file. opened: somebody or something knows that it needs no more than that and what rules find. resting: atoms
    of unjudged text; with stewards alone, what rules find joins them and does not take their place. everything: what a
    name needs that was not judged in time. least: atoms that it needs however it is judged.
    """
    found = find_path_atoms(path)
    if found is None:
        return NameLabel(combine_many({*everything, *resting}), judged=False)
    known = frozenset(given) if STEWARDS in resting else frozenset(given) | found
    atoms = {*given, *found, *least}
    if known or opened:
        return NameLabel(combine_many(atoms), judged=True)
    return NameLabel(combine_many(resting | atoms), judged=False)


def find_path_atoms(path: str) -> frozenset[int] | None:
    """What rules find in a name and the folders that it stands in; None: not judged, since it took too long."""
    found = find_vote(". ".join(filter(None, path.split("/"))))
    return None if found is None else found.atoms


def add_name_atoms(file: File, atoms: Iterable[int], **columns: Any) -> int:
    """The label of a name of which something is found: that takes the place of what it rested with, and joins what was
    known. It joins the level of stewards alone, and the name rests on. columns: others of the file that change with it.
    """
    had = frozenset(list_atoms(file.name_classification))
    rests = STEWARDS in had and not file.name_judged
    label = combine_many([*atoms, *(had if rests or file.name_judged else ())])
    File.objects.filter(pk=file.pk).update(**NameLabel(label, judged=not rests).columns, **columns)
    return label


def publish_name_label(work: Work, file: File, segmented: SegmentedFile) -> int:
    """The name of a file, once its text is judged; an attachment's name is text of what it came in. What somebody or
    something has known of it stays, also in a version that does not need it (`forget_names`). Returns its label. In the
    transaction that publishes it.
    """
    row = File.objects.only("name", "path", "name_classification", "name_judged", "floor", "origin").get(pk=file.pk)
    if row.origin_id is not None:
        return row.name_classification
    had = frozenset(list_atoms(row.name_classification) if row.name_judged else ())
    given = {*split_label(work.collection.name_classification)}
    if work.policy.holds:
        given |= find_judged_atoms(segmented)
    else:
        given |= find_kind_atoms(segmented)
    if work.declares or not work.policy.holds:
        given |= {*list_atoms(row.floor)}
    now = combine_name_label(
        row.path or row.name,
        given | had,
        opened=work.declared_public or is_known_public(segmented),
        resting=work.policy.resting,
        everything=work.known_atoms,
        least=list_atoms(row.floor),
    )
    if now != NameLabel(row.name_classification, row.name_judged):
        File.objects.filter(pk=file.pk).update(**now.columns)
    return now.label


def forget_names(files: Iterable[UUID], held: frozenset[int]) -> list[UUID]:
    """Names of those of `files` in which stewards have decided on everything are judged anew when they are published
    next, where the last steward holds what they have needed (`held`). Returns these files.
    """
    left = Paragraph.objects.filter(file__in=files).exclude(votes__contains=[{"source": "manual"}])
    kept = File.objects.filter(pk__in=files, name_judged=True).exclude(name_classification=0)
    labels = kept.exclude(pk__in=left.values("file")).values_list("pk", "name_classification")
    found = [pk for pk, label in labels if held.issuperset(list_atoms(label))]
    File.objects.filter(pk__in=found).update(name_judged=False)
    return found


def find_judged_atoms(segmented: SegmentedFile) -> frozenset[int]:
    """What any paragraph needs, once somebody or something knows the label of each: the name told of that text."""
    marked = segmented.paragraphs
    if not all(one.label is not None and is_judged(one.votes) for one in marked):
        return frozenset()
    return frozenset(atom for one in marked if one.label for atom in list_atoms(one.label))


def is_known_public(segmented: SegmentedFile) -> bool:
    """Whether somebody or something knows of each paragraph that everybody may read it."""
    known = (marked.label == 0 and is_judged(marked.votes) for marked in segmented.paragraphs)
    return bool(segmented.paragraphs) and all(known)


def find_kind_atoms(segmented: SegmentedFile) -> frozenset[int]:
    """What the kind of the document asks for, as far as it still labels a paragraph."""
    return frozenset(
        atom
        for marked in segmented.paragraphs
        if marked.label is not None
        for vote in marked.votes
        if vote.source == "kind"
        for atom in vote.labels & frozenset(list_atoms(marked.label))
    )
