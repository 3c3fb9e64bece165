"""Long paragraphs of prose are cut where what the rules find begins and ends, so that one amount does not hide a page
of mail.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import accumulate, groupby

from entities.text import compute_digest
from ingestion.documents import JOIN, Extraction, ParagraphText
from ingestion.extract.long_texts import cut_boxes
from llm.rules import vote_by_rules
from text.sentences import trim_span

SENTENCE = re.compile(r"""(?<=[.!?…])["'”’)\]]*\s+(?=["'“‘(\[]*[^\W_a-z])|\n+""")
ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:[A-Z]|e\.g|i\.e|etc|vs|cf|no|nos|art|sec|fig|inc|ltd|co|corp|mr|mrs|ms|dr|st|approx|z\.b|bzw|ca|nr|abs)\.$",
    re.I,
)
LEAST_LONG = 1000
"""Characters of a paragraph that may be cut."""
CONTEXT = 200
"""Characters on each side of a finding that stay with it: they say whom it is about, and passages are found by them."""
LEAST_PLAIN = 400
"""Characters beyond these that become a paragraph of their own."""


def cut_by_labels(extraction: Extraction, known: Collection[str] = ()) -> Extraction:
    """The same text in the same order; a link stands with the part that holds its target. A paragraph stays whole that
    names an attachment, and one that stood whole before, as decisions and citations know it. known: digests of these.
    """
    naming = {one.paragraph for one in extraction.attachments}
    parts = [
        [one] if n in naming or compute_digest(one.text) in known else _cut_paragraph(one)
        for n, one in enumerate(extraction.paragraphs)
    ]
    for link in extraction.links:
        if not any(link.target in part.text for part in parts[link.paragraph]):
            parts[link.paragraph] = [extraction.paragraphs[link.paragraph]]
    firsts = list(accumulate(map(len, parts), initial=0))
    if firsts[-1] == len(parts):
        return extraction
    paragraphs, start = [], 0
    for part in (one for cut in parts for one in cut):
        paragraphs.append(replace(part, start=start, end=start + len(part.text)))
        start += len(part.text) + len(JOIN)
    links = []
    for link in extraction.links:
        holding = (pair for pair in enumerate(parts[link.paragraph]) if link.target in pair[1].text)
        n, part = next(holding, (0, parts[link.paragraph][0]))
        words = link.words if link.words in part.text else ""
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
    parts = [replace(paragraph, text=text[a:b], boxes=cut_boxes(paragraph.boxes, a, b)) for a, b, _ in runs]
    return [replace(part, page=part.boxes[0].page) if part.boxes else part for part in parts]


def _list_runs(text: str, lang: str) -> Iterator[tuple[int, int, frozenset[int]]]:
    """Start, end and atoms of sentences in which the rules find something, with what stands right around them, and of
    the plain text in between."""
    spans = list(_find_borders(text))
    found = [vote_by_rules(text[start:end], lang).atoms for start, end in spans]
    marks = [span for span, atoms in zip(spans, found, strict=True) if atoms]
    near = [any(a - CONTEXT < end and start < b + CONTEXT for a, b in marks) for start, end in spans]
    for is_near, group in groupby(range(len(spans)), near.__getitem__):
        places = list(group)
        if not is_near and spans[places[-1]][1] - spans[places[0]][0] < LEAST_PLAIN:
            near[places[0] : places[-1] + 1] = [True] * len(places)
    for _, group in groupby(range(len(spans)), near.__getitem__):
        places = list(group)
        yield spans[places[0]][0], spans[places[-1]][1], frozenset().union(*(found[n] for n in places))


def _find_borders(text: str) -> Iterator[tuple[int, int]]:
    """Of sentences as they were cut when decisions were made: with other borders, those would not find their part."""
    start = 0
    for match in SENTENCE.finditer(text):
        before = text[start : match.start()].rstrip("\"'”’)]")
        if "\n" not in match.group() and ABBREVIATION.search(before[-12:]):
            continue
        if text[start : match.start()].strip():
            yield trim_span(text, start, match.end())
            start = match.end()
    if text[start:].strip():
        yield trim_span(text, start, len(text))
