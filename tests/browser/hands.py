"""What people do on a page, in a word each."""

from typing import Any

from playwright.sync_api import Locator, Page, expect

LONG = 90_000
CALL = """
async ([method, url, values]) => {
  const token = JSON.parse(document.body.getAttribute("hx-headers"))["X-CSRFToken"];
  const headers = {"X-CSRFToken": token, "Content-Type": "application/json"};
  const answer = await fetch(url, {method, headers, body: values && JSON.stringify(values)});
  return [answer.status, (answer.headers.get("content-type") || "").includes("json") ? await answer.json() : null];
}
"""
DROP = """([name, bytes]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([new Uint8Array(bytes)], name, {type: "application/pdf"}));
  return transfer;
}"""


def call(page: Page, method: str, path: str, values: Any = None) -> tuple[int, Any]:
    """A request of the page's own session to its workspace's API; (status, JSON)."""
    root = page.url.split("/w/demo/")[0] + "/w/demo/"
    status, answer = page.evaluate(CALL, [method, f"{root}api/{path}", values])
    return int(status), answer


def make_contract(page: Page, name: str) -> str:
    """A new contract; its path below the workspace."""
    status, made = call(page, "POST", "entities/contract/", {"name": name, "counterparty": "Nobody & Sons"})
    assert status == 201, made
    return f"entities/{made['id']}/"


def give(page: Page, *files: tuple[str, bytes]) -> None:
    """Chooses files on the record that the page shows, and waits until all have ended."""
    field = page.locator("#upload")
    field.wait_for(state="attached")
    field.set_input_files([{"name": name, "mimeType": "", "buffer": content} for name, content in files])
    ended(page)


def ended(page: Page) -> None:
    """Waits until nothing on the page is sent or worked on any more."""
    unfinished = "#files .cl-file:not([data-state=ready]):not([data-state=failed]):not([data-state=quarantined])"
    expect(page.locator(unfinished)).to_have_count(0, timeout=LONG)


def row_of(page: Page, name: str) -> Locator:
    return page.locator("#files .cl-file").filter(has=page.locator(".cl-file-name", has_text=name))


def drop(page: Page, name: str, content: bytes) -> None:
    """Drops a file on the page's field for files, as a hand does."""
    field = page.locator("form[data-upload]:has(#upload)")
    field.wait_for()
    field.dispatch_event("drop", {"dataTransfer": page.evaluate_handle(DROP, [name, list(content)])})


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
