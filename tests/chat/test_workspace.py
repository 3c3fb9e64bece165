"""A conversation about the workspace: over all that its asker may see, and nothing else. And where a turn looks."""

import html
import re

import pytest

from chat.message_sources import select_message_sources
from chat.models import Role, Session, Turn
from entities.actions import create_entity
from entities.models import Weight
from entities.models.entity import Visibility
from entities.types import Contract, Risk
from tests.chat.conftest import Chat

ANYWHERE = "everything that you may see; another record; this record; the list of Risks"


def begin(who):
    answer = who.api.post("/api/chat/sessions/", {})
    assert answer.status_code == 201, answer.content
    assert answer.json()["entity"] is None
    return Chat(who, answer.json()["id"])


def said(chat):
    return [message["content"] for message in chat.messages() if message.get("role") == "assistant"]


def looked_in(chat, turn):
    """What the page says under an answer of where it was looked."""
    page = chat.who.client.get(f"{chat.who.base}chat/{chat.session}/").content.decode()
    found = re.search(r"Looked in: (.+?)\.\s*</p>", page.split(f'id="{turn["id"]}"')[1])
    return html.unescape(found[1]) if found else ""


def hide(record, service):
    with service.open():
        type(record).objects.filter(pk=record.pk).update(visibility=Visibility.RESTRICTED)


def test_it_looks_in_every_record_that_its_asker_may_see(
    index, viewer, alice, contract, restricted, start, model, service
):
    with alice.scope.open():
        risk = create_entity(scope=alice.scope, model=Risk, fields={"name": "Late steel"})
    for record, text in ((contract, "lease"), (risk, "steel"), (restricted, "settlement")):
        index.row(record, f"The kestrel clause of the {text}.", vector=False)
    for _ in range(2):
        model.says(tool_use=("search_knowledge", {"query": "kestrel clause"}))
        model.says(text="It is in the lease [1].")
    mine = begin(viewer)
    turn = mine.ask("Where is the kestrel clause?")
    assert (turn["state"], turn["message"]["content"]) == ("done", "It is in the lease [citation:1].")
    assert "about no single record" in model.requests[0].text
    given = model.requests[1].text
    assert "clause of the lease" in given
    assert "clause of the steel" in given
    assert "clause of the settlement" not in given
    page = viewer.client.get(f"{viewer.base}chat/{mine.session}/").content.decode()
    assert "Looked in: everything that you may see." in page
    assert "It is in the lease" in page
    # The twin: who may see the settlement is given it.
    theirs = begin(alice)
    theirs.ask("Where is the kestrel clause?")
    assert "clause of the settlement" in model.requests[3].text
    # Nobody else's conversation is there, in no list, page, search, export or stream.
    assert alice.api.get(f"/api/chat/sessions/{mine.session}/").status_code == 404
    assert alice.client.get(f"{alice.base}chat/{mine.session}/").status_code == 404
    assert alice.api.get("/api/chat/sessions/?q=kestrel").json()["count"] == 1
    assert viewer.api.get("/api/chat/sessions/?q=in the lease").json()["count"] == 1
    assert viewer.api.get("/api/chat/sessions/?q=settlement").json()["count"] == 0
    assert viewer.api.get("/api/chat/sessions/?q=in the lease.").json()["count"] == 1, "as it is read"
    assert viewer.api.get("/api/chat/sessions/?q=citation").json()["count"] == 0, "nor how a number is stored"
    assert viewer.api.get("/api/chat/sessions/?q=in the lease" + 200 * " ").json()["count"] == 1
    assert "the workspace" in viewer.api.get(f"{mine.url}export/").content.decode()
    rating = f"/api/chat/turns/{turn['id']}/rating/"
    assert alice.api.post(rating, {"rating": 1}).status_code == 404
    assert viewer.api.post(rating, {"rating": 1}).status_code == 204
    assert viewer.api.post(rating, {"rating": 7}).status_code == 400
    assert mine.turn(turn["id"])["rating"] == 1
    # A record that is hidden takes what was drawn from it along, also out of the search.
    hide(risk, service)
    assert said(mine) == []
    for path in (f"{viewer.base}chat/{mine.session}/", f"{viewer.base}chat/{mine.session}/export/"):
        page = viewer.client.get(path).content.decode()
        assert "It is in the lease" not in page
        assert "o longer shown" in page
    assert "o longer shown" not in alice.client.get(f"{alice.base}chat/{theirs.session}/").content.decode()
    assert viewer.api.get("/api/chat/sessions/?q=in the lease").json()["count"] == 0
    assert said(theirs) == ["It is in the lease [citation:1]."]
    for depth in (0, 1):
        model.says(
            tool_use=("search_knowledge", {"query": "q", "entity_id": str(contract.pk), "reference_depth": depth})
        )
    model.says(text="So it is.")
    assert looked_in(theirs, theirs.ask("And there?")) == "one record; one record and those linked to it"


