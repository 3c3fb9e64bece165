"""What can be done to conversations: the one place for pages and API. Transaction inside, network outside."""

from dataclasses import dataclass
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from chat import log, runner
from chat.access import select_messages
from chat.agents import AGENTS, ASSISTANT
from chat.labelling import label_title
from chat.models import OPEN, LookIn, Message, Role, Session, Title, Turn
from entities.access import Scope, load_granted_atoms
from entities.actions import record
from entities.models import Entity
from ingestion.relabelling import label_text

LONGEST = 20_000
"""Characters of a question."""

AT_ONCE, A_MINUTE = 10, 30
"""Questions of one person in one workspace: being answered, and asked within the last minute. Requests that come in the
same instant may overshoot them by what the web server takes at once.
"""


class Busy(Exception):
    """The session is still answering; one question at a time."""


class TooMany(Exception):
    """The asker has asked too much at once, or too fast; the sentence is for them."""


class BadMessage(ValueError):
    """What was sent cannot be asked; the sentence is for the asker."""


@dataclass(frozen=True)
class PostedTurn:
    """created: False where the same request had come before."""

    turn: Turn
    created: bool


def create_session(*, scope: Scope, entity: Entity | None, agent: str = ASSISTANT.key) -> Session:
    """A conversation about a record that the caller got from an access function, or about the workspace. Raises:
    BadMessage for an unknown agent.
    """
    if agent not in AGENTS:
        raise BadMessage(
            gettext("There is no agent %(agent)s. Agents are: %(agents)s.")
            % {"agent": repr(agent[:60]), "agents": ", ".join(AGENTS)}
        )
    if scope.principal <= 0:
        raise BadMessage(gettext("A conversation belongs to a person."))
    session = Session(workspace_id=scope.workspace, audience=scope.principal, entity=entity, agent=agent)
    session.save(force_insert=True)
    record(scope, "session.created", "session", session.pk)
    return session


def post_message(
    *, scope: Scope, session: Session, content: str, client_id: str = "", look_in: str = "", is_paced: bool = True
) -> PostedTurn:
    """Ask. The question enters unlabelled; its turn starts when this is committed, apart from the response.

    client_id: the caller's own key: the same one again is the same turn. look_in: a `LookIn`, or "". is_paced: False
    where a command asks, which may ask as fast as it is answered. Raises: BadMessage; Busy; TooMany.
    """
    text, client_id = validate_content(content), validate_key(client_id)
    if look_in and (look_in not in LookIn or session.entity_id is None):
        raise BadMessage(gettext("That place cannot be searched."))
    before = Turn.objects.filter(audience=scope.principal, client_id=client_id).first() if client_id else None
    if before is not None:
        return PostedTurn(before, created=False)
    if is_paced:
        check_pace(scope)
    turn = Turn(
        workspace_id=scope.workspace,
        audience=scope.principal,
        session_id=session.pk,
        number=(
            Turn.objects.filter(session=session.pk).order_by("-number").values_list("number", flat=True).first() or 0
        )
        + 1,
        client_id=client_id,
        look_in=look_in,
        lease_until=timezone.now() + log.LEASE,
    )
    try:
        with transaction.atomic():
            turn.save(force_insert=True)
    except IntegrityError:
        # Somebody else of the asker's own requests got there first: the same one, or another question.
        again = Turn.objects.filter(audience=scope.principal, client_id=client_id).first() if client_id else None
        if again is not None:
            return PostedTurn(again, created=False)
        raise Busy from None
    Message(
        pk=turn.question,
        workspace_id=scope.workspace,
        audience=scope.principal,
        session_id=session.pk,
        turn_id=turn.pk,
        role=Role.USER,
        content=text,
    ).save(force_insert=True)
    Session.objects.filter(pk=session.pk).update(last_message_at=timezone.now(), archived_at=None)
    transaction.on_commit(lambda: runner.start(scope.workspace, turn.pk))
    return PostedTurn(turn, created=True)


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
    mine = Turn.objects.filter(audience=scope.principal)
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
) -> PostedTurn:
    """Ask about a record, or the workspace, in one of the caller's sessions about it or in a new one. Raises: as
    `post_message`.
    """
    if session is not None and session.entity_id == (entity and entity.pk):
        return post_message(scope=scope, session=session, content=content, client_id=client_id, look_in=look_in)
    validate_content(content)
    client_id = validate_key(client_id)
    before = Turn.objects.filter(audience=scope.principal, client_id=client_id).first() if client_id else None
    if before is not None:
        return PostedTurn(before, created=False)
    check_pace(scope)
    made = create_session(scope=scope, entity=entity)
    posted = post_message(scope=scope, session=made, content=content, client_id=client_id, look_in=look_in)
    if posted.turn.session_id != made.pk:
        # The same form, sent twice at once: the other one has begun the conversation.
        delete_session(scope=scope, session=made)
    return posted


def ask_again(*, scope: Scope, session: Session, turn: Turn) -> PostedTurn:
    """The question of an earlier turn once more. Raises: BadMessage when the caller may not read it today; Busy;
    TooMany.
    """
    question = select_messages(scope, session).filter(pk=turn.question).first()
    if question is None:
        raise BadMessage(gettext("You may no longer read that question, so it cannot be asked again."))
    return post_message(scope=scope, session=session, content=question.content, look_in=turn.look_in)


def rate_turn(*, scope: Scope, turn: Turn, rating: int) -> None:
    """Note what its asker thinks of an answer: 1 for good, -1 for bad, 0 to take it back. Raises: BadMessage."""
    if rating not in (-1, 0, 1):
        raise BadMessage(gettext("An answer is rated 1, -1 or 0."))
    Turn.objects.filter(pk=turn.pk).update(rating=rating)


def stop_turn(*, scope: Scope, turn: Turn) -> bool:
    """Ask for a running turn to be stopped. Returns whether it was still open."""
    stopped = bool(Turn.objects.filter(pk=turn.pk, state__in=OPEN).update(stop_requested=True))
    if stopped:
        log.notify_stop(turn.pk)
    return stopped


def rename_session(*, scope: Scope, session: Session, text: str) -> str:
    """Give a session a name of the caller's own; the service labels it when this is committed. Raises: BadMessage."""
    name = " ".join(text.replace("\x00", "").split())
    if not name:
        raise BadMessage(gettext("Give the conversation a name."))
    if len(name) > 120:
        raise BadMessage(gettext("A name may have 120 characters."))
    # A row may not become invisible to who updates it, so the new title is a new row.
    Title.objects.filter(session=session.pk).delete()
    title = Title(
        workspace_id=scope.workspace, audience=scope.principal, session_id=session.pk, text=name, by_person=True
    )
    title.save(force_insert=True)
    held = load_granted_atoms()
    workspace, pk = scope.workspace, session.pk

    def label() -> None:
        found = label_text(workspace, name)
        if found is not None:
            service = Scope.for_service(workspace)
            with service.open():
                label_title(service, pk, found, held)

    transaction.on_commit(label)
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
    """Delete a conversation with all its rows, those hidden today included. What runs in it loses its lease."""
    record(scope, "session.deleted", "session", session.pk)
    Session.objects.filter(pk=session.pk)._raw_delete("default")  # cascades in the database
