"""Tasks for tests of the broker and of killed workers."""

import time
from pathlib import Path

from celery import shared_task


@shared_task
def append(path: str, text: str) -> None:
    with Path(path).open("a") as file:
        file.write(text + "\n")


@shared_task
def append_slowly(path: str, text: str, seconds: float) -> None:
    """Says when it begins and when it ends, so that a test can kill its worker between the two."""
    append(path, f"begin {text}")
    time.sleep(seconds)
    append(path, f"end {text}")
