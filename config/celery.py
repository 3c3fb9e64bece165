"""The Celery application. Its settings are the CELERY_… ones of config/settings.py."""

import os

from celery import Celery
from celery.signals import setup_logging, worker_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

# Queue names in PostgreSQL derive from the worker's name, which is limited to 63 bytes: keep it short.
app = Celery("clearance")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def keep_our_logging(**kwargs: object) -> None:
    """Django's LOGGING applies in workers too; having a receiver stops Celery from setting up its own."""


@worker_init.connect
def check_sandbox_at_start(**kwargs: object) -> None:
    """Celery logs what a receiver raises, so it tells of a refusal too."""
    from config.checks import check_sandbox

    check_sandbox()
