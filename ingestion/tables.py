"""Tables as they go through the pipeline (Markdown, one row a line) taken apart for pages."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ingestion.pieces import table_header

CELL = re.compile(r"(?<!\\)\|")
RULE = re.compile(r"^[ \t]*\|(?:[ \t]*:?-{3,}:?[ \t]*\|)+[ \t]*$\n?", re.MULTILINE)
ROW = re.compile(r"^[ \t]*\|.*\|[ \t]*$", re.MULTILINE)


@dataclass(frozen=True)
class Table:
    """Cells of the header row and of the others."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]


def read_table(text: str) -> Table | None:
    """None for text that is no Markdown table."""
    length = table_header(text)
    if not length:
        return None
    header = cells(text[:length].split("\n")[0])
    return Table(header, [cells(line) for line in text[length:].split("\n") if line.strip()])


def cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in CELL.split(inner)]


def in_words(text: str) -> str:
    """The rows of tables in `text` as lines of prose, for where only a part of it is shown."""
    return ROW.sub(lambda row: " · ".join(filter(None, cells(row[0]))) + ";", RULE.sub("", text))
