"""Embedding beside sentence-transformers, on passages of the demo's documents. It and torch are no dependencies of this
project: where they are not installed, ours is measured alone, and a row says so (docs/benchmarks.md).
"""

import importlib.util
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import ingestion.demo
from ingestion.embed import get_default_model, get_embedder
from ingestion.embedders.base import Vectors
from ingestion.embedders.minilm import MAX_TOKENS, find_weights_folder
from ingestion.extract import extract_file
from retrieval.bench.timing import BenchRow

PASSAGE = 900  # characters, as the chunker's
TEXTS = 128
DOCUMENTS = Path(ingestion.demo.__file__).parent / "documents"


def measure_embedding(rounds: int, count: int = TEXTS) -> list[BenchRow]:
    """count: of texts. The sides take turns; a side's figure is the median of its rounds."""
    embedder = get_embedder(get_default_model())
    texts = build_passages()[:count]
    sides: dict[str, Callable[[list[str]], Vectors]] = {"Clearance": embedder.embed_documents}
    other = load_sentence_transformer()
    if other is not None:
        sides["sentence-transformers"] = other
    rates: dict[str, list[float]] = {name: [] for name in sides}
    vectors = {name: embed(texts) for name, embed in sides.items()}  # warms them up too
    for _ in range(rounds):
        for name, embed in sides.items():
            begun = time.perf_counter()
            embed(texts)
            rates[name].append(len(texts) / (time.perf_counter() - begun))
    speed = {name: median(found) for name, found in rates.items()}
    rows = [BenchRow(f"embedding: texts/s, {name}", rate) for name, rate in speed.items()]
    if other is None:
        return [*rows, BenchRow("embedding: beside sentence-transformers, not measured, for it is not installed", 0.0)]
    times = speed["Clearance"] / speed["sentence-transformers"]
    least = float((vectors["Clearance"] * vectors["sentence-transformers"]).sum(axis=1).min())
    return [
        *rows,
        BenchRow("embedding: times as fast as sentence-transformers", times, "at least 1", times >= 1),
        BenchRow("embedding: least cosine with it", least, "at least 0.995", least >= 0.995),
    ]


def build_passages() -> list[str]:
    """Paragraphs of the demo's documents put together to the length of a passage, again from the start where they do
    not suffice."""
    found, current = [], ""
    for path in sorted(DOCUMENTS.iterdir()):
        for paragraph in extract_file(path, path.name, strategy="text").paragraphs:
            if current and len(current) + len(paragraph.text) > PASSAGE:
                found.append(current)
                current = ""
            current = f"{current}\n{paragraph.text}".strip()
        found.append(current)
        current = ""
    found = [text for text in found if text]
    return [found[n % len(found)] for n in range(TEXTS)]


def load_sentence_transformer() -> Callable[[list[str]], Vectors] | None:
    """The same weights in torch, fp32, as its documentation says to use it; None where it is not installed."""
    if importlib.util.find_spec("sentence_transformers") is None:
        return None
    module: Any = importlib.import_module("sentence_transformers")
    model = module.SentenceTransformer(str(find_weights_folder()), device="cpu")
    model.max_seq_length = MAX_TOKENS

    def embed(texts: list[str]) -> Vectors:
        vectors: Vectors = model.encode(texts, normalize_embeddings=True, show_progress_bar=False)
        return vectors

    return embed
