"""Every page: it fits, complains of nothing, asks no other host, is accessible, and reads without JavaScript."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect

from tests.browser.conftest import BASE, Shelf, open_page, open_record
from tests.browser.hands import call

pytestmark = pytest.mark.browser
AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text()
WIDTHS = (320, 390, 768, 1280, 1440, 1920, 2560)
NAMES = (
    "sign-in", "begin", "home", "contracts", "projects", "list-none", "record", "quarantined", "form", "new", "reader",
    "versions", "search", "search-empty", "search-none", "conversations", "conversation", "join", "password",
    "not-found", "evaluation", "evaluation-run", "bench", "bench-empty", "desk", "desk-empty", "desk-item", "desk-page",
    "quarantine", "requests", "requests-none", "ask", "ask-none", "files", "links", "shelf-versions",
    "people", "roles", "model", "share", "files-table",
)  # fmt: skip
SIMPLE = (
    "members", "notifications", "reference-new", "bin", "levels", "workspace", "tokens", "group-new", "profile",
)  # fmt: skip
"""Pages of a form or a list and nothing that comes late: one test looks at all of them."""
QUESTIONS = (
    {
        "id": "cap",
        "question": "What is the liability cap of the structural steel subcontract with Brannock Steel?",
        "places": [{"file": "steel-subcontract-brannock.pdf"}],
        "labels": [],
    },
    {
        "id": "pay",
        "question": "What was decided in the pay review of Tomasz Wrona?",
        "places": [{"file": "pay-review-tomasz-wrona-2026.pdf", "page": 1}],
        "labels": ["PII", "Financial"],
    },
    {"id": "dog", "question": "May I bring my dog to the site office?", "answerable": False, "labels": []},
)
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
  do await painted(); while (document.documentElement.dataset.bsTheme !== scheme);
  return (await axe.run(document, {resultTypes: ["violations"], ...(only && {runOnly: only})}))
    .violations.map(one => one.id + ": " + one.nodes.map(node => node.target.join(" ")).slice(0, 3).join(", "));
}"""
COLOURS = ["color-contrast", "link-in-text-block"]
"""The rules that may fail in one colour scheme and hold in the other."""
JUDGED = {320: (("light", None),), 1280: (("light", None), ("dark", COLOURS))}
"""Colour schemes and rules by width: what changes with the width is no colour."""
STILL = 0.02
"""Layout shift (web.dev/cls) below which nobody sees a page move."""
SHIFTS = """
window.__shift = 0;
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.__shift += entry.value;
}).observe({type: "layout-shift", buffered: true});
"""


@dataclass
class Visitor:
    page: Page
    addresses: dict[str, str]
    origin: str
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", self.hear)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", self.watch)

    def hear(self, message: ConsoleMessage) -> None:
        """Whatever the browser says is a complaint: refusals of the policy, missing files, deprecations, odd values."""
        if not (message.type == "error" and message.location["url"] == self.addresses["not-found"]):
            self.complaints.append(f"{message.type}: {message.text}")

    def watch(self, request: Request) -> None:
        if not request.url.startswith((self.origin, "data:")):
            self.complaints.append(f"a request to {request.url}")

    def visit(self, name: str) -> Page:
        """The page once its parts have come."""
        self.page.goto(self.addresses[name])
        self.page.wait_for_load_state("networkidle")
        return self.page


