"""Wires the installation together; owns no behaviour of the product."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
