"""What ingestion tells the apps above it. Sent inside the transaction; receivers enqueue on commit."""

from django.dispatch import Signal

document_indexed = Signal()
"""workspace: int, entity_id: UUID, file_id: UUID. A file's new text or labels are in the index with this commit."""

document_removed = Signal()
"""workspace: int, entity_id: UUID, file_id: UUID. A file goes with this commit, and everything drawn from it."""

record_indexed = Signal()
"""workspace: int, entity_id: UUID. A record's own text is labelled and in the index with this commit."""

document_moved = Signal()
"""workspace: int, file_id: UUID, path_before: str. A file stands at another path with this commit."""
