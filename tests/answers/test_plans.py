"""Which questions are for the database, and under which labels a quoted answer stands. No database is needed."""

from datetime import date

import pytest

from chat.citations import collect_cited_atoms
from entities.model_markdown import CitationLink
from llm.offline.list_tables import read_list
from llm.offline.listing import plan_list
from llm.prompts import NOT_FOUND
from tests.answers.list_questions import DESCRIPTION, HELD_BACK, QUESTIONS

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
                "where": {"ends_on": "2026"},
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


DEMO = [{"name": "list_records", "description": DESCRIPTION}]


@pytest.mark.parametrize(("question", "call"), QUESTIONS, ids=[question for question, _ in QUESTIONS])
def test_questions_in_both_languages_are_calls(question, call):
    assert plan_list(question, DEMO, date(2026, 11, 30)) == call


def test_most_questions_that_the_grammar_was_not_made_for_are_calls_too():
    wrong = [question for question, call in HELD_BACK if plan_list(question, DEMO, date(2026, 11, 30)) != call]
    assert len(wrong) <= 6, wrong


def test_an_answer_is_a_table_and_what_a_record_is_called_cannot_break_it():
    result = """3 tasks, due by 27 November 2026:
- Uncited; Due on: 1 May 2026
In the lists: /w/acme/records/task/?due_on__lte=2026-11-27
<passages>
<document title="tasks">
[1] A | B [x](y); Status: To do
[2] Permit; Due on: 6 November 2026; Status: Blocked
</document>
</passages>"""
    assert (
        read_list(result)
        == r"""3 tasks, due by 27 November 2026:

| Name | Status | Due on |
| --- | --- | --- |
| A \| B \[x\](y) [1] | To do |  |
| Permit [2] | Blocked | 6 November 2026 |
| Uncited |  | 1 May 2026 |

[Open this list](/w/acme/records/task/?due_on__lte=2026-11-27)"""
    )
    assert read_list("No tasks, overdue.\nIn the lists: /w/a/") == "No tasks, overdue.\n\n[Open this list](/w/a/)"
    assert read_list("There is no number 'value' to add up.") is None
    sides = read_list(result, {"side_by_side": ["A", "Permit"]})
    assert sides.splitlines()[2] == r"| Name | A \| B \[x\](y) [1] | Permit [2] | Uncited |"


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


TABLE = "\n\n| Name | Counterparty |\n| --- | --- |\n"
LINK = "\n\n[Open this list](/w/acme/records/contract/?status=active)"
FIELDS = {"Status": frozenset[int](), "Value": frozenset({5})}


@pytest.mark.parametrize(
    ("answer", "atoms"),
    [
        ("Status: Active", ()),
        ("Value: €1,200,000", (5,)),
        (f"2 contracts, status Active:{TABLE}| Lease [citation:1] | Port |\n| Hire [citation:2] | Tallis |", (5,)),
        (f"1 contract:\n\nSum of value: €3{TABLE}| Lease [citation:1] | Port |{LINK}", ()),
        # A row that cites nothing may say more than those that do.
        (f"2 contracts:{TABLE}| Lease [citation:1] | Port |\n| Hire | Tallis |{LINK}", None),
        # The number counts records that are not cited.
        (f"1 of 31 contracts, by name:{TABLE}| Lease [citation:1] | Port |{LINK}", None),
        (f"No contracts, value at least 9.{LINK}", None),
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
