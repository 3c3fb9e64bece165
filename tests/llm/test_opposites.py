"""What says the opposite of a question is no answer to it."""

import pytest

from llm.quoting.answering import answer
from llm.quoting.opposites import is_opposed
from llm.quoting.reading import PromptPassage

TERMS = (
    "The minimum order is 40 pallets. The north gate opens at six. Smaller parcels go by van. "
    "The court is always open. A non-resident pays a deposit of 50 euros. The bakery won the Cup in 2019."
)


def find_quotes(question: str, text: str = TERMS) -> list[str]:
    return [quote.sentence for quote in answer(question, [PromptPassage(1, "Terms.txt (Document)", text)], [])]


@pytest.mark.parametrize(
    ("question", "sentence", "opposite"),
    [
        ("What is the minimum order?", "The minimum order is 40 pallets.", "What is the maximum order?"),
        ("When does the north gate open?", "The north gate opens at six.", "When does the south gate open?"),
        ("Which cup did the bakery win?", "The bakery won the Cup in 2019.", "Which cup did the bakery not win?"),
        ("What does a non-resident pay?", "A non-resident pays a deposit of 50 euros.", "What does a resident pay?"),
    ],
)  # fmt: skip
def test_a_sentence_answers_and_not_its_opposite(question: str, sentence: str, opposite: str) -> None:
    assert find_quotes(question) == [sentence]
    assert find_quotes(opposite) == []


@pytest.mark.parametrize(
    ("question", "text", "said"),
    [
        ("What do members pay?", "Non-members pay 12 euros. Members pay 8 euros.", ["Members pay 8 euros."]),
        (
            "When did we lose the tender?",
            "In May we won the tender for the school. In June we lost the tender for the hospital.",
            ["In June we lost the tender for the hospital."],
        ),
        (
            "What is the lower limit?",
            "The upper limit is 500 euros. The lower limit is 20.",
            ["The lower limit is 20."],
        ),
        ("What is the lower limit?", "The upper limit is 500 euros.", []),
        (
            "What is the fee for members?",
            "The fee for members is 8 euros and for non-members 12 euros.",
            ["The fee for members is 8 euros and for non-members 12 euros."],
        ),
        (
            "What does an adult ticket cost?",
            "Tickets cost 12 euros for adults and 6 euros for a child.",
            ["Tickets cost 12 euros for adults and 6 euros for a child."],
        ),
        (
            "What does the car cost without VAT?",
            "The car costs 20,000 euros plus VAT.",
            ["The car costs 20,000 euros plus VAT."],
        ),
        (
            "How much does it cost to lose a key?",
            "A lost key costs 40 euros and we won't replace it twice.",
            ["A lost key costs 40 euros and we won't replace it twice."],
        ),
    ],
)
def test_of_two_sentences_that_say_opposites_one_answers(question: str, text: str, said: list[str]) -> None:
    assert find_quotes(question, text) == said


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        (
            "What is the maximum load?",
            "The load is 3 tonnes at least and 12 at most, the maximum for a minimum of tyres.",
        ),
        ("What does not start in the cold?", "The pump fails to start below zero."),
        ("Why did the pump not start?", "The pump did start late because the tank was empty."),
        ("Who can't attend?", "Mira is absent and cannot attend."),
        ("Is parking included?", "Parking is excluded."),
        ("Does the rent not include heating?", "The rent includes heating."),
    ],
)
def test_both_words_a_denial_a_reason_and_a_no_are_not_opposed(question: str, sentence: str) -> None:
    assert not is_opposed(question, sentence)


@pytest.mark.parametrize(
    ("question", "sentence", "of_another"),
    [
        ("When was the mill built?", "The mill was built in the 18th century.", "When was the forge built?"),
        ("When was the weir rebuilt?", "The weir was rebuilt in the 1870s.", "When was the bridge rebuilt?"),
        (
            "In what year did the granary burn?",
            "The granary burned in 1831, and nobody was hurt.",
            "In what year did the chapel burn?",
        ),
        ("Where did the miller flee to?", "The miller fled to Lower Holm.", "Where did the baker flee to?"),
        (
            "When did the second flood take place?",
            "After the second flood, in 1902, the bank was raised.",
            "When did the second fire take place?",
        ),
        ("How many sacks does the mill hold?", "The mill holds 1200 sacks.", "When was the mill full?"),
    ],
)
def test_centuries_decades_and_years_are_times(question: str, sentence: str, of_another: str) -> None:
    text = (
        "The mill was built in the 18th century. The weir was rebuilt in the 1870s. The granary burned in 1831, and "
        "nobody was hurt. The miller fled to Lower Holm. After the second flood, in 1902, the bank was raised. "
        "The mill holds 1200 sacks. The weir is wide. The granary was large. The first flood did little harm."
    )
    assert find_quotes(question, text) == [sentence]
    assert find_quotes(of_another, text) == []


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("When was the pump tested?", "We tested the pump in 1500 cases."),
        ("When were the costs of the roof cut?", "The costs of the roof were cut by 1200 euros."),
        ("When are the keys handed out?", "Keys are handed out at one and the same desk."),
        ("When is oil sold?", "Oil is sold at two to three euros a litre."),
        ("When do we run campaigns?", "We run 3 ad campaigns for the fair."),
        ("Where was Holt Ltd founded?", "The office of Holt Ltd is in Lindau."),
    ],
)
def test_numbers_of_things_are_no_times(question: str, text: str) -> None:
    assert find_quotes(question, text) == []


@pytest.mark.parametrize(
    ("question", "text", "said"),
    [
        ("Which month is the busiest?", "The busiest month is August.", "The busiest month is August."),
        (
            "What type of contract is it?",
            "Contract type: fixed\nContract no: 4711\nPay: 9 euros",
            "Contract type: fixed",
        ),
        (
            "In what year was the house constructed?",
            "House: Quay 4\nYear of construction: 1897\nRooms: 6",
            "Year of construction: 1897",
        ),
    ],
)
def test_months_types_and_years_are_found_by_their_names(question: str, text: str, said: str) -> None:
    assert find_quotes(question, text) == [said]


FOUNDERS = "| Name | Quay Bakery |\n| --- | --- |\n| Founders | Ida Holt, Bob Ray |\n| Staff | 14 |"


def test_a_line_of_a_form_answers_and_not_what_denies_it() -> None:
    assert find_quotes("Who are the founders?", FOUNDERS) == ["| Founders | Ida Holt, Bob Ray |"]
    assert find_quotes("Who is not a founder?", FOUNDERS) == []


def test_where_the_best_sentence_says_the_opposite_a_lesser_one_is_no_answer() -> None:
    text = "Ida Holt serviced the north pump of the yard in May. Bob Ray bought a pump for the yard in May."
    assert find_quotes("Who serviced the pump of the yard?", text) == [text.split(" Bob")[0]]
    assert find_quotes("Who did not service the pump of the yard?", text) == []
