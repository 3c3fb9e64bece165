"""Results as a page shows them."""

from dataclasses import dataclass
from typing import Any

from entities.api.lists import chips_of
from retrieval.results import Result
from retrieval.snippets import snippet


@dataclass(frozen=True)
class Card:
    """For components/search_result.html."""

    result: Result

    @property
    def text(self) -> str:
        return snippet(self.result.text, self.result.stems)

    @property
    def terms(self) -> list[str]:
        return [*self.result.stems, *self.result.matched]

    @property
    def labels(self) -> list[Any] | None:
        return chips_of(self.result.label)

    @property
    def kind(self) -> str:
        return self.result.kind.label

    @property
    def title(self) -> str:
        return self.result.file.title if self.result.file else self.result.entity.title

    @property
    def per_cent(self) -> int:
        return round(self.result.score * 100)
