"""How well links between documents are resolved, against a set whose links are known (docs/ingestion.md, Links).

A set is a folder with `docs/`, the documents, and `edges.jsonl`: a line for each link, {"src", "dst", "anchor"} with
paths under docs/, or {"src", "target", "broken": true} for one that leads nowhere. No database is needed: documents are
read in the limited process, and paths are compared as `ingestion.links` compares them.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from ingestion.documents import Extraction
from ingestion.extract import extract_file
from ingestion.folder_addresses import FolderAddress, convert_to_path
from ingestion.link_targets import Reason, Wanted, list_variants, read_target
from ingestion.sandbox import Quarantined


class BadLinks(ValueError):
    """The set cannot be read; the sentence says why."""


@dataclass
class LinkMeasurement:
    """found: links that were resolved, by (source, destination). known: those of the set. broken: links of the set that
    lead nowhere; of those `mended` were resolved to something all the same. reasons: of links that were not resolved.
    raw: resolved links that stand in HTML, which the set need not list. unread: documents that could not be read.
    """

    documents: int = 0
    unread: int = 0
    found: Counter[tuple[str, str]] = field(default_factory=Counter)
    known: Counter[tuple[str, str]] = field(default_factory=Counter)
    raw: Counter[tuple[str, str]] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    broken: int = 0
    mended: int = 0

    @property
    def correct(self) -> int:
        return (self.found & self.known).total()

    @property
    def unlisted(self) -> Counter[tuple[str, str]]:
        """Resolved links that the set does not list and that do not stand in HTML."""
        return (self.found - self.known) - self.raw

    @property
    def precision(self) -> float:
        return self.correct / max(1, self.correct + self.unlisted.total())

    @property
    def recall(self) -> float:
        return self.correct / max(1, self.known.total())


def measure_links(folder: Path, addresses: Sequence[FolderAddress] = ()) -> LinkMeasurement:
    """addresses: of the folder with the documents. Raises: BadLinks."""
    root, edges = folder / "docs", folder / "edges.jsonl"
    if not root.is_dir() or not edges.is_file():
        raise BadLinks(f"{folder} has no docs/ and edges.jsonl.")
    measured = LinkMeasurement()
    broken = _read_edges(edges, measured)
    paths = {str(PurePosixPath(path.relative_to(root))) for path in root.rglob("*") if path.is_file()}
    for path in sorted(paths):
        try:
            extraction = extract_file(root / path, PurePosixPath(path).name)
        except Quarantined:
            measured.unread += 1
            continue
        measured.documents += 1
        _resolve_links(path, extraction, paths, broken, measured, addresses)
    return measured


def _read_edges(edges: Path, measured: LinkMeasurement) -> Counter[tuple[str, str]]:
    broken: Counter[tuple[str, str]] = Counter()
    for number, line in enumerate(edges.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            row = json.loads(line)
            if row.get("broken"):
                broken[row["src"], _strip_target(row["target"])] += 1
            else:
                measured.known[row["src"], row["dst"]] += 1
        except (ValueError, KeyError, TypeError, AttributeError):
            raise BadLinks(f"edges.jsonl, line {number}: not a link.") from None
    measured.broken = broken.total()
    return broken


def _resolve_links(
    path: str,
    extraction: Extraction,
    paths: set[str],
    broken: Counter[tuple[str, str]],
    m: LinkMeasurement,
    addresses: Sequence[FolderAddress],
) -> None:
    for link in extraction.links:
        address = read_target(link.target, f"/{path}", "")
        if address is None or address.wanted == Wanted.ITSELF:
            continue
        address = convert_to_path(address, addresses)
        if address.wanted == Wanted.PATH:
            found = [p[1:] for p in list_variants(address.key) if p[1:] in paths]
        else:
            m.reasons[address.reason or Reason.OUTSIDE] += 1
            continue
        if len(found) != 1:
            m.reasons[Reason.AMBIGUOUS if found else Reason.ABSENT] += 1
            continue
        if broken[path, _strip_target(link.target)] > 0:
            broken[path, _strip_target(link.target)] -= 1
            m.mended += 1
        m.found[path, found[0]] += 1
        if "<a" in extraction.paragraphs[link.paragraph].text and not link.words:
            m.raw[path, found[0]] += 1


def _strip_target(target: str) -> str:
    return unquote(target.strip("<>"))
