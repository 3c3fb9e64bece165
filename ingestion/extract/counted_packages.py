"""What documents, workbooks, slides and OpenDocument texts hold, counted without their readers (`extract.structure`).

Tables and headings are counted where nothing can be in doubt: rows of the same width, titles that show. What a reader
records as hidden is not counted.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lxml import etree

from ingestion.extract.build import LONGEST_HEADING
from ingestion.extract.counted_markup import count_web_page
from ingestion.extract.counting import count_words, list_rows
from ingestion.extract.decode import decode_text
from ingestion.extract.package import SAFE, get_local_name, release_element

FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
HEADING_STYLE = re.compile(r"heading\d", re.I)
HIDDEN = frozenset(["1", "true", "on"])
MARGINS = frozenset(["ftr", "hdr", "dt", "sldNum"])
INLINE = frozenset(["span", "s", "tab", "line-break", "a", "bookmark", "bookmark-start", "bookmark-end"])
NUMBERED = 100
"""Characters by which a number may make a heading of Word's longer."""
BODY = frozenset(["text", "body", "document-content", "section", "list", "list-item"])


def count_word_document(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as package:
        root = _parse_root(package, _main_part(package))
    w = root.tag.removesuffix("document")  # the namespace, of which there are two
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (FALLBACK, f"{w}del", f"{w}moveFrom"):
                parent.remove(child)
    headings, said = 0, []
    for paragraph in root.iter(f"{w}p"):
        own = (run for run in paragraph.iter(f"{w}t") if next(run.iterancestors(f"{w}p")) is paragraph)
        text = "".join(run.text or "" for run in own)
        said.append(text)
        style = paragraph.find(f"{w}pPr/{w}pStyle")
        short = 0 < len(text.strip()) <= LONGEST_HEADING - NUMBERED
        headings += bool(short and style is not None and HEADING_STYLE.fullmatch(style.get(f"{w}val", "")))
    body = root.find(f"{w}body")
    tables = [t for t in (body if body is not None else root).findall(f"{w}tbl") if len(t.findall(f"{w}tr")) > 1]
    filled = [t for t in tables if any((run.text or "").strip() for run in t.iter(f"{w}t"))]
    many = [t for t in filled if len(t.findall(f"{w}tr")[0].findall(f"{w}tc")) > 1]
    return {"headings": headings, "tables": len(many), "rows": list_rows(count_words(" ".join(said)))}


def count_workbook(path: Path) -> dict[str, Any]:
    """Names of sheets are headings; words are theirs and those of texts in cells, for numbers show as formatted."""
    with zipfile.ZipFile(path) as package:
        part = _main_part(package)
        related = _list_related_parts(package, part)
        root = _parse_root(package, part)
        strings = [
            _read_item(item)
            for name in related.values()
            if "sharedstrings" in name.lower()
            for item in _iter_items(package, name)
        ]
        shown = [sheet for sheet in root.iter("{*}sheet") if sheet.get("state") in (None, "visible")]
        texts: Counter[str] = Counter()
        tables = 0
        for sheet in shown:
            name = related.get(_find_reference(sheet), "")
            if name in package.namelist() and "chartsheet" not in name:
                tables += _count_sheet(package, name, strings, texts)
    counted: Counter[str] = Counter()
    for text, times in texts.items():
        counted.update({word: times * count for word, count in count_words(text).items()})
    for sheet in shown:
        counted.update(count_words(sheet.get("name") or ""))
    headings = sum(bool((sheet.get("name") or "").strip()) for sheet in shown)
    return {"headings": headings, "tables": tables, "rows": list_rows(counted)}


def _count_sheet(package: zipfile.ZipFile, name: str, strings: list[str], texts: Counter[str]) -> int:
    """Adds the texts of a sheet, and returns how many runs of rows fill the same columns: tables without a doubt."""
    runs: list[int] = []  # rows of each; 0 where one of them fills others
    last, columns, doubt = 0, frozenset[str](), False
    with package.open(name) as part:
        for _, element in etree.iterparse(part, tag=["{*}row", "{*}col", "{*}sheetFormatPr"], **SAFE):
            doubt |= bool({element.get("hidden"), element.get("zeroHeight")} & HIDDEN)
            doubt |= "0" in (element.get("ht"), element.get("width"))
            if get_local_name(element) == "row":
                number = int(element.get("r") or last + 1)
                cells = dict(_list_cells(element, strings))
                texts.update(cells.values())
                filled = frozenset(cells)
                if filled and columns and number <= last + 1:
                    runs[-1] = runs[-1] + 1 if runs[-1] and filled == columns else 0
                elif filled:
                    runs.append(int(len(filled) > 1))
                last, columns = number, filled
                release_element(element)
    return 0 if doubt else sum(count > 1 for count in runs)


def _list_cells(row: Any, strings: list[str]) -> Iterator[tuple[str, str]]:
    """(column, text) of cells that are not empty; the text of numbers is ""."""
    for place, cell in enumerate(row):
        parts = {get_local_name(child): child for child in cell}
        kind, value, column = cell.get("t") or "n", parts.get("v"), re.sub(r"\d", "", cell.get("r") or str(place))
        raw = (value.text or "") if value is not None else ""
        if kind == "inlineStr":
            text = _read_item(parts["is"]) if "is" in parts else ""
        else:
            text = strings[int(raw)] if kind == "s" and raw else raw if kind == "str" else ""
        if text.strip() or (kind not in ("s", "str", "inlineStr") and (raw or ("f" in parts and parts["f"].text))):
            yield column, text


def _iter_items(package: zipfile.ZipFile, name: str) -> Iterator[Any]:
    with package.open(name) as part:
        for _, element in etree.iterparse(part, tag="{*}si", **SAFE):
            yield element
            release_element(element)


def _read_item(item: Any) -> str:
    return "".join(t.text or "" for t in item.iter("{*}t") if get_local_name(t.getparent()) != "rPh")


def count_slides(path: Path) -> dict[str, Any]:
    """Titles are headings; words are taken by slide, without its margins."""
    headings = tables = 0
    pages: list[list[str]] = []
    said: list[str] = []
    with zipfile.ZipFile(path) as package:
        part = _main_part(package)
        related = _list_related_parts(package, part)
        for entry in _parse_root(package, part).iter("{*}sldId"):
            try:
                root = _parse_root(package, related[_find_reference(entry)])
            except (KeyError, etree.LxmlError):
                pages.append([])  # a slide that its reader could not read either
                continue
            hidden = root.get("show") in ("0", "false")
            found = [] if hidden else list(_list_shapes(root))
            texts = [_join_lines(shape) for role, shape in found if role not in MARGINS]
            pages.append(sorted(count_words("\n".join(texts))))
            said += texts
            for role, shape in found:
                headings += role in ("title", "ctrTitle") and 0 < len(_join_lines(shape).strip()) <= LONGEST_HEADING
                tables += sum(
                    len(table.findall("{*}tr")) > 1 and bool(_join_lines(table).strip())
                    for table in shape.iter("{*}tbl")
                )
    return {
        "headings": headings,
        "tables": tables,
        "page_words": pages,
        "rows": list_rows(count_words("\n".join(said))),
    }


def _list_shapes(root: Any) -> Iterator[tuple[str | None, Any]]:
    """(role as a placeholder, shape) that a slide shows."""
    for shape in root.iter("{*}sp", "{*}graphicFrame"):
        around = [shape, *shape.iterancestors()]
        marks = [mark for above in around for mark in above.findall("./*/{*}cNvPr")]
        if any(mark.get("hidden") in HIDDEN for mark in marks) or any(
            get_local_name(one) == "AlternateContent" for one in around
        ):
            continue
        holder = next(shape.iter("{*}ph"), None)
        yield (None if holder is None else holder.get("type") or ""), shape


def _join_lines(element: Any) -> str:
    found = []
    for line in element.iter("{*}p"):
        parts = (part for part in line.iter("{*}t", "{*}br") if next(part.iterancestors("{*}Fallback"), None) is None)
        counted = [part for part in parts if part.getparent().get("type") != "slidenum"]
        found.append("".join(" " if get_local_name(part) == "br" else part.text or "" for part in counted))
    return " \n".join(found)


def open_document(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as package:
        root = _parse_root(package, "content.xml")
        roots = [root, *([_parse_root(package, "styles.xml")] if "styles.xml" in package.namelist() else [])]
    hidden = {
        _find_attribute(style, "name")
        for one in roots
        for style in one.iter("{*}style")
        if any(_find_attribute(mark, "display") == "none" for mark in style.iter("{*}text-properties"))
    }
    headings = tables = 0
    said: list[str] = []
    for element in root.iter("{*}p", "{*}h", "{*}table"):
        if any(_find_attribute(one, "style-name") in hidden for one in element.iter()):
            continue
        above = list(element.iterancestors())
        within = {get_local_name(one) for one in above} <= BODY and not any(
            _find_attribute(one, "display") for one in above
        )
        if get_local_name(element) == "table":
            lines = [row.findall("{*}table-cell") for row in element.findall("{*}table-row")]
            whole = (
                within and len(lines) > 1 and all(len(line) > 1 for line in lines) and not _is_partly_visible(element)
            )
            tables += whole and bool(_join_spoken_text(element).strip())
            continue
        said.append(_join_spoken_text(element))
        plain = {get_local_name(inner) for inner in element.iterdescendants()} <= INLINE
        headings += get_local_name(element) == "h" and within and plain and 0 < len(said[-1].strip()) <= LONGEST_HEADING
    return {"headings": headings, "tables": tables, "rows": list_rows(count_words("\n".join(said)))}


def open_sheets(path: Path) -> dict[str, Any]:
    """Words of the paragraphs of a spreadsheet or a presentation."""
    counted: Counter[str] = Counter()
    with zipfile.ZipFile(path) as package, package.open("content.xml") as part:
        for _, element in etree.iterparse(part, tag=["{*}p", "{*}table-row"], **SAFE):
            if get_local_name(element) == "table-row":
                release_element(element)
            else:
                counted.update(count_words(_join_spoken_text(element)))
    return {"rows": list_rows(counted)}


def count_e_book(path: Path) -> dict[str, Any]:
    """Words of the pages that an e-book names."""
    counted: Counter[str] = Counter()
    with zipfile.ZipFile(path) as package:
        names = package.namelist()
        listed = b"".join(package.read(name) for name in names if name.endswith(".opf")).decode("utf-8", "replace")
        for name in names:
            if re.search(r"\.x?html?$", name) and posixpath.basename(name) in listed:
                counted.update(dict(count_web_page(decode_text(package.read(name)) or "")["rows"]))
    return {"rows": list_rows(counted)}


def _join_spoken_text(element: Any) -> str:
    """Words as they follow each other: blanks, tabs and ends of lines are elements, and so are paragraphs in it."""
    said = [element.text or ""]
    for child in element:
        apart = get_local_name(child) in ("s", "tab", "line-break", "p", "h", "frame")
        inner = (
            ""
            if get_local_name(child) in ("", "p", "h", "binary-data") and get_local_name(element) != "table-cell"
            else _join_spoken_text(child)
        )
        said += [" " if apart else "", inner, " " if apart else "", child.tail or ""]
    return "".join(said)


def _is_partly_visible(table: Any) -> bool:
    marks = {_find_attribute(one, "visibility") for one in table.iter("{*}table-row", "{*}table-column")}
    return bool(marks & {"collapse", "filter"})


def _find_attribute(element: Any, name: str) -> str | None:
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), None)


def _parse_root(package: zipfile.ZipFile, name: str) -> Any:
    with package.open(name) as part:
        return etree.parse(part, etree.XMLParser(**SAFE)).getroot()


def _list_related_parts(package: zipfile.ZipFile, part: str) -> dict[str, str]:
    """Names of the parts that a part refers to, by id. Capitals make no difference."""
    names = {name.lower(): name for name in package.namelist()}
    folder, base = posixpath.split(part)
    links = _parse_root(package, posixpath.join(folder, "_rels", f"{base}.rels"))
    inside = [link for link in links if link.get("TargetMode") != "External" and link.get("Target")]
    targets = {
        link.get("Id"): posixpath.normpath(posixpath.join("/", folder, link.get("Target")))[1:] for link in inside
    }
    return {key: names.get(target.lower(), target) for key, target in targets.items()}


def _main_part(package: zipfile.ZipFile) -> str:
    links = _parse_root(package, "_rels/.rels")
    found = next(link for link in links if (link.get("Type") or "").endswith("/officeDocument"))
    return posixpath.normpath(posixpath.join("/", found.get("Target")))[1:]


def _find_reference(element: Any) -> str:
    return next((value for key, value in element.attrib.items() if key.endswith("}id")), "")
