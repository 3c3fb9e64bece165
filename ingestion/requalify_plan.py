"""What working over a workspace's files would mean: which, how many calls of the model, and what they would cost."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.db.models import Sum

from ingestion.access import collection_of
from ingestion.classify import to_ask, windows
from ingestion.documents import ParagraphText
from ingestion.models import File, Paragraph
from ingestion.staleness import causes_of, is_stale, with_causes
from ingestion.votes import votes_of
from ingestion.witness import NAMES, OF_THE_MODEL
from llm.client import cost_of, model_for
from llm.models import ModelCall

PROMPT_TOKENS = 1_500
"""Of the instructions and the levels, in every call."""
PARAGRAPH_TOKENS = 12
"""Of the tags and the number of a paragraph."""
CHARACTERS_A_TOKEN = 4
ANSWER_TOKENS = 40
"""Of what is said of a paragraph, until calls have been metered."""
RECENT = 200


@dataclass(frozen=True)
class PlannedFile:
    """A file to be worked over. causes: names of inputs. calls: of the model, when everything comes back at once and
    nothing is known from an equal file; tokens: of their prompts. opened: whether its text is taken out again."""

    file: UUID
    causes: tuple[str, ...]
    paragraphs: int
    calls: int
    tokens: int
    opened: bool


@dataclass(frozen=True)
class Plan:
    """files: in the order in which they would be done. left: stale ones with a version on its way or in quarantine."""

    files: tuple[PlannedFile, ...]
    left: int
    model: str
    cost: Decimal

    @property
    def calls(self) -> int:
        return sum(planned.calls for planned in self.files)

    @property
    def paragraphs(self) -> int:
        return sum(planned.paragraphs for planned in self.files)


def plan(*, everything: bool = False) -> Plan:
    """In an open service scope."""
    published = File.objects.filter(revision__isnull=False) if everything else File.objects.filter(is_stale())
    free = with_causes(published.filter(pending_revision=None)).order_by("pk")
    files = tuple(planned_file(file, NAMES if everything else causes_of(file)) for file in free)
    return Plan(files, published.exclude(pending_revision=None).count(), model_for("fast"), cost_of_files(files))


def planned_file(file: File, causes: Sequence[str]) -> PlannedFile:
    rows = list(
        Paragraph.objects.filter(file=file.pk).order_by("position").values_list("text", "page", "kind", "lang", "votes")
    )
    opened = "extraction" in causes
    calls: list[range] = []
    if collection_of(file).classify:
        texts = [ParagraphText(text, kind, page, (), (), lang, 0, len(text)) for text, page, kind, lang, _ in rows]  # type: ignore[arg-type]
        asked_anew = bool(OF_THE_MODEL & set(causes))
        voted = {n for n, row in enumerate(rows) if any(vote.source == "model" for vote in votes_of(row[4]))}
        calls = list(to_ask(windows(texts), () if asked_anew else voted).values())
    lengths = [len(text) // CHARACTERS_A_TOKEN + PARAGRAPH_TOKENS for text, *_ in rows]
    tokens = sum(PROMPT_TOKENS + sum(lengths[n] for n in numbers) for numbers in calls)
    return PlannedFile(file.pk, tuple(causes), len(rows), len(calls), tokens, opened)


def cost_of_files(files: Sequence[PlannedFile]) -> Decimal:
    """USD, by the price of the model and by how much it answered of late. In an open scope."""
    share = answered_share()
    total = Decimal(0)
    for planned in files:
        if planned.calls:
            said = planned.tokens * share if share is not None else planned.paragraphs * ANSWER_TOKENS
            total += cost_of("fast", tokens_in=planned.tokens, tokens_out=round(said))
    return total


def answered_share() -> float | None:
    """Tokens answered for one asked, of the metered classifications by the model in use; None without any."""
    recent = ModelCall.objects.filter(feature="classify", model=model_for("fast"), outcome=ModelCall.Outcome.OK)
    sums = ModelCall.objects.filter(pk__in=recent.order_by("-pk").values("pk")[:RECENT]).aggregate(
        asked=Sum("tokens_in"), cached=Sum("tokens_cached"), said=Sum("tokens_out")
    )
    asked = (sums["asked"] or 0) + (sums["cached"] or 0)
    return sums["said"] / asked if asked else None


def words(planned: Sequence[PlannedFile]) -> Iterator[tuple[str, int]]:
    """(cause, how many files it concerns)."""
    for name in NAMES:
        count = sum(name in one.causes for one in planned)
        if count:
            yield name, count
