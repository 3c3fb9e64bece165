"""Reading a workspace's audit again: is it what was written? (docs/audit.md, "What is checked")

Rows come from plain SELECTs as text made by PostgreSQL's own functions, and are hashed here: what is trusted of the
database is that it shows what it holds, not the functions that made the chain.
"""

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Any

from django.db import connection

from entities.access import Scope
from entities.audit.checkpoints import Checkpoint

GENESIS = bytes(32)
EXPLAINS = ("audit.removed", "audit.redacted")
BATCH = 2000


class ProblemKind(StrEnum):
    CHANGED = "changed"
    REMOVED = "removed"
    INSERTED = "inserted"
    REORDERED = "reordered"
    CHANGED_TEXT = "changed text"
    REMOVED_TEXT = "removed text"
    CUT_TAIL = "cut tail"
    REWRITTEN = "rewritten"


@dataclass(frozen=True, order=True)
class Problem:
    """The first row that is not as it was written, by its place in the chain, and a sentence about it."""

    row: int
    kind: ProblemKind
    sentence: str


@dataclass(frozen=True)
class VerificationResult:
    """rows: places in the chain. redacted: whose words were taken out. removed: whose time was over."""

    rows: int
    redacted: int
    removed: int
    problem: Problem | None


@dataclass(frozen=True)
class ChainLink:
    """A place in the chain with what stands there today. entry, text: the canonical texts that were hashed, or None."""

    seq: int
    digest: bytes
    text_digest: bytes | None
    hash: bytes
    redacted: bool
    entry: str | None
    text: str | None
    action: str | None
    detail: dict[str, Any]


LINKS = """
SELECT seq, entry_id, digest, text_digest, hash, redacted FROM entities_auditlink
WHERE workspace_id = %s AND seq > %s ORDER BY seq LIMIT %s
"""
ENTRIES = """
SELECT id, action, detail, jsonb_build_array(workspace_id, id, (extract(epoch FROM at) * 1000000)::bigint, actor,
  action, object_kind, object_id, detail)::text
FROM entities_auditentry WHERE workspace_id = %s AND id = ANY(%s)
"""
TEXTS = """
SELECT entry_id, jsonb_build_array(salt, text, retrieved, within, floor, data_classification)::text
FROM entities_audittext WHERE workspace_id = %s AND entry_id = ANY(%s)
"""

# In one statement each, so that rows which are committed meanwhile are whole or not there.
STRAY = """
SELECT e.id FROM entities_auditentry e LEFT JOIN entities_auditlink l ON l.entry_id = e.id
WHERE e.workspace_id = %s
  AND (l.entry_id IS NULL OR coalesce(l.seq, 0) < 1 OR l.workspace_id <> e.workspace_id)
ORDER BY e.id LIMIT 1
"""
STRAY_TEXT = """
SELECT t.entry_id FROM entities_audittext t LEFT JOIN entities_auditentry e ON e.id = t.entry_id
WHERE t.workspace_id = %s AND (e.id IS NULL OR e.workspace_id <> t.workspace_id) ORDER BY 1 LIMIT 1
"""
ELSEWHERE = """
SELECT seq FROM entities_auditlink
WHERE workspace_id = %s AND hash = sha256(%s::bytea || digest || coalesce(text_digest, ''))
"""


def verify_chain(scope: Scope, checkpoints: Iterable[Checkpoint] = ()) -> VerificationResult:
    """Read the whole chain of the open service scope's workspace. checkpoints: of this workspace, from a safe place."""
    wanted: dict[int, list[Checkpoint]] = {}
    for checkpoint in checkpoints:
        wanted.setdefault(checkpoint.seq, []).append(checkpoint)
    reading = _ChainVerifier(scope.workspace, wanted)
    for link in read_links(scope.workspace):
        reading.check_link(link)
    return reading.finish()


def read_links(workspace: int) -> Iterator[ChainLink]:
    """A batch of links, then what stands at them: what leaves in between is named in rows that are still to come."""
    last = 0
    with connection.cursor() as cursor:
        while True:
            cursor.execute(LINKS, [workspace, last, BATCH])
            batch = cursor.fetchall()
            if not batch:
                return
            ids = [row[1] for row in batch]
            cursor.execute(ENTRIES, [workspace, ids])
            entries = {pk: rest for pk, *rest in cursor.fetchall()}
            cursor.execute(TEXTS, [workspace, ids])
            texts = dict(cursor.fetchall())
            for seq, pk, digest, text_digest, hashed, redacted in batch:
                action, detail, entry = entries.get(pk, (None, "{}", None))
                yield ChainLink(
                    seq,
                    bytes(digest),
                    None if text_digest is None else bytes(text_digest),
                    b"" if hashed is None else bytes(hashed),
                    redacted,
                    entry,
                    texts.get(pk),
                    action,
                    json.loads(detail) if action in EXPLAINS else {},
                )
            last = batch[-1][0]


