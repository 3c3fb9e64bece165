"""A second embedding model, for who asks for it."""

from collections.abc import Iterator
from typing import Any

import pytest

from ingestion import embed
from tests.ingestion.embedding_service import Service, embedding_service


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
