"""The desk in groups: by document, by reason, the same for all alike, and who gains or loses sight by it."""

import re
from uuid import uuid4

import pytest

from entities.access import Scope
from entities.access.grants import grant_entity
from entities.models import Entity, User
from entities.models.classification import INTERNAL, PII_SENSITIVE
from entities.models.entity import Visibility
from entities.types import Contract
from ingestion.desk import MOST, Item, Where
from ingestion.desk_groups import GROUPINGS, Move, group_items
from ingestion.models import FileRevision, Paragraph
from ingestion.votes import Vote
from llm import scripted
from tests.conftest import Person, person
from tests.ingestion.desk_decisions import LINES, contested, waiting
from tests.ingestion.helpers import label, labelled, ready, texts

UNSURE = ("The plan is to leave the site.", "The plan is to stay on the site.", "The fence is new.")


def page(who: Person, query: str = "") -> str:
    return str(who.client.get(f"{who.base}desk/{query}").content.decode())


def preview_of(who: Person, items: list[str]) -> str:
    return str(who.client.post(f"{who.base}desk/preview/", {"item": items, "own": "1"}).content.decode())


@pytest.mark.django_db(transaction=True)
def test_all_alike_are_decided_at_once_after_a_look_at_who_gains_and_loses(
    alice: Person, steward: Person, staff: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    name, answer = labelled(3, {0: [1], 1: [1]})
    for row in answer["paragraphs"][:2]:
        row["confidence"] = 0.4
    with scripted.use_scripted_model() as script:
        script.push(tool_use=(name, answer))
        file = ready(alice, contract, "a.txt", "\n\n".join(UNSURE).encode())
    assert "By document" in page(steward)
    by_document, by_reason = page(steward, "?group=document"), page(steward, "?group=reason")
    assert "a.txt" in by_document
    for shown in (by_document, by_reason):
        assert "Accept what is ticked" in shown
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
    assert (
        "Say in a few words"
        in steward.client.post(decide, {"item": items, "labels": "0"}, follow=True).content.decode()
    )
    # No labels are no decision, and labels that there are not are no Public: neither gives a form to send.
    assert 'name="labels" value="0"' in told
    for given in ({}, {"labels": "99999"}, {"labels": ["0", "x"]}):
        body = {"item": items, "own": "1", "reason": "Published.", **given}
        assert "decided" not in steward.client.post(decide, body, follow=True).content.decode()
        if given:
            refused = steward.client.post(f"{steward.base}desk/preview/", body, follow=True).content.decode()
            assert "Labels are some of" in refused
            assert "desk/decide/" not in refused
    assert len(waiting(steward)) == 2
    # Who may not open the record gains nothing, nor does who cannot sign in.
    with service.open():
        Entity.objects.filter(pk=contract.pk).update(visibility=Visibility.RESTRICTED)
        grant_entity(contract, steward.user.pk, ["view"])
    assert "<strong>No people</strong> would read more" in preview_of(steward, items)
    with service.open():
        grant_entity(contract, viewer.user.pk, ["view"])
    assert "<strong>1 person</strong> would read more" in preview_of(steward, items)
    User.objects.filter(pk=viewer.user.pk).update(is_active=False)
    assert "<strong>No people</strong> would read more" in preview_of(steward, items)
    User.objects.filter(pk=viewer.user.pk).update(is_active=True)
    for query, there in (("cause=sample&group=document", True), ("group=nothing", False)):
        led = steward.client.post(f"{steward.base}desk/accept/", {"query": query}).headers["Location"]
        assert ("group=" in led) is there, "one goes on in the groups that one was in"
    public = {"labels": "0", "reason": "Published."}
    stale = [items[0], f"{second['id']} 0123456789abcdef"]
    done = steward.client.post(decide, {"item": stale, **public}, follow=True).content.decode()
    assert "1 paragraph decided" in done
    assert "1 paragraph had changed" in done
    done = steward.client.post(decide, {"item": items[1:], **public}, follow=True).content.decode()
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


def test_stewards_read_what_has_no_label_already() -> None:
    move = Move(None, frozenset([5]), 3)
    assert move.change_for(frozenset([5]), is_steward=True) == 0
    assert move.change_for(frozenset(), is_steward=True) == -3
    assert move.change_for(frozenset([5]), is_steward=False) == 3


@pytest.mark.django_db(transaction=True)
def test_documents_come_first_with_what_they_look_like_and_one_act(
    alice: Person, steward: Person, contract: Contract, service: Scope
) -> None:
    file = contested(alice, contract)
    with service.open():
        FileRevision.objects.filter(file=file).update(kind="medical")
    shown = page(steward)
    assert 'aria-current="true">By document' in shown
    assert "looks like" not in shown, "none of it has what its kind needs"
    label(service, LINES[3], PII_SENSITIVE)
    with service.open():
        kept = Vote("kind", frozenset({PII_SENSITIVE})).to_json()
        Paragraph.objects.filter(text=LINES[3]).update(votes=[kept])
    for query in ("", "?group=document"):
        assert "looks like a medical letter or report" in page(steward, query)
    assert "looks like" not in page(steward, "?group=reason")
    some = person(contract.workspace, "some", [INTERNAL], is_steward=True)
    assert LINES[2] in page(some)
    assert "looks like" not in page(some), "who does not read that paragraph is told nothing of its kind"
    (door,) = re.findall(r'formaction="([^"]*/files/label/)"', page(steward))
    preview = steward.client.post(door, {"file": file, "labels": "0", "item": "x", "query": ""}).content.decode()
    assert "would read more" in preview
    assert f'name="file" value="{file}"' in preview


def test_a_group_is_no_more_than_is_decided_at_once() -> None:
    where = Where(uuid4(), "Record", uuid4(), "a.txt", uuid4())
    items = [Item(Paragraph(), [], None, None, (), "", where)] * (MOST + 50)
    for grouping in GROUPINGS:
        (group,) = group_items(items, grouping)
        assert (len(group.items), group.count) == (MOST, MOST + 50)


@pytest.mark.django_db(transaction=True)
def test_what_is_ticked_beyond_that_is_counted(steward: Person) -> None:
    for count, is_said in ((MOST, False), (MOST + 50, True)):
        body = {"item": [f"{uuid4()} 0" for _ in range(count)], "labels": "0", "reason": "Published."}
        for door in ("accept", "decide", "preview"):
            page = steward.client.post(f"{steward.base}desk/{door}/", body, follow=True).content.decode()
            assert ("50 paragraphs still to do" in page) == is_said
