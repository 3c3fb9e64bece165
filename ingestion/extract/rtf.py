"""Rich Text (RTF 1.9): striprtf gives the text; what it leaves out is found by a walk over all groups.

RTF has no parts, only groups that say what they are. The text of every group that striprtf skips is of the remainder.
"""

from __future__ import annotations

import re
from pathlib import Path

from striprtf.striprtf import rtf_to_text

from ingestion.documents import Extraction
from ingestion.extract import plain, sniff
from ingestion.extract.build import Builder
from ingestion.extract.clean import clean_line
from ingestion.extract.embedded import is_ornament
from ingestion.extract.eyes import Eyes
from ingestion.extract.fields import find_field_target
from ingestion.extract.remainder import list_texts_in_bytes
from ingestion.extract.rows import format_markdown_table
from ingestion.extract.sweep_picture import sweep_picture
from ingestion.sandbox.limits import Limits, Quarantined, Report

DAMAGE = (ValueError, TypeError, LookupError, OverflowError, RecursionError)
CODE_PAGE = re.compile(rb"\\ansicpg(\d{2,5})")
TOKEN = re.compile(
    r"\\bin(\d{1,9}) ?|\\'[0-9a-fA-F]{2}|\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\(.)|([{}])|([^\\{}]+)", re.S
)
UNREAD_PICTURE = "There are pictures in this document; text in them, if any, was not read."
FORMS = ("pngblip", "jpegblip")  # of pictures that can be read
OF_PROGRAM = frozenset(["themedata", "colorschememapping", "datastore", "blipuid", "passwordhash", "password"])
THEMES = frozenset(["themedata", "colorschememapping"])  # packed by the program
ZIPPED = b"PK\3\4"
OLDER = "nonshppict"  # the same picture for older readers
BLANKS = frozenset(["tab", "par", "line", "cell", "row", "sect", "page"])
PACKED_CHARACTERS = 100  # of a number that holds bytes
TRAILING_CHARACTERS = 16
INSTEAD = {"\\": "\\'5c", "pict": "\\*"}
HEX = re.compile(r"(?:[0-9A-Fa-f]{2})+")
RECORDED = {
    "pict": ("image", UNREAD_PICTURE),
    "object": ("embedded_object", "Other files are embedded in this document; they were not read."),
}
PROPERTIES = frozenset(
    ("title", "subject", "author", "manager", "company", "category", "keywords", "comment", "doccomm", "operator")
)


def extract(path: Path, *, limits: Limits, report: Report, eyes: Eyes) -> Extraction:
    """Raises Quarantined: corrupt, empty, too_large."""
    largest = limits.memory_bytes // 24
    if path.stat().st_size > largest:
        raise Quarantined(
            "too_large", f"Rich Text of up to {largest // (1 << 20)} MB can be read. Save the document as .docx."
        )
    report("reading")
    data = path.read_bytes()
    source = data.decode(_find_encoding(data), "replace")
    builder = Builder()
    try:
        groups = _Groups(source, builder, _find_encoding(data))
        report("reading")
        text = rtf_to_text(groups.without_binary, errors="replace")
    except DAMAGE:
        raise Quarantined("corrupt", "This document is damaged and cannot be opened. Save it again.") from None
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if "\ufffd" in text:
        builder.miss("unreadable_text", "Some characters of this document could not be made out.")
    _add_text(text, builder)
    links = list(dict.fromkeys(groups.links))
    told = "Links: " + " ; ".join(links) if links else ""
    builder.add(told, path=(), links=[(link, "") for link in links])
    for number, content in enumerate(groups.pictures, start=1):
        if content is None:
            builder.miss("image", UNREAD_PICTURE)
            continue
        sweep_picture(content, builder)
        if not is_ornament(content):
            eyes.picture(builder, f"group {number}", "image", UNREAD_PICTURE)
    builder.add_properties(groups.properties)
    builder.add_remainder(groups.strings)
    if not len(builder) and not builder.has_gaps():
        raise Quarantined("empty", "There is no text in this document. Check that you chose the right file.")
    return builder.build_extraction(sniff.RTF, None)


def extract_pictures(path: Path) -> list[bytes | None]:
    """The pictures of a document in order; None where one is of a form that cannot be read."""
    data = path.read_bytes()
    return _Groups(data.decode(_find_encoding(data), "replace"), Builder()).pictures


def sweep_rich_text(data: bytes, builder: Builder) -> None:
    """Gathers the text of every group of Rich Text within another file. Raises DAMAGE."""
    source = data.decode(_find_encoding(data), "replace")
    groups = _Groups(source, builder, _find_encoding(data))
    builder.add_remainder(groups.strings)
    builder.add_remainder(rtf_to_text(groups.without_binary, errors="replace").splitlines())
    for content in groups.pictures:
        builder.miss("image", UNREAD_PICTURE)
        if content is not None:
            sweep_picture(content, builder)


