"""What a passage states by its form and not in sentences: pairs of a label and a value.

"Cashier: Emily Rodriguez", "TOTAL $821.14", "Policy # POL-555", a line under its heading, a cell under the head of its
column. Receipts, invoices, forms, statements and tables are read alike, in any language: no label is known beforehand.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from llm.quoting.measures import MONTH_NAME
from llm.quoting.reading import PromptPassage, split_headings
from llm.recognisers.money import CODES
from text.pieces import CAPTION, LEADERS, PAGE_NUMBER
from text.sentences import ABBREVIATIONS

MAX_LABEL_WORDS = 6
MAX_RUN_WORDS = 4
"""Of a label that follows a value in its line."""
MAX_HEAD_WORDS = 14
MAX_NUMBER_CHARACTERS = 40
"""Of what stands behind the sign of a number, as far as it is no text that goes on."""
MAX_VALUE_CHARACTERS = 160
MAX_LABEL_CHARACTERS = 120
MAX_PAIR_CHARACTERS = 700
"""Of a label and its value in one line: what is longer is a text, and its sentences are read instead."""
FIGURE = re.compile(rf"[-+−–(]?[$€£¥₹₩₽₪₺#]?[-+−–]?\d[\d.,'’/:]*[%‰°$€£¥)]?|{CODES}|[-–$€£¥₹₩₽₪₺%‰]")
"""A word that is a figure, or stands beside one: "EUR", "%"."""
COLON = re.compile(
    r"(?<=[^\W_])[\s)\]%.]{0,3}:(?=\s|$|[^\W\d_])(?!//)|\s?(?<![\w&])(?:#|[Nn][ro°]\.?)\s?(?=\S{0,40}\d)"
)
"""Behind a label: a colon, or the sign of a number."""
CAPITALS = re.compile(
    r"(?:[^\W\d_a-zß-öø-ÿ]{6,40}\s+|(?:[^\W\d_a-zß-öø-ÿ]{2,40}\s+){2,6})(?=[^\W\d_a-zß-öø-ÿ]?[a-zß-öø-ÿ])"
)
"""Words in capitals before others: "PAYMENT METHOD Visa Card ending in 4782"."""
BESIDE = re.compile(r"([^\W\d_a-zß-öø-ÿ][^\W\d_]{2,40})((?: [^\W\d_a-zß-öø-ÿ][\w'’&.-]{0,40}(?=$| [^\W\d_])){1,3})")
"""What stands beside a number, in the next column of a form: "Model Grand Cherokee"."""
SENTENCE = re.compile(r"[.!?](?:\s|$)")
SUM = re.compile(
    r"^\W*(?:(?:grand|net|gross|invoice|order)\W+)?(?:totals?|amount due|balance|summe|gesamt\w*|razem|totaal)\W{1,12}"
    rf"(?:{CODES}\s)?[$€£¥]?\s?\d",
    re.IGNORECASE,
)
"""The line of an invoice or a receipt that adds up its items, which a list of stock has not."""
DOTS = re.compile(r"(?:(?<!\s)\s++)?(?:(?:\. ?){4,}|…{2,}|(?:_ ?){3,})\s*")
NUMBERED = re.compile(rf"\d{{1,2}}(?:\.\d{{1,2}})*\.\s+(?!{MONTH_NAME})[^\W\d_]", re.IGNORECASE)
"""A heading, or an item of a list: "3. Term"."""
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
"""No figure in the head of a column: "2027 budget"."""
CELLS = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class Pair:
    """A label with its value, "" where that is left empty. text: both, verbatim. n: of the passage. about: in a table,
    the cells of the row, which say of what it is; "" elsewhere. is_row: the label heads a column, or several. head: of
    a table of two columns, what they are called.
    """

    label: str
    value: str
    text: str
    n: int
    about: str = ""
    is_row: bool = False
    head: str = ""


def read_pairs(passage: PromptPassage) -> list[Pair]:
    """The pairs of a passage in the order in which they stand in it."""
    lines = [" ".join(line.split()) for line in passage.text.splitlines()]
    lines = [line for line in lines if re.search(r"\w", line) and (line[0] == "|" or not _is_furniture(line))]
    found: list[Pair] = []
    above = split_headings(passage)[-1]
    at = 0
    while at < len(lines):
        if lines[at].startswith("|"):
            rows = [lines[at]]
            while at + len(rows) < len(lines) and lines[at + len(rows)].startswith("|"):
                rows.append(lines[at + len(rows)])
            found += _read_table(rows, passage.n)
            at += len(rows)
            continue
        line = lines[at]
        following = lines[at + 1] if at + 1 < len(lines) else ""
        pairs = [Pair(label, value, text, passage.n) for label, value, text in _read_line(line)]
        is_value = _is_value(following) and not (NUMBERED.match(line) and NUMBERED.match(following))
        if not pairs and (_is_label(line) and is_value or _is_head(line, following)):
            is_row = _is_head(line, following) and " " in following
            pairs = [Pair(line.rstrip(" :"), following, f"{line} {following}", passage.n, is_row=is_row)]
        elif not pairs and at == 0 and above and _is_value(line) and not (line in above or NUMBERED.match(line)):
            pairs = [Pair(above, line, line, passage.n)]
        elif not pairs and _is_label(line):
            above = line
            if line.endswith(":"):
                pairs = [Pair(line.rstrip(" :"), "", line, passage.n)]
        found += pairs
        at += 1
    return found


def _read_line(line: str) -> Iterator[tuple[str, str, str]]:
    """(label, value, text) of a line, which may hold several."""
    if LEADERS.search(line):
        label, *values = DOTS.split(line)
        if len(values) == 1 and _is_label(label) and values[0] and not PAGE_NUMBER.fullmatch(values[0]):
            yield label, values[0], line
        return
    marks: list[tuple[int, re.Match[str]]] = []
    for mark in COLON.finditer(line):
        start = _find_label(line, marks[-1][1].end() if marks else 0, mark.start(), first=not marks)
        marks += [(start, mark)] if start >= 0 else []
    ends = [*[start for start, _ in marks[1:]], len(line)]
    for (start, mark), end in zip(marks, ends if marks else (), strict=True):
        if ":" not in mark.group():
            number = " ".join(takewhile(has_figure, line[mark.end() : mark.end() + MAX_VALUE_CHARACTERS].split(" ")))
            beside = "#" in mark.group() and BESIDE.match(line[mark.end() + len(number) : end].strip())
            if beside:
                yield beside[1], beside[2].strip(), beside.group()
            if beside or end - mark.end() > MAX_NUMBER_CHARACTERS:
                end = mark.end() + len(number)
        if (value := line[mark.end() : end].strip()) and end - start <= MAX_PAIR_CHARACTERS:
            yield line[start : mark.start()].strip(" *"), value[:MAX_VALUE_CHARACTERS], line[start:end].strip()
    if marks:
        return
    if (capitals := CAPITALS.match(line)) and len(line) <= MAX_VALUE_CHARACTERS:
        yield capitals.group().strip(), line[capitals.end() :], line
        return
    label, value = _split_figures(line)
    if value and _is_label(label):
        yield label, value, line


def _split_figures(line: str) -> tuple[str, str]:
    """A line without the figures that end it, and these: "TOTAL" and "$821.14"."""
    words = line.replace(")-", ") -").split()
    at = len(words)
    while at and FIGURE.fullmatch(words[at - 1]):
        at -= 1
    value = " ".join(words[at:])
    return (" ".join(words[:at]).strip(" -:="), value) if re.search(r"\d", value) else (line, "")


def _find_label(line: str, begin: int, end: int, *, first: bool) -> int:
    """Where the label begins that ends at `end`, after what begins at `begin`; -1 for none.

    The first of a line may be a few words; a further one is what stands behind the value before: "Payment terms", two
    words in capitals, or one.
    """
    if end - begin > MAX_LABEL_CHARACTERS:
        begin, first = end - MAX_LABEL_CHARACTERS, False
    words = list(re.finditer(r"\S+", line[begin:end]))
    if first and 0 < len(words) <= MAX_LABEL_WORDS and not _has_sentence(line[begin:end]):
        return begin
    taken = -1
    for count, word in enumerate(reversed(words if first else words[1:]), start=1):
        text = word.group().lstrip("*(")
        if count > MAX_RUN_WORDS or not re.match(r"[^\W\d_]", text) or text.endswith((",", ".", ";")):
            break
        if not text[:1].islower():
            if taken >= 0:
                return begin + word.start()
            taken = begin + word.start()
            if count > 1:
                break
    return taken


def _has_sentence(text: str) -> bool:
    """Whether a sentence ends in it: "Total incl. VAT" has none."""
    return any(
        found.group()[0] != "." or text[: found.start()].rpartition(" ")[2].strip("(").lower() not in ABBREVIATIONS
        for found in SENTENCE.finditer(text)
    )


def _is_furniture(line: str) -> bool:
    return bool(PAGE_NUMBER.fullmatch(line) or CAPTION.match(line))


def _is_label(line: str) -> bool:
    """A few words that neither state nor count anything."""
    bare = line.rstrip(" :")
    return (
        0 < len(bare.split()) <= MAX_LABEL_WORDS + 2
        and bool(re.match(r"\W{0,3}[^\W_]", bare))
        and not SENTENCE.search(re.sub(r"^\W*\d[\d.]*\.?\s|(?<!\s\w{3}\s)\b[^\W\d_]{1,12}\.(?=\s|$)", "", bare))
        and not re.search(r"\d{3}|[;?!]", bare)
    )


def _is_head(line: str, following: str) -> bool:
    """Whether a line names the columns of the figures below it."""
    label, value = _split_figures(following)
    return bool(value and not label and not re.search(r"\d|[.;?!]\s", line)) and len(line.split()) <= MAX_HEAD_WORDS


def _is_value(line: str) -> bool:
    """What may stand under a label: no label with its own value, and no sentence."""
    return (
        bool(line)
        and len(line) <= MAX_VALUE_CHARACTERS
        and not (line.startswith(("|", ">")) or line.endswith((".", ":", "?", "!")) or any(_read_line(line)))
        and not re.search(r"[?!]\s", line)
    )


def _read_table(rows: list[str], n: int) -> Iterator[Pair]:
    """The cells under the heads of their columns; of a table of two columns each row is a pair. Of the rows above the
    first with a figure the fullest one is the head: a sheet may begin with notes.
    """
    cells = [_split_row(row) for row in rows if not re.fullmatch(r"[\s|:\-+]+", row)]
    texts = [row for row in rows if not re.fullmatch(r"[\s|:\-+]+", row)]
    if not cells:
        return
    above = list(takewhile(lambda row: not any(has_figure(YEAR.sub("", cell)) for cell in row), cells))
    headed = bool(above)
    at = above.index(max(above, key=lambda row: sum(map(bool, row)))) if headed and len(above) < len(cells) else 0
    head = cells[at]
    for row, text in zip(cells[at + 1 :] if headed else cells, texts[at + 1 :] if headed else texts, strict=True):
        if len(row) == 2:
            if row[0]:
                yield Pair(row[0], row[1], text, n, head=" ".join(head) if headed else "")
        elif headed:
            about = " ".join(row)
            for name, cell in zip(head, row, strict=False):
                if name and cell:
                    yield Pair(name, cell, text, n, about, is_row=True)


def has_figure(word: str) -> bool:
    return any(character.isdigit() for character in word)


def _split_row(row: str) -> list[str]:
    return [cell.strip() for cell in CELLS.split(row.strip())[1:-1]]
