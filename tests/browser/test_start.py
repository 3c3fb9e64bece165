"""The first hour: from an installation that nobody has begun to a cited answer about one's own file.

After `test_pages`, which looks at the page of the first run before somebody has begun.
"""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.accessible import assert_accessible
from tests.browser.complaints import Complaints
from tests.browser.hands import LONG

pytestmark = pytest.mark.browser
MINUTES = b"""# Minutes of the berth meeting

The tug Perseverance is laid up until 4 May because her gearbox is being rebuilt.

The crane on the east quay is inspected every second Monday.
"""


def test_one_begins_drops_a_file_and_gets_a_cited_answer(
    chromium: Browser, installation: str, complaints: Complaints
) -> None:
    context = chromium.new_context(
        base_url=installation, reduced_motion="reduce", viewport={"width": 390, "height": 844}
    )
    page = context.new_page()
    page.set_default_timeout(20_000)
    page.goto("/begin/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Begin with your own data")
    complaints.listen(page)
    assert_accessible(page)
    page.get_by_label("Your user name").fill("maria")
    page.get_by_label("Your password").fill("a long pass phrase")
    page.get_by_label("Name of the workspace").fill("Berth 9")
    page.get_by_label("Add the sample company").check()
    page.get_by_role("button", name="Create the workspace").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Connect a model")
    page.get_by_role("link", name="Not now").click()
    expect(page.locator("#sample")).to_contain_text("Ready: ")
    page.get_by_role("link", name="Add a project").click()
    page.get_by_label("Name").first.fill("East quay")
    page.get_by_role("button", name="Save").click()
    page.wait_for_url("**/entities/**")
    page.locator("#upload").set_input_files([{"name": "minutes.md", "mimeType": "", "buffer": MINUTES}])
    expect(page.locator("#files .cl-file")).to_have_attribute("data-state", "ready", timeout=LONG)
    page.locator("[data-tab-to=dock]").click()
    page.get_by_placeholder("Ask about this record").fill("Why is the tug Perseverance laid up?")
    page.get_by_role("button", name="Send").click()
    answer = page.locator("#talk .cl-turn[data-state=done]")
    expect(answer).to_contain_text("gearbox", timeout=LONG)
    assert_accessible(page)
    answer.locator("a.cl-cite").first.click()
    page.wait_for_url("**/files/**")
    expect(page.locator(".cl-doc")).to_contain_text("her gearbox is being rebuilt")
    context.close()
