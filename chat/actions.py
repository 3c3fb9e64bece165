"""What can be done to conversations: the one place for pages and API. Transaction inside, network outside."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext

from chat import log, runner
from chat.access import select_messages
from chat.agents import AGENTS, ASSISTANT
from chat.attachments import hold_attached
from chat.derivation import SourceGone, add_message_sources, hold_records, record_question_sources
from chat.labelling import label_title, write_title
from chat.mentions import Mention, check_mentions, encode_mentions, load_mentions
from chat.models import OPEN, LookIn, Message, Role, Session, Turn
from chat.readers import PRIVATE, resolve_audience
from chat.typed import read_derivation
from entities.access import Scope, load_granted_atoms
from entities.actions import record_action
from entities.models import Entity
from ingestion.drawn import lock_labels
from ingestion.text_labels import label_text

NUMBERING_TRIES = 5
LONGEST = 20_000
"""Characters of a question."""
AT_ONCE, A_MINUTE = 10, 30
"""Questions of one person in one workspace: being answered, and asked within the last minute. Requests that come in the
same instant may overshoot them."""


class Busy(Exception):
    """The session is still answering; one question at a time."""


class TooMany(Exception):
    """The asker has asked too much at once, or too fast; the sentence is for them."""


class BadMessage(ValueError):
    """What was sent cannot be asked; the sentence is for the asker."""


class BadReaders(BadMessage):
    """Readers were chosen whom the caller cannot choose."""


@dataclass(frozen=True)
class PostedTurn:
    """created: False where the same request had come before."""

    turn: Turn
    created: bool


def create_session(
    *, scope: Scope, entity: Entity | None, agent: str = ASSISTANT.key, visibility: str = PRIVATE
) -> Session:
    """A conversation about a record that the caller got from an access function, or about the workspace.

    visibility: who reads it, as in `chat.readers`, for good. Raises: BadMessage for an unknown agent or readers whom
    the caller may not choose.
    """
    if entity is not None and entity.attached_to is not None:
        raise Http404("Not found.")  # it holds attachments of another conversation
    if agent not in AGENTS:
        raise BadMessage(
            gettext("There is no agent %(agent)s. Agents are: %(agents)s.")
            % {"agent": repr(agent[:60]), "agents": ", ".join(AGENTS)}
        )
    if scope.principal <= 0:
        raise BadMessage(gettext("A conversation belongs to a person."))
    audience = resolve_audience(scope, visibility)
    if audience is None:
        raise BadReaders(gettext("You cannot choose these readers."))
    session = Session(
        workspace_id=scope.workspace, audience=audience, owner=scope.principal, entity=entity, agent=agent
    )
    session.save(force_insert=True)
    record_action(scope, "session.created", "session", session.pk, audience=audience)
    return session


def post_message(
    *,
    scope: Scope,
    session: Session,
    content: str,
    client_id: str = "",
    look_in: str = "",
    mentions: Sequence[Mention] = (),
    is_new_subject: bool = False,
    is_paced: bool = True,
) -> PostedTurn:
    """Ask. The question enters unlabelled; its turn starts when this is committed, apart from the response.

    client_id: the caller's own key: the same one again is the same turn. look_in: a `LookIn`, or "". is_new_subject: as
    in `read_derivation`. is_paced: False where a command asks, which may ask as fast as it is answered. Raises:
    BadMessage; UnknownMention; Busy; TooMany.
    """
    text, client_id = validate_content(content), validate_key(client_id)
    if look_in and (look_in not in LookIn or session.entity_id is None):
        raise BadMessage(gettext("That place cannot be searched."))
    if (before := find_turn(scope, client_id)) is not None:
        return PostedTurn(before, created=False)
    check_mentions(scope, mentions, session)
    if is_paced:
        check_pace(scope)
    own: dict[str, Any] = {"workspace_id": scope.workspace, "audience": session.audience, "owner": scope.principal}
    turn = Turn(
        **own,
        session_id=session.pk,
        client_id=client_id,
        look_in=look_in,
        mentions=encode_mentions(mentions),
        lease_until=timezone.now() + log.LEASE,
    )
    if not add_turn(scope, turn):
        # Another of the asker's own requests got there first: the same one, or another question.
        if (again := find_turn(scope, client_id)) is not None:
            return PostedTurn(again, created=False)
        raise Busy
    if is_new_subject and not session.is_private:
        record_action(scope, "question.detached", "turn", turn.pk)
    derivation = read_derivation(scope, session, text, mentions, is_new_subject=is_new_subject)
    Message(
        **own,
        pk=turn.question,
        session_id=session.pk,
        turn_id=turn.pk,
        role=Role.USER,
        content=text,
        found=sorted(derivation.atoms),
    ).save(force_insert=True)
    try:
        record_question_sources(session, turn, derivation.sources)
    except SourceGone:
        raise BadMessage(gettext("Part of this conversation is gone since you read it. Ask again.")) from None
    # Of a conversation that somebody else has begun this changes nothing (`entities.rls`).
    Session.objects.filter(pk=session.pk).update(last_message_at=timezone.now(), archived_at=None)
    transaction.on_commit(lambda: runner.start(scope.workspace, turn.pk))
    return PostedTurn(turn, created=True)


def find_turn(scope: Scope, client_id: str) -> Turn | None:
    """The caller's turn of this key; it is in a conversation that they read."""
    return Turn.objects.filter(owner=scope.principal, client_id=client_id).first() if client_id else None


