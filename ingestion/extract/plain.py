"""Plain text: paragraphs between blank lines, with the few headings that plain text can show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import dedent

from ingestion.documents import Extraction
from ingestion.extract import sniff
from ingestion.extract.aligned_text import find_aligned_table
from ingestion.extract.build import Builder
from ingestion.extract.clean import clean, clean_line, clean_paragraph
from ingestion.extract.rows import format_markdown_table

UNDERLINE = re.compile(r"\s*(={3,}|-{3,}|~{3,}|\*{3,})\s*$")
BULLET = re.compile(r"\s*(?:[-*•‣–]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s+\S")
NUMBER = re.compile(r"\d{1,3}(?:\.\d{1,3})*\.?\s+\S")
WRAPPED = 40  # characters: lines at least this long were broken by width and are joined again


def extract(text: str) -> Extraction:
    builder = Builder()
    read_into(builder, text)
    return builder.build_extraction(sniff.PLAIN, None)


def read_into(builder: Builder, text: str) -> None:
    """Appends what the text says."""
    for block in _split_blocks(clean(text)):
        _add_block(block, builder)


def _split_blocks(text: str) -> Iterator[list[str]]:
    """Runs of lines without a blank line; form feeds part them too, and each item of a list stands alone."""
    block: list[str] = []
    for line in text.replace("\x0c", "\n\n").split("\n"):
        if not line.strip() or (block and BULLET.match(line) and _may_precede_item(block)):
            if block:
                yield block
            block = []
        if line.strip():
            block.append(line.rstrip())
    if block:
        yield block


def _may_precede_item(block: list[str]) -> bool:
    """A line such as `- text` is an item after another item, under a heading or after a colon; else it is prose."""
    return bool(BULLET.match(block[0]) or UNDERLINE.fullmatch(block[-1]) or block[-1].endswith(":"))


def _add_block(block: list[str], builder: Builder) -> None:
    while len(block) > 1 and (table := find_aligned_table(block)) is not None:
        _add_lines(table.before, builder)
        builder.add(format_markdown_table(table.rows), "table")
        block = table.after
    _add_lines(block, builder)


def _add_lines(block: list[str], builder: Builder) -> None:
    if len(block) > 1 and (line := UNDERLINE.match(block[1])) and len(block[0]) <= 100:
        builder.add(clean_line(block[0]), "heading", level=1.0 if line.group(1)[0] == "=" else 2.0)
        block = block[2:]
    elif len(block) == 1 and UNDERLINE.fullmatch(block[0]):
        return
    elif len(block) == 1 and _is_heading(block[0]):
        builder.add(clean_line(block[0]), "heading", level=3.0)
        return
    if not block:
        return
    if BULLET.match(block[0]):
        builder.add(clean_line(" ".join(block)), "list")
    elif len(block) > 1 and all(line.startswith(("    ", "\t")) for line in block):
        builder.add(dedent("\n".join(block)), "code")
    elif all(len(line.strip()) >= WRAPPED for line in block[:-1]):
        builder.add(clean_line(" ".join(block)))
    else:
        builder.add(clean_paragraph("\n".join(block)))


def _is_heading(line: str) -> bool:
    """A short line in capitals, or a short numbered line without a full stop."""
    line = line.strip()
    if len(line) > 80 or line.endswith((".", ",", ";", ":")) or sum(letter.isalpha() for letter in line) < 3:
        return False
    return line.upper() == line or (bool(NUMBER.match(line)) and len(line) <= 60)
