"""Labels of file names: a name is text, and rests like text in which nothing is found."""

from collections.abc import Iterable

from entities.access import combine_many, list_atoms
from entities.rag import split_label
from ingestion.models import File
from ingestion.votes import HELD_BACK
from ingestion.work import SegmentedFile, Work
from llm.rules import vote_by_rules


def combine_name_label(
    name: str, given: Iterable[int], *, opened: bool, resting: frozenset[int] | None, everything: Iterable[int]
) -> int:
    """given: atoms that the collection declares for names, and those of the file. opened: somebody or something knows
    that it needs no more than that and what rules find. resting: atoms of unjudged text; None where it has no label,
    and the name needs `everything`.
    """
    atoms = frozenset(given) | vote_by_rules(name.rpartition(".")[0] or name).atoms
    if atoms or opened:
        return combine_many(atoms)
    return combine_many(everything if resting is None else resting)


def publish_name_label(work: Work, file: File, segmented: SegmentedFile) -> int:
    """The name of a file gets its label, which is returned, once its text is judged; an attachment's name is text of
    what it came in. In the transaction that publishes the file.
    """
    row = File.objects.only("name", "name_classification", "floor", "origin").get(pk=file.pk)
    if row.origin_id is not None:
        return row.name_classification
    labels = {marked.label for marked in segmented.paragraphs}
    label = combine_name_label(
        row.name,
        {*split_label(work.collection.name_classification), *list_atoms(row.floor), *find_kind_atoms(segmented)},
        opened=work.declared_public or labels == {0},
        resting=work.resting,
        everything=work.known_atoms,
    )
    label = combine_many([label, *find_waiting_atoms(row.name_classification, segmented)])
    if label != row.name_classification:
        File.objects.filter(pk=file.pk).update(name_classification=label)
    return label


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


def find_waiting_atoms(named: int, segmented: SegmentedFile) -> frozenset[int]:
    """What a name has had, and a paragraph still has because no label falls by itself: the name waits with it."""
    kept = frozenset(
        atom
        for marked in segmented.paragraphs
        if marked.label is not None
        for vote in marked.votes
        if vote.source == "inherited" and vote.reason in HELD_BACK
        for atom in vote.labels & frozenset(list_atoms(marked.label))
    )
    return kept & frozenset(list_atoms(named))
