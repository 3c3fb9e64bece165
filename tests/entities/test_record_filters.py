"""Lists are narrowed and ordered by columns of the record and of what it links to, as far as these exist for who asks.

Each filter is asked by somebody who is cleared for it and by somebody who is not.
"""

from datetime import date, timedelta

import pytest
from django.utils import timezone

from entities.actions import create_entity
from entities.record_columns import RecordColumn
from entities.record_filters import read_days
from entities.types import Contract, Project, Risk, Task

TODAY = timezone.localdate()


@pytest.fixture
def site(alice):
    """Two projects, one of them restricted, with a task and a risk each; a contract with the open one's."""
    with alice.scope.open():

        def create(model, visibility="workspace", **fields):
            return create_entity(scope=alice.scope, model=model, fields=fields, visibility=visibility)

        lease = create(Contract, name="Quay lease", counterparty="Port", value="1200000", ends_on=date(2040, 5, 1))
        create(Contract, name="Crane hire", counterparty="Tallis", value="90000", ends_on=TODAY + timedelta(days=3))
        quay = create(Project, name="Quay 7", owner_name="Devika Rao", budget="2000000", due_on=TODAY, contract=lease)
        gannet = create(Project, "restricted", name="Gannet", owner_name="Ines", due_on=TODAY, budget="1")
        for name, project, days, state in (
            ("Permit", quay, -2, "blocked"), ("Trusses", quay, 9, "doing"), ("Lagging", quay, -30, "done"),
            ("Bids", gannet, 20, "todo"),
        ):  # fmt: skip
            create(Task, name=name, project=project, status=state, due_on=TODAY + timedelta(days=days))
        create(Risk, name="Storm", severity="high", project=quay)
        create(Risk, name="Leak", severity="low", project=gannet)
        create(Risk, name="Rust", severity="low")
    return {"quay": quay, "gannet": gannet}


def names(who, kind, **query):
    answer = who.api.get(f"/api/entities/{kind}/", query)
    return [row["name"] for row in answer.json()["results"]] if answer.status_code == 200 else answer.status_code


LISTED = [
    ("task", {"due_on__lt": "today", "ordering": "name"}, ["Lagging", "Permit"]),
    ("task", {"overdue": "1"}, ["Permit"]),
    ("task", {"finished": "1"}, ["Lagging"]),
    ("task", {"status": "blocked,doing", "ordering": "due_on"}, ["Permit", "Trusses"]),
    ("task", {"status__not": "done", "project.name": "Quay 7", "ordering": "-due_on"}, ["Trusses", "Permit"]),
    ("task", {"due_on__gt": "field:project.due_on", "project.name__icontains": "quay"}, ["Trusses"]),
    ("contract", {"ends_on": "next_7_days"}, ["Crane hire"]),
    ("contract", {"ends_on": "2040"}, ["Quay lease"]),
    ("contract", {"name__any": "quay lease; crane hire", "ordering": "name"}, ["Crane hire", "Quay lease"]),
    ("contract", {"name__any": "quay; crane hire"}, ["Crane hire"]),
    ("risk", {"project.due_on__not": "2020", "ordering": "name"}, ["Leak", "Rust", "Storm"]),
    ("project", {"called": "devika"}, ["Quay 7"]),
    ("risk", {"called": "quay"}, ["Storm"]),
    ("risk", {"project__empty": "0", "severity": "high"}, ["Storm"]),
    ("contract", {"updated_at__gte": "today", "updated_at": "this_month", "ordering": "name"},
     ["Crane hire", "Quay lease"]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "query", "found"), LISTED)
def test_a_list_is_narrowed_by_its_address(viewer, site, kind, query, found):
    assert names(viewer, kind, **query) == found


@pytest.mark.parametrize(
    ("kind", "query", "found"),
    [
        ("contract", {"value__gt": "1000000"}, ["Quay lease"]),
        ("contract", {"value__lte": "90000"}, ["Crane hire"]),
        ("contract", {"value__empty": "0", "ordering": "-value"}, ["Quay lease", "Crane hire"]),
        ("contract", {"ordering": "value"}, ["Crane hire", "Quay lease"]),
        ("task", {"project.budget__gt": "5", "ordering": "name"}, ["Lagging", "Permit", "Trusses"]),
        ("task", {"status": "doing", "ordering": "project.budget"}, ["Trusses"]),
        ("project", {"budget__gt": "field:contract.value"}, ["Quay 7"]),
    ],
)
def test_a_column_that_the_asker_is_not_cleared_for_narrows_orders_and_compares_nothing(
    viewer, cfo, site, kind, query, found
):
    assert names(cfo, kind, **query) == found
    assert names(viewer, kind, **query) == 400
    plain = {name.replace("budget", "nothing").replace("value", "nothing"): v for name, v in query.items()}
    assert names(viewer, kind, **plain) in (400, []), "as a column that there is not"


