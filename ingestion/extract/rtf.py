"""Rich Text (RTF 1.9): striprtf gives the text; what it leaves out is found by the control words that open it.

RTF has no parts, only groups that say what they are. Groups known to hold no text of the author are silent, some are
read here, and every other one that striprtf skips is recorded, so that nothing is lost without a word.
"""

from __future__ import annotations

import re
from pathlib import Path

from striprtf.striprtf import destinations, rtf_to_text

from ingestion.documents import Extraction
from ingestion.extract import plain, sniff
from ingestion.extract.build import Builder
from ingestion.extract.clean import one_line
from ingestion.extract.embedded import is_ornament
from ingestion.extract.eyes import Eyes
from ingestion.extract.fields import target_in_field, words_in_field
from ingestion.extract.package_parts import add_behind
from ingestion.extract.rows import markdown_table
from ingestion.sandbox.limits import Limits, Quarantined, Report

DAMAGE = (ValueError, TypeError, LookupError, OverflowError, RecursionError)
CODE_PAGE = re.compile(rb"\\ansicpg(\d{2,5})")
TOKEN = re.compile(
    r"\\bin(\d{1,9}) ?|\\'[0-9a-fA-F]{2}|\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\(.)|([{}])|([^\\{}]+)", re.S
)
# Groups that hold no text of the author.
_SILENT = """
    fonttbl colortbl stylesheet listtable listoverridetable rsidtbl generator themedata colorschememapping datastore
    latentstyles xmlnstbl mmathPr pgdsctbl pnseclvl wgrffmtfilter pgptbl filetbl defchp defpap panose falt fontemb
    listpicture blipuid picprop bkmkstart bkmkend ebcend ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn revtim creatim
    printim buptim atnid atntime atnref atrfstart atrfend atndate atnparent atnicn objclass fldtype pntext pn pntxta
    pntxtb listtext keycode fname nonshppict levelnumbers leveltext listname liststylename gridtbl protusertbl cchs
    password passwordhash writereservhash writereservation oleclsid objtime nesttableprops nonesttables
"""
SILENT = frozenset(_SILENT.split())
BEHIND = "Words behind the text"
UNREAD_PICTURE = "There are pictures in this document; text in them, if any, was not read."
HOLDER = "*shppict"  # of a picture, which is met by itself
FORMS = ("pngblip", "jpegblip")  # of pictures that can be read
INSTEAD = {"\\": "\\'5c", "pict": "\\*"}
HEX = re.compile(r"(?:[0-9A-Fa-f]{2})+")
RECORDED = {
    "pict": ("image", UNREAD_PICTURE),
    "background": ("drawing", "There are shapes in this document; what they say was not read."),
    "shp": ("drawing", "There are shapes or text boxes in this document; what they say was not read."),
    "do": ("drawing", "There are shapes or text boxes in this document; what they say was not read."),
    "object": ("embedded_object", "Other files are embedded in this document; they were not read."),
    "annotation": ("comments", "There are comments in this document; they were not read."),
    "footnote": ("footnotes", "There are footnotes or endnotes; they were not read."),
    "revtbl": ("tracked_changes", "There are tracked changes in this document; who made them was not read."),
    "docvar": ("hidden_data", "There is hidden data behind this document; it was not read."),
    "userprops": ("hidden_data", "There is hidden data behind this document; it was not read."),
    "formfield": ("form", "This document has form fields; what they contain was not read."),
    "ffl": ("form", "This document has form fields; what they contain was not read."),
} | {
    f"{part}{side}": ("header_footer", "There is text in headers or footers; it was not read.")
    for part in ("header", "footer")
    for side in ("", "l", "r", "f")
}
PROPERTIES = frozenset(
    ("title", "subject", "author", "manager", "company", "category", "keywords", "comment", "doccomm", "operator")
)
READ_HERE = frozenset(("info", "fldinst")) | PROPERTIES
AUTHORS = re.compile(r"[\s;]*(?:Unknown)?[\s;]*", re.I)


def extract(path: Path, *, limits: Limits, report: Report, eyes: Eyes) -> Extraction:
    """Raises Quarantined: corrupt, empty, too_large."""
    largest = limits.memory_bytes // 24
    if path.stat().st_size > largest:
        raise Quarantined(
            "too_large", f"Rich Text of up to {largest // (1 << 20)} MB can be read. Save the document as .docx."
        )
    report("reading")
    data = path.read_bytes()
    source = data.decode(_encoding(data), "replace")
    builder = Builder()
    try:
        groups = _Groups(source, builder)
        report("reading")
        text = rtf_to_text(groups.without_binary, errors="replace")
    except DAMAGE:
        raise Quarantined("corrupt", "This document is damaged and cannot be opened. Save it again.") from None
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if "\ufffd" in text:
        builder.miss("unreadable_text", "Some characters of this document could not be made out.")
    _add(text, builder)
    links = list(dict.fromkeys(groups.links))
    told = "Links: " + " ; ".join(links) if links else ""
    builder.add(told, path=(), links=[(link, "") for link in links])
    add_behind(builder, BEHIND, groups.behind, path=())
    for number, content in enumerate(groups.pictures, start=1):
        if content is None:
            builder.miss("image", UNREAD_PICTURE)
        elif not is_ornament(content):
            eyes.picture(builder, f"group {number}", "image", UNREAD_PICTURE)
    builder.add_properties(groups.properties)
    if not len(builder) and not builder.missed():
        raise Quarantined("empty", "There is no text in this document. Check that you chose the right file.")
    return builder.extraction(sniff.RTF, None)


