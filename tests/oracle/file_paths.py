"""Files: the reader, their lists, originals, and the citations that open them."""

import re
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pypdfium2 as pdfium

from tests.oracle.asked import WORDS, Asked, hidden, requires
from tests.oracle.worlds import content_of


def reader(asked: Asked) -> None:
    """The API's reader, the stewards' list of paragraphs, and the page that shows the document."""
    world, person = asked.world, asked.person
    for n, (name, file) in enumerate(asked.all.files.items()):
        known = world.knows_file(person, name)
        cleared = [t.words for t in world.paragraphs(name) if known and world.reads(person, t)]
        if asked.takes(n + 1):
            asked.json(f"files/{file}/", found=known)
        answer = asked.json(f"files/{file}/reader/", found=bool(cleared))
        if asked.takes(n):
            page = asked.page(f"files/{file}/")
            asked.same("reader's page", [page.status_code], [200 if cleared else 404])
            shown = {f"{word} {WORDS}" for word in re.findall(r"word\d+", page.content.decode())}
            asked.same(f"texts on the page of {name}", shown, cleared)
        if answer:
            blocks = answer["blocks"]
            asked.same(f"reader of {name}", [b["text"] for b in blocks if b["type"] == "text"], cleared)
            asked.same(
                f"placeholders of {name}",
                {requires(b) for b in blocks if b["type"] == "placeholder"},
                {tuple(sorted(t.label - world.held(person))) for t in hidden(asked, name, cleared)},
            )
        if world.steward(person) and known:
            listed = asked.json(f"files/{file}/paragraphs/?page_size=200")
            asked.same(f"paragraphs of {name}", [p["text"] for p in listed["results"]], cleared)


def file_list(asked: Asked) -> None:
    for record in asked.world.records:
        listed = asked.json(f"entities/{asked.id(record.name)}/files/", found=asked.sees(record))
        if listed:
            known = record.name in asked.all.files and asked.world.knows_file(asked.person, record.name)
            mine = [str(asked.all.files[record.name])] if known else []
            asked.same(f"files of {record.name}", [f["id"] for f in listed["results"]], mine)
            asked.same(f"how many files of {record.name}", [listed["count"]], [len(mine)])


def download(asked: Asked) -> None:
    for n, (name, file) in enumerate(asked.all.files.items()):
        ways = [asked.api.get(f"/api/files/{file}/download/")] if asked.takes(n + 1) else []
        if asked.takes(n):
            ways.append(asked.page(f"files/{file}/download/"))
        for answer in ways:
            given = b"".join(answer.streaming_content) if answer.streaming else b""
            if asked.world.downloads(asked.person, name):
                asked.same(f"original of {name}", [answer.status_code, given], [200, content_of(name)])
            else:
                known = asked.world.knows_file(asked.person, name)
                asked.same(f"original of {name}", [answer.status_code, given], [403 if known else 404, b""])


def view(asked: Asked) -> None:
    """What can be selected and found in the PDF that somebody is shown. Pages are not drawn here: pixels are compared
    by tests/ingestion/test_pdf_view.py.
    """
    world, person = asked.world, asked.person
    for n, (name, file) in enumerate(asked.all.files.items()):
        known = world.knows_file(person, name)
        cleared = [t.words for t in world.paragraphs(name) if known and world.reads(person, t)]
        with patch("ingestion.pdf_drawing.run_limited", empty_pages):
            ways = [asked.api.get(f"/api/files/{file}/view.pdf")] if asked.takes(n + 1) else []
            if asked.takes(n):
                ways.append(asked.page(f"files/{file}/view.pdf"))
                small = asked.page(f"files/{file}/thumbnail.jpg")
                asked.same(f"thumbnail of {name}", [small.status_code], [204 if cleared else 404])
        for answer in ways:
            asked.same(f"view of {name}", [answer.status_code], [200 if cleared else 404])
            if world.downloads(person, name) or answer.status_code != 200:
                given = b"".join(answer.streaming_content) if answer.streaming else None
                asked.same(f"original of {name} in view", [given], [content_of(name) if cleared else None])
            elif answer.streaming:
                asked.same(f"original of {name} in view", ["given"], [])
            else:
                text = " ".join(page.get_textpage().get_text_bounded() for page in pdfium.PdfDocument(answer.content))
                shown = {f"{word} {WORDS}" for word in re.findall(r"word\d+", text)}
                asked.same(f"texts in the view of {name}", shown, cleared)


def empty_pages(task: str, path: Path, *, options: dict[str, Any], **given: Any) -> dict[str, Any]:
    """In the place of the limited process."""
    return {"blob": b"", "sizes": [[0, 0, 0, 595, 842] for _ in options["pages"]]}


def citation(asked: Asked) -> None:
    for n, text in enumerate(asked.world.texts):
        if text.label is None or asked.world.record(text.record).binned:  # what is in the bin was not cited
            continue
        at = f"citations/{asked.all.citing}/{asked.all.numbers[text.words]}/"
        read = asked.world.index_reads(asked.person, text)
        if asked.takes(n + 1) and (answer := asked.json(at, found=asked.world.cleared(asked.person, text.label))):
            asked.same(f"citation of {text.words}", [answer["available"], text.words in str(answer)], [read, read])
        if asked.takes(n):
            shown = asked.page(at).content.decode()
            asked.same(f"preview of {text.words}", [text.words in shown], [read])
