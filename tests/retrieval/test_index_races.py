"""Two transactions that change one row's index at once: what either makes private is private when both have ended."""

from threading import Thread
from typing import Any

import psycopg
import pytest
from django.db import connection

from config.postgres import Cluster
from config.roles import APP
from entities.access import Scope
from entities.types import Contract
from ingestion.embed import get_embedder
from ingestion.vector_fill import embed_texts, write_missing_vectors
from ingestion.vector_models import get_or_create_model
from tests.conftest import Person
from tests.db_plugin import connected
from tests.retrieval.conftest import Index

pytestmark = pytest.mark.django_db(transaction=True)


def as_service(database: psycopg.Connection, service: Scope) -> None:
    database.execute(
        "SELECT set_config('app.workspace', %s, true), set_config('app.principal', '0', true),"
        " set_config('app.service', 'on', true)",
        [str(service.workspace)],
    )


def rows(statement: str, service: Scope, *values: Any) -> list[tuple[Any, ...]]:
    with service.open(), connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())


def test_a_vector_made_while_sources_come_is_asked_for_them(
    contract: Contract, restricted: Contract, index: Index, service: Scope, app_connection: psycopg.Connection
) -> None:
    row = index.row(contract, "The bulkhead leaks.", vector=False)
    embedder = get_embedder()
    with service.open():
        get_or_create_model(embedder.model_id, embedder.dim)
    vectors = embed_texts(embedder, {row: "The bulkhead leaks."})
    with app_connection.transaction():
        as_service(app_connection, service)
        app_connection.execute(
            "INSERT INTO entities_source (workspace_id, derived, entity_id) VALUES (%s, %s, %s)",
            [service.workspace, row, restricted.pk],
        )
        with service.open():
            assert write_missing_vectors(vectors, embedder) == 0, "it is found again"
    with service.open():
        assert write_missing_vectors(vectors, embedder) == 1
    found = rows(
        'SELECT v.drawn FROM ingestion_vector v JOIN ingestion_contextrow c ON c.number = v."row" WHERE c.id = %s',
        service,
        row,
    )
    assert found == [(True,)]


def test_words_of_two_passages_that_become_private_at_once_are_nobody_elses(
    contract: Contract,
    alice: Person,
    index: Index,
    service: Scope,
    app_connection: psycopg.Connection,
    cluster: Cluster,
) -> None:
    file = index.file(contract)
    first = index.row(contract, "The bulkhead leaks.", file=file, vector=False)
    second = index.row(contract, "A bulkhead.", file=file, position=1, vector=False)
    mine = "UPDATE ingestion_contextrow SET audience = %s WHERE id = %s"

    def other() -> None:
        for database in connected(cluster, APP):
            with database.transaction():
                as_service(database, service)
                database.execute(mine, [alice.user.pk, second])

    thread = Thread(target=other)
    with app_connection.transaction():
        as_service(app_connection, service)
        app_connection.execute(mine, [alice.user.pk, first])
        thread.start()
        thread.join(1.5)
        assert thread.is_alive(), "it waits"
    thread.join(10)
    assert not thread.is_alive()
    assert rows("SELECT DISTINCT audience FROM ingestion_word WHERE word = 'bulkhead'", service) == [(alice.user.pk,)]
