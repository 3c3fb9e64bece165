"""Texts that are spelt so that no rule knows them, as they are read: letter by letter, in other alphabets' look-alikes,
in full width, or percent-encoded. For the rules alone; the text that people see stays as it is."""

import re
from collections.abc import Iterator
from urllib.parse import unquote

# A table's bars and the dots of a leader are no letters of a word.
LETTER_BY_LETTER = re.compile(r"(?<!\S)[^\s|](?:[ \n][^\s|]){3,}(?!\S)")
WORD_BORDER = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])|(?<=[a-zß-öø-ÿ])(?=[A-Z])|(?<=[:;])(?=\w)")
PERCENT_ENCODED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
MAX_ENCODINGS = 3
"""An address within an address is encoded twice."""
WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
INVISIBLE = dict.fromkeys([0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF])
PLAIN = WIDE | INVISIBLE
# Letters that look the same: Cyrillic and Greek, then Latin.
LOOK_ALIKES = str.maketrans(
    "аеорсухіјѕԁһԛԝкмтвгАВЕЗКМНОРСТУХІЈЅԚԜοαενικρτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdhqwkmtbrABE3KMHOPCTYXIJSQWoaevikptuxABEZHIKMNOPTYX",
)
TWO_ALPHABETS = re.compile(r"\b(?=\w*[A-Za-z])(?=\w*[\u0370-\u03ff\u0400-\u052f])\w+")


def read_spellings(text: str) -> Iterator[str]:
    """The text, and what it reads like where it is spelt in another way."""
    yield text
    plain = _decode(text) if "%" in text else text
    if not plain.isascii():
        plain = TWO_ALPHABETS.sub(lambda word: word[0].translate(LOOK_ALIKES), plain.translate(PLAIN))
    plain = LETTER_BY_LETTER.sub(_join, plain)
    if plain != text:
        yield plain


def _decode(text: str) -> str:
    for _ in range(MAX_ENCODINGS):
        decoded = PERCENT_ENCODED.sub(lambda run: unquote(run[0]), text)
        if decoded == text:
            break
        text = decoded
    return text


def _join(letters: re.Match[str]) -> str:
    """Where the blanks between words are no wider than those between letters, words end where numbers and capitals
    begin; and a password has both."""
    joined = re.sub(r"[ \n]", "", letters[0])
    parted = WORD_BORDER.sub(" ", joined)
    return joined if parted == joined else f"{joined} {parted}"
