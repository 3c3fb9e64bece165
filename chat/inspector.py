"""The context inspector: what the model was given for an answer, layer by layer, from ids, as the caller may see it
today.
"""

from dataclasses import dataclass
from typing import Any

from chat.access import messages_of
from chat.models import Session, Turn
from chat.tools import owner_of
from entities.access import Scope
from retrieval.locate import resolve_all


@dataclass(frozen=True)
class Given:
    """A passage of the prompt. name: empty where it may not be seen today."""

    n: int
    name: str
    where: str
    url: str


@dataclass(frozen=True)
class Inspected:
    """layers: (name, tokens) in the order of the prompt. dropped: what did not fit, in words. usage: of the calls.

    All three are empty where the answer may not be read today: they would measure text that is hidden.
    """

    layers: tuple[tuple[str, int], ...]
    passages: tuple[Given, ...]
    dropped: tuple[str, ...]
    usage: dict[str, Any]

    @property
    def tokens(self) -> int:
        return sum(tokens for _, tokens in self.layers)

    def as_json(self) -> dict[str, Any]:
        return {
            "layers": [{"name": name, "tokens": tokens} for name, tokens in self.layers],
            "tokens": self.tokens,
            "passages": [{"n": p.n, "name": p.name, "where": p.where, "url": p.url or None} for p in self.passages],
            "dropped": list(self.dropped),
            "usage": self.usage,
        }


def inspect(scope: Scope, turn: Turn) -> Inspected:
    """Of a turn from `get_turn_or_404`. Passages that the caller may not see today are left out."""
    session = Session(pk=turn.session_id, audience=turn.audience)
    numbers = {entry["n"] for entry in turn.manifest.get("passages", [])}
    found = resolve_all(scope, owner_of(session), numbers) if numbers else {}
    passages = tuple(
        Given(n, resolved.name or "Source", resolved.where, resolved.url(scope))
        for n, resolved in sorted(found.items())
        if resolved.available
    )
    if not messages_of(scope, session).filter(pk=turn.answer).exists():
        return Inspected((), passages, (), {})
    layers = tuple(turn.manifest.get("layers", {}).items())
    return Inspected(layers, passages, tuple(turn.manifest.get("dropped", ())), turn.usage)
