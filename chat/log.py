"""The event log of a turn and the lease on it. Everything here runs in the service's scope.

One run at a time may write: it holds the turn by a conditional UPDATE, every write renews the lease, and a run that
lost it gets `LeaseLost` and writes nothing more.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext_noop

from chat.audit import note_answer
from chat.derivation import Given, SourceGone, hold_records, record_sources
from chat.message_sources import lock_message_labels, read_all_labels, read_message_labels
from chat.models import Event, EventKind, Message, Role, Session, State, Turn
from entities.access import Scope, combine_many

LEASE = timedelta(seconds=15)
FORGOTTEN = gettext_noop("A record that went into this answer was deleted while it was written. Ask again.")
CHANNEL, EVENT, STOP = "chat_turn", "event", "stop"


class LeaseLost(Exception):
    """Another process has ended this turn."""


class RecordForgotten(Exception):
    """A record that went into the answer has been deleted, and what there was of the answer with it."""


@dataclass(frozen=True)
class WriteResult:
    """What a write found. label: of everything that went into the answer, as it is now."""

    stop_requested: bool
    label: int


@dataclass(frozen=True)
class Entry:
    """An event to be written. label: of what `data` says; 0 for what holds no text of anybody."""

    kind: EventKind
    data: dict[str, Any]
    label: int


@dataclass(frozen=True)
class TurnEnding:
    """How a turn ended. content: of the answer so far. label: of everything that went into it. confidence: of a whole
    answer (`chat.confidence`).
    """

    state: State
    content: str = ""
    label: int = 0
    error: str = ""
    code: str = ""
    dropped: int = 0
    usage: dict[str, Any] = field(default_factory=dict)
    confidence: str | None = None


END_KINDS = {
    State.DONE: EventKind.DONE,
    State.STOPPED: EventKind.STOPPED,
    State.INTERRUPTED: EventKind.ERROR,
    State.FAILED: EventKind.ERROR,
}


def claim(scope: Scope, turn: UUID, holder: UUID) -> bool:
    """Take a waiting turn. False: it is taken, stopped or gone."""
    return bool(
        Turn.objects.filter(pk=turn, state=State.QUEUED).update(
            state=State.RUNNING, holder=holder, lease_until=timezone.now() + LEASE
        )
    )


def append(scope: Scope, turn: UUID, holder: UUID, entries: Sequence[Entry], label: int, written: int) -> WriteResult:
    """Write events and keep the lease. label: of what the model has been given, as it was read. written: the label that
    the last write found, 0 before the first.

    Where more was given since, or one of the passages has risen, what is written here and what was written before rise
    with it: `label` alone does not tell what the earlier events have, nor what is said while a write finds a raise. A
    raise that is under way is not waited for: it comes after this write, and the next one or the end finds it. There
    are twenty writes a second, and what is behind an answer grows with the conversation. Raises: LeaseLost, Forgotten.
    """
    row = _renew_lease(turn, holder, len(entries))
    if not _is_answer_stored(row):
        raise RecordForgotten(str(turn))
    now = combine_many([label, *read_message_labels(row, Role.ASSISTANT)])
    if now != written:
        raise_events(row.pk, now)
    _write(row, [replace(entry, label=now) for entry in entries])
    return WriteResult(row.stop_requested, now)


def record_prompt_sources(
    scope: Scope, turn: UUID, holder: UUID, given: Sequence[Given], manifest: dict[str, Any], label: int = 0
) -> list[int]:
    """Record what the model is about to be given, before it is: the answer's sources, the session's high water, the
    manifest. label: of what it is told beside. Returns `read_all_labels`.

    Raises: LeaseLost, Forgotten.
    """
    session = Session.objects.filter(pk__in=Turn.objects.filter(pk=turn).values("session")).first()
    if session is None:
        raise LeaseLost(str(turn))
    hold_records(session, given)
    row = _renew_lease(turn, holder, 0)
    if not _is_answer_stored(row):
        raise RecordForgotten(str(turn))
    Message.objects.get_or_create(
        pk=row.answer,
        defaults={
            "workspace_id": row.workspace_id,
            "audience": row.audience,
            "owner": row.owner,
            "session_id": row.session_id,
            "turn_id": row.pk,
            "role": Role.ASSISTANT,
        },
    )
    try:
        record_sources(session, row, Role.ASSISTANT, given)
    except SourceGone:
        raise RecordForgotten(str(turn)) from None
    raise_high_water(row.session_id, [label, *(g.label for g in given)])
    Turn.objects.filter(pk=row.pk).update(manifest=manifest)
    return read_all_labels(row) if session.is_private else []  # else `label` leaves nothing out


def finish(scope: Scope, turn: UUID, holder: UUID, entries: Sequence[Entry], ending: TurnEnding) -> int:
    """Write the last events, the answer with its label, and the end. Returns the answer's label. Raises: LeaseLost."""
    row = _renew_lease(turn, holder, len(entries))
    if not _is_answer_stored(row):
        row.last_seq += len(entries)
        return end(row, replace(ending, state=State.FAILED, error=FORGOTTEN, code="source_deleted"))
    _write(row, entries)
    return end(row, ending)