def add_turn(scope: Scope, turn: Turn) -> bool:
    """Add a turn at the end of its session. False where the asker's last one there is still open, or the same was
    added meanwhile; who else asks at this moment is only let go first.
    """
    others = Turn.objects.filter(session=turn.session_id).order_by("-number")
    for _ in range(NUMBERING_TRIES):
        turn.number = (others.values_list("number", flat=True).first() or 0) + 1
        try:
            with transaction.atomic():
                turn.save(force_insert=True)
            return True
        except IntegrityError:
            if find_turn(scope, turn.client_id) or others.filter(owner=scope.principal, state__in=OPEN).exists():
                return False
    return False


def validate_content(content: str) -> str:
    """The text of a question. Raises: BadMessage."""
    text = content.replace("\r\n", "\n").replace("\x00", "").strip()
    if not text:
        raise BadMessage(gettext("Write a question first."))
    if len(text) > LONGEST:
        raise BadMessage(
            gettext("A message may have %(most)s characters; this one has %(count)s. Put long texts in a file.")
            % {"most": f"{LONGEST:,}", "count": f"{len(text):,}"}
        )
    return text


def validate_key(client_id: str) -> str:
    """Raises: BadMessage."""
    if len(client_id) > 64 or not client_id.isprintable():
        raise BadMessage(gettext("The key of a question (client_id) may have 64 printable characters."))
    return client_id


def check_pace(scope: Scope) -> None:
    """Raises: TooMany."""
    mine = Turn.objects.filter(owner=scope.principal)
    if mine.filter(state__in=OPEN).count() >= AT_ONCE:
        raise TooMany(
            gettext("%(count)s of your questions are being answered. Wait for one of them, or stop it.")
            % {"count": AT_ONCE}
        )
    if mine.filter(created_at__gt=timezone.now() - timedelta(minutes=1)).count() >= A_MINUTE:
        raise TooMany(
            gettext("You have asked %(count)s questions within a minute. Wait a moment, then ask again.")
            % {"count": A_MINUTE}
        )


