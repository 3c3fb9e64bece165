"""Reading a request as the engine gets it: text of blocks, elements, passages, and who said what."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from llm.fences import unfence
from llm.quoting.asked import normalise_question
from llm.quoting.long_questions import cut_question
from text.pieces import split_items

DOCUMENT = re.compile(
    r'<document title="(?P<title>[^"]*)"(?: kind="(?P<kind>[a-z]*)")?>\n?(?P<body>.*?)</document>', re.DOTALL
)
NUMBERED = re.compile(r"^\[(?P<n>\d+)\] ", re.MULTILINE)
FIELDS = "fields"
"""The kind of a passage that is the fields of a record."""
SECTION_SEPARATOR = " › "
PARAGRAPH = re.compile(r'<p n="(?P<n>\d+)">(?P<text>.*?)</p>', re.DOTALL)
LEVEL = re.compile(r'<level value="(?P<value>\d+)" label="(?P<label>[^"]*)">(?P<text>.*?)</level>', re.DOTALL)
BESIDE_QUESTION = re.compile(r"<(reminder|mentions|context|earlier)(?:\s[^>]*)?>.*?</\1>", re.DOTALL)


@dataclass(frozen=True)
class PromptPassage:
    """A passage of a prompt: its number, the title of its document, its text as printed. kind: of its document."""

    n: int
    title: str
    text: str
    kind: str = ""


def split_headings(passage: PromptPassage) -> list[str]:
    """The headings that a passage stands under, as its title names them; [""] where it names none."""
    return passage.title.partition("), ")[2].split(SECTION_SEPARATOR)


def get_document_title(passage: PromptPassage) -> str:
    """The title of a passage's document without the section: "Lease.pdf (Quay)" of "Lease.pdf (Quay), 2 Rent"."""
    head, closed, _ = passage.title.partition("), ")
    return head + closed[:1]


def extract_text(content: Any) -> str:
    """The text of a message's or a tool result's content: a string, or blocks of text, search and tool results."""
    if isinstance(content, str):
        return content
    parts = []
    for block in content or []:
        if block.get("type") == "text":
            parts.append(block["text"])
        elif block.get("type") in ("tool_result", "search_result"):
            parts.append(extract_text(block.get("content", "")))
    return "\n".join(parts)


def extract_element(text: str, name: str) -> str:
    """The inside of the first `<name>` element that begins a line, "" when there is none: instructions name elements in
    the middle of one. Forged tags inside were escaped by `fence`.
    """
    match = re.search(rf"^<{name}(?:\s[^>]*)?>(.*?)</{name}>", text, re.DOTALL | re.MULTILINE)
    return unfence(match[1].strip()) if match else ""


def has_element(text: str, name: str) -> bool:
    """Whether the prompt has the element at all."""
    return re.search(rf"<{name}(?:\s[^>]*)?>", text) is not None


def record_name(text: str) -> str:
    """The name of the record that the prompt is about."""
    match = re.search(r'<record type="[^"]*" name="([^"]*)">', text)
    return match[1] if match else ""


def record_type(text: str) -> str:
    """The type of the record that the prompt is about."""
    match = re.search(r'<record type="([^"]*)" name="', text)
    return match[1] if match else ""


def extract_lines(text: str, name: str) -> list[str]:
    """The non-empty lines of an element."""
    return [line.strip() for line in extract_element(text, name).splitlines() if line.strip()]


def extract_passages(text: str) -> Iterator[PromptPassage]:
    """Every numbered passage of every <passages> element, in order. A number said twice counts once."""
    seen: set[int] = set()
    for block in re.findall(r"<passages>(.*?)</passages>", text, re.DOTALL):
        for document in DOCUMENT.finditer(block):
            starts = list(NUMBERED.finditer(document["body"]))
            for index, start in enumerate(starts):
                end = starts[index + 1].start() if index + 1 < len(starts) else len(document["body"])
                n = int(start["n"])
                if n not in seen:
                    seen.add(n)
                    text = split_items(unfence(document["body"][start.end() : end].strip()))
                    yield PromptPassage(n, document["title"], text, document["kind"] or "")


def find_last_question(messages: list[dict[str, Any]]) -> tuple[int, str]:
    """(index, text) of the last message in which a person, and not a tool, speaks; (-1, "") when there is none. Of a
    long one the text is what `cut_question` reads.
    """
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if message["role"] != "user":
            continue
        content = message["content"]
        spoken = content if isinstance(content, str) else extract_text([b for b in content if b.get("type") == "text"])
        spoken = BESIDE_QUESTION.sub("", spoken).strip()
        if spoken:
            return index, normalise_question(cut_question(spoken))
    return -1, ""
