"""What a Pulse is made from: only what every reader of the record may see, apart from labels (design §2.2, §8).

A reader of the record is at least a member of the workspace. So besides the record's own rows for everybody, only
records that are open to the workspace count: what hangs on the record, what it hangs on by name, and what a row was
drawn from. Labels are those of the open scope, which is the service role's held to the variant's clearances: what it
does not read is not selected, counted or ranked.
"""

import hashlib
import json
import string
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Any
from uuid import UUID

from django.db.models import Q

from entities.access import Scope, combine_many, list_atoms, list_readable_fields
from entities.models import Entity, Source
from entities.models.entity import Visibility
from entities.registry import get_content_type_id, get_type_by_content_type, list_child_types, list_parent_types
from ingestion.models import ContextRow, File, Kind
from ingestion.record_rows import format_value
from llm import prompts
from llm.client import get_model_name
from llm.prompts import Record
from llm.tokens import estimate
from retrieval.query import PreparedQuery, Within
from retrieval.results import SearchResult
from retrieval.search import search

BUDGET = 4_000
"""Tokens of passages in a prompt."""
CANDIDATES = 24
TOLD = tuple(kind for kind in Kind if kind != Kind.RELATIONSHIP)
"""Kinds of rows in a Pulse. Relations stand in the status counts and links of the record already."""
BELOW = 200
"""Records below the anchor that are searched with it, the latest."""
GENERIC_FOCUS = "Summarise the current state, including risks and recent changes."
PROMPTS = ("pulse_system", "pulse_user", "passages")
OPEN = Q(visibility=Visibility.WORKSPACE, archived_at__isnull=True)


@dataclass(frozen=True)
class Anchor:
    """The record as a prompt shows it. atoms: of all that is in it. named: names of other records that are in it.
    counted: records that stand in its numbers, by content type.
    """

    record: Record
    atoms: frozenset[int]
    named: Mapping[UUID, str]
    counted: Mapping[int, frozenset[UUID]]
    below: tuple[UUID, ...]
    query: str
    focus: str


@dataclass(frozen=True)
class PulsePassage:
    """A passage for the prompt. name_label: of what it is called there. sources: (record, passage) behind it."""

    result: SearchResult
    digest: str
    name_label: int
    sources: tuple[tuple[UUID, UUID | None], ...]


@dataclass(frozen=True)
class PulseInputs:
    """Everything that goes into a prompt, and what is needed to check later that it is still so."""

    anchor: Anchor
    pieces: tuple[PulsePassage, ...]
    fingerprint: str

    @property
    def results(self) -> list[SearchResult]:
        return [piece.result for piece in self.pieces]

    @property
    def labels(self) -> set[int]:
        """To be combined: atoms are labels too."""
        return {
            *self.anchor.atoms,
            *(piece.result.label for piece in self.pieces),
            *(piece.name_label for piece in self.pieces),
        }


@dataclass
class _ValueReader:
    """Values as they are read, with the atoms that they need."""

    atoms: set[int] = field(default_factory=set)
    named: dict[UUID, str] = field(default_factory=dict)
    counted: dict[int, frozenset[UUID]] = field(default_factory=dict)


def read_anchor(scope: Scope, entity: Entity) -> Anchor:
    """Values, status and surroundings of a record, from `get_entity_or_404`, as the open scope reads them."""
    model, reading = type(entity), _ValueReader()
    fields = _load_fields(scope, entity, reading)
    name = entity.title or ""  # type: ignore[attr-defined]
    if name:
        reading.atoms |= set(list_atoms(entity.name_classification))
    status, below = _list_below(scope, entity, reading)
    record = Record(entity.type_title, name, fields, status)
    focus = model.rag().pulse_prompt or GENERIC_FOCUS
    return Anchor(
        record=record,
        atoms=frozenset(reading.atoms),
        named=reading.named,
        counted=reading.counted,
        below=tuple(below),
        query=f"{_format_sentence(entity, fields, name)}. {focus}",
        focus=focus,
    )


