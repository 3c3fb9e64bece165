"""What cosines of an encoder mean, measured on sets of questions with their documents: the table of
`retrieval.likeness` is made of these figures (docs/evaluation.md). No database is needed.
"""

import random
import re
import string
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ingestion.embedders.base import Embedder, Vectors
from retrieval.bench.timing import BenchRow
from retrieval.evaluation.readers import read_set
from retrieval.evaluation.sets import QuestionSet

PASSAGE_CHARS = 600
NONSENSE_QUESTIONS = 40
MIN_SHARED = 0.6
"""Of the words of a quote, by which a passage is known to hold it."""


def measure_likeness(embedder: Embedder, folders: Sequence[Path]) -> list[BenchRow]:
    """floor: one in a hundred passages that answer is farther off. faint: one in twenty made-up questions comes nearer.
    close: one in twenty passages that do not answer is nearer. copy: one in a hundred passages has another one so near;
    and the share of passages with one number or word changed that are as near.
    """
    answering: list[float] = []
    other: list[float] = []
    nonsense: list[float] = []
    nearest: list[float] = []
    copies: list[float] = []
    for folder in folders:
        given = read_set(folder)
        passages = list(cut_passages(given))
        vectors = embedder.embed_documents(passages)
        for question, place in list_answers(given, passages):
            cosines = vectors @ embedder.embed_query(question)
            answering.append(cosines[place])
            other.extend(np.delete(cosines, place))
        nonsense += [float((vectors @ embedder.embed_query(text)).max()) for text in make_nonsense()]
        nearest.extend(find_nearest(vectors))
        changed = embedder.embed_documents([change_passage(text) for text in passages])
        copies.extend((vectors * changed).sum(axis=1))
    copy = compute_quantile(nearest, 0.99)
    figures = {
        "floor": compute_quantile(answering, 0.01),
        "faint": compute_quantile(nonsense, 0.95),
        "close": compute_quantile(other, 0.95),
        "copy": copy,
        "share of changed passages that pass for copies": float(np.mean(np.array(copies) >= copy)),
        "median of passages that answer": compute_quantile(answering, 0.5),
        "median of others": compute_quantile(other, 0.5),
    }
    return [BenchRow(f"likeness of {embedder.model_id}: {name}", round(value, 3)) for name, value in figures.items()]


def cut_passages(given: QuestionSet) -> Iterator[str]:
    """Paragraphs of its documents put together to the length of a passage."""
    for document in given.documents:
        current = ""
        for paragraph in re.split(r"\n\s*\n", document.path.read_text(encoding="utf-8", errors="replace")):
            if current and len(current) + len(paragraph) > PASSAGE_CHARS:
                yield current
                current = ""
            current = f"{current}\n{paragraph.strip()}".strip()
        if current:
            yield current


def list_answers(given: QuestionSet, passages: Sequence[str]) -> Iterator[tuple[str, int]]:
    """(question, number of the passage that holds the quote which answers it)."""
    words = [set(re.findall(r"\w+", text.lower())) for text in passages]
    for question in given.questions:
        for place in question.places[:1]:
            quoted = set(re.findall(r"\w+", place.quote.lower()))
            shared = [len(quoted & one) for one in words]
            if quoted and max(shared) >= MIN_SHARED * len(quoted):
                yield question.text, shared.index(max(shared))


def make_nonsense() -> Iterator[str]:
    """Questions of made-up words, the same ones every time."""
    chance = random.Random(1)
    for _ in range(NONSENSE_QUESTIONS):
        words = ("".join(chance.choices(string.ascii_lowercase, k=chance.randint(4, 9))) for _ in range(3))
        yield " ".join(words)


def change_passage(text: str) -> str:
    """The passage with its first number, or else its longest word, another one."""
    if number := re.search(r"\d+", text):
        return f"{text[: number.start()]}{int(number[0][:15]) + 7}{text[number.end() :]}"
    return text.replace(max(text.split(), key=len), "otherwise", 1)


def find_nearest(vectors: Vectors) -> list[float]:
    """For each passage the cosine with the nearest other one."""
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -1.0)
    found: list[float] = cosines.max(axis=1).tolist()
    return found


def compute_quantile(values: Sequence[float], share: float) -> float:
    ordered: NDArray[np.float64] = np.asarray(values, dtype=np.float64)
    return float(np.quantile(ordered, share))
