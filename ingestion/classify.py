"""Votes on every paragraph (design §4, Classify): inherited ones, the rules', and the model's.

The model sees windows of about 40,000 characters that end at page boundaries and overlap by two pages, one call a
window. Every paragraph has to come back; one that does not is asked for once more and then has no vote of the model,
which leaves it unlabelled. Where two windows disagree both votes stand, and the label is their union. No scope is open
here.
"""

import logging
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ingestion.documents import ParagraphText
from ingestion.summaries import extract_words
from ingestion.votes import Vote
from llm import prompts
from llm.client import Call, complete
from llm.endpoints import Endpoint, get_endpoint
from llm.labels import ParagraphLabels, WindowLabels, is_cut, read_labels
from llm.prompts import Level
from llm.rules import merge_votes, vote_by_heading, vote_by_rules

logger = logging.getLogger(__name__)

WINDOW = 40_000  # characters
WINDOW_PARAGRAPHS = 200  # more would not fit the longest answer
OVERLAP_PAGES = 2
PAGE = 3_000  # characters of a page, where a document has none, or longer ones
LONGEST_REASON = 200
PLAIN = extract_words(
    """a about an and any are as at be because by can could for from has have in is it its like no none not nothing of
    on only or other others some something than that the their there this those to what which who whose with without
    contain contains containing concern concerns describe describes gives giving learn mention mentions must name named
    names naming opens read reads refer refers said say says show shows state states stating
    content data definition description detail details entry fact figure figures heading information kind letter level
    line list note paragraph policy procedure report row sentence statement table text title type
    boilerplate business common general neutral ordinary own plain prose public regular routine special usual
    birth category client clients colleague colleagues company customer customers employee employees individual member
    one organisation party people person personal personnel private staff supplier team
    account address advice agreement amount amounts bank belief budget card clause code contact contract cost costs
    credential credentials date deal dispute e-mail email government health home identification identity insurance key
    known legal licence matter measure medical money network number numbers paper password patient pay payment phone
    place plan price prices privilege product project registration revenue salary schedule sensitive small circle
    technical telephone terms wage work classification marked"""
)
"""Words that say of what kind a content is, and nothing of what stands there."""


@dataclass(frozen=True)
class Classifier:
    """What the model is asked with. guidance: the workspace's own advice. title: the file's name. is_offline: as of
    `Call`, of labels."""

    workspace: int
    levels: tuple[Level, ...]
    guidance: str = ""
    title: str = ""
    is_offline: bool = False


@dataclass(frozen=True)
class WindowVotes:
    """What one call gave. votes: by number of the paragraph in the document. summaries: (what it says, the paragraphs
    it was made from). injections: names of the patterns neutralised in the prompt.
    """

    votes: Mapping[int, Vote]
    summaries: tuple[tuple[str, tuple[int, ...]], ...] = ()
    injections: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "votes": [[number, vote.to_json()] for number, vote in self.votes.items()],
            "summaries": [[text, list(numbers)] for text, numbers in self.summaries],
            "injections": list(self.injections),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "WindowVotes":
        return cls(
            {number: Vote.from_json(vote) for number, vote in data["votes"]},
            tuple((text, tuple(numbers)) for text, numbers in data["summaries"]),
            tuple(data["injections"]),
        )


Ask = Callable[[Classifier, Sequence[str]], tuple[WindowLabels, tuple[str, ...]]]


def ask_model(classifier: Classifier, texts: Sequence[str]) -> tuple[WindowLabels, tuple[str, ...]]:
    """The model's labels of paragraphs, in one call, and what was neutralised in them; no labels where the server has
    cut the prompt off. Raises: llm.errors.ModelError.
    """
    endpoint = Endpoint() if classifier.is_offline else get_endpoint(classifier.workspace)
    as_json = endpoint.labels == "json"
    prompt = prompts.classify_window(
        classifier.levels, texts, title=classifier.title, guidance=classifier.guidance, as_json=as_json
    )
    reply = complete(Call(classifier.workspace, 0, "classify", "fast", classifier.is_offline), **prompt.request)
    if endpoint.base_url and is_cut(reply, texts):
        logger.warning("a server in workspace %s has cut a window of paragraphs off", classifier.workspace)
        return WindowLabels({}, frozenset(range(len(texts))), {}), prompt.injections
    values = {level.value for level in classifier.levels}
    return read_labels(reply, count=len(texts), levels=values, as_json=as_json), prompt.injections


def build_rules_vote(text: str, lang: str, above: Sequence[str] = (), before: str = "") -> Vote:
    """above: the headings over the text; what they declare is its floor (docs/adr/0037). before: the paragraph ahead
    of it, which may ask for what this one gives.
    """
    found = merge_votes([vote_by_rules(text, lang, before), *map(vote_by_heading, above)])
    reason = "; ".join(found.reasons)[:LONGEST_REASON]
    return Vote("rules", found.atoms, reason, prose=found.prose, amounts=found.amounts)


