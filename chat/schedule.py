"""What chat wants done periodically."""

from typing import Any

SCHEDULE: dict[str, dict[str, Any]] = {
    "chat.sweep": {"task": "chat.sweep", "schedule": 10.0},
    "chat.label_left_questions": {"task": "chat.label_left_questions", "schedule": 30.0},
}