def _find_encoding(data: bytes) -> str:
    """Bytes beyond ASCII are in the code page that the head names."""
    said = CODE_PAGE.search(data[:4096])
    name = f"cp{said.group(1).decode()}" if said else "cp1252"
    try:
        "".encode(name)
    except LookupError:
        return "cp1252"
    return name


def _add_text(text: str, builder: Builder) -> None:
    """Lines of cells, each ended by a bar, are rows of a table; every other line is a paragraph."""
    rows: list[list[str]] = []
    for line in [*text.split("\n"), ""]:
        if line.rstrip().endswith("|"):
            rows.append([clean_line(cell) for cell in line.rstrip()[:-1].split("|")])
            continue
        if rows:
            whole = len(rows) > 1 and max(map(len, rows)) > 1
            builder.add(format_markdown_table(rows) if whole else "", "table")
            for row in () if whole else rows:
                builder.add(" | ".join(filter(None, row)))
            rows = []
        if line.strip():
            plain.read_into(builder, line)


class _Groups:
    """One walk over all groups. without_binary: the source without bytes that are not text. strings: the text of each
    group, whatever it is there for."""

    def __init__(self, source: str, builder: Builder, encoding: str = "cp1252") -> None:
        self.links: list[str] = []
        self.properties: dict[str, str] = {}
        self.pictures: list[bytes | None] = []
        self.strings: list[str] = []
        forms: list[bool] = [False]  # whether the picture of each open group is of a form that can be read
        self._builder = builder
        kept: list[str] = []
        instead = 0  # pictures for old readers, less those that they stand in for
        stack: list[str] = [""]  # the word that says what each open group is
        said: list[list[str]] = [[]]
        first = False  # whether the next word opens the group
        place = 0
        while place < len(source):
            token = TOKEN.match(source, place)
            if token is None:  # a backslash at the very end
                break
            place = token.end()
            if token.group(1) is not None:
                end = place + int(token.group(1))
                self.strings += list_texts_in_bytes(source[place:end].encode(encoding, "replace"))
                place = end
                continue
            # striprtf cuts out what looks like a picture, and braces with it, also where the text only names one.
            kept.append(INSTEAD.get(token.group(4) or token.group(2), token.group()))
            brace, word, text = token.group(5), token.group(2), token.group(6)
            if brace == "{":
                stack.append(stack[-1] if stack[-1] == OLDER else "")
                said.append([])
                forms.append(False)
                first = True
            elif brace == "}":
                if len(stack) > 1:
                    self._close_group(stack.pop(), "".join(said.pop()), forms.pop())
                if len(stack) == 1:
                    self.strings.append(source[place:])
                    if len(source[place:].strip("\x00 \r\n}")) > TRAILING_CHARACTERS:
                        builder.miss("trailing_data", "There is more data after the end of this document.")
                    break
                first = False
            elif word is not None:
                if stack[-1] != OLDER:
                    stack[-1] = word if first or word in RECORDED else stack[-1]
                first = False
                instead += (word == "nonshppict") - (word == "shppict")
                forms[-1] = forms[-1] or word in FORMS
                if word == "u" and token.group(3):
                    said[-1].append(chr(int(token.group(3)) & 0xFFFF))
                elif word in BLANKS:
                    said[-1].append(" ")
            elif token.group().startswith("\\'"):
                said[-1].append(bytes.fromhex(token.group()[2:]).decode(encoding, "replace"))
            elif token.group(4) is not None:
                said[-1].append("" if token.group(4) == "*" else token.group(4))
            elif text is not None and text.strip("\r\n"):
                first = False
                said[-1].append(text)
        if instead > 0:
            builder.miss("image", UNREAD_PICTURE)
        if len(stack) > 1:
            builder.miss("damaged", "This document breaks off; parts may be missing.")
            self.strings += map("".join, said)
        self.without_binary = "".join(kept)

    def _close_group(self, word: str, text: str, readable: bool) -> None:
        digits = re.sub(r"\s+", "", text)
        if word == "pict":
            self.pictures.append(bytes.fromhex(digits) if readable and HEX.fullmatch(digits) else None)
            self.strings += [] if HEX.fullmatch(digits) else [text]
        elif word in RECORDED:
            self._builder.miss(*RECORDED[word])
        elif len(digits) > PACKED_CHARACTERS and HEX.fullmatch(digits):
            content = bytes.fromhex(digits)
            self.strings += list_texts_in_bytes(content)
            if word == "objdata":
                self._builder.miss(*RECORDED["object"])
            elif word not in (*OF_PROGRAM, OLDER) or (word not in THEMES and ZIPPED in content):
                self._builder.miss("unknown_part", "This document has parts that are not known here.")
        else:
            self.strings.append(text)
            if word == "fldinst":
                target = clean_line(find_field_target(text))
                self.links += [target] if target else []
            elif word in PROPERTIES and text.strip():
                self.properties[word.capitalize()] = clean_line(text)