@pytest.fixture(scope="module")
def addresses(chromium: Browser, installation: str, environment: dict[str, str], shelf: Shelf) -> dict[str, str]:
    """Where the pages are; a conversation with an answered question, and an evaluation, are made on the way."""
    page = open_page(chromium, installation, "admin")
    root = f"{installation}/w/demo/"
    record = open_record(page, "contract", "Structural Steel Subcontract")
    page.get_by_placeholder("Ask about this record").fill("What is the liability cap?")
    page.get_by_role("button", name="Send").click()
    page.locator("#talk .cl-turn[data-state=done] a.cl-cite").first.wait_for(timeout=90_000)
    page.locator("#pulse-panel .cl-prose").wait_for(timeout=90_000)
    reader = page.locator("#files .cl-file-name a").first.get_attribute("href")
    page.goto("chat/")
    page.locator("main li a[href*='/chat/']").first.click()
    page.wait_for_url("**/chat/*-*/")
    conversation = page.url
    quarantined = record_with_a_broken_file(page)
    evaluate(environment)
    page.goto("evaluation/")
    run = page.locator("main tbody th a").first.get_attribute("href")
    page.goto(f"{installation}{run}")
    question = page.locator("main tbody th a").first.get_attribute("href")
    page.goto(root)
    # Beside the paragraph of the report that a steward decides on elsewhere.
    beside = call(page, "GET", f"files/{shelf.report.split('/')[1]}/paragraphs/")[1]["results"][-1]["id"]
    page.context.close()
    ask = f"{root}access-requests/new/?file={shelf.fare.split('/')[1]}&labels="
    return {
        "sign-in": f"{installation}/sign-in/",
        "begin": f"{installation}/begin/",
        "home": root,
        "contracts": f"{root}records/contract/",
        "projects": f"{root}records/project/?ordering=-name",
        "list-none": f"{root}records/contract/?q=no+such+name",
        "record": root + record,
        "quarantined": quarantined,
        "form": f"{root}{record}edit/",
        "new": f"{root}records/contract/new/",
        "reader": f"{installation}{reader}",
        "versions": f"{installation}{reader}versions/",
        "search": f"{root}search/?q=liability+cap",
        "search-empty": f"{root}search/",
        "search-none": f"{root}search/?q=liability+cap&since=2999-01-01",
        "conversations": f"{root}chat/",
        "conversation": conversation,
        "join": f"{installation}/join/",
        "password": f"{installation}/account/password/",
        "profile": f"{installation}/account/profile/",
        "not-found": f"{root}nowhere/",
        "evaluation": f"{root}evaluation/",
        "evaluation-run": f"{installation}{run}",
        "bench": f"{installation}{question}",
        "bench-empty": f"{root}evaluation/bench/",
        "desk": f"{root}desk/",
        "desk-empty": f"{root}desk/?label=6&cause=conflict",
        "desk-item": f"{root}desk/paragraphs/{beside}/",
        "desk-page": f"{root}desk/paragraphs/{beside}/page/",
        "quarantine": f"{root}quarantine/",
        "people": f"{root}people/",
        "roles": f"{root}people/roles/",
        "members": f"{root}people/roles/members/?role=1",
        "notifications": f"{root}notifications/",
        "reference-new": f"{root}{record}references/new/",
        "model": f"{root}model/",
        "bin": f"{root}bin/",
        "levels": f"{root}levels/",
        "workspace": f"{root}workspace/",
        "tokens": f"{root}tokens/",
        "group-new": f"{root}people/groups/new/",
        "share": f"{root}{record}share/",
        "files-table": f"{root}{shelf.record}files/table/",
        "requests": f"{root}access-requests/",
        "requests-none": f"{root}access-requests/",
        "ask": f"{ask}5",
        "ask-none": f"{ask}0",
        "files": f"{root}{shelf.record}files/",
        "links": f"{root}{shelf.fare}links/",
        "shelf-versions": f"{root}{shelf.report}versions/",
    }


def evaluate(environment: dict[str, str]) -> None:
    """Questions about the demo's documents, asked as two readers: two histories of a set of one name."""
    asked = Path(environment["CLEARANCE_HOME"]) / "questions about the demo.jsonl"
    asked.write_text("".join(f"{json.dumps(question)}\n" for question in QUESTIONS))
    command = [sys.executable, "manage.py", "evaluate", str(asked), "--workspace", "demo", "--as"]
    for reader in ("viewer", "admin"):
        subprocess.run([*command, reader], cwd=BASE, env=environment, check=True, capture_output=True)


def record_with_a_broken_file(page: Page) -> str:
    """The address of a new record whose only file could not be read."""
    page.goto("records/contract/new/")
    page.get_by_label("Name").fill("Crane inspection, broken file")
    page.get_by_label("Counterparty").fill("Nobody")
    page.get_by_role("button", name="Save").click()
    page.wait_for_url("**/entities/**")
    page.locator("#upload").set_input_files(
        {"name": "cut.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.7 cut"}
    )
    page.locator(".cl-file[data-state=quarantined]").wait_for(timeout=60_000)
    return page.url


@pytest.fixture(scope="module")
def visitors(chromium: Browser, installation: str, addresses: dict[str, str]) -> Iterator[dict[str, Visitor]]:
    """Two who are signed in, one of them cleared for everything, and one who is not yet."""
    inside = open_page(chromium, installation, "admin")
    public = open_page(chromium, installation, "viewer")
    outside = chromium.new_context().new_page()
    for page in (inside, public, outside):
        page.add_init_script(SHIFTS)
    yield {
        "inside": Visitor(inside, addresses, installation),
        "public": Visitor(public, addresses, installation),
        "outside": Visitor(outside, addresses, installation),
    }
    inside.context.close()
    public.context.close()
    outside.context.close()


