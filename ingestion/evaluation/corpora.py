"""Paragraphs of other people's files, to measure and to learn what ordinary text looks like. Nothing is saved."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from ingestion.extract import extract_file
from ingestion.sandbox import Quarantined

MAX_PARAGRAPHS = 1_500
"""Of one genre; files are taken in the order of the digests of their names until there are enough."""
MAX_FILE_PARAGRAPHS = 120
MIN_PARAGRAPH_CHARACTERS = 3


@dataclass(frozen=True)
class CorpusParagraph:
    """A paragraph of a file. before: the one above it. group: the file: what is learned and what is measured share
    none.
    """

    genre: str
    group: str
    text: str
    before: str
    lang: str


def is_learned_from(group: str) -> bool:
    """Whether a file is for learning; the other half is for measuring."""
    return sha256(group.encode()).digest()[0] % 2 == 0


class BadFolder(Exception):
    """A folder that cannot be read; the message says which."""


def parse_folders(given: Sequence[str]) -> Mapping[str, Path]:
    """Folders by genre, from "mail=/path". Raises: BadFolder."""
    pairs = [one.partition("=") for one in given]
    for genre, _, path in pairs:
        if not genre or not Path(path).is_dir():
            raise BadFolder(f"{genre}={path}: GENRE=FOLDER is expected, with a folder that exists")
    return {genre: Path(path) for genre, _, path in pairs}


def read_folders(folders: Mapping[str, Path], count: int = MAX_PARAGRAPHS) -> Iterator[CorpusParagraph]:
    """Up to `count` different paragraphs of each genre, each file opened in a limited process."""
    for genre, folder in folders.items():
        found: set[str] = set()
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        for path in sorted(files, key=lambda path: sha256(path.name.encode()).digest()):
            if len(found) >= count:
                break
            for paragraph in _read_file(genre, path):
                if paragraph.text not in found and len(found) < count:
                    found.add(paragraph.text)
                    yield paragraph


def _read_file(genre: str, path: Path) -> Iterator[CorpusParagraph]:
    try:
        paragraphs = extract_file(path, path.name).paragraphs[:MAX_FILE_PARAGRAPHS]
    except Quarantined:
        return
    before = ""
    for paragraph in paragraphs:
        if len(paragraph.text) >= MIN_PARAGRAPH_CHARACTERS:
            yield CorpusParagraph(genre, path.name, paragraph.text, before, paragraph.lang)
        before = paragraph.text
