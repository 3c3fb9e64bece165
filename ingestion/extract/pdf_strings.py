"""Strings of a PDF's syntax (ISO 32000-1, 7.3): of objects, of content streams, of tables of letters, and of the bytes
that are in no object."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingestion.extract.remainder import is_formal, list_texts_in_bytes

# Each part begins with another sign, so nothing is gained by trying again: possessive repetition saves the attempts.
_LITERAL = rb"\((?:[^()\\]++|\\.|\((?:[^()\\]++|\\.|\((?:[^()\\]++|\\.)*+\))*+\))*+\)"
_HEXADECIMAL = rb"<[0-9A-Fa-f\s]*>"
# Every alternative begins with a literal sign: `re` then skips what cannot begin one.
TOKEN = re.compile(rb"%s|<(?<!<<)[0-9A-Fa-f\s]*>(?!>)|/[^\s/<>\[\](){}%%]+" % _LITERAL, re.S)
MAX_KNOWN_TOKENS, MAX_KNOWN_BYTES = 100_000, 200  # of one file, and of each token
REFERENCE = re.compile(rb"/([!-$&'*-.0-;=?-Z\\^-z|~]+)\s+(\d+) (\d+) R\b")
FILE_TABLE = re.compile(rb"/EF\s*(?:<<([^<>]*)>>|(\d+) (\d+) R\b)")
ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|(\r\n|.))", re.S)
ESCAPED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f", b"\n": b"", b"\r": b"", b"\r\n": b""}
HEX_IN_NAME = re.compile(rb"#([0-9A-Fa-f]{2})")
# Names of keys, fonts, colours and letters; with more digits in a row, or other signs, one is text.
NAME = re.compile(r"(?:[A-Za-z_.,:;+*'@-]|\d{1,5}(?!\d)){1,64}")
SHOWN = re.compile(
    rb"(?:\[(?:[^\[\]()]++|%s)*+\]\s*TJ|%s\s*(?:Tj|'|\")|%s\s*(?:Tj|'|\"))" % (_LITERAL, _LITERAL, _HEXADECIMAL), re.S
)
COMMENT = re.compile(rb"%[^\r\n]+")
# Both begin with literal signs, as TOKEN does; what may not stand before those is asked behind them.
PICTURE_BEGINS, PICTURE_ENDS = re.compile(rb"BI\b(?<!\wBI).{1,2000}?\bID\s", re.S), re.compile(rb"EI\b(?<=\sEI)")
BETWEEN = re.compile(rb"endobj(.*?)(?=\d+\s+\d+\s+obj\b|xref|trailer|startxref|\Z)", re.S)
INDEXED = re.compile(rb"/(?:Indexed|I)\s[^\]]{1,200}?\s\d{1,3} (\d+) (\d+) R\s*\]")
USUAL_COMMENT = re.compile(rb"%(?:PDF-\d\.\d.*|%EOF.*|[\x80-\xff%]{2,16}\s*|%?\s*)")
PRINTABLE = bytes(range(32, 127)) + b"\t\r\n"
WORDS_OF_TABLES = re.compile(r"[A-Za-z_-]{1,40}\d{0,3}(?:-\d{1,3})?")


def decode_text(content: bytes) -> Iterator[str]:
    """Of a string: as text where it is one, else the texts in its bytes."""
    if content[:2] == b"\xfe\xff":
        yield content[2:].decode("utf-16-be", "replace")
    elif content[:2] == b"\xff\xfe":
        yield content[2:].decode("utf-16-le", "replace")
    elif content[:3] == b"\xef\xbb\xbf":
        yield content[3:].decode("utf-8", "replace")
    elif len(content) - len(content.translate(None, PRINTABLE)) >= 0.8 * len(content):
        yield content.decode("latin-1")
    else:
        yield from list_texts_in_bytes(content)


def unescape_string(literal: bytes) -> bytes:
    """Of a string in brackets."""
    return ESCAPE.sub(_unescape, literal[1:-1]) if b"\\" in literal else literal[1:-1]


def _unescape(found: re.Match[bytes]) -> bytes:
    if found[1] is not None:
        return bytes((int(found[1], 8) & 255,))
    return ESCAPED.get(found[2], found[2])


def list_syntax_strings(syntax: bytes, known: set[bytes]) -> Iterator[str]:
    """Strings, and names that are text. known: tokens of the file that were read before; they are left out, and the
    new ones are added. The same names stand in every object, and every object is met two or three times."""
    for token in dict.fromkeys(TOKEN.findall(syntax)):
        if token in known:
            continue
        if len(token) <= MAX_KNOWN_BYTES and len(known) < MAX_KNOWN_TOKENS:
            known.add(token)
        if token[:1] == b"(":
            yield from _list_informal(unescape_string(token))
        elif token[:1] == b"<":
            digits = b"".join(token[1:-1].split())
            yield from _list_informal(bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode()))
        else:
            text = HEX_IN_NAME.sub(lambda found: bytes.fromhex(found[1].decode()), token[1:]).decode("utf-8", "replace")
            if not NAME.fullmatch(text):
                yield text


def _list_informal(content: bytes) -> Iterator[str]:
    for text in decode_text(content):
        if not is_formal(text.strip()):
            yield text


def list_content_strings(content: bytes, known: set[bytes]) -> Iterator[str]:
    """Of a content stream, without the text that it draws."""
    rest, pictures = _cut_pictures(SHOWN.sub(b" ", content))
    for picture in pictures:
        yield from list_texts_in_bytes(picture)
    if b"(" in rest or b"<" in rest or b"/" in rest:
        yield from list_syntax_strings(rest, known)
    for comment in COMMENT.findall(rest):
        yield from _list_informal(comment[1:])


def _cut_pictures(content: bytes) -> tuple[bytes, list[bytes]]:
    """A content stream without the data of pictures that are written into it, and those data."""
    pieces, pictures, end = [], [], 0
    while (begins := PICTURE_BEGINS.search(content, end)) and (ends := PICTURE_ENDS.search(content, begins.end() + 1)):
        pieces.append(content[end : begins.end()])  # the keys of a picture may hold strings
        pictures.append(content[begins.end() : ends.start() - 1])
        end = ends.end()
    return (b" ".join([*pieces, content[end:]]), pictures) if pictures else (content, pictures)


def list_table_strings(content: bytes, known: set[bytes]) -> Iterator[str]:
    """Of a table of letters (CMap), or a function: comments, strings, and what is none of its words."""
    yield from list_syntax_strings(content, known)
    for comment in COMMENT.findall(content):
        yield from _list_informal(comment[1:])
    rest = TOKEN.sub(b" ", COMMENT.sub(b" ", content)).decode("latin-1")
    words = re.split(r"[\s\[\]{}<>]+", rest)
    odd = {word for word in set(words) if not (is_formal(word) or WORDS_OF_TABLES.fullmatch(word))}
    if odd:
        yield " ".join(word for word in words if word in odd)


def list_file_strings(content: bytes, rest: bytes, known: set[bytes]) -> Iterator[str]:
    """Of the bytes of a file outside of its streams: strings that are in no object, comments, what stands between.
    rest: the file without its streams."""
    yield from list_syntax_strings(rest, known)
    for comment in COMMENT.findall(rest):
        if not USUAL_COMMENT.fullmatch(comment):
            yield from list_texts_in_bytes(comment)
    yield from list_texts_in_bytes(content[: max(0, content[:2048].find(b"%PDF-"))])
    for between in BETWEEN.findall(rest):
        if between.strip():
            yield from list_texts_in_bytes(between)
    yield from list_texts_in_bytes(content[content.rfind(b"%%EOF") + 5 :])
