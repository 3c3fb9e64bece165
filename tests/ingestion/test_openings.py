"""What an invitation, a role, a group, a share or a clearance opens is told before the click, in counts of what whoever
looks may read themselves.
"""

import re
from typing import Any

import pytest

from entities.access import Scope, grant_entity
from entities.actions import create_role
from entities.models import Classification, Entity, Role, Workspace
from entities.models.classification import FINANCIAL, PII, SECRET
from entities.types import Contract
from ingestion.models import Paragraph
from tests.conftest import Person, person
from tests.ingestion.helpers import label, ready

pytestmark = pytest.mark.django_db(transaction=True)

GATE, RENT, HOME, CODE = "The gate is green.", "The hall is for hire.", "The yard is wide.", "The fence is new."
TEXT = "\n\n".join((GATE, RENT, HOME, CODE)).encode()


@pytest.fixture
def file(alice: Person, contract: Contract, service: Scope) -> str:
    """Four paragraphs: Public, Financial, PII, Secret; of the model's votes that on HOME is the least sure."""
    made = ready(alice, contract, "a.txt", TEXT)
    for text, value in ((RENT, FINANCIAL), (HOME, PII), (CODE, SECRET)):
        label(service, text, value)
    with service.open():
        for text, confidence in ((GATE, 0.9), (RENT, 0.8), (HOME, 0.3), (CODE, 0.5)):
            vote = {"source": "model", "labels": [], "reason": "", "confidence": confidence}
            Paragraph.objects.filter(text=text).update(votes=[vote])
    return made


def role(service: Scope, name: str, *atoms: int, **flags: bool) -> Role:
    with service.open():
        return create_role(Workspace.objects.get(pk=service.workspace), name, atoms, **flags)


def opening(who: Person, door: str, **given: Any) -> str:
    """What the panel says, without its marks."""
    answer = who.client.post(f"{who.base}opening/{door}", given)
    assert answer.status_code == 200, answer.content
    return " ".join(re.sub(r"<[^>]*>", " ", answer.content.decode()).replace("&#x27;", "'").split())


def test_an_invitation(alice: Person, viewer: Person, file: str, service: Scope) -> None:
    finance, people = role(service, "Money", FINANCIAL), role(service, "Persons", PII)
    page = alice.client.get(f"{alice.base}people/").content.decode()
    assert f'hx-post="{alice.base}opening/invitation/"' in page
    said = opening(alice, "invitation/", note="Nina")
    assert "Nina will read 1 more paragraph of 1 file." in said, "without a role what is Public"
    said = opening(alice, "invitation/", note="Nina", roles=[finance.pk, people.pk])
    assert "Nina will read 3 more paragraphs of 1 file." in said
    assert said.index(HOME) < said.index(RENT) < said.index(GATE), "the least certain first"
    assert CODE not in said
    assert "Whoever follows the link will read" in opening(alice, "invitation/")
    assert viewer.client.post(f"{viewer.base}opening/invitation/").status_code == 403


def test_counts_are_of_what_the_actor_may_read(alice: Person, file: str, service: Scope, contract: Contract) -> None:
    clerk = person(contract.workspace, "clerk", [FINANCIAL], is_admin=True)
    everything = role(service, "All", FINANCIAL, PII, SECRET)
    said = opening(alice, "invitation/", roles=[everything.pk])
    assert "4 more paragraphs of 1 file." in said
    assert "you may not see" not in said
    said = opening(clerk, "invitation/", roles=[everything.pk])
    assert "2 more paragraphs of 1 file." in said
    assert (RENT in said, HOME in said, CODE in said) == (True, False, False)
    assert "And text that needs PII and Secret, which you may not see" in said
    with service.open():
        Classification.objects.filter(value=SECRET).update(conceal=True)
    said = opening(clerk, "invitation/", roles=[everything.pk])
    assert "And text that needs PII, which you may not see" in said, "of a concealed level nothing is said"


def test_a_restricted_record_counts_for_who_may_open_it(
    alice: Person, restricted: Contract, contract: Contract, service: Scope
) -> None:
    ready(alice, restricted, "b.txt", b"The pier is long.")
    assert "This opens nothing" in opening(alice, "invitation/", note="Nina")


def test_a_level_for_a_role_is_told_of_each_of_its_members(
    alice: Person, viewer: Person, hr: Person, file: str, service: Scope
) -> None:
    page = alice.client.get(f"{alice.base}people/roles/").content.decode()
    assert f'hx-post="{alice.base}opening/levels/"' in page
    with service.open():
        theirs, own = (Role.objects.get(name=name).pk for name in ("viewer role", "HR"))
    was = [f"{own}:{PII}"]
    assert "This opens nothing" in opening(alice, "levels/", was=was, cell=was)
    said = opening(alice, "levels/", was=was, cell=[*was, f"{own}:{FINANCIAL}", f"{theirs}:{PII}", f"{own}:{SECRET}"])
    assert "hr will read 2 more paragraphs of 1 file." in said
    assert "viewer will read 1 more paragraph of 1 file." in said
    assert said.index("hr will") < said.index("viewer will")
    assert "This opens nothing" in opening(alice, "levels/", was=was, cell=[]), "what is taken opens nothing"
    assert viewer.client.post(f"{viewer.base}opening/levels/", {"cell": f"{theirs}:{SECRET}"}).status_code == 403


