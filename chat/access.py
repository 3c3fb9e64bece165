"""The only way to conversations: one's own and those that one reads along, about records that one may see or about the
workspace (design §9).

Whose a row is for, and its label, are the policies' business; what is asked for here is permission on the record, and
on everything that a message was drawn from.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import (
    BooleanField,
    Case,
    Exists,
    ExpressionWrapper,
    F,
    Func,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextField,
    Value,
    When,
    Window,
)
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce, RowNumber
from django.http import Http404

from chat.message_sources import build_message_visible_q, build_sourced_visible_q
from chat.models import ENDS, Event, Message, Session, Title, Turn
from entities.access import Scope, build_sources_visible_q, get_entity_or_404, list_missing_atoms
from entities.models import Entity

MAX_WORDS_CHARACTERS = 200
"""Of words that conversations are searched for; what is longer is cut."""
STORED_MARKER = r"\s?\[citation:\d+\]"
"""A citation number as it is stored in an answer, with the space before it. Nobody reads it."""


REMOVED_IS_READABLE = RawSQL(
    '"chat_turn".removed_label = ANY((SELECT app_allowed())::int[])', [], output_field=BooleanField()
)


@dataclass(frozen=True)
class HiddenMessage:
    """A message that the caller may know of but not read, and the atoms that would show it."""

    requires: tuple[int, ...]


def is_hidden(column: str) -> RawSQL:
    """Condition on turns: the message in `column` has a label that the caller may know of but not read."""
    return RawSQL(  # noqa: S611
        f"chat_turn.{column} IN (SELECT h.id FROM app_hidden_messages(chat_turn.session_id) h)",  # noqa: S608
        [],
        output_field=BooleanField(),
    )


def may_know_message(scope: Scope, column: str, session: Any = None) -> Q:
    """Condition on turns: the caller may not read the message in `column`, but may know that it is there. Of what was
    drawn from a record that they do not see nothing is told. session: theirs, where it is known.
    """
    return Q(is_hidden(column)) & build_sourced_visible_q(scope, column, session)


def select_sessions(scope: Scope) -> QuerySet[Any]:
    """The sessions that the caller reads, with `title` as far as it may be read (NULL otherwise), `typed_title`,
    where a person has typed it, `is_mine`, and `is_pinned` and `is_archived` of one's own.
    """
    titles = select_readable_titles(scope).filter(session=OuterRef("pk"))
    mine = Q(owner=scope.principal)
    of_mine = {"is_mine": mine, "is_pinned": mine & Q(pinned=True), "is_archived": mine & Q(archived_at__isnull=False)}
    flags = {name: ExpressionWrapper(flag, output_field=BooleanField()) for name, flag in of_mine.items()}
    rows: QuerySet[Any] = _select_bare_sessions(scope).annotate(
        title=Subquery(titles.values("text")[:1]),
        typed_title=Subquery(titles.filter(by_person=True).values("text")[:1]),
        **flags,
    )
    return rows


def _select_bare_sessions(scope: Scope) -> QuerySet[Session]:
    about = Q(entity__isnull=True) | Q(entity__in=Entity.objects.visible_to(scope).order_by().values("pk"))
    return Session.objects.filter(about)


def select_dated_sessions(scope: Scope) -> QuerySet[Any]:
    """Those, in the order in which they are listed, with `said_at`, the moment by which they are: of what others read
    along that of the latest message that the caller may read. What is hidden moves nothing.
    """
    latest = _select_messages_of_outer(scope).order_by("-created_at").values("created_at")
    private = Q(audience=F("owner"))
    said_at = Case(When(private, then=F("last_message_at")), default=Coalesce(Subquery(latest[:1]), F("created_at")))
    return select_sessions(scope).annotate(said_at=said_at).order_by("-is_pinned", "-said_at", "pk")


def select_own_sessions(scope: Scope) -> QuerySet[Any]:
    """Those that the caller began, and may rename, pin, archive and delete, the latest first."""
    return select_dated_sessions(scope).filter(owner=scope.principal).order_by("-said_at", "pk")


def find_sessions(scope: Scope, words: str) -> QuerySet[Any]:
    """The sessions that the caller reads whose title, or a message of which, holds `words` as they stand and may be
    read today, as `select_dated_sessions`, with `found`, the latest such message or none.
    """
    words = words[:MAX_WORDS_CHARACTERS]
    read = Func(
        F("content"),
        Value(STORED_MARKER),
        Value(""),
        Value("g"),
        function="regexp_replace",
        output_field=TextField(),
    )
    said = _select_messages_of_outer(scope).alias(read=read).filter(read__icontains=words)
    latest = Subquery(said.order_by("-created_at", "-pk").values("pk")[:1])
    return select_dated_sessions(scope).filter(Q(title__icontains=words) | Q(Exists(said))).annotate(found=latest)


def get_session_or_404(scope: Scope, pk: UUID | str) -> Session:
    """Raises: Http404 when it is absent, for others, or its record is hidden: one answer for all."""
    session: Session | None = select_sessions(scope).filter(pk=pk).first()
    if session is None:
        raise Http404("Not found.")
    return session


def get_own_session_or_404(scope: Scope, pk: UUID | str) -> Session:
    """To change it. Raises: Http404, also for a session that somebody else has begun."""
    session = get_session_or_404(scope, pk)
    if session.owner != scope.principal:
        raise Http404("Not found.")
    return session


def select_turns(scope: Scope) -> QuerySet[Turn]:
    """Turns of sessions that the caller reads. Of others' turns more must be known before they are told of:
    `select_known_turns`, `conversation.list_exchanges`.
    """
    return Turn.objects.filter(session__in=_select_bare_sessions(scope).order_by().values("pk"))


def select_known_turns(scope: Scope, session: UUID | None = None) -> QuerySet[Turn]:
    """Those that the caller asked for, and others' of which they may read a message, or know that there is, or was,
    one. session: of this one alone.
    """
    turns = select_turns(scope) if session is None else select_turns(scope).filter(session=session)
    said = select_readable_messages(scope, session or OuterRef(OuterRef("session"))).filter(turn=OuterRef("pk"))
    told_of = may_know_message(scope, "question", session) | may_know_message(scope, "answer", session)
    return turns.filter(Q(owner=scope.principal) | Exists(said) | told_of | may_know_removed(scope, session))


def get_turn_or_404(scope: Scope, pk: UUID | str) -> Turn:
    """Raises: Http404, as `get_session_or_404`."""
    turn = select_known_turns(scope).filter(pk=pk).first()
    if turn is None:
        raise Http404("Not found.")
    return turn


def get_own_turn_or_404(scope: Scope, pk: UUID | str) -> Turn:
    """To stop, rate or repeat it. Raises: Http404, also for a turn that somebody else has asked for."""
    turn = get_turn_or_404(scope, pk)
    if turn.owner != scope.principal:
        raise Http404("Not found.")
    return turn


def select_messages(scope: Scope, session: Session) -> QuerySet[Message]:
    """Messages of a session from `get_session_or_404` that may be read today: label, and everything they were drawn
    from.
    """
    return select_readable_messages(scope, session.pk).filter(session=session.pk)


def select_readable_messages(scope: Scope, session: Any = None) -> QuerySet[Message]:
    """Messages for the caller whose label and sources they may see today, of whatever session: who asks for some by
    their keys has these from a session from `get_session_or_404`. session: theirs, where it is known, or an outer
    reference to it; it narrows nothing, which would make the database read all of it.
    """
    return Message.objects.filter(build_message_visible_q(scope, session), data_classification__isnull=False)


def _select_messages_of_outer(scope: Scope) -> QuerySet[Message]:
    """Those of a session in an outer query."""
    return select_readable_messages(scope, OuterRef(OuterRef("pk"))).filter(session=OuterRef("pk"))


def select_readable_titles(scope: Scope) -> QuerySet[Title]:
    """Titles whose label and sources the caller may see today, of whatever session, as `select_readable_messages`."""
    return Title.objects.filter(build_sources_visible_q(scope), data_classification__isnull=False)


def load_hidden_messages(scope: Scope, session: Session) -> dict[UUID, HiddenMessage]:
    """The acknowledged hidden messages of a session from `get_session_or_404`, by id."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT id, label FROM app_hidden_messages(%s)", [session.pk])
        labels = dict(cursor.fetchall())
    if not labels:
        return {}
    told: set[UUID] = set()
    for column in ("question", "answer"):
        turns = select_turns(scope).filter(
            build_sourced_visible_q(scope, column, session.pk), **{f"{column}__in": labels}, session=session.pk
        )
        told.update(turns.order_by().values_list(column, flat=True))
    return {pk: HiddenMessage(list_missing_atoms(label)) for pk, label in labels.items() if pk in told}


