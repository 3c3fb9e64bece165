"""The desk in groups: by document, by reason, the same for all alike, and who gains or loses sight by it."""

import re

import pytest

from entities.access import Scope
from entities.models.classification import INTERNAL
from entities.types import Contract
from ingestion.desk_groups import Move
from ingestion.models import Paragraph
from llm import scripted
from tests.conftest import Person
from tests.ingestion.deciding import waiting
from tests.ingestion.helpers import labelled, ready, texts

UNSURE = ("The plan is to leave the site.", "The plan is to stay on the site.", "The fence is new.")


def page(who: Person, query: str = "") -> str:
    return str(who.client.get(f"{who.base}desk/{query}").content.decode())


@pytest.mark.django_db(transaction=True)
def test_all_alike_are_decided_at_once_after_a_look_at_who_gains_and_loses(
    alice: Person, steward: Person, staff: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    name, answer = labelled(3, {0: [1], 1: [1]})
    for row in answer["paragraphs"][:2]:
        row["confidence"] = 0.4
    with scripted.model() as script:
        script.push(tool_use=(name, answer))
        file = ready(alice, contract, "a.txt", "\n\n".join(UNSURE).encode())
    assert "By document" in page(steward)
    by_document, by_reason = page(steward, "?group=document"), page(steward, "?group=reason")
    assert "a.txt" in by_document
    for shown in (by_document, by_reason):
        assert len(re.findall(r'name="item" value="[0-9a-f-]{36} \w+"', shown)) == 2
    first, second = waiting(steward)
    items = [f"{item['id']} {item['seen']}" for item in (first, second)]
    alone = steward.client.get(f"{steward.base}desk/paragraphs/{first['id']}/").content.decode()
    assert "1 other paragraph like this" in alone
    assert items[1] in alone
    # Made Public, everybody without Internal gains; nobody loses.
    preview = steward.client.post(f"{steward.base}desk/preview/", {"item": items, "own": "1", "reason": "Published."})
    told = preview.content.decode()
    assert "<strong>1 person</strong> would read more, <strong>no people</strong> less" in told
    assert "VIEWER role" in told or "viewer role" in told
    assert "staff" not in told.split("<main")[-1], "no person is named for what they hold"
    assert [texts(viewer, file)[n] for n in (0, 1)] == ["[Internal]"] * 1 + [UNSURE[2]], "nothing is decided yet"
    decide = f"{steward.base}desk/decide/"
    for who in (viewer, staff):
        assert who.client.post(decide, {"item": items, "reason": "Published."}).status_code in (403, 404)
        assert who.client.post(f"{who.base}desk/preview/", {"item": items}).status_code in (403, 404)
    assert "Say in a few words" in steward.client.post(decide, {"item": items}, follow=True).content.decode()
    stale = [items[0], f"{second['id']} 0123456789abcdef"]
    done = steward.client.post(decide, {"item": stale, "reason": "Published."}, follow=True).content.decode()
    assert "1 paragraph decided" in done
    assert "1 paragraph had changed" in done
    done = steward.client.post(decide, {"item": items[1:], "reason": "Published."}, follow=True).content.decode()
    assert "1 paragraph decided" in done
    assert texts(viewer, file) == list(UNSURE)
    assert waiting(steward) == []
    with service.open():
        votes = [vote for p in Paragraph.objects.all() for vote in p.votes if vote["source"] == "manual"]
        assert [(vote["reason"], vote["by"]) for vote in votes] == [("Published.", steward.user.pk)] * 2


@pytest.mark.parametrize(
    ("now", "to", "held", "change"),
    [
        (None, [], [], 3),
        ([INTERNAL], [], [], 3),
        ([INTERNAL], [], [INTERNAL], 0),
        ([], [INTERNAL], [], -3),
        ([], [INTERNAL], [INTERNAL], 0),
        ([3], [5], [3], -3),
        ([3], [5], [5], 3),
        ([3], [3, 5], [3, 5], 0),
        (None, [5], [3], 0),
    ],
)
def test_sight_changes_with_what_is_held(now: list[int] | None, to: list[int], held: list[int], change: int) -> None:
    assert Move(None if now is None else frozenset(now), frozenset(to), 3).change_for(frozenset(held)) == change
