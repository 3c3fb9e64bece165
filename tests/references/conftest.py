from collections.abc import Callable
from typing import Any

import pytest

from entities.access import Scope
from entities.actions import create_entity
from entities.models import Entity
from entities.types import Contract
from references.models import Reference
from tests.conftest import Person
from tests.retrieval.conftest import index  # noqa: F401  fixture

Links = Callable[..., Reference]


@pytest.fixture
def annex(alice: Person) -> Entity:
    with alice.scope.open():
        return create_entity(scope=alice.scope, model=Contract, fields={"name": "Quay annex", "counterparty": "Port"})


@pytest.fixture
def template(alice: Person) -> Entity:
    with alice.scope.open():
        return create_entity(
            scope=alice.scope, model=Contract, fields={"name": "Lease template", "counterparty": "Any"}
        )


@pytest.fixture
def link(service: Scope) -> Links:
    """A reference with a label, as the service leaves it."""

    def make(source: Entity, target: Entity, kind: str = "CrossReference", label: int = 0, **more: Any) -> Reference:
        with service.open():
            return Reference.objects.create(
                workspace_id=service.workspace,
                source_id=source.pk,
                target_id=target.pk,
                kind=kind,
                data_classification=label,
                **{"label": "Same indemnity clause", **more},
            )

    return make
