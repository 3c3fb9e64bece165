"""What an answer was drawn from, told to who may read the answer: they may see all of it."""

from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count
from django.utils.translation import gettext, ngettext

from chat.models import Message
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


FIELD = {Weight.TEXT: "passages", Weight.NAME: "names", Weight.COUNT: "counts"}


def count_sources(answers: Collection[Message]) -> dict[UUID, DrewOn]:
    """Of answers from `select_messages`, by id."""
    found: dict[UUID, dict[str, int]] = {}
    rows = Source.objects.filter(derived__in=[answer.pk for answer in answers])
    for derived, weight, count in rows.values_list("derived", "weight").annotate(Count("pk")) if answers else ():
        found.setdefault(derived, {})[FIELD[Weight(weight)]] = count
    return {pk: DrewOn(**counts) for pk, counts in found.items()}


def list_source_records(scope: Scope, answer: Message) -> list[SourceRecord]:
    """The records behind an answer from `select_messages`: what gave text first, then by what they are called."""
    rows: dict[tuple[UUID, str], list[Source]] = {}
    for source in Source.objects.filter(derived=answer.pk):
        rows.setdefault((source.entity_id, source.weight), []).append(source)
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
