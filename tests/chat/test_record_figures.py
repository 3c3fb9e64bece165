"""Sums, means, groups and linked records in lists: only of what the asker is cleared for and may see."""

import json
import re

import pytest

from chat.record_lists import describe_tool
from chat.tools import BadCall
from entities.actions import create_entity
from entities.models import Entity, Weight
from entities.models.classification import FINANCIAL
from entities.types import Contract, Project, Risk, Task
from ingestion.models import Kind
from llm.quoting.listing import plan_list
from llm.tokens import estimate
from tests.answers.list_questions import DESCRIPTION
from tests.chat.record_site import ask, site  # noqa: F401  fixtures

# ruff: noqa: F811


def test_sums_and_means_are_by_currency_over_what_the_asker_sees(cfo, alice, site, ask):
    text = ask(cfo, type="contract", sum="value", mean="value").text
    assert "Sum of value: €1,500,000\nSum of value: £50,000" in text
    assert "Mean of value of 2 contracts: €750,000" in text
    assert "Sum of value: €1,500,007" in ask(alice, type="contract", sum="value").text


@pytest.mark.parametrize("argument", ["sum", "mean", "group", "order"])
def test_a_field_that_the_asker_is_not_cleared_for_is_in_no_figure(viewer, cfo, site, ask, argument):
    named = "project.budget" if argument == "order" else "value"
    kind = "task" if argument == "order" else "contract"
    if argument != "group":
        ask(cfo, type=kind, **{argument: named})
    with pytest.raises(BadCall) as refused:
        ask(viewer, type=kind, **{argument: named})
    assert "€" not in str(refused.value)
    with pytest.raises(BadCall) as absent:
        ask(viewer, type=kind, **{argument: named.replace("value", "nothing").replace("budget", "nothing")})
    assert str(absent.value) == str(refused.value).replace("value", "nothing").replace("budget", "nothing")


def test_groups_count_what_the_asker_sees(viewer, cfo, alice, site, ask):
    text = ask(viewer, type="contract", group="status").text
    assert text.startswith("3 contracts:\n| Status | Number |\n| --- | --- |\n| Active | 2 |\n| Draft | 1 |")
    assert "| Active | 3 |" in ask(alice, type="contract", group="status").text
    text = ask(cfo, type="contract", group="status", sum="value").text
    assert "| Status | Number | Sum of value |" in text
    assert "| Active | 2 | €300,000 + £50,000 |" in text


def test_a_group_by_a_link_names_no_record_that_the_asker_may_not_see(viewer, alice, site, ask):
    text = ask(viewer, type="risk", group="project").text
    assert "| — | 1 |" in text
    assert "Gannet" not in text
    assert "| Gannet | 1 |" in ask(alice, type="risk", group="project").text
    assert "| Gannet | 1 |" in ask(alice, type="risk", group="project.name").text
    assert "Gannet" not in ask(viewer, type="risk", group="project.name").text


def test_groups_are_whole_or_say_so(viewer, alice, contract, ask):
    with alice.scope.open():
        for n in range(50):
            fields = {"name": f"Hire {n}", "counterparty": f"Firm {n}"}
            made = create_entity(scope=alice.scope, model=Contract, fields=fields)
    text = ask(viewer, type="contract", group="counterparty").text
    assert text.startswith("51 contracts, the largest 50 of 51 groups:")
    assert text.count("\n|") == 52
    assert ask(viewer, type="contract", group="status").text.startswith("51 contracts:")
    assert made.pk in {given.entity for given in ask(viewer, type="contract", group="status").sources}


