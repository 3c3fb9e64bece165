"""The number of a row in a list stands for the record's own snapshot, and for what of the row this holds."""

import pytest

from chat.citations import collect_cited_atoms
from entities.actions import delete_entity
from entities.model_markdown import CitationLink
from entities.models import AuditText, Entity, Weight
from entities.models.classification import FINANCIAL
from entities.types import Task
from ingestion.inline import process_all_waiting
from ingestion.models import ContextRow
from llm.quoting.list_tables import read_list
from tests.chat.conftest import Chat
from tests.chat.record_site import ask, site  # noqa: F401  fixtures

# ruff: noqa: F811

TASKS = "Which tasks are not done?"


@pytest.fixture
def indexed(site, service):
    process_all_waiting(service.workspace)
    return site


def get_supports(who, message):
    """By number, what the support check of an answer says."""
    numbers = range(1, message["content"].count("[citation:") + 1)
    return {n: who.api.get(f"/api/citations/{message['id']}/{n}/").json() for n in numbers}


def test_a_row_with_a_linked_record_is_borne_out_by_the_records_own_snapshot(viewer, contract, indexed, start):
    message = start(viewer, contract).ask(TASKS)["message"]
    assert "| Permit [citation:2] | To do | Quay 7 |" in message["content"].splitlines()
    cited = get_supports(viewer, message)
    assert {one["support"] for one in cited.values()} == {"supported"}
    assert {one["source"]["entity"]["name"] for one in cited.values()} == {"Bids", "Permit", "Trusses"}
    for n in cited:
        preview = viewer.client.get(f"/w/acme/citations/{message['id']}/{n}/")
        assert "Supported</span>" in preview.content.decode()


def test_records_side_by_side_are_borne_out_too(viewer, contract, indexed, start):
    message = start(viewer, contract).ask("Compare the tasks Permit and Trusses")["message"]
    assert message["content"].splitlines()[2].startswith("| Name | Permit [citation:1] | Trusses [citation:2] |")
    assert {one["support"] for one in get_supports(viewer, message).values()} == {"supported"}


@pytest.mark.parametrize("end", ["", "\n\n[Open this list](/w/acme/records/task/)"])
def test_a_models_table_is_checked_whole(viewer, contract, indexed, start, model, end):
    model.says(tool_use=("list_records", {"type": "task", "where": {"name": "Permit"}}))
    model.says(text=f"1 task:\n\n| Name | Project |\n| --- | --- |\n| Permit [1] | Quay 7 |{end}")
    message = start(viewer, contract).ask(TASKS)["message"]
    assert [one["support"] for one in get_supports(viewer, message).values()] == ["unsupported"]


def test_a_row_that_no_longer_holds_is_no_more_borne_out(viewer, alice, contract, indexed, start, service):
    with service.open():
        permit = Task.objects.get(name="Permit")

    def set_status(status):
        assert alice.api.patch(f"/api/entities/task/{permit.pk}/", {"status": status}).status_code == 200
        process_all_waiting(service.workspace)

    set_status("blocked")
    message = start(viewer, contract).ask(TASKS)["message"]
    assert "| Blocked |" in message["content"]
    assert {one["support"] for one in get_supports(viewer, message).values()} == {"supported"}
    set_status("doing")
    cited = get_supports(viewer, message)
    found = {one["source"]["entity"]["name"]: one["support"] for one in cited.values()}
    assert found["Permit"] == "weak"
    assert found["Trusses"] == "supported"


