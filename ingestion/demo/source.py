"""The small Markdown dialect in which the demo's PDF and DOCX documents are written.

A source starts with `key: value` lines up to a line `---`. Blocks are separated by blank lines: `#` headings, `-` and
`1.` lists, `|` tables, `>` notes, `4.2 ` and `(a) ` clauses (agreements only), and directives in braces:
`{columns: 2 5 1r}` and `{caption: …}` before a table, `{figure: name}`, `{page}`, `{sign: party | party}`.
"""

import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path

CLAUSE = re.compile(r"^(\d+\.\d+|\([a-z]\))\s+(.*)$", re.DOTALL)
DIRECTIVE = re.compile(r"^\{(\w+)(?::\s*(.*))?\}$")
ITEM = re.compile(r"^(?:-|\d+\.)\s+")


@dataclass(frozen=True)
class Heading:
    level: int
    text: str


@dataclass(frozen=True)
class Prose:
    text: str


@dataclass(frozen=True)
class Clause:
    number: str
    text: str


@dataclass(frozen=True)
class DemoNote:
    text: str


@dataclass(frozen=True)
class Items:
    ordered: bool
    items: tuple[str, ...]


@dataclass(frozen=True)
class DemoTable:
    """A table: `widths` are relative, `right` names the columns set flush right."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    widths: tuple[float, ...]
    right: frozenset[int]
    caption: str


@dataclass(frozen=True)
class Figure:
    name: str
    caption: str


@dataclass(frozen=True)
class DemoPageBreak:
    """A page break."""


@dataclass(frozen=True)
class Signatures:
    parties: tuple[str, ...]


Block = Heading | Prose | Clause | DemoNote | Items | DemoTable | Figure | DemoPageBreak | Signatures


@dataclass(frozen=True)
class DemoDocument:
    """One parsed source. `facts` are the label and value pairs printed under the title."""

    name: str
    format: str
    style: str
    company: str
    colour: str
    title: str
    subtitle: str
    reference: str
    author: str
    subject: str
    keywords: str
    dated: date
    facts: tuple[tuple[str, str], ...]
    blocks: tuple[Block, ...]


def _split_cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in line.strip().strip("|").split("|"))


def _parse_grid(lines: list[str], columns: str, caption: str) -> DemoTable:
    header, _rule, *body = lines
    names = _split_cells(header)
    marks = columns.split() or ["1"] * len(names)
    rows = tuple(_split_cells(line) for line in body)
    if any(len(row) != len(names) for row in (*rows, marks)):
        raise ValueError(f"a table under {header!r} has rows of unequal length")
    right = frozenset(i for i, mark in enumerate(marks) if mark.endswith("r"))
    return DemoTable(names, rows, tuple(float(mark.rstrip("r")) for mark in marks), right, caption)


def _parse_items(lines: list[str]) -> Items:
    items: list[str] = []
    for line in lines:
        if ITEM.match(line):
            items.append(ITEM.sub("", line))
        else:
            items[-1] += " " + line.strip()
    return Items(lines[0][0].isdigit(), tuple(items))


def _parse_blocks(body: str, style: str) -> tuple[Block, ...]:
    blocks: list[Block] = []
    columns = caption = ""
    for part in re.split(r"\n\s*\n", body.strip()):
        lines = part.splitlines()
        while lines and (directive := DIRECTIVE.match(lines[0])):
            word, value = directive[1], directive[2] or ""
            lines.pop(0)
            if word == "columns":
                columns = value
            elif word == "caption":
                caption = value
            elif word == "page":
                blocks.append(DemoPageBreak())
            elif word == "figure":
                blocks.append(Figure(value, caption))
                caption = ""
            elif word == "sign":
                blocks.append(Signatures(tuple(party.strip() for party in value.split("|"))))
            else:
                raise ValueError(f"unknown directive {word!r}")
        if not lines:
            continue
        text = " ".join(line.strip() for line in lines)
        if heading := re.match(r"^(#+) (.*)$", text):
            blocks.append(Heading(len(heading[1]), heading[2]))
        elif lines[0].startswith("|"):
            blocks.append(_parse_grid(lines, columns, caption))
            columns = caption = ""
        elif lines[0].startswith(">"):
            blocks.append(DemoNote(" ".join(line.lstrip("> ") for line in lines)))
        elif style == "agreement" and (clause := CLAUSE.match(text)):
            blocks.append(Clause(clause[1], clause[2]))
        elif ITEM.match(lines[0]):
            blocks.append(_parse_items(lines))
        else:
            blocks.append(Prose(text))
    return tuple(blocks)


def read_document(path: Path) -> DemoDocument:
    """Parse one source. Raises ValueError for an unknown directive or a ragged table, KeyError for a missing key."""
    head, body = path.read_text(encoding="utf-8").split("\n---\n", 1)
    keys = dict(line.split(": ", 1) for line in head.splitlines() if line.strip())
    facts = tuple(tuple(pair.split(" = ", 1)) for pair in keys.get("facts", "").split("; ") if pair)
    style = keys["style"]
    return DemoDocument(
        name=path.stem,
        format=keys["format"],
        style=style,
        company=keys.get("company", "Harbour & Vale Engineering"),
        colour=keys.get("colour", "#12385B"),
        title=keys["title"],
        subtitle=keys["subtitle"],
        reference=keys["reference"],
        author=keys["author"],
        subject=keys["subject"],
        keywords=keys["keywords"],
        dated=date.fromisoformat(keys["dated"]),
        facts=tuple((label, value) for label, value in facts),
        blocks=_parse_blocks(body, style),
    )
