"""Every string of an XML part: text, however many runs it is cut into, attributes, comments, and names that are no
words of a vocabulary. Read as a stream, so that memory does not grow with the part."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from ingestion.extract.package import SAFE
from ingestion.extract.remainder import ADDRESSES, NAME, is_formal

# Elements whose text is one text: within each, what stands in elements of one name is joined.
BLOCKS = frozenset(["p", "h", "si", "is", "text", "comment", "cell", "property", "string"])
BLANKS = frozenset(["tab", "br", "cr", "s", "line-break", "ptab"])
# Elements that hold what programs count and sign by, in letters: no text, and no bytes of an author.
SIGNED = frozenset(
    ["SignatureValue", "DigestValue", "X509Certificate", "EncapsulatedTimeStamp", "EncapsulatedX509Certificate"]
    + ["EncapsulatedOCSPValue", "EncapsulatedCRLValue", "Modulus", "keyHashValue", "saltValue"]
)
BASE64 = re.compile(r"[A-Za-z0-9+/=\s]{24,}")
# Vocabularies whose names say nothing of what a value is.
KNOWN = re.compile(
    rf"\{{(?:https?://(?:{ADDRESSES}|www\.idpf\.org|www\.daisy\.org)/"
    r"|urn:(?:schemas-microsoft-com|oasis:names|schemas-upnp-org):)"
)
DIGITS = re.compile(r"(?:\d\D{0,3}){6}")  # so many may be the number of somebody, whom its name tells
MAX_LABELLED_CHARACTERS = 200
MAX_DEPTH = 5_000


def list_texts_of_xml(content: bytes) -> list[str]:
    """Raises etree.LxmlError for what is no XML, or declares a type of document."""
    strings = _Strings()
    options = {**SAFE, "recover": False, "huge_tree": True}
    etree.fromstring(content, etree.XMLParser(target=strings, **options))
    return list(strings.texts)


class _Strings:
    """Target of a parser."""

    def __init__(self) -> None:
        self.texts: dict[str, None] = {}
        self._blocks: list[dict[str, list[str]]] = [{}]
        self._open: list[str] = []
        self._names: set[str] = set()
        self._tags: dict[str, tuple[str, bool]] = {}  # local name, and whether its vocabulary is not known
        self._values: set[str] = set()
        self._titles: list[str] = []  # what the value of each open element is, "" where its name says nothing
        self._leaf = ""

    def start(self, tag: str, attributes: Any) -> None:
        if tag not in self._tags:
            self._tags[tag] = tag.rpartition("}")[2], KNOWN.match(tag) is None
            self._add_name(tag)
        name, strange = self._tags[tag]
        named = ""
        if attributes:
            named = next((value for key, value in attributes.items() if key.rpartition("}")[2] == "name"), "")
        above = self._titles[-1] if self._titles else ""
        self._titles.append(named or (name if strange else above))
        self._leaf = ""
        for key, value in attributes.items() if attributes else ():
            if strange or named:
                self._add_named(key.rpartition("}")[2] if strange else named, value)
            if key not in self._names:
                self._add_name(key)
            if value not in self._values:
                self._values.add(value)
                self._add_string(value)
        if name in BLOCKS or not self._open:
            self._blocks.append({})
        elif name in BLANKS:
            for pieces in self._blocks[-1].values():
                pieces.append(" ")
        self._open.append(name)
        if len(self._open) > MAX_DEPTH:
            raise etree.XMLSyntaxError("too deep", 0, 0, 0)

    def data(self, text: str) -> None:
        if not text.isspace():
            name = self._open[-1] if self._open else ""
            self._blocks[-1].setdefault(name, []).append(text)
            if self._titles and self._titles[-1] and len(self._leaf) < MAX_LABELLED_CHARACTERS:
                self._leaf += text

    def end(self, tag: str) -> None:
        name = self._open.pop()
        self._add_named(self._titles.pop(), self._leaf)
        self._leaf = ""
        if name in BLOCKS or not self._open:
            self._add_block(self._blocks.pop())
        elif name in self._blocks[-1] and len(self._blocks) < 3:  # outside of blocks, each element is by itself
            self._add_pieces(name, self._blocks[-1].pop(name))

    def comment(self, text: str) -> None:
        self._add_string(text)

    def pi(self, target: str, data: str | None) -> None:
        self._add_string(f"{target} {data or ''}" if not is_formal(target) else data or "")

    def start_ns(self, prefix: str, uri: str) -> None:
        if uri not in self._values:
            self._values.add(uri)
            self._add_string(uri)
            self._add_name(prefix or "x")

    def doctype(self, name: str, public: str | None, system: str | None) -> None:
        raise etree.XMLSyntaxError("a type of document", 0, 0, 0)

    def close(self) -> None:
        for block in self._blocks:
            self._add_block(block)

    def _add_block(self, block: dict[str, list[str]]) -> None:
        for name, pieces in block.items():
            self._add_pieces(name, pieces)

    def _add_pieces(self, name: str, pieces: list[str]) -> None:
        text = "".join(pieces)
        if name not in SIGNED or BASE64.fullmatch(text) is None:
            self._add_string(text)

    def _add_named(self, name: str, value: str) -> None:
        """A number with its name, without which it is nobody's."""
        if name and len(value) <= MAX_LABELLED_CHARACTERS and DIGITS.search(value):
            self.texts[f"{name}: {value.strip()}"] = None

    def _add_string(self, text: str) -> None:
        text = text.strip()
        if text and not is_formal(text):
            self.texts[text] = None

    def _add_name(self, tag: str) -> None:
        self._names.add(tag)
        name = tag.rpartition("}")[2]
        if not NAME.fullmatch(name):
            self.texts[name] = None