def test_values_of_linked_records_stand_apart_from_what_is_numbered(cfo, indexed, ask, service):
    found = ask(cfo, type="project", where={"contract.value__gt": "1000000"})
    (passage,) = found.passages
    notes, _, numbered = found.text.partition("<passages>")
    assert passage.text == "Quay 7; Phase: Planning"
    assert f"[{passage.n}] Quay 7; Phase: Planning\n" in numbered
    assert "Of [1]: Contract value: €1,200,000; Contract: Quay lease" in notes.splitlines()
    with service.open():
        row = ContextRow.objects.get(pk=passage.row)
    assert row.data_classification == 0
    assert {"Phase: Planning"} <= {*row.text.splitlines()}
    assert "Budget" not in row.text
    assert found.label == FINANCIAL
    links = {passage.n: CitationLink(passage.n, "Quay 7", "/q", atoms=())}

    def find_atoms(result):
        return collect_cited_atoms(read_list(result).replace(f"[{passage.n}]", f"[citation:{passage.n}]"), links, {})

    assert find_atoms(found.text) is None, "its citations show less than it says"
    twin = ask(cfo, type="project")
    assert (twin.label, find_atoms(twin.text.replace(f"[{twin.passages[0].n}]", f"[{passage.n}]"))) == (0, ())


def test_a_field_of_another_label_has_that_labels_snapshot(cfo, indexed, ask, service):
    found = ask(cfo, type="contract", where={"value__gt": "1000000"})
    (passage,) = found.passages
    assert passage.text == "Quay lease; Value: €1,200,000"
    assert f"Of [{passage.n}]: Counterparty: Port; Status: Draft" in found.text
    with service.open():
        assert ContextRow.objects.get(pk=passage.row).text == "Contract: Quay lease\nValue: €1,200,000"


def test_a_row_has_no_number_while_its_snapshot_has_other_values(viewer, alice, indexed, ask, service):
    assert len(ask(viewer, type="task").passages) == 3
    with service.open():
        permit = Task.objects.get(name="Permit")
    assert alice.api.patch(f"/api/entities/task/{permit.pk}/", {"status": "blocked"}).status_code == 200
    found = ask(viewer, type="task")
    assert "Permit" not in "".join(passage.text for passage in found.passages)
    assert "- Permit; Project: Quay 7; Status: Blocked" in found.text
    process_all_waiting(service.workspace)
    assert "Permit; Status: Blocked" in [passage.text for passage in ask(viewer, type="task").passages]


def test_the_time_of_a_change_stands_apart(viewer, indexed, ask):
    found = ask(viewer, type="task", where={"updated_at__gte": "2020-01-01"})
    texts = [passage.text for passage in found.passages]
    assert texts == [f"{name}; Status: To do" for name in ("Bids", "Permit", "Trusses")]
    assert "Of [1]: Changed: " in found.text


def test_a_number_is_read_again_once_its_record_has_changed(viewer, alice, contract, indexed, start, model, service):
    chat = start(viewer, contract)
    model.says(tool_use=("list_records", {"type": "task", "where": {"name": "Permit"}}))
    model.says(text="It is the permit [1].")
    chat.ask("Which is it?")

    def read_again():
        model.says(tool_use=("read_documents", {"numbers": [1]}))
        model.says(text="Well.")
        chat.ask("And in full?")
        return str(model.requests[-1].messages[-1]["content"])

    assert "Status: To do" in read_again()
    with service.open():
        permit = Task.objects.get(name="Permit")
    assert alice.api.patch(f"/api/entities/task/{permit.pk}/", {"status": "blocked"}).status_code == 200
    process_all_waiting(service.workspace)
    again = read_again()
    assert "Status: Blocked" in again
    assert "No passage is there" not in again
    with service.open():
        Entity.objects.filter(pk=permit.pk).update(visibility="restricted")
    hidden = read_again()
    assert "No passage is there" in hidden
    assert "Blocked" not in hidden


def test_that_there_are_too_many_has_the_label_of_what_narrows_them(cfo, site, model, service, monkeypatch):
    monkeypatch.setattr("chat.record_sources.MAX_COUNTED", 2)
    labels = []
    for where in ({"value__gte": "1"}, {"currency__not": "USD"}):
        model.says(tool_use=("list_records", {"type": "contract", "where": where}))
        model.says(text="More than two.")
        chat = Chat(cfo, cfo.api.post("/api/chat/sessions/", {}).json()["id"])
        turn = chat.ask("Are there many?")
        assert "More than 2 records: narrow it by a field." in model.requests[-1].text
        labels.append([label["label"] for label in turn["message"]["labels"]])
        with service.open():
            texts = AuditText.objects.filter(entry__action="records.listed", entry__object_id=turn["id"])
            assert texts.count() == 1
    assert labels == [["Financial"], []]