def test_rows_and_groups_have_so_much_room_and_say_so(viewer, alice, contract, ask):
    with alice.scope.open():
        for n in range(30):
            fields = {"name": f"Hire {n}", "counterparty": f"Firm {n} {'and Sons ' * 20}"}
            create_entity(scope=alice.scope, model=Contract, fields=fields)
    for grouped in ({}, {"group": "counterparty"}):
        found = ask(viewer, type="contract", **grouped, limit=50, room=300)
        number = r"the largest (\d+) of 31 groups:" if grouped else r"(\d+) of 31 contracts, by name"
        shown = re.search(number, found.text.partition("\n")[0])
        assert 0 < int(shown[1]) < 8
        assert len(re.findall(r"Firm \d+ and", found.text)) == int(shown[1])
        assert estimate(found.text) < 600
        assert found.is_cut
        assert len({given.entity for given in found.sources}) == 31, "the number counts those without room too"
        whole = ask(viewer, type="contract", **grouped, limit=50)
        assert not whole.is_cut
        assert whole.text.startswith("31 contracts:")


def test_a_group_that_prints_a_text_is_drawn_from_it_and_one_of_states_only_counts(viewer, site, ask):
    def weigh(kind, group, record=None):
        sources = ask(viewer, type=kind, group=group).sources
        return {given.weight for given in sources if record is None or given.entity == record.pk}

    assert weigh("contract", "counterparty") == {Weight.TEXT}
    assert weigh("contract", "status") == {Weight.COUNT}
    assert Weight.NAME in weigh("task", "project", site["quay"])
    assert Weight.NAME in weigh("task", "project.name", site["quay"])
    assert Weight.TEXT in weigh("task", "project.owner_name", site["quay"])
    assert weigh("task", "status", site["quay"]) == set()


@pytest.mark.parametrize(
    ("where", "is_source"),
    [
        ({"project.name__not": "Gannet"}, True),
        ({"project.budget__gt": "100"}, True),
        ({"project.name": "Gannet", "status": "done"}, True),
        ({"called": "Quay"}, True),
        ({"status": "todo"}, False),
        ({"name": "Permit"}, False),
    ],
)
def test_what_a_linked_record_leaves_out_is_a_source(alice, viewer, site, ask, where, is_source):
    assert (site["gannet"].pk in {given.entity for given in ask(alice, type="task", where=where).sources}) == is_source
    if "project.budget__gt" not in where:
        assert site["gannet"].pk not in {given.entity for given in ask(viewer, type="task", where=where).sources}


def test_a_currency_is_no_number_of_a_source(alice, cfo, site, ask):
    with alice.scope.open():
        fields = {"name": "Odd", "counterparty": "X", "value": "300", "currency": "[1]"}
        create_entity(scope=alice.scope, model=Contract, fields=fields)
    figures = [line for line in ask(cfo, type="contract", sum="value").text.splitlines() if line.startswith("Sum of")]
    assert len(figures) == 3
    assert not any("[1]" in line for line in figures)


def test_a_linked_record_that_is_printed_is_a_source_and_a_hidden_one_is_in_no_line(viewer, alice, site, ask):
    found = ask(viewer, type="task")
    assert "Project: Quay 7" in found.text
    assert {given.weight for given in found.sources if given.entity == site["quay"].pk} == {Weight.NAME}
    found = ask(viewer, type="risk")
    assert "Gannet" not in found.text
    assert site["gannet"].pk not in {given.entity for given in found.sources}
    found = ask(alice, type="risk", where={"project.name": "Gannet"})
    assert "Project: Gannet" in found.text
    assert site["gannet"].pk in {given.entity for given in found.sources}


def test_a_column_of_a_linked_record_gives_the_answer_its_label(cfo, viewer, site, ask):
    assert ask(cfo, type="task", where={"project.budget__gt": "1"}).label == FINANCIAL
    assert ask(cfo, type="task", where={"project.budget__gt": "9000000"}).label == FINANCIAL, "also where it is none"
    assert ask(cfo, type="task", where={"project.name": "Quay 7"}).label == 0
    with pytest.raises(BadCall):
        ask(viewer, type="task", where={"project.budget__gt": "1"})


def test_a_mean_of_nothing_is_no_figure(viewer, alice, site, ask):
    asked = {"type": "contract", "mean": "notice_days", "sum": "notice_days"}
    assert "of notice period" not in ask(viewer, **asked).text
    with alice.scope.open():
        create_entity(
            scope=alice.scope, model=Contract, fields={"name": "Hire", "counterparty": "X", "notice_days": 30}
        )
    assert "Mean of notice period (days) of 1 contract: 30" in ask(viewer, **asked).text


