"""Sums, means, groups and linked records in lists: only of what the asker is cleared for and may see."""

import pytest
from django.utils import timezone

from chat.actions import create_session
from chat.record_lists import describe_tool, list_knowledge, read_query
from chat.tools import BadCall
from entities.actions import create_entity
from entities.models import Entity, Weight
from entities.models.classification import FINANCIAL
from entities.types import Contract, Project, Risk, Task
from llm.offline.list_tables import read_list
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
        quay = create(Project, name="Quay 7", budget="2000000", contract=contract)
        gannet = create(Project, "restricted", name="Gannet", budget="5")
        for name, project in (("Permit", quay), ("Trusses", quay), ("Bids", gannet)):
            create(Task, name=name, project=project)
        create(Risk, name="Leak", project=gannet)
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


def test_a_name_that_leaves_records_out_gives_the_answer_its_label(alice, site, ask, service):
    asked = {"type": "task", "where": {"called": "Gannet"}}
    assert ask(alice, **asked).text.startswith("1 task, named with Gannet:")
    with service.open():
        Entity.objects.filter(pk=site["gannet"].pk).update(name_classification=FINANCIAL)
    found = ask(alice, **asked)
    assert (found.label, found.text.partition("\n")[0]) == (FINANCIAL, "1 task, named with Gannet."), (
        "more than its row"
    )
    assert ask(alice, type="task", where={"called": "Gannet", "status": "done"}).label == FINANCIAL, (
        "also where none is"
    )
    assert ask(alice, type="task", where={"status": "todo"}).label == 0


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


def test_two_records_stand_side_by_side(viewer, cfo, site, ask):
    text = ask(cfo, type="contract", side_by_side=["Quay lease", "Crane"], order="-value").text
    assert text.startswith("2 contracts, name Quay lease or Crane:")
    assert "Value: €1,200,000" in text
    assert "Value" not in ask(viewer, type="contract", side_by_side=["Quay lease", "Crane"]).text


def test_a_side_is_the_whole_name_of_one_record_or_what_only_one_has_in_it(viewer, alice, site, ask):
    with alice.scope.open():
        create_entity(scope=alice.scope, model=Contract, fields={"name": "Quay lease annex", "counterparty": "Port"})
    text = ask(viewer, type="contract", side_by_side=["Quay lease", "cran"]).text
    assert text.startswith("2 contracts, name Quay lease or Crane:")
    refused = "Give the whole name of one contract instead of"
    for sides in (["Quay", "Crane"], ["Settlement", "Crane"]):
        assert ask(viewer, type="contract", side_by_side=sides).text == f"{refused} {sides[0]!r}."
    assert ask(alice, type="contract", side_by_side=["Settlement", "Crane"]).text.startswith("2 contracts")
    with alice.scope.open():
        create_entity(scope=alice.scope, model=Contract, fields={"name": "Lease; annex", "counterparty": "Port"})
    assert ask(viewer, type="contract", side_by_side=["Lease; annex", "Crane"]).text.startswith(refused)


def test_that_nothing_is_called_so_has_the_sources_and_the_label_of_all_that_was_looked_at(
    alice, viewer, site, ask, service
):
    for asked in ({"where": {"called": "Nothing"}}, {"side_by_side": ["Nothing", "Permit"]}):
        refused = ask(alice, type="task", **asked)
        assert read_list(refused.text) is None
        assert (len({given.entity for given in refused.sources}), refused.label) == (5 if "where" in asked else 3, 0)
        assert {given.weight for given in refused.sources} == {Weight.COUNT}
    with service.open():
        Entity.objects.filter(name__in=["Permit", "Quay 7"]).update(name_classification=FINANCIAL)
    for asked in ({"where": {"called": "Nothing"}}, {"side_by_side": ["Nothing", "Trusses"]}):
        assert ask(alice, type="task", **asked).label == FINANCIAL
        assert ask(viewer, type="task", **asked).label == 0, "its name says nothing to them"


@pytest.mark.parametrize(
    "asked", [{}, {"where": {"called": "Trusses"}}, {"group": "project"}, {"order": "project.name"}]
)
def test_a_name_that_the_asker_may_not_read_gives_no_label(alice, viewer, site, ask, service, asked):
    with service.open():
        Entity.objects.filter(name__in=["Permit", "Quay 7"]).update(name_classification=FINANCIAL)
    found = ask(viewer, type="task", **asked)
    assert found.label == 0
    assert {given.label for given in found.sources} == {0}
    found = ask(alice, type="task", **asked)
    assert FINANCIAL in {found.label, *(given.label for given in found.sources)}


def test_archived_records_are_a_list_of_their_own(viewer, site, ask, service):
    with service.open():
        Entity.objects.filter(name="Crane").update(archived_at=timezone.now())
    text = ask(viewer, type="contract", where={"called": "Crane", "archived": "1"}).text
    assert text.startswith("1 contract, named with Crane, archived:")
    refused = ask(viewer, type="contract", where={"called": "Crane"}).text
    assert refused == "There is no contract with the name 'Crane' in it."


def test_amounts_of_several_currencies_in_one_order_are_said_to_be_so(cfo, site, ask):
    assert "Amounts in different currencies" in ask(cfo, type="contract", order="-value").text
    assert "Amounts in different currencies" in ask(cfo, type="contract", where={"value__gt": "1"}).text
    assert "Amounts in different" not in ask(cfo, type="contract").text
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
