"""The questions of the demo's README, asked by each of its people, and forty of other shapes, without a model.

All of it takes minutes: it is asked where CLEARANCE_ANSWERS is `readme`, or `all`. Otherwise two people ask each
question of the README, one who gets the answer and one who does not.
"""

import os
from io import StringIO

import psycopg
import pytest
from django.core.management import call_command

from entities.models import Workspace
from ingestion.inline import process_all_waiting
from tests.answers.demo_questions import discloses, run, shares

FAIR_SHARE = {"readme": 0.9, "more": 0.8}
SIZE = os.environ.get("CLEARANCE_ANSWERS", "")
ASKED = ["readme", "more"] if SIZE == "all" else ["readme"]

pytestmark = pytest.mark.timeout(1800)


@pytest.fixture
def demo(connection_pool: None, superuser_connection: psycopg.Connection) -> Workspace:
    """Loaded and processed in this process. PostgreSQL is told what there is now, as it finds out by itself where it is
    given a minute: without that each question takes three times as long.
    """
    call_command("load_demo", stdout=StringIO())
    superuser_connection.execute("ANALYZE")
    workspace = Workspace.objects.get(slug="demo")
    process_all_waiting(workspace.pk)
    superuser_connection.execute("ANALYZE")
    return workspace


def test_questions_are_answered_for_who_may_read_the_answer_and_nobody_else(demo: Workspace) -> None:
    for kind in ASKED:
        asked = list(run(kind, sample=not SIZE))
        disclosed = [(who, question.ask) for who, question, reply, _ in asked if discloses(who, question, reply)]
        assert disclosed == []
        points = [score for _, _, _, score in asked]
        wrong = [(who, question.ask, reply.text[:200]) for who, question, reply, score in asked if score < 1]
        assert sum(points) >= FAIR_SHARE[kind] * len(points), (shares({kind: points}), wrong)
