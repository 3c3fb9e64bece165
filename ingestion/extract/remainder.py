"""Texts of a file that its reader does not show. Every format hands over all strings that it finds in the bytes; here
those that say nothing and those that the paragraphs say already are taken out, and the rest is the remainder.

A string says nothing where it can only be the vocabulary of a format: numbers, identifiers, a word of a schema. The
patterns are an allow-list: what matches none of them is text, whatever attribute, key or element it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

MAX_CHARACTERS = 1_000_000  # of all texts together
MAX_TEXT_CHARACTERS = 20_000  # of one text
MAX_COMPARED_CHARACTERS = 2_000_000_000  # beyond, a text counts as not shown
LONG = 200  # characters
TOO_LARGE = "This file has so much text besides what is shown that not all of it was read."
WORD = re.compile(r"\w+")
_NUMBER = r"[-+]?\d{0,8}(?:\.\d{1,17})?(?:[eE][-+]?\d{1,3})?(?:px|pt|pc|em|cm|mm|in|%|f)?"
ADDRESSES = (
    r"schemas\.openxmlformats\.org|schemas\.microsoft\.com|www\.w3\.org|purl\.org|purl\.oclc\.org|ns\.adobe\.com|"
    r"openoffice\.org|docs\.oasis-open\.org|www\.aiim\.org|iptc\.org|schema\.org|xmlns\.com|ogp\.me|cipa\.jp"
)
FORMAL = re.compile(
    rf"[\W_]*|{_NUMBER}|[0-9A-Fa-f]{{1,8}}|#[0-9A-Fa-f]{{3,8}}"
    r"|\{?[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}\}?"  # an identifier by chance
    r"|-?\d{9,10}"  # a number of 32 bits
    r"|[a-z][A-Za-z]{0,40}|[A-Z]{1,3}|[A-Za-z]"  # a word of a schema
    r"|(?:[a-z][A-Za-z-]{0,30}:){1,2}[a-z][A-Za-z-]{0,40}"  # with its prefix
    r"|\d{4}-\d\d-\d\dT[\d:.]{5,16}(?:Z|[-+][\d:]{4,5})?|D:\d{8,14}(?:Z|[-+][\d']{2,6})?"  # a time
    rf"|(?:https?://(?:{ADDRESSES})/|urn:(?:schemas-microsoft-com|oasis:names):)(?!.*\d{{5}}|(?:\D*\d){{9}})[\w./:#+-]{{0,120}}"
    r"|(?:application|text|image|audio|video|font)/[a-z][A-Za-z.+-]{1,100}(?:;charset=[\w-]{1,12})?"
    r"|(?:\.\.?/|/)*(?:(?:_rels|[A-Za-z]{1,24}\d{0,4})/){0,5}\.?(?:[A-Za-z]{1,24}\d{0,4}\.)?[a-z]{2,8}(?:\.rels)?"
    r"|(?:rId|Rel)\d{1,4}|\$?[A-Z]{1,3}\$?\d{1,7}(?::\$?[A-Z]{1,3}\$?\d{1,7})?"  # a reference, a range of cells
)
# A plain word that a format has for its own; longer or with digits in it, a name is text.
NAME = re.compile(r"[A-Za-z_](?:[A-Za-z_.:-]|\d{1,3}(?!\d)){0,40}")
READABLE_SHARE = 0.85
MIN_SIGNS = 12  # different ones: fewer are a line of crosses
PACKED = re.compile(r"[A-Za-z0-9+/=_-]{400,}|(?:[A-Za-z0-9+/=_-]{40,}\s+){6,}[A-Za-z0-9+/=_-]*")


def is_formal(text: str) -> bool:
    """Whether a string can only be of the format."""
    return FORMAL.fullmatch(text) is not None


def cut_packed(text: str) -> tuple[str, list[str]]:
    """The text without bytes that were made letters (base64, hexadecimal numbers), and each run of those."""
    runs: list[str] = []

    def cut_match(found: re.Match[str]) -> str:
        if len(set(found[0])) <= MIN_SIGNS:
            return found[0]
        runs.append(found[0])
        return " "

    return PACKED.sub(cut_match, text), runs


def pad_words(text: str) -> str:
    """Its words, each between blanks."""
    return f" {' '.join(WORD.findall(text.lower()))} "


def select_unshown(texts: Iterable[str], known: str) -> Iterator[str]:
    """Those whose words do not stand one after the other in what is shown. known: the words of that, as `pad_words`
    gives them. In the order of the file the next one is near the last one, so it is looked for there first."""
    vocabulary = frozenset(known.split())
    place, left = 0, MAX_COMPARED_CHARACTERS
    for text in texts:
        if len(text) > LONG and not vocabulary.issuperset(WORD.findall(text[:LONG].lower())[:-1]):
            yield text  # its beginning tells it already, but for the word that is cut
            continue
        words = pad_words(text)
        one_by_one = words.split()
        if not vocabulary.issuperset(one_by_one):
            yield text
            continue
        if len(one_by_one) < 2:
            continue
        found = known.find(words, place) if left > 0 else -1
        left -= (found if found >= 0 else len(known)) - place
        if found < 0 and left > 0:
            found = known.find(words, 0, place + len(words))
            left -= place
        if found < 0:
            yield text
        else:
            place = found


def bound_texts(texts: Iterable[str]) -> tuple[list[str], bool]:
    """Each once, and whether there are more than can be taken."""
    taken: dict[str, None] = {}
    left = MAX_CHARACTERS
    for text in texts:
        for start in range(0, len(text), MAX_TEXT_CHARACTERS):
            piece = text[max(0, start - 200) : start + MAX_TEXT_CHARACTERS]
            if piece in taken:
                continue
            left -= len(piece)
            if left < 0:
                return list(taken), True
            taken[piece] = None
    return list(taken), False


_RUN = re.compile(rb"[\x20-\x7e\t\r\n\xa0-\xff]{5,}")
_WIDE_RUN = re.compile(rb"(?:[\x20-\x7e\xa0-\xff\t\r\n]\0){5,}")
_WIDE_RUN_BIG = re.compile(rb"(?:\0[\x20-\x7e\xa0-\xff\t\r\n]){5,}")
_READABLE = re.compile(r"[A-Za-z0-9][A-Za-z0-9 .,:;@/_-]{5}")
# Most bytes that are looked at are no text. Each is made the sign of its class, for which C looks quickly.
_WORDS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
_SIGNS = frozenset([*range(0x20, 0x7F), *range(0xA0, 0x100), *b"\t\r\n"])
_OF_RUN = bytes(ord("r") if byte in _SIGNS else byte and ord("-") for byte in range(256))
_OF_TEXT = bytes(
    ord("w") if byte in _WORDS else ord("b") if byte in b" .,:;@/_-" else ord("r") if byte in _SIGNS else 0
    for byte in range(256)
)
_WIDE_SIGNS, _WIDE_SIGNS_BIG = re.compile(rb"(?:r\0)+"), re.compile(rb"(?:\0r)+")
_READABLE_SIGNS = re.compile(rb"w[wb]{5}")


def list_texts_in_bytes(content: bytes) -> Iterator[str]:
    """Runs of letters in bytes of any form, as text of one or two bytes a letter."""
    if b"\0" in content:
        signs = content.translate(_OF_RUN)
        for sign, run, encoding in ((b"r\0", _WIDE_SIGNS, "utf-16-le"), (b"\0r", _WIDE_SIGNS_BIG, "utf-16-be")):
            start = signs.find(5 * sign)
            while start >= 0 and (found := run.match(signs, start)):
                text = content[start : found.end()].decode(encoding)
                if _READABLE.search(text):
                    yield text
                start = signs.find(5 * sign, found.end())
    signs, end = content.translate(_OF_TEXT), 0
    while found := _READABLE_SIGNS.search(signs, end):
        start = signs.rfind(b"\0", end, found.start()) + 1 or end
        end = signs.find(b"\0", found.end())
        end = end if end >= 0 else len(signs)
        yield _decode_run(content[start:end])


def is_readable(content: bytes) -> bool:
    """Whether nearly all of some bytes is text."""
    try:
        return all(letter.isprintable() or letter.isspace() for letter in content.decode().strip("\0"))
    except UnicodeDecodeError:
        runs = max(sum(map(len, pattern.findall(content))) for pattern in (_RUN, _WIDE_RUN, _WIDE_RUN_BIG))
        return runs >= READABLE_SHARE * len(content)


def _decode_run(run: bytes) -> str:
    try:
        return run.decode()
    except UnicodeDecodeError:
        return run.decode("latin-1")