def test_a_text_that_is_empty_is_in_the_group_of_none(viewer, alice, contract, ask):
    with alice.scope.open():
        for name in ("", "Ines"):
            create_entity(scope=alice.scope, model=Project, fields={"name": f"Of {name}", "owner_name": name})
        linked = create_entity(scope=alice.scope, model=Project, fields={"name": "Quay 7", "owner_name": ""})
        for project in (None, linked):
            create_entity(scope=alice.scope, model=Risk, fields={"name": "Leak", "project": project})
    assert "| Ines | 1 |" in ask(viewer, type="project", group="owner_name").text
    assert "| — | 2 |" in ask(viewer, type="project", group="owner_name").text
    assert "| — | 2 |" in ask(viewer, type="risk", group="project.owner_name").text


def test_a_list_says_of_which_record_the_field_is_that_orders_it(viewer, cfo, site, ask):
    def head(who, order):
        return ask(who, type="task", order=order, limit=1).text.partition("\n")[0]

    assert head(cfo, "-project.budget").startswith("1 of 3 tasks, largest project budget first")
    assert head(viewer, "project.name").startswith("1 of 3 tasks, by project")
    assert head(viewer, "due_on").startswith("1 of 3 tasks, earliest due first")


def test_no_order_is_claimed_where_rows_without_a_number_stand_last(viewer, site, ask, index, service):
    assert "by name" in ask(viewer, type="task", limit=2).text.partition("\n")[0]
    with service.open():
        permit = Entity.objects.get(name="Permit")
    index.row(permit, "Task: Permit, To do\nStatus: To do", kind=Kind.METADATA)
    found = ask(viewer, type="task", limit=2)
    assert len(found.passages) == 1
    assert "by name" not in found.text.partition("\n")[0]


def test_amounts_of_several_currencies_in_one_order_are_said_to_be_so(cfo, alice, site, ask):
    assert "Amounts in different currencies" in ask(cfo, type="contract", order="-value").text
    assert "Amounts in different currencies" in ask(cfo, type="contract", where={"value__gt": "1"}).text
    assert "Amounts in different" not in ask(cfo, type="task", order="project.budget").text
    assert "Amounts in different" not in ask(cfo, type="contract").text
    assert "Amounts in different" not in ask(cfo, type="contract", order="-value", where={"currency": "EUR"}).text
    with alice.scope.open():
        weir = create_entity(
            scope=alice.scope, model=Project, fields={"name": "Weir", "budget": "9", "currency": "GBP"}
        )
        create_entity(scope=alice.scope, model=Task, fields={"name": "Dig", "project": weir})
    for asked in ({"order": "project.budget"}, {"where": {"project.budget__gt": "1"}}):
        assert "Amounts in different" in ask(cfo, type="task", **asked).text
    assert "Amounts in different" not in ask(cfo, type="task", order="due_on").text


def test_the_grammar_reads_the_tools_own_description(alice, viewer, site):
    with alice.scope.open():
        tool = describe_tool(alice.scope)
    assert DESCRIPTION in tool["description"]
    with viewer.scope.open():
        less = describe_tool(viewer.scope)
    for question in ("Which contract has the largest value?", "Which contracts are worth more than 1 million?"):
        assert plan_list(question, [tool]) is not None
        assert plan_list(question, [less]) is None


def test_a_model_reads_the_types_without_their_titles(alice, viewer, site, model):
    with alice.scope.open():
        tool = describe_tool(alice.scope)
    assert (
        "- contract (contracts): name, counterparty, value (money), currency, status = draft | " in tool["description"]
    )
    assert "Vertrag" not in tool["description"]
    assert estimate(json.dumps(tool)) < 900
    with viewer.scope.open():
        assert "(money)" not in describe_tool(viewer.scope)["description"]
