"""What a model can and cannot do, as its test found, and how it is asked for labels because of that."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

Labels = Literal["tool", "json", "rules"]


@dataclass(frozen=True)
class Abilities:
    """Of one model. problem: an English sentence for people, "" where it can be used. seconds: until its first answer
    was whole; 0.0 where there was none. None: it was not asked. tools: it uses a tool that it is offered, with the
    right figures. forced: it labels two paragraphs with the tool that it is to use; json: it labels them as JSON.
    """

    model: str
    problem: str = ""
    seconds: float = 0.0
    tools: bool | None = None
    forced: bool | None = None
    json: bool | None = None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Abilities":
        """What another version has saved and this one does not know is left out."""
        return cls(**{one.name: data[one.name] for one in fields(cls) if one.name in data})

    @property
    def labels(self) -> Labels:
        """How it is asked for labels."""
        return "tool" if self.forced else "json" if self.json else "rules"


def choose_labels(findings: Sequence[Abilities]) -> Labels:
    """findings: of the models of an endpoint, that of the tier "fast" first, which labels."""
    return findings[0].labels if findings else "tool"
