"""What references want done periodically (config.settings.load_schedules)."""

SCHEDULE = {
    "references.sweep": {"task": "references.sweep", "schedule": 300.0},
    "references.links": {"task": "references.links", "schedule": 300.0},
}
