"""What Rich Text and messages hold, counted without their readers (`extract.structure`)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from email import message_from_bytes
from email.message import Message
from html import unescape
from pathlib import Path
from typing import Any

from striprtf.striprtf import destinations

from ingestion.extract.counted_markup import count_web_page
from ingestion.extract.counting import count_words, list_rows
from ingestion.extract.decode import decode_text
from ingestion.extract.ole import SIGNATURE
from ingestion.extract.outlook import read_message

TOKEN = re.compile(
    r"\\bin(\d{1,9}) ?|\\'[0-9a-fA-F]{2}|\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\(.)|([{}])|([^\\{}]+)", re.S
)
UNKNOWN = "\ue000"
"""Stands for a letter beyond ASCII: a word that holds one is not counted."""
PLAIN_WORD = re.compile(rf"[0-9A-Za-z{UNKNOWN}]+")
BEYOND = re.compile(r"[^\x00-\x7f]")
APART = frozenset(["tab", "emdash", "endash", "bullet", "emspace", "enspace"])
APART |= {"lquote", "rquote", "ldblquote", "rdblquote"}
"""Words that stand for what is no letter; formats may change within a word."""
ESCAPED_WORD = re.compile(r"\w*(?:\\u[0-9a-fA-F]{4}|\\.)(?:\w|\\u[0-9a-fA-F]{4}|\\.)*")
TAG = re.compile(r"<!--.*?-->|<!\[CDATA\[|\]\]>|<[^>]*>", re.S)
PARTED_WORD = re.compile(r"\w+(?:<[^<>]*>)+\w+")
BINARY_ELEMENT = re.compile(r"<(?P<name>(?:\w+:)?binary?Data)\b[^>]*>[^<]*</(?P=name)>", re.I)
CARD_FIELD = re.compile(r"^(?:SUMMARY|LOCATION|FN|NOTE|ORG|TITLE|COMMENT):(.*)$", re.M)


def count_rich_text(path: Path) -> dict[str, Any]:
    """Words of the text itself that are all ASCII, and runs of rows of cells without a paragraph in them."""
    said, runs = _read_body(path.read_bytes().decode("latin-1"))
    found = (word for word in PLAIN_WORD.findall("".join(said)) if UNKNOWN not in word)
    return {"tables": sum(run > 1 for run in runs), "rows": list_rows(count_words(" ".join(found)))}


def _read_body(source: str) -> tuple[list[str], list[int]]:
    """(pieces of text, rows of each run of rows)."""
    said: list[str] = []
    runs = [0]
    cells, filled = 0, False
    skipped = 0  # groups that are open in one that is no text of the document
    fallback, after = [1], 0  # characters that stand in for one beyond ASCII, for old readers
    opens = False  # whether the next word says what the group is
    place = 0
    while token := TOKEN.match(source, place):
        place = token.end()
        raw, word, number, symbol, brace, text = token.groups()
        if raw is not None:
            place += int(raw)
        elif brace == "{":
            skipped += bool(skipped)
            fallback.append(fallback[-1])
            opens, after = True, 0
            continue
        elif brace == "}":
            skipped -= bool(skipped)
            after = 0
            if len(fallback) == 2:
                break  # the end of the document
            fallback = fallback[:-1]
        elif skipped:
            continue
        elif opens and (symbol == "*" or word in destinations):
            skipped = 1
        elif word == "u":
            said.append(UNKNOWN)
            after = fallback[-1]
        elif word is None and symbol is None and text is None:
            said.append("" if after else UNKNOWN)  # an escaped byte
            after = max(0, after - 1)
        elif text is not None:
            text = text.replace("\r", "").replace("\n", "")
            said.append(BEYOND.sub(UNKNOWN, text[after:]))
            filled |= bool(text.strip())
            after = max(0, after - len(text))
            if not text:
                continue
        elif word == "uc":
            fallback[-1] = int(number or 1)
        elif word in ("cell", "row"):
            said.append(" ")
            cells += word == "cell"
            if word == "row":
                if cells > 1 and filled:
                    runs[-1] += 1
                else:
                    runs.append(0)
                cells, filled = 0, False
        elif word in ("par", "line", "sect", "page", "nestcell", "nestrow"):
            said.append("\n")
            runs.append(0)
            cells, filled = 0, False
        elif symbol != "-":
            said.append(" " if symbol or word in APART else "")
        opens = False
    return said, runs


def count_message(path: Path) -> dict[str, Any]:
    """Words of the subject and of one version of each text; headings and tables of its web pages."""
    data = path.read_bytes()
    root = read_message(path) if data.startswith(SIGNATURE) else message_from_bytes(data)
    subject = str(root.get("Subject", ""))
    counted = count_words(subject) if subject.isascii() and "=?" not in subject else Counter()
    headings = tables = 0
    for part in _list_texts(root):
        content = part.get_payload(decode=True)
        charset = part.get_param("charset")
        declared = charset if isinstance(charset, str) else None
        text = decode_text(content, declared=declared) if isinstance(content, bytes) else None
        if text and part.get_content_subtype() == "html":
            found = count_web_page(text)
            alone = "<table" not in text.lower() and "display" not in text.lower()
            headings, tables = headings + (found["headings"] if alone else 0), tables + found["tables"]
            counted.update(dict(found["rows"]))
        elif text:
            counted.update(count_words(text))
    return {"headings": headings, "tables": tables, "rows": list_rows(counted)}


def _list_texts(part: Message) -> Iterator[Message]:
    """Texts that programs show: of several versions the web page, nothing of attachments and of messages within."""
    inner = part.get_payload()
    if part.get_content_maintype() == "multipart" and isinstance(inner, list):
        found = [text for one in inner if isinstance(one, Message) for text in _list_texts(one)]
        if part.get_content_subtype() == "alternative":
            found = ([one for one in found if one.get_content_subtype() == "html"] or found)[:1]
        yield from found
    elif (
        part.get_content_type() in ("text/plain", "text/html")
        and part.get_content_disposition() != "attachment"
        and not part.get_filename()
    ):
        yield part


def count_words_of_json(text: str) -> Counter[str]:
    """Without words in which a character is written as a number."""
    return count_words(ESCAPED_WORD.sub(" ", text))


def count_words_of_xml(text: str) -> Counter[str]:
    """Of its text, without words that a tag parts; nothing where a document type defines text, or Word wrote it."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text or ":wordDocument" in text or ":package" in text:
        return Counter()
    text = BINARY_ELEMENT.sub(" ", text)
    return count_words(unescape(TAG.sub(" ", PARTED_WORD.sub(" ", text))))


def count_words_of_cards(text: str) -> Counter[str]:
    """Of the fields whose values are words."""
    unfolded = re.sub(r"\r?\n[ \t]", "", text)
    values = (value for value in CARD_FIELD.findall(unfolded) if "\\" not in value)
    return count_words(" ".join(values))
