"""Statements that Django does not write: named parameters, and settings that go with them."""

from collections.abc import Iterator

import pytest
from django.db import DataError, connection, transaction

from entities.access import Scope
from retrieval.statements import fetch_rows

SORT = "SELECT current_setting('enable_sort')"
SETTINGS = {"enable_sort": "off", "hnsw.ef_search": "77"}


@pytest.fixture(autouse=True)
def scope(transactional_db: None, service: Scope) -> Iterator[None]:
    with service.open():
        yield


def test_settings_hold_for_their_statement_alone() -> None:
    assert fetch_rows(SORT, {}) == [("on",)]
    assert fetch_rows(f"{SORT}, current_setting('hnsw.ef_search')", {}, SETTINGS) == [("off", "77")]
    assert fetch_rows(SORT, {}) == [("on",)]


def test_plans_are_made_once_from_the_first_of_them_on() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SHOW plan_cache_mode")
        assert cursor.fetchone() == ("auto",)
    assert fetch_rows("SHOW plan_cache_mode", {}) == [("force_generic_plan",)]


@pytest.mark.parametrize("settings", [None, SETTINGS])
def test_what_fails_is_an_error_of_djangos(settings: dict[str, str] | None) -> None:
    with pytest.raises(DataError), transaction.atomic():
        fetch_rows("SELECT pg_sleep(0.1), 1 / %(zero)s::int", {"zero": 0}, settings)
    assert fetch_rows(SORT, {}) == [("on",)]


def test_a_name_may_stand_twice_beside_a_percent_sign() -> None:
    statement = "SELECT %(a)s::int %% 4, %(b)s::text, %(a)s::int"
    assert fetch_rows(statement, {"b": "x %(a)s", "a": 6, "unused": 1}) == [(2, "x %(a)s", 6)]
