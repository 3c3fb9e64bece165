"""What Markdown and web pages hold, counted without their readers (`extract.structure`)."""

from __future__ import annotations

import html
import re
from collections import defaultdict
from html.parser import HTMLParser
from typing import Any

from ingestion.extract.build import LONGEST_HEADING
from ingestion.extract.counting import count_words, list_rows

FENCE = re.compile(r"^(`{3,}|~{3,})([^`\n]*)$")
ATX = re.compile(r"^#{1,6}[ \t]+[^\s#]")
RAW = re.compile(r"^ {0,3}<[!/?A-Za-z]")
RULE = re.compile(r"^\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*$")
APART = "\x1f"  # where a tag parts what is said
DIGITS = re.compile(r"\d+")
MARGIN = 120
"""Characters of a line that may stand on every page of what a web page was made from, and is told once."""
UNSHOWN = frozenset(["script", "style", "template", "noscript", "title"])


def count_markdown(text: str) -> dict[str, Any]:
    """Of Markdown, outside of lists, quotations and raw HTML, where marks may mean something else."""
    headings = tables = code = 0
    fence, before, raw = "", "", ""  # raw: what ends the raw HTML that we are in
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[0].strip() == "---" and "---" in (line.strip() for line in lines[1:]):
        lines = lines[lines.index("---", 1) + 1 :] if "---" in lines[1:] else lines
    for line in lines:
        found = FENCE.match(line)
        if fence:
            if found and found[1].startswith(fence) and not found[2].strip():
                fence = ""
        elif raw:
            raw = "" if (raw == "-->" and raw in line) or (raw == "blank" and not line.strip()) else raw
        elif RAW.match(line):
            comment = line.lstrip().startswith("<!--")
            raw = "" if comment and "-->" in line else "-->" if comment else "blank"
        elif found:
            fence, code = found[1], code + 1
        elif ATX.match(line) and "<" not in line and len(line) <= LONGEST_HEADING:
            headings += 1
        elif RULE.match(line) and "|" in before and before.count("|") - before.count("\\|") >= 1:
            tables += _count_cells(before) == _count_cells(line)
        before = line
    return {"headings": headings, "tables": tables, "code": code, "rows": list_rows(count_words(html.unescape(text)))}


def _count_cells(line: str) -> int:
    return line.strip().removeprefix("|").removesuffix("|").replace("\\|", "").count("|") + 1


class _Web(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.headings = self.tables = self.unshown = 0
        self.heading = ""
        self.said: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.unshown += tag in UNSHOWN
        self.said.append(APART)
        if re.fullmatch("h[1-6]", tag):
            self.heading = ""

    def handle_endtag(self, tag: str) -> None:
        self.unshown = max(0, self.unshown - (tag in UNSHOWN))
        self.said.append(APART)
        if re.fullmatch("h[1-6]", tag) and 0 < len(self.heading.strip()) <= LONGEST_HEADING:
            self.headings, self.heading = self.headings + 1, ""

    def handle_data(self, data: str) -> None:
        if not self.unshown:
            self.said.append(data)
            self.heading += data


def count_web_page(text: str) -> dict[str, Any]:
    parser = _Web()
    parser.feed(text)
    if not parser.rawdata.startswith("<"):  # a tag that does not end is no text
        parser.close()
    tables = re.findall(r"<table\b(?:(?!<table\b).)*?</table>", text, re.I | re.S)
    of_data = [table for table in tables if re.search(r"<th[\s>]", table, re.I) and len(re.findall("<tr", table)) > 1]
    forms: dict[str, list[str]] = defaultdict(list)
    for said in "".join(parser.said).split(APART):
        forms[DIGITS.sub("#", said.strip())].append(said)
    told = [
        said
        for form, lines in forms.items()
        for said in (lines[:1] if len(lines) > 2 and len(form) <= MARGIN else lines)
    ]
    return {"headings": parser.headings, "tables": len(of_data), "rows": list_rows(count_words(" ".join(told)))}
