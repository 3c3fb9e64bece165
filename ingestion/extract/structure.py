"""What a file holds, counted without the readers: headings, tables, code blocks and words (`ingestion.drift`).

Runs in the limited process, after a reader has read the file. Counts plainly and too little rather than too much: what
is counted here and was not read is a loss, or a change of the reader that somebody should look at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ingestion.extract import sniff
from ingestion.extract.counted_markup import count_markdown, count_web_page
from ingestion.extract.counted_packages import (
    count_e_book,
    count_slides,
    count_word_document,
    count_workbook,
    open_document,
    open_sheets,
)
from ingestion.extract.counted_texts import (
    count_message,
    count_rich_text,
    count_words_of_cards,
    count_words_of_json,
    count_words_of_xml,
)
from ingestion.extract.counting import STAGE, count_words, list_rows
from ingestion.extract.decode import decode_text
from ingestion.extract.page_numbers import is_bare, split_numbers
from ingestion.sandbox.limits import Limits, Report

BY_TYPE: dict[str, Callable[[Path], dict[str, Any]]] = {
    sniff.DOCX: count_word_document,
    sniff.XLSX: count_workbook,
    sniff.PPTX: count_slides,
    sniff.ODT: open_document,
    sniff.ODS: open_sheets,
    sniff.ODP: open_sheets,
    sniff.EPUB: count_e_book,
    sniff.RTF: count_rich_text,
    sniff.EML: count_message,
    sniff.MSG: count_message,
}


# Of old Office files nothing is counted: there is no second way to their text.
WORDS_BY_TYPE: dict[str, Callable[[str], Counter[str]]] = {
    sniff.JSON: count_words_of_json,
    sniff.XML: count_words_of_xml,
    sniff.CALENDAR: count_words_of_cards,
    sniff.VCARD: count_words_of_cards,
    **dict.fromkeys((sniff.CSV, sniff.PLAIN, sniff.CODE, sniff.YAML), count_words),
}


def measure_structure(path: Path, *, limits: Limits, report: Report, media_type: str) -> dict[str, Any]:
    """{headings, tables, code, page_words: [words of each], rows: [word, count]}; what is not counted is absent."""
    report(STAGE)
    if media_type == sniff.PDF:
        return {"page_words": _list_page_words(path, report)}
    if media_type in BY_TYPE:
        return BY_TYPE[media_type](path)
    if media_type not in (sniff.MARKDOWN, sniff.HTML, *WORDS_BY_TYPE):
        return {}
    data = path.read_bytes()
    if media_type == sniff.HTML:
        from ingestion.extract.html import declared_encoding

        return count_web_page(decode_text(data, declared=declared_encoding(data)) or "")
    text = decode_text(data) or ""
    return (
        count_markdown(text) if media_type == sniff.MARKDOWN else {"rows": list_rows(WORDS_BY_TYPE[media_type](text))}
    )


def _list_page_words(path: Path, report: Report) -> list[list[str]]:
    """The words of each page, each once. Lines that are nothing but the number of a page are left out."""
    import pypdfium2

    document = pypdfium2.PdfDocument(path)
    pages = len(document)
    found = []
    for number in range(pages):
        report(STAGE, number + 1, pages)
        text = document[number].get_textpage()
        lines = text.get_text_range().splitlines()
        text.close()
        found.append(sorted(count_words("\n".join(line for line in lines if not is_bare(*split_numbers(line), pages)))))
    return found
