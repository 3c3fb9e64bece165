"""E-mail messages (RFC 5322, MIME; Outlook's own): who wrote what to whom, the text, and a list of attachments, which
are files of their own (ingestion/attachments.py).

Read by the standard library's parser. Of a text in several versions the web page is read, and of the others what it
does not say. Headers that no program shows, and what stands between the parts, are of the remainder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from html import unescape
from pathlib import Path
from typing import Any

from ingestion.documents import Attachment, Extraction, Kind
from ingestion.extract import html, outlook, plain, sniff
from ingestion.extract.build import Builder
from ingestion.extract.clean import clean_line
from ingestion.extract.decode import decode_text
from ingestion.extract.embedded import IN_MESSAGE, is_ornament
from ingestion.extract.eyes import Eyes
from ingestion.extract.mail_parts import CUT, MESSAGE, PICTURE, TEXT, MailPart, extract_strings, walk_parts
from ingestion.extract.mail_shape import separate_parts, split_header
from ingestion.extract.sweep_picture import sweep_picture
from ingestion.sandbox.limits import Limits, Quarantined, Report

MOST = 200  # attachments of one message
SHOWN = ("from", "sender", "reply-to", "to", "cc", "bcc", "date")
OTHER_VERSION = "Plain text version"
HEADERS = "Message headers"
NAMELESS = "attachment"
UNREAD_PICTURE = "There are pictures in this message; text in them, if any, was not read."
# What mail servers and programs write for each other.
TECHNICAL = re.compile(
    r"received.*|return-path|delivered-to|dkim-.*|domainkey-.*|arc-.*|authentication-results.*|message-id|references|"
    r"in-reply-to|mime-version|content-.*|user-agent|thread-index|accept-language|feedback-id|precedence|importance|"
    r"priority|list-.*|auto-submitted|errors-to|lines|status|mailing-list|autocrypt|subject|"
    r"x-(?:original-to|apparently-to|sender$|rcpt-to|forwarded-to|envelope-to|delivered-to|mms|nokia|ms|microsoft|google|gm|received|spam|mailer|mimeole|originat|forefront|priority|msmail|proofpoint|virus|ses|"
    r"mimecast|mc|exchange|eop|mozilla|account|status|uid|keywords|antiabuse|authenticat|env|envelope|return|sender-ip|"
    r"amp|mailgun|sg|sendgrid|report|feedback|campaign|entity|ironport|barracuda|provags|ui|gmx|yahoo|ymail|incoming|"
    r"tm|ld|iinet|pphosted|cloudmark|scanned|greylist|delivery|loop|auto|mail).*"
)
TOO_MANY = "This message has so many parts that not all of them were read."
NOT_BASE64 = re.compile(r"[^A-Za-z0-9+/=\s]")
NOT_WORDS = re.compile(r"(?:https?://|mailto:|cid:)\S+")
LINK = re.compile(r"https?://[^\s<>\"']+[^\s<>\"'.,;:!?)\]]")
WORD = re.compile(r"\w+")
FOLD = re.compile(r"\r?\n(?=[ \t])")


@dataclass(frozen=True, slots=True)
class _Version:
    """One version of a text, not yet told. kind: `html` or `plain`."""

    kind: str
    text: str


def extract(path: Path, *, limits: Limits, report: Report, eyes: Eyes, media_type: str = sniff.EML) -> Extraction:
    """Raises Quarantined: corrupt, encrypted, empty."""
    message = _read_message(path)
    report("reading")
    builder = Builder()
    subject = _join_headers(message, "subject")
    if subject:
        builder.add(subject, "heading", level=0.5)
    lines = [split_header(name.title(), value) for name in SHOWN if (value := _join_headers(message, name))]
    builder.add("\n".join(without for without, _ in lines if without))
    builder.add("\n".join(addressed for _, addressed in lines if addressed))
    attachments: list[Attachment] = []
    for part in walk_parts(message):
        report("reading")
        _add_part(part, builder, attachments, subject, eyes)
    builder.add("\n".join(_list_other_headers(message)), path=(HEADERS,))
    builder.add_remainder(extract_strings(message))
    if outlook.is_outlook(path):
        outlook.sweep_message(path, builder)
    if not len(builder) and not builder.has_gaps():
        raise Quarantined("empty", "There is nothing in this message. Check that you chose the right file.")
    return replace(builder.build_extraction(media_type, None), attachments=tuple(attachments))


def read_attachment(path: Path, *, limits: Limits, report: Report, part: int) -> dict[str, Any]:
    """Task of the limited process: the bytes of one attachment, by the number that extraction gave it."""
    report("reading")
    for found in walk_parts(_read_message(path)):
        if found.number == part and (content := found.content()) is not None:
            return {"blob": content}
    raise Quarantined("corrupt", "This attachment cannot be taken out of its message.")


def _read_message(path: Path) -> Message:
    if outlook.is_outlook(path):
        return outlook.read_message(path)
    data = path.read_bytes()
    try:
        message = message_from_bytes(data)
    except (RecursionError, ValueError, TypeError, IndexError, AttributeError):
        raise Quarantined("corrupt", "The parts of this message cannot be told apart. Save it again.") from None
    if not any(True for _ in message.raw_items()):
        raise Quarantined("corrupt", "This file is named as an e-mail, but it has no headers. Save it again.")
    return message


def extract_picture(path: Path, number: int) -> bytes | None:
    """A picture inside the text, by the number of its part."""
    return next((part.content() for part in walk_parts(_read_message(path)) if part.number == number), None)


def extract_pages(path: Path) -> Iterator[str]:
    """The web pages among the texts of a message."""
    for part in walk_parts(_read_message(path)):
        for message in part.versions if part.kind == TEXT else ():
            version = _read_version(message)
            if version is not None and version.kind == "html":
                yield version.text


def _add_part(
    part: MailPart,
    builder: Builder,
    attachments: list[Attachment],
    subject: str,
    eyes: Eyes,
) -> None:
    if part.kind == "encrypted":
        raise Quarantined("encrypted", "This message is encrypted. Save it without encryption and upload it.")
    if part.kind == "remote":
        builder.add_remainder([str(part.versions[0])], packed=True)  # what lies on another server is not in the message
    elif part.kind == CUT:
        builder.miss("attachment", TOO_MANY)
    elif part.kind == PICTURE:
        content = part.content()
        if content is not None:
            sweep_picture(content, builder)
        if content is None or not is_ornament(content):
            eyes.picture(builder, f"part {part.number}", "image", UNREAD_PICTURE)
    elif part.kind == TEXT:
        _add_bodies(part, builder, subject, eyes)
    else:
        _add_attachment(part, builder, attachments, subject)


def _add_bodies(part: MailPart, builder: Builder, subject: str, eyes: Eyes) -> None:
    """The web page of several versions, else the first; then what the others say beyond it."""
    versions = [version for message in part.versions if (version := _read_version(message)) is not None]
    if len(versions) < len(part.versions) or any(map(_has_strays, part.versions)):
        builder.miss("unreadable_text", "A text of this message is in an encoding that cannot be read.")
    if not versions:
        return
    chosen = next((version for version in versions if version.kind == "html"), versions[0])
    _read_into(builder, chosen, eyes)
    for version in versions:
        if version is chosen:
            continue
        other = Builder()
        _read_into(other, version, eyes)
        builder.take_misses(other)
        builder.add_remainder(other.list_from(0))
        known, source = _split_words(builder.text()), unescape(f"{chosen.text} {builder.text()}")
        for paragraph in other.build_extraction(sniff.EML, None).paragraphs:
            links = (link for link in LINK.findall(paragraph.text) if len(link) <= html.LONGEST_TARGET)
            if not _split_words(paragraph.text) <= known or any(link not in source for link in links):
                path = (subject, OTHER_VERSION) if subject else (OTHER_VERSION,)
                kind: Kind = "list" if paragraph.kind == "list" else "text"
                builder.add(paragraph.text, kind, path=path, read_by=paragraph.read_by)


def _split_words(text: str) -> set[str]:
    return set(WORD.findall(NOT_WORDS.sub(" ", text).lower()))


def _read_into(builder: Builder, version: _Version, eyes: Eyes) -> None:
    if version.kind == "html":
        html.read_into(builder, version.text, eyes, IN_MESSAGE)
    else:
        plain.read_into(builder, separate_parts(version.text))


def _has_strays(message: Message) -> bool:
    """Whether there are characters between those of a base64 text that no program decodes."""
    packed = str(message.get("Content-Transfer-Encoding", "")).strip().lower() == "base64"
    raw = message.get_payload()
    return packed and isinstance(raw, str) and NOT_BASE64.search(raw) is not None


def _read_version(message: Message) -> _Version | None:
    """None where the bytes are no text."""
    content = message.get_payload(decode=True)
    if not isinstance(content, bytes):
        return None
    kind = "html" if message.get_content_subtype() == "html" else "plain"
    if not content.strip():
        return _Version(kind, "")
    charset = message.get_param("charset")
    declared = charset if isinstance(charset, str) else None
    if kind == "html" and declared is None:
        declared = html.declared_encoding(content)
    text = decode_text(content, declared=declared)
    return None if text is None else _Version(kind, text)


def _add_attachment(part: MailPart, builder: Builder, attachments: list[Attachment], subject: str) -> None:
    content = part.content()
    said = clean_line(_decode_header_text(part.name))
    name = said[:200] or (f"{NAMELESS}-{part.number}{part.suffix}")
    if part.kind == MESSAGE and not part.name:
        name = f"{clean_line(_decode_header_text(part.subject))[:80] or 'message'}.eml"
    if content is None or len(attachments) >= MOST:
        builder.miss("attachment", "An attachment of this message cannot be taken out of it.")
        builder.add(f"Attachment: {said or name}", "list", path=(subject,) if subject else ())
        return
    number = builder.add(f"Attachment: {said or name}", "list", path=(subject,) if subject else ())
    if content.strip() and number is not None:
        attachments.append(Attachment(part.number, name, number))


def _join_headers(message: Message, name: str) -> str:
    """All headers of a name, decoded, on one line."""
    return ", ".join(_decode_header_text(value) for key, value in message.raw_items() if key.lower() == name)


def _list_other_headers(message: Message) -> list[str]:
    """Headers that neither stand above the text nor are of programs for programs."""
    return [
        f"{clean_line(name)}: {said}"
        for name, value in message.raw_items()
        if name.lower() not in SHOWN and not TECHNICAL.fullmatch(name.lower()) and (said := _decode_header_text(value))
    ]


def _decode_header_text(raw: object) -> str:
    """A header as people read it: RFC 2047 words and bytes of any encoding become text."""
    text = FOLD.sub("", str(raw))
    if any("\udc80" <= letter <= "\udcff" for letter in text):
        text = decode_text(text.encode("utf-8", "surrogateescape")) or text.encode("ascii", "ignore").decode()
    try:
        pieces = decode_header(text)
    except (HeaderParseError, ValueError):
        return clean_line(text)
    said: list[str] = []
    for piece, charset in pieces:
        if isinstance(piece, str):
            said.append(piece)
            continue
        try:
            said.append(piece.decode(charset or "utf-8", "replace"))
        except LookupError:
            said.append(decode_text(piece) or piece.decode("latin-1"))
    return clean_line("".join(said))