def split_windows(paragraphs: Sequence[ParagraphText]) -> list[range]:
    """Runs of paragraph numbers, in order, each for one call."""
    pages = _split_pages(paragraphs)
    lengths = [sum(len(paragraphs[n].text) for n in page) for page in pages]
    found: list[range] = []
    first = 0
    while first < len(pages):
        last, length, count = first, lengths[first], len(pages[first])
        while (
            last + 1 < len(pages)
            and length + lengths[last + 1] <= WINDOW
            and count + len(pages[last + 1]) <= WINDOW_PARAGRAPHS
        ):
            last += 1
            length, count = length + lengths[last], count + len(pages[last])
        found.append(range(pages[first].start, pages[last].stop))
        if last + 1 == len(pages):
            break
        first = max(first + 1, last + 1 - OVERLAP_PAGES)
    return found


def _split_pages(paragraphs: Sequence[ParagraphText]) -> list[range]:
    """Pages as runs of paragraph numbers; long ones, and documents without pages, are cut at paragraphs."""
    found: list[range] = []
    first, length = 0, 0
    for number, paragraph in enumerate(paragraphs):
        turned = number > first and paragraph.page != paragraphs[number - 1].page
        too_long = number > first and length + len(paragraph.text) > (PAGE if paragraph.page is None else WINDOW // 4)
        if turned or too_long or number - first >= WINDOW_PARAGRAPHS // 4:
            found.append(range(first, number))
            first, length = number, 0
        length += len(paragraph.text)
    if first < len(paragraphs):
        found.append(range(first, len(paragraphs)))
    return [page for page in found if page]


def vote_by_model(
    paragraphs: Sequence[ParagraphText],
    classifier: Classifier,
    *,
    known: Mapping[int, Sequence[Vote]] | None = None,
    done: Mapping[int, WindowVotes] | None = None,
    on_window: Callable[[int, WindowVotes, int], None] | None = None,
    ask: Ask = ask_model,
) -> list[WindowVotes]:
    """The votes of the model on a document, window by window.

    known: votes that equal inputs gave before, by paragraph; windows in which all have one are not asked again. done:
    windows that were finished before an interruption, by their number; `on_window` gets each new one, with the per cent
    that are finished. Raises: llm.errors.ModelError.
    """
    known, done = known or {}, dict(done or {})
    every = split_windows(paragraphs)
    todo = select_windows_to_ask(every, known)
    results: list[WindowVotes] = []

    def run(part: int, numbers: Sequence[int]) -> None:
        new = part not in done
        if new:
            done[part] = ask_window(paragraphs, classifier, numbers, ask)
        results.append(done[part])
        if new and on_window is not None:
            on_window(part, done[part], 100 * len(results) // (len(todo) + 1))

    for part, numbers in todo.items():
        run(part, numbers)
    answered = {number for result in results for number in result.votes} | set(known)
    left_out = sorted({n for numbers in todo.values() for n in numbers} - answered)
    for part, places in enumerate(split_windows([paragraphs[n] for n in left_out]), start=len(every)):
        run(part, [left_out[place] for place in places])
    return results


def select_windows_to_ask(every: Sequence[range], known: Container[int]) -> dict[int, range]:
    """The windows that hold a paragraph without a known vote, by their number: one call each."""
    return {part: numbers for part, numbers in enumerate(every) if any(n not in known for n in numbers)}


def ask_window(
    paragraphs: Sequence[ParagraphText], classifier: Classifier, numbers: Sequence[int], ask: Ask = ask_model
) -> WindowVotes:
    """One call, about the paragraphs with these numbers."""
    texts = [paragraphs[number].text for number in numbers]
    answer, injections = ask(classifier, texts)
    votes = {
        numbers[n]: Vote(
            "model",
            said.atoms,
            extract_reason(texts[n], said, classifier.levels),
            confidence=said.confidence,
            public=said.public,
        )
        for n, said in answer.paragraphs.items()
    }
    summaries = tuple(
        (text, tuple(numbers[n] for n, said in answer.paragraphs.items() if said.atoms == atoms))
        for atoms, text in answer.summaries.items()
    )
    return WindowVotes(votes, tuple((text, made_from) for text, made_from in summaries if made_from), injections)


def extract_reason(text: str, said: ParagraphLabels, levels: Sequence[Level]) -> str:
    """Why the model gave these labels, or "". It has read the whole window, and who is cleared for this paragraph may
    not read the others: every word is the paragraph's, of the descriptions of its labels, or says nothing.
    """
    named = (extract_words(f"{level.label} {level.description}") for level in levels if level.value in said.atoms)
    known = extract_words(text).union(PLAIN, *named)
    return said.reason[:LONGEST_REASON] if extract_words(said.reason) <= known else ""