@pytest.fixture
def visitor(visitors: dict[str, Visitor], name: str) -> Visitor:
    found = visitors[
        {"sign-in": "outside", "begin": "outside", "ask": "public", "requests-none": "public"}.get(name, "inside")
    ]
    found.complaints.clear()
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_page(visitor: Visitor, name: str):
    """One load: it stays still while its parts come, fits every width, is accessible, and complains of nothing."""
    visitor.page.set_viewport_size({"width": 1280, "height": 800})
    page = visitor.visit(name)
    expect(page.get_by_role("main")).to_be_visible()
    if page.evaluate("window.__shift") >= STILL:
        # On a first visit a font may come late, once; what the page itself moves, it moves again.
        page.reload()
        expect(page.get_by_role("main")).to_be_visible()
    assert page.evaluate("window.__shift") < STILL
    page.evaluate(AXE)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(WIDE_PARTS, width) == [], f"too wide at {width} px"
        for scheme, rules in JUDGED.get(width, ()):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
            assert page.evaluate(VIOLATIONS, {"scheme": scheme, "only": rules}) == [], f"{scheme} at {width} px"
        page.emulate_media(color_scheme="light")
    assert visitor.complaints == []


def test_simple_pages_fit_and_are_accessible_on_a_phone_in_the_dark_and_on_a_laptop(visitors: dict[str, Visitor]):
    visitor, found = visitors["inside"], []
    visitor.complaints.clear()
    page = visitor.page
    for name in SIMPLE:
        visitor.visit(name)
        page.evaluate(AXE)
        for width, scheme in ((390, "dark"), (1280, "light")):
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
            found += [f"{name} at {width} px: {part}" for part in page.evaluate(WIDE_PARTS, width)]
            given = {"scheme": scheme, "only": None}
            found += [f"{name}, {scheme}, at {width} px: {one}" for one in page.evaluate(VIOLATIONS, given)]
    assert found == []
    assert visitor.complaints == []


@pytest.mark.parametrize("name", ["record", "reader"])
def test_the_column_of_the_chat_is_there_before_the_chat(visitor: Visitor, name: str):
    """A browser paints a long page before it has read its end, where the chat stands: nothing may move aside then."""
    visitor.page.set_viewport_size({"width": 1280, "height": 800})
    page = visitor.visit(name)
    edge = "document.getElementById('middle').getBoundingClientRect().right"
    before = page.evaluate(edge)
    page.evaluate("document.getElementById('dock').remove()")
    assert page.evaluate(edge) == before < 900


def test_the_top_bar_stays_on_a_long_page(browse, addresses):
    page = browse("viewer", viewport={"width": 1280, "height": 700})
    page.goto(addresses["reader"])
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    assert page.evaluate("scrollY") > 700
    expect(page.get_by_role("banner")).to_be_in_viewport()


def test_a_phone_shows_results_first_and_filters_on_demand(browse, addresses):
    page = browse("viewer", viewport={"width": 390, "height": 844})
    page.goto(addresses["search"])
    filters = page.get_by_role("complementary", name="Narrow the results")
    expect(filters).to_be_hidden()
    expect(page.locator(".cl-result").first).to_be_in_viewport()
    page.get_by_text("Filters", exact=True).click()
    kind = filters.get_by_label("Record", exact=False).first
    with page.expect_response("**/search/?*"):
        kind.check()
    # The results were replaced under the hand that chose: filters, choice and focus are where they were.
    expect(filters).to_be_visible()
    expect(kind).to_be_checked()
    expect(kind).to_be_focused()


def test_pages_for_reading_read_without_javascript(browse, addresses):
    page = browse("admin", java_script_enabled=False)
    page.goto(addresses["reader"])
    expect(page.locator(".cl-doc")).to_contain_text("liability")
    page.goto(addresses["record"])
    expect(page.locator(".cl-props")).to_contain_text("Brannock")
    for part in ("Pulse", "Files", "Chat"):
        expect(page.get_by_role("link", name=part).first).to_be_visible()
    page.goto(addresses["contracts"])
    page.get_by_label("Name contains").fill("Tower")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    page.goto(addresses["search-empty"])
    page.get_by_label("What to look for").fill("liability cap")
    page.locator("#search-form").get_by_role("button", name="Search").click()
    expect(page.locator(".cl-result").first).to_contain_text("liability")
