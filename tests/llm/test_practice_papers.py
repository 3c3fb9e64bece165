"""Questions about a handbook, minutes and a price list, as people type them. Each has a twin that has no answer."""

import pytest

from llm.quoting.answering import find_answer
from llm.quoting.asked import normalise_question
from llm.quoting.reading import PromptPassage

PAPERS = {
    "Handbook.docx (Dental practice), 2 Holidays": (
        "Every employee has 28 days of paid holiday a year. Requests for July must be handed in by 31 January.\n\n"
        "Up to five unused days may be carried over until 31 March of the next year. They lapse after that date."
    ),
    "Handbook.docx (Dental practice), 3 Sickness": (
        "Call the reception before 7:15 on the first day of illness. "
        "A medical certificate is needed from the third day."
    ),
    "Handbook.docx (Dental practice), 1 Hours": "Overtime is paid with a supplement of 25 % or taken as time off.",
    "Minutes.md (Dental practice)": (
        "Present: Dr Ines Halbach, Oskar Brandt.\nApologies: Nadine Weil.\n\n"
        "The offer of Dentaflow was preferred to that of Plansmile because it can send reminders by text message."
    ),
    "Prices.html (Dental practice)": "Appointments that are cancelled less than 24 hours before cost 40 euros.",
}


def find_quotes(question: str) -> list[str]:
    found = [PromptPassage(n, title, text) for n, (title, text) in enumerate(PAPERS.items(), 1)]
    return [quote.sentence for quote in find_answer(normalise_question(question), found, ["Dental practice"]).quotes]


@pytest.mark.parametrize(
    ("question", "said", "twin"),
    [
        (
            "until when can i carry over holidays",
            "Up to five unused days may be carried over until 31 March of the next year.",
            "until when can i sell holidays",
        ),
        (
            "who do i call when i'm ill",
            "Call the reception before 7:15 on the first day of illness.",
            "who do i call when i'm robbed",
        ),
        (
            "when do i need a sick note",
            "A medical certificate is needed from the third day.",
            "when do i need a passport",
        ),
        (
            "how much overtime supplement is paid",
            "Overtime is paid with a supplement of 25 % or taken as time off.",
            "how much weekend supplement is paid",
        ),
        ("who was not at the meeting", "Apologies: Nadine Weil.", "who was not at the funeral"),
        ("who attended the meeting", "Present: Dr Ines Halbach, Oskar Brandt.", "who attended the school"),
        (
            "why did we choose Dentaflow",
            "The offer of Dentaflow was preferred to that of Plansmile because it can send reminders by text message.",
            "why did we choose Teethline",
        ),
        (
            "what do I pay if I cancel too late",
            "Appointments that are cancelled less than 24 hours before cost 40 euros.",
            "what do I pay if I complain too late",
        ),
    ],
)
def test_a_question_in_plain_words_is_answered_and_its_twin_is_not(question: str, said: str, twin: str) -> None:
    assert find_quotes(question) == [said]
    assert find_quotes(twin) == []


GUIDE = "Quaylog: notes of the harbour\n\nIt is read daily. Quaylog is a diary that every crane driver writes."


def test_a_thing_is_what_a_sentence_says_that_it_is() -> None:
    def define(question: str) -> list[str]:
        return [quote.sentence for quote in find_answer(question, [PromptPassage(1, "Guide.md (Port)", GUIDE)]).quotes]

    assert define("what is quaylog") == ["Quaylog is a diary that every crane driver writes."]
    assert define("what is pierlog") == []
