"""What the pipeline wants done periodically (config.settings.load_schedules)."""

SCHEDULE = {
    "ingestion.sweep": {"task": "ingestion.sweep", "schedule": 15.0},
    "ingestion.models": {"task": "ingestion.models", "schedule": 20.0},
    "ingestion.graph": {"task": "ingestion.graph", "schedule": 3600.0},
    "ingestion.bin": {"task": "ingestion.bin", "schedule": 3600.0},
    "ingestion.digests": {"task": "ingestion.digests", "schedule": 3600.0},
    "ingestion.tidy": {"task": "ingestion.tidy", "schedule": 3600.0},
}
