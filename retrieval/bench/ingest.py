"""From a file to the index: extraction beside what it is built on, and the pipeline beside its slowest stage."""

import gc
import io
import tempfile
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from difflib import SequenceMatcher
from functools import partial
from pathlib import Path
from statistics import median
from uuid import UUID, uuid4

import pdfplumber
import psutil
import pypdfium2
from django.core.files.base import ContentFile

from entities.access import Scope
from entities.actions import create_entity, create_workspace
from entities.models import Entity
from entities.types import Contract
from ingestion.actions import delete_file, upload_file
from ingestion.extract import extract_file
from ingestion.models import File
from ingestion.processing import process_file
from retrieval.bench.embedding import TEXTS, measure_embedding
from retrieval.bench.end_to_end import end_to_end
from retrieval.bench.papers import WORDS, Paper, build_paper
from retrieval.bench.timing import BenchRow
from retrieval.bench.world import remove_world

MIB = 1 << 20
PLUMBED = 40
"""Pages that pdfplumber is given: it is too slow for all of them, and as slow on each."""


def measure_ingestion(pages: int, files: int, rounds: int) -> list[BenchRow]:
    """pages: of the long document. files: through which the memory of the process is followed."""
    long = build_paper(pages)
    return [
        *measure_extraction(long, rounds),
        *measure_embedding(rounds, min(TEXTS, pages)),
        *measure_pipeline(long, files),
    ]


def measure_extraction(given: Paper, rounds: int) -> list[BenchRow]:
    """The sides take turns; a side's figure is the median of its rounds."""
    few = build_paper(min(PLUMBED, len(given.pages)))
    sides: dict[str, Callable[[], list[str]]] = {
        "Clearance, limited process included": lambda: extract_pages(given.content),
        "bare pypdfium2": lambda: extract_with_pypdfium2(given.content),
        "pdfplumber": lambda: extract_with_pdfplumber(few.content),
    }
    count = {name: len(few.pages if name == "pdfplumber" else given.pages) for name in sides}
    rates: dict[str, list[float]] = {name: [] for name in sides}
    texts: dict[str, list[str]] = {}
    for _ in range(rounds):
        for name, read in sides.items():
            begun = time.perf_counter()
            texts[name] = read()
            rates[name].append(count[name] / (time.perf_counter() - begun))
    speed = {name: median(found) for name, found in rates.items()}
    mine = speed["Clearance, limited process included"]
    fast, slow = mine / speed["bare pypdfium2"], mine / speed["pdfplumber"]
    found = {name: compute_known_share(text, few if name == "pdfplumber" else given) for name, text in texts.items()}
    own = found["Clearance, limited process included"]
    return [
        *(BenchRow(f"extraction: pages/s, {name}", rate) for name, rate in speed.items()),
        BenchRow("extraction: times as fast as pdfplumber", slow, "at least 15", slow >= 15),
        BenchRow("extraction: times as fast as bare pypdfium2", fast, "at least 0.85", fast >= 0.85),
        BenchRow("extraction: share of known characters, in order", own, "at least 0.98", own >= 0.98),
        *(BenchRow(f"extraction: share of known characters, {name}", part) for name, part in found.items()),
    ]


def extract_pages(content: bytes) -> list[str]:
    with tempfile.NamedTemporaryFile(suffix=".pdf") as file:
        file.write(content)
        file.flush()
        extraction = extract_file(Path(file.name), "paper.pdf", strategy="text")
    pages: dict[int, list[str]] = {}
    for paragraph in extraction.paragraphs:
        pages.setdefault(paragraph.page or 0, []).append(paragraph.text)
    return ["\n".join(pages.get(number + 1, [])) for number in range(extraction.pages or 0)]


def extract_with_pypdfium2(content: bytes) -> list[str]:
    document = pypdfium2.PdfDocument(content)
    texts = []
    for page in document:
        text = page.get_textpage()
        texts.append(text.get_text_range())
        text.close()
        page.close()
    document.close()
    return texts


