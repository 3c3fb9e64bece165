"""What the marks of a web page say beside its text: hidden, fetched from elsewhere, told by pointing (HTML Living
Standard, 4.8, 6.1 and 15.3)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from ingestion.extract.build import Builder
from ingestion.extract.clean import one_line
from ingestion.extract.embedded import in_element, unpacked
from ingestion.extract.embedded import is_ornament as too_small
from ingestion.extract.package_parts import miss

PAGE = "page"
# Not sizes of nothing and colours: a child may set them anew, so such text is read as any other.
HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)", re.I)
STYLE_WORDS = re.compile(r"content\s*:[^;}]*[\"'][^\"']*\w")
STYLE_FETCHES = re.compile(r"url\(|@import|image-set\(", re.I)
EMBEDDED = frozenset(["object", "embed", "applet", "portal"])
MEDIA = frozenset(["audio", "video"])
FETCHING = ("src", "srcset", "data", "poster", "background", "xlink:href")
RUN = re.compile(r"\s*javascript:.*[\"'`]", re.I | re.S)
SCRIPT = "There are scripts in this page; they were neither run nor read."
POINTED_AT = frozenset(["title", "aria-label", "aria-description", "aria-valuetext", "summary", "label", "abbr"])
ASIDE = frozenset(["value", "content", "placeholder", "alt"])
TOLD = frozenset(["input", "button", "progress", "meter", "img", "area", "meta"])
"""Elements of which the reader tells what stands ASIDE."""
ORNAMENT = 48  # pixels: smaller pictures hold no text
LEAST = 64  # bytes: so few hold none either, where they are said to be small


def hides(element: Any) -> bool:
    """Whether the element itself says that it does not show."""
    if element.get("hidden") is not None:
        return True
    if element.tag == "input" and (element.get("type") or "").lower() == "hidden":
        return True
    style = element.get("style")
    return bool(style and HIDING.search(style))


def behind(element: Any) -> Iterator[str]:
    """Words in attributes that show when somebody points at the element, or that wait there for a script. What is one
    word there is for programs, but for the address of somebody."""
    for key, value in element.attrib.items():
        words = key in POINTED_AT
        if key.startswith("data-") or (key in ASIDE and element.tag not in TOLD and not is_offered(element)):
            several = " " in value.strip() or "@" in value
            elsewhere = value.lstrip().lower().startswith("data:") or value in (element.text or "")
            words = several and not elsewhere
        if words and re.search(r"[^\W\d_]", value) and (said := one_line(value)):
            yield said


def is_offered(element: Any) -> bool:
    """Whether a browser shows the value of an option beside its words, to who types."""
    above = element.getparent()
    return element.tag == "option" and above is not None and above.tag == "datalist"


def is_ornament(element: Any) -> bool:
    sides = [re.match(r"\d+", element.get(side) or "") for side in ("width", "height")]
    return all(side is not None and len(side[0]) < 4 and int(side[0]) <= ORNAMENT for side in sides)


def look_at(element: Any, name: str, builder: Builder, enclosed: Collection[str]) -> list[bytes]:
    """Records what an element holds beside text that is read, and what it would fetch. enclosed: addresses of pictures
    that are read apart. The pictures that it holds itself, but ornaments."""
    pictures: list[bytes] = []
    addresses = [value for key in FETCHING if (value := (element.get(key) or "").strip()) and not value.startswith("#")]
    here = all(address.lower().startswith(("data:", "cid:")) for address in addresses)
    if name in ("img", "picture", "image") or (name == "input" and element.get("src")):
        held = {address.strip(): unpacked(address) for address in in_element(element)}
        least = LEAST if is_ornament(element) else 1
        pictures = [
            content for content in held.values() if content and len(content) >= least and not too_small(content)
        ]
        elsewhere = [a for a in addresses if not held.get(a) and a not in enclosed]
        ours = any(address.lower().startswith(("data:", "cid:")) for address in elsewhere)
        if elsewhere and (ours or not is_ornament(element)):
            miss(builder, "image", PAGE)
    elif name == "script":
        if addresses or (element.text or "").strip():
            builder.miss("script", SCRIPT)
    elif name in EMBEDDED or (name in ("iframe", "frame") and element.get("srcdoc")):
        miss(builder, "embedded_object", PAGE)
    elif name in MEDIA:
        miss(builder, "media", PAGE)
    elif name == "template":
        miss(builder, "hidden_text", PAGE)
    elif name == "canvas":
        miss(builder, "drawing", PAGE)
    elif name == "style":
        said = element.text or ""
        if STYLE_WORDS.search(said):
            miss(builder, "hidden_text", PAGE)
        if STYLE_FETCHES.search(said):
            miss(builder, "remote_reference", PAGE)
    elif name == "link" and (element.get("rel") or "").lower() in ("stylesheet", "import", "alternate stylesheet"):
        addresses, here = [element.get("href") or ""], False
    elif name == "meta" and (element.get("http-equiv") or "").lower() == "refresh":
        addresses, here = [element.get("content") or ""], not re.search(r"url", element.get("content") or "", re.I)
    if any(key.startswith("on") for key in element.attrib) or RUN.match(element.get("href") or ""):
        builder.miss("script", SCRIPT)
    if (addresses and not here) or STYLE_FETCHES.search(element.get("style") or ""):
        miss(builder, "remote_reference", PAGE)
    return pictures
