"""The gate of the index, asked as the owner of the tables, whom no policy binds: what it lets through by itself."""

import psycopg

from retrieval.gate import INDEX_ROWS, build_gates
from retrieval.query import Within
from tests.oracle.asked import texts_by_number
from tests.oracle.planted_world import Everything
from tests.prove.questions.tables import everybody, same

TABLES = ("ingestion_vector", f"({INDEX_ROWS})")
"""What has the columns that the gate asks for; postings have them too, a row a word."""


def the_gate_decides_alone(e: Everything, owner: psycopg.Connection) -> None:
    """In both its forms, of which a small world would be asked in one only."""
    with e.planted.service.open():
        numbers = texts_by_number()
    for person in everybody(e):
        scope = e.planted.scope(person)
        read = [t.words for t in e.world.indexed(person)]
        with scope.open():
            gates = build_gates(scope, Within())
        for form in (gates.each, gates.all):
            for table in TABLES:
                asked = form.fill('WITH {ctes} SELECT p."row" FROM {table} p WHERE {condition}', table=table)
                with owner.transaction(force_rollback=True):
                    owner.execute(
                        "SELECT set_config('app.workspace', %s, true), set_config('app.principal', %s, true),"
                        " set_config('app.narrowed', %s, true)",
                        [str(scope.workspace), str(scope.principal), str(scope.narrowed_to or "")],
                    )
                    rows = owner.execute(asked.encode(), form.params).fetchall()
                same("rows through the gate", person, [numbers.get(row) for (row,) in rows], read)
