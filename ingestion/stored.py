"""What earlier work left in the database that later work may use: a published revision's text, and equal inputs'
votes.
"""

from collections.abc import Sequence
from uuid import UUID

from entities.text import digest_of
from ingestion.documents import Boxes, Extraction, ParagraphText
from ingestion.models import ContextRow, Kind, Paragraph
from ingestion.summaries import sentences
from ingestion.votes import Vote, votes_of
from ingestion.work import Classified, Work


def published_extraction(work: Work) -> Extraction:
    """The extraction of a published revision, put together again from its paragraphs. In an open service scope."""
    rows = list(Paragraph.objects.filter(file=work.file).order_by("position"))
    texts = {row.pk: row.text for row in rows}
    paragraphs = tuple(
        ParagraphText(
            text=row.text,
            kind=row.kind,  # type: ignore[arg-type]
            page=row.page,
            boxes=Boxes.from_json(row.boxes) if row.boxes else (),
            heading_path=tuple(texts[pk] for pk in row.headings if pk in texts),
            lang=row.lang,
            start=row.start,
            end=row.end,
        )
        for row in rows
    )
    return Extraction(work.media_type, work.pages, paragraphs, work.unaccounted, work.strategy or "text")


def published_votes(work: Work, extraction: Extraction) -> Classified:
    """The votes that the paragraphs of a published revision have, manual ones aside. In an open service scope."""
    rows = Paragraph.objects.filter(file=work.file).order_by("position").values_list("votes", flat=True)
    votes = tuple(tuple(vote for vote in votes_of(row) if vote.source != "manual") for row in rows)
    return Classified(votes, tuple(_proposals([work.file], range(len(extraction.paragraphs)))))


def votes_given_before(
    work: Work, paragraphs: Sequence[ParagraphText]
) -> tuple[dict[int, list[Vote]], list[tuple[str, tuple[int, ...]]]]:
    """(votes of the model by number of the paragraph, summaries) that the same inputs gave before, in this workspace.

    Same inputs means an equal witness: same bytes, model, prompt, policy. Votes of equal paragraphs are all taken.
    """
    digests: dict[str, list[int]] = {}
    for number, digest in enumerate(digest_of(p.text) for p in paragraphs):
        digests.setdefault(digest, []).append(number)
    same = Paragraph.objects.filter(revision__witness=work.witness, digest__in=list(digests))
    known: dict[int, list[Vote]] = {}
    files: set[UUID] = set()
    for file, digest, rows in same.values_list("file", "digest", "votes").order_by("file", "position"):
        given = [vote for vote in votes_of(rows) if vote.source == "model"]
        files |= {file} if given else set()
        for number in digests[digest]:
            votes = known.setdefault(number, [])
            votes += [vote for vote in given if vote not in votes]
    known = {number: votes for number, votes in known.items() if votes}
    return known, _proposals(sorted(files), sorted(known)) if known else []


def _proposals(files: Sequence[UUID], numbers: Sequence[int]) -> list[tuple[str, tuple[int, ...]]]:
    """Summaries of files, offered again for every label: `summaries.summarise` keeps what each label's text
    bears out.
    """
    rows = ContextRow.objects.filter(file__in=files, kind=Kind.FILE_SUMMARY).values_list("text", flat=True)
    return [(" ".join(sentences(text)), tuple(numbers)) for text in dict.fromkeys(rows)]