def link_hash(before: bytes, seq: int, digest: bytes, text_digest: bytes | None) -> bytes:
    return sha256(before + seq.to_bytes(8, "big") + digest + (text_digest or b"")).digest()


class _ChainVerifier:
    """One pass over a chain. Problems are collected, because what explains a gap stands after it."""

    def __init__(self, workspace: int, checkpoints: dict[int, list[Checkpoint]]) -> None:
        self.workspace, self.checkpoints = workspace, checkpoints
        self.before, self.seq, self.rows = GENESIS, 0, 0
        self.problems: list[Problem] = []
        self.no_entry: list[int] = []
        self.no_text: list[int] = []
        self.explained: dict[str, list[tuple[int, int]]] = {action: [] for action in EXPLAINS}

    def add_problem(self, row: int, kind: ProblemKind, sentence: str) -> None:
        self.problems.append(Problem(row, kind, f"Row {row} {sentence}"))

    def check_link(self, link: ChainLink) -> None:
        if link.seq != self.seq + 1:
            self.add_problem(self.seq + 1, ProblemKind.REMOVED, "is missing: it was removed together with its link.")
        elif link.hash != link_hash(self.before, link.seq, link.digest, link.text_digest):
            self.judge_out_of_place(link)
        self.check_content(link)
        for checkpoint in self.checkpoints.pop(link.seq, []):
            if checkpoint.hash != link.hash:
                self.add_problem(
                    link.seq,
                    ProblemKind.REWRITTEN,
                    f"differs from the checkpoint of {checkpoint.at}: history was rewritten.",
                )
        self.before, self.seq, self.rows = link.hash, link.seq, self.rows + 1

    def judge_out_of_place(self, link: ChainLink) -> None:
        with connection.cursor() as cursor:
            cursor.execute(ELSEWHERE, [self.workspace, self.before + link.seq.to_bytes(8, "big")])
            elsewhere = cursor.fetchone()
        if elsewhere:
            self.add_problem(
                link.seq, ProblemKind.REORDERED, f"is out of order: what belongs there stands at {elsewhere[0]}."
            )
        else:
            self.add_problem(link.seq, ProblemKind.INSERTED, "does not follow from the one before: it was put in.")

    def check_content(self, link: ChainLink) -> None:
        if link.entry is None:
            self.no_entry.append(link.seq)
        elif sha256(link.entry.encode()).digest() != link.digest:
            self.add_problem(link.seq, ProblemKind.CHANGED, "was changed after it was written.")
        elif link.action in self.explained:
            self.explained[link.action] += [(low, high) for low, high in link.detail.get("rows", [])]
        if link.text is not None and link.text_digest is None:
            self.add_problem(link.seq, ProblemKind.CHANGED_TEXT, "came without words, and has some now.")
        elif link.text is not None and sha256(link.text.encode()).digest() != link.text_digest:
            self.add_problem(
                link.seq, ProblemKind.CHANGED_TEXT, "has other words, ids or labels than it was written with."
            )
        elif link.text is None and link.text_digest is not None and link.entry is not None:
            self.no_text.append(link.seq)
        elif link.redacted and link.entry is not None:
            self.add_problem(link.seq, ProblemKind.CHANGED_TEXT, "is marked as redacted and has its words.")

    def finish(self) -> VerificationResult:
        removed, redacted = _Places(self.explained["audit.removed"]), _Places(self.explained["audit.redacted"])
        for row in self.no_entry:
            if row not in removed:
                self.add_problem(row, ProblemKind.REMOVED, "was removed, and not by retention.")
        for row in self.no_text:
            if row not in redacted:
                self.add_problem(row, ProblemKind.REMOVED_TEXT, "has lost its words, and not by redaction.")
        for query, what in ((STRAY, "entry"), (STRAY_TEXT, "text")):
            with connection.cursor() as cursor:
                cursor.execute(query, [self.workspace])
                stray = cursor.fetchone()
            if stray:
                row = self.seq + 1
                self.problems.append(
                    Problem(
                        row, ProblemKind.INSERTED, f"The {what} with id {stray[0]} stands in no chain: it was inserted."
                    )
                )
        for row, missed in sorted(self.checkpoints.items()):
            if row > self.seq:
                self.add_problem(
                    self.seq + 1,
                    ProblemKind.CUT_TAIL,
                    f"is missing: the checkpoint of {missed[0].at} has {row} rows, the audit {self.seq}.",
                )
                break
        first = min(self.problems, default=None, key=lambda problem: problem.row)
        return VerificationResult(self.rows, len(self.no_text), len(self.no_entry), first)


class _Places:
    """Ranges of places, merged, for looking one up."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []
        for low, high in sorted(ranges):
            if self.ends and low <= self.ends[-1] + 1:
                self.ends[-1] = max(self.ends[-1], high)
            else:
                self.starts.append(low)
                self.ends.append(high)

    def __contains__(self, place: int) -> bool:
        at = bisect_right(self.starts, place) - 1
        return at >= 0 and place <= self.ends[at]
