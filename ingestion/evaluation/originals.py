"""Of how many ordinary files the original can be had, with no act of a steward, by who holds the labels found in them.

Files are read in the limited process as an upload is; their labels are the rules', and what the original needs is asked
of the function that the pipeline asks. No database.
"""

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from entities.rag import RemainderPolicy
from ingestion.classify import build_rules_vote
from ingestion.documents import Extraction, ParagraphText
from ingestion.drift import ContentLost, check_losses
from ingestion.extract import extract_file, take_attachment
from ingestion.picture_reader import Looker
from ingestion.remainder import NOT_READ, Remainder, find_codes, label_original, weigh_texts
from ingestion.sandbox import Quarantined

MAX_DEPTH = 5
"""Messages within messages within messages …"""


@dataclass(frozen=True)
class JudgedFile:
    """One file. refused: the code with which it was not read, or "". blocking: codes that leave its remainder without a
    label. more: atoms that the original needs beyond those of its paragraphs. reasons: why it needs those.
    """

    path: Path
    refused: str = ""
    blocking: tuple[str, ...] = ()
    more: frozenset[int] = frozenset()
    reasons: str = ""

    @property
    def downloadable(self) -> bool:
        return not self.refused and not self.blocking


@dataclass
class Share:
    """Of one kind of file."""

    read: int = 0
    downloadable: int = 0
    more: int = 0
    blocking: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)

    def add(self, judged: JudgedFile) -> None:
        if judged.refused:
            self.refused[judged.refused] += 1
            return
        self.read += 1
        self.downloadable += judged.downloadable
        self.more += judged.downloadable and bool(judged.more)
        self.blocking.update(judged.blocking)

    def __add__(self, other: "Share") -> "Share":
        return Share(
            self.read + other.read,
            self.downloadable + other.downloadable,
            self.more + other.more,
            self.blocking + other.blocking,
            self.refused + other.refused,
        )


def list_files_below(folder: Path, kinds: frozenset[str]) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and (not kinds or get_extension(path) in kinds):
            yield path


def get_extension(path: Path) -> str:
    return path.suffix.lower().lstrip(".")


def judge_file(path: Path, policy: RemainderPolicy) -> JudgedFile:
    try:
        extraction = read_as_uploaded(path, path.name)
        codes = find_codes(extraction).union(list_codes_inside(path, extraction, policy))
    except Quarantined as refusal:
        return JudgedFile(path, refusal.code)
    except ContentLost:
        return JudgedFile(path, "drift")
    votes = weigh_texts(extraction.remainder)
    remainder = Remainder(tuple(sorted(codes)), "", votes)
    found = frozenset().union(*(vote.labels for vote in votes))
    labels = list_labels_until(extraction.paragraphs, found)
    needed = label_original(labels, frozenset(), remainder, policy)
    if needed is None:
        return JudgedFile(path, "", remainder.list_unsettled(policy))
    return JudgedFile(path, "", (), needed.difference(*labels), votes[0].reason if votes else "")


def read_as_uploaded(path: Path, name: str) -> Extraction:
    look = Looker(0, None, keep=lambda number, part: None, tell=lambda progress: None)
    return check_losses(path, extract_file(path, name, look=look))


def list_labels_until(paragraphs: Iterable[ParagraphText], atoms: frozenset[int]) -> list[frozenset[int]]:
    """The rules' labels of paragraphs, as long as `atoms` are not all among them: the others change nothing then."""
    labels: list[frozenset[int]] = [frozenset()]
    for paragraph in paragraphs:
        if not atoms.difference(*labels):
            break
        labels.append(build_rules_vote(paragraph.text, paragraph.lang, paragraph.heading_path).labels)
    return labels


def list_codes_inside(path: Path, extraction: Extraction, policy: RemainderPolicy, depth: int = 0) -> list[str]:
    """What blocks the original because of the files that came in it."""
    codes: list[str] = []
    for found in extraction.attachments:
        with tempfile.NamedTemporaryFile(prefix="clearance-inside-") as file:
            try:
                file.write(take_attachment(path, found.part))
                file.flush()
                inner = read_as_uploaded(Path(file.name), found.name)
            except (Quarantined, ContentLost):
                codes.append(NOT_READ)
                continue
            codes += Remainder(tuple(find_codes(inner))).list_unsettled(policy)
            codes += list_codes_inside(Path(file.name), inner, policy, depth + 1) if depth < MAX_DEPTH else [NOT_READ]
    return codes
