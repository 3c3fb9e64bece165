"""What a file holds, counted without the readers: headings, tables, code blocks and words (`ingestion.drift`).

Runs in the limited process, after a reader has read the file. Counts plainly and too little rather than too much: what
is counted here and was not read is a loss, or a change of the reader that somebody should look at.
"""

from __future__ import annotations

import html
import re
import zipfile
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from lxml import etree

from ingestion.extract import sniff
from ingestion.extract.build import LONGEST_HEADING
from ingestion.extract.clean import clean
from ingestion.extract.decode import decode
from ingestion.extract.package import SAFE
from ingestion.sandbox.limits import Limits, Report

WORD = re.compile(r"[^\W_]{2,}")
FENCE = re.compile(r"^(`{3,}|~{3,})([^`\n]*)$")
ATX = re.compile(r"^#{1,6}[ \t]+[^\s#]")
RAW = re.compile(r"^ {0,3}<[!/?A-Za-z]")
RULE = re.compile(r"^\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*$")
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
HEADING_STYLE = re.compile(r"heading\d", re.I)
UNSHOWN = frozenset(["script", "style", "template", "noscript", "title"])


def task(path: Path, *, limits: Limits, report: Report, media_type: str) -> dict[str, Any]:
    """{headings, tables, code, pages: [characters of each], rows: [word, count]}; what is not counted is absent."""
    report("checking")
    if media_type == sniff.PDF:
        return {"pages": _pages(path, report)}
    if media_type == sniff.DOCX:
        return _word(path)
    if media_type not in (sniff.MARKDOWN, sniff.HTML, sniff.CSV, sniff.PLAIN):
        return {}
    data = path.read_bytes()
    if media_type == sniff.HTML:
        from ingestion.extract.html import declared_encoding

        return _web(decode(data, declared=declared_encoding(data)) or "")
    text = decode(data) or ""
    return _marked(text) if media_type == sniff.MARKDOWN else {"rows": _words(text)}


def words(text: str) -> Counter[str]:
    """As they are read: an invisible hyphen parts no word."""
    return Counter(WORD.findall(clean(text).casefold()))


def _words(text: str) -> list[list[Any]]:
    return [[word, count] for word, count in words(text).items()]


def _marked(text: str) -> dict[str, Any]:
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
            tables += _cells(before) == _cells(line)
        before = line
    return {"headings": headings, "tables": tables, "code": code, "rows": _words(html.unescape(text))}


def _cells(line: str) -> int:
    return line.strip().removeprefix("|").removesuffix("|").replace("\\|", "").count("|") + 1


class _Web(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.headings = self.tables = self.unshown = 0
        self.heading = ""
        self.said: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.unshown += tag in UNSHOWN
        self.said.append(" ")
        if re.fullmatch("h[1-6]", tag):
            self.heading = ""

    def handle_endtag(self, tag: str) -> None:
        self.unshown = max(0, self.unshown - (tag in UNSHOWN))
        self.said.append(" ")
        if re.fullmatch("h[1-6]", tag) and 0 < len(self.heading.strip()) <= LONGEST_HEADING:
            self.headings, self.heading = self.headings + 1, ""

    def handle_data(self, data: str) -> None:
        if not self.unshown:
            self.said.append(data)
            self.heading += data


def _web(text: str) -> dict[str, Any]:
    parser = _Web()
    parser.feed(text)
    parser.close()
    tables = re.findall(r"<table\b(?:(?!<table\b).)*?</table>", text, re.I | re.S)
    of_data = [table for table in tables if re.search(r"<th[\s>]", table, re.I) and len(re.findall("<tr", table)) > 1]
    return {"headings": parser.headings, "tables": len(of_data), "rows": _words("".join(parser.said))}


def _word(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as package, package.open("word/document.xml") as part:
        root = etree.parse(part, etree.XMLParser(**SAFE)).getroot()
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (FALLBACK, f"{W}del", f"{W}moveFrom"):
                parent.remove(child)
    headings, said = 0, []
    for paragraph in root.iter(f"{W}p"):
        text = "".join(run.text or "" for run in paragraph.iter(f"{W}t"))
        said.append(text)
        style = paragraph.find(f"{W}pPr/{W}pStyle")
        short = 0 < len(text.strip()) <= LONGEST_HEADING
        headings += bool(short and style is not None and HEADING_STYLE.fullmatch(style.get(f"{W}val", "")))
    body = root.find(f"{W}body")
    tables = [t for t in (body if body is not None else root).findall(f"{W}tbl") if len(t.findall(f"{W}tr")) > 1]
    many = [t for t in tables if len((t.find(f"{W}tr") or t).findall(f"{W}tc")) > 1]
    return {"headings": headings, "tables": len(many), "rows": _words(" ".join(said))}


def _pages(path: Path, report: Report) -> list[int]:
    import pypdfium2

    document = pypdfium2.PdfDocument(path)
    found = []
    for number in range(len(document)):
        report("checking", number + 1, len(document))
        text = document[number].get_textpage()
        found.append(sum(map(str.isalnum, text.get_text_range())))
        text.close()
    return found
