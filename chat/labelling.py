"""Labels of what people type into a conversation."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from chat.derivation import SourceLabel, hold_records, load_derivation_sources, name_messages, record_title_sources
from chat.log import RecordForgotten, raise_high_water
from chat.message_sources import lock_message_labels
from chat.models import Message, Role, Session, Title, Turn
from entities.access import Scope, combine_many, hold_rows, list_atoms, load_granted_atoms
from entities.models import Entity, Weight
from entities.models.classification import STEWARDS
from ingestion.drawn import lock_source_labels
from ingestion.policy import load_resting
from ingestion.text_labels import UNJUDGED

TITLE = 60


@dataclass(frozen=True)
class LabelledQuestion:
    """A question as the turn uses it."""

    text: str
    label: int


def load_asker_atoms(scope: Scope) -> frozenset[int]:
    """The atoms of the asker, in their own scope."""
    return load_granted_atoms()


def label_question(scope: Scope, turn: UUID, found: int, held: frozenset[int]) -> int:
    """Label a turn's question, and the session's title that is made of it, in the service's scope. What is behind it
    was noted when it was sent (`chat.typed`); what the classifier found adds to that.

    In a private conversation only atoms that its author holds count for the label: the conversation is theirs alone and
    they typed it themselves. What the classifier found beyond is kept (docs/adr/0008). Where others read along all of
    it counts, and what nobody has judged (`UNJUDGED`) rests for all but its author; with stewards alone, what rules
    found in it does not end that. Raises: Forgotten where the question went with a record.
    """
    row = Turn.objects.get(pk=turn)
    hold_records(row.session, name_messages({row.question: 0}))  # a title may repeat it
    atoms = frozenset({STEWARDS}) if found == UNJUDGED else frozenset(list_atoms(found))
    rests, atoms = STEWARDS in atoms, atoms - {STEWARDS}
    question = Message.objects.filter(pk=row.question).first()
    if question is None:
        raise RecordForgotten(str(turn))
    private = row.session.is_private
    counted = sorted(atoms & held if private else atoms)
    repeated = lock_message_labels(row, Role.USER)
    label = raise_high_water(row.session_id, [*counted, *question.found, *repeated])
    found_beyond, own, resting = sorted(atoms - held) if private else [], None, load_resting()
    if not private and rests:
        label = combine_many([label, *resting])
        # What they do not hold of earlier messages is what their own rest as, or a clearance that has ended since.
        own = combine_many([*atoms, *({*question.found} - (resting - held)), *repeated])
    columns = {"data_classification": label, "own_classification": own, "found": found_beyond}
    if not Message.objects.filter(pk=question.pk).update(**columns):
        raise RecordForgotten(str(turn))  # meanwhile; nobody knows any more what a title of it would be drawn from
    # `raise_high_water` has locked the session: two first questions make one title.
    if not Title.objects.filter(session=row.session_id).exists():
        write_title(row.session, shorten_title(question.content), load_derivation_sources({question.pk: label}), label)
    return label


def write_title(
    session: Session, text: str, sources: Sequence[SourceLabel], label: int | None = None, *, by_person: bool = False
) -> bool:
    """Put a title in place of the one that there is. In the service's scope, with the session locked. Returns False,
    and leaves that one, where a record among its sources was deleted since they were read.
    """
    records = {one.entity for one in sources if one.weight != Weight.COUNT}
    if Entity._base_manager.filter(pk__in=records).count() < len(records):
        return False
    hold_rows(Title.objects.filter(session=session.pk), to_change=True).delete()
    title = Title.objects.create(
        workspace_id=session.workspace_id,
        audience=session.audience,
        owner=session.owner,
        session_id=session.pk,
        text=text,
        data_classification=label,
        by_person=by_person,
    )
    record_title_sources(session, title.pk, sources)
    return True


def label_title(scope: Scope, session: UUID, found: int, held: frozenset[int], least: frozenset[int]) -> None:
    """Label a title that a person typed, at least with what the conversation has drawn on; where others read along,
    with the atoms of what it may repeat, `least`. In the service's scope.
    """
    label = raise_high_water(session, least)
    atoms = frozenset(list_atoms(found))
    mine = atoms & held if Session.objects.get(pk=session).is_private else atoms
    for title in Title.objects.filter(session=session):
        title.data_classification = combine_many([label, *sorted(mine), *lock_source_labels(title.pk)])
        title.save(update_fields=["data_classification"])


def shorten_title(text: str) -> str:
    """The first line of a question, cut between words."""
    line = " ".join(text.strip().splitlines()[0].split()) if text.strip() else "Conversation"
    if len(line) <= TITLE:
        return line
    return f"{line[:TITLE].rsplit(' ', 1)[0].rstrip(',;:')}…"
