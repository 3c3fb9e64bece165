"""The encoders that come with Clearance beside each other, on passages of the demo's documents."""

import time
from pathlib import Path
from statistics import median

import ingestion.demo
from ingestion.embed import INCLUDED, get_embedder, list_configured
from ingestion.extract import extract_file
from retrieval.bench.timing import BenchRow

PASSAGE = 900  # characters, as the chunker's
TEXTS = 128
DOCUMENTS = Path(ingestion.demo.__file__).parent / "documents"
SMALLER = INCLUDED["minilm"][0]


def measure_embedding(rounds: int, count: int = TEXTS) -> list[BenchRow]:
    """Processor time a passage, the median of rounds in which the encoders take turns. count: of texts."""
    texts = build_passages()[:count]
    names = [model_id for model_id, _ in INCLUDED.values() if model_id in list_configured()]
    sides = {model_id: get_embedder(model_id) for model_id in names}
    times: dict[str, list[float]] = {model_id: [] for model_id in sides}
    for embedder in sides.values():
        embedder.embed_documents(texts)
    for _ in range(rounds):
        for model_id, embedder in sides.items():
            begun = time.process_time()
            embedder.embed_documents(texts)
            times[model_id].append(1_000 * (time.process_time() - begun) / len(texts))
    cost = {model_id: median(found) for model_id, found in times.items()}
    rows = [BenchRow(f"embedding: ms of a processor a passage, {model_id}", value) for model_id, value in cost.items()]
    for model_id, value in cost.items():
        if model_id != SMALLER and SMALLER in cost:
            ratio = value / cost[SMALLER]
            rows.append(BenchRow(f"embedding: {model_id}, times {SMALLER}", ratio, "at most 1.6", ratio <= 1.6))
    return rows


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
