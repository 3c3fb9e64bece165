"""Where a reference points is shown as far as that place exists for who reads it."""

import pytest

from entities.access import Scope
from entities.models import Classification, Entity
from entities.models.classification import SECRET
from entities.types import Contract
from ingestion.models import File, Paragraph
from tests.conftest import Person
from tests.ingestion.helpers import ready
from tests.references.test_changing import body

pytestmark = pytest.mark.django_db(transaction=True)
NOWHERE = (None, {})


@pytest.fixture(autouse=True)
def _secret_is_concealed(service: Scope) -> None:
    with service.open():
        Classification.objects.filter(value=SECRET).update(conceal=True)


def place(who: Person, target: Entity) -> tuple[object, object]:
    """Of the one reference to `target`."""
    (found,) = who.api.get(f"/api/references/?entity={target.pk}").json()["results"]
    return found["location_type"], found["location"]


def panel(who: Person, record: Entity) -> str:
    answer = who.client.get(f"{who.base}entities/{record.pk}/references/")
    assert answer.status_code == 200
    return answer.content.decode()


def point_at_page(alice: Person, source: Entity, target: Entity, file: str, page: int) -> dict[str, object]:
    where = {"location_type": "Page", "location": {"file": file, "page": page}}
    answer = alice.api.post("/api/references/", body(source, target, label="", **where), format="json")
    assert answer.status_code == 201, answer.content
    return dict(answer.json())


def test_a_page_of_a_concealed_file_is_told_to_nobody_else(
    alice: Person, viewer: Person, contract: Contract, annex: Entity, service: Scope
) -> None:
    file = ready(alice, contract, "secret.txt", b"The code word is heron.", labels=str(SECRET))
    with service.open():
        File.objects.filter(pk=file).update(pages=41)
    made = point_at_page(alice, annex, contract, file, 41)
    there = ("Page", {"file": file, "page": 41})
    assert (made["location_type"], made["location"]) == there
    assert place(alice, contract) == there
    assert "p. 41" in panel(alice, annex)
    assert place(viewer, contract) == NOWHERE
    shown = panel(viewer, annex)
    assert "p. 41" not in shown
    assert file not in shown
    assert str(contract.pk) in shown


def test_a_page_shows_up_to_the_last_one_that_the_reader_knows_of(
    alice: Person, viewer: Person, contract: Contract, annex: Entity, service: Scope
) -> None:
    file = ready(alice, contract, "open.txt", b"The quay is open to all today, they say.")
    with service.open():
        File.objects.filter(pk=file).update(pages=41)
        Paragraph.objects.filter(file=file).update(page=3)
    made = point_at_page(alice, annex, contract, file, 3)
    assert place(viewer, contract) == ("Page", {"file": file, "page": 3})
    assert "p. 3" in panel(viewer, annex)
    assert alice.api.delete(f"/api/references/{made['id']}/").status_code == 204
    point_at_page(alice, annex, contract, file, 4)
    assert place(alice, contract) == ("Page", {"file": file, "page": 4})
    assert place(viewer, contract) == NOWHERE
    assert "p. 4" not in panel(viewer, annex)


def test_a_field_shows_to_who_may_read_it(
    alice: Person, cfo: Person, viewer: Person, contract: Contract, annex: Entity
) -> None:
    where = {"location_type": "Property", "location": {"field": "value"}}
    answer = alice.api.post("/api/references/", body(annex, contract, label="", **where), format="json")
    assert answer.status_code == 201
    assert place(cfo, contract) == ("Property", {"field": "value"})
    assert place(viewer, contract) == NOWHERE
    assert "#f-value" in panel(cfo, annex)
    assert "#f-value" not in panel(viewer, annex)
