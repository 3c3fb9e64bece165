"""Pages of administrators that were opened before somebody else changed what they show."""

import re
from html import unescape
from typing import Any

from entities.access import Scope
from entities.models import Classification, ClassificationGrant, Entity, Membership, Role, WorkspaceSettings
from entities.models.classification import CONFIDENTIAL, FINANCIAL, PII
from entities.models.entity import Visibility
from entities.types import Contract
from tests.conftest import Person, person


def read_fields(page: str) -> dict[str, Any]:
    """What a browser would send of a page's form: also ticks, several of one name, and what is selected."""
    found: dict[str, Any] = {}
    for tag in re.findall(r"<input[^>]*>", page):
        given = {name: unescape(value) for name, value in re.findall(r'([\w-]+)="([^"]*)"', tag)}
        name, kind = given.get("name", ""), given.get("type", "text")
        if not name or "__prefix__" in name or kind == "submit":
            continue
        if kind not in ("checkbox", "radio"):
            found.setdefault(name, []).append(given.get("value", ""))
        elif re.search(r" checked[ =/>]", tag):
            found.setdefault(name, []).append(given.get("value", "on"))
    for name, text in re.findall(r'<textarea[^>]* name="([^"]+)"[^>]*>([^<]*)</textarea>', page):
        found[name] = unescape(text).removeprefix("\n")
    for name, options in re.findall(r'<select[^>]* name="([^"]+)"[^>]*>(.*?)</select>', page, re.DOTALL):
        if "__prefix__" not in name:
            found[name] = re.findall(r'value="([^"]*)"[^>]* selected', options)
    return found


def open_page(who: Person, address: str) -> dict[str, Any]:
    return read_fields(who.client.get(who.base + address).content.decode())


def test_an_old_page_of_a_record_does_not_open_it_again(
    alice: Person, contract: Contract, service: Scope, viewer: Person
) -> None:
    address = f"admin/entities/entity/{contract.pk}/change/"
    old = open_page(alice, address)
    assert old["visibility"] == ["workspace"]
    alice.client.post(alice.base + address, open_page(alice, address) | {"visibility": "restricted"})
    alice.client.post(alice.base + address, old)
    with service.open():
        assert Entity.objects.get(pk=contract.pk).visibility == Visibility.RESTRICTED
    assert viewer.api.get(f"/api/entities/contract/{contract.pk}/").status_code == 404
    new = open_page(alice, address)
    assert new["visibility"] == ["restricted"]
    alice.client.post(alice.base + address, new | {"visibility": "workspace"})
    assert viewer.api.get(f"/api/entities/contract/{contract.pk}/").status_code == 200


def test_an_old_page_that_changes_what_another_changed_shows_both(
    alice: Person, workspace: Any, contract: Contract, service: Scope
) -> None:
    bob = person(workspace, "bob", [], ("Admin",))
    address = f"admin/entities/classification/{get_level(service).pk}/change/"
    old = open_page(alice, address)
    theirs = open_page(bob, address) | {"description": "By Bob.", "conceal": "on"}
    assert bob.client.post(bob.base + address, theirs).status_code == 302
    answer = alice.client.post(alice.base + address, old | {"description": "By Alice."})
    page = answer.content.decode()
    assert answer.status_code == 200
    assert (get_level(service).description, get_level(service).conceal) == ("By Bob.", True), "nothing is written"
    assert re.search(r"bob \([^)]*\) has changed this meanwhile. It is now: By Bob\.", page)
    again = read_fields(page)
    assert again["description"] == "By Alice."
    assert again["conceal"] == ["on"], "what Alice had left alone is shown as it is"
    assert alice.client.post(alice.base + address, again).status_code == 302
    assert (get_level(service).description, get_level(service).conceal) == ("By Alice.", True)


def get_level(service: Scope) -> Classification:
    with service.open():
        return Classification.objects.get(value=FINANCIAL)


def test_an_old_page_of_the_levels_does_not_show_what_was_concealed(alice: Person, service: Scope) -> None:
    old = open_levels(alice)
    assert alice.client.post(f"{alice.base}levels/", open_levels(alice) | {"conceal": "on"}).status_code == 302
    assert alice.client.post(f"{alice.base}levels/", old | {"description": "Prices."}).status_code == 302
    assert (get_level(service).description, get_level(service).conceal) == ("Prices.", True)
    shown = {name: value for name, value in open_levels(alice).items() if name != "conceal"}
    assert alice.client.post(f"{alice.base}levels/", shown).status_code == 302
    assert get_level(service).conceal is False


def test_two_descriptions_of_one_level_are_both_shown(alice: Person, service: Scope) -> None:
    old = open_levels(alice)
    alice.client.post(f"{alice.base}levels/", open_levels(alice) | {"description": "First.", "conceal": "on"})
    answer = alice.client.post(f"{alice.base}levels/", old | {"description": "Second."})
    assert answer.status_code == 422
    assert "It is now: First." in answer.content.decode()
    assert get_level(service).description == "First."
    again = read_level(answer.content.decode())
    assert (again["description"], again["conceal"]) == ("Second.", ["on"])
    assert alice.client.post(f"{alice.base}levels/", again).status_code == 302
    assert (get_level(service).description, get_level(service).conceal) == ("Second.", True)


