"""What working over a workspace's files would mean: which, how many calls of the model, and what they would cost."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import Sum

from ingestion.access import get_collection
from ingestion.classify import select_windows_to_ask, split_windows
from ingestion.documents import ParagraphText
from ingestion.models import ContextRow, File, Kind, Paragraph
from ingestion.picture_reader import MOST_PAGES
from ingestion.staleness import annotate_causes, is_stale, list_causes
from ingestion.summaries import select_lead
from ingestion.synthesis import build_excerpts
from ingestion.votes import build_votes
from ingestion.witness import CONCEALED, NAMES, OF_THE_MODEL
from ingestion.work import get_strategy
from llm.client import compute_cost, get_labeller_name, get_model_name, is_labelling_offline, is_offline
from llm.models import ModelCall
from llm.vision import MOST_PICTURES

PROMPT_TOKENS = 1_500
"""Of the instructions and the levels, in every call."""
PARAGRAPH_TOKENS = 12
"""Of the tags and the number of a paragraph."""
CHARACTERS_A_TOKEN = 4
ANSWER_TOKENS = 40
"""Of what is said of a paragraph, until calls have been metered."""
RECENT = 200
SUMMARY_TOKENS, SUMMARY_ANSWER = 300, 150
"""Of the instructions of a call for a summary, and of its answer."""
PICTURE_TOKENS, PAGE_ANSWER = 1_600, 700
"""Of a page as a picture of the longest edge that is sent, and of the text that is read on it."""


@dataclass(frozen=True)
class PlannedFile:
    """A file to be worked over. causes: names of inputs. windows, summaries, pictures: calls of a model for labels, for
    a summary of each label that has text today, and for pages that it reads, when everything comes back at once,
    nothing is known from an equal file and no label changes. tokens: of the prompts for labels; summary_tokens: of
    those for summaries. pages: that a model looks at. opened: whether its text is taken out again.
    """

    file: UUID
    causes: tuple[str, ...]
    paragraphs: int
    windows: int
    tokens: int
    opened: bool
    summaries: int = 0
    summary_tokens: int = 0
    pages: int = 0

    @property
    def pictures(self) -> int:
        return -(-self.pages // MOST_PICTURES)

    @property
    def picture_tokens(self) -> int:
        return PICTURE_TOKENS * self.pages + PROMPT_TOKENS * self.pictures

    @property
    def sent_tokens(self) -> int:
        return self.tokens + self.summary_tokens + self.picture_tokens

    @property
    def calls(self) -> int:
        return self.windows + self.summaries + self.pictures


@dataclass(frozen=True)
class RequalifyPlan:
    """files: in the order in which they would be done. left: stale ones with a version on its way or in quarantine."""

    files: tuple[PlannedFile, ...]
    left: int
    model: str
    cost: Decimal

    @property
    def calls(self) -> int:
        return sum(planned.calls for planned in self.files)

    @property
    def windows(self) -> int:
        return sum(planned.windows for planned in self.files)

    @property
    def summaries(self) -> int:
        return sum(planned.summaries for planned in self.files)

    @property
    def pictures(self) -> int:
        return sum(planned.pictures for planned in self.files)

    @property
    def paragraphs(self) -> int:
        return sum(planned.paragraphs for planned in self.files)


def plan_requalification(*, everything: bool = False) -> RequalifyPlan:
    """In an open service scope."""
    published = File.objects.filter(revision__isnull=False) if everything else File.objects.filter(is_stale())
    free = annotate_causes(published.filter(pending_revision=None)).order_by("pk")
    files = tuple(plan_file(file, NAMES if everything else list_causes(file)) for file in free)
    return RequalifyPlan(
        files,
        published.exclude(pending_revision=None).count(),
        get_labeller_name(get_model_name("fast")),
        estimate_cost(files),
    )


def plan_file(file: File, causes: Sequence[str]) -> PlannedFile:
    columns = ("text", "page", "kind", "lang", "votes", "data_classification")
    rows = list(Paragraph.objects.filter(file=file.pk).order_by("position").values_list(*columns))
    opened = "extraction" in causes
    calls: list[range] = []
    classify, voted_anew = get_collection(file).classify, {*causes} != {CONCEALED}
    if classify and voted_anew:
        texts = [ParagraphText(text, kind, page, (), (), lang, 0, len(text)) for text, page, kind, lang, *_ in rows]  # type: ignore[arg-type]
        asked_anew = bool(OF_THE_MODEL & set(causes))
        voted = {n for n, row in enumerate(rows) if any(vote.source == "model" for vote in build_votes(row[4]))}
        calls = list(select_windows_to_ask(split_windows(texts), () if asked_anew else voted).values())
    lengths = [len(text) // CHARACTERS_A_TOKEN + PARAGRAPH_TOKENS for text, *_ in rows]
    tokens = sum(PROMPT_TOKENS + sum(lengths[n] for n in numbers) for numbers in calls)
    excerpts = [] if (classify and not calls) or not voted_anew else count_summarised(file, rows)
    return PlannedFile(
        file.pk,
        tuple(causes),
        len(rows),
        len(calls),
        tokens,
        opened,
        len(excerpts),
        sum(SUMMARY_TOKENS + characters // CHARACTERS_A_TOKEN for characters in excerpts),
        count_vision_pages(file) if opened else 0,
    )


def count_summarised(file: File, rows: Sequence[tuple[Any, ...]]) -> list[int]:
    """Characters of what each call for a summary is given: one for each label that has something to summarise."""
    texts: dict[int, list[str]] = {}
    for text, _, kind, _, _, label in rows:
        if label is not None and kind in ("text", "list", "table"):
            texts.setdefault(label, []).append(text)
    told = set(
        ContextRow.objects.filter(file=file.pk, kind=Kind.FILE_SUMMARY).values_list("data_classification", flat=True)
    )
    return [
        sum(map(len, build_excerpts((), given)))
        for label, given in texts.items()
        if label in told or select_lead(given)
    ]


def count_vision_pages(file: File) -> int:
    """Pages that a model would read. Of pictures in a document without pages it is not known how many there are."""
    if get_strategy(file) != "vision" or is_offline():
        return 0
    return min(file.pages or 0, MOST_PAGES)


def estimate_cost(files: Sequence[PlannedFile]) -> Decimal:
    """USD, by the price of the model and by how much it answered of late; what is left to the rules costs nothing. In
    an open scope.
    """
    share, is_free = compute_answered_share(), is_labelling_offline()
    total = Decimal(0)
    for planned in files:
        if planned.windows and not is_free:
            said = planned.tokens * share if share is not None else planned.paragraphs * ANSWER_TOKENS
            total += compute_cost("fast", tokens_in=planned.tokens, tokens_out=round(said))
        if planned.summaries and not is_free:
            total += compute_cost(
                "fast", tokens_in=planned.summary_tokens, tokens_out=SUMMARY_ANSWER * planned.summaries
            )
        if planned.pages:
            total += compute_cost("standard", tokens_in=planned.picture_tokens, tokens_out=PAGE_ANSWER * planned.pages)
    return total


def compute_answered_share() -> float | None:
    """Tokens answered for one asked, of the metered classifications by the model in use; None without any."""
    recent = ModelCall.objects.filter(feature="classify", model=get_model_name("fast"), outcome=ModelCall.Outcome.OK)
    sums = ModelCall.objects.filter(pk__in=recent.order_by("-pk").values("pk")[:RECENT]).aggregate(
        asked=Sum("tokens_in"), cached=Sum("tokens_cached"), said=Sum("tokens_out")
    )
    asked = (sums["asked"] or 0) + (sums["cached"] or 0)
    return sums["said"] / asked if asked else None


def count_by_cause(planned: Sequence[PlannedFile]) -> Iterator[tuple[str, int]]:
    """(cause, how many files it concerns)."""
    for name in NAMES:
        count = sum(name in one.causes for one in planned)
        if count:
            yield name, count