def pictures_of(path: Path) -> list[bytes | None]:
    """The pictures of a document in order; None where one is of a form that cannot be read."""
    data = path.read_bytes()
    return _Groups(data.decode(_encoding(data), "replace"), Builder()).pictures


def _encoding(data: bytes) -> str:
    """Bytes beyond ASCII are in the code page that the head names."""
    said = CODE_PAGE.search(data[:4096])
    name = f"cp{said.group(1).decode()}" if said else "cp1252"
    try:
        "".encode(name)
    except LookupError:
        return "cp1252"
    return name


def _add(text: str, builder: Builder) -> None:
    """Lines of cells, each ended by a bar, are rows of a table; every other line is a paragraph."""
    rows: list[list[str]] = []
    for line in [*text.split("\n"), ""]:
        if line.rstrip().endswith("|"):
            rows.append([one_line(cell) for cell in line.rstrip()[:-1].split("|")])
            continue
        if rows:
            whole = len(rows) > 1 and max(map(len, rows)) > 1
            builder.add(markdown_table(rows) if whole else "", "table")
            for row in () if whole else rows:
                builder.add(" | ".join(filter(None, row)))
            rows = []
        if line.strip():
            plain.read_into(builder, line)


class _Groups:
    """One walk over all groups. without_binary: the source without bytes that are not text."""

    def __init__(self, source: str, builder: Builder) -> None:
        self.links: list[str] = []
        self.behind: list[str] = []  # other words in the instructions of fields
        self.properties: dict[str, str] = {}
        self.pictures: list[bytes | None] = []
        forms: list[bool] = [False]  # whether the picture of each open group is of a form that can be read
        self._builder = builder
        kept: list[str] = []
        instead = 0  # pictures for old readers, less those that they stand in for
        stack: list[str] = [""]  # the word that says what each open group is
        said: list[list[str]] = [[]]
        starred = False  # whether "\\*" came before the next word
        first = False  # whether the next word opens the group
        place = 0
        ended = False
        while place < len(source):
            token = TOKEN.match(source, place)
            if token is None:  # a backslash at the very end
                break
            place = token.end()
            if token.group(1) is not None:
                place += int(token.group(1))
                continue
            # striprtf cuts out what looks like a picture, and braces with it, also where the text only names one.
            kept.append(INSTEAD.get(token.group(4) or token.group(2), token.group()))
            brace, word, text = token.group(5), token.group(2), token.group(6)
            if ended:
                if token.group().strip("\x00 \r\n}"):
                    builder.miss("trailing_data", "Behind the end of this document there is more, which was not read.")
                continue
            if brace == "{":
                stack.append(stack[-1] if stack[-1] in SILENT else "")
                said.append([])
                forms.append(False)
                first = True
            elif brace == "}":
                if len(stack) > 1:
                    inner, readable, closed = "".join(said.pop()), forms.pop(), stack.pop()
                    if closed == "pict":
                        self._take(inner if readable else "")
                    elif closed != HOLDER or inner.strip():
                        self._close(closed, inner, stack)
                    said[-1] += [inner] if _is_apart(stack[-1]) and "pict" not in (closed, stack[-1]) else []
                ended = len(stack) == 1
                first = False
            elif word is not None:
                if (first or word in RECORDED) and stack[-1] not in SILENT:
                    stack[-1] = f"*{word}" if starred and word not in SILENT | READ_HERE | RECORDED.keys() else word
                first = starred = False
                instead += (word == "nonshppict") - (word == "shppict")
                forms[-1] = forms[-1] or word in FORMS
                if word in ("deleted", "revised"):
                    builder.miss("tracked_changes", "There are tracked changes in this document.")
                elif word == "v" and token.group(3) != "0":
                    builder.miss("hidden_text", "Some text of this document is formatted as hidden.")
            elif token.group(4) == "\\" and "fldinst" in stack:
                said[-1].append("\\")
            elif token.group(4) == "*":
                starred = True  # what follows says what the group is, and striprtf leaves it out
            elif text is not None and text.strip("\r\n"):
                first = starred = False
                said[-1] += [text] if _is_apart(stack[-1]) or len(stack) > 2 else []
        if instead > 0:
            builder.miss("image", UNREAD_PICTURE)
        if len(stack) > 1:
            builder.miss("damaged", "This document breaks off; parts may be missing.")
        self.without_binary = "".join(kept)

    def _take(self, digits: str) -> None:
        digits = re.sub(r"\s+", "", digits)
        self.pictures.append(bytes.fromhex(digits) if HEX.fullmatch(digits) else None)

    def _close(self, word: str, text: str, above: list[str]) -> None:
        text = one_line(text)
        if word == "fldinst":
            target = one_line(target_in_field(text))
            self.links += [target] if target else []
            self.behind += words_in_field(text)
        elif word in PROPERTIES and text:
            self.properties[word.capitalize()] = text
        elif word in RECORDED:
            if word != "revtbl" or not AUTHORS.fullmatch(text):
                self._builder.miss(*RECORDED[word])
        elif word not in SILENT | READ_HERE and text and above[-1] not in RECORDED and _is_apart(word):
            self._builder.miss("unknown_part", "This document has parts that are not known here; they were not read.")


def _is_apart(word: str) -> bool:
    """Whether a group that begins with the word is left out by striprtf."""
    return word.startswith("*") or word in destinations
