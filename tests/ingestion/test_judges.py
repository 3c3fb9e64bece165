"""What people type is read by warm limited processes: one that takes too long ends, and its text is not judged."""

from collections.abc import Iterator

import pytest

from entities.access import Scope
from entities.models.audit import AuditText
from entities.models.classification import FINANCIAL, PII
from ingestion.errors import BadUpload
from ingestion.judges import pool
from ingestion.questions import build_typed_vote, find_atoms_by_rules
from ingestion.request_messages import check_reason, find_message_atoms
from ingestion.text_labels import label_text
from llm.rules import vote_by_rules
from tests.conftest import Person

SAMPLE = "Please pay EUR 1,200.50 to Ann Miller, ann.miller@example.org."


@pytest.fixture(scope="module")
def judges() -> Iterator[None]:
    """One process, so that each text has the same."""
    pool.start_judges(1)
    yield
    pool.end_judges()


def list_idle() -> list[pool.Judge]:
    assert pool._pool is not None
    return pool._pool._idle


def test_a_process_finds_what_the_rules_find(judges: None) -> None:
    vote = pool.find_vote(SAMPLE)
    assert vote == vote_by_rules(SAMPLE)
    assert vote is not None
    assert vote.atoms >= {FINANCIAL, PII}
    assert find_atoms_by_rules("When is the rent due?") == frozenset()


def test_the_same_process_reads_one_text_after_the_other(judges: None) -> None:
    pool.find_vote(SAMPLE)
    (before,) = list_idle()
    assert pool.find_vote("What does the crane cost?") is not None
    assert list_idle() == [before]


def test_a_text_that_takes_too_long_is_not_judged_and_the_next_one_is(
    judges: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as short:
        short.setattr(pool, "compute_allowance", lambda text: 0.001)
        assert find_atoms_by_rules(SAMPLE * 100) is None
        assert list_idle() == []
    assert find_atoms_by_rules(SAMPLE) == vote_by_rules(SAMPLE).atoms


def test_what_was_not_judged_has_the_closed_outcome_everywhere(
    monkeypatch: pytest.MonkeyPatch, viewer: Person, steward: Person, service: Scope
) -> None:
    """A search is on record without a label, a question is not answered, a message is for who is cleared for all."""
    monkeypatch.setattr(pool, "_pool", Silent())
    assert find_atoms_by_rules(SAMPLE) is None
    assert build_typed_vote(SAMPLE) is None
    assert label_text(service.workspace, "When is the rent due?") is None
    with service.open():
        assert find_message_atoms("Please let me read it.") is None
        with pytest.raises(BadUpload):
            check_reason("It is yours.")
    assert viewer.client.get(f"{viewer.base}search/", {"q": "rent"}).status_code == 200
    with service.open():
        assert list(AuditText.objects.values_list("data_classification", flat=True)) == [None]


class Silent:
    """A pool none of whose judges answers in time."""

    def ask(self, order: dict[str, str]) -> None:
        return None


def test_a_process_that_was_ended_is_replaced_before_anybody_notices(judges: None) -> None:
    pool.find_vote(SAMPLE)
    list_idle()[0]._socket.shutdown(2)
    assert pool.find_vote(SAMPLE) == vote_by_rules(SAMPLE)


def test_the_template_is_started_anew(judges: None) -> None:
    assert pool._pool is not None
    assert pool._pool._template is not None
    pool._pool._template.kill()
    pool._pool._template.wait()
    assert pool.find_vote(SAMPLE) == vote_by_rules(SAMPLE)
