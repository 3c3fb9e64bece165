"""Taking something away while a worker writes a Pulse. Answers of conversations: `test_revocation_answer.py`.

Whatever stands in the end where the words went has the label that they have now, at whichever statement the worker was
when it was raised; and what the worker reads in a transaction begun after the commit, it reads as its role may now.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.db import models
from django.utils import timezone

from entities.access import Scope, list_atoms
from entities.models import ClassificationGrant, Entity
from entities.models.classification import FINANCIAL, SECRET
from ingestion.models import ContextRow, File, Paragraph, RowParagraph
from ingestion.revision_floors import raise_published
from pulse.claims import VariantClaim, claim_due
from pulse.generation import update_variant
from pulse.models import Pulse, Variant
from pulse.variants import ROLE
from tests.conftest import Person
from tests.prove.size import sample
from tests.prove.steps import Actor
from tests.retrieval.conftest import Index

pytestmark = [pytest.mark.prove, pytest.mark.usefixtures("transactional_db")]
WORD = "tangerine"
HERON = f"The heron password is {WORD}, and it must be settled with the harbour in time."
BEGINS = "set_config('app.workspace'"
Take = Callable[[], None]


@pytest.fixture(name="heron")
def plant_heron(contract: Entity, service: Scope) -> File:
    """A file with one passage, Financial."""
    index = Index(service)
    file = index.file(contract, "plain.txt")
    index.row(contract, HERON, file=file, label=FINANCIAL)
    return file


def relabelled(service: Scope, file: File, label: int) -> None:
    with service.open():
        for model, at in ((Paragraph, {"file": file.pk}), (RowParagraph, {"paragraph__file": file.pk}),
                          (ContextRow, {"file": file.pk})):  # fmt: skip
            model._default_manager.filter(**at).update(data_classification=label)


def raising(service: Scope, file: File) -> Take:
    def take() -> None:
        with service.open():
            File.objects.select_for_update().get(pk=file.pk)
            raise_published(file.pk, SECRET)

    return take


def below(service: Scope, rows: type[models.Model], words: str, atom: int) -> list[Any]:
    """Rows that hold the word and do not need `atom`."""
    with service.open():
        found = rows._default_manager.filter(**{f"{words}__icontains": WORD})
        return [row for row in found if atom not in list_atoms(row.data_classification)]  # type: ignore[attr-defined]


def claim(service: Scope) -> VariantClaim:
    """On the general variant, due, with no text yet."""
    with service.open():
        Pulse.objects.all().delete()
        Variant.objects.update(claim=None, claimed_until=None, attempts=0, due_at=timezone.now() - timedelta(minutes=1))
        due = {found.variant: found for found in claim_due(limit=200)}
        general = max(Variant.objects.filter(pk__in=due), key=lambda variant: len(variant.atoms))
    return due[general.pk]


def stops_of(work: Callable[[], Any]) -> list[str]:
    watched = Actor("watched", work)
    watched.finish()
    return watched.statements


def interleaved(work: Callable[[], Any], take: Take, stop: int | str, database: psycopg.Connection) -> bool:
    """`take` commits when `work` has come to `stop`. False where it had to wait for the other's lock."""
    worker, other = Actor("worker", work), Actor("other", take)
    worker.go_to(stop, database)
    in_time = other.run(database)
    worker.finish()
    other.finish()
    return in_time


@pytest.fixture
def generated(alice: Person, heron: File, service: Scope, contract: Entity) -> list[str]:
    """The statements of making a Pulse. The offline engine writes it, from the passage."""
    assert alice.api.get(f"/api/entities/{contract.pk}/pulse/").status_code == 200
    made = claim(service)
    statements = stops_of(lambda: update_variant(service.workspace, made))
    with service.open():
        assert Pulse.objects.filter(text__icontains=WORD).exists()
    return statements


def test_a_pulse_has_the_label_of_what_went_in(
    generated: list[str], heron: File, service: Scope, superuser_connection: psycopg.Connection
) -> None:
    for stop in sample(range(len(generated)), 6, "pulse"):
        relabelled(service, heron, FINANCIAL)
        made = claim(service)
        interleaved(lambda made=made: update_variant(service.workspace, made), raising(service, heron), stop,
                    superuser_connection)  # fmt: skip
        assert below(service, Pulse, "text", SECRET) == [], f"raised at {stop}: {generated[stop]}"


def test_a_pulse_is_read_as_the_role_may_now(
    generated: list[str], alice: Person, contract: Entity, service: Scope, superuser_connection: psycopg.Connection
) -> None:
    grants = ClassificationGrant.objects.filter(role__name=ROLE, classification__value=FINANCIAL)

    def take() -> None:
        with service.open():
            grants.delete()

    with service.open():
        role, atom = grants.values_list("role_id", "classification_id").get()
    reads = [n for n, sql in enumerate(generated) if BEGINS in sql][2]  # after the claim's and the record's own
    for stop in [reads, *sample(range(reads), 2, "role")]:
        made = claim(service)
        try:
            assert interleaved(
                lambda made=made: update_variant(service.workspace, made), take, stop, superuser_connection
            )
            with service.open():
                assert not Pulse.objects.filter(text__icontains=WORD).exists(), f"taken at {stop}: {generated[stop]}"
        finally:
            with service.open():
                ClassificationGrant.objects.create(workspace_id=service.workspace, role_id=role, classification_id=atom)
            alice.api.get(f"/api/entities/{contract.pk}/pulse/")  # the variant has gone with the clearance: a new one


def test_the_control_finds_a_pulse_that_is_written_without_looking_again(
    generated: list[str],
    heron: File,
    service: Scope,
    superuser_connection: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The negative control: what was read is taken for what is, and sources are not noted."""
    monkeypatch.setattr("pulse.generation.is_still_current", lambda job, inputs: True)
    last = [n for n, sql in enumerate(generated) if BEGINS in sql][-1]
    made = claim(service)
    interleaved(lambda: update_variant(service.workspace, made), raising(service, heron), last, superuser_connection)
    assert below(service, Pulse, "text", SECRET)