def test_a_member_more_in_a_role_or_group(
    alice: Person, viewer: Person, hr: Person, file: str, restricted: Contract, service: Scope
) -> None:
    ready(alice, restricted, "b.txt", b"The pier is long.")
    finance, group = role(service, "Money", FINANCIAL), role(service, "Group")
    page = alice.client.get(f"{alice.base}people/roles/members/?role={group.pk}").content.decode()
    assert f'hx-post="{alice.base}opening/members/?role={group.pk}"' in page
    said = opening(alice, f"members/?role={finance.pk}", member=[viewer.user.pk, hr.user.pk], was=[hr.user.pk])
    assert "viewer will read 1 more paragraph of 1 file." in said
    assert "hr will" not in said
    assert "This opens nothing" in opening(alice, f"members/?role={group.pk}", member=[viewer.user.pk])
    with alice.scope.open():
        grant_entity(Entity.objects.get(pk=restricted.pk), -group.pk, ["view"])
    said = opening(alice, f"members/?role={group.pk}", member=[viewer.user.pk])
    assert "viewer will read 1 more paragraph of 1 file." in said, "what is shared with the group"
    clerk = person(Workspace.objects.get(pk=service.workspace), "clerk", [], is_admin=True)
    said = opening(clerk, f"members/?role={group.pk}", member=[viewer.user.pk])
    assert "This opens nothing" in said, "its twin: that record is closed to this administrator"
    assert viewer.client.post(f"{viewer.base}opening/members/?role={group.pk}").status_code == 403


def test_a_share(
    alice: Person, viewer: Person, staff: Person, hr: Person, restricted: Contract, file: str, service: Scope
) -> None:
    ready(alice, restricted, "b.txt", b"The pier is long.\n\nThe door is shut.")
    label(service, "The door is shut.", PII)
    door, give = f"share/{restricted.pk}/", {"act": "give", "level": "view"}
    page = alice.client.get(f"{alice.base}entities/{restricted.pk}/share/").content.decode()
    assert page.count(f'hx-post="{alice.base}opening/{door}"') == 2
    assert "This opens nothing" in opening(alice, door, **give)
    assert "viewer will read 1 more paragraph of 1 file." in opening(alice, door, **give, holder=viewer.user.pk)
    said = opening(alice, door, **give, holder=hr.user.pk)
    assert "hr will read 2 more paragraphs of 1 file." in said
    assert CODE not in said
    with service.open():
        theirs = Role.objects.get(name="HR")
    assert "hr will read 2 more" in opening(alice, door, **give, holder=-theirs.pk)
    said = opening(alice, door, act="visibility", visibility="workspace")
    assert re.findall(r"(\w+) will read (\d)", said) == [("hr", "2"), ("staff", "1"), ("viewer", "1")]
    assert "This opens nothing" in opening(alice, door, act="visibility", visibility="restricted")
    # Who shares it and does not administer learns nothing of what others hold.
    assert staff.client.post(f"{staff.base}opening/{door}", give).status_code == 404
    with alice.scope.open():
        grant_entity(Entity.objects.get(pk=restricted.pk), staff.user.pk)
    told = {opening(staff, door, **give, username=name) for name in ("hr", "viewer", "nobody")}
    assert len(told) == 1
    assert "holds as much as you do will read 1 more paragraph of 1 file." in told.pop()
    with alice.scope.open():
        grant_entity(Entity.objects.get(pk=restricted.pk), viewer.user.pk, ["view"])
    assert viewer.client.post(f"{viewer.base}opening/{door}", give).status_code == 403


def test_a_clearance_that_is_asked_for(
    alice: Person, steward: Person, viewer: Person, file: str, contract: Contract, restricted: Contract, service: Scope
) -> None:
    ready(alice, restricted, "b.txt", b"The pier is long.")
    ready(alice, contract, "c.txt", b"The door is shut.")
    for text in ("The pier is long.", "The door is shut."):
        label(service, text, PII)
    asked = viewer.api.post("/api/access-requests/", {"file": file, "labels": [PII], "message": ""}, format="json")
    assert asked.status_code == 201, asked.content
    door = f"requests/{asked.json()['id']}/"
    page = steward.client.get(f"{steward.base}access-requests/").content.decode()
    assert f'hx-post="{steward.base}opening/{door}"' in page
    said = opening(steward, door, extent="level")
    assert "viewer will read 2 more paragraphs of 2 files." in said, "the restricted record is closed to the steward"
    assert "At most" in said
    assert HOME in said
    said = opening(steward, door, extent="file")
    assert "viewer will read 1 more paragraph of 1 file." in said
    assert "At most" not in said
    assert "3 more paragraphs of 3 files" in opening(alice, door, extent="level")
    assert viewer.client.post(f"{viewer.base}opening/{door}").status_code == 403
