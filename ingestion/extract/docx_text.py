"""What a paragraph of WordprocessingML says, and what in the body says more than is read (ECMA-376, part 1, 17)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ingestion.extract.fields import find_field_target
from ingestion.extract.package import get_attribute

NAMESPACE = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
MATHS = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
# The "strict" variant of the format says the same in other namespaces.
STRICT = {
    "{http://purl.oclc.org/ooxml/wordprocessingml/main}": NAMESPACE,
    "{http://purl.oclc.org/ooxml/officeDocument/math}": MATHS,
}


def w(name: str) -> str:
    return NAMESPACE + name


TEXT_BOX, RUN, TEXT = w("txbxContent"), w("r"), w("t")
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
DRAWN = "{http://schemas.openxmlformats.org/drawingml/2006/main}t"
GONE = frozenset({w("del"), w("moveFrom"), FALLBACK})  # what was deleted, and older copies
# Not the text of this paragraph: what is gone, and what stands in a text box or a table.
ELSEWHERE = GONE | {TEXT_BOX, w("rPr"), w("pPr"), w("tbl")}
MARKS = {w("tab"): " ", w("br"): "\n", w("cr"): "\n", w("noBreakHyphen"): "-", w("ptab"): " ", w("sym"): "•"}
LINK, SIMPLE_FIELD, FIELD, INSTRUCTION = w("hyperlink"), w("fldSimple"), w("fldChar"), w("instrText")


@dataclass(frozen=True)
class Links:
    """targets: addresses outside the document, by relationship. found: (target, words) of those that were met."""

    targets: Mapping[str, str] = field(default_factory=dict)
    found: list[tuple[str, str]] = field(default_factory=list)

    def take(self) -> list[tuple[str, str]]:
        """What was met since the last time."""
        taken = list(self.found)
        self.found.clear()
        return taken

    def put(self, said: list[str], start: int, target: str) -> None:
        """What was said from `start` on is a link. Its target stands behind the words: it is in the file, so it is
        classified like them."""
        words = "".join(said[start:])
        self.found.append((target, words))
        said[start:] = [words if target in words else f"{words.rstrip()} ({target}){' ' * words.endswith(' ')}"]


@dataclass
class _Field:
    """start: where what it shows begins; None while it still says what it is."""

    instruction: str = ""
    start: int | None = None


def read_value(element: Any) -> str | None:
    return None if element is None else element.get(w("val"))


def make_transitional(root: Any) -> Any:
    """The same root, with the names that the common variant of the format has."""
    if not any(f"{{{uri}}}" in STRICT for uri in root.nsmap.values()):
        return root
    for element in root.iter("*"):
        element.tag = _rename_strict(element.tag)
        for name, value in list(element.attrib.items()):
            if (other := _rename_strict(name)) != name:
                del element.attrib[name]
                element.set(other, value)
    return root


def _rename_strict(name: str) -> str:
    space, end, own = name.rpartition("}")
    return STRICT.get(space + end, space + end) + own


def join_spoken_text(element: Any, links: Links) -> str:
    """The text of a paragraph as it reads with all insertions accepted and all deletions left out."""
    said: list[str] = []
    fields: list[_Field] = []
    _append_text(element, links, said, fields)
    while fields:  # those that end in a later paragraph
        _close_field(fields.pop(), links, said)
    return "".join(said)


def _append_text(element: Any, links: Links, said: list[str], fields: list[_Field]) -> None:
    for child in element:
        tag = child.tag
        if tag in ELSEWHERE or (tag == RUN and _is_hidden(child)):
            continue
        if tag in (TEXT, MATHS + "t"):
            said.append(child.text or "")
        elif tag in MARKS:
            said.append(MARKS[tag])
        elif tag == FIELD:
            _handle_field_mark(child.get(w("fldCharType")), links, said, fields)
        elif tag == INSTRUCTION:
            if fields and fields[-1].start is None:
                fields[-1].instruction += child.text or ""
        else:
            start = len(said)
            _append_text(child, links, said, fields)
            target = ""
            if tag == LINK:
                target = links.targets.get(get_attribute(child, "id") or "", "")
            elif tag == SIMPLE_FIELD:
                target = find_field_target(child.get(w("instr")) or "")
            if target:
                links.put(said, start, target)


def _handle_field_mark(kind: str | None, links: Links, said: list[str], fields: list[_Field]) -> None:
    if kind == "begin":
        fields.append(_Field())
    elif fields and kind == "separate":
        fields[-1].start = len(said)
    elif fields and kind == "end":
        _close_field(fields.pop(), links, said)


def _close_field(closed: _Field, links: Links, said: list[str]) -> None:
    if closed.start is not None and (target := find_field_target(closed.instruction)):
        links.put(said, min(closed.start, len(said)), target)


def _is_hidden(run: Any) -> bool:
    properties = run.find(w("rPr"))
    return properties is not None and _is_vanished(properties)


def _is_vanished(properties: Any) -> bool:
    mark = properties.find(w("vanish"))
    return mark is not None and mark.get(w("val")) not in ("0", "false", "off")


def is_unseen(element: Any) -> bool:
    """Whether the mark at a paragraph's end was deleted, moved away or hidden: without text it is not shown at all."""
    marks = element.find(f"{w('pPr')}/{w('rPr')}")
    return marks is not None and (
        _is_vanished(marks) or any(marks.find(w(name)) is not None for name in ("del", "moveFrom"))
    )


def is_gone(element: Any) -> bool:
    return any(above.tag in GONE for above in element.iterancestors())


def list_paragraphs_inside(element: Any) -> Iterator[Any]:
    """Paragraphs of the text boxes that hang on a paragraph, each once, though the file may hold an older copy."""
    for line in element.iter(w("p")):
        if line is not element and not is_gone(line):
            yield line


def embeds_files(body: Any) -> bool:
    """Whether other files stand in the text."""
    return next(body.iter(w("altChunk"), w("object")), None) is not None
