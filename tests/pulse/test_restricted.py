"""Records that are not open to the workspace: who may share one can have a Pulse of it, and nobody else is told how."""

from entities.access import Scope, grant_entity
from entities.models import AuditEntry
from entities.types import Contract, Project
from pulse.models import Pulse
from tests.conftest import Person
from tests.pulse.conftest import Work, pulse_of, texts

ALLOW = b"see this record</button>"


def panel(person: Person, record: Contract) -> bytes:
    answer = person.client.get(f"{person.base}entities/{record.pk}/pulse/", headers={"HX-Request": "true"})
    assert answer.status_code == 200
    return answer.content


def test_whoever_may_share_a_restricted_record_can_have_its_pulse_written(
    alice: Person, viewer: Person, cfo: Person, restricted: Contract, work: Work, service: Scope
) -> None:
    with alice.scope.open():
        grant_entity(restricted, viewer.user.pk, ["view"])
    assert ALLOW in panel(alice, restricted)
    seen = panel(viewer, restricted)
    assert b"There is no Pulse of this record" in seen
    assert ALLOW not in seen
    assert b"pulse-service" not in seen
    address = f"entities/{restricted.pk}/pulse/allow/"
    assert viewer.client.post(f"{viewer.base}{address}").status_code == 403
    assert work() == 0
    answer = alice.client.post(f"{alice.base}{address}", headers={"HX-Request": "true"})
    assert b"Being written" in answer.content
    assert work() == 1
    pulse_of(viewer, restricted)
    work()
    assert "Nobody you know" in pulse_of(alice, restricted)["text"]
    assert "Nobody you know" in pulse_of(viewer, restricted)["text"]
    hidden = cfo.client.post(f"{cfo.base}{address}")
    absent = cfo.client.post(f"{cfo.base}entities/00000000-0000-4000-8000-000000000000/pulse/allow/")
    assert (hidden.status_code, hidden.content) == (absent.status_code, absent.content)
    assert hidden.status_code == 404
    with service.open():
        assert AuditEntry.objects.filter(action="pulse.allowed").count() == 1
        assert not Pulse.objects.exclude(entity=restricted.pk).exists()


def test_what_the_role_may_see_goes_into_no_other_pulse(
    alice: Person, viewer: Person, restricted: Contract, work: Work, service: Scope
) -> None:
    assert alice.client.post(f"{alice.base}entities/{restricted.pk}/pulse/allow/").status_code == 302
    made = alice.api.post("/api/entities/project/", {"name": "Quay 7", "contract": str(restricted.pk)}, format="json")
    assert made.status_code == 201
    project = Project(pk=made.json()["id"])
    work()
    pulse_of(viewer, project)
    work()
    with service.open():
        written = Pulse.objects.filter(entity=project.pk).values_list("text", flat=True)
        assert written
        assert all("Settlement" not in text and "Nobody" not in text for text in written)
    assert texts(service)
