"""The context inspector: what the model was given for an answer, layer by layer, from ids, as the caller may see it
today.
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils.translation import gettext_lazy as _

from chat.access import select_known_turns, select_messages
from chat.layout import LAYERS, PARTS, PASSAGES, find_first_turn
from chat.models import Session, Turn
from chat.sources import SourceRecord, list_source_records
from chat.tools import get_owner
from entities.access import Scope
from retrieval.locate import resolve_all

WHY = {
    "words": _("It has words that you searched for."),
    "meaning": _("Its meaning is similar to the question."),
    "both": _("It has words that you searched for, and a similar meaning."),
    "beside": _("It is next to a passage that was found."),
    "reference": _("A reference links its record."),
    "document": _("It is part of a document that was read."),
    "record": _("It is a record in a list."),
    "number": _("It was given earlier in the conversation."),
}
"""What found a passage -> why it is there, in words."""


@dataclass(frozen=True)
class GivenPassage:
    """A passage of the prompt. name: empty where it may not be seen today. why: "" where it was not noted."""

    n: int
    name: str
    where: str
    url: str
    why: str


@dataclass(frozen=True)
class TurnInspection:
    """layers: (name, tokens) in the order of the prompt. dropped: what did not fit, in words. usage: of the calls.
    recalled: (number, id) of the earlier turns that were said again, as far as they may be read today. sources: the
    records behind the answer.

    All but the passages are empty where the answer may not be read today: they would measure text that is hidden.
    """

    layers: tuple[tuple[str, int], ...]
    passages: tuple[GivenPassage, ...]
    dropped: tuple[str, ...]
    usage: dict[str, Any]
    recalled: tuple[tuple[int, UUID], ...] = ()
    sources: tuple[SourceRecord, ...] = ()

    @property
    def tokens(self) -> int:
        return sum(tokens for _, tokens in self.layers)

    def as_json(self) -> dict[str, Any]:
        return {
            "layers": [{"name": name, "tokens": tokens} for name, tokens in self.layers],
            "tokens": self.tokens,
            "passages": [{**vars(p), "url": p.url or None} for p in self.passages],
            "recalled": [{"number": number, "turn": str(pk)} for number, pk in self.recalled],
            "sources": [record.as_json() for record in self.sources],
            "dropped": list(self.dropped),
            "usage": self.usage,
        }


def inspect(scope: Scope, turn: Turn) -> TurnInspection:
    """Of a turn from `get_turn_or_404`. Passages that the caller may not see today are left out, and all of somebody
    else's answer that the caller may not read.
    """
    session = Session(pk=turn.session_id, audience=turn.audience)
    answer = select_messages(scope, session).filter(pk=turn.answer).first()
    if answer is None and turn.owner != scope.principal:
        return TurnInspection((), (), (), {})
    found_by = {entry["n"]: entry.get("by", "") for entry in turn.manifest.get("passages", [])}
    found = resolve_all(scope, get_owner(session), set(found_by)) if found_by else {}
    passages = tuple(
        GivenPassage(n, resolved.name or "Source", resolved.where, resolved.url(scope), str(WHY.get(found_by[n], "")))
        for n, resolved in sorted(found.items())
        if resolved.available
    )
    if answer is None:
        return TurnInspection((), passages, (), {})
    tokens = turn.manifest.get("layers", {})
    layers = tuple((name, tokens[name]) for name in LAYERS if name in tokens)
    # Numbers as the reader counts: turns that they do not know of have none.
    known = select_known_turns(scope, turn.session_id).order_by("number")
    numbers = {pk: number for number, pk in enumerate(known.values_list("pk", flat=True), start=1)}
    readable = select_messages(scope, session).filter(turn__number__in=turn.manifest.get("recalled", []))
    said_again = readable.order_by("turn__number").values_list("turn_id", flat=True).distinct()
    recalled = tuple((numbers[pk], pk) for pk in said_again if pk in numbers)
    is_long = find_first_turn(numbers.get(turn.pk, 1)) > 1
    # Where nothing has left the prompt as the reader counts, only what tells nothing of other turns.
    dropped = [words for words in turn.manifest.get("dropped", ()) if is_long or words in (PARTS, PASSAGES)]
    sources = tuple(list_source_records(scope, turn))
    return TurnInspection(layers, passages, tuple(dropped), turn.usage, recalled, sources)
