"""Which questions are for the database, and under which labels a quoted answer stands. No database is needed."""

import pytest

from chat.citations import collect_cited_atoms
from entities.model_markdown import CitationLink
from llm.offline.listing import plan_list
from llm.prompts import NOT_FOUND

TYPES = """Types:
- contract (contracts): name, counterparty, value (money), status = draft | active, starts_on (date), ends_on (date)
- task (tasks): name, status = todo | done, due_on (date)
- employee (employees): name, salary (money), started_on (date)
- risk (risks): name, severity = low | medium | high, status = open | mitigated
"""
TOOLS = [{"name": "list_records", "description": TYPES}]
WITHOUT_VALUE = [{"name": "list_records", "description": TYPES.replace(" value (money),", "")}]


@pytest.mark.parametrize(
    ("question", "call"),
    [
        ("List all open risks", {"type": "risk", "where": {"status": "open"}}),
        ("How many high risks are open?", {"type": "risk", "where": {"severity": "high", "status": "open"}}),
        ("How many contracts do we have?", {"type": "contract"}),
        (
            "Show me the contracts that end in 2026",
            {
                "type": "contract",
                "where": {"ends_on__gte": "2026-01-01", "ends_on__lte": "2026-12-31"},
                "order": "ends_on",
            },
        ),
        (
            "What is the total value of all active contracts?",
            {"type": "contract", "where": {"status": "active"}, "sum": "value"},
        ),
        ("Which contract has the largest value?", {"type": "contract", "order": "-value", "limit": 1}),
        ("Which employee was hired first?", {"type": "employee", "order": "started_on", "limit": 1}),
        ("Which employee was paid first?", None),
        ("How many tasks were completed in June 2025?", None),
        ("Which contracts limit liability?", None),
        ("What is the liability cap of the contract?", None),
        ("Who signed it?", None),
    ],
)
def test_a_question_whose_every_word_is_a_type_a_state_a_field_or_a_date_is_one_for_the_records(question, call):
    assert plan_list(question, TOOLS) == call


def test_a_field_that_does_not_exist_for_the_asker_is_not_added_up():
    assert plan_list("What is the total value of all active contracts?", WITHOUT_VALUE) is None


LINKS = {
    1: CitationLink(1, "a.md", "/a", atoms=()),
    2: CitationLink(2, "b.md", "/b", atoms=(5,)),
    3: CitationLink(3, "c.md", "", atoms=()),
}


@pytest.mark.parametrize(
    ("answer", "atoms"),
    [
        ("It is so. [citation:1]", ()),
        ("It is so. [citation:1]\n\nAnd so. [citation:2]", (5,)),
        (NOT_FOUND, ()),
        # Not every line is a quote, or one leads nowhere any more: the label is that of all that went in.
        ("It is so. [citation:1]\n\nThe value is high.", None),
        ("It is so. [citation:3]", None),
    ],
)
def test_an_answer_shows_the_labels_of_what_it_quotes(answer, atoms):
    assert collect_cited_atoms(answer, LINKS) == atoms


FIELDS = {"Status": frozenset[int](), "Value": frozenset({5})}


@pytest.mark.parametrize(
    ("answer", "atoms"),
    [
        ("Status: Active", ()),
        ("Value: €1,200,000", (5,)),
        ("2 contracts (status active):\n\n- Lease [citation:1]\n- Hire [citation:2]", (5,)),
        ("1 contract:\nSum of value: €3\n\n- Lease [citation:1]", ()),
        # The number counts records that are not cited.
        ("31 contracts (name like Lease); the first 1 by name:\n\n- Lease [citation:1]", None),
        # What no record is cited for, or what is neither a field nor a head, is under the label of all that went in.
        ("0 contracts:", None),
        ("The value is high.", None),
        ("Owner: nobody", None),
    ],
)
def test_the_offline_engines_own_lines_need_what_they_say(answer, atoms):
    assert collect_cited_atoms(answer, LINKS, FIELDS) == atoms


def test_a_field_that_the_reader_lacks_is_under_the_label_of_all_that_went_in():
    assert collect_cited_atoms("Value: €1,200,000", LINKS, {"Status": FIELDS["Status"]}) is None
    assert collect_cited_atoms("Value: €1,200,000", LINKS) is None
