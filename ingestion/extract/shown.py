"""Whether the paragraphs of a text say all that its file holds. Of a file with parts nothing here can tell that."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from ingestion.extract.clean import clean

WORD = re.compile(r"[^\W_]+")
SIGN = re.compile(r"[^\w\s!-~]")  # beside letters, blanks and the signs of ASCII, which mark up a text


def is_complete(text: str, paragraphs: Iterable[str]) -> bool:
    """Whether each word, and each sign that may be hidden, stands in the paragraphs as often as in the text."""
    wanted = Counter(_list_pieces(text))
    shown = Counter(piece for paragraph in paragraphs for piece in _list_pieces(paragraph))
    return wanted <= shown


def _list_pieces(text: str) -> Iterator[str]:
    yield from WORD.findall(clean(text))
    yield from SIGN.findall(text)
