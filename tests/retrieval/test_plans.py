"""What the database makes of a statement is its own affair: hidden rows change its plans, and no answer may show it."""

from itertools import permutations

import pytest
from django.db import connection

from entities.models.classification import FINANCIAL
from entities.types import Contract
from retrieval.search import find_hits
from retrieval.survey import Survey
from tests.conftest import Person
from tests.retrieval.conftest import Index

WORDS = ("quay", "berth", "sluice", "mooring")
PLANS = (
    (),
    ("hashjoin", "mergejoin"),
    ("hashjoin", "nestloop"),
    ("mergejoin", "nestloop", "hashagg"),
    ("indexscan", "bitmapscan", "indexonlyscan"),
    ("seqscan", "bitmapscan"),
)


def test_a_plan_changes_no_score_and_no_order(contract: Contract, cfo: Person, index: Index) -> None:
    """Sums of floats depend on the order of what is added, and equal passages would change places."""
    for n, words in enumerate(permutations(WORDS)):
        text = " ".join(words) + " quay" * (n % 3) + f" berth{n}"
        row = index.row(contract, text, label=FINANCIAL if n % 2 else 0, vector=False)
        if n % 4 == 0:
            shuffled(index, str(row))
    for n, word in enumerate(WORDS):
        for _ in range(n):
            index.row(contract, f"The {word} is closed.", vector=False)
    answers = set()
    for by_record in (False, True):
        for off in PLANS:
            with pytest.MonkeyPatch.context() as patch, cfo.scope.open(), connection.cursor() as cursor:
                patch.setattr(Survey, "by_record", property(lambda size, value=by_record: value))
                cursor.execute("DISCARD PLANS")
                for way in off:
                    cursor.execute(f"SET LOCAL enable_{way} = off")
                hits = find_hits(cfo.scope, " ".join(WORDS), floor=-1).hits
                answers.add(tuple((hit.row, hit.score, hit.lexical) for hit in hits))
                for way in off:
                    cursor.execute(f"SET LOCAL enable_{way} TO DEFAULT")
    assert len(next(iter(answers))) == 30
    assert len(answers) == 1


def shuffled(index: Index, row: str) -> None:
    """Its postings lie in another order now."""
    with index.service.open(), connection.cursor() as cursor:
        cursor.execute(
            'SELECT p.term FROM ingestion_posting p JOIN ingestion_contextrow c ON c.number = p."row"'
            " WHERE c.id = %s AND p.term <> 0 ORDER BY p.term DESC",
            [row],
        )
        for (term,) in cursor.fetchall():
            cursor.execute(
                'UPDATE ingestion_posting SET tf = tf WHERE term = %s AND "row" ='
                " (SELECT number FROM ingestion_contextrow WHERE id = %s)",
                [term, row],
            )
