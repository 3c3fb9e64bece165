"""Which questions are for the database, and under which labels a quoted answer stands. No database is needed."""

import time

import pytest

from chat.citations import collect_cited_atoms
from entities.model_markdown import CitationLink
from llm.prompts import NOT_FOUND
from llm.quoting.chatting import choose_next_call, find_answer_text
from llm.quoting.list_tables import read_list
from llm.quoting.listing import plan_list
from tests.answers.list_questions import DESCRIPTION, HELD_BACK, QUESTIONS

VALUE = '"value": {"kind": "money", "titles": ["Wert"]}, '
DEMO = [{"name": "list_records", "description": DESCRIPTION}]
WITHOUT_VALUE = [{"name": "list_records", "description": DESCRIPTION.replace(VALUE, "")}]


@pytest.mark.parametrize(
    ("question", "call"),
    [
        ("List all open risks", {"type": "risk", "where": {"status": "open"}}),
        ("How many contracts do we have?", {"type": "contract"}),
        ("Which employee was hired first?", {"type": "employee", "order": "started_on", "limit": 1}),
        ("Which employee was paid first?", None),
        ("How many tasks were completed in June 2025?", None),
        ("Which contracts limit liability?", None),
        ("What is the liability cap of the contract?", None),
        ("Who signed it?", None),
    ],
)
def test_a_question_whose_every_word_is_a_type_a_state_a_field_or_a_date_is_one_for_the_records(question, call):
    assert plan_list(question, DEMO) == call


@pytest.mark.parametrize(("question", "call"), QUESTIONS, ids=[question for question, _ in QUESTIONS])
def test_questions_in_both_languages_are_calls(question, call):
    assert plan_list(question, DEMO) == call


def test_most_questions_that_the_grammar_was_not_made_for_are_calls_too():
    wrong = [question for question, call in HELD_BACK if plan_list(question, DEMO) != call]
    assert len(wrong) <= 4, wrong


@pytest.mark.parametrize(
    "question",
    [
        "Which contracts end in 2026 or 2027?",
        "Which contracts end this year or next year?",
        "Which contracts end in 2026 and 2027?",
        "contracts with Tallis or Brannock",
        "Verträge mit Tallis oder Brannock",
        "contracts with Tallis and Brannock",
        "Which tasks are not due this week?",
        "Which tasks are not done and blocked?",
        "Which contracts are not worth more than 1 million?",
        "Which projects are closed or overdue?",
        "open or high risks",
        "tasks that are not blocked or done",
        "contracts that end before 2026 or have no value",
        "Which contracts are under 30 days?",
        "contracts over 30",
        "Which risks have a project?",
        "Which tasks were done this week?",
        "How many employees do we have in 2025?",
        "Which employees earn over 2000?",
        "new tasks",
        "Which contracts end before 27 November?",
        "Which contracts end before 03/04/2026?",
        "Which contracts end on 31 February 2026?",
        "What is the total outstanding budget of our projects?",
        "What is the total remaining budget of our projects?",
        "Wie hoch ist das ausstehende Budget der Projekte?",
        "Which projects were completed late?",
        "Which contracts run from 2024 to 2026?",
        "contracts " * 31,
    ],
)
def test_a_question_that_may_mean_two_things_is_searched_for(question):
    assert plan_list(question, DEMO) is None


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("tasks that are blocked and tasks that are done", {"status": "blocked,done"}),
        ("Welche Aufgaben sind nicht blockiert und nicht erledigt?", {"status__not": "blocked,done"}),
        ("Which tasks belong to no project?", {"project__empty": "1"}),
        ("Which contracts end before 3.4.2026?", {"ends_on__lt": "2026-04-03"}),
        ("Which projects are unfinished?", {"finished": "0"}),
        ("Which contracts run until 2026?", {"ends_on__lte": "2026"}),
        ("Which contracts end before April 2026?", {"ends_on__lt": "2026-04"}),
        ("contracts over €1 million", {"value__gt": "1000000", "currency": "EUR"}),
        ("How many tasks are in project Quay 7?", {"called": "Quay 7"}),
    ],
)
def test_a_question_that_means_one_thing_is_a_call(question, where):
    assert (plan_list(question, DEMO) or {}).get("where") == where


@pytest.mark.parametrize(
    "question",
    [f"X{'a' * 240} contracts we have that are there is of the and", "Aa-" * 99, f"X{'en' * 140}x", "x" * 20_000],
)
def test_no_question_takes_long(question):
    begun = time.process_time()
    plan_list(question, DEMO)
    assert time.process_time() - begun < 0.5


@pytest.mark.parametrize(
    ("result", "call", "answer"),
    [
        ("There is no contract with the name 'State' in it.", ("read_documents", {"fields": True}), "Status: Active"),
        ("1 contract, named with State.\nIn the lists: /w/a/", None, "1 contract, named with State."),
    ],
)
def test_a_word_that_no_record_is_called_leaves_the_question_to_the_records_own_fields(result, call, answer):
    record = '<record type="contract" name="Lease">\n<fields>\nStatus: Active\n</fields>\n</record>'
    tools = [{"name": "search_knowledge"}, {"name": "read_documents"}, *DEMO]
    messages = [{"role": "user", "content": "What is the State of the contract?"}]
    body = {"system": [{"type": "text", "text": record}], "messages": messages, "tools": tools}
    name, asked = choose_next_call(body)
    assert (name, asked["where"]) == ("list_records", {"called": "State"})
    messages.append({"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": name, "input": asked}]})
    messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": result}]})
    assert choose_next_call(body) == call
    assert find_answer_text(body).startswith(answer)


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
    group = "2 contracts:\n| Firm | Number |\n| --- | --- |\n| [Open](/w/a/) **b** | 2 |\nIn the lists: /w/a/"
    assert r"| \[Open\](/w/a/) \*\*b\*\* | 2 |" in read_list(group)
    assert read_list("1 task, name [x](/y):\nIn the lists: /w/a/").startswith(r"1 task, name \[x\](/y):")
    assert read_list("There is no number 'value' to add up.") is None
    sides = read_list(result, {"side_by_side": ["A", "Permit"]})
    assert sides.splitlines()[2] == r"| Name | A \| B \[x\](y) [1] | Permit [2] | Uncited |"


def test_a_field_that_does_not_exist_for_the_asker_is_not_added_up():
    assert VALUE in DESCRIPTION
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
        (f"1 contract:\n\nMean of value of 2 contracts: SEK\u00a09.50{TABLE}| Lease [citation:1] | Port |{LINK}", ()),
        # A record may be called as a line of a list is.
        (f"2 contracts:{TABLE}| Lease [citation:1] | Port |\n| Name | €9 |{LINK}", None),
        (f"2 contracts:{TABLE}| Lease [citation:1] | Port |\n| --- | --- |{LINK}", None),
        (f"1 contract:{TABLE}| Lease [citation:1] | Port |\n3 secrets. Ann earns 90k, Bob:", None),
        (f"1 contract:\n\nSum of value: €3, and Ann earns 90k{TABLE}| Lease [citation:1] | Port |", None),
        # The head needs more than its rows.
        (f"1 contract, named with Gannet.{TABLE}| Lease [citation:1] | Port |{LINK}", None),
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
