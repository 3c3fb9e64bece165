"""Calendars (iCalendar, RFC 5545) and contacts (vCard, RFC 6350): each event or person a paragraph of named lines."""

from __future__ import annotations

import quopri
import re
from collections.abc import Iterator

from ingestion.documents import Extraction
from ingestion.extract.build import Builder
from ingestion.extract.clean import clean, clean_line
from ingestion.extract.decode import decode_text
from ingestion.extract.package_parts import record_miss
from ingestion.sandbox.limits import Quarantined

WHAT = "file"
FOLD = re.compile(r"\n[ \t]")
SOFT_BREAK = re.compile(r"=\n")
LINE = re.compile(r"(?:[\w-]+\.)?(?P<name>[\w-]+)(?P<options>(?:;(?:\"[^\"]*\"|[^:;\"])*)*):(?P<value>.*)", re.S)
DATE = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z?))?")
ESCAPED = re.compile(r"\\([nN,;:\\])")
# What programs write for each other.
_TECHNICAL = """
    BEGIN CALSCALE CREATED DTSTAMP END LAST-MODIFIED METHOD PRODID REV SEQUENCE TRANSP TZID TZOFFSETFROM TZOFFSETTO UID
    VERSION
"""
TECHNICAL = frozenset(_TECHNICAL.split())
PICTURES = frozenset(["PHOTO", "LOGO", "SOUND", "KEY"])
TITLES = {
    "DTSTART": "Start",
    "DTEND": "End",
    "FN": "Name",
    "N": "Names",
    "ORG": "Organisation",
    "TEL": "Telephone",
    "ADR": "Address",
    "BDAY": "Birthday",
    "RRULE": "Repeats",
    "URL": "URL",
    "EMAIL": "E-mail",
}


def extract(text: str, media_type: str) -> Extraction:
    """Raises Quarantined: corrupt, empty."""
    builder = Builder()
    text = SOFT_BREAK.sub("", clean(text)) if "QUOTED-PRINTABLE" in text.upper() else clean(text)
    lines = [line for line in FOLD.sub("", text).split("\n") if line.strip()]
    if not any(line.upper().startswith("BEGIN:") for line in lines):
        raise Quarantined("corrupt", "This file is named as a calendar or contacts, but is neither. Export it again.")
    block: list[str] = []
    for line in lines:
        found = LINE.fullmatch(line)
        if found is None:
            block.append(clean_line(line))
            continue
        name, value = found["name"].upper(), found["value"]
        if name in ("BEGIN", "END"):
            builder.add("\n".join(block), "list")
            block = []
        elif name in PICTURES or "ENCODING=BASE64" in found["options"].upper() or "ENCODING=B" in found["options"]:
            builder.add_remainder([value], packed=True)
            record_miss(builder, "image" if name in ("PHOTO", "LOGO") else "embedded_object", WHAT)
        elif name in TECHNICAL:
            builder.add_remainder([clean_line(value)])
        else:
            block += _format_lines(name, found["options"], value)
    builder.add("\n".join(block), "list")
    if not len(builder) and not builder.has_gaps():
        raise Quarantined("empty", "There is no entry in this file. Check that you chose the right one.")
    return builder.build_extraction(media_type, None)


def _format_lines(name: str, options: str, value: str) -> Iterator[str]:
    if "QUOTED-PRINTABLE" in options.upper():
        value = decode_text(quopri.decodestring(value.encode("utf-8", "replace"))) or value
    value = DATE.sub(_format_date, value) if name in ("DTSTART", "DTEND", "DUE", "BDAY") else value
    value = ESCAPED.sub(lambda match: "\n" if match[1] in "nN" else match[1], value.replace(";", "; ").strip("; "))
    text = clean_line(value)
    people = re.search(r"CN=(\"[^\"]*\"|[^;:]*)", options, re.I)
    if people is not None and (who := people[1].strip('"')) not in text:
        text = f"{who} {text}"
    if text:
        yield f"{TITLES.get(name, name.removeprefix('X-').replace('-', ' ').capitalize())}: {text}"


def _format_date(match: re.Match[str]) -> str:
    day = "-".join(match.groups()[:3])
    return f"{day} {match[4]}:{match[5]}{' UTC' if match[7] else ''}" if match[4] else day