def ask_about(
    *,
    scope: Scope,
    entity: Entity | None,
    session: Session | None,
    content: str,
    client_id: str = "",
    look_in: str = "",
    mentions: Sequence[Mention] = (),
    visibility: str = PRIVATE,
    is_new_subject: bool = False,
) -> PostedTurn:
    """Ask about a record, or the workspace, in one of the sessions about it or in a new one. visibility: of a new one.
    Raises: as `create_session` and `post_message`.
    """
    if session is not None and session.entity_id == (entity and entity.pk):
        return post_message(
            scope=scope,
            session=session,
            content=content,
            client_id=client_id,
            look_in=look_in,
            mentions=mentions,
            is_new_subject=is_new_subject,
        )
    validate_content(content)
    client_id = validate_key(client_id)
    if (before := find_turn(scope, client_id)) is not None:
        return PostedTurn(before, created=False)
    check_pace(scope)
    made = create_session(scope=scope, entity=entity, visibility=visibility)
    posted = post_message(
        scope=scope, session=made, content=content, client_id=client_id, look_in=look_in, mentions=mentions
    )
    if posted.turn.session_id != made.pk:
        # The same form, sent twice at once: the other one has begun the conversation.
        delete_session(scope=scope, session=made)
    return posted


def ask_again(*, scope: Scope, session: Session, turn: Turn) -> PostedTurn:
    """The question of an earlier turn of the caller's once more. Raises: BadMessage when the caller may not read it
    today; UnknownMention; Busy; TooMany.
    """
    question = select_messages(scope, session).filter(pk=turn.question).first()
    if question is None:
        raise BadMessage(gettext("You may no longer read that question, so it cannot be asked again."))
    mentions = load_mentions(turn.mentions)
    return post_message(scope=scope, session=session, content=question.content, look_in=turn.look_in, mentions=mentions)


def rate_turn(*, scope: Scope, turn: Turn, rating: int) -> None:
    """Note what its asker thinks of an answer: 1 for good, -1 for bad, 0 to take it back. Raises: BadMessage."""
    if rating not in (-1, 0, 1):
        raise BadMessage(gettext("An answer is rated 1, -1 or 0."))
    Turn.objects.filter(pk=turn.pk).update(rating=rating)


def stop_turn(*, scope: Scope, turn: Turn) -> bool:
    """Ask for a running turn to be stopped. Returns whether it was still open."""
    if stopped := bool(Turn.objects.filter(pk=turn.pk, state__in=OPEN).update(stop_requested=True)):
        log.notify_stop(turn.pk)
    return stopped


def rename_session(*, scope: Scope, session: Session, text: str) -> str:
    """Give a session a name of the caller's own; the service writes and labels it when this is committed.

    Raises: BadMessage.
    """
    name = " ".join(text.replace("\x00", "").split())
    if not name:
        raise BadMessage(gettext("Give the conversation a name."))
    if len(name) > 120:
        raise BadMessage(gettext("A name may have 120 characters."))
    held, derivation = load_granted_atoms(), read_derivation(scope, session, name)

    def replace_title() -> None:
        found = label_text(scope.workspace, name)
        with (service := Scope.for_service(scope.workspace)).open():
            hold_records(session, derivation.sources)
            try:
                sources = add_message_sources(derivation.sources)
            except SourceGone:
                return  # since it was typed: the older name stays
            lock_labels(p for one in sources for p in one.paragraphs)  # before the session, as everywhere
            # By the service: a name that its author may not read stands in the way of another all the same.
            row = Session.objects.select_for_update().filter(pk=session.pk).first()
            if row is not None and write_title(row, name, sources, by_person=True) and found is not None:
                label_title(service, row.pk, found, held, derivation.atoms)

    transaction.on_commit(replace_title)
    return name


def change_session(*, scope: Scope, session: Session, pinned: bool | None = None, archived: bool | None = None) -> None:
    values: dict[str, object] = {}
    if pinned is not None:
        values["pinned"] = pinned
    if archived is not None:
        values["archived_at"] = (session.archived_at or timezone.now()) if archived else None
    if values:
        Session.objects.filter(pk=session.pk).update(**values)


def delete_session(*, scope: Scope, session: Session) -> None:
    """Delete a conversation with all its rows, those hidden today included, and with what anybody has attached to it.
    What runs in it loses its lease.
    """
    hold_attached(scope, session)
    record_action(scope, "session.deleted", "session", session.pk)
    Session.objects.filter(pk=session.pk)._raw_delete("default")  # cascades in the database
