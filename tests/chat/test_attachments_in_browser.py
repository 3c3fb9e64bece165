"""A file that is dropped onto the dock, in a real browser."""

import time

import pytest

from chat.models import Session
from ingestion.inline import process_all_waiting
from ingestion.models import File
from tests.chat.test_attachments import BRIEF

pytestmark = pytest.mark.browser

DROP = """files => {
  const transfer = new DataTransfer();
  for (const [name, text] of files) transfer.items.add(new File([text], name, {type: "text/markdown"}));
  return transfer;
}"""


def test_a_dropped_file_stands_above_the_composer(visit, staff, contract, service):
    """Beside a record to which the same person may upload: it goes to the conversation and not there."""
    page = visit(f"/entities/{contract.pk}/", staff)
    page.on("dialog", lambda dialog: dialog.accept())
    page.locator("form[data-upload]").first.wait_for()
    page.locator("#attach").wait_for(state="attached")

    def drop(**files):
        named = [[f"{name}.md", text] for name, text in files.items()]
        page.locator("#chat-dock").dispatch_event("drop", {"dataTransfer": page.evaluate_handle(DROP, named)})

    page.route("**/chat/attach/", lambda route: (time.sleep(0.5), route.continue_()))
    drop(brief=BRIEF.decode(), empty="")
    drop(second="Another paper.")  # while the first are being sent
    composer = page.get_by_placeholder("Ask about this record")
    composer.fill("Who wrote it?")
    composer.press("Enter")
    chip = page.locator("#chat-attachments [data-file='brief.md']")
    chip.get_by_text("reading …").wait_for()
    page.get_by_text("Only you see this conversation.").wait_for()
    page.locator("#chat-attachments [data-file='second.md']").wait_for()
    assert page.get_by_text("empty.md: This file is empty").is_visible()
    with service.open():
        attached = File.objects.exclude(entity__attached_to=None)
        assert set(attached.values_list("name", flat=True)) == {"brief.md", "second.md"}
        assert (File.objects.count(), attached.values("entity").distinct().count()) == (2, 1)
        assert Session.objects.count() == 1
    process_all_waiting(service.workspace)
    chip.get_by_text("ready").wait_for()
    page.locator("#talk [data-state=done]").wait_for()
    composer.fill("When does the kestrel clause end?")
    composer.press("Enter")
    answer = page.locator("#talk [data-state=done]").nth(1)
    answer.get_by_text("ends in June").first.wait_for()
    assert answer.get_by_text("files that you attached").is_visible()
    chip.get_by_role("button", name="Remove brief.md").click()
    chip.wait_for(state="detached")
    page.locator("#talk").get_by_text("Removed with a source").first.wait_for()
    assert [one for one in page.complaints if "422" not in one] == []
