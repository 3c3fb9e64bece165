"""Checkpoints: the heads of the chains at one moment, to be kept where the database's owner cannot write.

A file of lines, each a JSON object of one workspace at one moment, so that files are appended to and joined as they
are:

    {"format": "clearance-audit-1", "at": "2026-03-31T12:00:00+00:00", "workspace": 3, "slug": "legal",
     "seq": 1204, "hash": "<64 hexadecimal digits>"}
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import F
from django.utils import timezone

from entities.access import Scope
from entities.models import AuditLink, Workspace

FORMAT = "clearance-audit-1"
HASH = re.compile(r"[0-9a-f]{64}")


class BadCheckpoint(ValueError):
    """A line that is no checkpoint; the sentence says which."""


@dataclass(frozen=True)
class Checkpoint:
    """The chain of `workspace` had `seq` rows, and the last of them this hash. at: ISO 8601."""

    at: str
    workspace: int
    slug: str
    seq: int
    hash: bytes

    def line(self) -> str:
        fields = {
            "format": FORMAT,
            "at": self.at,
            "workspace": self.workspace,
            "slug": self.slug,
            "seq": self.seq,
            "hash": self.hash.hex(),
        }
        return json.dumps(fields)


def read_head(workspace: int) -> Checkpoint | None:
    """The head of one chain; None while nothing has been written. Needs no scope open."""
    slug = Workspace.objects.values_list("slug", flat=True).get(pk=workspace)
    with Scope.for_service(workspace).open():
        last = AuditLink.objects.filter(seq__isnull=False).order_by(F("seq").desc()).first()
    if last is None or last.seq is None or last.hash is None:
        return None
    return Checkpoint(timezone.now().isoformat(timespec="seconds"), workspace, slug, last.seq, bytes(last.hash))


def read_checkpoints(lines: Iterable[str]) -> list[Checkpoint]:
    """Raises: BadCheckpoint."""
    return [_read_checkpoint(number, line) for number, line in enumerate(lines, start=1) if line.strip()]


def _read_checkpoint(number: int, line: str) -> Checkpoint:
    try:
        given = json.loads(line)
        if given["format"] != FORMAT or not HASH.fullmatch(given["hash"]) or int(given["seq"]) < 1:
            raise ValueError
        return Checkpoint(
            str(given["at"]),
            int(given["workspace"]),
            str(given["slug"]),
            int(given["seq"]),
            bytes.fromhex(given["hash"]),
        )
    except (ValueError, KeyError, TypeError):
        raise BadCheckpoint(f"Line {number} is no checkpoint of the form {FORMAT}.") from None
