"""The dock beside a record and the page of a conversation, in a real browser on a real server."""

import time

import pytest
from playwright.sync_api import expect

from chat.models import Session, Turn
from entities.actions import create_entity, delete_entity
from entities.types import Contract
from tests.chat.conftest import CAP
from tests.chat.test_memory import chatter, say

pytestmark = pytest.mark.browser


def test_a_question_streams_into_the_dock_and_its_citation_opens_the_passage(visit, viewer, contract, index):
    index.row(contract, CAP, file=index.file(contract, "Lease.pdf"), page=4)
    page = visit(f"/entities/{contract.pk}/")
    composer = page.get_by_placeholder("Ask about this record")
    composer.fill("What is the liability cap?")
    composer.press("Enter")
    answer = page.locator("#talk [data-from=agent] .cl-prose:not(.cl-streamed)")
    answer.get_by_text("two million euros").wait_for()
    assert composer.input_value() == ""
    assert answer.locator("a.cl-cite").first.inner_text().split("\n")[:2] == ["1", "Lease.pdf"]
    assert page.locator("#chat-head > h2").inner_text() == "What is the liability cap?"
    composer.fill("Is there a liability cap at all?")
    page.get_by_role("button", name="Send").click()
    page.locator("#talk [data-from=agent]").nth(1).locator("a.cl-cite").wait_for()
    page.get_by_placeholder("Ask about this record").fill("And who pays?")
    page.reload()
    page.get_by_text("two million euros").last.wait_for()
    assert page.get_by_placeholder("Ask about this record").input_value() == "And who pays?"
    assert page.complaints == []
    page.locator("#talk a.cl-cite").first.click()
    page.wait_for_url("**/files/**")
    assert "two million euros" in page.locator("[data-cited]").first.inner_text()
    beside = page.locator("#dock")
    beside.locator("a.cl-cite[aria-current]").first.wait_for()
    assert beside.locator("#chat-head > h2").inner_text() == "What is the liability cap?"
    assert beside.get_by_placeholder("Ask about this record").input_value() == "And who pays?"