def end(row: Turn, ending: TurnEnding) -> int:
    """End a locked turn. The answer's label takes in what its passages have risen to since they were read; of an answer
    that was forgotten meanwhile no text is kept.
    """
    if not _is_answer_stored(row):
        ending = replace(ending, content="")
    label = raise_high_water(row.session_id, [ending.label, *lock_message_labels(row, Role.ASSISTANT)])
    answer = Message.objects.filter(pk=row.answer)
    if ending.content:
        answer.update(
            content=ending.content, data_classification=label, dropped=ending.dropped, created_at=timezone.now()
        )
    elif ending.state is not State.DONE:
        answer.delete()
    Turn.objects.filter(pk=row.pk).update(
        state=ending.state,
        holder=None,
        error=ending.error,
        usage=ending.usage or row.usage,
        ended_at=timezone.now(),
        last_seq=F("last_seq") + 1,
    )
    Session.objects.filter(pk=row.session_id).update(last_message_at=timezone.now())
    data: dict[str, Any] = {"state": ending.state, "message": str(row.answer) if ending.content else None}
    if ending.state is State.DONE and ending.content:
        data |= {"confidence": ending.confidence}
    note_answer(row, ending.state, ending.usage or row.usage, label)
    if ending.error:
        data |= {"code": ending.code or ending.state, "detail": ending.error}
    _write(row, [Entry(END_KINDS[ending.state], data, 0)])
    return label


def raise_events(turn: UUID, label: int) -> None:
    """Give the text in a running turn's events the label `label`, which is above theirs."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT app_raise_events(%s, %s)", [turn, label])


def raise_high_water(session: UUID, labels: Collection[int]) -> int:
    """Add labels to what a private session has drawn on. Returns its high water; where others read along, the
    combination of `labels`: what was given to one is not in everybody's prompts.
    """
    row = Session.objects.select_for_update().get(pk=session)
    if not row.is_private:
        return combine_many(labels)
    label = combine_many([row.high_water, *labels])
    if label != row.high_water:
        Session.objects.filter(pk=session).update(high_water=label)
    return label


def notify_stop(turn: UUID) -> None:
    """Tell every process, at commit, that a turn is to be stopped."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_notify(%s, %s)", [CHANNEL, f"{STOP} {turn}"])


def _is_answer_stored(row: Turn) -> bool:
    """Whether an answer that has sources is still there; if so its row is locked, and who deletes a record waits."""
    if not row.manifest:
        return True  # nothing was given yet
    return Message.objects.select_for_update(no_key=True).filter(pk=row.answer).exists()


def _renew_lease(turn: UUID, holder: UUID, events: int) -> Turn:
    with transaction.atomic():
        updated = Turn.objects.filter(pk=turn, holder=holder, state=State.RUNNING).update(
            lease_until=timezone.now() + LEASE, last_seq=F("last_seq") + events
        )
        if not updated:
            raise LeaseLost(str(turn))
    row = Turn.objects.get(pk=turn)
    row.last_seq -= events
    return row


def _write(row: Turn, entries: Sequence[Entry]) -> None:
    Event.objects.bulk_create(
        Event(
            workspace_id=row.workspace_id,
            audience=row.owner,
            turn_id=row.pk,
            seq=row.last_seq + i,
            kind=entry.kind,
            data=entry.data,
            data_classification=entry.label,
        )
        for i, entry in enumerate(entries, start=1)
    )
    row.last_seq += len(entries)
