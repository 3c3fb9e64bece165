"""Asking a model to read pictures: the prompt, its limits, and what is taken of the answer.

Pictures come from documents, so what a model reads on them is text of a document: it is classified like any other, and
what it says to do is never done.
"""

import base64
from collections.abc import Sequence
from typing import Any

from llm.messages import ToolUse
from llm.prompts import Prompt, render_template

TEMPLATES = ("vision_system", "vision_user")
MOST_PICTURES = 4  # a call
MOST_BYTES = 1_500_000  # a picture, as JPEG
LONGEST_EDGE = 1_568  # pixels: models see larger pictures no better
LONGEST_TEXT = 40_000  # characters of one picture that are believed
TOKENS = 3_000  # of an answer, for one picture
RECORD_PAGES: dict[str, Any] = {
    "name": "record_pages",
    "description": "Record the text of every picture.",
    "input_schema": {
        "type": "object",
        "properties": {
            "pages": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "n": {"type": "integer", "description": "The picture's number, from 1."},
                        "text": {"type": "string", "description": "Everything that can be read on it, as Markdown."},
                    },
                    "required": ["n", "text"],
                },
            }
        },
        "required": ["pages"],
    },
}


def read_pictures(pictures: Sequence[bytes]) -> Prompt:
    """Ask for the text of JPEG pictures. Raises ValueError beyond the limits of this module."""
    if not 1 <= len(pictures) <= MOST_PICTURES or any(len(picture) > MOST_BYTES for picture in pictures):
        raise ValueError("too many pictures in one call, or one that is too large")
    shown = [
        {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/jpeg", "data": base64.b64encode(picture).decode()},
        }
        for picture in pictures
    ]
    asked = {"type": "text", "text": render_template("vision_user", count=len(pictures))}
    return Prompt(
        render_template("vision_system"),
        [{"role": "user", "content": [asked, *shown]}],
        tools=(RECORD_PAGES,),
        tool_choice={"type": "tool", "name": "record_pages"},
        max_tokens=TOKENS * len(pictures),
    )


def read_texts(tool_uses: Sequence[ToolUse], count: int) -> dict[int, str]:
    """Texts by place from 0, of the pictures that came back. A number that was not asked for, or that comes twice, is
    not believed, and neither is a text that is longer than a page can be."""
    texts: dict[int, str] = {}
    twice: set[int] = set()
    for use in tool_uses:
        pages = use.input.get("pages") if use.name == "record_pages" else None
        for page in pages if isinstance(pages, list) else []:
            n, text = (page.get("n"), page.get("text")) if isinstance(page, dict) else (None, None)
            if type(n) is not int or not 1 <= n <= count or not isinstance(text, str) or len(text) > LONGEST_TEXT:
                continue
            if n - 1 in texts:
                twice.add(n - 1)
            texts[n - 1] = text
    return {place: text for place, text in texts.items() if place not in twice}
