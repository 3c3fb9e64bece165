"""Cutting passages into pieces that can be quoted: sentences, list items, table rows. Every piece is verbatim."""

import re
from itertools import pairwise, zip_longest

from text.currencies import CODES
from text.sentences import find_sentences

ITEM = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)]|\([a-z0-9]{1,3}\)|\|)\s*")
ITEM_COUNT = re.compile(r"\s*\d{1,4}\s?(?:[x×*]\s|(?:pcs?|st(?:k|ck)?)\b|[A-Z])")

# "4.1 Why it is late", "6 Changes": the number of a section; "3. Sign it" is an item of a list.
NUMBERED = re.compile(r"(?:\d{1,2}(?:\.\d{1,2}){0,3}|§+\s?\d+|[A-Z](?=\s[A-Z]))\s+")
PRICED = re.compile(rf"(?:\d[.,]\d\d(?:\s?(?:[€£¥]|{CODES}))?|\d\s?€|[$€£¥]\s?[\d,]{{1,9}})\s*$", re.IGNORECASE)
ENDED = re.compile(r"[.!?:;]\s*$")
"""A line after which another begins: the end of a sentence, or the price of an item, which a number may follow."""
ENTRY = re.compile(r"^[^\W\d_][^.!?:]{0,40}(?::(?:\s|$)|#)|\d[%‰°$€£¥).]{0,2}(?:\s(?:[A-Z]{3}|[%$€£¥]))?$")
"""A line of a form: a label with its colon or number sign, or what ends in a figure. Two of them are not one."""
EDGE = 100
"""Characters at which a block that grows by lines is looked at, from either end: all of it each time takes too long."""
LEADERS = re.compile(r"(?:\. ?){5,}|…{2,}|(?:_ ?){5,}|(?:[-=+*~] ?){8,}")
"""What leads to a page number or is drawn as a line: the sign of a table of contents or of a form, no sentence."""

CAPTION = re.compile(r"(?:Figure|Fig\.|Table|Abbildung|Tabelle)\s\d[\d.-]*\W{0,3}[^.]{0,80}$")

NO_SIGN = r"(?:[^\w$€£¥₹₩₽₪₺%‰°]|_)*+"
FOOTNOTE = re.compile(r"\A(?:\W*\^\s|\W*(?:archived from the original|retrieved) (?:on )?\W*\w+ ?\d)", re.IGNORECASE)
"""Of a saved web page: where a statement is from."""
PAGE_NUMBER = re.compile(
    rf"{NO_SIGN}(?:(?!(?:19|20)\d\d\b)\d{{1,4}}(?:\s?/\s?\d{{1,4}})?"
    rf"|l?x{{0,3}}(?:ix|iv|v?i{{0,3}})|[^\W\d_])?{NO_SIGN}"
)
"""A number of up to four digits, or a letter, and nothing else. A year, an amount or a reference says something."""


MAX_NARROW_COLUMNS = 2
"""Of a table whose rows read by themselves, "VAT · 282.80". Names with a number are written: "Mass · HX-40: 12 kg"."""
TABLE_RULE = re.compile(r"\|(?:\s*:?-+:?\s*\|)+")
MIN_PRICES = 3
RUN_ON = re.compile(rf"([$€£¥]?\d[.,]\d\d(?:\s?(?:[€£¥]|{CODES}\b))?)[^\S\n]+(?=[^\W\d_a-zß-öø-ÿ])")
"""A price before what begins with a capital: the next item of a receipt whose lines were joined."""
STATED = re.compile(r"[^\W\d_]{3}[.!?](?:\s|$)")


def split_items(text: str) -> str:
    """A text with a line for each price where three and more of them stand in one line that has no sentence."""
    lines = (
        RUN_ON.sub(r"\1\n", line)
        if len(RUN_ON.findall(line)) >= MIN_PRICES and not (line.startswith("|") or STATED.search(line))
        else line
        for line in text.splitlines()
    )
    return "\n".join(lines)


def split_sentences(text: str) -> list[str]:
    """The sentences of `text` in order, each a verbatim piece of it but for white space, which is one blank."""
    found: list[str] = []
    for block in _split_blocks(text):
        if block.lstrip().startswith("|"):
            if not re.fullmatch(r"[\s|:\-+]+", block):
                found.append(block.strip())
            continue
        joined = " ".join(block.split())
        found += [joined[start:end] for start, end in find_sentences(joined)]
    return found


