"""What the encoders that run in this process have in common: batches by length, threads, one vector a text."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnxruntime

from ingestion.embedders.base import Vectors

# What a batch makes has to stay near the processor: larger ones, and threads that share one, cost a quarter more.
BATCH_TEXTS = 16
BATCH_TOKENS = 256
WORD = re.compile(r"[^\W\d_]+")
MIN_JUDGED_PIECES = 8


class LocalEncoder:
    """Embedder; the vector of a text without a meaning is zero. graph: an ONNX file with `input_ids` and
    `attention_mask`, int64 (batch, tokens), and `embeddings`, float32 (batch, dim), of length 1. threads: each embeds
    batches of its own, so many at once.

    Subclasses name the model and cut texts into pieces.
    """

    model_id: str
    dim: int
    max_tokens: int
    unknown: int
    """The piece that stands for what the vocabulary lacks."""
    blanks: frozenset[int]
    """Pieces that are in every text, such as the marks at both ends: they tell nothing of it."""
    batch_texts = BATCH_TEXTS
    query_prefix = document_prefix = ""
    min_query_piece_bytes = min_document_piece_bytes = 0.0
    """In UTF-8, on average: text that is cut smaller is no language, but a code, a key or made-up words."""

    def __init__(self, graph: Path, *, threads: int = 2) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
        self._threads = max(1, threads)

    def cut_into_pieces(self, text: str) -> list[int]:
        """All pieces of `text`, with the marks at both ends."""
        raise NotImplementedError

    def count_tokens(self, text: str) -> int:
        return len(self.cut_into_pieces(self.document_prefix + text))

    def embed_documents(self, texts: list[str]) -> Vectors:
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        pieces = [self._limit_pieces(self.document_prefix, text, self.min_document_piece_bytes) for text in texts]

        def embed(batch: list[int]) -> None:
            vectors[batch] = self._run([pieces[place] for place in batch])

        with ThreadPoolExecutor(self._threads) as pool:
            deque(pool.map(embed, split_batches([len(one) for one in pieces], self.batch_texts)), maxlen=0)
        return vectors

    def embed_query(self, text: str) -> Vectors:
        pieces = self._limit_pieces(self.query_prefix, text, self.min_query_piece_bytes)
        vector: Vectors = self._run([pieces])[0] if pieces else np.zeros(self.dim, dtype=np.float32)
        return vector

    def _limit_pieces(self, prefix: str, text: str, min_bytes: float) -> list[int]:
        """The pieces that the model reads; none where they tell nothing: its vector would be near to all such texts."""
        telling = [piece for piece in self.cut_into_pieces(text) if piece not in self.blanks]
        if 2 * telling.count(self.unknown) >= len(telling) or self._is_crumbs(text, min_bytes):
            return []
        pieces = self.cut_into_pieces(prefix + text)
        return pieces if len(pieces) <= self.max_tokens else [*pieces[: self.max_tokens - 1], pieces[-1]]

    def _is_crumbs(self, text: str, min_bytes: float) -> bool:
        """Whether words are cut smaller than those of a language; a few short ones, as abbreviations, tell nothing."""
        words = WORD.findall(text) if min_bytes else []
        pieces = [piece for piece in self.cut_into_pieces(" ".join(words)) if piece not in self.blanks]
        return len(pieces) >= MIN_JUDGED_PIECES and len("".join(words).encode()) < min_bytes * len(pieces)

    def _run(self, batch: Sequence[list[int]]) -> Vectors:
        width = max(map(len, batch))
        ids, mask = (np.zeros((len(batch), width), dtype=np.int64) for _ in range(2))
        for row, pieces in enumerate(batch):
            ids[row, : len(pieces)], mask[row, : len(pieces)] = pieces, 1
        vectors: Vectors = self._session.run(["embeddings"], {"input_ids": ids, "attention_mask": mask})[0]
        return vectors


def split_batches(lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Places of the texts that have pieces, `most` at once, by length, so that little is padded."""
    batch: list[int] = []
    for index in sorted((place for place, length in enumerate(lengths) if length), key=lengths.__getitem__):
        if batch and (len(batch) == most or (len(batch) + 1) * lengths[index] > BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
