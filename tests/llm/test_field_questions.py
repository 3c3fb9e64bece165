"""Questions that a field of the record answers, by its name or another one. No database is needed."""

import pytest

from llm.quoting.answering import answer
from llm.quoting.field_answers import find_field
from llm.quoting.reading import PromptPassage

PROJECT = ("Ring road", "project", ["Phase: Planning", "Due on: 30 June 2028", "Owner: Devika Rao"])
TASK = ("Deck survey", "task", ["Status: To do", "Due on: 30 June 2028"])
HIRE = ("Crane hire", "contract", ["Value: €90,000", "Starts on: 1 May 2026", "Notice period (days): 30"])
EMPLOYEE = ("Mara Quill", "employee", ["Title: Pilot", "Email: mara@yard.example", "Started on: 1 May 2020"])


@pytest.mark.parametrize(
    ("record", "question", "line"),
    [
        (PROJECT, "When does the project end?", "Due on: 30 June 2028"),
        (PROJECT, "When does the Ring road end?", "Due on: 30 June 2028"),
        (PROJECT, "What is the deadline?", "Due on: 30 June 2028"),
        (PROJECT, "Who is the project manager?", "Owner: Devika Rao"),
        (("Ring road", "project", ["Budget: €9,000"]), "How much money is there?", "Budget: €9,000"),
        (PROJECT, "What is the stage?", "Phase: Planning"),
        (TASK, "What is the status?", "Status: To do"),
        (TASK, "Is it done?", "Status: To do"),
        (HIRE, "What is the crane hire worth?", "Value: €90,000"),
        (HIRE, "When did it start?", "Starts on: 1 May 2026"),
        (HIRE, "How many days of notice?", "Notice period (days): 30"),
        (EMPLOYEE, "What is Mara's job title?", "Title: Pilot"),
        (EMPLOYEE, "What is her e-mail address?", "Email: mara@yard.example"),
        (EMPLOYEE, "When was she hired?", "Started on: 1 May 2020"),
        # Something else is asked for than the field says.
        (PROJECT, "When does the crane hire end?", ""),
        (PROJECT, "When did the project start?", ""),
        (PROJECT, "Who is the insurer?", ""),
        (PROJECT, "What is the lead time?", ""),
        (PROJECT, "Is there a charge?", ""),
        (PROJECT, "Any leads?", ""),
        (PROJECT, "Who is the owner's manager?", ""),
        (PROJECT, "What is the project responsible for?", ""),
        (PROJECT, "When was it completed?", ""),
        (PROJECT, "When did the project end?", ""),
        (PROJECT, "Where does the Ring road end?", ""),
        (PROJECT, "What is the finish?", ""),
        (TASK, "What has been done?", ""),
        (TASK, "Who has done it?", ""),
        (HIRE, "Has notice been given?", ""),
        (HIRE, "How many days?", ""),
        (HIRE, "What is the crane worth?", ""),
        (HIRE, "Where does it start?", ""),
        (EMPLOYEE, "What is her address?", ""),
        (PROJECT, "What is the project's budget?", ""),  # a field that the asker is not shown is not in the prompt
    ],
)
def test_a_field_answers_by_its_other_names_and_nothing_else(
    record: tuple[str, str, list[str]], question: str, line: str
) -> None:
    assert find_field(question, *record) == line


def test_a_field_of_a_named_record_is_of_the_kind_that_is_asked_for() -> None:
    text = "Project: Eastmole Pumping Station\nDue on: 30 June 2028\nOwner: Devika Rao"
    fields = PromptPassage(1, "Eastmole Pumping Station", text, "fields")
    assert [q.sentence for q in answer("When is the Eastmole Pumping Station due?", [fields])] == text.split("\n")[1:2]
    for question in ("Who completed the Eastmole Pumping Station?", "Who is due at the Eastmole Pumping Station?"):
        assert answer(question, [fields]) == []