def _split_blocks(text: str) -> list[str]:
    """Paragraphs, list items, headings and table rows; lines that only wrap are joined."""
    blocks: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text):
        current = ""
        for line in paragraph.splitlines():
            if not line.strip():
                continue
            fresh = ITEM.match(line) or line.lstrip().startswith("#") or current.lstrip().startswith(("|", "#"))
            begins = line.lstrip()[:1]
            edges = current if len(current) <= 2 * EDGE else f"{current[:EDGE]} {current[-EDGE:]}"
            priced = PRICED.search(edges)
            ended = begins.isupper() and (priced or ENDED.search(edges)) or priced and ITEM_COUNT.match(line)
            ended = ended or ENTRY.search(edges) and ENTRY.search(line)
            if current and (fresh or ended):
                blocks.append(current)
                current = line
            else:
                current = f"{current} {line}" if current else line
        if current:
            blocks.append(current)
    return blocks


def is_heading(sentence: str) -> bool:
    """A short line without a verb's full stop: it locates, it does not state."""
    bare = sentence.strip("#* ").rstrip()
    numbered = NUMBERED.match(bare)
    title = bare[numbered.end() :] if numbered else bare
    return (
        sentence.startswith("#")
        or len(title) < 60
        and not title.endswith((".", "!", "?", ";", ":"))
        and not re.search(r"[:;]\s|\|", title)
        and (numbered is not None and title[:1].isupper() or not re.search(r"\d", title))
    )


def is_furniture(sentence: str) -> bool:
    """A line of a table of contents, a drawn line, a page number, a figure's caption, a footnote of a web page."""
    if sentence.startswith("|"):
        return False
    return bool(
        LEADERS.search(sentence)
        or CAPTION.match(sentence)
        or PAGE_NUMBER.fullmatch(sentence)
        or FOOTNOTE.match(sentence)
    )


def join_cells(sentence: str) -> str:
    """A row of a table as a person says it, cell by cell; anything else as it is."""
    if not (sentence.startswith("|") and sentence.endswith("|")):
        return sentence
    return " · ".join(filter(None, split_cells(sentence)))


def write_cells(sentence: str, text: str) -> str:
    """As `join_cells`; a row of a table of several columns with the name of each: "Fuel · Q2: 420 · Q3: 380". What
    stands in the first column names the row. text: in which the table stands.
    """
    names = split_cells(_find_table_head(sentence, text))
    if len(names) <= MAX_NARROW_COLUMNS and not re.search(r"\d", names[-1]):
        return join_cells(sentence)
    named = (
        f"{name.replace('_', ' ')}: {cell}" if place and name else cell
        for place, (name, cell) in enumerate(zip_longest(names, split_cells(sentence), fillvalue=""))
        if cell
    )
    return " · ".join(named)


PERIOD = re.compile(r"(?:19|20)\d\d(?:/\d{2,4})?|[QH][1-4](?: (?:19|20)\d\d)?", re.IGNORECASE)
"""A time that names a column."""


def _find_table_head(row: str, text: str) -> str:
    """The head of the table of a text in which a row stands; "" for none, and for the head itself."""
    head = before = ""
    row = " ".join(row.split())
    for line in (" ".join(line.split()) for line in text.splitlines()):
        if not line.startswith("|"):
            head = before = ""
        elif TABLE_RULE.fullmatch(line):
            head = before
        elif TABLE_RULE.fullmatch(before) and (joined := join_heads(head, line)):
            head = joined
        elif line == row and head:
            return head
        before = line
    return ""


def join_heads(upper: str, lower: str) -> str:
    """A head of two rows as one row: "| | 2025 | |" above "| | Plan | Actual |" is "| | 2025 Plan | 2025 Actual |"; ""
    where the lower row is no part of the head, whose names are times or the same under each of the upper row. These
    reach over the empty cells behind them.
    """
    groups, names = split_cells(upper), split_cells(lower)
    if len(groups) != len(names) or groups[0] and names[0] not in ("", groups[0]):
        return ""
    begins = [place for place in range(1, len(groups)) if groups[place]]
    named = [names[begin:end] for begin, end in pairwise([*begins, len(groups)])]
    is_repeated = len(named) > 1 and all(named[0] == other for other in named) and not re.search(r"\d", lower)
    if begins[:1] != [1] or max(map(len, named)) < 2 or not (is_repeated or all(map(PERIOD.fullmatch, names[1:]))):
        return ""
    joined = [groups[0] or names[0]]
    for begin, of_group in zip(begins, named, strict=True):
        joined += [f"{groups[begin]} {name}".strip() for name in of_group]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in joined) + " |"


def split_cells(row: str) -> list[str]:
    """The cells of a row of a Markdown table, without white space at their ends."""
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row[1:-1])]
