"""From the upload of a PDF to cited answers, as people do it, and what other people see of the same document."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser import paper
from tests.browser.conftest import open_page, open_record

pytestmark = pytest.mark.browser
CONTRACT = "Façade Cleaning Framework"
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
    assert len(uploaded.stages) > 1, "nothing was to be seen between the drop and the end"
    page = browse("admin")
    page.goto(uploaded.record)
    row = page.locator("#files .cl-file").filter(has_text=paper.NAME)
    outcome = row.locator(".cl-file-state")
    expect(outcome).to_contain_text("Public")
    expect(outcome).to_contain_text("Financial")
    expect(row).to_contain_text("3 pages")


@pytest.mark.parametrize(
    ("words", "text", "page_number", "section"),
    [(paper.EXACT, paper.EXACT, 1, "Method"), (paper.MEANING, "gusts pass eleven", 3, "Weather")],
    ids=["exact words", "meaning"],
)
def test_the_document_is_found_with_page_and_section(uploaded, browse, words, text, page_number, section):
    page = browse("admin")
    found = search(page, words).filter(has_text=text)
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


def test_a_reload_in_the_middle_of_an_answer_loses_nothing(uploaded, browse):
    page = browse("admin")
    page.goto(uploaded.record)
    question = "What were the terminations changed to?"
    ask(page, question).wait_for()
    page.get_by_placeholder("Ask about this record").fill("And who asked about the bakery")
    page.reload()
    turn = finished(answer_to(page, question))
    expect(turn).to_contain_text("stainless ferrules")
    expect(page.locator("#talk [data-from=person]").filter(has_text=question)).to_have_count(1)
    expect(page.get_by_placeholder("Ask about this record")).to_have_value("And who asked about the bakery")


@pytest.mark.parametrize(("user", "cleared"), [("cfo", True), ("viewer", False)])
def test_pay_is_text_for_one_and_a_placeholder_for_the_other(uploaded, browse, user, cleared):
    page = browse(user)

    page.goto(uploaded.file)
    expect(page.locator(".cl-doc")).to_contain_text(paper.BESIDE_PAY)
    told(page.locator(".cl-doc"), cleared)

    results = search(page, "average salary of the rope crew")
    results.first.wait_for()
    assert (paper.FIGURE in page.locator("#found").inner_text()) is cleared
    expect(search(page, paper.BESIDE_PAY).filter(has_text="keeps the same anchors")).to_have_count(1)
    told(page.locator("#found"), cleared, band_at_least=0)

    page.goto(uploaded.record)
    turn = finished(ask(page, "What is the average salary of the rope crew?"))
    assert (paper.FIGURE in turn.inner_text()) is cleared
    if not cleared:
        expect(turn.locator(".cl-band, .cl-prose").first).to_be_visible()

    pulse = page.locator("#pulse-panel")
    pulse.locator(".cl-prose" if cleared else ".cl-prose, .cl-band").first.wait_for(timeout=LONG)
    told(pulse, cleared, figure=re.compile(r"£[\d,]+"))


def told(place: Locator, cleared: bool, figure: str | re.Pattern[str] = paper.FIGURE, band_at_least: int = 1) -> None:
    """Text for who is cleared, a placeholder without any of it for who is not."""
    if cleared:
        expect(place).to_contain_text(figure, timeout=LONG)
        assert BAND not in place.inner_text()
    else:
        expect(place).not_to_contain_text(figure)
        assert place.get_by_text(BAND).count() >= band_at_least
    assert (paper.FIGURE in place.inner_html()) is False or cleared


@pytest.mark.parametrize(("user", "cleared"), [("cfo", True), ("viewer", False)])
def test_the_value_of_a_contract_is_masked_and_shown(browse, user, cleared):
    page = browse(user)
    page.goto("records/contract/")
    row = page.get_by_role("row").filter(has_text="Structural Steel Subcontract")
    assert ("£1,184,000" in row.inner_text()) is cleared
    row.get_by_role("link").first.click()
    value = page.locator(".cl-props > div").filter(has_text="Value").locator("dd")
    expect(value).to_have_text("£1,184,000" if cleared else re.compile("Financial"))
    assert ("1,184,000" in page.locator(".cl-props").inner_html()) is cleared


def test_a_restricted_contract_exists_only_for_who_may_see_it(browse):
    page = browse("cfo")
    gannet = open_record(page, "contract", "Project Gannet")
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
