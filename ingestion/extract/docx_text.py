"""What a paragraph of WordprocessingML says, and what in the body says more than is read (ECMA-376, part 1, 17)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from docx.oxml.ns import qn

TEXT_BOX = qn("w:txbxContent")
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
# Not the text of this paragraph: what was deleted, what stands in a text box, instructions of fields, older copies.
ELSEWHERE = frozenset({qn("w:del"), qn("w:moveFrom"), TEXT_BOX, FALLBACK, qn("w:rPr"), qn("w:pPr"), qn("w:tbl")})
MARKS = {
    qn("w:tab"): " ",
    qn("w:br"): "\n",
    qn("w:cr"): "\n",
    qn("w:noBreakHyphen"): "-",
    qn("w:ptab"): " ",
}
MATHS = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
SYMBOL = qn("w:sym")
TRACKED = tuple(qn(name) for name in ("w:ins", "w:del", "w:moveFrom", "w:moveTo", "w:cellIns", "w:cellDel"))


HYPERLINK = qn("w:hyperlink")


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


def spoken(element: Any, links: Links) -> str:
    """The text of a paragraph as it reads with all insertions accepted and all deletions left out. The target of a link
    stands behind its words: it is in the file, so it is classified like them.
    """
    return "".join(_pieces(element, links))


def _pieces(element: Any, links: Links) -> Iterator[str]:
    for child in element:
        if child.tag in ELSEWHERE:
            continue
        if child.tag == qn("w:r") and _hidden(child):
            continue
        if child.tag in (qn("w:t"), MATHS):
            yield child.text or ""
        elif child.tag in MARKS:
            yield MARKS[child.tag]
        elif child.tag == SYMBOL:
            yield "•"
        elif child.tag == HYPERLINK and (target := links.targets.get(child.get(qn("r:id")) or "")):
            words = "".join(_pieces(child, links))
            links.found.append((target, words))
            yield words if target in words else f"{words.rstrip()} ({target}){' ' * words.endswith(' ')}"
        else:
            yield from _pieces(child, links)


def _hidden(run: Any) -> bool:
    mark = run.find(f"{qn('w:rPr')}/{qn('w:vanish')}")
    return mark is not None and mark.get(qn("w:val")) not in ("0", "false")


def paragraphs_inside(element: Any) -> Iterator[Any]:
    """Paragraphs of the text boxes that hang on a paragraph, each once, though the file may hold an older copy."""
    for box in element.iter(TEXT_BOX):
        if not any(parent.tag == FALLBACK for parent in box.iterancestors()):
            yield from box.iter(qn("w:p"))


def misses_of_body(body: Any) -> Iterator[tuple[str, str]]:
    """Code and sentence for what the body holds beside the text that is read."""
    if next(body.iter(*TRACKED), None) is not None:
        yield "tracked_changes", "There are tracked changes; what was deleted was not read. Accept or reject them."
    if any(_hidden(run) for run in body.iter(qn("w:r"))):
        yield "hidden_text", "Some text of this document is formatted as hidden; it was not read."
    if next(body.iter(qn("w:altChunk")), None) is not None:
        yield "embedded_object", "Other files are embedded in this document; they were not read."
    if next(body.iter(qn("w:object")), None) is not None:
        yield "embedded_object", "Other files are embedded in this document; they were not read."
