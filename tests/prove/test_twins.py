"""Twins that differ only in what must be hidden without trace answer alike (docs/proof.md, part 3)."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from unittest.mock import PropertyMock, patch

import pytest
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import F
from django.http import HttpResponse

from entities.middleware import ScopeMiddleware
from entities.models import Entity
from ingestion import admin
from retrieval import gate
from tests.prove.conftest import broken
from tests.prove.deletions import deleted
from tests.prove.doors import difference
from tests.prove.size import sized
from tests.prove.twin_worlds import make
from tests.prove.twins import Break, Photo, Photographs, photographs

pytestmark = pytest.mark.prove

OF_WORKSPACE = "USING (workspace_id = (SELECT app_workspace()))"
INDEX = ("contextrow", "vector", "posting")
CLEARED_FOR_ALL = "p.workspace_id = %(workspace)s"
SEARCHES = r"^api/search/\?q=[^&]+&limit=50$"
AS_STORED = """SELECT f.id AS file, r.fetched_at AS at
FROM ingestion_file f JOIN ingestion_filerevision r ON r.id = f.revision_id"""
PAGES_OF_ALL = """
CREATE OR REPLACE FUNCTION app_file_outlines(wanted uuid[])
RETURNS TABLE (file uuid, labels integer[], last_page integer, shown bigint, whole boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT file_id, array_agg(DISTINCT data_classification) FILTER (WHERE data_classification IN (0, 5)), max(page),
    count(*), true FROM ingestion_paragraph WHERE file_id = ANY(wanted) GROUP BY file_id $$
"""


@contextmanager
def counted_before_permission() -> Iterator[None]:
    counted = PropertyMock(side_effect=lambda: Entity._base_manager.count())
    with patch.object(Paginator, "count", counted), patch("rest_framework.pagination.DjangoPaginator.count", counted):
        yield


@contextmanager
def numbered() -> Iterator[None]:
    """Every answer carries the number of a record that all see, from a sequence that all records share."""

    def told(response: HttpResponse) -> HttpResponse:
        last = Entity._base_manager.filter(name="Contract own0").first()
        response["X-Number"] = str(last.number if last else 0)
        return response

    plain = ScopeMiddleware.__init__

    def listen(self: ScopeMiddleware, get_response: Any) -> None:
        plain(self, lambda request: told(get_response(request)))

    with patch.object(ScopeMiddleware, "__init__", listen):
        yield


@contextmanager
def index_open(policies: str, cleared: str) -> Iterator[None]:
    """Search asks twice, in its statement and by the policies of the index: both forget something."""
    with patch.object(gate, "CLEARED", cleared), broken(policies):
        yield


BREAKS: dict[str, Break] = {
    "words of hidden rows weigh": Break(
        partial(index_open, f"ALTER POLICY scope ON ingestion_posting {OF_WORKSPACE}", CLEARED_FOR_ALL),
        SEARCHES,
    ),
    "passages are found whatever their label": Break(
        partial(
            index_open,
            "".join(
                f"ALTER POLICY scope ON ingestion_{t} {OF_WORKSPACE};" for t in ("contextrow", "vector", "posting")
            ),
            CLEARED_FOR_ALL,
        ),
        SEARCHES,
    ),
    "versions have days that are not told": Break(partial(patch.object, gate, "TOLD_AT", AS_STORED), "since|until"),
    "files are as old as versions that are not told": Break(
        partial(patch.object, admin, "build_known_updated_at", lambda scope, told: F("updated_at")),
        "admin/ingestion/file/",
        who="admin",
    ),
    "references are followed whatever their label": Break(
        partial(broken, f"ALTER POLICY scope ON references_reference {OF_WORKSPACE}"), "related|graph|depth"
    ),
    "pages are counted before they are hidden": Break(partial(broken, PAGES_OF_ALL), "files/"),
    "lists are counted before permission": Break(counted_before_permission, "contract/"),
    "a number is told that all workspaces share": Break(numbered, "contract/"),
    "a number is told to who writes": Break(numbered, "never asked to be read", writes=True),
}


def differences(without: Photo, having: Photo) -> list[str]:
    assert without.keys() == having.keys()
    found = ((who, address, difference(photo, having[who, address])) for (who, address), photo in without.items())
    return [f"{who} {address}: {told}" for who, address, told in found if told]


@pytest.mark.parametrize("seed", range(1, sized(1) + 1))
def test_twins_answer_alike_and_each_control_is_seen(breakable: None, seed: int) -> None:
    """One test: the twins take longest of all to be made, and workers would make them twice."""
    logging.getLogger("django.request").setLevel(logging.CRITICAL)
    count = max(2, 1 + seed % 5)  # references of a single record would lead from it to itself, and nowhere else
    without = photographs(seed, count, BREAKS, hidden=False)
    having = photographs(seed, count, BREAKS, hidden=True, twin=without)
    assert len(without.plain) > 250
    assert sum(answer.status == 200 for answer in without.plain.values()) > 150
    assert differences(without.plain, having.plain) == []
    unseen = [
        name
        for name, answers in having.broken.items()
        if not any(difference(without.broken[name][asked], answer) for asked, answer in answers.items())
    ]
    assert unseen == [], "controls"
    deleting_works_and_tells_nothing(without, having)


def deleting_works_and_tells_nothing(without: Photographs, having: Photographs) -> None:
    for name, (answer, left) in having.deletions.items():
        assert (answer.status, left) == (204, []), name
        assert difference(without.deletions[name][0], answer) == "", name


def test_control_what_stays_behind_is_seen(breakable: None) -> None:
    with transaction.atomic():
        world = make(1, 1, hidden=True)
        for trigger in ("forget_sources ON references_reference", "delete_base ON entities_contract"):
            with broken("DROP TRIGGER " + trigger):
                answer, left = deleted(world, "contract", "own0")
            assert left, trigger
        transaction.set_rollback(True)
