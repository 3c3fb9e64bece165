"""What the audit, signing in and `entities.repeats` want done periodically (config.settings.load_schedules)."""

from typing import Any

SCHEDULE: dict[str, dict[str, Any]] = {
    "audit.keep": {"task": "audit.keep", "schedule": 3600.0},
    "sign_in.sweep": {"task": "sign_in.sweep", "schedule": 3600.0},
    "repeats.forget": {"task": "repeats.forget", "schedule": 3600.0},
}
