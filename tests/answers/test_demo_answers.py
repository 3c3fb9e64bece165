"""The questions of the demo's README, asked by each of its people, and forty of other shapes, without a model."""

from io import StringIO

import pytest
from django.core.management import call_command

from entities.models import Workspace
from ingestion.inline import work_off
from tests.answers.asking import run

FAIR_SHARE = 0.8


@pytest.fixture
def demo(transactional_db: None) -> Workspace:
    """Loaded and processed in this process."""
    call_command("load_demo", stdout=StringIO())
    workspace = Workspace.objects.get(slug="demo")
    work_off(workspace.pk)
    return workspace


def test_the_demos_questions_are_answered_for_who_may_read_the_answer(demo: Workspace) -> None:
    wrong = [f"{who}: {question.ask} {reply}" for who, question, reply, points in run("readme") if points < 1]
    assert wrong == []
    scored = [points for _, _, _, points in run("more")]
    assert sum(scored) >= FAIR_SHARE * len(scored)