def load_known_turns(scope: Scope, pks: Iterable[UUID]) -> dict[UUID, Turn]:
    """The turns among `pks` that the caller may know of. What decides of others' turns is asked only where there are
    some: most are one's own, and every stream asks.
    """
    wanted = set(pks)
    found = {row.pk: row for row in select_turns(scope).filter(owner=scope.principal, pk__in=wanted)}
    if others := wanted - found.keys():
        found |= {row.pk: row for row in select_known_turns(scope).filter(pk__in=others)}
    return found


def may_know_removed(scope: Scope, session: Any = None) -> Q:
    """Condition on turns: the answer was removed with a source, and the caller may know: they hold the label that it
    had, and see all else that it was drawn from.
    """
    return Q(REMOVED_IS_READABLE) & build_sources_visible_q(scope) & build_sourced_visible_q(scope, "answer", session)


def find_removed(scope: Scope, turns: Iterable[Turn]) -> set[UUID]:
    """The turns among these of which `may_know_removed` says so."""
    noted = [turn.pk for turn in turns if turn.removed_label is not None]
    if not noted:
        return set()
    return set(select_turns(scope).filter(may_know_removed(scope), pk__in=noted).values_list("pk", flat=True))


def find_readable_answers(scope: Scope, turns: Collection[UUID]) -> set[UUID]:
    """The turns among these, from `load_known_turns`, whose answer the caller may read now."""
    if not turns:
        return set()
    disclosed = Turn.objects.filter(build_sourced_visible_q(scope, "answer"), pk__in=turns)
    return set(disclosed.filter(answer__in=Message.objects.values("pk")).values_list("pk", flat=True))


