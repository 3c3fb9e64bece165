"""From bytes to text, whatever they were encoded in."""

from __future__ import annotations

import codecs

from ingestion.extract.old_encodings import JAPANESE_MAIL, decode_broken_utf8, guess_encoding

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = frozenset(map(chr, (*range(9), 11, *range(14, 27), *range(28, 32), 127)))


def decode_text(data: bytes, *, partial: bool = False, declared: str | None = None) -> str | None:
    """The text, or None where the bytes are no text. `partial`: the end may cut a character in two. declared: what the
    file itself says that it is encoded in, which counts where it is so."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _try_encoding(data, encoding, partial)
    if declared is not None and (said := _decode_as_declared(data, declared, partial)) is not None:
        return said
    if JAPANESE_MAIL.search(data) and (text := _try_encoding(data, "iso2022_jp", partial)) is not None:
        return text
    text = None if _looks_like_utf16(data) else _try_encoding(data, "utf-8", partial)
    if text is None:
        text = _decode_by_zeros(data, partial)
    if text is None and b"\x00" not in data:
        text = _decode_by_statistics(data)
    return text if text is not None and _is_readable(text) else None


def _try_encoding(data: bytes, encoding: str, partial: bool) -> str | None:
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    try:
        return decoder.decode(data, final=not partial)
    except UnicodeDecodeError:
        return None


def _decode_as_declared(data: bytes, encoding: str, partial: bool) -> str | None:
    """None for what is no encoding of text, or not that of the bytes. Latin-1 means Windows-1252 (WHATWG Encoding)."""
    try:
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError):
        return None
    if name.startswith(("utf-16", "utf-32")) or not codecs.lookup(name)._is_text_encoding:
        return None  # the declaration itself could be read as ASCII
    text = _try_encoding(data, "cp1252" if name in ("iso8859-1", "ascii") else name, partial)
    return text if text is not None and _is_readable(text) else None


def _looks_like_utf16(data: bytes) -> bool:
    """UTF-16 of mostly Latin text has a zero in every second byte, which UTF-8 would read as control characters."""
    sample = data[:4096]
    return sample.count(0) > len(sample) // 4


def _decode_by_zeros(data: bytes, partial: bool) -> str | None:
    sample = data[:4096]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if max(even, odd) < max(1, len(sample) // 5):
        return None
    return _try_encoding(data, "utf-16-be" if even > odd else "utf-16-le", partial)


def _decode_by_statistics(data: bytes) -> str | None:
    """Broken UTF-8, and old single-byte and Asian encodings."""
    text = decode_broken_utf8(data)
    if text is not None:
        return text
    for candidate in (guess_encoding(data), "cp1252", "latin-1"):
        try:
            return data.decode(candidate)
        except (UnicodeDecodeError, LookupError):
            continue
    return None


def _is_readable(text: str) -> bool:
    sample = text[:20_000]
    return sum(character in _CONTROLS for character in sample) <= max(4, len(sample) // 50)
