"""The Celery application. Its settings are the CELERY_… ones of config/settings.py."""

import os

from celery import Celery
from celery.signals import setup_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

# Queue names in PostgreSQL derive from the worker's name, which is limited to 63 bytes: keep it short.
app = Celery("clearance")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def keep_our_logging(**kwargs: object) -> None:
    """Django's LOGGING applies in workers too; having a receiver stops Celery from setting up its own."""
