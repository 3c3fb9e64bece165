"""From the upload of a PDF to cited answers, as people do it, and what other people see of the same document."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Request, expect

from tests.browser import paper
from tests.browser.conftest import open_page, open_record

pytestmark = pytest.mark.browser
CONTRACT = "Façade Cleaning Framework"
CHANGED = "Tower Crane Hire"
BAND = "requires Financial clearance"
SOON, LONG = 15_000, 90_000
# Notes what stood in the lines that change while a file is read and a turn runs.
WITNESS = """
window.__seen = {stages: [], steps: [], texts: []};
const note = (list, text) => { text = (text || "").trim(); if (text && list.at(-1) !== text) list.push(text); };
new MutationObserver(() => {
  const seen = window.__seen;
  note(seen.stages, document.querySelector("#files .cl-file .cl-status, #files [data-slot=status]")?.textContent);
  const turns = document.querySelectorAll("[data-turn]");
  for (const turn of turns) {
    note(seen.steps, turn.querySelector("[data-turn-line]").textContent);
    note(seen.texts, turn.querySelector("[data-turn-text]").textContent);
  }
}).observe(document, {subtree: true, childList: true, characterData: true});
"""

# Asks for a Pulse twice a second and notes each one that it has not seen yet.
PULSE_WATCH = """
(url) => {
  window.__pulses = [];
  setInterval(async () => {
    const pulse = await (await fetch(url)).json();
    if (window.__pulses.at(-1)?.generated_at !== pulse.generated_at) window.__pulses.push(pulse);
    window.__quiet = !pulse.refreshing && pulse.stale_since === null;
  }, 500);
}
"""
CHANGE = """
async ([url, values]) => {
  const token = JSON.parse(document.body.getAttribute("hx-headers"))["X-CSRFToken"];
  const headers = {"X-CSRFToken": token, "Content-Type": "application/json"};
  const codes = [];
  for (const value of values)
    codes.push((await fetch(url, {method: "PATCH", headers, body: JSON.stringify({value})})).status);
  return codes;
}
"""


@dataclass
class Complaints:
    """Whatever the browsers said. refused: addresses that were asked for in order to be refused.

    abandoned: requests that the browser gave up because its page was left. htmx reports each of them in two messages
    (`unanswered`), and may report no others.
    """

    heard: list[str] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)
    abandoned: int = 0
    refused: set[str] = field(default_factory=set)

    def listen(self, page: Page) -> None:
        page.on("console", self.hear)
        page.on("pageerror", lambda error: self.heard.append(str(error)))
        page.on("requestfailed", self.give_up)

    def give_up(self, request: Request) -> None:
        self.abandoned += request.failure == "net::ERR_ABORTED"

    def hear(self, message: ConsoleMessage) -> None:
        if message.text.startswith(("htmx:afterRequest", "htmx:sendError", "htmx:sendAbort")):
            self.unanswered.append(message.text)
        elif not (message.type == "error" and message.location["url"] in self.refused):
            self.heard.append(f"{message.type}: {message.text} {message.location['url']}")


@pytest.fixture
def complaints() -> Iterator[Complaints]:
    said = Complaints()
    yield said
    assert said.heard == []
    assert len(said.unanswered) <= 2 * said.abandoned, said


@pytest.fixture
def browse(browse: Callable[..., Page], complaints: Complaints) -> Callable[..., Page]:
    """As everywhere, and the browser must have nothing to complain of."""

    def sign_in(user: str) -> Page:
        page = browse(user)
        complaints.listen(page)
        return page

    return sign_in


@pytest.fixture(scope="module", autouse=True)
def burst(chromium: Browser, installation: str) -> Iterator[Page]:
    """Five changes of a contract at once, and a page that watches its Pulse from then on, while the other tests run."""
    page = open_page(chromium, installation, "admin")
    record = open_record(page, "contract", CHANGED).split("?")[0]
    page.locator("#pulse-panel .cl-prose").wait_for(timeout=LONG)
    api = f"{installation}/w/demo/api/{record}"
    page.evaluate(PULSE_WATCH, f"{api}pulse/")
    until_quiet(page, pulses=1)
    page.evaluate("window.__pulses = window.__pulses.slice(-1)")
    record_api = api.replace("/entities/", "/entities/contract/")
    codes = page.evaluate(CHANGE, [record_api, ["216101", "216102", "216103", "216104", "216105"]])
    assert codes == [200] * 5
    yield page
    page.context.close()


def until_quiet(page: Page, pulses: int) -> None:
    """Waits for so many Pulses, and that none is on its way. By looking: the page's policy forbids eval."""
    for _ in range(LONG // 250):
        if page.evaluate(f"window.__quiet === true && window.__pulses.length >= {pulses}"):
            return
        page.wait_for_timeout(250)
    raise AssertionError(page.evaluate("[window.__quiet, window.__pulses]"))


@dataclass(frozen=True)
class Uploaded:
    record: str  # paths below the workspace
    file: str
    stages: list[str]  # what the row of the file said, in order
    stayed: bool  # the page was never loaded anew while the file was read


@pytest.fixture(scope="module")
def uploaded(chromium: Browser, installation: str) -> Iterator[Uploaded]:
    """Admin opens a contract and drops the PDF on it; ready when the row of the file says so."""
    page = open_page(chromium, installation, "admin")
    page.add_init_script(WITNESS)
    record = open_record(page, "contract", CONTRACT)
    page.evaluate("window.__stayed = true")  # gone with the document
    drop(page, paper.NAME, paper.rope_access_review())
    row = page.locator("#files .cl-file").filter(has_text=paper.NAME)
    expect(row).to_have_attribute("data-state", "ready", timeout=LONG)
    stages, href = page.evaluate("window.__seen.stages"), row.get_by_role("link").first.get_attribute("href")
    yield Uploaded(record, str(href).split("/w/demo/")[1], stages, page.evaluate("window.__stayed === true"))
    page.context.close()


def drop(page: Page, name: str, content: bytes) -> None:
    """Drops a file on the page's field for files, as a hand does."""
    field = page.locator("form[data-upload]:has(#upload)")
    field.wait_for()
    transfer = page.evaluate_handle(
        """([name, bytes]) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([new Uint8Array(bytes)], name, {type: "application/pdf"}));
            return transfer;
        }""",
        [name, list(content)],
    )
    field.dispatch_event("drop", {"dataTransfer": transfer})


def ask(page: Page, question: str) -> Locator:
    """Sends a question in the dock; the turn of the answer, finished or not."""
    field = page.get_by_placeholder("Ask about this record")
    field.fill(question)
    field.press("Enter")
    return answer_to(page, question)


def answer_to(page: Page, question: str) -> Locator:
    asked = page.locator("#talk [data-from=person]").filter(has_text=question)
    return asked.locator("xpath=following-sibling::li[1]")


def finished(turn: Locator) -> Locator:
    expect(turn).to_have_attribute("data-state", "done", timeout=LONG)
    return turn


def search(page: Page, words: str) -> Locator:
    page.goto("search/")
    page.get_by_label("What to look for").fill(words)
    page.locator("#search-form").get_by_role("button", name="Search").click()
    page.locator("#found").get_by_role("status").wait_for(state="attached", timeout=LONG)
    return page.locator(".cl-result")


def test_a_dropped_pdf_is_read_before_ones_eyes_and_comes_out_by_label(uploaded, browse):
    assert uploaded.stayed
    assert uploaded.stages[-1] == "Ready"
    between = uploaded.stages[uploaded.stages.index("Uploading") + 1 : -1]
    assert len(between) >= 2, f"the stages did not move: {uploaded.stages}"
    assert any(re.search(r"step [1-5] of 5", stage) for stage in between), uploaded.stages
    page = browse("admin")
    page.goto(uploaded.record)
    row = page.locator("#files .cl-file").filter(has_text=paper.NAME)
    outcome = row.locator(".cl-file-outcome")
    expect(outcome).to_have_text(re.compile(r"Public\s*14\s*paragraphs\s*Financial\s*1\s*paragraph\b"))
    expect(row).to_contain_text("3 pages")


@pytest.mark.parametrize(
    ("words", "text", "page_number", "section"),
    [(paper.EXACT, paper.EXACT, 1, "Method"), (paper.MEANING, "gusts pass eleven", 3, "Weather")],
    ids=["exact words", "meaning"],
)
def test_the_document_is_found_with_page_and_section(uploaded, browse, words, text, page_number, section):
    page = browse("admin")
    # The Pulses repeat the text, without pages; neighbours name the words that the passage beside them matched.
    found = (
        search(page, words)
        .filter(has=page.locator(".cl-result-text", has_text=text))
        .filter(has=page.get_by_role("heading", name=f"page {page_number}"))
    )
    expect(found).to_have_count(1)
    expect(found.get_by_role("heading")).to_contain_text(f"page {page_number}")
    expect(found).to_contain_text(section)
    found.get_by_role("heading").get_by_role("link").click()
    page.wait_for_url(f"**/{uploaded.file.split('?')[0]}**")
    expect(page.locator("p[data-cited]").filter(has_text=text)).to_be_in_viewport()


def test_pulse_appears_with_citations_that_lead_to_the_passage(uploaded, browse):
    page = browse("admin")
    page.goto(uploaded.record)
    cited = page.locator("#pulse-panel .cl-prose a.cl-cite").first
    cited.wait_for(timeout=LONG)
    cited.click()
    page.wait_for_url(re.compile(r"/(files|entities)/.*[?#]"))


def test_an_answer_streams_and_its_citation_opens_the_highlighted_passage(uploaded, browse):
    page = browse("admin")
    page.add_init_script(WITNESS)
    page.goto(uploaded.record)
    turn = finished(ask(page, "When does climbing stop because of gusts?"))
    expect(turn).to_contain_text("eleven metres per second")
    seen = page.evaluate("window.__seen")
    assert [line for line in seen["steps"] if line not in ("Thinking", "Writing")], seen
    assert any(text for text in seen["texts"]), seen
    turn.locator("a.cl-cite").first.click()
    page.wait_for_url(f"**/{uploaded.file.split('?')[0]}**")
    cited = page.locator("p[data-cited]").filter(has_text="gusts pass eleven")
    expect(cited).to_be_in_viewport()


def test_a_reload_in_the_middle_of_an_answer_loses_nothing(uploaded, browse, installation):
    page = browse("admin")
    page.add_init_script(WITNESS)
    page.goto(uploaded.record)
    question = "What were the terminations changed to?"
    turn = ask(page, question)
    pk = turn.get_attribute("id")
    page.get_by_placeholder("Ask about this record").fill("And who asked about the bakery")
    turn.locator("[data-turn-text]").filter(has_text=re.compile(r"\w")).wait_for()
    begun = page.evaluate("window.__seen.texts.at(-1)")
    page.reload(wait_until="commit")
    now = page.request.get(f"{installation}/w/demo/api/chat/turns/{pk}/").json()
    assert now["state"] == "running", "the answer had ended before the reload"
    assert now["message"] is None
    turn = finished(page.locator(f"[id='{pk}']"))
    answer = turn.locator(".cl-prose").inner_text()
    assert answer.startswith(begun)
    assert answer.count("All terminations were changed to stainless ferrules") == 1, answer
    texts = page.evaluate("window.__seen.texts")
    assert texts, "nothing streamed after the reload"
    assert all(longer.startswith(text) for text, longer in pairwise(texts)), texts
    expect(turn).to_have_count(1)
    expect(page.locator("#talk [data-from=person]").filter(has_text=question)).to_have_count(1)
    expect(page.get_by_placeholder("Ask about this record")).to_have_value("And who asked about the bakery")


@pytest.mark.parametrize(("user", "cleared"), [("cfo", True), ("viewer", False)])
def test_pay_is_text_for_one_and_a_placeholder_for_the_other(uploaded, browse, user, cleared):
    page = browse(user)

    page.goto(uploaded.file)
    expect(page.locator(".cl-doc")).to_contain_text(paper.BESIDE_PAY)
    told(page, page.locator(".cl-doc"), cleared)

    found = search(page, "average salary of the rope crew").filter(has_text=paper.FIGURE)
    expect(found).to_have_count(1 if cleared else 0)
    beside = search(page, paper.BESIDE_PAY).filter(has_text="keeps the same anchors")
    expect(beside).to_have_count(1)
    if not cleared:
        told(page, beside, cleared)

    page.goto(uploaded.record)
    told(page, finished(ask(page, "What is the average salary of the rope crew?")), cleared)

    told(page, page.locator("#pulse-panel"), cleared)


def told(page: Page, place: Locator, cleared: bool) -> None:
    """Text for who is cleared; for who is not, a band that names what is missing, and the figures nowhere in the
    page.
    """
    band = place.locator(".cl-band").filter(has_text=BAND)
    if cleared:
        expect(place).to_contain_text(paper.FIGURE, timeout=LONG)
        expect(band).to_have_count(0)
    else:
        expect(band).to_have_count(1, timeout=LONG)
        expect(band).to_be_visible()
        assert paper.FIGURE not in page.content()
        assert paper.TOTAL not in page.content()


@pytest.mark.parametrize(("user", "cleared"), [("cfo", True), ("viewer", False)])
def test_the_value_of_a_contract_is_masked_and_shown(browse, user, cleared):
    page = browse(user)
    page.goto("records/contract/")
    row = page.get_by_role("row").filter(has_text="Structural Steel Subcontract")
    assert ("£1,184,000" in row.inner_text()) is cleared
    row.get_by_role("link").first.click()
    value = page.locator(".cl-props > div").filter(has_text="Value").locator("dd")
    expect(value).to_contain_text("£1,184,000" if cleared else "Financial")
    assert ("1,184,000" in page.locator(".cl-props").inner_html()) is cleared


def test_a_restricted_contract_exists_only_for_who_may_see_it(browse, complaints, installation):
    page = browse("cfo")
    gannet = open_record(page, "contract", "Project Gannet")
    assert page.goto(gannet).status == 200
    complaints.refused.add(f"{installation}/w/demo/{gannet}")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Project Gannet")
    expect(search(page, "Project Gannet").filter(has_text="Project Gannet").first).to_be_visible()
    for user in ("viewer", "staff"):
        page = browse(user)
        page.goto("records/contract/")
        expect(page.get_by_role("rowheader", name="Structural Steel")).to_have_count(1)
        expect(page.get_by_role("rowheader", name="Gannet")).to_have_count(0)
        search(page, "Project Gannet")
        expect(page.locator("#found")).not_to_contain_text("Gannet")
        assert page.goto(gannet).status == 404
        assert "Gannet" not in page.content()


def test_a_burst_of_changes_makes_one_new_pulse(burst):
    until_quiet(burst, pulses=2)
    before, after = burst.evaluate("window.__pulses")
    assert "216,105" in after["text"]
    assert "216,105" not in before["text"]
