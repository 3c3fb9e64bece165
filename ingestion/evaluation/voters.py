"""Who labels the paragraphs of a set: the rules, the offline model, and both as the pipeline takes them."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ingestion.classify import Classifier, build_rules_vote, vote_by_model
from ingestion.documents import ParagraphText
from ingestion.extract import language
from ingestion.votes import Vote, decide_atoms
from llm import prompts
from llm.labels import WindowLabels, read_labels
from llm.messages import Reply, Usage
from llm.quoting import engine

RULES, OFFLINE, UNION = VOTERS = ("rules", "offline", "union")
Labels = Mapping[str, Sequence[frozenset[int] | None]]
"""Voter -> the atoms of each paragraph; None where it stays unlabelled, which hides it from all but stewards."""


@dataclass(frozen=True)
class MeasuredLabels:
    """seconds: of rules and offline model, each alone."""

    labels: Labels
    seconds: Mapping[str, float]


def label_paragraphs(texts: Sequence[str], classifier: Classifier) -> MeasuredLabels:
    """The labels of paragraphs of one document, in its order. No scope is needed and nothing is metered."""
    build_rules_vote("Warming up: write to jane@harbour.example, 4111 1111 1111 1111.", "en")
    paragraphs = [
        ParagraphText(text, "text", None, (), (), language.guess_language(text), 0, len(text)) for text in texts
    ]
    begun = time.perf_counter()
    votes = [[build_rules_vote(paragraph.text, paragraph.lang)] for paragraph in paragraphs]
    between = time.perf_counter()
    said: list[list[Vote]] = [[] for _ in paragraphs]
    for window in vote_by_model(paragraphs, classifier, ask=ask_offline):
        for number, vote in window.votes.items():
            said[number].append(vote)
    ended = time.perf_counter()
    return MeasuredLabels(
        {
            RULES: [decide_atoms(given, model_needed=False) for given in votes],
            OFFLINE: [decide_atoms(given, model_needed=True) for given in said],
            UNION: [
                decide_atoms([*by_rule, *by_model], model_needed=True)
                for by_rule, by_model in zip(votes, said, strict=True)
            ],
        },
        {RULES: between - begun, OFFLINE: ended - between},
    )


def ask_offline(classifier: Classifier, texts: Sequence[str]) -> tuple[WindowLabels, tuple[str, ...]]:
    """As `ingestion.classify.ask_model`, answered by the offline engine even where a model is configured."""
    prompt = prompts.classify_window(classifier.levels, texts, title=classifier.title, guidance=classifier.guidance)
    answer = engine.answer({**prompt.request, "tools": list(prompt.tools)})
    reply = Reply("", answer.tools, "tool_use", Usage(), "offline", offline=True)
    values = {level.value for level in classifier.levels}
    return read_labels(reply, count=len(texts), levels=values), prompt.injections