@pytest.mark.parametrize(
    ("kind", "query", "of_all", "of_open"),
    [
        ("task", {"project.name": "Gannet"}, ["Bids"], []),
        ("task", {"project.owner_name__icontains": "ines"}, ["Bids"], []),
        ("task", {"due_on__gt": "field:project.due_on", "ordering": "name"}, ["Bids", "Trusses"], ["Trusses"]),
        ("task", {"called": "Gannet"}, ["Bids"], []),
        ("risk", {"project__empty": "1", "ordering": "name"}, ["Rust"], ["Leak", "Rust"]),
        ("risk", {"severity": "low", "ordering": "project.name"}, ["Leak", "Rust"], None),
        ("risk", {"project.name__not": "Quay 7", "ordering": "name"}, ["Leak", "Rust"], ["Leak", "Rust"]),
    ],
)
def test_a_linked_record_that_the_asker_may_not_see_is_as_none(alice, viewer, site, kind, query, of_all, of_open):
    assert names(alice, kind, **query) == of_all
    if of_open is None:
        assert sorted(names(viewer, kind, **query)) == sorted(of_all)
    else:
        assert names(viewer, kind, **query) == of_open


def test_an_order_by_a_hidden_linked_name_is_the_order_of_none(alice, viewer, site):
    """Both risks have no project that the viewer knows of: their keys decide, whatever the project is called."""
    first = names(viewer, "risk", severity="low", ordering="project.name")
    assert first == names(viewer, "risk", severity="low", ordering="-project.name")
    assert names(alice, "risk", severity="low", ordering="project.name") == ["Leak", "Rust"]


@pytest.mark.parametrize(
    ("kind", "query"),
    [
        ("task", {"due_on": "someday"}),
        ("task", {"due_on__icontains": "2026"}),
        ("task", {"status__gt": "done"}),
        ("task", {"overdue": "perhaps"}),
        ("risk", {"overdue": "1"}),
        ("task", {"project.nothing": "1"}),
        ("task", {"project.contract.value": "1"}),
        ("task", {"due_on__gt": "field:status"}),
        ("contract", {"counterparty__lt": "A"}),
        ("task", {"ordering": "project"}),
        ("task", {"called": ";"}),
        ("task", {"called": "a;b;c;d;e;f"}),
        ("task", {"called": "a" * 201}),
        ("task", {"name__any": ";"}),
    ],
)
def test_what_is_no_filter_is_refused_with_those_that_there_are(viewer, site, kind, query):
    answer = viewer.api.get(f"/api/entities/{kind}/", query)
    assert answer.status_code == 400
    assert "budget" not in answer.content.decode()


def test_no_two_columns_have_one_name_in_a_statement():
    """However a link and a field of what it leads to are called."""
    columns = [RecordColumn(Task, "b_c", "a"), RecordColumn(Task, "c", "a_b"), RecordColumn(Task, "project")]
    assert len({column.alias for column in columns}) == 3


@pytest.mark.parametrize(
    ("value", "days"),
    [
        ("2026-02", ("2026-02-01", "2026-02-28")),
        ("this_week", ("2026-11-30", "2026-12-06")),
        ("last_month", ("2026-10-01", "2026-10-31")),
        ("next_month", ("2026-12-01", "2026-12-31")),
        ("next_quarter", ("2027-01-01", "2027-03-31")),
        ("last_30_days", ("2026-10-31", "2026-11-30")),
        ("next_year", ("2027-01-01", "2027-12-31")),
        ("tomorrow", ("2026-12-01", "2026-12-01")),
    ],
)
def test_a_period_is_its_first_and_last_day(value, days):
    assert tuple(map(str, read_days(value, date(2026, 11, 30)))) == days


def test_the_page_says_what_it_shows_and_the_words_are_no_operators(viewer, site):
    page = viewer.client.get(f"{viewer.base}records/task/", {"due_on__lte": "2026-11-27", "overdue": "1"})
    assert "due by 27 November 2026" in page.content.decode()
    assert "overdue" in page.content.decode()
    german = viewer.client.get(
        f"{viewer.base}records/task/", {"due_on__lte": "2026-11-27"}, headers={"accept-language": "de"}
    )
    assert "Fällig bis 27. November 2026" in german.content.decode()


def test_a_page_goes_on_with_a_filter_that_it_has_no_field_for_and_not_with_one_that_there_is_not(viewer, site):
    page = viewer.client.get(f"{viewer.base}records/task/", {"status": "blocked,doing"}).content.decode()
    assert page.count('name="status"') == 1
    assert 'name="status" value="blocked,doing"' in page
    bad = viewer.client.get(f"{viewer.base}records/task/", {"nothing": "1"})
    assert bad.status_code == 400
    assert 'name="nothing"' not in bad.content.decode()
