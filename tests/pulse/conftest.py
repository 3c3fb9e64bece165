"""Pulses made as the workers make them: swept, claimed, generated, with a scripted or the offline model."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F

from entities.access import Scope
from entities.actions import change_entity, create_entity
from entities.models import Entity
from entities.types import Risk
from llm import scripted
from llm.models import ModelCall
from pulse.claims import claim_due
from pulse.generation import update_variant
from pulse.models import Pulse, Variant
from tests.conftest import Person
from tests.retrieval.conftest import index  # noqa: F401  fixture

Work = Callable[[], int]


@pytest.fixture
def script() -> Iterator[scripted.Script]:
    with scripted.use_scripted_model(otherwise_offline=True) as running:
        yield running


def pass_time(service: Scope, seconds: int = 60) -> None:
    """Move everything that was noted for a later time into the past."""
    back = timedelta(seconds=seconds)
    with service.open():
        for name in ("due_at", "claimed_until", "begun_at", "checked_at"):
            Variant.objects.filter(**{f"{name}__isnull": False}).update(**{name: F(name) - back})


@pytest.fixture
def work(service: Scope) -> Work:
    """What sweep and workers do once the windows have passed. Returns how often a model was asked."""

    def run() -> int:
        asked = 0
        pass_time(service)
        while True:
            with service.open():
                claimed = claim_due()
            if not claimed:
                return asked
            asked += sum(update_variant(service.workspace, claim) for claim in claimed)

    return run


@pytest.fixture
def risk(alice: Person, work: Work) -> Risk:
    """A record with a Pulse that is up to date: everybody reads the general one."""
    with alice.scope.open():
        made = create_entity(scope=alice.scope, model=Risk, fields={"name": "Late steel", "severity": "high"})
    assert work() == 1
    assert isinstance(made, Risk)
    return made


def change(person: Person, entity: Entity, **fields: object) -> None:
    with person.scope.open():
        change_entity(
            scope=person.scope, entity=type(entity).objects.readable_by(person.scope).get(pk=entity.pk), fields=fields
        )


def move(who: Person, task: Entity, project: Entity) -> None:
    answer = who.api.patch(f"/api/entities/task/{task.pk}/", {"project": str(project.pk)}, format="json")
    assert answer.status_code == 200, answer.content


def rename(who: Person, kind: str, record: Entity, name: str) -> None:
    answer = who.api.patch(f"/api/entities/{kind}/{record.pk}/", {"name": name}, format="json")
    assert answer.status_code == 200, answer.content


def calls(service: Scope) -> int:
    with service.open():
        return ModelCall.objects.filter(feature="pulse").count()


def pulse_of(person: Person, entity: Entity) -> dict[str, Any]:
    answer = person.api.get(f"/api/entities/{entity.pk}/pulse/")
    assert answer.status_code == 200
    return answer.json()


def texts(service: Scope) -> dict[tuple[int, ...], str]:
    """Variant -> text, as the service sees them."""
    with service.open():
        atoms = dict(Variant.objects.values_list("pk", "atoms"))
        return {tuple(atoms[p.pk]): p.text for p in Pulse.objects.all()}
