"""What else decides when a Pulse is looked at: archiving, untracked columns, age."""

import pytest

from entities.access import Scope
from entities.actions import archive_entity
from entities.models import Entity
from entities.types import Risk
from pulse.models import Variant
from tests.conftest import Person
from tests.pulse.conftest import Work, change, pass_time, pulse_of


def variant(service: Scope, entity: Entity) -> Variant:
    with service.open():
        return Variant.objects.get(entity=entity.pk)


def test_archived_record_is_left_as_it_is(alice: Person, viewer: Person, risk: Risk, work: Work) -> None:
    with alice.scope.open():
        archive_entity(scope=alice.scope, entity=risk)
    assert work() == 0
    shown = pulse_of(viewer, risk)
    assert (shown["state"], shown["refreshing"]) == ("ready", False)
    with alice.scope.open():
        archive_entity(scope=alice.scope, entity=risk, archived=False)
    assert work() == 0  # nothing in it has changed
    assert pulse_of(viewer, risk)["stale_since"] is None


def test_untracked_field_changes_nothing(
    alice: Person, viewer: Person, risk: Risk, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Risk.Rag, "pulse_tracked_fields", ["status"])
    change(alice, risk, severity="low")
    assert variant(service, risk).due_at is None
    change(alice, risk, status="mitigated")
    assert variant(service, risk).due_at is not None


def test_old_pulse_is_looked_at(
    viewer: Person, risk: Risk, work: Work, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pulse.staleness import mark_old

    monkeypatch.setattr(Risk.Rag, "pulse_refresh_after", 3600)
    with service.open():
        assert mark_old() == 0
    pass_time(service, 4000)
    with service.open():
        assert mark_old() == 1
        assert mark_old() == 0
    assert pulse_of(viewer, risk)["stale_since"] is None
    assert work() == 0
    assert variant(service, risk).due_at is None
