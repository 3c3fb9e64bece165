"""Labels of what people type into a conversation."""

from dataclasses import dataclass
from uuid import UUID

from chat.log import raise_high_water
from chat.models import Message, Title, Turn
from entities.access import Scope, combine_many, list_atoms, load_granted_atoms

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
    """Label a turn's question, and the session's title that is made of it, in the service's scope.

    Only atoms that its author holds count for the label: the conversation is theirs alone and they typed it themselves.
    What the classifier found beyond is kept for the day when others may read along (docs/adr/0008).
    """
    row = Turn.objects.get(pk=turn)
    atoms = frozenset(list_atoms(found))
    label = raise_high_water(row.session_id, sorted(atoms & held))
    question = Message.objects.get(pk=row.question)
    Message.objects.filter(pk=question.pk).update(data_classification=label, found=sorted(atoms - held))
    if not Title.objects.filter(session=row.session_id).exists():
        Title.objects.create(
            workspace_id=row.workspace_id,
            audience=row.audience,
            session_id=row.session_id,
            text=shorten_title(question.content),
            data_classification=label,
        )
    return label


def label_title(scope: Scope, session: UUID, found: int, held: frozenset[int]) -> None:
    """Label a title that a person typed, at least with what the conversation has drawn on. In the service's scope."""
    label = raise_high_water(session, [])
    mine = frozenset(list_atoms(found)) & held
    Title.objects.filter(session=session).update(data_classification=combine_many([label, *sorted(mine)]))


def shorten_title(text: str) -> str:
    """The first line of a question, cut between words."""
    line = " ".join(text.strip().splitlines()[0].split()) if text.strip() else "Conversation"
    if len(line) <= TITLE:
        return line
    return f"{line[:TITLE].rsplit(' ', 1)[0].rstrip(',;:')}…"
