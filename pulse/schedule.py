"""What Pulses want done periodically (config.settings.load_schedules)."""

SCHEDULE = {"pulse.sweep": {"task": "pulse.sweep", "schedule": 5.0}}
