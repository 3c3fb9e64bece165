"""What can be done to a whole conversation: the one place for pages and API. Transaction inside, network outside."""

from django.db import transaction
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext

from chat.agents import AGENTS, ASSISTANT
from chat.attachments import hold_attached
from chat.derivation import SourceGone, add_message_sources, hold_records
from chat.errors import BadMessage, BadReaders
from chat.labelling import label_title, write_title
from chat.models import Session
from chat.readers import PRIVATE, resolve_audience
from chat.typed import read_derivation
from entities.access import Scope, load_granted_atoms
from entities.actions import record_action
from entities.models import Entity
from ingestion.drawn import lock_labels
from ingestion.text_labels import label_text


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
