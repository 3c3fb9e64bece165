"""A digest of what is not text in a file, so that a steward's decision on it ends when those bytes change
(docs/adr/0046). Where the parts of a file cannot be told apart, all of its bytes count."""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from email import message_from_binary_file
from pathlib import Path

from ingestion.documents import UnreadContent
from ingestion.extract import sniff
from ingestion.extract.mail_parts import TEXT, walk_parts
from ingestion.extract.sweep_markup import DATA

PIECE_BYTES = 1 << 20
TEXT_PART = re.compile(r".*\.(?:xml|rels|vml|xhtml|html?|opf|ncx|css)|mimetype", re.IGNORECASE)
IN_PARTS = frozenset(
    {
        "attachment", "drawing", "embedded_object", "font", "image", "media", "no_text_layer", "ocr_uncertain",
        "outlined_text", "page_failed", "unexplained_ink", "unreadable_letters", "unreadable_page", "unreadable_text",
        "vision_unchecked",
    }
)  # fmt: skip
"""Codes of what lies in the parts that are listed here. Of all others any byte may be it."""
IN_PARTS_OF_MAIL = frozenset({"attachment", "image", "ocr_uncertain", "unknown_part", "vision_unchecked"})


def digest_unread(path: Path, media_type: str, unaccounted: Collection[UnreadContent]) -> str:
    """Of the parts that are no text; "" where everything was read. Parts of text are compared as texts."""
    if not unaccounted:
        return ""
    codes = {missed.code for missed in unaccounted}
    if codes <= (IN_PARTS_OF_MAIL if media_type == sniff.EML else IN_PARTS):
        with suppress(Exception):  # a part of any form that is not as it should be: all bytes count
            return _hash_pieces(sorted(_digest_parts(path, media_type)))
    return _digest_file(path).hex()


def digest_unread_of_pdf(
    path: Path, parts: Sequence[tuple[bytes, Collection[int]]] | None, unaccounted: Collection[UnreadContent]
) -> str:
    """As `digest_unread`. parts: digests of streams, each with the pages whose content it is, which counts where one of
    them was not read whole, for that page may show of it what the others do not. A stream of no page counts in any
    case. None where the streams could not be read."""
    if not unaccounted:
        return ""
    if parts is None or not {missed.code for missed in unaccounted} <= IN_PARTS:
        return _digest_file(path).hex()
    pages = {missed.page for missed in unaccounted}
    return _hash_pieces(sorted(digest for digest, of in parts if not of or not pages.isdisjoint(of)))


def _hash_pieces(pieces: Iterable[bytes]) -> str:
    return hashlib.sha256(b"".join(map(_digest_piece, pieces))).hexdigest()


def _digest_piece(piece: bytes) -> bytes:
    return hashlib.sha256(piece).digest()


def _digest_file(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _digest_part(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> bytes:
    """Read in pieces, for a part may be as long as memory is. A checksum would not do: one can choose what has it."""
    digest = hashlib.sha256()
    with archive.open(part) as file:
        while piece := file.read(PIECE_BYTES):
            digest.update(piece)
    return digest.digest()


def _digest_parts(path: Path, media_type: str) -> list[bytes]:
    """One part after another, so that no more than one is in memory."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            parts = [part for part in archive.infolist() if not TEXT_PART.fullmatch(part.filename)]
            return [_digest_piece(_digest_part(archive, part)) for part in parts]
    if media_type == sniff.EML:
        return list(map(_digest_piece, _list_mail_parts(path)))
    if media_type in (sniff.HTML, sniff.MARKDOWN):
        return [_digest_piece("".join(held).encode()) for held in DATA.findall(path.read_text("latin-1"))]
    return [_digest_file(path)]


def _list_mail_parts(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        message = message_from_binary_file(file)
    for part in walk_parts(message):
        if part.kind != TEXT:
            yield part.content() or b""