def test_a_number_stays_hidden_whichever_of_its_records_goes(viewer, alice, model, service):
    """The list of counted records hangs on one of them; it outlives that one."""
    with alice.scope.open():
        made = [create_entity(scope=alice.scope, model=Contract, fields={"name": f"Lot {n}"}) for n in range(4)]
    model.says(tool_use=("list_records", {"type": "contract", "limit": 1}))
    model.says(text="Four lots.")
    chat = begin(viewer)
    turn = chat.ask("How many contracts are there?")
    with service.open():
        behind = select_message_sources(Turn.objects.get(pk=turn["id"]), Role.ASSISTANT).filter(weight=Weight.COUNT)
        (listing,) = behind
    with service.open():
        Contract.objects.filter(pk=listing.entity_id)._raw_delete("default")
    with service.open():
        (now,) = behind.all()
    assert now.entity_id != listing.entity_id
    assert said(chat) == ["Four lots."], "deleting a record that is only counted leaves the answer"
    model.says(text="Four, as I wrote.")
    assert chat.ask("How many were there?")["state"] == "done"
    assert said(chat) == ["Four lots.", "Four, as I wrote."]
    hide(next(r for r in made if r.pk in listing.counted and r.pk != listing.entity_id), service)
    assert said(chat) == []


@pytest.mark.parametrize(
    ("look_in", "tools", "found", "looked"),
    [
        ("", {"list_records"}, {"lease", "file", "steel", "crane"}, ANYWHERE),
        (
            "workspace",
            {"list_records"},
            {"lease", "file", "steel", "crane"},
            ANYWHERE,
        ),
        ("linked", set(), {"lease", "file", "steel"}, "this record and those linked to it; this record"),
        ("record", set(), {"lease", "file"}, "this record"),
        ("files", set(), {"file"}, "the files of this record"),
    ],
)
def test_a_turn_keeps_to_the_place_that_was_chosen(
    index, viewer, alice, contract, start, model, look_in, tools, found, looked
):
    from references.actions import add_reference
    from references.models import Reference

    with alice.scope.open():
        risk, crane = (create_entity(scope=alice.scope, model=Risk, fields={"name": n}) for n in ("Steel", "Crane"))
        add_reference(scope=alice.scope, source=contract, target=risk, kind="BuildsOn")
    index.row(contract, "The kestrel clause of the file.", file=index.file(contract), vector=False)
    for record, text in ((contract, "lease"), (risk, "steel"), (crane, "crane")):
        index.row(record, f"The kestrel clause of the {text}.", vector=False)
    if look_in == "linked":  # that an answer cites a record relates it to nothing
        model.says(tool_use=("search_knowledge", {"query": "kestrel clause", "entity_id": str(crane.pk)}))
        model.says(text="It is of the crane [1].")
        start(viewer, contract).ask("What of the crane?")
        with viewer.scope.open():
            assert Reference.objects.filter(source=contract.pk, target=crane.pk, kind="Citation").exists()
    model.says(tool_use=("search_knowledge", {"query": "kestrel clause", "scope": "workspace", "reference_depth": 3}))
    model.says(tool_use=("search_knowledge", {"query": "kestrel clause", "entity_id": str(crane.pk)}))
    model.says(tool_use=("read_documents", {}))
    model.says(tool_use=("list_records", {"type": "risk"}))  # asked for whether it was offered or not
    model.says(text="So it is.")
    chat = start(viewer, contract)
    turn = chat.ask("What does kestrel say?", look_in=look_in)
    assert turn["state"] == "done"
    assert turn["look_in"] == look_in
    assert {"list_records"} & set(model.requests[-5].tools) == tools
    # Its fields answer nothing where its files were chosen, and the model is told so beside the question.
    system, asked = (str(model.requests[-5].body[name]) for name in ("system", "messages"))
    assert "Quay lease" in system
    assert ("Counterparty: Port" in system) is (look_in != "files")
    assert ("has chosen where to look" in asked) is (not tools)
    given = model.requests[-1].text
    assert ("There is no tool 'list_records'" in given, "2 risks" in given) == (not tools, bool(tools))
    assert {word for word in ("lease", "file", "steel", "crane") if f"clause of the {word}" in given} == found
    assert looked_in(chat, turn) == looked
    assert ("chosen to look elsewhere" in given) is (look_in in ("linked", "record", "files"))
    refused = start(viewer, contract)
    assert viewer.api.post(f"{refused.url}messages/", {"content": "?", "look_in": "moon"}).status_code == 400
    with viewer.scope.open():
        assert Session.objects.count() == 2 + (look_in == "linked")
