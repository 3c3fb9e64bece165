"""Results as a page shows them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.safestring import SafeString
from django.utils.translation import gettext

from entities.access import Scope
from entities.api.lists import list_chips
from entities.language import translate_stored
from ingestion.access import is_name_known
from ingestion.models import File, Kind
from retrieval.matches import fold_text
from retrieval.nearby import Nearby
from retrieval.results import SearchResult
from retrieval.snippets import cut_snippet, mark_matches
from retrieval.suggest import QUOTES

MAX_OPEN_CARDS = 3
"""Passages of one file that stand open on a page of results."""
ICONS = {
    Kind.METADATA: "list-details",
    Kind.FILE_CHUNK: "file-text",
    Kind.FILE_SUMMARY: "list",
    Kind.RELATIONSHIP: "link",
    Kind.DELTA: "history",
    Kind.CHAT_MESSAGE: "message",
    Kind.ROLLING_SUMMARY: "messages",
}


def name_sent_files(scope: Scope, results: Sequence[SearchResult]) -> list[SearchResult]:
    """With the names that the reader gave to files and that rest still (`is_name_known`): for who looks at the results,
    and for no prompt, where a name brings its label along.
    """
    unnamed = {result.file.id for result in results if result.file and result.file.name is None}
    files = File.objects.filter(pk__in=unnamed) if unnamed else ()
    names = {file.pk: file.name for file in files if is_name_known(scope, file)}
    return [
        replace(result, file=replace(result.file, name=names[result.file.id], title=names[result.file.id]))
        if result.file and result.file.id in names
        else result
        for result in results
    ]


@dataclass(frozen=True)
class Card:
    """For components/search_result.html. hidden: acknowledged text beside it that the reader is not cleared for. asked:
    what was searched. day: when it came in, where the results are put in that order.
    """

    result: SearchResult
    hidden: Sequence[Nearby] = ()
    asked: str = ""
    day: datetime | None = None

    @property
    def text(self) -> SafeString:
        """What shows why it was found, its words marked."""
        return mark_matches(cut_snippet(self.result.text, self.result.matcher), self.result.matcher)

    @property
    def labels(self) -> list[Any] | None:
        return list_chips(self.result.label)

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
            return gettext("Open page %(page)s") % {"page": self.result.page}
        return gettext("Open the document") if self.result.file else gettext("Open the record")

    @property
    def title(self) -> str:
        return self.file_title or self.record_title

    @property
    def record_title(self) -> str:
        return self.result.entity.title

    @property
    def file_title(self) -> str:
        """ "" of text that is of no file."""
        file = self.result.file
        return file.title if file else ""

    @property
    def section(self) -> str:
        """Where in the document, or which text of the record: a field by its name in the reader's language."""
        if self.result.file:
            return self.result.section
        return " > ".join(
            part if part == self.result.entity.name else translate_stored(part)
            for part in self.result.section.split(" > ")
        )

    @property
    def match_reason(self) -> str:
        """The shortest true reason, in words; the whole one, with figures, is `result.why`."""
        similarity = self.result.scores.vector
        if not self.result.matched:
            return gettext("Next to a match") if similarity is None else gettext("Similar meaning")
        if self.is_verbatim:
            return gettext("Exact words")
        return gettext("Words and meaning") if self.result.scores.is_close else gettext("Words")

    @property
    def is_verbatim(self) -> bool:
        """Whether it holds what was searched as it was written, quotation marks aside."""
        asked, text = (" ".join(fold_text(QUOTES.sub("", text)).split()) for text in (self.asked, self.result.text))
        return bool(asked) and asked in text


@dataclass(frozen=True)
class CardGroup:
    """What was found in one file, or in a record outside its files, the best first. open_count: how many stand open."""

    cards: Sequence[Card]
    open_count: int = MAX_OPEN_CARDS

    @property
    def title(self) -> str:
        return self.cards[0].title

    @property
    def first_cards(self) -> Sequence[Card]:
        return self.cards[: self.open_count]

    @property
    def further_cards(self) -> Sequence[Card]:
        """Those that are shown on request."""
        return self.cards[self.open_count :]


def group_cards(cards: Sequence[Card], *, fold: bool = True) -> list[CardGroup]:
    """By record and in it by file, each where its best stands. fold: whether only `MAX_OPEN_CARDS` of each stand open;
    of a single group all do, for there is nothing that it could hide.
    """
    records: dict[UUID, dict[UUID | None, list[Card]]] = {}
    for card in cards:
        files = records.setdefault(card.result.entity.id, {})
        files.setdefault(card.result.file.id if card.result.file else None, []).append(card)
    groups = [found for files in records.values() for found in files.values()]
    return [CardGroup(found, MAX_OPEN_CARDS if fold and len(groups) > 1 else len(found)) for found in groups]


def put_each_alone(cards: Sequence[Card]) -> list[CardGroup]:
    """For an order that groups would break."""
    return [CardGroup([card]) for card in cards]
