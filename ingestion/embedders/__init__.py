"""Models that turn text into vectors, behind one protocol (design.md §1.3)."""

from ingestion.embedders.base import Embedder, EmbeddingFailed

__all__ = ["Embedder", "EmbeddingFailed"]
