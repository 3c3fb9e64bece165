"""Tables as they go through the pipeline (Markdown, one row a line) taken apart for pages."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ingestion.pieces import measure_table_header

CELL = re.compile(r"(?<!\\)\|")
RULE = re.compile(r"^[ \t]*\|(?:[ \t]*:?-{3,}:?[ \t]*\|)+[ \t]*$\n?", re.MULTILINE)
ROW = re.compile(r"^[ \t]*\|.*\|[ \t]*$", re.MULTILINE)


@dataclass(frozen=True)
class MarkdownTable:
    """Cells of the header row and of the others."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]


def read_table(text: str) -> MarkdownTable | None:
    """None for text that is no Markdown table."""
    length = measure_table_header(text)
    if not length:
        return None
    header = split_cells(text[:length].split("\n")[0])
    return MarkdownTable(header, [split_cells(line) for line in text[length:].split("\n") if line.strip()])


def split_cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in CELL.split(inner)]


def format_as_prose(text: str) -> str:
    """The rows of tables in `text` as lines of prose, for where only a part of it is shown."""
    return ROW.sub(lambda row: " · ".join(filter(None, split_cells(row[0]))) + ";", RULE.sub("", text))
