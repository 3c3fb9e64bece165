from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from entities.access import Scope
from entities.models import AuditEntry, Role, User, Workspace


def test_an_administrator_gets_a_workspace(db: None) -> None:
    User.objects.create_user("maria", password="a long pass phrase")
    call_command("create_workspace", "legal", "Legal department", admin="maria")
    client = Client()
    assert client.login(username="maria", password="a long pass phrase")
    assert client.get("/w/legal/admin/").status_code == 200
    with Scope.for_service(Workspace.objects.get(slug="legal").pk).open():
        roles = {role.pk: role.name for role in Role.objects.all()}
        rows = [(row.action, row.detail) for row in AuditEntry.objects.all()]
    ((action, joined),) = rows
    assert (action, {roles[pk] for pk in joined["roles"]}) == ("membership.added", {"Admin", "Editor"})
    User.objects.create_user("other", password="a long pass phrase")
    assert client.login(username="other", password="a long pass phrase")
    assert client.get("/w/legal/").status_code == 404


def test_a_taken_or_malformed_slug_is_refused(db: None) -> None:
    User.objects.create_user("maria", password="a long pass phrase")
    call_command("create_workspace", "legal", "Legal", admin="maria")
    for slug in ("legal", "a/b", "a b"):
        with pytest.raises(CommandError):
            call_command("create_workspace", slug, "Again", admin="maria")


class Crash(BaseException):
    """What no code catches: as far as the database knows, the process has ended."""


@pytest.mark.parametrize(
    "at", ["entities.actions._make_role", "entities.management.commands.create_workspace.add_member"]
)
def test_what_ends_halfway_leaves_nothing_and_can_be_done_again(db: None, monkeypatch: Any, at: str) -> None:
    """A workspace without its settings, roles or administrator is of no use, and would keep its slug."""

    def crash(*args: Any, **flags: Any) -> None:
        raise Crash

    monkeypatch.setattr("entities.management.commands.create_workspace.getpass", lambda prompt: "a long pass phrase")
    with monkeypatch.context() as ending:
        ending.setattr(at, crash)
        with pytest.raises(Crash):
            call_command("create_workspace", "legal", "Legal department", admin="maria")
    assert not Workspace.objects.filter(slug="legal").exists()
    assert not User.objects.filter(username="maria").exists()
    call_command("create_workspace", "legal", "Legal department", admin="maria")
    client = Client()
    assert client.login(username="maria", password="a long pass phrase")
    assert client.get("/w/legal/admin/").status_code == 200
