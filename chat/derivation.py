"""What a text was drawn from: an answer from all that the model was given, what somebody types from all that it may
repeat (`chat.typed`). What was said earlier in the conversation is named by its messages, with all that is behind them
(`chat.message_sources`); what stands elsewhere is copied.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import F, Max, Value

from chat.message_sources import BLOCK, IsAmong, get_block
from chat.models import Message, Role, Session, Turn
from entities.models import Entity, Source, Weight

MOST_AT_ONCE = 5_000
"""Rows that one statement writes."""
TO_COPY = """
WITH given AS (
  SELECT t.session_id, t.answer_from AS drawn FROM chat_turn t WHERE t.answer = ANY(%(texts)s)
  UNION ALL SELECT t.session_id, t.question_from FROM chat_message m JOIN chat_turn t ON t.id = m.turn_id
    WHERE m.id = ANY(%(texts)s) AND m.id = t.question),
sets AS (SELECT session_id, range_agg(drawn) AS drawn FROM given GROUP BY session_id)
SELECT s.entity_id, s.passage, s.weight, s.counted FROM entities_source s
  WHERE s.derived = ANY(%(texts)s) AND (s.weight <> 'count' OR s.counted IS NOT NULL)
UNION SELECT s.entity_id, s.passage, s.weight, s.counted FROM sets g JOIN entities_source s
  ON s.derived = g.session_id AND s.number <@ g.drawn
"""
BEHIND = """
WITH earlier AS (
  SELECT CASE WHEN m.id = t.question THEN t.question_from ELSE t.answer_from END AS drawn
  FROM chat_message m JOIN chat_turn t ON t.id = m.turn_id WHERE m.id = ANY(%s::uuid[]) AND m.session_id = %s)
SELECT (SELECT count(*) FROM earlier),
  ({} + %s::int8multirange + coalesce((SELECT range_agg(drawn) FROM earlier), '{{}}'))::text
FROM chat_turn WHERE id = %s
"""
ADD = """
UPDATE chat_turn SET {} = %s::int8multirange
  + coalesce((SELECT range_agg(int8range(n, n, '[]')) FROM unnest(%s::int8[]) n), '{{}}') WHERE id = %s
"""
Row = tuple[UUID, UUID | None, Weight]
"""Of a source: the record, a passage, what was given of it."""


class SourceGone(Exception):
    """An earlier message that a text may repeat is gone, and nobody knows any more what it was drawn from."""


@dataclass(frozen=True)
class SourceLabel:
    """Something the model was given: a passage (its paragraphs) or a record's own fields (none). label: with its
    names'. weight: less than text where it was given the record's name alone, or a number that includes it.
    """

    entity: UUID
    label: int
    paragraphs: tuple[UUID, ...] = ()
    weight: Weight = Weight.TEXT


@dataclass(frozen=True)
class EarlierMessage:
    """A message of the same conversation that was given, with all that is behind it."""

    id: UUID
    label: int


Given = SourceLabel | EarlierMessage


def name_messages(messages: Mapping[UUID, int]) -> list[EarlierMessage]:
    """What a text is drawn from that may repeat messages of its own conversation (id -> label)."""
    return [EarlierMessage(pk, label) for pk, label in messages.items()]


def _split_sources(given: Iterable[Given]) -> tuple[list[SourceLabel], dict[UUID, int]]:
    """What was given apart from earlier messages, and these (id -> label)."""
    given = list(given)
    messages = {one.id: one.label for one in given if isinstance(one, EarlierMessage)}
    return [one for one in given if isinstance(one, SourceLabel)], messages


def load_derivation_sources(texts: Mapping[UUID, int]) -> list[SourceLabel]:
    """What derived texts (id -> label) were drawn from, row by row: an answer that may repeat them needs all of it, but
    for the numbers of a Pulse, which include what was open to the workspace when it was written.
    """
    by_label: dict[int, list[UUID]] = {}
    for text, label in texts.items():
        by_label.setdefault(label, []).append(text)
    grouped: dict[tuple[UUID, int, Weight], list[UUID]] = {}
    for label, derived in by_label.items():
        # Texts of one conversation have most of their sources in common.
        with connection.cursor() as cursor:
            cursor.execute(TO_COPY, {"texts": derived})
            rows = cursor.fetchall()
        for entity, passage, weight, counted in rows:
            for one in [entity] if counted is None else counted:
                grouped.setdefault((one, label, Weight(weight)), []).extend([passage] if passage else [])
    return [
        SourceLabel(entity, label, tuple(passages), weight) for (entity, label, weight), passages in grouped.items()
    ]


def load_message_sources(messages: Mapping[UUID, int]) -> list[SourceLabel]:
    """`load_derivation_sources` of messages. Raises: SourceGone where one of them was deleted since it was read."""
    sources = load_derivation_sources(messages)
    if Message.objects.filter(pk__in=messages).count() < len(messages):  # after the rows, which go with it
        raise SourceGone
    return sources


def add_message_sources(given: Iterable[Given]) -> list[SourceLabel]:
    """What was given with the sources of earlier messages in place of these, for a text that has rows of its own.
    Raises: SourceGone.
    """
    others, messages = _split_sources(given)
    return [*others, *load_message_sources(messages)]


def hold_records(session: Session, given: Iterable[Given]) -> None:
    """Keep the records and files behind what a text may repeat from being deleted until the transaction ends: before
    anything else is locked, and in the order of their ids, what came in a file after it. A deletion takes what was
    drawn from its record with it: it finds this text, or it was over before, and is seen.
    """
    others, messages = _split_sources(given)
    records = {one.entity for one in others if one.weight != Weight.COUNT} | {session.entity_id}
    passages = {passage for one in others for passage in one.paragraphs}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT app_hold_records(%s, %s::uuid[], %s::uuid[], %s::uuid[])",
            [session.pk, [pk for pk in records if pk], list(passages), list(messages)],
        )


def record_sources(session: Session, turn: Turn, role: Role, given: Iterable[Given]) -> None:
    """Add what a question or an answer may repeat to what it is drawn from, after `hold_records`. In the service's
    scope, or as its asker.

    Raises: SourceGone where an earlier message was deleted since it was read.
    """
    column, begin = "answer_from" if role == Role.ASSISTANT else "question_from", get_block(turn.number, role)
    others, earlier = _split_sources(given)
    messages = list(earlier)
    with connection.cursor() as cursor:
        cursor.execute(BEHIND.format(column), [messages, session.pk, f"{{[{begin},{begin + BLOCK})}}", turn.pk])
        found, known = cursor.fetchone()
        if found < len(messages):
            raise SourceGone
        others += _load_own_rows(messages)
        added = _add_rows(session, begin, known, _list_rows(others))
        list_counted_records(session, begin, known, _list_counted(others))
        cursor.execute(ADD.format(column), [known, added, turn.pk])


def record_question_sources(session: Session, turn: Turn, given: Sequence[Given]) -> None:
    """`record_sources` of a question that is asked just now, as its asker. Raises: SourceGone."""
    hold_records(session, given)
    record_sources(session, turn, Role.USER, given)


def record_title_sources(session: Session, title: UUID, given: Sequence[SourceLabel]) -> None:
    """Write what the title of a session may repeat, which has rows of its own. In the service's scope."""
    own = {"workspace_id": session.workspace_id, "derived": title}
    rows = [
        Source(**own, entity_id=entity, passage=passage, weight=weight)
        for entity, passage, weight in sorted(_list_rows(given), key=str)
    ]
    Source.objects.bulk_create(rows, batch_size=MOST_AT_ONCE)
    _write_list(session, _list_counted(given), **own)


