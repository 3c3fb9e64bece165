"""Web pages: the text a browser would show without styles, scripts and pictures, none of which is fetched.

What the page holds and does not show (comments, scripts, templates, what is hidden, what stands in attributes) is
of the remainder (sweep_markup.py). What a browser would fetch is not in the page: only its address is.
"""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from ingestion.documents import Extraction, Kind
from ingestion.extract import sniff
from ingestion.extract.build import Builder
from ingestion.extract.clean import clean, clean_line, clean_paragraph
from ingestion.extract.embedded import IN_TEXT, compute_key, is_ornament
from ingestion.extract.eyes import Eyes
from ingestion.extract.html_marks import PAGE, is_hidden, is_offered, read_properties
from ingestion.extract.html_tables import TALLEST, WIDEST, is_data, read_number
from ingestion.extract.package import get_local_name
from ingestion.extract.package_parts import DETAILS
from ingestion.extract.rows import Grid
from ingestion.extract.sweep_markup import sweep_markup
from ingestion.extract.sweep_picture import ICON_BYTES
from ingestion.sandbox.limits import Quarantined

HEADINGS = {f"h{level}": float(level) for level in range(1, 7)}
CAPTION = 7.0  # level of the line over a table
_BLOCKS = (
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form frameset header hgroup hr html legend li main menu nav ol option p section select summary table tbody "
    "td textarea tfoot th thead title tr ul"
)
BLOCKS = frozenset(_BLOCKS.split()) | frozenset(HEADINGS)
SKIPPED = frozenset(["script", "style", "template"])
LISTS = frozenset(["ul", "ol", "menu", "dir"])
LONGEST_TARGET = 120  # characters: longer addresses of links are not written out, they only track who follows them
XML_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
DECLARED = re.compile(
    rb"""(?:<meta[^>]{0,200}?charset|\A\s*<\?xml[^>]{0,100}?encoding)\s*=\s*["']?\s*([\w.:-]{2,40})""", re.I
)


def declared_encoding(head: bytes) -> str | None:
    """The encoding that a page says it has; head: its first bytes."""
    found = DECLARED.search(head[:4096])
    return found.group(1).decode("ascii") if found else None


def extract(text: str, eyes: Eyes) -> Extraction:
    """Raises Quarantined: corrupt, empty."""
    builder = Builder()
    read_into(builder, text, eyes)
    if not len(builder) and not builder.has_gaps():
        raise Quarantined("empty", "There is no text on this page. Check that you chose the right file.")
    builder.drop_margins()
    return builder.build_extraction(sniff.HTML, None)


def read_into(builder: Builder, text: str, eyes: Eyes, kind: str = IN_TEXT) -> None:
    """Appends what the page says, and behind it what is read on pictures that it holds itself. kind: where pictures are
    found again. Raises Quarantined when its elements lie in each other too deeply to be read."""
    root = parse_page(text)
    if root is None:
        return
    _Walk(builder).run(root)
    for content in dict.fromkeys(sweep_markup(text, builder)):
        if len(content) > ICON_BYTES and not is_ornament(content):
            eyes.picture(builder, compute_key(content, kind), "image", DETAILS["image"].format(what=PAGE))
    builder.add_properties(read_properties(root))


def parse_page(text: str) -> Any:
    """The root element; None where there is none. Raises Quarantined as `read_into`."""
    text = XML_DECLARATION.sub("", clean(text))
    if not text.strip():
        return None
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, huge_tree=True)
    root = etree.fromstring(text.encode(errors="replace"), parser)
    if any(entry.level == etree.ErrorLevels.FATAL for entry in parser.error_log):
        raise Quarantined("corrupt", "The elements of this page are nested too deeply to be read.")
    return root


