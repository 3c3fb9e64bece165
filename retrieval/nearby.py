"""Hidden text beside what was found.

A question is never matched against text that the reader may not see: that would answer whoever guesses its words. What
they may learn is where their own finds stand, as the reader shows it: that the text next to a passage they did find
needs a clearance. It follows from the passage's place alone, and only acknowledged labels are told (design §2.2).
Concealed text does not even take up room: places are counted among what is shown or acknowledged.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db import connection

from entities.access import Scope, build_visibility_q, list_missing_atoms
from entities.api.lists import list_atom_chips
from entities.models import Classification, Entity
from ingestion.models import File, Paragraph
from retrieval.refs import FILE_NAME
from retrieval.results import SearchResult

REACH = 2
"""How many paragraphs away still counts as beside: a heading may stand between."""


@dataclass(frozen=True)
class Nearby:
    """Hidden text next to a passage. passage: the paragraph that was found. requires: the atoms that the caller
    lacks. is_attached: the file is one that the caller has attached to a conversation, of which nobody else may be
    asked.
    """

    passage: UUID
    file: UUID
    name: str | None
    page: int | None
    requires: tuple[int, ...]
    is_attached: bool = False

    @property
    def ask_about(self) -> UUID | str:
        """The file, where a steward can be asked for access."""
        return "" if self.is_attached else self.file

    @property
    def chips(self) -> list[Classification]:
        return list_atom_chips(self.requires)

    @property
    def what(self) -> str:
        return f"Text nearby in {self.name or 'a file'}"


def find_nearby(scope: Scope, passages: Collection[UUID]) -> list[Nearby]:
    """The acknowledged hidden text beside the paragraphs `passages`, one entry a file, page and clearance."""
    if not passages:
        return []
    found = list(
        Paragraph.objects.filter(
            pk__in=passages,
            file__entity__in=Entity.objects.filter(build_visibility_q(scope, Entity)).order_by().values("pk"),
        )
        .annotate(file_name=FILE_NAME)
        .values_list("pk", "file_id", "file_name", "position", "file__entity__attached_to")
    )
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT f.id, h.position, h.page, h.label FROM unnest(%s::uuid[]) f (id),"
            " LATERAL app_hidden_paragraphs(f.id) h ORDER BY f.id, h.position",
            [sorted({str(file) for _, file, *_ in found})],
        )
        hidden = cursor.fetchall()
    places = _number_places([(file, at) for file, at, _, _ in hidden], [(file, at) for _, file, _, at, _ in found])
    result: dict[tuple[object, ...], Nearby] = {}
    for passage, file, name, position, session in found:
        for where, at, page, label in hidden:
            if where == file and abs(places[file, at] - places[file, position]) <= REACH:
                requires = list_missing_atoms(label)
                result.setdefault(
                    (file, page, requires), Nearby(passage, file, name, page, requires, session is not None)
                )
    return list(result.values())


def list_missing_in_files(scope: Scope, entity: UUID) -> tuple[int, ...]:
    """The atoms that the caller lacks for acknowledged text in the files of a record.

    For a question that found nothing to stand beside. It says what the reader says of these files, whatever was asked.
    """
    seen = Entity.objects.filter(build_visibility_q(scope, Entity), pk=entity).order_by().values("pk")
    files = list(File.objects.filter(entity__in=seen).values_list("pk", flat=True))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT h.label FROM unnest(%s::uuid[]) f (id), LATERAL app_hidden_paragraphs(f.id) h",
            [[str(pk) for pk in files]],
        )
        return tuple(sorted({atom for (label,) in cursor.fetchall() for atom in list_missing_atoms(label)}))


def _number_places(
    hidden: Collection[tuple[UUID, int]], found: Collection[tuple[UUID, int]]
) -> Mapping[tuple[UUID, int], int]:
    """(file, position) -> place among the paragraphs that the reader is shown or may know of."""
    shown = Paragraph.objects.filter(file__in={file for file, _ in hidden}).values_list("file", "position")
    return {at: place for place, at in enumerate(sorted({*shown, *hidden, *found}))}


def group_nearby_by_row(scope: Scope, results: Iterable[SearchResult]) -> dict[UUID, list[Nearby]]:
    """`find_nearby` for each result of a search, told once: beside the best passage that it stands next to."""
    owners: dict[UUID, UUID] = {}
    for result in results:
        for passage in result.passages:
            owners.setdefault(passage, result.id)
    grouped: dict[UUID, list[Nearby]] = {}
    for entry in find_nearby(scope, list(owners)):
        grouped.setdefault(owners[entry.passage], []).append(entry)
    return grouped
