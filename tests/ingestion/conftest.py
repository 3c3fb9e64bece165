"""A second embedding model, and readers that lose something, for who asks for them."""

from collections.abc import Iterator
from typing import Any

import pytest

from ingestion import embed, pipeline
from ingestion.extract import extract_file
from tests.ingestion.embedding_service import Service, embedding_service
from tests.ingestion.losing import Loses, Lost, without


@pytest.fixture
def service_of_texts() -> Iterator[Service]:
    with embedding_service() as service:
        yield service


@pytest.fixture
def tiny(service_of_texts: Service, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Service:
    """The second model is configured; nothing uses it yet."""
    monkeypatch.delitem(embed._made, "tiny", raising=False)  # of an earlier test, at another address
    settings.CLEARANCE_EMBEDDERS = [service_of_texts.options]
    return service_of_texts


@pytest.fixture
def loses(monkeypatch: pytest.MonkeyPatch) -> Loses:
    """The reader of files begins to lose paragraphs."""

    def begin(lost: Lost) -> None:
        monkeypatch.setattr(pipeline, "extract_file", lambda *a, **k: without(extract_file(*a, **k), lost))

    return begin
