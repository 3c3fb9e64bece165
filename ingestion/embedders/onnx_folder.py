"""An embedding model in a folder with `model.onnx` and `tokenizer.json`, run on the processor. Nothing is fetched.

For a workspace in several languages name a multilingual one: the default was trained on English (docs/retrieval.md).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
from django.core.exceptions import ImproperlyConfigured
from tokenizers import Encoding, Tokenizer

from ingestion.embedders.base import EmbeddingFailed, Vectors, normalise_rows

INPUTS = {"input_ids", "attention_mask", "token_type_ids"}
POOLINGS = ("mean", "cls")
BATCH_TEXTS = 16


class OnnxEmbedder:
    """Embedder. path: the folder. model: the name by which its vectors are kept. pooling: what is made of the vectors
    of the tokens, where the graph gives one for each. query, document: put before either kind of text, as some models
    were trained with. Raises ImproperlyConfigured for a folder that does not hold such a model.
    """

    def __init__(
        self,
        *,
        path: str,
        model: str,
        pooling: str = "mean",
        query: str = "",
        document: str = "",
        max_tokens: int = 512,
        threads: int = 2,
    ) -> None:
        if pooling not in POOLINGS:
            raise ImproperlyConfigured(f"The pooling of {model} is mean or cls, not {pooling!r}.")
        self.model_id, self.max_tokens = model, max_tokens
        self._pooling, self._query, self._document = pooling, query, document
        folder = Path(path)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            graph = str(folder / "model.onnx")
            self._session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
            self._tokenizer, self._counter = (Tokenizer.from_file(str(folder / "tokenizer.json")) for _ in range(2))
        except Exception as error:
            raise ImproperlyConfigured(f"{folder} holds no model.onnx and tokenizer.json that can be read.") from error
        self._names = [given.name for given in self._session.get_inputs()]
        if not set(self._names) <= INPUTS or "input_ids" not in self._names:
            raise ImproperlyConfigured(f"The inputs of {model} are not those of a text model.")
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)
        self._counter.no_padding()
        self._counter.no_truncation()
        self.dim = int(self.embed_query("dimension").shape[0])

    def count_tokens(self, text: str) -> int:
        return len(self._counter.encode(f"{self._document}{text}").ids)

    def embed_documents(self, texts: list[str]) -> Vectors:
        encoded = self._tokenizer.encode_batch([f"{self._document}{text}" for text in texts])
        order = sorted(range(len(encoded)), key=lambda place: len(encoded[place].ids))  # so that little is padded
        vectors = np.empty((len(texts), self.dim), dtype=np.float32)
        for start in range(0, len(order), BATCH_TEXTS):
            batch = order[start : start + BATCH_TEXTS]
            vectors[batch] = self._run([encoded[place] for place in batch])
        return vectors

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self._run([self._tokenizer.encode(f"{self._query}{text}")])[0]
        return vector

    def _run(self, batch: list[Encoding]) -> Vectors:
        width = max(len(encoding.ids) for encoding in batch)
        ids, mask = (np.zeros((len(batch), width), dtype=np.int64) for _ in range(2))
        for row, encoding in enumerate(batch):
            ids[row, : len(encoding.ids)], mask[row, : len(encoding.ids)] = encoding.ids, 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            output = np.asarray(self._session.run(None, {name: given[name] for name in self._names})[0])
        except Exception as error:
            raise EmbeddingFailed(f"The embedding model {self.model_id} failed.") from error
        if output.ndim == 3:
            weights = mask[:, :, None].astype(np.float32)
            pooled = output[:, 0] if self._pooling == "cls" else (output * weights).sum(1) / weights.sum(1)
        else:
            pooled = output
        if pooled.ndim != 2 or len(pooled) != len(batch) or not np.isfinite(pooled).all():
            raise EmbeddingFailed(f"The embedding model {self.model_id} did not give one vector for each text.")
        return normalise_rows(pooled.astype(np.float32))
