"""Who typed a text keeps sight of it while it is being classified, and reads why where it needs more than they hold."""

from dataclasses import replace

import pytest

from entities.access import Scope
from entities.models import Classification, Entity, FieldParagraph, Role, Workspace
from entities.models.classification import PII
from entities.text import read_own_texts
from ingestion.inline import process_all_waiting
from tests.conftest import Person, person

pytestmark = pytest.mark.django_db(transaction=True)
CALL = "Call Jane Miller at +44 20 7946 0958."
STILL = "still being classified and is not in this form"
BEING = "Being classified…"


@pytest.fixture
def address(staff: Person) -> str:
    """Of an article that staff has just typed."""
    typed = staff.client.post(
        f"{staff.base}records/article/new/", {"name": "Keys", "body": f"The gate is green.\n\n{CALL}"}
    )
    assert typed.status_code == 302
    return str(typed["Location"])


def read(who: Person, address: str) -> str:
    return who.client.get(address).content.decode()


def test_who_typed_it_sees_it_at_once_and_nobody_else_does(
    staff: Person, viewer: Person, hr: Person, steward: Person, address: str, workspace: Workspace
) -> None:
    page = read(staff, address)
    assert (page.count(BEING), CALL in page) == (2, True)
    for other in (viewer, hr, person(workspace, "colleague", [], ("Editor",))):
        page = read(other, address)
        assert (BEING in page, CALL in page, "gate is green" in page) == (False, False, False)
    page = read(steward, address)
    assert ("Not classified yet" in page, CALL in page, BEING in page) == (True, True, False)
    record = address.split("/")[-2]
    assert CALL not in str(staff.api.get(f"/api/entities/article/{record}/").json())
    form = read(staff, f"{address}edit/")
    assert (CALL in form, STILL in form) == (False, True)
    assert STILL not in read(steward, f"{address}edit/")
    assert STILL not in read(person(workspace, "editor", [], ("Editor",)), f"{address}edit/")


def test_the_text_asks_for_itself_until_it_is_classified(
    staff: Person, viewer: Person, outsider: Person, address: str, service: Scope
) -> None:
    fragment = f"{address}text/?field=body"
    assert fragment in read(staff, address)
    assert fragment not in read(viewer, address)
    page = read(staff, fragment)
    assert (page.count(BEING), fragment in page, "<html" in page, "load delay" in page) == (2, True, False, False)
    page = read(viewer, fragment)
    assert (BEING in page, "gate is green" in page) == (False, False)
    assert outsider.client.get(fragment).status_code == 404
    assert read(staff, f"{address}text/?field=nothing") == ""
    process_all_waiting(service.workspace)
    page = read(staff, fragment)
    assert ("gate is green" in page, CALL in page, fragment in page) == (True, False, False)
    assert STILL not in read(staff, f"{address}edit/")


def test_what_needs_more_than_they_hold_says_why_and_whom_to_ask(
    staff: Person, viewer: Person, hr: Person, steward: Person, address: str, service: Scope
) -> None:
    process_all_waiting(service.workspace)
    page = read(staff, address)
    assert ("gate is green" in page, CALL in page, BEING in page) == (True, False, False)
    assert "What you wrote needs PII" in page
    assert "Found in it: phone number." in page
    assert "Ask for access" in page
    page = read(viewer, address)
    assert ("Hidden: needs PII" in page, "Found in it" in page) == (True, False)
    assert CALL in read(hr, address)


def test_nobody_is_sent_to_stewards_that_do_not_exist(
    staff: Person, viewer: Person, alice: Person, address: str, service: Scope
) -> None:
    process_all_waiting(service.workspace)
    assert "Ask for access" in read(viewer, address)
    with service.open():
        alice.user.groups.remove(Role.objects.get(name="Steward").group)
    page = read(viewer, address)
    assert ("Ask for access" in page, "Nobody else in this workspace is a steward" in page) == (False, True)


def test_a_concealed_level_takes_their_text_from_them_without_a_word(
    staff: Person, address: str, service: Scope
) -> None:
    with service.open():
        Classification.objects.filter(value=PII).update(conceal=True)
    process_all_waiting(service.workspace)
    page = read(staff, address)
    assert ("What you wrote" in page, CALL in page) == (False, False)


def test_a_narrowed_view_of_theirs_and_lost_clearances_show_none_of_it(
    staff: Person, address: str, service: Scope
) -> None:
    record = Entity(pk=address.split("/")[-2])
    with service.open():
        role = Role.objects.get(name="Editor").pk
    for scope, count in (
        (staff.scope, 2),
        (staff.scope.limit_to([1]), 0),
        (replace(staff.scope, narrowed_to=-role), 0),
    ):
        with scope.open():
            assert len(read_own_texts(record)) == count
    with service.open():
        FieldParagraph.objects.filter(text=CALL).update(floor=PII)
    with staff.scope.open():
        assert [block.text for block in read_own_texts(record).values()] == ["The gate is green."]
