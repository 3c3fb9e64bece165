"""What is called as a question says: names decide lists, and only those that the asker may read."""

import pytest
from django.utils import timezone

from chat.tools import BadCall
from entities.actions import create_entity
from entities.models import Entity, Weight
from entities.models.classification import FINANCIAL
from entities.types import Contract
from llm.quoting.list_tables import read_list
from tests.chat.record_site import ask, site  # noqa: F401  fixtures

# ruff: noqa: F811


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


@pytest.mark.parametrize("name", ["a\x00", "a\ud800", "a" * 201, " "])
def test_a_name_that_no_record_can_have_is_refused(viewer, site, ask, name):
    with pytest.raises(BadCall, match="as a list of names"):
        ask(viewer, type="contract", side_by_side=[name, "Crane"])
    assert ask(viewer, type="contract", side_by_side=["Quay lease", "Crane"]).text.startswith("2 contracts")
