"""What lower apps tell upper ones. Sent inside the transaction; receivers enqueue on commit."""

from django.dispatch import Signal

entity_changed = Signal()
"""entity: Entity, workspace: int, fields: frozenset[str] (long texts included), created: bool, bulk: bool."""

entity_deleted = Signal()
"""entity_id: UUID, workspace: int, parents: list[UUID]."""

aliases_changed = Signal()
"""workspace: int, entity_id: UUID. A record is known by another title, path or URL, or no longer by one."""

access_changed = Signal()
"""workspace: int, entity_id: UUID | None. A grant, role or label policy changed."""

languages_chosen = Signal()
"""workspace: int, languages: str (`founding.Languages`), in which its documents are. Its service scope is open."""

sample_chosen = Signal()
"""founder: User, who wants the sample company beside their own workspace. No scope is open."""
