"""The parts of a message, in order: texts in their versions, attachments, and what is neither (RFC 2045 to 2049)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message

from ingestion.extract.remainder import list_texts_in_bytes

TEXT, ATTACHMENT, MESSAGE, PICTURE, CUT = "text", "attachment", "message", "picture", "cut"
MOST_PARTS = 2_000
SIGNATURES = frozenset(["application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"])
LARGEST = 32_768  # bytes of a signature with the certificates that it brings
NAME_OF_ONE = re.compile(r"(?:OpenPGP_signature|[\w.-]{0,32}\.(?:asc|sig|pgp|p7s))?", re.A)
# RFC 9580, 6.2: its headers tell of the program.
ARMOUR = re.compile(
    rb"\s*-----BEGIN PGP SIGNATURE-----[ \t]*\r?\n"
    rb"(?:Version: [^\n]{0,80}\n|Comment: [^\n]{0,80}(?:PG|http)[^\n]{0,80}\n|(?:Hash|Charset): [\w, -]{0,40}\r?\n)*"
    rb"\s*(?:[A-Za-z0-9+/]{40,76}\r?\n)*[A-Za-z0-9+/=]{1,76}\r?\n(?:=[A-Za-z0-9+/]{4}\r?\n)?"
    rb"-----END PGP SIGNATURE-----\s*"
)
# RFC 5652: a ContentInfo of signed data; in it, content that stands elsewhere.
SIGNED, DATA = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02", b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01"
ENCRYPTED = frozenset(["multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"])
SUFFIXES = {
    "text/calendar": ".ics",
    "application/pdf": ".pdf",
    "text/html": ".html",
    "text/plain": ".txt",
    "text/csv": ".csv",
}


@dataclass(frozen=True, slots=True)
class MailPart:
    """number: in the order of the message, from 1. kind: `text`, `attachment`, `message`, `picture`, `remote`,
    `encrypted`, or `cut`: parts beyond MOST_PARTS. versions: of a text."""

    number: int
    kind: str
    versions: tuple[Message, ...]

    @property
    def name(self) -> str:
        """As the sender gave it; "" when they did not."""
        try:
            return str(self.versions[0].get_filename() or "")
        except (LookupError, ValueError, TypeError, IndexError):
            return ""

    @property
    def address(self) -> str:
        """By which a web page in the message shows it; "" where it cannot."""
        said = str(self.versions[0].get("Content-ID", "")).strip().removeprefix("<").removesuffix(">")
        return f"cid:{said}" if said else ""

    @property
    def suffix(self) -> str:
        return SUFFIXES.get(self.versions[0].get_content_type(), "")

    @property
    def subject(self) -> str:
        """Of a message within the message."""
        inner = self.versions[0].get_payload()
        found = inner[0] if isinstance(inner, list) and inner else None
        return str(dict(found.raw_items()).get("Subject", "")) if isinstance(found, Message) else ""

    def content(self) -> bytes | None:
        """The bytes of an attachment; None when they cannot be made out."""
        message = self.versions[0]
        try:
            if self.kind == MESSAGE:
                inner = message.get_payload()
                return b"\n\n".join(part.as_bytes() for part in inner if isinstance(part, Message)) if inner else None
            content = message.get_payload(decode=True)
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            return None
        return content if isinstance(content, bytes) else None


def walk_parts(message: Message) -> Iterator[MailPart]:
    """Depth first; messages within the message are not entered."""
    waiting = [message]
    number = 0
    while waiting and number < MOST_PARTS:
        part = waiting.pop()
        inner = part.get_payload()
        kind = part.get_content_type()
        number += 1
        if kind in ENCRYPTED:
            yield MailPart(number, "encrypted", (part,))
        elif part.get_content_maintype() == "multipart" and isinstance(inner, list):
            texts = tuple(version for version in inner if isinstance(version, Message) and _is_text(version))
            if kind == "multipart/alternative" and texts:
                yield MailPart(number, TEXT, texts)
                inner = [version for version in inner if version not in texts]
            waiting += [version for version in reversed(inner) if isinstance(version, Message)]
        elif kind == "message/external-body":
            yield MailPart(number, "remote", (part,))
        elif part.get_content_maintype() == "message":
            yield MailPart(number, MESSAGE, (part,))
        elif _is_text(part):
            yield MailPart(number, TEXT, (part,))
        elif kind not in SIGNATURES or not _is_signature(MailPart(number, ATTACHMENT, (part,))):
            inline = part.get_content_disposition() == "inline" or part.get("Content-ID") is not None
            picture = part.get_content_maintype() == "image" and part.get_content_disposition() != "attachment"
            yield MailPart(number, PICTURE if picture and inline else ATTACHMENT, (part,))
    if waiting:
        yield MailPart(number + 1, CUT, (waiting[-1],))


def _is_signature(part: MailPart) -> bool:
    """By its name and its bytes: programs show as an attachment what only says that it is one."""
    content = part.content()
    if content is None or len(content) > LARGEST or not NAME_OF_ONE.fullmatch(part.name):
        return False
    if ARMOUR.fullmatch(content):
        return True
    head, size = content[:6], int.from_bytes(content[2:4], "big")
    whole = (
        head[:2] == b"\x30\x82" and len(content) == 4 + size or head[:2] == b"\x30\x80" and content.endswith(b"\0\0")
    )
    detached = b"\x30\x0b" + DATA in content[:200] or b"\x30\x80" + DATA + b"\0\0" in content[:200]
    return whole and SIGNED in content[:32] and detached


def extract_strings(message: Message) -> Iterator[str]:
    """Of the headers of all parts, of what stands before, between and behind them, and of signatures; messages within
    the message are files of their own."""
    waiting = [message]
    while waiting:
        part = waiting.pop()
        for name, value in part.raw_items():
            yield name
            yield _decode_header_text(str(value))
        yield from filter(None, (part.preamble, part.epilogue))
        inner = part.get_payload()
        if part.get_content_maintype() != "message" and isinstance(inner, list):
            waiting += [one for one in inner if isinstance(one, Message)]
        elif part.get_content_type() in SIGNATURES:
            yield from list_texts_in_bytes(MailPart(0, ATTACHMENT, (part,)).content() or b"")


def _decode_header_text(value: str) -> str:
    try:
        return str(make_header(decode_header(value)))
    except (HeaderParseError, ValueError, LookupError):
        return value


def _is_text(part: Message) -> bool:
    return (
        part.get_content_maintype() == "text"
        and part.get_content_subtype() in ("plain", "html")
        and part.get_content_disposition() != "attachment"
        and not part.get_filename()
    )
