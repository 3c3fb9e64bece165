"""What stands under the heads of a table about people: each head with its cells, for `questions`.

A cell says nothing by itself: "12.03.1984" is a date, and the head says whose and of what.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from llm.recognisers.findings import phrases

MAX_ROWS = 200
MAX_HEAD_CHARACTERS = 40
RULE = re.compile(r"[\s|:+-]*")
CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])|[_-]+")
# Heads of the column that says who a row is about.
OF_PERSON = re.compile(
    r"^\W*(?:(?:full|first|last|given|family|legal|employee|customer|patient|client|member|contact)[ _]?)*"
    + phrases(
        """names?; surname; employees?; staff; colleagues?; mitarbeiter(?:in)?; vorname; nachname; patients?; members?;
        guests?; tenants?; residents?; drivers?; pupils?; students?; child(?:ren)?; candidates?; applicants?;
        consultants?;
        payee; beneficiary; persons?; participants?; holder; keeper; contact; contact person; nom; prénom; nombre;
        kunde;
        insured; teammates?; who; starter; leaver"""
    )
    + r"(?: name)?\W*$",
    re.IGNORECASE,
)

# Heads that speak of things, beside which these speak of the thing and of nobody: "Contact | Valve | Old | New".
OF_THING = re.compile(
    r"^\W*(?:"
    + phrases(
        """items?; tasks?; material; parts?; ports?; topics?; changes?; drawings?; commits?; actions?;
        tickets?; issues?;
        projects?; products?; suppliers?; tests?; systems?; versions?; files?; orders?; agenda item; deliverable;
        servers?;
        what; work package; milestone"""
    )
    + r")\b",
    re.IGNORECASE,
)
VAGUE = re.compile(
    r"^\W*(?:"
    + phrases(
        """old; new; rate; amount; reason; condition; treatment; decision; notice; rating; performance; grade; marks?;
        result; increase; leave; package; gross; net"""
    )
    + r")\W*$",
    re.IGNORECASE,
)


def find_cells(text: str) -> Iterator[tuple[str, str, str]]:
    """(head, cell, the whole row) of tables with a column that says whom a row is about, and of no other."""
    lines = [line.strip() for line in text.split("\n") if line.strip()][: MAX_ROWS + 2]
    heads: Sequence[str] = ()
    for above, line in pairwise(["", *lines]):
        mark = _find_separator(line)
        cells = _split_cells(line, mark)
        if not mark:
            heads = ()
        elif len(heads) == len(cells) and not RULE.fullmatch(line):
            yield from ((head, cell, line) for head, cell in zip(heads, cells, strict=True) if head and cell)
        elif not RULE.fullmatch(line) and (not above or not heads):
            heads = cells if any(OF_PERSON.match(cell) for cell in cells) and all(map(_is_head, cells)) else ()
            if any(map(OF_THING.match, heads)):
                heads = ["" if VAGUE.match(head) else head for head in heads]


def _find_separator(line: str) -> str:
    return next((mark for mark in ("|", "\t", ";", ",") if mark in line), "")


def _split_cells(line: str, mark: str) -> list[str]:
    return [CAPITAL.sub(" ", cell).strip("\"'* ") for cell in line.strip("|").split(mark)] if mark else []


def _is_head(cell: str) -> bool:
    return len(cell) <= MAX_HEAD_CHARACTERS and not any(map(str.isdigit, cell))
