"""Chunks and summaries as rows of the index."""

import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from uuid import UUID

from ingestion.chunk import Chunk, estimate_tokens
from ingestion.documents import Extraction
from ingestion.extract import language
from ingestion.index import RowDraft
from ingestion.models import Kind
from ingestion.segment import Clearances, LabelledParagraph, list_labels
from ingestion.summaries import extract_words, is_supported_by
from ingestion.work import SegmentedFile, Work


def list_labelled(extraction: Extraction, segmented: SegmentedFile) -> list[LabelledParagraph]:
    """Paragraphs with their labels, for the cutter."""
    return [
        LabelledParagraph(
            marked.id, paragraph.text, marked.label, paragraph.kind, paragraph.page, paragraph.heading_path
        )
        for paragraph, marked in zip(extraction.paragraphs, segmented.paragraphs, strict=True)
    ]


def build_passages(chunks: Sequence[Chunk], langs: Mapping[int, str]) -> list[RowDraft]:
    """langs: label -> the language of a passage that is too short to tell its own."""
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
            lang=language.guess_language(chunk.text, langs[chunk.label]),
            paragraphs=tuple(pk for pk in chunk.paragraph_ids if isinstance(pk, UUID)),
        )
        for chunk in chunks
    ]


def guess_languages(paragraphs: Sequence[LabelledParagraph], clearances: Clearances) -> dict[int, str]:
    """label -> the language of its rows that are too short to tell their own, by which words are stemmed: that of most
    paragraphs which everybody who may read the label may read. What is hidden from them must not decide by which words
    a passage is found."""
    guessed = [language.guess_language(paragraph.text, "") for paragraph in paragraphs]
    found = {}
    for label in list_labels(paragraphs):
        read = [n for n, paragraph in enumerate(paragraphs) if clearances.is_readable(label, paragraph.label)]
        counted = Counter(guessed[n] for n in read if guessed[n])
        whole = " ".join(paragraphs[n].text for n in read[:200])
        found[label] = counted.most_common(1)[0][0] if counted else language.choose_language(whole)
    return found


def build_summaries(
    work: Work, extraction: Extraction, segmented: SegmentedFile, clearances: Clearances, langs: Mapping[int, str]
) -> list[RowDraft]:
    """One row per label. Its sources are the paragraphs with that label in which one of its sentences stands: raising
    one of them raises the summary too.
    """
    rows = []
    for label, sentences in segmented.summaries.items():
        text = " ".join(sentences)
        members = [
            (marked.id, [extract_words(paragraph.text)])
            for paragraph, marked in zip(extraction.paragraphs, segmented.paragraphs, strict=True)
            if marked.label == label
        ]
        rows.append(
            RowDraft(
                # By its atoms: the number of a compound tells how many others there were before it.
                id=uuid.uuid5(work.file, f"summary {sorted(clearances.get_atoms(label))} {text}"),
                kind=Kind.FILE_SUMMARY,
                label=label,
                text=text,
                tokens=estimate_tokens(text),
                lang=language.guess_language(text, langs[label]),
                sources=tuple(
                    (work.entity, pk) for pk, body in members if any(is_supported_by(one, body) for one in sentences)
                ),
            )
        )
    return rows
