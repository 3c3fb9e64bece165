"""The only way to conversations: one's own, about records that one may see or about the workspace (design §9, private
visibility).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db import connection
from django.db.models import BooleanField, ExpressionWrapper, F, Func, OuterRef, Q, QuerySet, Subquery, TextField, Value
from django.db.models.expressions import RawSQL
from django.http import Http404

from chat.models import ENDS, Event, Message, Session, Title, Turn
from entities.access import Scope, build_sources_visible_q, get_entity_or_404, list_missing_atoms
from entities.models import Entity

MAX_WORDS_CHARACTERS = 200
"""Of words that conversations are searched for; what is longer is cut."""
STORED_MARKER = r"\s?\[citation:\d+\]"
"""A citation number as it is stored in an answer, with the space before it. Nobody reads it."""


@dataclass(frozen=True)
class HiddenMessage:
    """A message that the caller may know of but not read, and the atoms that would show it."""

    requires: tuple[int, ...]


def select_sessions(scope: Scope) -> QuerySet[Session]:
    """The caller's sessions, with `title` as far as it may be read (NULL otherwise)."""
    title = Title.objects.filter(session=OuterRef("pk")).values("text")[:1]
    about = Q(entity__isnull=True) | Q(entity__in=Entity.objects.visible_to(scope).order_by().values("pk"))
    return Session.objects.filter(about, audience=scope.principal).annotate(title=Subquery(title))


def find_sessions(scope: Scope, words: str) -> QuerySet[Session]:
    """The caller's sessions whose title, or a message of which, holds `words` as they stand and may be read today."""
    words = words[:MAX_WORDS_CHARACTERS]
    read = Func(
        F("content"),
        Value(STORED_MARKER),
        Value(""),
        Value("g"),
        function="regexp_replace",
        output_field=TextField(),
    )
    said = Message.objects.alias(read=read).filter(
        build_sources_visible_q(scope),
        session__in=select_sessions(scope).order_by().values("pk"),  # else everybody's messages are gone through
        audience=scope.principal,
        data_classification__isnull=False,
        read__icontains=words,
    )
    return select_sessions(scope).filter(Q(title__icontains=words) | Q(pk__in=said.values("session")))


def get_session_or_404(scope: Scope, pk: UUID | str) -> Session:
    """Raises: Http404 when it is absent, somebody else's, or its record is hidden: one answer for all."""
    session = select_sessions(scope).filter(pk=pk).first()
    if session is None:
        raise Http404("Not found.")
    return session


def select_turns(scope: Scope) -> QuerySet[Turn]:
    return Turn.objects.filter(audience=scope.principal, session__in=select_sessions(scope).order_by().values("pk"))


def get_turn_or_404(scope: Scope, pk: UUID | str) -> Turn:
    """Raises: Http404, as `get_session_or_404`."""
    turn = select_turns(scope).filter(pk=pk).first()
    if turn is None:
        raise Http404("Not found.")
    return turn


def select_messages(scope: Scope, session: Session) -> QuerySet[Message]:
    """Messages of a session from `get_session_or_404` that may be read today: label, and everything they were drawn
    from.
    """
    return select_readable_messages(scope).filter(session=session.pk)


def select_readable_messages(scope: Scope) -> QuerySet[Message]:
    """The caller's messages whose label and sources they may see today, of whatever session: who asks for some by their
    keys has these from a session from `get_session_or_404`. To name it too would make the database read all of it.
    """
    return Message.objects.filter(
        build_sources_visible_q(scope), audience=scope.principal, data_classification__isnull=False
    )


def load_hidden_messages(session: Session) -> dict[UUID, HiddenMessage]:
    """The acknowledged hidden messages of one's own session, by id."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT id, label FROM app_hidden_messages(%s)", [session.pk])
        return {pk: HiddenMessage(list_missing_atoms(label)) for pk, label in cursor.fetchall()}


def load_disclosed_turns(scope: Scope, pks: Iterable[UUID]) -> dict[UUID, Turn]:
    """The caller's turns among `pks`, with `is_disclosed`: whether all that the answer was drawn from is visible."""
    drawn_from_visible = ExpressionWrapper(build_sources_visible_q(scope, "answer"), output_field=BooleanField())
    return {
        row.pk: row for row in select_turns(scope).filter(pk__in=set(pks)).annotate(is_disclosed=drawn_from_visible)
    }


REMOVED_IS_READABLE = RawSQL(
    '"chat_turn".removed_label = ANY((SELECT app_allowed())::int[])', [], output_field=BooleanField()
)


def find_removed(scope: Scope, turns: Iterable[Turn]) -> set[UUID]:
    """The caller's turns among these whose answer was removed with a source, where they may know: they hold the label
    that it had, and see all else that it was drawn from.
    """
    noted = [turn.pk for turn in turns if turn.removed_label is not None]
    known = select_turns(scope).filter(build_sources_visible_q(scope), REMOVED_IS_READABLE, pk__in=noted)
    return set(known.values_list("pk", flat=True)) if noted else set()


def select_events_after(scope: Scope, turn: Turn, after: int) -> QuerySet[Event]:
    """The events of a turn from `load_disclosed_turns` that may be sent now.

    Labels are the policy's business. Where the answer was drawn from a record that is hidden today, only how it ended
    is told.
    """
    found = Event.objects.filter(turn=turn.pk, audience=scope.principal, seq__gt=after)
    return found if turn.is_disclosed else found.filter(kind__in=ENDS)  # type: ignore[attr-defined]


def get_entity(scope: Scope, session: Session) -> Entity | None:
    """What a session is about; None for the workspace. Raises: Http404 when the record is hidden."""
    return get_entity_or_404(scope, session.entity_id) if session.entity_id else None


def load_entities(scope: Scope, sessions: Iterable[Session]) -> dict[UUID | None, Entity]:
    """The records of sessions, as the caller may read them."""
    ids = {session.entity_id for session in sessions if session.entity_id}
    return {e.pk: e for e in Entity.objects.readable_by(scope).filter(pk__in=ids)} if ids else {}
