"""The measurement itself: it compares like with like, and leaves nothing behind. What it measures is not asserted."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from entities.models import User, Workspace


@pytest.mark.django_db(transaction=True)
def test_bench_reports_and_cleans_up(transactional_db):
    out = StringIO()
    call_command("bench", "retrieval", rows=300, rounds=1, json=True, stdout=out)
    rows = {row["name"]: row for row in json.loads(out.getvalue())["rows"]}
    assert rows["rows"]["value"] == 300
    assert 0 < rows["rows visible to the reader"]["value"] < 300
    assert rows["recall@10 of the vector branch"]["met"] is True
    assert all(set(row) == {"name", "value", "goal", "met"} for row in rows.values())
    assert not Workspace.objects.filter(slug__startswith="bench").exists()
    assert not User.objects.filter(username__startswith="bench").exists()
