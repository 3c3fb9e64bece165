"""What the marks of a web page say: what is hidden (HTML Living Standard, 6.1 and 15.3), and what the page says of
itself to people."""

from __future__ import annotations

import re
from typing import Any

from ingestion.extract.clean import clean_line

PAGE = "page"
# Not sizes of nothing and colours: a child may set them anew, so such text is read as any other.
HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)", re.I)
PROPERTIES = re.compile(r"(?:og:|dc\.|dcterms\.|article:)?(?:title|description|author|keywords|subject|creator)")


def is_hidden(element: Any) -> bool:
    """Whether the element itself says that it does not show."""
    if element.get("hidden") is not None:
        return True
    if element.tag == "input" and (element.get("type") or "").lower() == "hidden":
        return True
    style = element.get("style")
    return bool(style and HIDING.search(style))


def is_offered(element: Any) -> bool:
    """Whether a browser shows the value of an option beside its words, to who types."""
    above = element.getparent()
    return element.tag == "option" and above is not None and above.tag == "datalist"


def read_properties(root: Any) -> dict[str, str]:
    """name → what is said, of the title and of the `meta` that search pages show."""
    said: dict[str, dict[str, None]] = {}
    for element in root.iter("title", "meta"):
        if element.tag == "title":
            if element.getparent().tag == "head":
                said.setdefault("Title", {})[clean_line("".join(element.itertext()))] = None
            continue
        given = (element.get(key) for key in ("name", "property", "itemprop"))
        name = clean_line(next(filter(None, given), "")).lower()
        if PROPERTIES.fullmatch(name):
            said.setdefault(re.split(r"[.:]", name)[-1].capitalize(), {})[clean_line(element.get("content") or "")] = (
                None
            )
    return {name: "; ".join(filter(None, texts)) for name, texts in said.items()}
