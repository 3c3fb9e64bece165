"""What can be asked, and done to a turn: the one place for pages and API. Transaction inside, network outside."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from chat import log, runner
from chat.access import select_messages
from chat.derivation import SourceGone, record_question_sources
from chat.errors import BadMessage, Busy, TooMany
from chat.mentions import Mention, check_mentions, encode_mentions, load_mentions
from chat.models import OPEN, LookIn, Message, Role, Session, Turn
from chat.readers import PRIVATE
from chat.session_actions import create_session, delete_session
from chat.typed import read_derivation
from entities.access import Scope
from entities.actions import record_action
from entities.models import Entity

NUMBERING_TRIES = 5
LONGEST = 20_000
"""Characters of a question."""
AT_ONCE, A_MINUTE = 10, 30
"""Questions of one person in one workspace: being answered, and asked within the last minute. Requests that come in the
same instant may overshoot them."""


@dataclass(frozen=True)
class PostedTurn:
    """created: False where the same request had come before."""

    turn: Turn
    created: bool


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
