"""Markdown with the words of a model or a stranger in it, for whoever draws it elsewhere: the API and exports.

Pages draw it by `model_markdown.render_markdown` alone. What that leaves out is taken out of the text here, found by
the same parser under the same rules: of an image its words stay, and of a link to where none may lead; a link to
another host has the host beside it, and HTML is text. All else stays as it was written.
"""

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, autolink, image, link

from entities.model_markdown import PARSER, build_parser, is_allowed, name_host, read_image_words

TAG = re.compile(r"<(?=[A-Za-z/!?])[^\n]{0,40}")
BETWEEN_LINES = r"[ \t>]*\n[ \t>]*"
"""The lines of a paragraph may stand in a quotation."""
MOST_ROUNDS = 8
MOST_EDITS = 50
"""Of a paragraph. One that has more, or that is not neutral after as many rounds, loses its signs altogether."""
SIGNS = str.maketrans({"[": "&#91;", "<": "&lt;"})
Rule = Callable[[StateInline, bool], bool]
Edit = tuple[str, str]
"""What stands there, and what is to stand there."""


def clean_markdown(text: str) -> str:
    """`text` so that nobody who draws it as Markdown fetches, runs or disguises anything that stands in it."""
    for left in reversed(range(MOST_ROUNDS)):
        blocks = _find_edits(text)
        if not blocks:
            break
        lines = re.split(r"\r\n?|\n", text)
        for first, end, edits in reversed(blocks):
            block = "\n".join(lines[first:end])
            # What stands in code too is found there first, and once more in the next round.
            few = left and len(edits) <= MOST_EDITS
            lines[first:end] = (_apply(block, edits) if few else block.translate(SIGNS)).split("\n")
        text = "\n".join(lines)
    return text


def _find_edits(text: str) -> list[tuple[int, int, list[Edit]]]:
    """(first line, end, edits) of each paragraph, heading or cell in which something is not neutral."""
    found: list[tuple[int, int, list[Edit]]] = []
    env: dict[str, Any] = {}
    for token in WATCHER.parse(text, env):
        if token.type == "inline" and token.map:
            env |= {"edits": [], "in_image": False, "counts": Counter()}
            WATCHER.inline.parse(token.content, WATCHER, env, [])
            if env["edits"]:
                found.append((*token.map, env["edits"]))  # type: ignore[arg-type]
    return found


def _apply(block: str, edits: list[Edit]) -> str:
    changed = block
    for old, new in edits:
        pattern = BETWEEN_LINES.join(re.escape(part.strip(" \t")).replace(r"\|", r"\\?\|") for part in old.split("\n"))
        # What is added behind a link stands there once.
        added = new.removeprefix(old) if new.startswith(old) else ""
        found = re.search(f"(?:{pattern})(?!{re.escape(added)})" if added else pattern, changed)
        if found:
            changed = changed[: found.end() if added else found.start()] + (added or new) + changed[found.end() :]
    return changed if changed != block else block.translate(SIGNS)


def _watch(rule: Rule) -> Rule:
    """The rule of the parser, which writes down where what it finds is not neutral. Of images within images the
    outermost counts.
    """

    def watch(state: StateInline, silent: bool) -> bool:
        at, count, inside = state.pos, len(state.tokens), state.env["in_image"]
        state.env["in_image"] = inside or rule is image
        try:
            if not rule(state, silent):
                return False
        finally:
            state.env["in_image"] = inside
        if not silent and not inside:
            old = state.src[at : state.pos]
            new = _clean_found(state, old, count)
            if new != old:
                state.env["edits"].append((old, new))
        return True

    return watch


def _clean_found(state: StateInline, old: str, count: int) -> str:
    # Text that stands before it may have become a token only now.
    token, *inside = state.tokens[count if state.tokens[count].type in ("image", "link_open") else count + 1 :]
    if token.type == "image":
        words = read_image_words(PARSER.renderer, token, state.md.options, state.env)  # type: ignore[arg-type]
        return " ".join(words.split())
    href = str(token.attrs.get("href", ""))
    if not is_allowed(href):
        return " ".join("".join(part.content or " " * (part.type == "softbreak") for part in inside).split())
    host = name_host(href)
    beside = f" ({host})" if host and not old.startswith("<") else ""
    return old if state.src.startswith(beside, state.pos) else old + beside


def _find_tag(state: StateInline, silent: bool) -> bool:
    found = TAG.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        if not state.env["in_image"]:
            state.env["edits"].append((found[0], "&lt;" + found[0][1:]))
        state.pending += "<"
    state.pos += 1
    return True


def _build_watcher() -> MarkdownIt:
    watcher = build_parser()
    watcher.validateLink = lambda url: True  # type: ignore[method-assign]
    watcher.core.ruler.enableOnly(["normalize", "block"])
    rules: dict[str, Rule] = {"image": image, "link": link, "autolink": autolink}
    for name, rule in rules.items():
        watcher.inline.ruler.at(name, _watch(rule))
    watcher.inline.ruler.after("autolink", "tag", _find_tag)
    return watcher


WATCHER = _build_watcher()
