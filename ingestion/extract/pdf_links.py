"""Where the links on the pages of a PDF lead (ISO 32000-1, 12.6.4: actions URI and GoToR)."""

from __future__ import annotations

import pikepdf

from ingestion.documents import LONGEST_TARGET
from ingestion.extract.build import Builder
from ingestion.extract.clean import clean_line

MOST = 200  # of a page
TOLD = "Links on this page: "


def list_targets(page: pikepdf.Page) -> list[str]:
    """Addresses and names of files that a click on the page would open, each once, in the order of the annotations.
    Raises what pikepdf raises for a damaged page."""
    found: dict[str, None] = {}
    for mark in page.obj.get("/Annots", []):
        if mark is None:
            continue
        action = mark.get("/A")
        if str(mark.get("/Subtype")) != "/Link" or not isinstance(action, pikepdf.Dictionary):
            continue
        said = action.get("/URI") if str(action.get("/S")) == "/URI" else action.get("/F")
        if isinstance(said, pikepdf.Dictionary):
            said = said.get("/UF") or said.get("/F")
        target = clean_line(str(said)) if isinstance(said, pikepdf.String) else ""
        if 0 < len(target) <= LONGEST_TARGET and len(found) < MOST:
            found[target] = None
    return list(found)


def tell(builder: Builder, number: int, first: int, found: list[str]) -> None:
    """The links of a page whose paragraphs begin at `first`. Targets that its text does not hold are a paragraph of
    their own: they are in the file, so they are classified as its text is."""
    text = builder.join_from(first)
    unsaid = [target for target in found if target not in text]
    builder.add(TOLD + " ; ".join(unsaid) if unsaid else "", page=number, path=())
    for target in found:
        builder.link_since(first, [(target, "")])
