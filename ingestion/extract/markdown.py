"""Markdown, read as CommonMark with tables: what it says, without its marks, and nothing of it left out.

The target of a link stands behind its text, comments and raw HTML stay as they are written, so that every word of the
file is a word of some paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ingestion.documents import Extraction, Kind
from ingestion.extract import sniff
from ingestion.extract.build import Builder
from ingestion.extract.clean import clean, clean_line, clean_paragraph
from ingestion.extract.embedded import IN_TEXT, WRITTEN, compute_key, is_ornament, unpack_data_url
from ingestion.extract.eyes import Eyes
from ingestion.extract.rows import format_markdown_table

FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
# Every bracket is tried as the start of a link, up to its end or that of the block: a megabyte of them takes half a
# minute. Nobody writes links within links; a text with this many open at once has its brackets kept as they are.
MOST_OPEN = 50
BRACKET_OR_END = re.compile(r"[\[\]]|\n[ \t]*\n")
RAW_LINK = re.compile(r"<a\s[^<>]{0,500}?href\s*=\s*([\"'])(?P<target>[^\"'<>\n]{1,2000})\1", re.I)
# Deeper than that the parser leaves out what stands there, without a word.
DEEPEST = 30
EMBEDDED = "A picture is embedded in this text; it was not read."


def extract(text: str, eyes: Eyes) -> Extraction:
    builder = Builder()
    pictures = add_markdown(text, builder)
    for content in pictures:
        eyes.picture(builder, compute_key(content, IN_TEXT), "image", EMBEDDED)
    return builder.build_extraction(sniff.MARKDOWN, None)


def add_markdown(text: str, builder: Builder) -> list[bytes]:
    """The paragraphs of a text, to a builder that may have others. The pictures that it holds itself, but ornaments."""
    text = clean(text)
    if front := FRONT_MATTER.match(text):
        builder.add(clean_paragraph(front.group(1)), "code")
        text = text[front.end() :]
    pictures: dict[bytes, None] = {}
    for found in WRITTEN.finditer(text):
        content = unpack_data_url(found[0])
        if content is None:
            builder.miss("image", EMBEDDED)
        elif not is_ornament(content):
            pictures[content] = None
    text = WRITTEN.sub("data:", text)
    # Written out: the parser must keep links of every scheme, since this text is read and never rendered.
    parser = MarkdownIt("commonmark", {"maxNesting": DEEPEST}).enable(["table", "strikethrough"])
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    if open_brackets(text) > MOST_OPEN:
        parser.disable(["link", "image"])
    environment: dict[str, Any] = {}
    tokens = parser.parse(text, environment)
    if any(token.level >= DEEPEST - 1 for token in tokens):
        for block in re.split(r"\n[ \t]*\n", text):
            builder.add(clean_paragraph(block), "code", path=())
        return list(pictures)
    _Walk(builder, tokens).run()
    _add_unused_definitions(environment.get("references", {}), builder)
    return list(pictures)


def open_brackets(text: str) -> int:
    """The most square brackets that are open at once within a block."""
    most = depth = 0
    for found in BRACKET_OR_END.finditer(text):
        depth = {"[": depth + 1, "]": max(0, depth - 1)}.get(found[0], 0)
        most = max(most, depth)
    return most


def _add_unused_definitions(references: dict[str, dict[str, Any]], builder: Builder) -> None:
    """`[name]: target "title"` that no link uses is shown nowhere, yet it is in the file."""
    used = builder.text()
    for name, definition in references.items():
        said = clean_line(f"[{name}]: {definition.get('href', '')} {definition.get('title', '')}")
        if str(definition.get("href", "")) not in used or str(definition.get("title", "")) not in used:
            builder.add(said, "code", path=())


class _Walk:
    """Goes through the flat list of tokens; lists are read item by item, with their depth as indentation."""

    def __init__(self, builder: Builder, tokens: Sequence[Token]) -> None:
        self._builder, self._tokens = builder, tokens
        self._lists: list[int | None] = []  # the next number of each open list, None for bullets
        self._item: list[str] = []
        self._links: list[tuple[str, str]] = []  # of the paragraph that is being read
        self._mark = ""

    def run(self) -> None:
        index = 0
        while index < len(self._tokens):
            token = self._tokens[index]
            if token.type == "table_open":
                index = self._read_table(index)
                continue
            self._handle_token(token, index)
            index += 1
        self._end_item()

    def _handle_token(self, token: Token, index: int) -> None:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            self._end_item()
            self._lists.append(int(token.attrGet("start") or 1) if token.type == "ordered_list_open" else None)
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            self._end_item()
            self._lists.pop()
        elif token.type == "list_item_open":
            self._end_item()
            number = self._lists[-1]
            self._mark = "  " * (len(self._lists) - 1) + ("- " if number is None else f"{number}. ")
            if number is not None:
                self._lists[-1] = number + 1
        elif token.type == "inline":
            self._read_inline(token, self._tokens[index - 1])
        elif token.type in ("fence", "code_block"):
            self._add_paragraph(f"{token.info.strip()}\n{token.content}".strip("\n"), "code")
        elif token.type == "html_block":
            self._links += find_raw_links(token.content)
            self._add_paragraph(token.content.strip(), "code")

    def _read_inline(self, token: Token, opened: Token) -> None:
        heading = opened.type == "heading_open"
        if heading:
            self._end_item()
        text = clean_paragraph(join_spoken_text(token.children or [], self._links))
        if heading:
            self._builder.add(clean_line(text), "heading", level=float(opened.tag[1:]), links=self._take_links())
        else:
            self._add_paragraph(text, "text")

    def _add_paragraph(self, text: str, kind: Kind) -> None:
        if self._lists:
            self._item.append(text)
        else:
            self._builder.add(text, kind, links=self._take_links())

    def _take_links(self) -> list[tuple[str, str]]:
        taken, self._links = self._links, []
        return taken

    def _end_item(self) -> None:
        """The list item so far becomes a paragraph."""
        text = "\n".join(self._item).strip()
        if text:
            self._builder.add(self._mark.lstrip() + text, "list", links=self._take_links())
        self._item = []

    def _read_table(self, index: int) -> int:
        self._end_item()
        rows: list[list[str]] = []
        while self._tokens[index].type != "table_close":
            token = self._tokens[index]
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(clean_line(join_spoken_text(token.children or [], self._links)))
            index += 1
        self._builder.add(format_markdown_table(rows), "table", links=self._take_links())
        return index + 1


def find_raw_links(html: str) -> list[tuple[str, str]]:
    """Links of HTML that stands in the text as it is written: (target, no words)."""
    return [(clean_line(found["target"]), "") for found in RAW_LINK.finditer(html)]


def join_spoken_text(tokens: Sequence[Token], found: list[tuple[str, str]]) -> str:
    """Inline tokens as plain text: a link as `text (target)`, a picture as `alternative text (address)`. found: gets
    (target, words) of every link.
    """
    out: list[str] = []
    links: list[tuple[str, int]] = []
    for token in tokens:
        if token.type in ("text", "code_inline", "html_inline"):
            if token.type == "html_inline":
                found += find_raw_links(token.content)
            out.append("\n" if re.fullmatch(r"<br\s*/?>", token.content, re.I) else token.content)
        elif token.type in ("softbreak", "hardbreak"):
            out.append(" " if token.type == "softbreak" else "\n")
        elif token.type == "link_open":
            links.append((_read_target(token, "href"), len(out)))
        elif token.type == "link_close" and links:
            target, start = links.pop()
            words = "".join(out[start:]).strip()
            found.append((clean_line(target.partition(" ")[0]), words))
            if target and target != words:
                out.append(f" ({target})")
        elif token.type == "image":
            out.append(f"{join_spoken_text(token.children or [], found)} ({_read_target(token, 'src')})".strip())
    return "".join(out)


def _read_target(token: Token, attribute: str) -> str:
    return f"{token.attrGet(attribute) or ''} {token.attrGet('title') or ''}".strip()