def extract_with_pdfplumber(content: bytes) -> list[str]:
    with pdfplumber.open(io.BytesIO(content)) as document:
        return [page.extract_text() or "" for page in document.pages]


def compute_known_share(texts: Sequence[str], known: Paper) -> float:
    """Of the characters of the known words, those in words that were read, in their order, page by page. Signs that are
    drawn around a text (of tables, of lists) are no words.
    """
    found = total = 0
    for text, words in zip(texts, known.pages, strict=True):
        read = ["".join(c for c in word if c.isalnum()) for word in unicodedata.normalize("NFKC", text).split()]
        read = [word for word in read if word]
        matcher = SequenceMatcher(None, words, read, autojunk=False)
        found += sum(len(words[block.a + n]) for block in matcher.get_matching_blocks() for n in range(block.size))
        total += sum(map(len, words))
    return found / total if total else 0.0


def measure_pipeline(long: Paper, files: int) -> list[BenchRow]:
    """Through the pipeline, in a workspace made for it."""
    workspace = create_workspace(slug=f"bench-{uuid4().hex[:8]}", name="Bench")
    try:
        with open_upload_record(workspace.pk) as put:
            send = partial(time_file, workspace.pk, put)
            send("warm.pdf", build_paper(1, seed=99).content)
            return [*end_to_end(workspace.pk, put, files), *measure_repeat(long, send), *measure_memory(send, files)]
    finally:
        remove_world(workspace.pk)


Put = Callable[[str, bytes], UUID]
Send = Callable[[str, bytes], float]


@contextmanager
def open_upload_record(workspace: int) -> Iterator[Put]:
    """Gives a function that uploads a file and returns its id. What was uploaded is deleted in the end."""
    service = Scope.for_service(workspace)
    with service.open():
        entity = create_entity(scope=service, model=Contract, fields={"name": "Bench", "counterparty": "Bench"})

    def send_file(name: str, content: bytes) -> UUID:
        with service.open():
            found = Entity.objects.get(pk=entity.pk)
            return upload_file(scope=service, entity=found, upload=ContentFile(content, name=name)).pk

    try:
        yield send_file
    finally:
        with service.open():
            for file in File.objects.filter(entity=entity.pk):
                delete_file(scope=service, file=file)


def time_file(workspace: int, put: Put, name: str, content: bytes) -> float:
    """Seconds from the upload to the end of the work, in this process."""
    begun = time.perf_counter()
    process_file(workspace, put(name, content))
    return time.perf_counter() - begun


def measure_repeat(long: Paper, send: Send) -> list[BenchRow]:
    pages = len(long.pages)
    first = send("long.pdf", long.content)
    second = median(send("long.pdf", long.content) for _ in range(5))
    faster = first / second
    return [
        BenchRow(f"unchanged file of {pages} pages: seconds the first time", first),
        BenchRow(f"unchanged file of {pages} pages: seconds again", second),
        BenchRow("unchanged file: times faster", faster, "at least 200", faster >= 200),
    ]


def measure_memory(send: Send, files: int) -> list[BenchRow]:
    """Resident size of this process after a tenth of the files, and by how much it has grown at the end."""
    process, sizes = psutil.Process(), []
    for number in range(files):
        words = " ".join(WORDS[(number + k * k) % len(WORDS)] for k in range(300))
        send(f"{number}.txt", f"Number {number}.\n\n{words}\n".encode())
        if number + 1 in (max(1, files // 10), files):
            gc.collect()
            sizes.append(process.memory_info().rss / MIB)
    grown = (sizes[-1] - sizes[0]) / sizes[0]
    return [
        BenchRow(f"memory: MB after a tenth of {files} files", sizes[0]),
        BenchRow("memory: MB after all of them", sizes[-1]),
        BenchRow("memory: growth between the two", grown, "at most 0.05", grown <= 0.05),
    ]
