"""Lists, counts and sums come from the database, over records and fields that the asker may see."""

import pytest

from chat.models import Event, EventKind, Session
from entities.actions import create_entity
from entities.models.classification import FINANCIAL
from entities.types import Contract, Project, Task
from ingestion.models import Kind
from tests.chat.conftest import Chat


def list_as(who, contract, start, model, **asked):
    """What the model is given for a call of `list_records` by somebody's conversation, and the turn."""
    model.says(tool_use=("list_records", {"type": "contract", **asked}))
    model.says(text="So it is.")
    turn = start(who, contract).ask("Which contracts are there?")
    return model.requests[-1].body["messages"][-1]["content"][0]["content"], turn


def test_records_are_counted_without_those_that_are_hidden(viewer, alice, contract, restricted, start, model):
    text, _ = list_as(viewer, contract, start, model)
    assert text.startswith("1 contract:")
    assert "Quay lease" in text
    assert "Settlement" not in text
    text, _ = list_as(alice, contract, start, model)
    assert text.startswith("2 contracts:")
    assert "Settlement" in text


def test_a_sum_needs_the_clearance_of_its_field(viewer, cfo, contract, start, model):
    text, _ = list_as(cfo, contract, start, model, sum="value")
    assert "Sum of value: €1,200,000" in text
    text, _ = list_as(viewer, contract, start, model, sum="value")
    assert text == "There is no number 'value' to add up. Numbers are: notice_days."


@pytest.mark.parametrize("asked", [{"where": {"value__gte": "1"}}, {"order": "-value"}])
def test_a_field_that_the_asker_is_not_cleared_for_neither_narrows_nor_orders(
    viewer, cfo, contract, start, model, asked
):
    text, _ = list_as(cfo, contract, start, model, **asked)
    assert text.startswith("1 contract")
    text, _ = list_as(viewer, contract, start, model, **asked)
    assert text.startswith(("There is no filter", "Cannot order by"))
    described = model.requests[-1].body["tools"][-1]["description"].split("- contract (")[1].split("\n")[0]
    assert "counterparty, currency" in described
    assert "value" not in described


def test_what_is_listed_is_a_source_and_its_labels_stay_with_the_conversation(viewer, cfo, contract, start, model):
    _, turn = list_as(cfo, contract, start, model, sum="value")
    assert [label["label"] for label in turn["message"]["labels"]] == ["Financial"]
    steps = [event.data["text"] for event in start(cfo, contract).events(turn["id"]) if event.kind == EventKind.STEP]
    assert "Listing: contract records" in steps


@pytest.mark.parametrize("about_a_record", [True, False])
def test_a_none_over_a_classified_field_is_as_secret_as_the_field(
    viewer, cfo, contract, start, model, service, about_a_record
):
    """That no contract is worth so much says something of what they are worth."""
    chat = start(cfo, contract) if about_a_record else Chat(cfo, cfo.api.post("/api/chat/sessions/", {}).json()["id"])
    model.says(tool_use=("list_records", {"type": "contract", "where": {"value__gte": 90_000_000}}))
    model.says(text="None is.")
    turn = chat.ask("Is there one?")
    assert "No contracts, value at least 90,000,000." in model.requests[-1].text
    assert [label["label"] for label in turn["message"]["labels"]] == ["Financial"]
    with service.open():
        assert Session.objects.get(pk=chat.session).high_water == FINANCIAL
        said = Event.objects.filter(turn=turn["id"], kind=EventKind.TOKEN)
        assert {event.data_classification for event in said} == {FINANCIAL}
    model.says(tool_use=("list_records", {"type": "contract", "where": {"status": "terminated"}}))
    model.says(text="None.")
    plain = Chat(viewer, viewer.api.post("/api/chat/sessions/", {}).json()["id"]).ask("Is one terminated?")
    assert plain["message"]["labels"] == [], "the twin: fields for everybody give no label"


def test_without_a_model_a_count_is_the_databases(viewer, alice, contract, restricted, start):
    with alice.scope.open():
        create_entity(scope=alice.scope, model=Contract, fields={"name": "Crane hire", "counterparty": "Tallis"})
    answer = start(viewer, contract).ask("How many contracts do we have?")["message"]["content"]
    assert answer.startswith("2 contracts:")
    assert "Settlement" not in answer
    answer = start(alice, contract).ask("How many contracts do we have?")["message"]["content"]
    assert answer.startswith("3 contracts:")


