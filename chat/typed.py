"""What a text that somebody types may repeat: read once, as its author, in the transaction in which it is sent.

Whoever types below what they read may copy it, and no classifier can tell. So where others read along, a question or a
title is drawn from everything that its author may read in the conversation at that moment, and everywhere from what it
mentions; the classifier only adds to that (docs/adr/0060). An answer is drawn from what its question is drawn from.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from chat.access import select_messages, select_readable_titles
from chat.derivation import Given, SourceLabel, load_derivation_sources, name_messages
from chat.mentions import Mention, find_written_mentions, list_mentioned_sessions, name_mentions
from chat.models import OPEN, Event, Session, Turn
from entities.access import Scope, list_atoms


@dataclass(frozen=True)
class Derivation:
    """Of a text that somebody types. sources: what it may repeat. atoms: of its label, at least."""

    sources: tuple[Given, ...]
    atoms: frozenset[int]


def read_derivation(
    scope: Scope, session: Session, text: str, mentions: Sequence[Mention] = (), *, is_new_subject: bool = False
) -> Derivation:
    """What is behind a text that the caller types into a session from `get_session_or_404`. is_new_subject: they vouch
    that it repeats nothing of the conversation (docs/adr/0077).
    """
    if not session.is_private:
        mentions = [*mentions, *find_written_mentions(scope, text, session)]
    others = list_mentioned_sessions(scope, mentions, session)
    given: list[Given] = [
        *name_mentions(scope, mentions),
        *(SourceLabel(one.entity_id, 0) for one in others if one.entity_id),
    ]
    labels: set[int | None] = {one.label for one in given}
    titled = [one.pk for one in others]
    read: dict[UUID, int | None] = {}
    said: dict[UUID, int | None] = {}
    if not session.is_private and not is_new_subject:
        titled.append(session.pk)
        # One's own open turn first: if it ends in between, the answer is among the messages then.
        own = Turn.objects.filter(session=session.pk, owner=scope.principal, state__in=OPEN).order_by()
        running = dict(own.values_list("pk", "answer"))
        labels |= set(Event.objects.filter(turn__in=running).values_list("data_classification", flat=True))
        read = dict.fromkeys(running.values())
        said = dict(select_messages(scope, session).order_by().values_list("pk", "data_classification"))
    read |= dict(select_readable_titles(scope).filter(session__in=titled).values_list("pk", "data_classification"))
    labels |= {*read.values(), *said.values()}
    given += [*load_derivation_sources(dict.fromkeys(read, 0)), *name_messages(dict.fromkeys(said, 0))]
    return Derivation(tuple(given), frozenset(atom for label in labels if label for atom in list_atoms(label)))
