"""A conversation that two people read, and names that are mentioned in it, in a real browser on a real server."""

import pytest

from chat.models import Session
from entities.models.classification import FINANCIAL
from tests.browser.accessible import assert_accessible

pytestmark = pytest.mark.browser


def test_two_people_in_one_conversation(visit, viewer, cfo, contract, index):
    file = index.file(contract, "Lease.pdf")
    index.row(contract, "The quarterly invoice is 40,000 euros.", label=FINANCIAL, file=file)
    index.row(contract, "The lease ends in May.", file=file, position=1)
    page = visit(f"/entities/{contract.pk}/", cfo, viewport={"width": 1280, "height": 900})
    page.get_by_label("Who reads it").select_option(label="Who may see this record")
    composer = page.get_by_placeholder("Ask about this record")
    composer.fill("How high is the quarterly invoice?")
    composer.press("Enter")
    page.locator("#talk [data-state=done]").get_by_text("40,000").wait_for()
    page.locator("#chat-readers").get_by_text("Who may see this record reads what you write here").wait_for()
    assert_accessible(page)
    assert page.complaints == []
    with cfo.scope.open():
        session = Session.objects.get()

    theirs = visit(f"/chat/{session.pk}/", viewer, viewport={"width": 390, "height": 800}, color_scheme="dark")
    theirs.locator("#chat-readers").get_by_text("cfo began it.").wait_for()
    assert theirs.locator("#talk strong").first.inner_text() == "cfo"
    assert "40,000" not in theirs.content()
    assert theirs.get_by_label("This conversation", exact=True).count() == 1
    assert theirs.locator("#delete-chat").count() == 0
    composer = theirs.get_by_placeholder("Ask about this record")
    composer.press_sequentially("When does @leas")
    options = theirs.get_by_role("listbox", name="Names that you can mention").get_by_role("option")
    options.filter(has_text="Lease.pdf").wait_for()
    assert_accessible(theirs)
    for _ in range(options.count()):
        if "Lease.pdf" in theirs.locator("#mention-list [aria-selected=true]").inner_text():
            break
        composer.press("ArrowDown")
    composer.press("Enter")
    chip = theirs.locator("#chat-mentions li")
    assert composer.input_value() == "When does @Lease.pdf "
    assert chip.inner_text().startswith("Lease.pdf")
    composer.press_sequentially("end?")
    composer.press("Enter")
    theirs.get_by_text("Looked in: what the question mentions.").wait_for()
    assert theirs.locator("#chat-mentions li").count() == 0
    assert theirs.get_by_label("Mentioned").get_by_role("link", name="Lease.pdf").count() == 1
    assert theirs.evaluate("document.documentElement.scrollWidth") <= 390
    assert theirs.complaints == []