def test_an_answer_is_a_table_of_sources_with_a_link_to_the_same_list(viewer, alice, contract, start, index):
    with alice.scope.open():
        made = [
            create_entity(scope=alice.scope, model=Contract, fields={"name": f"Hire {n}", "counterparty": "Tallis"})
            for n in range(3)
        ]
    for record in made:
        index.row(record, f"Contract: {record.name}\nCounterparty: Tallis\nStatus: Draft", kind=Kind.METADATA)
    answer = start(viewer, contract).ask("Which contracts are with Tallis?")["message"]
    assert answer["confidence"] == "quoted"
    lines = answer["content"].splitlines()
    assert lines[0] == "3 contracts, named with Tallis:"
    assert lines[2].startswith("| Name | Counterparty |")
    assert all(line.startswith("| Hire ") and "[citation:" in line for line in lines[4:7])
    address = lines[-1].partition("](")[2].rstrip(")")
    assert address == "/w/acme/records/contract/?called=Tallis&ordering=name"
    page = viewer.client.get(address).content.decode()
    assert "Hire 2" in page
    assert "Quay lease" not in page
    german = start(viewer, contract).ask("Welche Verträge haben wir mit Tallis?")["message"]["content"]
    assert german.splitlines()[0] == lines[0]


def test_none_is_a_table_of_none_and_a_word_that_names_nothing_is_searched_for(viewer, contract, start):
    chat = start(viewer, contract)
    none = chat.ask("Which contracts are terminated?")["message"]
    assert none["content"].startswith("No contracts, status Terminated.")
    assert none["confidence"] == "quoted"
    other = chat.ask("Which contracts are with Ferrow?")["message"]
    assert other["confidence"] != "quoted"


@pytest.mark.parametrize(
    ("where", "answers"),
    [
        ({"project.name__not": "Gannet"}, []),
        ({"project.name": "Gannet", "status": "done"}, []),
        ({"called": "Quay"}, []),
        ({"called": "Nothing"}, []),
        ({"status": "todo"}, ["So it is."]),
    ],
)
def test_a_list_is_shown_to_those_who_may_see_what_a_linked_record_left_out(
    alice, viewer, contract, share, model, where, answers
):
    with alice.scope.open():
        for name, visibility in (("Quay 7", "workspace"), ("Gannet", "restricted")):
            fields = {"name": name}
            project = create_entity(scope=alice.scope, model=Project, fields=fields, visibility=visibility)
            fields = {"name": f"Bids for {name}", "project": project}
            create_entity(scope=alice.scope, model=Task, fields=fields)
    chat = share(alice, contract)
    model.says(tool_use=("list_records", {"type": "task", "where": where}))
    model.says(text="So it is.")
    assert chat.ask("Which are there?")["message"]["content"] == "So it is."
    theirs = Chat(viewer, chat.session).messages()
    assert [message["content"] for message in theirs if message.get("role") == "assistant"] == answers


def test_not_all_rows_are_so_many_of_all(viewer, alice, contract, restricted, start, model):
    with alice.scope.open():
        for n in range(3):
            create_entity(scope=alice.scope, model=Contract, fields={"name": f"Hire {n}", "counterparty": "Tallis"})
    text, _ = list_as(viewer, contract, start, model, limit=2)
    assert text.startswith("2 of 4 contracts, by name:"), "as the reader may count"
    text, _ = list_as(alice, contract, start, model, limit=2)
    assert text.startswith("2 of 5 contracts, by name:")


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"filter": "active"}, "There is no argument 'filter'. Arguments are: type, where, order, limit, sum,"),
        ({"where": {"worth": "1"}}, "There is no filter 'worth'. You can filter by: counterparty, currency,"),
        ({"where": {"page": "2"}}, "These narrow nothing: page."),
        ({"sum": "counterparty"}, "There is no number 'counterparty' to add up. Numbers are: notice_days."),
        ({"group": "ends_on"}, "Records cannot be grouped by 'ends_on'. Groups are: counterparty, currency, status"),
        ({"side_by_side": ["Quay lease"]}, "Give from 2 to 5 names"),
        (
            {"side_by_side": ["Quay lease", "Settlement"]},
            "Give the whole name of one contract instead of 'Settlement'.",
        ),
        ({"where": {"called": "Settlement"}}, "There is no contract with the name 'Settlement' in it."),
    ],
)
def test_what_cannot_be_asked_is_refused_with_what_can(viewer, contract, restricted, start, model, asked, sentence):
    text, _ = list_as(viewer, contract, start, model, **asked)
    assert text.startswith(sentence)
