"""What earlier work left in the database that later work may use: a published revision's text, and equal inputs'
votes.
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

from entities.models import Source
from entities.text import compute_digest
from ingestion.boxes import Boxes
from ingestion.documents import Extraction, ParagraphText
from ingestion.models import ContextRow, Kind, Paragraph, PastParagraph
from ingestion.summaries import split_sentences
from ingestion.votes import Vote, build_votes, release_findings
from ingestion.witness import OF_THE_MODEL
from ingestion.work import FileVotes, Work


def load_published_extraction(work: Work) -> Extraction:
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
            read_by=row.read_by,  # type: ignore[arg-type]
        )
        for row in rows
    )
    strategy = work.strategy or "text"
    return Extraction(work.media_type, work.pages, paragraphs, work.unaccounted, strategy, notes=work.notes)


def load_published_votes(work: Work, extraction: Extraction) -> FileVotes:
    """The votes that the paragraphs of a published revision have, manual ones aside. In an open service scope."""
    rows = Paragraph.objects.filter(file=work.file).order_by("position").values_list("votes", flat=True)
    votes = tuple(tuple(vote for vote in build_votes(row) if vote.source != "manual") for row in rows)
    if not work.policy.holds:
        votes = tuple(tuple(release_findings(given)) for given in votes)
    return FileVotes(votes, tuple(_load_proposals([work.file], _group_places(extraction.paragraphs))))


def load_known_digests(work: Work) -> set[str]:
    """Of the paragraphs that the file has or had, and those that it came in. In an open service scope."""
    now = Paragraph.objects.filter(file=work.file).values_list("digest", flat=True)
    return {*now, *PastParagraph.objects.filter(file__in=work.lineage).values_list("digest", flat=True)}


def load_known_votes(
    work: Work, paragraphs: Sequence[ParagraphText]
) -> tuple[dict[int, list[Vote]], list[tuple[str, tuple[int, ...]]]]:
    """(votes of the model by number of the paragraph, summaries) that need not be asked for. In an open service scope.

    Where a published revision is worked over for something that the model was not told, they are those it has.
    """
    if work.anew:
        return {}, []
    if not work.changed or work.changed & OF_THE_MODEL:
        return load_earlier_votes(work, paragraphs)
    places = _group_places(paragraphs)
    rows = Paragraph.objects.filter(file=work.file, digest__in=list(places)).order_by("position")
    given = {
        digest: [v for v in build_votes(votes) if v.source == "model"]
        for digest, votes in rows.values_list("digest", "votes")
    }
    known = {number: votes for digest, votes in given.items() if votes for number in places[digest]}
    return known, _load_proposals([work.file], places)


def load_earlier_votes(
    work: Work, paragraphs: Sequence[ParagraphText]
) -> tuple[dict[int, list[Vote]], list[tuple[str, tuple[int, ...]]]]:
    """(votes of the model by number of the paragraph, summaries) that the same inputs gave before, in this workspace.

    Same inputs means an equal witness: same bytes, model, prompt, policy. Votes of equal paragraphs are all taken.
    """
    digests = _group_places(paragraphs)
    same = Paragraph.objects.filter(revision__witness=work.witness, digest__in=list(digests))
    known: dict[int, list[Vote]] = {}
    files: set[UUID] = set()
    for file, digest, rows in same.values_list("file", "digest", "votes").order_by("file", "position"):
        given = [vote for vote in build_votes(rows) if vote.source == "model"]
        files |= {file} if given else set()
        for number in digests[digest]:
            votes = known.setdefault(number, [])
            votes += [vote for vote in given if vote not in votes]
    known = {number: votes for number, votes in known.items() if votes}
    return known, _load_proposals(sorted(files), digests) if known else []


def _group_places(paragraphs: Sequence[ParagraphText]) -> dict[str, list[int]]:
    """Numbers of the paragraphs by digest of their text."""
    places: dict[str, list[int]] = {}
    for number, paragraph in enumerate(paragraphs):
        places.setdefault(compute_digest(paragraph.text), []).append(number)
    return places


def _load_proposals(files: Sequence[UUID], places: Mapping[str, Sequence[int]]) -> list[tuple[str, tuple[int, ...]]]:
    """Summaries of files, each with the paragraphs it was drawn from. One whose paragraphs do not all have its own
    label any more, or of which one is gone, is not offered: it may hold what was raised since.
    """
    rows = list(ContextRow.objects.filter(file__in=files, kind=Kind.FILE_SUMMARY).order_by("pk"))
    drawn: dict[UUID, list[UUID | None]] = {}
    for derived, passage in Source.objects.filter(derived__in=[row.pk for row in rows]).values_list(
        "derived", "passage"
    ):
        drawn.setdefault(derived, []).append(passage)
    known = {
        pk: (label, digest)
        for pk, label, digest in Paragraph.objects.filter(file__in=files).values_list(
            "pk", "data_classification", "digest"
        )
    }
    offered: dict[tuple[str, tuple[int, ...]], None] = {}
    for row in rows:
        sources = [known.get(passage) if passage else None for passage in drawn.get(row.pk, [None])]
        if all(source and source[0] == row.data_classification and source[1] in places for source in sources):
            numbers = {number for source in sources if source for number in places[source[1]]}
            offered[" ".join(split_sentences(row.text)), tuple(sorted(numbers))] = None
    return list(offered)
