"""Embedding models behind an HTTP interface: anything that speaks OpenAI's `/embeddings`, and Voyage.

OpenAI: https://platform.openai.com/docs/api-reference/embeddings · Voyage:
https://docs.voyageai.com/reference/embeddings-api
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import httpx2 as httpx
import numpy as np

from ingestion.chunk import estimate_tokens
from ingestion.embedders.base import EmbeddingFailed, Vectors, normalise_rows

BATCH = 64
ATTEMPTS = 4
RETRIED = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
TIMEOUT = httpx.Timeout(60.0, connect=10.0)
# Somebody waits for a question, and it can be searched by its words: a second try, and no more than some seconds each.
QUERY_ATTEMPTS = 2
QUERY_TIMEOUT = httpx.Timeout(5.0, connect=2.0)


class RemoteEmbedder:
    """Embedder that posts batches of texts to `url` and expects OpenAI's form of answer.

    model: name the service knows. dim: length the vectors must have. key: sent as bearer token when not empty.
    query_fields, document_fields: what is added to the request for either kind of text.
    """

    def __init__(
        self,
        *,
        url: str,
        model: str,
        dim: int,
        key: str = "",
        max_tokens: int = 8_000,
        query_fields: dict[str, Any] | None = None,
        document_fields: dict[str, Any] | None = None,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._url, self._model = url, model
        self.model_id = model
        self.dim = dim
        self.max_tokens = max_tokens
        self._query_fields, self._document_fields = query_fields or {}, document_fields or {}
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.Client(headers=headers, transport=transport)
        self._sleep = sleep

    def count_tokens(self, text: str) -> int:
        return estimate_tokens(text)

    def embed_documents(self, texts: list[str]) -> Vectors:
        parts = [
            self._embed(texts[at : at + BATCH], self._document_fields, ATTEMPTS, TIMEOUT)
            for at in range(0, len(texts), BATCH)
        ]
        return np.concatenate(parts) if parts else np.empty((0, self.dim), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self._embed([text], self._query_fields, QUERY_ATTEMPTS, QUERY_TIMEOUT)[0]
        return vector

    def _embed(self, texts: list[str], fields: dict[str, Any], attempts: int, timeout: httpx.Timeout) -> Vectors:
        # Services refuse empty texts; a blank stands for nothing.
        body = {"model": self._model, "input": [text or " " for text in texts], **fields}
        answer = self._post(body, attempts, timeout)
        try:
            rows = sorted(answer["data"], key=lambda row: row["index"])
            vectors = np.array([row["embedding"] for row in rows], dtype=np.float32)
        except (KeyError, TypeError, ValueError):
            raise EmbeddingFailed(
                f"The embedding service's answer for {self._model} is not of the usual form."
            ) from None
        if vectors.shape != (len(texts), self.dim):
            raise EmbeddingFailed(
                f"The embedding service sent vectors of shape {vectors.shape} for {self._model}; "
                f"({len(texts)}, {self.dim}) was expected. Check the configured length."
            )
        return normalise_rows(vectors)

    def _post(self, body: dict[str, Any], attempts: int, timeout: httpx.Timeout) -> Any:
        reason = ""
        for attempt in range(attempts):
            if attempt:
                self._sleep(0.5 * 2.0**attempt)
            try:
                response = self._client.post(self._url, json=body, timeout=timeout)
            except httpx.TransportError as error:
                reason = type(error).__name__
                continue
            if response.status_code in RETRIED:
                reason = f"status {response.status_code}"
                continue
            if response.status_code != 200:
                raise EmbeddingFailed(
                    f"The embedding service refused the request for {self._model} (status {response.status_code})."
                )
            try:
                return response.json()
            except ValueError:
                raise EmbeddingFailed(f"The embedding service's answer for {self._model} is not JSON.") from None
        raise EmbeddingFailed(f"The embedding service could not be reached for {self._model} ({reason}).")


def openai(*, url: str, model: str, dim: int, key: str = "", max_tokens: int = 8_000, **more: Any) -> RemoteEmbedder:
    """Any OpenAI-compatible endpoint; url: its base, such as https://api.openai.com/v1."""
    return RemoteEmbedder(
        url=f"{url.rstrip('/')}/embeddings", model=model, dim=dim, key=key, max_tokens=max_tokens, **more
    )


def voyage(
    *, model: str, dim: int, key: str, url: str = "https://api.voyageai.com/v1", max_tokens: int = 16_000, **more: Any
) -> RemoteEmbedder:
    """Voyage, which wants to know whether a text is a query or a document."""
    return RemoteEmbedder(
        url=f"{url.rstrip('/')}/embeddings",
        model=model,
        dim=dim,
        key=key,
        max_tokens=max_tokens,
        query_fields={"input_type": "query"},
        document_fields={"input_type": "document"},
        **more,
    )