def open_levels(who: Person) -> dict[str, Any]:
    return read_level(who.client.get(f"{who.base}levels/").content.decode())


def read_level(page: str) -> dict[str, Any]:
    (form,) = [form for form in page.split("<form")[1:] if f'name="level" value="{FINANCIAL}"' in form]
    return read_fields(form.split("</form>")[0])


def test_an_old_page_of_a_member_does_not_give_back_a_role(alice: Person, staff: Person, service: Scope) -> None:
    with service.open():
        member = Membership.objects.get(user=staff.user)
        editor, steward = Role.objects.get(name="Editor"), Role.objects.get(name="Steward")
    address = f"admin/entities/membership/{member.pk}/change/"
    old = open_page(alice, address)
    assert str(editor.pk) in old["roles"]
    fewer = [pk for pk in old["roles"] if pk != str(editor.pk)]
    assert alice.client.post(alice.base + address, open_page(alice, address) | {"roles": fewer}).status_code == 302
    assert alice.client.post(alice.base + address, old).status_code == 302
    assert list_roles_of(staff, service) == {"staff role"}
    both = alice.client.post(alice.base + address, old | {"roles": [*old["roles"], str(steward.pk)]})
    assert both.status_code == 200
    assert list_roles_of(staff, service) == {"staff role"}
    assert alice.client.post(alice.base + address, read_fields(both.content.decode())).status_code == 302
    assert list_roles_of(staff, service) == {"staff role", "Editor", "Steward"}


def list_roles_of(who: Person, service: Scope) -> set[str]:
    with service.open():
        return set(Role.objects.filter(group__user=who.user).values_list("name", flat=True))


def test_an_old_page_of_a_role_does_not_give_back_a_level(alice: Person, hr: Person, service: Scope) -> None:
    with service.open():
        role = Role.objects.get(name="HR")
        grant = ClassificationGrant.objects.get(role=role)
        other = Classification.objects.get(value=CONFIDENTIAL)
    address = f"admin/entities/role/{role.pk}/change/"
    old = open_page(alice, address)
    (cell,) = [name for name in old if name.endswith("0-classification")]
    changed = alice.client.post(alice.base + address, open_page(alice, address) | {cell: str(other.pk)})
    assert changed.status_code == 302
    assert list_clearances(role, service) == {CONFIDENTIAL}
    assert alice.client.post(alice.base + address, old | {"name": "People"}).status_code == 302
    assert list_clearances(role, service) == {CONFIDENTIAL}
    with service.open():
        assert Role.objects.get(pk=role.pk).name == "People"
        assert ClassificationGrant.objects.get(role=role).pk == grant.pk
    assert PII not in list_clearances(role, service)


def list_clearances(role: Role, service: Scope) -> set[int]:
    with service.open():
        return set(ClassificationGrant.objects.filter(role=role).values_list("classification__value", flat=True))


def test_settings_that_two_change_are_both_written(alice: Person, service: Scope, workspace: Any) -> None:
    address = f"admin/entities/workspacesettings/{workspace.pk}/change/"
    old = open_page(alice, address)
    new = open_page(alice, address)
    assert alice.client.post(alice.base + address, new | {"keep_audit_days": "90"}).status_code == 302
    assert alice.client.post(alice.base + address, old | {"classification_prompt": "Be strict."}).status_code == 302
    with service.open():
        here = WorkspaceSettings.objects.get()
        assert (here.keep_audit_days, here.classification_prompt) == (90, "Be strict.")


def test_an_old_page_of_the_workspace_takes_no_name_back(alice: Person, workspace: Any) -> None:
    old = open_workspace(alice, 0)
    assert alice.client.post(f"{alice.base}workspace/", old | {"name": "Harbour"}).status_code == 302
    assert alice.client.post(f"{alice.base}workspace/", old).status_code == 302
    assert open_workspace(alice, 0)["name"] == ["Harbour"]
    refused = alice.client.post(f"{alice.base}workspace/", old | {"name": "Quay"})
    assert refused.status_code == 422
    assert "It is now: Harbour." in refused.content.decode()


def test_an_old_page_of_kinds_takes_no_name_back(alice: Person) -> None:
    old = open_workspace(alice, 1)
    named = old | {"contract-one": "Agreement", "contract-several": "Agreements"}
    assert alice.client.post(f"{alice.base}workspace/", named).status_code == 302
    later = {name: value for name, value in old.items() if name != "risk-shown"}
    assert alice.client.post(f"{alice.base}workspace/", later).status_code == 302
    now = open_workspace(alice, 1)
    assert now["contract-one"] == ["Agreement"]
    assert "risk-shown" not in now


def open_workspace(who: Person, form: int) -> dict[str, Any]:
    page = who.client.get(f"{who.base}workspace/").content.decode()
    forms = [part.split("</form>")[0] for part in page.split("<form") if 'action="' + who.base + 'workspace/"' in part]
    return read_fields(forms[form])


def test_who_is_no_administrator_has_no_such_page(staff: Person, contract: Contract, service: Scope) -> None:
    for address in (f"admin/entities/entity/{contract.pk}/change/", "levels/"):
        assert staff.client.get(staff.base + address).status_code == 403
        assert staff.client.post(staff.base + address, {"visibility": "restricted"}).status_code == 403
    with service.open():
        assert Entity.objects.get(pk=contract.pk).visibility == Visibility.WORKSPACE