def _list_rows(given: Iterable[SourceLabel]) -> set[Row]:
    return {
        (g.entity, passage, g.weight)
        for g in given
        if g.weight != Weight.COUNT
        for passage in (g.paragraphs or (None,))
    }


def _list_counted(given: Iterable[SourceLabel]) -> set[UUID]:
    return {g.entity for g in given if g.weight == Weight.COUNT}


def _load_own_rows(messages: Sequence[UUID]) -> list[SourceLabel]:
    """Of messages that an older version wrote."""
    rows = Source.objects.filter(derived__in=messages).values_list("entity", "passage", "weight", "counted")
    return [
        SourceLabel(one, 0, (passage,) if passage else (), Weight(weight))
        for entity, passage, weight, counted in (rows if messages else ())
        for one in (counted or [entity])
    ]


def _add_rows(session: Session, begin: int, known: str, wanted: set[Row]) -> list[int]:
    """The numbers of what is not among the numbers `known`, written where the conversation does not have it."""
    if not wanted:
        return []
    there = Source.objects.filter(derived=session.pk, number__isnull=False, counted=None).order_by("number")
    of_these = there.filter(entity__in={entity for entity, _, _ in wanted})
    is_known = IsAmong(F("number"), Value(known))
    stored: dict[Row, int | None] = {}
    rows = of_these.annotate(known=is_known).values_list("entity", "passage", "weight", "number", "known")
    for entity, passage, weight, number, is_in in rows:
        row = (entity, passage, Weight(weight))
        stored[row] = None if is_in else stored.get(row, number)
    new = sorted(wanted - stored.keys(), key=str)
    numbers = _take_numbers(session, begin, len(new))
    Source.objects.bulk_create(
        (
            Source(
                workspace_id=session.workspace_id,
                derived=session.pk,
                number=number,
                entity_id=entity,
                passage=passage,
                weight=weight,
            )
            for number, (entity, passage, weight) in zip(numbers, new, strict=True)
        ),
        batch_size=MOST_AT_ONCE,
    )
    return [number for row in wanted & stored.keys() if (number := stored[row]) is not None]


def _take_numbers(session: Session, begin: int, count: int) -> range:
    """The next numbers of a block. Raises: OverflowError where it has not so many left: of a number beyond it no text
    would know.
    """
    used = Source.objects.filter(derived=session.pk, number__gte=begin, number__lt=begin + BLOCK)
    last: int | None = used.aggregate(last=Max("number"))["last"]
    first = begin if last is None else last + 1
    if first + count > begin + BLOCK:
        raise OverflowError(f"no {count} numbers are left in the block at {begin}")
    return range(first, first + count)


def list_counted_records(session: Session, begin: int, known: str, counted: set[UUID]) -> None:
    """Add records that are included in numbers which a text may repeat, and that no list among its sources has, to a
    source that lists them.

    Deleting one leaves the text alone. A reader who may not see one of them is not shown it. The row stands at the
    record that was asked about; of a conversation about the workspace at one of those it lists, and goes over to
    another where that one is deleted (a trigger). A list names records that were deleted since, too.
    """
    if not counted:
        return
    lists = Source.objects.filter(IsAmong(F("number"), Value(known)), derived=session.pk, counted__isnull=False)
    new = counted.difference(*(row or () for row in lists.values_list("counted", flat=True)))
    (number,) = _take_numbers(session, begin, 1)
    _write_list(session, new, workspace_id=session.workspace_id, derived=session.pk, number=number)


def _write_list(session: Session, counted: set[UUID], **row: Any) -> None:
    left = Entity._base_manager.filter(pk__in=counted).order_by("pk").values_list("pk", flat=True)
    record = (session.entity_id or left.first()) if counted else None
    if record is not None:  # else nobody is left from whom the number must be kept
        Source.objects.create(**row, entity_id=record, weight=Weight.COUNT, counted=sorted(counted))
