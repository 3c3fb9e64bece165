"""A file that is dropped onto the dock, in a real browser."""

import pytest

from ingestion.inline import process_all_waiting
from ingestion.models import File
from tests.chat.test_attachments import BRIEF
from tests.chat.test_in_browser import visit  # noqa: F401  fixture

pytestmark = pytest.mark.browser

DROP = """text => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([text], "brief.md", {type: "text/markdown"}));
  return transfer;
}"""


def test_a_dropped_file_stands_above_the_composer(visit, staff, contract, service):  # noqa: F811
    """Beside a record to which the same person may upload: it goes to the conversation and not there."""
    page = visit(f"/entities/{contract.pk}/", staff)
    page.on("dialog", lambda dialog: dialog.accept())
    page.locator("form[data-upload]").first.wait_for()
    page.locator("#attach").wait_for(state="attached")
    transfer = page.evaluate_handle(DROP, BRIEF.decode())
    page.locator("#chat-dock").dispatch_event("drop", {"dataTransfer": transfer})
    chip = page.locator("#chat-attachments [data-file='brief.md']")
    chip.get_by_text("reading …").wait_for()
    page.get_by_text("Only you see this conversation.").wait_for()
    with service.open():
        assert File.objects.exclude(entity__attached_to=None).count() == File.objects.count() == 1
    process_all_waiting(service.workspace)
    chip.get_by_text("ready").wait_for()
    composer = page.get_by_placeholder("Ask about this record")
    composer.fill("When does the kestrel clause end?")
    composer.press("Enter")
    answer = page.locator("#talk [data-state=done]")
    answer.get_by_text("ends in June").first.wait_for()
    assert answer.get_by_text("files that you attached").is_visible()
    chip.get_by_role("button", name="Remove brief.md").click()
    chip.wait_for(state="detached")
    page.locator("#talk").get_by_text("Removed with a source").wait_for()
    assert page.complaints == []
