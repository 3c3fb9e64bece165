"""What is left of a text that is too long for its place in a prompt: whole lines, and rows of tables under their head.

Pure functions. Half a line can say the opposite of the whole one.
"""

import re
from collections.abc import Sequence

from llm.tokens import CHARACTERS, estimate

LEFT_OUT = "\n[…]\n"
SENTENCE_END = re.compile(r"[.!?][\"')\]]{0,3}(?=\s)")
HEAD_END = re.compile(r"\s*\|(?=.*-)[\s:|-]+\Z")
"""The line under the head of a table."""


def cut_middle(text: str, tokens: int) -> str:
    """`text` in so many tokens: two thirds are its beginning, the rest its end. It is cut between lines; in a line that
    is long for that between sentences, or else between words.
    """
    if estimate(text) <= tokens:
        return text
    room = tokens * CHARACTERS - len(LEFT_OUT)
    head = _cut_end(text, room * 2 // 3)
    return f"{head.rstrip()}{LEFT_OUT}{_cut_beginning(text, room // 3, len(head))}"


def find_table_heads(lines: Sequence[str]) -> list[range]:
    """Of each line, if it stands in a table, the places of the two lines that say what its columns are."""
    found: list[range] = []
    for place, line in enumerate(lines):
        if not _is_row(line):
            found.append(range(0))
        elif place and _is_row(lines[place - 1]):
            found.append(found[-1])
        else:
            has_head = place + 1 < len(lines) and HEAD_END.match(lines[place + 1])
            found.append(range(place, place + 2) if has_head else range(0))
    return found


def _cut_end(text: str, room: int) -> str:
    """The beginning of a longer text, in `room` characters."""
    piece = text[: room + 1]
    line = piece.rfind("\n")
    if line >= room // 3 or (line > 0 and _is_row(piece[line + 1 :])):
        return piece[:line]
    sentence = max((found.end() for found in SENTENCE_END.finditer(piece)), default=-1)
    border = max(line, sentence)
    if border <= 0:
        border = piece.rfind(" ")
    return piece[: border if border > 0 else room]


def _cut_beginning(text: str, room: int, known: int) -> str:
    """The end of a longer text, in `room` characters, the heads of its tables included. known: the length of the
    beginning that stands above it.
    """
    piece = text[len(text) - room - 1 :]
    line = piece.find("\n")
    if not 0 <= line <= room * 2 // 3:
        sentence = SENTENCE_END.search(piece)
        borders = [place for place in (line, sentence.end() if sentence else -1) if place >= 0]
        line = min(borders, default=piece.find(" "))
    rows = piece[line + 1 if line >= 0 else 1 :].split("\n")
    lines = text.split("\n")
    heads, known_lines, first = find_table_heads(lines), text.count("\n", 0, known + 1), len(lines) - len(rows)
    left = sum(len(row) + 1 for row in rows) - 1
    for number, row in enumerate(rows):
        place = first + number
        above = [lines[n] for n in heads[place] if known_lines < heads[place].stop and n < place]
        is_half = _is_row(lines[place]) and row != lines[place]
        if row.strip() and not is_half and left + sum(len(one) + 1 for one in above) <= room:
            return "\n".join([*above, *rows[number:]]).lstrip()
        left -= len(row) + 1
    return ""


def _is_row(line: str) -> bool:
    return line.lstrip().startswith("|")
