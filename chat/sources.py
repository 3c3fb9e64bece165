"""What an answer was drawn from, told to who may read the answer: they may see all of it."""

from bisect import bisect_left
from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from django.utils.translation import gettext, ngettext

from chat.message_sources import select_message_sources
from chat.models import Role, Turn
from entities.access import Scope
from entities.models import Entity, Source, Weight


@dataclass(frozen=True)
class DrewOn:
    """How many passages (and fields of records), names of other records, and lists of records went into an answer."""

    passages: int = 0
    names: int = 0
    counts: int = 0

    def as_json(self) -> dict[str, int]:
        return asdict(self)

    def __str__(self) -> str:
        """ "Drew on 12 passages, 40 names, 1 count."; "" where it drew on nothing."""
        parts = (
            (self.passages, ngettext("%(count)d passage", "%(count)d passages", self.passages)),
            (self.names, ngettext("%(count)d name", "%(count)d names", self.names)),
            (self.counts, ngettext("%(count)d count", "%(count)d counts", self.counts)),
        )
        told = ", ".join(words % {"count": count} for count, words in parts if count)
        return gettext("Drew on %(sources)s.") % {"sources": told} if told else ""


@dataclass(frozen=True)
class SourceRecord:
    """A record that went into an answer. gave: what of it. passages: of its text. listed: records of which the answer
    was given a number, asked about this one.
    """

    entity: Entity
    gave: Weight
    passages: int = 0
    listed: int = 0

    def as_json(self) -> dict[str, Any]:
        about = {"id": str(self.entity.pk), "type": self.entity.type_name, "name": self.entity.title}  # type: ignore[attr-defined]
        return {"entity": about, "gave": self.gave, "passages": self.passages, "listed": self.listed}


def count_sources(session: UUID, turns: Collection[Turn]) -> dict[UUID, DrewOn]:
    """What the answers of turns of a session drew on, which the caller may read, by turn."""
    numbers: dict[Weight, list[int]] = {weight: [] for weight in Weight}
    own: dict[UUID, dict[Weight, int]] = {}
    rows = Source.objects.filter(derived__in=[session, *(turn.answer for turn in turns)]).order_by("number")
    for derived, weight, number in rows.values_list("derived", "weight", "number") if turns else ():
        if number is not None:
            numbers[Weight(weight)].append(number)
        else:
            of_text = own.setdefault(derived, dict.fromkeys(Weight, 0))
            of_text[Weight(weight)] += 1
    found: dict[UUID, DrewOn] = {}
    for turn in turns:
        counts = {
            weight: sum(bisect_left(given, part.upper) - bisect_left(given, part.lower) for part in turn.answer_from)
            + own.get(turn.answer, {}).get(weight, 0)
            for weight, given in numbers.items()
        }
        lists = min(counts[Weight.COUNT], 1)  # what its turns have listed is one list
        found[turn.pk] = DrewOn(counts[Weight.TEXT], counts[Weight.NAME], lists)
    return found


def list_source_records(scope: Scope, turn: Turn) -> list[SourceRecord]:
    """The records behind the answer of a turn, which the caller may read: what gave text first, then by what they are
    called.
    """
    rows: dict[tuple[UUID, str], list[Source]] = {}
    lists: list[Source] = []
    for source in select_message_sources(turn, Role.ASSISTANT).order_by("number"):
        if source.counted is None:
            rows.setdefault((source.entity_id, source.weight), []).append(source)
        else:
            lists.append(source)
    if lists:  # what its turns have listed is one list
        lists[0].counted = list({pk for source in lists for pk in source.counted or ()})
        rows[lists[0].entity_id, lists[0].weight] = lists[:1]
    readable = {e.pk: e for e in Entity.objects.readable_by(scope).filter(pk__in={entity for entity, _ in rows})}
    found = [
        SourceRecord(
            readable[entity],
            Weight(weight),
            passages=sum(bool(source.passage) for source in sources if weight == Weight.TEXT),
            listed=sum(len(source.counted or ()) for source in sources),
        )
        for (entity, weight), sources in rows.items()
        if entity in readable
    ]
    order = list(Weight)
    return sorted(found, key=lambda record: (order.index(record.gave), str(record.entity)))
