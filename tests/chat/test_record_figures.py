"""Sums, means, groups and linked records in lists: only of what the asker is cleared for and may see."""

import pytest

from chat.actions import create_session
from chat.record_lists import describe_tool, list_knowledge, read_query
from chat.tools import BadCall
from entities.actions import create_entity
from entities.models import Weight
from entities.models.classification import FINANCIAL
from entities.types import Contract, Project, Risk, Task
from llm.offline.listing import plan_list
from tests.answers.list_questions import DESCRIPTION


@pytest.fixture
def site(alice, contract):
    """Contracts in two currencies; an open and a restricted project with tasks."""
    with alice.scope.open():

        def create(model, visibility="workspace", **fields):
            return create_entity(scope=alice.scope, model=model, fields=fields, visibility=visibility)

        create(Contract, name="Crane", counterparty="Tallis", value="300000", status="active")
        create(Contract, name="Survey", counterparty="Ostrand", value="50000", currency="GBP", status="active")
        create(Contract, "restricted", name="Settlement", counterparty="Ferrow", value="7", status="active")
        quay = create(Project, name="Quay 7", budget="2000000", contract=contract.pk)
        gannet = create(Project, "restricted", name="Gannet", budget="5")
        for name, project in (("Permit", quay), ("Trusses", quay), ("Bids", gannet)):
            create(Task, name=name, project=project.pk)
        create(Risk, name="Leak", project=gannet.pk)
    return {"quay": quay, "gannet": gannet}


@pytest.fixture
def ask(contract):
    """`ask(person, type=…)`: the result of the tool in a conversation of that person."""

    def call(who, **asked):
        with who.scope.open():
            session = create_session(scope=who.scope, entity=contract)
            return list_knowledge(who.scope, session, read_query(who.scope, asked))

    return call


def test_sums_and_means_are_by_currency_over_what_the_asker_sees(cfo, alice, site, ask):
    text = ask(cfo, type="contract", sum="value", mean="value").text
    assert "Sum of value: £50,000\nSum of value: €1,500,000" in text or (
        "Sum of value: €1,500,000\nSum of value: £50,000" in text
    )
    assert "Mean of value: €750,000" in text
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
    assert "| Active | 2 | €300,000 + £50,000 |" in text or "| Active | 2 | £50,000 + €300,000 |" in text


def test_a_group_by_a_link_names_no_record_that_the_asker_may_not_see(viewer, alice, site, ask):
    text = ask(viewer, type="risk", group="project").text
    assert "| — | 1 |" in text
    assert "Gannet" not in text
    assert "| Gannet | 1 |" in ask(alice, type="risk", group="project").text
    assert "| Gannet | 1 |" in ask(alice, type="risk", group="project.name").text
    assert "Gannet" not in ask(viewer, type="risk", group="project.name").text


def test_a_linked_record_that_is_printed_is_a_source_and_a_hidden_one_is_in_no_line(viewer, alice, site, ask):
    found = ask(viewer, type="task")
    assert "Project: Quay 7" in found.text
    assert site["quay"].pk in {given.entity for given in found.sources if given.weight != Weight.COUNT}
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


def test_two_records_stand_side_by_side(viewer, cfo, site, ask):
    text = ask(cfo, type="contract", side_by_side=["Quay lease", "Crane"], order="-value").text
    assert text.startswith("2 contracts, name Quay lease or Crane:")
    assert "Value: €1,200,000" in text
    assert "Value" not in ask(viewer, type="contract", side_by_side=["Quay lease", "Crane"]).text


def test_amounts_of_several_currencies_in_one_order_are_said_to_be_so(cfo, site, ask):
    assert "Amounts in different currencies" in ask(cfo, type="contract", order="-value").text
    assert "Amounts in different" not in ask(cfo, type="contract", order="-value", where={"currency": "EUR"}).text


def test_the_grammar_reads_the_tools_own_description(alice, viewer, site):
    with alice.scope.open():
        tool = describe_tool(alice.scope)
    assert DESCRIPTION in tool["description"]
    with viewer.scope.open():
        less = describe_tool(viewer.scope)
    for question in ("Which contract has the largest value?", "Which contracts are worth more than 1 million?"):
        assert plan_list(question, [tool]) is not None
        assert plan_list(question, [less]) is None
