"""What the audit wants done periodically (config.settings.load_schedules)."""

from typing import Any

SCHEDULE: dict[str, dict[str, Any]] = {"audit.keep": {"task": "audit.keep", "schedule": 3600.0}}
