"""The audit (docs/audit.md): written at the doors, chained by the database, verified by reading it again."""

from entities.audit.recorder import AuditedQuery, record_action, record_question

__all__ = ["AuditedQuery", "record_action", "record_question"]
