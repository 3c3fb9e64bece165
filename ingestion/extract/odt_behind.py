"""Words of an OpenDocument text that no paragraph shows: entries of an index, items of lists to choose from, hints of
links, names of places, sources of a bibliography. They are in the file, so they are classified like any other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingestion.extract.package import attribute, local

_INDEXED = ("string-value", "key1", "key2", "string-value-phonetic", "key1-phonetic", "key2-phonetic", "index-name")
MARKS = ("bookmark", "bookmark-start", "reference-mark", "reference-mark-start")
# Elements by their local names, and the attributes in which the author's words stand.
SAID_IN = {
    **dict.fromkeys(
        [f"{kind}-index-mark{end}" for kind in ("alphabetical", "user") for end in ("", "-start", "-end")], _INDEXED
    ),
    **dict.fromkeys(["toc-mark", "toc-mark-start"], _INDEXED),
    **dict.fromkeys(["variable-set", "variable-input", "user-field-get"], ("string-value", "description", "formula")),
    **dict.fromkeys(["placeholder", "text-input", "user-field-input"], ("description",)),
    **dict.fromkeys(MARKS, ("name",)),
    **dict.fromkeys(["database-display", "database-next", "database-row-select"], ("table-name", "condition")),
    "a": ("title", "name", "href"),
    "label": ("value",),
    "drop-down": ("name", "help", "hint"),
    "content-control": ("alias", "tag"),
    "list-item": ("display-text", "value"),
    "macro": ("name", "description"),
    "execute-macro": ("name", "description"),
    "hidden-section": ("condition",),
}
SOURCE = "bibliography-mark"
FORMAL = frozenset(["bibliography-type", "style-name"])  # of a source
# Marks that programs set by themselves.
AUTOMATIC = re.compile(r"_.*|OLE_LINK\d+|docs-internal-.*|[\d\W_]*")
PLACE = "#"  # how addresses begin that lead to another place of the document
TAGS = tuple(f"{{*}}{name}" for name in (*SAID_IN, SOURCE))


def words_behind(body: Any) -> Iterator[str]:
    for element in body.iter(*TAGS):
        name = local(element)
        if name == SOURCE:
            said = {key.rpartition("}")[2]: value for key, value in element.attrib.items()}
            yield " ".join(value for key, value in said.items() if key not in FORMAL)
            continue
        for key in SAID_IN[name]:
            value = attribute(element, key) or ""
            if not value.startswith(PLACE) and not (name in MARKS and AUTOMATIC.fullmatch(value)):
                yield value
