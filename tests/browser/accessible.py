"""What axe-core and a ruler find on a page, in both colour schemes, without another load of it."""

from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Page

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text()
WIDE_PARTS = """async (width) => {
  const page = document.documentElement, deadline = performance.now() + 5000;
  const painted = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  // The window, its viewport units and its media queries follow a new width one after the other.
  const settled = () => matchMedia(`(width: ${width}px)`).matches && page.scrollWidth <= page.clientWidth;
  do await painted(); while (!settled() && performance.now() < deadline);
  if (settled()) return [];
  const found = [`page of ${page.scrollWidth} in ${page.clientWidth}, window ${innerWidth}`];
  for (const part of document.querySelectorAll("body *"))
    if (part.getBoundingClientRect().right > page.clientWidth + 1)
      found.push(`${part.tagName}.${part.getAttribute("class")}`);
  return found.slice(0, 6);
}"""
VIOLATIONS = """async ({scheme, only}) => {
  const painted = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  // The page learns of another colour scheme by an event, and colours follow with the next frame.
  do await painted(); while ((document.documentElement.dataset.bsTheme || scheme) !== scheme);
  return (await axe.run(document, {resultTypes: ["violations"], ...(only && {runOnly: only})}))
    .violations.map(one => one.id + ": " + one.nodes.map(node => node.target.join(" ")).slice(0, 3).join(", "));
}"""
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
"""What the law asks, without axe's own good advice on landmarks and headings."""
COLOURS = ["color-contrast", "link-in-text-block"]
"""The rules that may fail in one colour scheme and hold in the other."""


def list_wide_parts(page: Page, width: int) -> list[str]:
    """What juts out of a window of `width` px, which the page gets first."""
    page.set_viewport_size({"width": width, "height": 800})
    return [f"too wide at {width} px: {part}" for part in page.evaluate(WIDE_PARTS, width)]


def list_violations(page: Page, scheme: str, rules: Sequence[str] | None = None) -> list[str]:
    """What breaks axe's rules (all of them if `rules` is None) in a colour scheme, which stays on."""
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found = page.evaluate(VIOLATIONS, {"scheme": scheme, "only": rules})
    return [f"{scheme}: {one}" for one in found]


def assert_accessible(page: Page) -> None:
    """In the middle of a journey: the page as it stands, whatever is open on it, light and dark. Ends in light. A part
    that is open alone, as the chat on a phone, has no heading of the page.
    """
    dark = list_violations(page, "dark", COLOURS)
    assert dark + list_violations(page, "light", WCAG) == []