def test_two_sentences_of_one_passage_are_two_sources_that_open_at_their_words(visit, contract, index):
    cap, rent = "The cap on all claims is two million euros.", "Rent falls due on the first day of each month."
    index.row(contract, f"{cap} {rent}", file=index.file(contract, "Lease.pdf"), page=4)
    page = visit(f"/entities/{contract.pk}/", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_placeholder("Ask about this record").fill("What is this document about?")
    page.get_by_role("button", name="Send").click()
    answer = page.locator("#talk [data-state=done]")
    chips = answer.locator("a.cl-cite")
    chips.nth(1).wait_for()
    assert chips.locator("strong").all_inner_texts() == ["1", "2"]
    sources = answer.get_by_label("Sources").get_by_role("listitem")
    assert [" ".join(one.split()) for one in sources.all_inner_texts()] == ["1 Lease.pdf p. 4", "2 Lease.pdf p. 4"]
    answer.get_by_role("button", name="Copy the answer").click()
    page.locator("#live").get_by_text("Copied.").wait_for(state="attached")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert cap in copied
    assert rent in copied
    assert "Lease.pdf" not in copied
    assert answer.locator(".cl-prose").count() == 1
    assert page.complaints == []
    sources.nth(1).get_by_role("link").click()
    page.wait_for_url("**/files/**")
    assert page.locator("mark").all_inner_texts() == [rent]
    page.locator("#dock a.cl-cite").first.click()
    page.locator("mark", has_text=cap).wait_for()
    assert page.locator("mark").all_inner_texts() == [cap]


def test_a_document_opens_beside_the_conversation_that_cited_it(visit, viewer, contract, index):
    """Even where another one is newer; Esc goes back to the record, with the conversation still there."""
    index.row(contract, CAP, file=index.file(contract, "Lease.pdf"), page=4)
    page = visit(f"/entities/{contract.pk}/")
    head, composer = page.locator("#chat-head > h2"), page.get_by_placeholder("Ask about this record")

    def ask(question):
        composer.fill(question)
        composer.press("Enter")
        page.locator("#talk [data-state=done] a.cl-cite").wait_for()

    ask("What is the liability cap?")
    page.get_by_label("New conversation").click()
    page.get_by_role("heading", name="New conversation").wait_for()
    ask("Is there a liability cap at all?")
    page.reload()
    head.get_by_text("Is there a liability cap at all?").wait_for()
    page.get_by_label("Conversations about this record", exact=True).first.click()
    page.get_by_role("link", name="What is the liability cap?").click()
    head.get_by_text("What is the liability cap?").wait_for()
    page.locator("#talk a.cl-cite").press("Enter")
    page.wait_for_url("**/files/**")
    head.get_by_text("What is the liability cap?").wait_for()
    page.get_by_label("This conversation", exact=True).click()
    page.keyboard.press("Escape")
    assert "/files/" in page.url, "what is open closes first"
    composer.press("Escape")
    assert "/files/" in page.url, "nobody is sent away while typing"
    page.locator("#main").press("Escape")
    page.wait_for_url(f"**/entities/{contract.pk}/")
    head.get_by_text("What is the liability cap?").wait_for()
    assert page.complaints == []
    with viewer.scope.open():
        Session.objects.order_by("last_message_at")[0].delete()
    page.reload()
    page.locator("#chat-dock").get_by_text("could not be loaded").wait_for()
    page.reload()
    head.get_by_text("Is there a liability cap at all?").wait_for()


def test_without_javascript_the_question_is_a_form_and_the_answer_a_page(visit, contract, index):
    index.row(contract, CAP, file=index.file(contract, "Lease.pdf"), page=4)
    page = visit(f"/entities/{contract.pk}/chat/?new", java_script_enabled=False)
    page.get_by_placeholder("Ask about this record").fill("What is the liability cap?")
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("**/chat/**")
    for _ in range(50):
        if page.locator("a.cl-cite").count():
            break
        time.sleep(0.2)
        page.reload()
    assert "two million euros" in page.locator("#talk").inner_text()


def test_a_conversation_is_managed_from_the_dock_and_the_list(visit, viewer, contract, service):
    with viewer.scope.open():
        session = Session.objects.create(workspace_id=service.workspace, audience=viewer.user.pk, entity_id=contract.pk)
    page = visit(f"/chat/{session.pk}/")
    page.get_by_label("This conversation", exact=True).click()
    page.get_by_label("Name", exact=True).fill("About the cap")
    page.get_by_role("button", name="Rename").click()
    page.get_by_role("heading", name="About the cap").first.wait_for()
    page.get_by_label("This conversation", exact=True).click()
    page.get_by_role("button", name="Archive").click()
    page.wait_for_url("**/chat/")
    page.get_by_role("link", name="Archived").click()
    page.get_by_role("link", name="About the cap").click()
    page.get_by_label("This conversation", exact=True).click()
    page.get_by_role("button", name="Delete").first.click()
    page.get_by_role("button", name="Delete for good").click()
    page.get_by_text("The conversation was deleted.").first.wait_for()
    with viewer.scope.open():
        assert not Session.objects.exists()


def test_earlier_turns_come_on_demand_and_what_was_read_stays_in_its_place(visit, viewer, contract, start, service):
    chat = start(viewer, contract)
    chatter(service, chat, 60)
    with viewer.scope.open():
        first = Turn.objects.get(number=1)
    for size in ({"width": 1280, "height": 800}, {"width": 390, "height": 800}):
        page = visit(f"/chat/{chat.session}/", viewport=size)
        asked, link = page.locator("#talk [data-from=person]"), page.get_by_role("link", name="Earlier questions")
        expect(asked).to_have_count(50)
        read = page.get_by_text("Is berth 10 free?")
        page.wait_for_load_state("networkidle")
        link.scroll_into_view_if_needed()
        before = read.bounding_box()["y"]
        link.click()
        expect(asked).to_have_count(60)
        expect(link).to_have_count(0)
        page.wait_for_function("() => document.activeElement.matches('#talk > li')")
        page.wait_for_timeout(200)  # nothing moves it later
        assert abs(read.bounding_box()["y"] - before) < 2
        assert page.complaints == []
    page = visit(f"/chat/{chat.session}/#t-{first.pk}")  # as a link was written before pages had parts
    expect(page.locator(f"#t-{first.pk}")).to_be_in_viewport()
    assert page.url.endswith(f"/?at={first.pk}#t-{first.pk}")
    page = visit(f"/chat/{chat.session}/#m-{first.question}")
    expect(page.locator(f"#m-{first.question}")).to_be_in_viewport()
    # The turn that the link names goes while the page is open: the page begins anew.
    page = visit(f"/chat/{chat.session}/")
    expect(page.get_by_text("Is berth 10 free?")).to_have_count(1)
    with service.open():
        Turn.objects.filter(number=11)._raw_delete("default")
    page.get_by_role("link", name="Earlier questions").click()
    expect(page.get_by_text("Is berth 10 free?")).to_have_count(0)
    expect(page.get_by_text("Is berth 9 free?")).to_have_count(1)


def test_a_new_conversation_about_the_workspace_survives_a_reload_and_no_text_is_lost(visit, contract, index):
    index.row(contract, CAP, file=index.file(contract, "Lease.pdf"), page=4)
    page = visit("/chat/new/?q=What is the liability cap?")
    box = page.get_by_placeholder("Ask about everything")
    asked = page.locator("#talk [data-from=person]:not([data-sending])")
    page.get_by_role("button", name="Send").click()
    page.locator("#talk [data-state=done] a.cl-cite").wait_for()
    page.reload()
    page.locator("#talk [data-state=done] a.cl-cite").wait_for()
    assert "/new/" not in page.url
    assert box.input_value() == ""
    assert page.complaints == []

    # What stands in the box stays there where an earlier question is edited, and after a reload.
    box.fill("Also:")
    asked.hover()
    page.get_by_role("button", name="Edit this question").click()
    page.reload()
    assert box.input_value() == "Also:\n\nWhat is the liability cap?"

    # The server takes the question and its answer is lost; what was typed meanwhile is a question of its own.
    def lose(route):
        route.fetch()
        box.fill("And who pays?")
        route.abort("connectionfailed")

    box.fill("What is the cap?")
    page.route("**/ask/", lose)
    box.press("Enter")
    page.locator("#toasts [data-kind=error]").wait_for()
    assert box.input_value() == "What is the cap?\n\nAnd who pays?"
    page.unroute("**/ask/")
    for _ in range(50):  # while the first one is being answered, another is refused
        box.press("Enter")
        time.sleep(0.2)
        if asked.count() == 2:
            break
    page.locator("#talk [data-state=done]").nth(1).wait_for()
    page.reload()
    asked.get_by_text("And who pays?").wait_for()
    assert asked.count() == 3


def test_an_answer_says_what_it_drew_on_and_after_a_reload_that_it_was_removed(
    visit, viewer, alice, contract, service, start
):
    with alice.scope.open():
        pier = create_entity(scope=alice.scope, model=Contract, fields={"name": "Pier", "counterparty": "Port"})
    chat = start(viewer, contract)
    say(service, chat, "Who got the fee?", "It was paid to Olufsen.", sources=[contract, pier])
    page = visit(f"/chat/{chat.session}/")
    page.get_by_title("Drew on 2 passages.").click()
    page.wait_for_url("**/context/")
    assert page.locator("#sources li").all_inner_texts() == ["Pier\nits fields", "Quay lease\nits fields"]
    page.go_back()
    with alice.scope.open():
        delete_entity(scope=alice.scope, entity=pier)
    page.reload()
    page.get_by_text("Removed with a source").wait_for()
    assert page.get_by_text("Olufsen").count() == 0
    assert page.complaints == []
