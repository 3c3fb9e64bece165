"""What a page says of a turn that does not come to its answer, in a real browser on a real server."""

import time
import urllib.request
from datetime import timedelta

import pytest
from django.utils import timezone

from chat.models import Message, Session, State, Turn
from entities.models.classification import FINANCIAL

pytestmark = pytest.mark.browser


def test_how_a_turn_ended_is_said_and_hidden_answers_leave_a_placeholder(visit, viewer, contract, service):
    with service.open():
        session = Session.objects.create(workspace_id=service.workspace, audience=viewer.user.pk, entity_id=contract.pk)
        for number, (state, label, text) in enumerate(
            [
                (State.DONE, FINANCIAL, "Forty thousand."),
                (State.STOPPED, 0, "Half of"),
                (State.INTERRUPTED, 0, "Half of"),
                (State.FAILED, 0, ""),
                (
                    State.DONE,
                    0,
                    "<img src=https://evil.example/x> <script>alert(1)</script> [go](javascript:alert(2)) ![x](https://evil.example/y)",
                ),
            ],
            start=1,
        ):
            turn = Turn.objects.create(
                workspace_id=service.workspace,
                audience=viewer.user.pk,
                session_id=session.pk,
                number=number,
                state=state,
                lease_until=timezone.now(),
                error="It broke." if state in (State.INTERRUPTED, State.FAILED) else "",
            )
            common = {
                "workspace_id": service.workspace,
                "audience": viewer.user.pk,
                "session_id": session.pk,
                "turn_id": turn.pk,
            }
            Message.objects.create(
                pk=turn.question, role="user", content=f"Question {number}", data_classification=0, **common
            )
            if text:
                Message.objects.create(
                    pk=turn.answer, role="assistant", content=text, data_classification=label, **common
                )
    page = visit(f"/chat/{session.pk}/")
    talk = page.locator("#talk")
    assert "Forty thousand" not in page.content()
    assert "This answer needs Financial" in talk.inner_text()
    assert talk.get_by_text("Stopped: this is what had been written.").is_visible()
    assert talk.get_by_text("Interrupted. It broke.").is_visible()
    assert talk.get_by_role("button", name="Ask again", exact=True).count() == 3
    assert page.locator("#talk img, #talk script, #talk a[href^=javascript]").count() == 0
    assert page.complaints == []
    talk.get_by_role("button", name="Ask again", exact=True).first.click()
    page.get_by_text("Not found in what you can see.").wait_for()


def running(service, viewer, contract, lease):
    """The id of a session in which a question is answered by a server whose lease ends then."""
    with service.open():
        session = Session.objects.create(workspace_id=service.workspace, audience=viewer.user.pk, entity_id=contract.pk)
        turn = Turn.objects.create(
            workspace_id=service.workspace,
            audience=viewer.user.pk,
            session_id=session.pk,
            number=1,
            state=State.RUNNING,
            lease_until=timezone.now() + lease,
        )
        Message.objects.create(
            pk=turn.question,
            role="user",
            content="Still there?",
            data_classification=0,
            workspace_id=service.workspace,
            audience=viewer.user.pk,
            session_id=session.pk,
            turn_id=turn.pk,
        )
    return session.pk


def test_a_turn_of_a_killed_server_says_that_it_was_interrupted(visit, start_server, viewer, contract, service):
    session = running(service, viewer, contract, -timedelta(seconds=1))
    another = start_server()  # looks for what was left behind when it starts
    urllib.request.urlopen(f"{another.url}/healthz")
    page = visit(f"/chat/{session}/")
    page.get_by_text("Interrupted. The server stopped while this was answered.").wait_for()


def test_who_is_signed_out_meanwhile_is_told_so(visit, viewer, contract, service):
    page = visit(f"/chat/{running(service, viewer, contract, timedelta(hours=1))}/")
    page.locator("[data-turn-line]").wait_for()
    viewer.client.logout()
    page.get_by_text("You are signed out. The answer goes on").wait_for(timeout=10_000)


@pytest.mark.parametrize("lost", [True, False])
def test_a_question_that_was_lost_before_its_label_is_back_in_the_composer(visit, viewer, contract, lost):
    """Where it is not lost nothing comes back, and the browser keeps nothing either way."""
    page = visit(f"/entities/{contract.pk}/")
    page.route("**/events/**", lambda route: route.abort())  # the page does not hear how the turn ends
    composer = page.get_by_placeholder("Ask about this record")
    composer.fill("What is the <b>cap</b>?")
    composer.press("Enter")
    turn = page.locator("#talk [data-turn]").get_attribute("id")
    with viewer.scope.open():
        for _ in range(100):
            if Turn.objects.get(pk=turn).state == State.DONE:
                break
            time.sleep(0.1)
        if lost:
            Message.objects.filter(turn=turn).delete()
            Turn.objects.filter(pk=turn).update(state=State.INTERRUPTED, error="The server stopped.")
    page.unroute("**/events/**")
    page.reload()
    page.locator(f"[id='{turn}'][data-state]").wait_for()
    assert composer.input_value() == ("What is the <b>cap</b>?" if lost else "")
    kept = page.evaluate("Object.keys(sessionStorage).filter(key => key.includes(' question '))")
    assert kept == []
