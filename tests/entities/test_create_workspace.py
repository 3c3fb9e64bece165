import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from entities.models import User


def test_an_administrator_gets_a_workspace(db: None) -> None:
    User.objects.create_user("maria", password="a long pass phrase")
    call_command("create_workspace", "legal", "Legal department", admin="maria")
    client = Client()
    assert client.login(username="maria", password="a long pass phrase")
    assert client.get("/w/legal/admin/").status_code == 200
    User.objects.create_user("other", password="a long pass phrase")
    assert client.login(username="other", password="a long pass phrase")
    assert client.get("/w/legal/").status_code == 404


def test_a_taken_or_malformed_slug_is_refused(db: None) -> None:
    User.objects.create_user("maria", password="a long pass phrase")
    call_command("create_workspace", "legal", "Legal", admin="maria")
    for slug in ("legal", "a/b", "a b"):
        with pytest.raises(CommandError):
            call_command("create_workspace", slug, "Again", admin="maria")
