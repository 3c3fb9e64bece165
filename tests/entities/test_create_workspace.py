from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from rest_framework.test import APIClient

from entities.access import Scope, load_granted_atoms
from entities.models import AuditEntry, Classification, Membership, Role, User, Workspace
from entities.models.classification import FINANCIAL, INTERNAL
from entities.tokens import issue_token
from entities.types import Article
from ingestion.inline import process_all_waiting
from tests.conftest import ALL, Person
from tests.ingestion.helpers import SALARY, ready, texts

PLAN = "Internal: the harbour plan for the coming year, for employees only. The salary of a clerk is 41,200 pounds."


def create_founder(*options: str) -> Person:
    """maria, who founds the workspace `legal` by the command."""
    maria = User.objects.create_user("maria", password="a long pass phrase")
    call_command("create_workspace", "legal", "Legal department", "--admin", "maria", *options)
    workspace = Workspace.objects.get(slug="legal")
    with Scope.for_service(workspace.pk).open():
        secret = issue_token(Membership.objects.get(user=maria))
    api = APIClient()
    api.credentials(HTTP_AUTHORIZATION=f"Token {secret}")
    return Person(maria, Scope.for_user(maria, "legal"), api, "/w/legal/")


def write_plan(maria: Person) -> Article:
    """A record whose long text maria types, when it has been classified."""
    fields = {"name": "Plan", "body": PLAN}
    answer = maria.api.post("/api/entities/article/", fields, format="json")
    assert answer.status_code == 201, answer.content
    process_all_waiting(maria.scope.workspace)
    return Article(pk=answer.json()["id"])


def page_of(maria: Person, article: Article) -> str:
    answer = maria.client.get(f"{maria.base}entities/{article.pk}/")
    assert answer.status_code == 200
    return answer.content.decode()


def read_clearances(maria: Person) -> set[int]:
    with maria.scope.open():
        return set(load_granted_atoms())


def test_an_administrator_gets_a_workspace(db: None) -> None:
    create_founder()
    client = Client()
    assert client.login(username="maria", password="a long pass phrase")
    assert client.get("/w/legal/admin/").status_code == 200
    with Scope.for_service(Workspace.objects.get(slug="legal").pk).open():
        roles = {role.pk: role.name for role in Role.objects.all()}
        rows = [(row.action, row.detail) for row in AuditEntry.objects.order_by("pk")]
    (added, founder), (action, joined) = [row for row in rows if row[0] != "token.issued"]
    assert (added, founder["labels"]) == ("role.added", ALL)
    assert action == "membership.added"
    assert {roles[pk] for pk in joined["roles"]} == {"Admin", "Editor", "Steward", "Founder"}
    User.objects.create_user("other", password="a long pass phrase")
    assert client.login(username="other", password="a long pass phrase")
    assert client.get("/w/legal/").status_code == 404


def test_the_founder_reads_what_she_typed_and_uploaded_when_it_is_classified(db: None) -> None:
    maria = create_founder()
    article = write_plan(maria)
    page = page_of(maria, article)
    assert "harbour plan" in page
    assert "41,200" in page
    file = ready(maria, article)
    assert SALARY in texts(maria, file)
    assert maria.api.get(f"/api/files/{file}/paragraphs/").status_code == 200


@pytest.mark.parametrize("option", ["Public", "public"])
def test_a_founder_who_is_cleared_for_public_reads_nothing_above_it(db: None, option: str) -> None:
    maria = create_founder("--clearances", option)
    article = write_plan(maria)
    page = page_of(maria, article)
    assert "harbour plan" not in page
    assert "41,200" not in page
    assert SALARY not in texts(maria, ready(maria, article)), "of what she sent she reads what rests alone"
    with maria.scope.open():
        assert not Role.objects.filter(name="Founder").exists()


def test_a_founder_is_cleared_for_the_levels_that_the_command_names(db: None) -> None:
    maria = create_founder("--clearances", "Financial", "internal")
    assert read_clearances(maria) == {INTERNAL, FINANCIAL}


def test_a_founder_without_the_stewards_power_relabels_nothing(db: None) -> None:
    maria = create_founder("--no-steward")
    article = write_plan(maria)
    assert "41,200" in page_of(maria, article)
    file = ready(maria, article)
    assert maria.api.get(f"/api/files/{file}/paragraphs/").status_code == 403


def test_a_level_that_the_workspace_adds_later_is_not_the_founders(db: None) -> None:
    maria = create_founder()
    with Scope.for_service(maria.scope.workspace).open():
        Classification.objects.create(
            workspace_id=maria.scope.workspace, value=7, label="Export Controlled", components=[7]
        )
    assert read_clearances(maria) == set(ALL)


def test_a_level_that_there_is_not_is_refused_and_leaves_nothing(db: None) -> None:
    User.objects.create_user("maria", password="a long pass phrase")
    with pytest.raises(CommandError, match="Internl"):
        call_command("create_workspace", "legal", "Legal", "--admin", "maria", "--clearances", "Internl")
    assert not Workspace.objects.filter(slug="legal").exists()
    call_command("create_workspace", "legal", "Legal", "--admin", "maria", "--clearances", "Internal")


def test_a_taken_or_malformed_slug_is_refused(db: None) -> None:
    User.objects.create_user("maria", password="a long pass phrase")
    call_command("create_workspace", "legal", "Legal", admin="maria")
    for slug in ("legal", "a/b", "a b"):
        with pytest.raises(CommandError):
            call_command("create_workspace", slug, "Again", admin="maria")


class Crash(BaseException):
    """What no code catches: as far as the database knows, the process has ended."""


@pytest.mark.parametrize("at", ["entities.actions._make_role", "entities.founding.add_member"])
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
