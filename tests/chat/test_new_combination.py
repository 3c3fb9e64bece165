"""Text that is raised to a combination of levels that nothing had before, while somebody waits for its lock."""

from functools import partial

import pytest

from chat.derivation import SourceLabel
from chat.models import Message, Role
from entities.access import combine_many, list_atoms, raise_labels
from entities.models.classification import FINANCIAL, PII, SECRET
from ingestion.models import Paragraph, RowParagraph
from ingestion.relabelling import apply_decision, build_decision
from tests.chat.conftest import is_somebody_waiting
from tests.chat.recorded_turns import RecordedTurn, begin_session
from tests.chat.test_overlapping import OverlappingWork


@pytest.fixture
def heron(contract, index, service):
    """The id of a paragraph that everybody reads, whose index row says nothing of it."""
    file = index.file(contract, "plain.txt")
    index.row(contract, "The heron password is tangerine.", file=file)
    with service.open():
        pk = Paragraph.objects.get(file=file.pk).pk
        RowParagraph.objects.filter(paragraph=pk).delete()
    return pk


def test_who_waits_for_it_reads_its_new_label(
    alice, viewer, contract, start, service, heron, wait_for, superuser_connection
):
    """The end of an answer that was drawn from it, and then somebody else's decision on it."""
    chat, session = begin_session(viewer, contract, start)
    turn = RecordedTurn(viewer, session, service)
    turn.give_prompt([SourceLabel(contract.pk, 0, (heron,))])
    with alice.scope.open():
        decision = build_decision(alice.scope, Paragraph.objects.get(pk=heron), frozenset({PII}), "People", "")
    for other, work in ((FINANCIAL, turn.finish), (PII, partial(apply_decision, decision))):
        with service.open():
            Paragraph.objects.select_for_update().get(pk=heron)
            label = combine_many([SECRET, other])
            Paragraph.objects.filter(pk=heron).update(data_classification=label)
            raise_labels({heron: label})
            waiting = OverlappingWork(work)
            wait_for(is_somebody_waiting)
        assert waiting.end() is None
    with service.open():
        answer = Message.objects.get(turn=turn.pk, role=Role.ASSISTANT)
        assert {*list_atoms(answer.data_classification)} >= {SECRET, FINANCIAL}
    assert [message.get("content") for message in chat.messages()] == ["What now?", None]
