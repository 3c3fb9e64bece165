"""Words as they are counted, of a file and of what was read of it."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from ingestion.extract.clean import clean

WORD = re.compile(r"[^\W_]{2,}")
STAGE = "checking"
"""What is reported while a file is counted."""


def count_words(text: str) -> Counter[str]:
    """As they are read: an invisible hyphen parts no word."""
    return Counter(WORD.findall(clean(text).casefold()))


def list_rows(counted: Counter[str]) -> list[list[Any]]:
    """As they leave the limited process."""
    return [[word, count] for word, count in counted.items()]
