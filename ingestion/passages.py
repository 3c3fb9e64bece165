"""Chunks and summaries as rows of the index."""

import uuid
from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from ingestion.chunk import Chunk, estimate_tokens
from ingestion.documents import Extraction
from ingestion.index import RowDraft
from ingestion.models import Kind
from ingestion.segment import Labelled
from ingestion.summaries import is_drawn_from, words_of
from ingestion.work import Segmented, Work


def labelled(extraction: Extraction, segmented: Segmented) -> list[Labelled]:
    """Paragraphs with their labels, for the cutter."""
    return [
        Labelled(marked.id, paragraph.text, marked.label, paragraph.kind, paragraph.page, paragraph.heading_path)
        for paragraph, marked in zip(extraction.paragraphs, segmented.paragraphs, strict=True)
    ]


def passages_of(work: Work, extraction: Extraction, chunks: Sequence[Chunk]) -> list[RowDraft]:
    langs = Counter(paragraph.lang for paragraph in extraction.paragraphs)
    lang = langs.most_common(1)[0][0] if langs else "en"
    return [
        RowDraft(
            id=chunk.identity,
            kind=Kind.FILE_CHUNK,
            label=chunk.label,
            text=chunk.text,
            heading_path=chunk.heading_path,
            page=chunk.page,
            position=chunk.position,
            tokens=chunk.tokens,
            lang=lang,
            paragraphs=tuple(pk for pk in chunk.paragraph_ids if isinstance(pk, UUID)),
        )
        for chunk in chunks
    ]


def summaries_of(work: Work, extraction: Extraction, segmented: Segmented) -> list[RowDraft]:
    """One row per label. Its sources are the paragraphs with that label in which one of its sentences stands: raising
    one of them raises the summary too.
    """
    rows = []
    for label, sentences in segmented.summaries.items():
        text = " ".join(sentences)
        members = [
            (marked.id, [words_of(paragraph.text)])
            for paragraph, marked in zip(extraction.paragraphs, segmented.paragraphs, strict=True)
            if marked.label == label
        ]
        rows.append(
            RowDraft(
                id=uuid.uuid5(work.file, f"summary {label} {text}"),
                kind=Kind.FILE_SUMMARY,
                label=label,
                text=text,
                tokens=estimate_tokens(text),
                sources=tuple(
                    (work.entity, pk) for pk, body in members if any(is_drawn_from(one, body) for one in sentences)
                ),
            )
        )
    return rows
