"""Outlook messages ([MS-OXMSG]) as messages of e-mail: the mail reader then reads both.

A message is a tree of storages: one for itself, one for each recipient and each attachment. A property is a stream that
is named by its number and type, or, where it is short, an entry of the stream of properties.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, message_from_string
from email.message import Message
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.utils import format_datetime, formataddr
from pathlib import Path

from striprtf.striprtf import rtf_to_text

from ingestion.extract.build import Builder
from ingestion.extract.decode import decode_text
from ingestion.extract.ole import SIGNATURE, Compound
from ingestion.extract.outlook_rtf import unpack_rtf
from ingestion.extract.remainder import list_texts_in_bytes
from ingestion.extract.rtf import DAMAGE as RTF_DAMAGE
from ingestion.extract.rtf import sweep_rich_text
from ingestion.sandbox.limits import Quarantined

PROPERTIES = "__properties_version1.0"
HEADER_BYTES = {"message": 32, "embedded": 24, "other": 8}
ENTRY = struct.Struct("<HHI8s")
TEXT_WIDE, TEXT_NARROW, BINARY, OBJECT = "001F", "001E", "0102", "000D"
WIDE, NARROW = (TEXT_WIDE, "101F"), (TEXT_NARROW, "101E")  # one text, or several
INTEGER, TIME = 0x0003, 0x0040
DEEPEST = 5  # messages within messages
MOST = 500  # attachments and recipients of one message
BY_VALUE, EMBEDDED, OLE = 1, 5, 6
RECIPIENTS = {1: "To", 2: "Cc", 3: "Bcc"}
EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
ENCRYPTED = "This message is encrypted. Save it without encryption and upload it."
NAMES = "__nameid_version1.0"  # of properties beyond those that are known; its streams have numbers of their own
RICH_TEXT, CONTENT = "1009", "3701"
PROPERTY = re.compile(r"__substg1\.0_([0-9A-F]{4})([0-9A-F]{4})(?:-[0-9A-F]{8})?", re.I)
DAMAGED_TEXT = "The Rich Text of this message is damaged; it was not read."
# Names and values of contacts, in the order in which they are shown.
OF_CONTACT = {
    "3001": "Name",
    "3A16": "Company",
    "3A17": "Position",
    "3A18": "Department",
    "3A08": "Business telephone",
    "3A1C": "Mobile telephone",
    "3A09": "Home telephone",
    "3A15": "Postal address",
    "3A51": "Web page",
}


def is_outlook(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(SIGNATURE)) == SIGNATURE


def read_message(path: Path) -> Message:
    """The message at `path`. Raises Quarantined: corrupt, encrypted."""
    return _build_message(_Storage(Compound(path), (), "message"), 0)


def sweep_message(path: Path, builder: Builder) -> None:
    """Texts of every stream, of messages within too. Files that are attached are files of their own."""
    storage = _Storage(Compound(path), (), "message")
    for name in storage.compound.names:
        known = PROPERTY.fullmatch(name[-1])
        number, type_ = (known[1].upper(), known[2].upper()) if known else ("", "")
        if number == RICH_TEXT and type_ == BINARY and name[0] != NAMES:
            _sweep_rich_text(storage.compound.read(*name), builder)
        elif type_ in WIDE:
            text = storage.compound.read(*name).decode("utf-16-le", "replace")
            builder.add_remainder(text.replace("\0", "\n").splitlines())
        elif type_ in NARROW:
            builder.add_remainder(storage.decode_narrow(storage.compound.read(*name)).replace("\0", "\n").splitlines())
        elif number == CONTENT and type_ == BINARY and name[0] != NAMES:
            continue
        else:
            builder.add_remainder([] if known or name[-1].startswith("__") else [name[-1]])
            builder.add_remainder(list_texts_in_bytes(storage.compound.read(*name)))


def _sweep_rich_text(packed: bytes, builder: Builder) -> None:
    try:
        unpacked = unpack_rtf(packed)
        if packed.strip(b"\0") and not unpacked:
            raise ValueError("of no form that is known")
        sweep_rich_text(unpacked, builder)
    except RTF_DAMAGE:
        builder.miss("damaged_part", DAMAGED_TEXT)
        builder.add_remainder(list_texts_in_bytes(packed))


class _Storage:
    """Properties of a message, a recipient or an attachment. kind: a key of HEADER_BYTES."""

    def __init__(self, compound: Compound, place: tuple[str, ...], kind: str, encoding: str = "cp1252") -> None:
        self.compound, self.place = compound, place
        self._fixed: dict[int, tuple[int, bytes]] = {}
        entries = compound.read(*place, PROPERTIES)[HEADER_BYTES[kind] :]
        for start in range(0, len(entries) - ENTRY.size + 1, ENTRY.size):
            type_, number, _, value = ENTRY.unpack_from(entries, start)
            self._fixed[number] = (type_, value)
        page = self.integer(0x3FFD) or self.integer(0x3FDE)
        self._encoding = "utf-8" if page in (65001, 1200) else f"cp{page}" if page else encoding

    def integer(self, number: int) -> int:
        type_, value = self._fixed.get(number, (0, b""))
        return struct.unpack_from("<i", value)[0] if type_ == INTEGER else 0

    def time(self, number: int) -> str:
        """As mail writes dates; "" where there is none."""
        type_, value = self._fixed.get(number, (0, b""))
        if type_ != TIME:
            return ""
        try:
            return format_datetime(EPOCH + timedelta(microseconds=struct.unpack("<Q", value)[0] // 10))
        except OverflowError:
            return ""

    def text(self, number: str) -> str:
        """A property of text; "" where there is none."""
        return self._stream_text(self.place, number)

    def _stream_text(self, place: tuple[str, ...], number: str) -> str:
        wide = self.compound.read(*place, f"__substg1.0_{number}{TEXT_WIDE}")
        if wide:
            return wide.decode("utf-16-le", "replace").rstrip("\0")
        return self.decode_narrow(self.compound.read(*place, f"__substg1.0_{number}{TEXT_NARROW}"))

    def decode_narrow(self, narrow: bytes) -> str:
        """Text in the code page of the message."""
        narrow = narrow.rstrip(b"\0")
        return (decode_text(narrow, declared=self._encoding) or narrow.decode("cp1252", "replace")) if narrow else ""

    def read_first_text(self, *numbers: str) -> str:
        return next((text for number in numbers if (text := self.text(number))), "")

    def binary(self, number: str) -> bytes:
        return self.compound.read(*self.place, f"__substg1.0_{number}{BINARY}")

    def iter_storages(self, prefix: str) -> Iterator[_Storage]:
        """Storages of recipients or attachments, in order; of more than MOST one more."""
        depth = len(self.place)
        found = {name[depth] for name in self.compound.names if len(name) > depth and name[:depth] == self.place}
        for name in sorted(name for name in found if name.startswith(prefix))[: MOST + 1]:
            yield _Storage(self.compound, (*self.place, name), "other", self._encoding)


def _build_message(storage: _Storage, depth: int) -> Message:
    class_ = storage.text("001A").lower()
    attachments = list(storage.iter_storages("__attach_version1.0_#"))
    if class_.startswith("ipm.note.smime.multipartsigned") and len(attachments) == 1:
        return message_from_bytes(attachments[0].binary("3701"))
    if any(one.text("370E").lower() == "application/x-microsoft-rpmsg-message" for one in attachments):
        raise Quarantined("encrypted", ENCRYPTED)
    message = MIMEMultipart("mixed")
    _add_headers(message, storage)
    texts = [*_list_texts(storage, class_)]
    if len(texts) == 1:
        message.attach(texts[0])
    elif texts:
        message.attach(MIMEMultipart("alternative", _subparts=texts))
    for attachment in attachments[:MOST]:
        message.attach(_build_attachment(attachment, depth))
    if len(attachments) > MOST:
        message.attach(_build_unread_attachment())
    return message


def _build_unread_attachment() -> Message:
    """What stands for attachments that cannot be taken out."""
    part = Message()
    part["Content-Type"] = NAMELESS_TYPE
    part.set_payload([])
    return part


def _add_headers(message: Message, storage: _Storage) -> None:
    """Those with which the message travelled, and what Outlook knows where there are none."""
    transport = storage.text("007D")
    start = transport.find("\n") + 1 if transport.startswith("Microsoft Mail Internet Headers") else 0
    for name, value in message_from_string(transport[start:].lstrip()).raw_items():
        if not name.lower().startswith(("content-", "mime-version")):
            message.add_header(name, str(value).replace("\r", "").replace("\n", " "))
    sender = _format_address(
        storage.read_first_text("0C1A", "0042"), storage.read_first_text("5D01", "5D02", "0C1F", "0065")
    )
    known = [
        ("Subject", storage.text("0037")),
        ("From", sender),
        ("Date", storage.time(0x0039) or storage.time(0x0E06)),
    ]
    people: dict[str, list[str]] = {}
    for one in storage.iter_storages("__recip_version1.0_#"):
        to = RECIPIENTS.get(one.integer(0x0C15), "To")
        people.setdefault(to, []).append(_format_address(one.text("3001"), one.read_first_text("39FE", "3003")))
    known += [(name, ", ".join(filter(None, people.get(name, [])))) for name in RECIPIENTS.values()]
    for name, value in known:
        text = " ".join(value.split())
        if text and message.get(name) is None:
            message[name] = text


def _format_address(name: str, address: str) -> str:
    """Addresses of an Exchange server (`/o=…`) tell people nothing."""
    name, address = " ".join(name.split()), " ".join(address.split())
    if "@" not in address:
        return name or address
    return formataddr((name, address), "utf-8") if name.isascii() and name != address else f"{name} <{address}>"


def _list_texts(storage: _Storage, class_: str) -> Iterator[Message]:
    """The versions of the text. What else is kept of a contact is its text."""
    plain = storage.text("1000")
    if class_.startswith("ipm.contact"):
        lines = (f"{title}: {text}" for number, title in OF_CONTACT.items() if (text := storage.text(number)))
        plain = "\n".join([*lines, "", plain])
    if plain.strip():
        yield MIMEText(_make_storable(plain), "plain", "utf-8")
    html = storage.binary("1013")
    page = storage.text("1013") or (
        decode_text(html, declared=_find_declared_encoding(html, storage)) if html.strip() else None
    )
    if page:
        yield MIMEText(_make_storable(page), "html", "utf-8")
    rich = unpack_rtf(storage.binary("1009")) if not page else b""
    if rich:
        try:
            text = rtf_to_text(rich.decode("cp1252", "replace"), errors="replace")
        except (ValueError, TypeError, LookupError, OverflowError, RecursionError):
            text = ""
        if text.strip():
            yield MIMEText(_make_storable(text), "plain", "utf-8")


def _find_declared_encoding(page: bytes, storage: _Storage) -> str | None:
    from ingestion.extract.html import declared_encoding

    number = storage.integer(0x3FDE)
    return declared_encoding(page) or (None if not number else "utf-8" if number == 65001 else f"cp{number}")


def _make_storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _build_attachment(storage: _Storage, depth: int) -> Message:
    """A part of the message. One without a content is told as what cannot be taken out."""
    method = storage.integer(0x3705)
    name = " ".join(storage.read_first_text("3707", "3704", "3001").split())
    part = Message()
    if method == EMBEDDED and depth < DEEPEST:
        inner = _Storage(storage.compound, (*storage.place, f"__substg1.0_3701{OBJECT}"), "embedded")
        part["Content-Type"] = "message/rfc822"
        part.set_payload([_build_message(inner, depth + 1)])
        return part
    if method not in (BY_VALUE, EMBEDDED, OLE, 0):
        if storage.binary(CONTENT):
            return _build_unread_attachment()
        part["Content-Type"] = "message/external-body"
        part.set_payload("")
        return part
    kind = storage.text("370E").lower()
    part["Content-Type"] = kind if kind.count("/") == 1 and kind.isascii() and kind.isprintable() else NAMELESS_TYPE
    if part.get_content_maintype() in ("multipart", "message"):
        part.replace_header("Content-Type", NAMELESS_TYPE)
    if (address := storage.text("3712").strip()) and address.isascii():
        part["Content-ID"] = f"<{address}>"
    if name:
        inline = bool(address) and part.get_content_maintype() == "image"
        part.add_header("Content-Disposition", "inline" if inline else "attachment", filename=("utf-8", "", name))
    if method in (OLE, EMBEDDED):
        part.set_payload([])
        return part
    part.set_payload(storage.binary("3701").decode("ascii", "surrogateescape"))
    part["Content-Transfer-Encoding"] = "8bit"
    return part


NAMELESS_TYPE = "application/octet-stream"
