"""A cross-encoder from a local directory, by onnxruntime: reads question and passage together and gives a score.

    CLEARANCE_RERANKER = {"path": "/srv/models/ms-marco-minilm", "threads": 2, "max_tokens": 512}

The directory holds `model.onnx`, with the inputs `input_ids`, `attention_mask` and, where the model has them,
`token_type_ids` of shape (batch, tokens), and one output of shape (batch, 1) or (batch,), more for better; and
`tokenizer.json`. Nothing is fetched. Nogueira and Cho 2019, arXiv:1901.04085.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from django.conf import settings
from tokenizers import Encoding, Tokenizer

BATCH = 8
INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})


class RerankFailed(Exception):
    """The order could not be had; the message is the end of a sentence for people."""


class CrossEncoder:
    """Raises: RerankFailed for a directory that does not hold such a model."""

    def __init__(self, path: str, *, threads: int = 2, max_tokens: int = 512) -> None:
        folder = Path(path)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(
                str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
            )
            self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        except Exception as error:
            raise RerankFailed("the cross-encoder could not be loaded.") from error
        self._names = [given.name for given in self._session.get_inputs()]
        if not set(self._names) <= INPUTS or "input_ids" not in self._names:
            raise RerankFailed("the cross-encoder's inputs are not those of a text model.")
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens, strategy="longest_first")

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """One for each text, more for better. Raises: RerankFailed."""
        try:
            encoded = self._tokenizer.encode_batch([(question, text) for text in texts])
        except Exception as error:
            raise RerankFailed("the cross-encoder could not read the passages.") from error
        found: list[float] = []
        for start in range(0, len(encoded), BATCH):
            found += self._score_batch(encoded[start : start + BATCH])
        return found

    def _score_batch(self, batch: Sequence[Encoding]) -> list[float]:
        width = max(len(encoding.ids) for encoding in batch)
        given = {name: np.zeros((len(batch), width), dtype=np.int64) for name in self._names}
        for row, encoding in enumerate(batch):
            length = len(encoding.ids)
            for name, values in (
                ("input_ids", encoding.ids),
                ("attention_mask", encoding.attention_mask),
                ("token_type_ids", encoding.type_ids),
            ):
                if name in given:
                    given[name][row, :length] = values
        try:
            output = np.asarray(self._session.run(None, given)[0], dtype=np.float64)
        except Exception as error:
            raise RerankFailed("the cross-encoder failed.") from error
        if output.size != len(batch) or not np.isfinite(output).all():
            raise RerankFailed("the cross-encoder did not give one score for each passage.")
        return [float(score) for score in output.reshape(-1)]


_lock = threading.Lock()
_made: dict[str, CrossEncoder] = {}


def get_cross_encoder() -> CrossEncoder:
    """The configured one, made once a process. Raises: RerankFailed."""
    options = dict(getattr(settings, "CLEARANCE_RERANKER", None) or {})
    path = str(options.get("path", ""))
    if not path:
        raise RerankFailed("no cross-encoder is configured.")
    with _lock:
        if path not in _made:
            try:
                _made[path] = CrossEncoder(**options)
            except TypeError as error:
                raise RerankFailed("the cross-encoder's settings make no sense.") from error
        return _made[path]