def gather_inputs(scope: Scope, entity: Entity, anchor: Anchor, query: PreparedQuery) -> PulseInputs:
    """The passages for the prompt, best first, within the budget."""
    found = search(
        scope, query, within=Within(entities=[entity.pk, *anchor.below], kinds=TOLD), limit=CANDIDATES, floor=-1
    )
    pieces, left = [], BUDGET
    for piece in _select_allowed(entity, found):
        cost = estimate(piece.result.text)
        if cost <= left:
            pieces.append(piece)
            left -= cost
    return PulseInputs(anchor, tuple(pieces), fingerprint_inputs(type(entity), anchor, pieces))


def fingerprint_inputs(model: type[Entity], anchor: Anchor, pieces: Sequence[PulsePassage]) -> str:
    """SHA-256 of everything that decides the prompt, in an order that does not depend on ranks."""
    rag = model.rag()
    said = {
        "prompt": prompts.hash_templates(*PROMPTS),
        "model": get_model_name(rag.pulse_model),
        "focus": anchor.focus,
        "type": anchor.record.type,
        "name": anchor.record.name,
        "fields": dict(anchor.record.fields),
        "status": list(anchor.record.status),
        "rows": sorted(
            [str(p.result.id), p.digest, p.result.label, p.name_label, _format_title(p.result)] for p in pieces
        ),
    }
    return hashlib.sha256(json.dumps(said, sort_keys=True, default=str).encode()).hexdigest()


# The record itself


def _load_fields(scope: Scope, entity: Entity, reading: _ValueReader) -> dict[str, str]:
    """Column title -> value in words, of the readable columns that have one."""
    model, rag = type(entity), type(entity).rag()
    links = list_parent_types(model)
    values = {}
    for name in list_readable_fields(model):
        if name in ("name", "currency") or (rag.fields is not None and name not in rag.fields):
            continue
        text = _load_linked_name(scope, entity, name, reading) if name in links else format_value(entity, name)
        if text:
            reading.atoms |= rag.get_field_label(name)
            values[get_title(model, name)] = text
    return values


def _load_linked_name(scope: Scope, entity: Entity, name: str, reading: _ValueReader) -> str:
    """The name of a record above, where everybody may see that record and the scope reads its name."""
    key = getattr(entity, f"{name}_id")
    other = Entity.objects.readable_by(scope).filter(OPEN, pk=key).first() if key else None
    if other is None or not other.title:  # type: ignore[attr-defined]
        return ""
    reading.atoms |= set(list_atoms(other.name_classification))
    reading.named[other.pk] = other.title  # type: ignore[attr-defined]
    return str(other)


def get_title(model: type[Entity], name: str) -> str:
    return str(model._meta.get_field(name).verbose_name).capitalize()  # type: ignore[union-attr]


def _format_sentence(entity: Entity, fields: Mapping[str, str], name: str) -> str:
    """The type's sentence about the record, with what is not readable left out; for the search only."""
    model = type(entity)
    names = [n for _, n, _, _ in string.Formatter().parse(model.rag().semantic) if n]
    values = {n: name if n == "name" else fields.get(get_title(model, n), "") for n in names}
    return " ".join(model.rag().semantic.format(**values).split()).strip(" ,") or entity.type_title


# What hangs on it


def _list_below(scope: Scope, entity: Entity, reading: _ValueReader) -> tuple[list[str], list[UUID]]:
    """Lines such as "Tasks by status: 3 To do, 1 Done", and the records below that are open to the workspace."""
    lines: list[str] = []
    found: list[tuple[Any, UUID]] = []
    for model, link in list_child_types(type(entity)):
        readable, rag = list_readable_fields(model), model.rag()
        if link not in readable:
            continue
        rows = model.objects.visible_to(scope).filter(OPEN, **{link: entity.pk})
        found += rows.order_by("-updated_at", "pk").values_list("updated_at", "pk")[:BELOW]
        names = [name for name in rag.status_fields if name in readable]
        # Numbers and who is in them are of one statement: nobody comes in between.
        read = list(rows.order_by().values_list("pk", *names)) if names else []
        for place, name in enumerate(names, start=1):
            if line := _format_distribution(model, name, Counter(row[place] for row in read)):
                lines.append(line)
                reading.atoms |= rag.get_field_label(name) | rag.get_field_label(link)
                of_type = get_content_type_id(model)
                reading.counted[of_type] = reading.counted.get(of_type, frozenset()) | {row[0] for row in read}
    found.sort(key=lambda row: (row[0], row[1]), reverse=True)
    return lines, list(dict.fromkeys(pk for _, pk in found))[:BELOW]


