"""Which of the old encodings a text without a declaration is in: those of one byte a letter, and Japan's for mail.

Languages in Latin letters are told by the letters that they use beyond ASCII; all else is left to statistics. Where
nothing speaks for another one, it is Windows-1252, as browsers take it (WHATWG Encoding).
"""

from __future__ import annotations

import re

_MARKS = "–—‘’“”„‚…•€£§©®°´·«»‹›¿¡™\u00a0"
# In the order in which they are preferred.
_LETTERS = {
    "cp1252": "àáâãäåæçèéêëìíîïñòóôõöøùúûüÿßœšžªº",
    "cp1250": "ąćęłńóśźżáčďéěíňřšťúůýžäöüßőűăâîşţľĺŕôđ",
    "iso8859-2": "ąćęłńóśźżáčďéěíňřšťúůýžäöüßőűăâîşţľĺŕôđ",
    "cp1254": "çğıöşüâîûiİ",
    "cp1257": "ąčęėįšųūžāēģīķļņõäöü",
}
_RARE = frozenset("ĽĹŔ")  # as capitals; they stand where other encodings have frequent letters
KNOWN = {name: frozenset(letters + letters.upper() + _MARKS) - _RARE for name, letters in _LETTERS.items()}
SAMPLE = 1 << 16  # bytes
LATIN = 0.35  # share of letters beyond ASCII above which a text is in no Latin alphabet
SURE = 0.8  # share of these letters that an encoding has to explain
FEW = 8  # letters beyond ASCII from which statistics say more than what is usual
FEW_BROKEN = 0.1  # share of letters beyond ASCII that may be broken in UTF-8
JAPANESE_MAIL = re.compile(rb"\x1b\$[@B].*\x1b\([BJ]", re.S)
KOI8 = frozenset((*range(0xC0, 0xE0), 0xA3))  # bytes of its small letters
HEBREW, LEAST_HEBREW = range(0xE0, 0xFB), 40  # bytes of its letters, which are never capitals


def guess_encoding(data: bytes) -> str:
    """The most likely encoding of bytes that are not UTF-8."""
    high = [byte for byte in data[:SAMPLE] if byte > 0x7F]
    letters = sum(chr(byte).isalpha() for byte in data[:SAMPLE] if byte < 0x80) + len(high)
    if not high or len(high) <= LATIN * letters:
        best = max(KNOWN, key=lambda name: _compute_known_share(bytes(high), name))
        if _compute_known_share(bytes(high), best) >= SURE or len(high) < FEW:
            return best
    if len(high) >= LEAST_HEBREW and all(byte in HEBREW for byte in high):
        return "cp1255"
    if sum(byte in KOI8 for byte in high) >= SURE * len(high):
        return "koi8-r"
    from charset_normalizer import from_bytes

    found = from_bytes(data[:SAMPLE], preemptive_behaviour=False).best()
    return found.encoding if found is not None else "cp1252"


def decode_broken_utf8(data: bytes) -> str | None:
    """The text of UTF-8 in which a few letters are broken; None where it is none."""
    text = data.decode("utf-8", "replace")
    beyond = sum(letter > "\x7f" for letter in text)
    broken = text.count("\ufffd")
    return text if beyond >= 10 and broken <= FEW_BROKEN * beyond else None


def _compute_known_share(high: bytes, name: str) -> float:
    letters = high.decode(name, "replace")
    return sum(letter in KNOWN[name] for letter in letters) / max(1, len(letters))
