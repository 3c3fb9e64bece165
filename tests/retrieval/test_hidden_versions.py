"""A version that changed nothing which one may know of moves no day and no place of what a search finds."""

from datetime import UTC, datetime

import pytest

from entities.access import Scope
from entities.models import Classification
from entities.models.classification import FINANCIAL
from entities.types import Contract
from ingestion.models import FileRevision
from tests.conftest import Person
from tests.ingestion.helpers import REPORT, ready
from tests.ingestion.test_known_versions import HIDDEN, NOTED

pytestmark = pytest.mark.django_db(transaction=True)
MARCH, MAY, JUNE = (datetime(2026, month, 9, 12, tzinfo=UTC) for month in (3, 5, 6))


@pytest.fixture
def file(alice: Person, contract: Contract, service: Scope) -> str:
    """Of March, and of May again, when only what is Financial changed, which is concealed."""
    with service.open():
        Classification.objects.filter(value=FINANCIAL).update(conceal=True)
    pk = ready(alice, contract)
    ready(alice, contract, content=HIDDEN)
    sent(service, pk, 1, MARCH)
    sent(service, pk, 2, MAY)
    return pk


def sent(service: Scope, file: str, number: int, at: datetime) -> None:
    with service.open():
        assert FileRevision.objects.filter(file=file, number=number).update(fetched_at=at)


def found(who: Person, file: str, **days: datetime) -> bool:
    """Whether a search for what stands in all versions finds it."""
    asked = {name: f"{day:%Y-%m-%d}" for name, day in days.items()}
    answer = who.api.get("/api/search/", {"q": "the quay was closed", "file": file, **asked})
    assert answer.status_code == 200, answer.content
    return "closed for two days" in str(answer.json()["results"])


def test_days_are_those_of_the_versions_that_one_is_told_of(
    file: str, alice: Person, cfo: Person, staff: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    for who, day in ((viewer, MARCH), (staff, MARCH), (cfo, MAY), (alice, MAY)):
        assert found(who, file, since=day, until=day), who.user
        assert found(who, file, since=MAY) == (day == MAY), who.user
        assert found(who, file, until=MARCH) == (day == MARCH), who.user
    # What they are told of next moves it for everybody.
    ready(alice, contract, content=NOTED)
    sent(service, file, 3, JUNE)
    assert [found(who, file, since=JUNE) for who in (viewer, cfo, alice)] == [True] * 3
    assert [found(who, file, until=MAY) for who in (viewer, cfo, alice)] == [False] * 3


def test_who_sent_a_version_knows_its_day(
    file: str, staff: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    ready(staff, contract, content=HIDDEN.replace(b"12,300", b"14,100"))
    sent(service, file, 3, JUNE)
    assert (found(staff, file, since=JUNE), found(viewer, file, since=JUNE)) == (True, False)
    assert found(viewer, file, until=MARCH)


def test_suggested_files_stand_where_they_stood(
    alice: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    def suggested() -> list[str]:
        found = viewer.api.get("/api/suggest/", {"q": "report"}).json()
        return [row["name"] for row in found["results"] if row["type"] == "file"]

    with service.open():
        Classification.objects.filter(value=FINANCIAL).update(conceal=True)
    names = [f"report {letter}.md" for letter in "abc"]
    for name in names:
        ready(alice, contract, name)
    assert suggested() == names
    for content in (HIDDEN, REPORT.replace(b"68,400", b"70,100")):
        ready(alice, contract, names[1], content)
        assert suggested() == names