def select_events_after(scope: Scope, turns: Mapping[UUID, int]) -> QuerySet[Event]:
    """The events of turns from `load_known_turns` that may be sent now: turn -> the number after which they begin.

    Labels are the policy's business. Where the answer was drawn from a record that is hidden today, only how it ended
    is told. That is asked with the events: what it is drawn from may have grown since the turn was looked up.
    """
    disclosed = Turn.objects.filter(build_sourced_visible_q(scope, "answer"), pk__in=turns).values("pk")
    later = Q()
    for after in set(turns.values()):
        later |= Q(turn__in=[pk for pk, last in turns.items() if last == after], seq__gt=after)
    return Event.objects.filter(Q(kind__in=ENDS) | Q(turn__in=disclosed), later, turn__in=turns)


def load_events_after(scope: Scope, turns: Mapping[UUID, int], most: int) -> dict[UUID, list[Event]]:
    """The first of them, at most `most` of each turn."""
    place = Window(RowNumber(), partition_by="turn", order_by="seq")
    rows = select_events_after(scope, turns).annotate(place=place).filter(place__lte=most).order_by("seq")
    found: dict[UUID, list[Event]] = {}
    for event in rows if turns else ():
        found.setdefault(event.turn_id, []).append(event)
    return found


def get_entity(scope: Scope, session: Session) -> Entity | None:
    """What a session is about; None for the workspace. Raises: Http404 when the record is hidden."""
    return get_entity_or_404(scope, session.entity_id) if session.entity_id else None


def load_entities(scope: Scope, sessions: Iterable[Session]) -> dict[UUID | None, Entity]:
    """The records of sessions, as the caller may read them."""
    ids = {session.entity_id for session in sessions if session.entity_id}
    return {e.pk: e for e in Entity.objects.readable_by(scope).filter(pk__in=ids)} if ids else {}
