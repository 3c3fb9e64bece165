"""What a search is limited to, and what that costs."""

from datetime import date, timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from ingestion.models import FileRevision, Kind
from retrieval.query import Within
from retrieval.search import search
from tests.retrieval.conftest import ids


def test_within(index, contract, restricted, lease, viewer, alice):
    file, rows = lease
    other = index.file(contract, "other.pdf", collection="hr_documents")
    elsewhere = index.row(contract, "Another liability cap.", file=other)
    snapshot = index.row(contract, "Quay lease, liability cap.", kind=Kind.METADATA)
    session = uuid4()
    message = index.row(contract, "We spoke of the liability cap.", kind=Kind.CHAT_MESSAGE, field=str(session))

    def found(**narrowing):
        with viewer.scope.open():
            return set(ids(search(viewer.scope, "liability", within=Within(**narrowing), limit=50)))

    assert found() >= {rows[0], elsewhere, snapshot, message}
    assert found(files=[other.pk]) == {elsewhere}
    assert found(collections=["hr_documents"]) == {elsewhere}
    assert found(kinds=[Kind.METADATA]) == {snapshot}
    assert found(sessions=[session]) == {message}
    assert found(sessions=[session], files=[other.pk]) == {message, elsewhere}
    assert found(entities=[contract.pk], kinds=[Kind.METADATA, Kind.CHAT_MESSAGE]) == {snapshot, message}
    assert found(types=["contract"]) == found()
    assert found(types=["employee"]) == set()
    assert found(entities=[restricted.pk]) == set()
    assert found(entities=[uuid4()]) == set()
    with viewer.scope.open(), pytest.raises(ValueError, match="There is no type 'ghost'"):
        search(viewer.scope, "liability", within=Within(types=["ghost"]))


def test_days_are_those_on_which_the_text_came_in(index, service, contract, lease, viewer):
    file, rows = lease
    with service.open():
        FileRevision.objects.filter(file=file.pk).update(fetched_at=timezone.now() - timedelta(days=30))
    today, snapshot = timezone.now().date(), index.row(contract, "Liability cap of the lease.")

    def found(since: date | None = None, until: date | None = None):
        with viewer.scope.open():
            return set(ids(search(viewer.scope, "liability cap", within=Within(since=since, until=until))))

    assert found(since=today) == {snapshot}
    assert rows[0] in found(until=today - timedelta(days=30))
    assert snapshot not in found(until=today - timedelta(days=30))
    assert found(since=today - timedelta(days=29), until=today - timedelta(days=1)) == set()


def test_the_number_of_statements_does_not_grow(index, contract, lease, viewer, django_assert_num_queries):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    def statements():
        with viewer.scope.open():
            search(viewer.scope, "liability cap and notice")  # what is looked up once a minute is known from here on
            with CaptureQueriesContext(connection) as asked:
                search(viewer.scope, "liability cap and notice")
        return len(asked)

    search_once = statements()
    for i in range(12):
        index.row(contract, f"Liability clause {i} with notice.", file=lease[0], position=20 + i)
    assert statements() <= search_once
