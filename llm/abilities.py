"""What a model can and cannot do, as its test found, and how it is asked for labels because of that."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

Labels = Literal["tool", "json", "rules"]
LABEL_CONTEXT = 16_000
"""Tokens of a window of paragraphs (`ingestion.classify.WINDOW`), of what is asked about them and of its answer. A
server with less cuts the prompt off in silence, and the model would label what it has not read."""


@dataclass(frozen=True)
class Abilities:
    """Of one model. problem: an English sentence for people, "" where it can be used. seconds: until its first answer
    was whole. None: it was not asked. streams: its text comes in pieces. tools: it uses a tool that it is offered, with
    the right figures. forced: it labels two paragraphs with the tool that it is to use; json: it labels them as JSON.
    context: tokens, as its server says; 0 where it does not.
    """

    model: str
    problem: str = ""
    seconds: float = 0.0
    streams: bool | None = None
    tools: bool | None = None
    forced: bool | None = None
    json: bool | None = None
    context: int = 0

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Abilities":
        return cls(**data)

    @property
    def is_short(self) -> bool:
        """Whether the server says that it reads less than a window of paragraphs."""
        return 0 < self.context < LABEL_CONTEXT

    @property
    def labels(self) -> Labels:
        """How it is asked for labels."""
        if self.is_short:
            return "rules"
        return "tool" if self.forced else "json" if self.json else "rules"


def choose_labels(findings: Sequence[Abilities]) -> Labels:
    """findings: of the models of an endpoint, that of the tier "fast" first, which labels."""
    return findings[0].labels if findings else "tool"
