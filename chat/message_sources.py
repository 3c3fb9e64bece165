"""What a message was drawn from. Its conversation has each source once, under a number (`Source.number`), and the turn
keeps for its question and its answer the set of these numbers: ranges, so it stays short however much it names
(docs/adr/0063). Titles, which are one a conversation, have rows of their own.

Numbers that a message adds lie in a block of its own. A message that may repeat another has its set, and with it the
whole block: who may read a message does so when it is whole, so nothing is added to its block any more.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import (
    Aggregate,
    BooleanField,
    Case,
    Exists,
    F,
    Func,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from chat.models import Role, Turn
from entities.access import Scope, build_sources_visible_q, list_hidden_source_conditions
from entities.access.scope import load_once
from entities.access.statements import compile_for_reader
from entities.fields import RangesField
from entities.models import Source
from ingestion.drawn import lock_labels, read_labels

BEHIND_MESSAGES = """
SELECT coalesce(range_agg(CASE WHEN m.id = t.question THEN t.question_from ELSE t.answer_from END), '{}')::text
FROM chat_message m JOIN chat_turn t ON t.id = m.turn_id WHERE m.id = ANY(%s::uuid[]) AND m.session_id = %s
"""
BLOCK = 1 << 20
"""Numbers that one message may add."""
OF_MESSAGE = Case(
    When(role=Role.USER, then=F("turn__question_from")), default=F("turn__answer_from"), output_field=RangesField()
)
"""The set of a message, in a query of messages."""


class RangeOf(Func):
    """A range of one number."""

    function = "int8range"
    template = "%(function)s(%(expressions)s, '[]')"
    output_field = RangesField()


class AsRanges(Aggregate):
    """Ranges as one set."""

    function = "range_agg"
    output_field = RangesField()


class IsApart(Func):
    """Whether two sets have no number in common."""

    template = "NOT (%(expressions)s)"
    arg_joiner = " && "
    output_field = BooleanField()


class IsAmong(Func):
    """Whether a number is in a set."""

    template = "(%(expressions)s::int8multirange)"
    arg_joiner = " <@ "
    output_field = BooleanField()


def get_block(turn: int, role: Role | str) -> int:
    """Where the numbers begin that a message of the turn of number `turn` adds."""
    return (2 * turn + (role == Role.ASSISTANT)) * BLOCK


def build_message_visible_q(scope: Scope, session: Any = None) -> Q:
    """Condition on messages: everything that they were drawn from is visible to `scope`. session: theirs, where it is
    known, or an outer reference to it: what is hidden is then looked up once and not for each.
    """
    return _build_visible_q(scope, "pk", session or OuterRef("session"), OF_MESSAGE)


def build_sourced_visible_q(scope: Scope, column: str, session: Any = None) -> Q:
    """Condition on turns: the same of their "question" or "answer", whether or not that may be read."""
    if session is None and not scope.is_service:
        # Every stream asks at every look.
        return compile_for_reader(scope, f"sources of {column}", Turn, lambda: _build_sourced_visible_q(scope, column))
    return _build_sourced_visible_q(scope, column, session)


def _build_sourced_visible_q(scope: Scope, column: str, session: Any = None) -> Q:
    return _build_visible_q(scope, column, session or OuterRef("session"), F(f"{column}_from"))


def _build_visible_q(scope: Scope, column: str, session: Any, drawn: Any) -> Q:
    if scope.is_service:
        return Q()
    # A row of a conversation that has no number is nobody's source, whoever wrote it.
    numbered = Source.objects.filter(derived=session, number__isnull=False)
    hidden = numbered.filter(_build_hidden_q(scope)).order_by().values("derived")
    numbers = hidden.annotate(numbers=AsRanges(RangeOf(F("number"), F("number")))).values("numbers")
    none = Value("{}", output_field=RangesField())
    apart: Any = IsApart(drawn, Coalesce(Subquery(numbers), none, output_field=RangesField()))
    if not isinstance(session, OuterRef):
        # What is hidden in one conversation says nothing of another. No condition of its own: no index answers it.
        apart = Case(When(session=session, then=apart), default=Value(False), output_field=BooleanField())
    # A text that was written by an older version has rows of its own. They are looked for text by text in an index that
    # has no numbered rows: a plan may otherwise go through all sources for each text, without statistics or where most
    # rows are of one conversation.
    own = Exists(Source.objects.filter(derived=OuterRef(column), number=None))
    return (Q(~own) | build_sources_visible_q(scope, column)) & Q(apart)


def _build_hidden_q(scope: Scope) -> Q:
    def load() -> Q:
        found = Q()
        for hidden in list_hidden_source_conditions(scope):
            found |= hidden
        return found

    return load_once(f"hidden sources {scope.principal} {scope.narrowed_to}", load)  # type: ignore[no-any-return]


def build_summary_visible_q(scope: Scope, session: UUID) -> Q:
    """Condition on summaries of a session: everything that they were drawn from is visible to `scope`."""
    return _build_visible_q(scope, "pk", session, F("source_numbers"))


@dataclass(frozen=True)
class SourceSet:
    """What is behind several messages of a conversation. numbers: of its sources, as PostgreSQL writes a set. passages:
    among them. has_own_rows: one of them was written by an older version, and has sources that are in no set.
    """

    numbers: str
    passages: tuple[UUID, ...]
    has_own_rows: bool


def read_source_set(session: UUID, messages: Collection[UUID]) -> SourceSet:
    """In the service's scope, after `derivation.hold_records`."""
    with connection.cursor() as cursor:
        cursor.execute(BEHIND_MESSAGES, [list(messages), session])
        (numbers,) = cursor.fetchone()
    rows = Source.objects.filter(IsAmong(F("number"), Value(numbers)), derived=session, passage__isnull=False)
    own = Source.objects.filter(derived__in=list(messages), number=None).exists()
    return SourceSet(numbers, tuple(pk for pk in rows.values_list("passage", flat=True) if pk), own)


def select_message_sources(turn: Turn, role: Role) -> QuerySet[Source]:
    """What the question or the answer of a turn was drawn from."""
    column, text = ("answer_from", turn.answer) if role == Role.ASSISTANT else ("question_from", turn.question)
    drawn = Subquery(Turn.objects.filter(pk=turn.pk).values(column))
    shared = Q(IsAmong(F("number"), drawn), derived=turn.session_id)
    return Source.objects.filter(shared | Q(derived=text, number=None))


def lock_message_labels(turn: Turn, role: Role) -> list[int]:
    """`ingestion.drawn.lock_source_labels` of the question or the answer of a turn. In a private conversation what its
    owner sent adds nothing while it rests (docs/adr/0075).
    """
    return lock_labels((passage for passage in _select_passages(turn, role) if passage), _get_only_reader(turn))


def read_message_labels(turn: Turn, role: Role) -> list[int]:
    """`ingestion.drawn.read_labels` of the question or the answer of a turn, as `lock_message_labels`."""
    return read_labels(_select_passages(turn, role), _get_only_reader(turn))


def read_all_labels(turn: Turn) -> list[int]:
    """Labels of all that a turn's answer may repeat, whoever reads it: for what others read of the turn, the audit."""
    return read_labels(_select_passages(turn, Role.ASSISTANT))


def _get_only_reader(turn: Turn) -> int:
    return turn.owner if turn.audience == turn.owner else 0


def _select_passages(turn: Turn, role: Role) -> Any:
    return select_message_sources(turn, role).filter(passage__isnull=False).values_list("passage", flat=True)
