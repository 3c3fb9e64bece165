"""What a web page says of itself in its head, but for what programs write for programs."""

from __future__ import annotations

import re
from typing import Any

from ingestion.extract.clean import one_line

TECHNICAL = re.compile(
    r"viewport|generator|progid|originator|robots|googlebot.*|bingbot|slurp|referrer|theme-color|color-scheme|"
    r"supported-color-schemes|format-detection|handheldfriendly|mobileoptimized|apple-.*|x-apple-.*|mobile-web-.*|"
    r"application-name|msapplication-.*|msvalidate.*|google.*|yandex.*|.*verification.*|csrf-.*|csp-.*|fb:.*|al:.*|"
    r"og:(?:url|type|locale(?::.*)?|updated_time|determiner|(?:image|video|audio)(?::(?!alt).*)?)|"
    r"twitter:(?:card|url|domain|dnt|widgets:.*|app:.*|(?:image|player)(?::(?!alt).*)?)|"
    r"x-ua-compatible|content-.*|cache-control|pragma|expires|refresh|imagetoolbar|x-dns-prefetch-control|origin-trial|"
    r"charset|next-head-count|revisit-after|rating|distribution|resource-type|default-style"
)


def properties_of(root: Any) -> dict[str, str]:
    """name → what is said, of the title and of every `meta` that is for people."""
    said: dict[str, dict[str, None]] = {}
    for element in root.iter("title", "meta"):
        if element.tag == "title":
            if element.getparent().tag == "head":
                said.setdefault("Title", {})[one_line("".join(element.itertext()))] = None
            continue
        given = (element.get(key) for key in ("name", "property", "itemprop", "http-equiv"))
        name = one_line(next(filter(None, given), "")).lower()
        if name and not TECHNICAL.fullmatch(name):
            said.setdefault(name.capitalize(), {})[one_line(element.get("content") or "")] = None
    return {name: told for name, texts in said.items() if (told := ", ".join(filter(None, texts)))}
