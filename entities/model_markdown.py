"""Text written by a model, as HTML that can do no harm (design §6, §5 "untrusted").

A model may have read a hostile document, so nothing in its text may fetch, run or imitate: no raw HTML, no images,
links only to http(s), mail and this site, foreign ones with their host beside them; nh3 cleans all of it once more.
`[citation:n]` and `[src:a1b2c3d4]` become chips when the caller's mapping knows them, vanish when it does not, and are
left alone inside code.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import nh3
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, ngettext
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

MARKER = re.compile(r"\[(?:citation:(\d{1,9})|src:([0-9a-f]{8}))\]")
HEADING_SHIFT = 2

TAGS = {
    "a", "button", "p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "h3", "h4",
    "h5", "h6", "table", "thead", "tbody", "tr", "th", "td", "span",
}  # fmt: skip
ATTRIBUTES = {
    "a": {"href", "rel", "target", "title", "aria-label", "data-cite", "data-preview-url", "data-support"},
    "button": {"type", "aria-label"},
    "ol": {"start"},
    "span": {"role", "title", "aria-label", "data-cites", "data-gone"},
}
CLASSES = {"a": {"cl-cite"}, "button": {"cl-cite-more"}, "span": {"cl-cite", "cl-cites", "cl-host"}}


@dataclass(frozen=True)
class CitationLink:
    """What a chip shows of one source. `url` is empty when the source is no longer available to this reader.

    number: as it is shown, which counts the sources of a text. places: of a passage that a text cites more than once,
    the chip at each of its markers in order.
    """

    number: int
    name: str  # short source name: "MSA.pdf", never an id
    url: str = ""
    where: str = ""  # "p. 12"
    preview_url: str = ""  # answers an HTML fragment, templates/components/citation_preview.html
    support: str = ""  # "supported", "quoted", "weak", "unsupported" or "" for unknown
    atoms: tuple[int, ...] = ()  # what the source needs
    places: tuple["CitationLink", ...] = ()

    def at_place(self, place: int) -> "CitationLink":
        """The chip at the marker `place`, from 0."""
        return self.places[place] if place < len(self.places) else self


Citations = Mapping[Any, CitationLink]


def render_citations(links: Sequence[CitationLink]) -> SafeString:
    """One chip for a run of adjacent citations: the first by name, the others behind "+2"."""
    chips = "".join(_render_chip(link) for link in links)
    more = len(links) - 1
    if more > 0:
        label = ngettext("Show %(count)s more source", "Show %(count)s more sources", more) % {"count": more}
        chips += f'<button type="button" class="cl-cite-more" aria-label="{escape(label)}">+{more}</button>'
    return mark_safe(f'<span class="cl-cites" data-cites>{chips}</span>')


def _render_chip(link: CitationLink) -> str:
    place = f"{link.name}, {link.where}" if link.where else link.name
    # After the number two parts, of which the name is cut short first: where to look is never lost.
    text = f"<strong>{link.number}</strong> <span>{escape(link.name)}</span>" + (
        f"<span> · {escape(link.where)}</span>" if link.where else ""
    )
    if not _is_local(link.url):
        label = escape(
            gettext("Source %(number)s: %(place)s, no longer available") % {"number": link.number, "place": place}
        )
        title = escape(gettext("No longer available"))
        gone = f'role="note" data-gone="true" title="{title}" aria-label="{label}"'
        return f'<span class="cl-cite" {gone}>{text}</span>'
    source = gettext("Source %(number)s: %(place)s") % {"number": link.number, "place": place}
    verdict = {"weak": gettext("weak support"), "unsupported": gettext("not supported by the source")}.get(link.support)
    attributes = {
        "href": link.url,
        "data-cite": str(link.number),
        "data-preview-url": link.preview_url if _is_local(link.preview_url) else "",
        "data-support": link.support,
        "aria-label": f"{source}, {verdict}" if verdict else source,
    }
    written = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items() if value)
    return f'<a class="cl-cite"{written}>{text}</a>'


def _is_local(url: str) -> bool:
    """A path of this site: browsers read "//host", "/\\host" and a leading control character as something else."""
    return url.startswith("/") and url[1:2] not in ("/", "\\") and not re.search(r"[\x00-\x20\x7f]", url)


def is_allowed(url: str) -> bool:
    """Whether a link may lead there."""
    if url.startswith(("/", "#")):
        return url.startswith("#") or (_is_local(url) and not url.lower().startswith("/%5c"))
    return bool(re.match(r"(?:https?://[^/\\@\s]|mailto:[^\s/])", url, re.IGNORECASE))


def _parse_citation(state: StateInline, silent: bool) -> bool:
    found = MARKER.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        token = state.push("citation", "", 0)
        key = int(found[1]) if found[1] else found[2]
        token.meta = {"key": key, "at": state.env["counts"][key]}
        state.env["counts"][key] += 1
    state.pos = found.end()
    return True


def _render_citation_token(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """The first marker of a run draws the whole run; a run is markers with nothing or blanks between them."""
    if index and _run_before(tokens, index):
        return ""
    links: list[CitationLink] = []
    for token in tokens[index:]:
        if token.type == "citation":
            link = env["citations"].get(token.meta["key"])
            if link and (here := link.at_place(token.meta["at"])) not in links:
                links.append(here)
        elif token.type != "text" or token.content.strip():
            break
    # The word joiner keeps a full stop on the line of the chip before it.
    return f"{render_citations(links)}\u2060" if links else ""


def _run_before(tokens: Sequence[Token], index: int) -> bool:
    for token in reversed(tokens[:index]):
        if token.type == "citation":
            return True
        if token.type != "text" or token.content.strip():
            return False
    return False


def _render_image(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return escape(read_image_words(renderer, tokens[index], options, env))


def read_image_words(renderer: RendererHTML, token: Token, options: Any, env: Any) -> str:
    """Images would be fetched: only their words stay."""
    return renderer.renderInlineAsText(token.children or [], options, env) or "(image)"


def name_host(href: str) -> str:
    """What stands beside a link that leaves this site."""
    return "" if href.startswith(("/", "#")) else urlsplit(href).hostname or ""


def _open_link(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    href = str(tokens[index].attrs.get("href", ""))
    env["hosts"].append(name_host(href))
    if href.startswith(("/", "#")):
        return f'<a href="{escape(href)}">'
    return f'<a href="{escape(href)}" rel="noopener noreferrer nofollow" target="_blank">'


def _close_link(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    host = env["hosts"].pop() if env["hosts"] else ""
    return f'</a><span class="cl-host"> ({escape(host)})</span>' if host else "</a>"


def _shift_headings(tokens: Sequence[Token]) -> None:
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + HEADING_SHIFT)}"


def build_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False, "breaks": False})
    parser.enable(["table", "strikethrough"])
    parser.validateLink = is_allowed  # type: ignore[method-assign]
    parser.inline.ruler.before("link", "citation", _parse_citation)
    for name, rule in {
        "citation": _render_citation_token,
        "image": _render_image,
        "link_open": _open_link,
        "link_close": _close_link,
    }.items():
        parser.add_render_rule(name, rule)
    return parser


PARSER = build_parser()


def render_markdown(text: str, citations: Citations | None = None) -> SafeString:
    """Safe HTML of `text`. `citations` maps the n of `[citation:n]` (int) and the hex of `[src:hex]` (str) to links."""
    env = {"citations": citations or {}, "hosts": [], "counts": Counter()}
    tokens = PARSER.parse(text, env)
    _shift_headings(tokens)
    html = PARSER.renderer.render(tokens, PARSER.options, env)
    clean = nh3.clean(
        html,
        tags=TAGS,
        attributes=ATTRIBUTES,
        allowed_classes=CLASSES,
        url_schemes={"http", "https", "mailto"},
        link_rel=None,
        strip_comments=True,
    )
    return mark_safe(clean)
