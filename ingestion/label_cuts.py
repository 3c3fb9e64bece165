"""Long paragraphs of prose are cut where what the rules find begins and ends, so that one amount does not hide a page
of mail.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate

from ingestion.documents import JOIN, Extraction, ParagraphText
from ingestion.extract.long_texts import cut_boxes
from ingestion.pieces import split_sentences
from llm.rules import vote_by_rules

LEAST_LONG = 400
"""Characters of a paragraph that may be cut."""
LEAST_PLAIN = 200
"""Characters in which nothing is found that become a paragraph of their own."""


def cut_by_labels(extraction: Extraction) -> Extraction:
    """The same text in the same order. A paragraph that names an attachment stays whole; a link stands with the part
    that holds its target.
    """
    naming = {one.paragraph for one in extraction.attachments}
    parts = [[one] if n in naming else _cut_paragraph(one) for n, one in enumerate(extraction.paragraphs)]
    firsts = list(accumulate(map(len, parts), initial=0))
    if firsts[-1] == len(parts):
        return extraction
    paragraphs, start = [], 0
    for part in (one for cut in parts for one in cut):
        paragraphs.append(replace(part, start=start, end=start + len(part.text)))
        start += len(part.text) + len(JOIN)
    links = []
    for link in extraction.links:
        holding = (n for n, part in enumerate(parts[link.paragraph]) if link.target in part.text)
        if (n := next(holding, None)) is not None:
            words = link.words if link.words in parts[link.paragraph][n].text else ""
            links.append(replace(link, paragraph=firsts[link.paragraph] + n, words=words))
    attachments = (replace(one, paragraph=firsts[one.paragraph]) for one in extraction.attachments)
    return replace(extraction, paragraphs=tuple(paragraphs), links=tuple(links), attachments=tuple(attachments))


def _cut_paragraph(paragraph: ParagraphText) -> list[ParagraphText]:
    """The paragraph itself where its sentences need each other for what the rules find."""
    text, lang = paragraph.text, paragraph.lang
    whole = vote_by_rules(text, lang).atoms if paragraph.kind == "text" and len(text) >= LEAST_LONG else frozenset()
    runs = list(_list_runs(text, lang)) if whole else []
    if frozenset().union(*(atoms for _, _, atoms in runs)) != whole or len(runs) < 2:
        return [paragraph]
    return [replace(paragraph, text=text[a:b], boxes=cut_boxes(paragraph.boxes, a, b)) for a, b, _ in runs]


def _list_runs(text: str, lang: str) -> Iterator[tuple[int, int, frozenset[int]]]:
    """Start, end and atoms of sentences in which the rules find something, with short plain ones between them, and of
    the plain text around."""
    runs: list[tuple[int, int, frozenset[int]]] = []
    for start, end in split_sentences(text):
        atoms = vote_by_rules(text[start:end], lang).atoms
        if runs and bool(runs[-1][2]) == bool(atoms):
            start, _, before = runs.pop()
            atoms |= before
        runs.append((start, end, atoms))
    while runs:
        start, end, atoms = runs.pop(0)
        while runs and (atoms or end - start < LEAST_PLAIN) and (runs[0][2] or runs[0][1] - runs[0][0] < LEAST_PLAIN):
            _, end, more = runs.pop(0)
            atoms |= more
        yield start, end, atoms
