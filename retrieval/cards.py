"""Results as a page shows them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from entities.api.lists import chips_of
from ingestion.models import Kind
from retrieval.nearby import Nearby
from retrieval.results import Result
from retrieval.snippets import marked, snippet

ICONS = {
    Kind.METADATA: "list-details",
    Kind.FILE_CHUNK: "file-text",
    Kind.FILE_SUMMARY: "list",
    Kind.RELATIONSHIP: "link",
    Kind.DELTA: "history",
    Kind.CHAT_MESSAGE: "message",
    Kind.ROLLING_SUMMARY: "messages",
}


@dataclass(frozen=True)
class Card:
    """For components/search_result.html. hidden: acknowledged text beside it that the reader is not cleared for."""

    result: Result
    hidden: Sequence[Nearby] = ()

    @property
    def text(self) -> SafeString:
        """What shows why it was found, its words marked."""
        return marked(snippet(self.result.text, self.result.matcher), self.result.matcher)

    @property
    def labels(self) -> list[Any] | None:
        return chips_of(self.result.label)

    @property
    def kind(self) -> str:
        return self.result.kind.label

    @property
    def kind_icon(self) -> str:
        return ICONS.get(self.result.kind, "file-text")

    @property
    def action(self) -> str:
        """What the link does: the page of the document, the document, or the record."""
        if self.result.page:
            return f"Open page {self.result.page}"
        return "Open the document" if self.result.file else f"Open the {self.result.entity.type_name.lower()}"

    @property
    def title(self) -> str:
        return self.result.file.title if self.result.file else self.result.entity.title

    @property
    def merit(self) -> str:
        """The shortest true reason; the whole one is `result.why`."""
        similarity = self.result.scores.vector
        if self.result.matched:
            return "By its words" if similarity is None else f"Words and {similarity:.2f} similar"
        return "Beside a find" if similarity is None else f"{similarity:.2f} similar"
