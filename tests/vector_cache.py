"""Vectors that this process made before: tests embed the same few texts hundreds of times, and the model always gives
the same within a batch, and nearly the same in another one. Tests of the model itself load their own
(tests/ingestion/test_embed.py); those that measure, or compare what batches give, ask for `fresh_vectors`."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.conf import settings

from ingestion import embed
from ingestion.embedders.base import Embedder, Vectors
from tests.migrated import share_models

FRESH: list[str] = []
"""Not empty while a test has every vector made anew."""


@pytest.fixture
def fresh_vectors(request: pytest.FixtureRequest) -> Iterator[None]:
    """Nothing is remembered: each batch is embedded as in production."""
    FRESH.append(request.node.nodeid)
    yield
    FRESH.clear()


@pytest.fixture(scope="session", autouse=True)
def remembered_vectors() -> Iterator[None]:
    share_models(settings.CLEARANCE_HOME)
    made = embed.make_embedder

    def make(configured: Mapping[str, Any], home: Path) -> Embedder:
        embedder = made(configured, home)
        if configured["kind"] in embed.INCLUDED:
            remember(embedder)
        return embedder

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embed, "make_embedder", make)
        yield


def remember(embedder: Any) -> None:
    embed_documents, embed_query = embedder.embed_documents, embedder.embed_query
    documents: dict[str, Vectors] = {}
    queries: dict[str, Vectors] = {}

    def documents_of(texts: list[str]) -> Vectors:
        if FRESH:
            return embed_documents(texts)
        new = [text for text in dict.fromkeys(texts) if text not in documents]
        documents.update(zip(new, embed_documents(new), strict=True))
        return np.array([documents[text] for text in texts], dtype=np.float32).reshape(len(texts), embedder.dim)

    def query_of(text: str) -> Vectors:
        if FRESH:
            return embed_query(text)
        if text not in queries:
            queries[text] = embed_query(text)
        return queries[text].copy()

    embedder.embed_documents, embedder.embed_query = documents_of, query_of
