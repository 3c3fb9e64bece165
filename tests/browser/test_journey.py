"""From the upload of a PDF to cited answers, as people do it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import paper
from tests.browser.conftest import WITNESS, open_page, open_record
from tests.browser.hands import LONG, ask, finished, search

pytestmark = pytest.mark.browser
CHANGED = "Tower Crane Hire"
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


def test_a_dropped_pdf_is_read_before_ones_eyes_and_comes_out_by_label(uploaded, browse):
    assert uploaded.stayed
    assert uploaded.stages[-1] == "Ready"
    between = uploaded.stages[uploaded.stages.index("Uploading") + 1 : -1]
    assert len(between) >= 2, f"the stages did not move: {uploaded.stages}"
    # Not each of them is met: a quick machine has done with a step before the page looks again.
    assert all(re.search(r"^(Received|Waiting)|step [1-5] of 5", stage) for stage in between), uploaded.stages
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
    passage = page.locator("[data-cited], :target").first
    expect(passage).to_be_in_viewport()
    expect(passage).to_contain_text(re.compile(r"\w{3}"))


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


@dataclass
class Reloaded:
    """A turn whose page was loaded anew while it ran: the question, its key and what had been written of the answer."""

    question: str
    pk: str
    begun: str


def reload_in_the_middle_of_an_answer(page: Page, installation: str) -> Reloaded:
    """Asks, reloads and waits for the end; asks in other words where a busy machine had answered before the page
    listened again.
    """
    for question in (
        "What were the terminations changed to?",
        "So what were all terminations changed to?",
        "To what were terminations changed after the inspection?",
    ):
        pk = ask(page, question).get_attribute("id") or ""
        page.get_by_placeholder("Ask about this record").fill("And who asked about the bakery")
        turn = page.locator(f"[id='{pk}']")
        turn.locator("[data-turn-text]").filter(has_text=re.compile(r"\w")).wait_for()
        begun = page.evaluate("window.__seen.texts.at(-1)")
        page.reload()
        now = page.request.get(f"{installation}/w/demo/api/chat/turns/{pk}/").json()
        assert now["state"] != "running" or now["message"] is None
        finished(turn)
        if page.evaluate("window.__seen.texts"):
            return Reloaded(question, pk, begun)
    raise AssertionError("every answer had ended before its page listened again")


def test_a_reload_in_the_middle_of_an_answer_loses_nothing(uploaded, browse, installation):
    page = browse("admin")
    page.add_init_script(WITNESS)
    page.goto(uploaded.record)
    reloaded = reload_in_the_middle_of_an_answer(page, installation)
    turn = page.locator(f"[id='{reloaded.pk}']")
    answer = turn.locator(".cl-prose").inner_text()
    assert answer.startswith(reloaded.begun)
    assert answer.count("All terminations were changed to stainless ferrules") == 1, answer
    texts = page.evaluate("window.__seen.texts")
    assert all(longer.startswith(text) for text, longer in pairwise(texts)), texts
    expect(turn).to_have_count(1)
    expect(page.locator("#talk [data-from=person]").filter(has_text=reloaded.question)).to_have_count(1)
    expect(page.get_by_placeholder("Ask about this record")).to_have_value("And who asked about the bakery")


def test_a_burst_of_changes_makes_one_new_pulse(burst):
    until_quiet(burst, pulses=2)
    before, after = burst.evaluate("window.__pulses")
    assert before["generated_at"] < after["generated_at"]
