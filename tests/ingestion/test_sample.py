"""Who begins an installation may have the sample company beside their own workspace: chosen, loaded, and found."""

from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings

from entities.access import Scope
from entities.actions import create_workspace
from entities.first_run import make_code
from entities.models import Entity, User, Workspace
from ingestion.demo.load import is_unfinished
from ingestion.models import File
from ingestion.tasks import load_sample
from tests.entities.test_first_run import begin, open_browser

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def private(settings: LazySettings, tmp_path: Path) -> None:
    """Only this machine reaches the installation, and no other test loads the demo in it."""
    settings.ALLOWED_HOSTS = ["localhost"]
    settings.CLEARANCE_BIND = "127.0.0.1"
    settings.CLEARANCE_HOME = tmp_path


def test_it_is_set_up_beside_ones_own_workspace_and_the_home_says_where(
    django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[bool] = []
    monkeypatch.setattr(load_sample, "delay", lambda: sent.append(True))
    client = open_browser()
    assert "Add the sample company" in client.get("/begin/").content.decode()
    assert "Somebody of the sample company" in begin(client, sample="on", username="Admin").content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        assert begin(client, sample="on").status_code == 302
    assert (sent, is_unfinished()) == ([True], True)
    own = Workspace.objects.get(slug="quay-sons-ltd")
    assert 'hx-get="/w/demo/sample/"' in client.get("/w/quay-sons-ltd/").content.decode()
    panel = client.get("/w/demo/sample/").content.decode()
    assert "Being set up: no records and no files so far." in panel
    assert "clearance:tick" in panel
    assert client.get("/w/quay-sons-ltd/sample/").status_code == 404
    assert client.get("/")["Location"] == "/w/quay-sons-ltd/", "the demo comes last, whatever its name"

    load_sample()
    assert not is_unfinished()
    load_sample()  # comes twice: there is nothing left to do
    files = client.get("/w/demo/sample/").context["files"]
    assert files > 10
    assert f"Being read: 0 of {files} files." in client.get("/w/demo/sample/").content.decode()
    with Scope.for_service(Workspace.objects.get(slug="demo").pk).open():
        File.objects.update(state="ready")
    panel = client.get("/w/demo/sample/").content.decode()
    assert "Ready: " in panel
    assert "clearance:tick" not in panel
    with Scope.for_service(own.pk).open():
        assert not Entity.objects.exists()
        assert not File.objects.exists()


def test_one_who_does_not_choose_it_has_none_and_sees_none() -> None:
    client = open_browser()
    begin(client, username="admin")  # nobody of the sample company has the name
    assert not Workspace.objects.filter(slug="demo").exists()
    assert "/sample/" not in client.get("/w/quay-sons-ltd/").content.decode()
    assert client.get("/w/demo/sample/").status_code == 404


@pytest.fixture
def admin() -> User:
    """The demo's administrator, in an installation that has the demo workspace already."""
    create_workspace(slug="demo", name="Harbour & Vale Engineering")
    return User.objects.create_user("admin", password="demo")


def test_where_make_up_has_loaded_it_who_chooses_it_becomes_a_member_at_once(admin: User) -> None:
    client = open_browser()
    begin(client, sample="on")
    assert not is_unfinished()
    assert "Ready: no records and no files." in client.get("/w/demo/sample/").content.decode()


def test_it_is_not_offered_on_a_public_address_nor_once_the_demo_has_passwords_of_its_own(
    admin: User, settings: LazySettings
) -> None:
    client = open_browser()
    settings.CLEARANCE_BIND = "0.0.0.0"
    assert "sample" not in client.get("/begin/", {"code": make_code()}).context["form"].fields
    settings.CLEARANCE_BIND = "127.0.0.1"
    assert "sample" in client.get("/begin/").context["form"].fields
    admin.set_password("a long pass phrase")
    admin.save()
    assert "sample" not in client.get("/begin/").context["form"].fields
    assert begin(client, sample="on").status_code == 302
    assert client.get("/w/demo/sample/").status_code == 404
    assert client.get("/w/demo/").status_code == 404