class _Walk:
    """Goes through the elements in the order of the page; what stands between two block elements is a paragraph."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._said: list[str] = []
        self._found: list[tuple[str, str]] = []  # links of the paragraph that is being read: target, words
        self._lists: list[int | None] = []  # the next number of each open list, None for bullets
        self._mark = ""
        self._level: float | None = None
        self._pre = 0
        self._links: list[int] = []

    def run(self, root: Any) -> None:
        walker = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
        for event, element in walker:
            if event in ("comment", "pi"):
                self._add_text(element.tail)
            elif event == "end":
                self._close_element(element, get_local_name(element))
                self._add_text(element.tail if element is not root else None)
            elif self._pass_over(element, get_local_name(element)):
                walker.skip_subtree()  # its end is told all the same
            else:
                self._open_element(element, get_local_name(element))
        self._end_paragraph()

    def _pass_over(self, element: Any, name: str) -> bool:
        """Whether the inside of an element is not for this walk: what no browser shows, and tables of data."""
        if name == "template":
            self._record_hidden(element)
        if name in SKIPPED or (name == "title" and get_local_name(element.getparent()) == "head"):
            return True
        if is_hidden(element):
            self._record_hidden(element)
            return True
        if name == "table" and is_data(element):
            self._end_paragraph()
            self._read_table(element)
            return True
        return False

    def _record_hidden(self, element: Any) -> None:
        """Its text is one text, however many elements it is cut into."""
        self._builder.add_remainder(["".join(element.itertext())])

    def _open_element(self, element: Any, name: str) -> None:
        if name in BLOCKS:
            self._end_paragraph()
        if name in HEADINGS:
            self._level = HEADINGS[name]
        elif name in LISTS:
            self._lists.append(read_number(element, "start", 10**9) if name == "ol" else None)
        elif name == "li":
            number = self._lists[-1] if self._lists else None
            self._mark = "- " if number is None else f"{number}. "
            if number is not None:
                self._lists[-1] = number + 1
        elif name == "pre":
            self._end_paragraph()
            self._pre += 1
        elif name == "br":
            self._said.append("\n")
        elif name == "a":
            self._links.append(len(self._said))
        elif name == "img" or name == "area":
            self._said.append(f" {element.get('alt') or ''} ")
        elif name == "option" and is_offered(element):
            self._said.append(f" {element.get('value') or ''} ")
        elif name in ("input", "button", "progress", "meter"):
            self._said.append(f" {element.get('value') or ''} {element.get('placeholder') or ''} ")
        self._add_text(element.text)

    def _close_element(self, element: Any, name: str) -> None:
        if name == "a" and self._links:
            start = self._links.pop()
            target = clean_line(element.get("href") or "")
            said = clean_line("".join(self._said[start:]))
            if _is_worth_telling(target):
                self._found.append((target, said))
                if target.removeprefix("mailto:") not in said:
                    self._said.append(f" ({target})")
        elif name == "pre":
            self._end_paragraph()
            self._pre = max(0, self._pre - 1)
        elif name in BLOCKS:
            self._end_paragraph()
            if name in LISTS and self._lists:
                self._lists.pop()

    def _add_text(self, text: str | None) -> None:
        if text:
            self._said.append(text if self._pre else re.sub(r"\s+", " ", text))

    def _end_paragraph(self) -> None:
        """What was said so far becomes a paragraph."""
        said, self._said = "".join(self._said), []
        found, self._found = self._found, []
        self._links = [0] * len(self._links)
        if not said.strip():
            return
        kind: Kind = "text"
        if self._pre:
            said, kind = said.strip("\n"), "code"
        elif self._level is not None:
            said, kind = clean_line(said), "heading"
        else:
            said = clean_paragraph(said)
            if self._mark:
                said, kind = self._mark + said, "list"
        self._builder.add(said, kind, level=self._level, links=found)
        self._level, self._mark = None, ""

    def _read_table(self, table: Any) -> None:
        for caption in table.iterchildren("caption"):
            self._builder.add(clean_line(self._read_inside(caption, [])), "heading", level=CAPTION)
        first = len(self._builder)
        grid = Grid(self._builder, CAPTION)
        found: list[tuple[str, str]] = []
        above: dict[int, int] = {}  # column → rows that a cell from above still takes
        for row in table.iter("tr"):
            if is_hidden(row) or is_hidden(row.getparent()):
                self._record_hidden(row)
                continue
            cells: dict[int, str] = {}
            column = 0
            taken, above = above, {place: left - 1 for place, left in above.items() if left > 1}
            for cell in row.iterchildren("td", "th"):
                while column in taken:
                    column += 1
                if text := clean_line(self._read_inside(cell, found)):
                    cells[column] = text
                wide, tall = read_number(cell, "colspan", WIDEST), read_number(cell, "rowspan", TALLEST)
                if tall > 1:
                    above.update(dict.fromkeys(range(column, column + wide), tall - 1))
                column += wide
            if cells:
                grid.add(cells)
        grid.close()
        self._builder.link_since(first, found)

    def _read_inside(self, cell: Any, found: list[tuple[str, str]]) -> str:
        """The words of a cell, told by a walk of their own. found: gets its links."""
        if is_hidden(cell):
            self._record_hidden(cell)
            return ""
        inner = Builder()
        _Walk(inner).run(cell)
        self._builder.take_misses(inner)
        found += [(link.target, link.words) for link in inner.links]
        return inner.text()


def _is_worth_telling(target: str) -> bool:
    return 1 < len(target) <= LONGEST_TARGET and not re.match(r"#|javascript:|data:|cid:", target, re.I)
