"""Where the links of Word documents and Rich Text lead that are fields (ECMA-376, part 1, 17.16)."""

from __future__ import annotations

import re
from collections.abc import Iterator

QUOTE = '"“”„'
TOKEN = re.compile(
    rf"[{QUOTE}]((?:\\.|[^{QUOTE}\\])*)[{QUOTE}]?|(\\[^\s\\{QUOTE}])(?=[\s{QUOTE}]|$)|([^\s{QUOTE}]+)", re.S
)
ESCAPED = re.compile(r"\\(.)", re.S)


def find_field_target(instruction: str) -> str:
    """Where a link leads to outside the document; "" for any other field."""
    tokens = list(_split_tokens(instruction))
    if not tokens or tokens[0][1].upper() != "HYPERLINK":
        return ""
    return next((word for switch, word, _ in tokens[1:] if switch not in ("\\l", "\\o", "\\t")), "")


def _split_tokens(instruction: str) -> Iterator[tuple[str, str, bool]]:
    """(switch that stands before it, word, whether it stands in quotation marks)."""
    switch = ""
    for quoted, mark, bare in TOKEN.findall(instruction):
        if mark:
            switch = mark
            continue
        yield switch, (ESCAPED.sub(r"\1", quoted) if quoted else bare), bool(quoted)
        switch = ""
