"""Every page: it fits, complains of nothing, asks no other host, is accessible, and reads without JavaScript."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect

from tests.browser.accessible import WCAG, list_violations, list_wide_parts
from tests.browser.addresses import make_addresses
from tests.browser.conftest import Shelf, open_page

pytestmark = pytest.mark.browser
WIDTHS = (320, 390, 768, 1280, 2560)
NAMES = (
    "sign-in", "begin", "home", "contracts", "projects", "list-none", "record", "quarantined", "form", "new", "reader",
    "versions", "search", "search-empty", "search-none", "conversations", "conversation", "join", "password",
    "not-found", "evaluation", "evaluation-run", "bench", "bench-empty", "desk", "desk-empty", "desk-item", "desk-page",
    "quarantine", "requests", "requests-none", "ask", "ask-none", "files", "links", "shelf-versions",
    "people", "roles", "model", "share", "files-table",
)  # fmt: skip
SIMPLE = (
    "members", "notifications", "reference-new", "bin", "levels", "workspace", "tokens", "group-new", "profile",
    "answers", "inspector", "reader-find", "desk-groups", "admin", "admin-roles", "admin-role", "admin-members", "api",
    "encoder", "exposure",
)  # fmt: skip
"""Pages of a form or a list and nothing that comes late: one test looks at all of them."""
JUDGED = {390: "dark", 1280: "light"}
"""The colour scheme that a page is judged in, by width: what depends on both at once has not been found yet."""
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
    return make_addresses(chromium, installation, environment, shelf)


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
    for width in WIDTHS:
        assert list_wide_parts(page, width) == []
        if scheme := JUDGED.get(width):
            assert list_violations(page, scheme) == [], f"at {width} px"
    page.emulate_media(color_scheme="light")
    assert visitor.complaints == []


def test_simple_pages_fit_and_are_accessible_on_a_phone_in_the_dark_and_on_a_laptop(visitors: dict[str, Visitor]):
    visitor, found = visitors["inside"], []
    visitor.complaints.clear()
    page = visitor.page
    for name in SIMPLE:
        visitor.visit(name)
        for width, scheme in JUDGED.items():
            rules = WCAG if name.startswith(("admin", "api")) else None
            found += [f"{name} {one}" for one in list_wide_parts(page, width) + list_violations(page, scheme, rules)]
    # Swagger UI puts its buttons into a button.
    assert [one for one in found if not re.match(r"api \w+: nested-interactive", one)] == []
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