def _format_distribution(model: type[Entity], name: str, counts: Mapping[Any, int]) -> str:
    """Counts by value of one status field, in the order of its choices."""
    if not counts:
        return ""
    words = dict(model._meta.get_field(name).flatchoices)  # type: ignore[union-attr]
    order = [*words, *sorted(value for value in counts if value not in words)]
    parts = [f"{counts[value]} {words.get(value, value)}" for value in order if value in counts]
    return f"{model.plural_title} by {get_title(model, name).lower()}: {', '.join(parts)}"


def are_still_below(entity: UUID, of_type: int, counted: frozenset[UUID]) -> bool:
    """Whether all that was counted of a type is still open below a record. In the service's scope. Two statements,
    for PostgreSQL compares each record with each where it has no statistics of new rows: 10,000 took twelve seconds.
    """
    model = get_type_by_content_type(of_type)
    below = reduce(or_, (Q(**{link: entity}) for link in list_parent_types(model)))
    still_below = model._base_manager.filter(below).order_by().values_list("pk", flat=True)
    return counted <= set(still_below) and counted <= open_records(counted)


# Passages


def _select_allowed(entity: Entity, found: Sequence[SearchResult]) -> list[PulsePassage]:
    """Those results that every reader of `entity` may see, apart from labels, with what they were drawn from.

    The record's own property snapshots are left out: its properties are in the prompt by themselves.
    """
    rows = {
        row["id"]: row
        for row in ContextRow.objects.filter(pk__in=[r.id for r in found], audience=0)
        .exclude(entity=entity.pk, kind=Kind.METADATA, field="")
        .values("id", "digest")
    }
    drawn: dict[UUID, list[tuple[UUID, UUID | None]]] = {}
    for derived, record, passage in Source.objects.filter(derived__in=rows).values_list("derived", "entity", "passage"):
        drawn.setdefault(derived, []).append((record, passage))
    records = {r.entity.id for r in found} | {record for sources in drawn.values() for record, _ in sources}
    shared = open_records(records - {entity.pk}) | {entity.pk}
    names, files = _load_name_labels(records), _load_file_labels({r.file.id for r in found if r.file})
    pieces = []
    for result in found:
        sources = drawn.get(result.id, [])
        if result.id in rows and {result.entity.id, *(record for record, _ in sources)} <= shared:
            own = [(result.entity.id, passage) for passage in result.passages or (None,)]
            named = {names[result.entity.id]} if result.entity.name else set()
            if result.file and result.file.name:
                named.add(files[result.file.id])
            pieces.append(
                PulsePassage(
                    result, rows[result.id]["digest"], combine_many(named), tuple(dict.fromkeys([*own, *sources]))
                )
            )
    return pieces


def open_records(ids: Collection[UUID]) -> set[UUID]:
    """Those of `ids` that every member of the workspace may see."""
    return set(Entity.objects.filter(OPEN, pk__in=list(ids)).values_list("pk", flat=True)) if ids else set()


def _load_name_labels(ids: Collection[UUID]) -> dict[UUID, int]:
    return dict(Entity.objects.filter(pk__in=list(ids)).values_list("pk", "name_classification"))


def _load_file_labels(ids: Collection[UUID]) -> dict[UUID, int]:
    return dict(File.objects.filter(pk__in=list(ids)).values_list("pk", "name_classification"))


def _format_title(result: SearchResult) -> str:
    return f"{result.file.title if result.file else ''} {result.entity.title}"