@pytest.mark.parametrize(
    ("asked", "answers"),
    [({"type": "contract", "where": {"status": "active"}}, []), ({"type": "task"}, ["More than two."])],
)
def test_that_there_are_too_many_is_shown_to_those_who_may_see_so_many(
    alice, viewer, contract, site, share, model, monkeypatch, asked, answers
):
    monkeypatch.setattr("chat.record_sources.MAX_COUNTED", 2)
    chat = share(alice, contract)
    model.says(tool_use=("list_records", asked))
    model.says(text="More than two.")
    chat.ask("Are there many?")
    theirs = Chat(viewer, chat.session).messages()
    assert [message["content"] for message in theirs if message.get("role") == "assistant"] == answers


def test_that_too_many_are_linked_is_drawn_from_them_whatever_name_was_asked_for(alice, site, ask, monkeypatch):
    monkeypatch.setattr("chat.record_sources.MAX_COUNTED", 1)
    for where in ({"project.name__not": "Weir"}, {"called": "Permit"}, {"called": "Nothing"}):
        found = ask(alice, type="task", where=where)
        assert "too many are linked by 'project'" in found.text
        assert {site["quay"].pk, site["gannet"].pk} <= {given.entity for given in found.sources}
        assert {given.weight for given in found.sources} == {Weight.COUNT}


def test_that_nothing_of_many_is_called_so_is_drawn_from_all(alice, site, ask, monkeypatch):
    monkeypatch.setattr("chat.record_sources.MAX_COUNTED", 2)
    found = ask(alice, type="contract", where={"called": "Nothing"})
    assert found.text == "There is no contract with the name 'Nothing' in it."
    assert len({given.entity for given in found.sources}) == 4


def test_a_record_of_a_group_that_is_not_printed_only_counts(viewer, alice, contract, site, start, model, monkeypatch):
    monkeypatch.setattr("chat.record_lists.MOST_GROUPS", 1)
    chat = start(viewer, contract)
    model.says(tool_use=("list_records", {"type": "contract", "group": "counterparty"}))
    model.says(text="One with Ostrand.")
    turn = chat.ask("How many with whom?")["id"]
    assert "| Ostrand | 1 |" in model.requests[-1].text
    assert "Tallis" not in model.requests[-1].text

    def delete(name):
        with alice.scope.open():
            delete_entity(scope=alice.scope, entity=Entity.objects.get(name=name))
        return (chat.turn(turn)["message"] or {}).get("content")

    assert delete("Crane") == "One with Ostrand."
    assert delete("Survey") != "One with Ostrand."


def test_a_linked_record_of_a_group_that_is_not_printed_only_counts(alice, site, ask, monkeypatch):
    monkeypatch.setattr("chat.record_lists.MOST_GROUPS", 1)

    def weigh(record, group):
        found = ask(alice, type="task", group=group)
        assert "| Quay 7 | 2 |" in found.text or "project.name" not in group
        return {given.weight for given in found.sources if given.entity == record.pk}

    for group in ("project", "project.name"):
        assert Weight.NAME in weigh(site["quay"], group)
        assert weigh(site["gannet"], group) == {Weight.COUNT}


def test_a_list_without_numbers_was_read_and_one_of_none_found_nothing(viewer, contract, site, start, model):
    chat = start(viewer, contract)
    for asked, step in (({"group": "status"}, "Reading"), ({"where": {"status": "terminated"}}, "Nothing found")):
        model.says(tool_use=("list_records", {"type": "contract", **asked}))
        model.says(text="So it is.")
        turn = chat.ask("How many are there?")
        steps = [event.data["text"] for event in chat.events(turn["id"]) if event.kind == "step"]
        assert step in steps
        assert len({"Reading", "Nothing found"} & {*steps}) == 1
