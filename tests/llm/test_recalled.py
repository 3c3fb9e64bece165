"""What was said in the conversation is quoted only where that is asked for, and of what is asked about."""

import pytest

from llm.quoting.recalled import quote_conversation

SAID = [
    ("What is the rent of unit 3?", "The rent of unit 3 is 500 EUR a month. [1]"),
    ("Who signed the lease of the Quay flat?", "Ada Byron signed the lease of the Quay flat. [2]"),
    ("What is the rent of the Quay lease?", "The rent of the Quay lease is 900 EUR. [3]"),
    ("When do we tell a customer about delays?", "Tell the customer about delays within a day. [4]"),
    ("Who pays the insurer for damage?", "The tenant pays the insurer for damage. [5]"),
    ("Our budget for the boat is 40,000 EUR. Is that enough?", "Not found in what you can see."),
]


def recall(question: str, said: list[tuple[str, str]] = SAID) -> str:
    messages = [
        {"role": role, "content": text} for pair in said for role, text in zip(("user", "assistant"), pair, strict=True)
    ]
    return quote_conversation([*messages, {"role": "user", "content": question}], len(messages), question)


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("Can you tell me the rent of unit 3?", ""),
        ("Can you tell me the rent of unit 4?", ""),
        ("What did you say the rent of unit 3 is?", "500 EUR"),
        ("What did you say the rent of unit 4 is?", ""),
        ("Have you told me the rent of unit 3?", "500 EUR"),
        ("Can you tell me who signed the lease of the Harbour flat?", ""),
        ("Who did you say signed the lease of the Harbour flat?", ""),
        ("Who did you say signed the lease of the Quay flat?", "Ada Byron"),
        ("May I ask what the rent of the Harbour lease is?", ""),
        ("How do we tell the insurer about damage?", ""),
        ("What do I say to a customer about delays?", ""),
        ("What was the budget I mentioned?", "Our budget for the boat is 40,000 EUR."),
        ("Was hast du über die Miete der Hafenwohnung gesagt?", ""),
    ],
)
def test_what_was_said_is_quoted_where_it_is_asked_for(question: str, quoted: str) -> None:
    found = recall(question)
    assert (quoted in found) if quoted else found == ""


def test_of_a_long_answer_the_sentence_is_quoted_with_its_number() -> None:
    filler = "The quay was painted again in the spring by the harbour's own people. [7] " * 8
    answer = f"{filler}The bollards cost 18,400 EUR. [8] {filler}"
    assert recall("What did you say the bollards cost?", [("And?", answer)]) == "The bollards cost 18,400 EUR. [8]"
