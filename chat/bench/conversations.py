"""Long conversations to measure memory on: made up, the same for the same seed, each with questions about it.

Every thing has the same properties as a dozen others, so a question is told from its neighbours by one name. A question
about it later is asked in other words than before. A third of what is asked was said where the name does not stand:
the turn before named it. Some was told by the person, and some questions need two turns.
"""

import random
from dataclasses import dataclass

PLACES = (
    "Harrow", "Tallis", "Brannock", "Merrow", "Solheim", "Gantry", "Lindow", "Aldersea", "Corvane", "Wexmoor", "Dunlin",
    "Pellmar", "Ostrava", "Farrow",
)  # fmt: skip
THINGS = ("Quay", "Depot", "Terminal", "Yard", "Bridge")
PEOPLE = (
    "Ingrid Moss", "Gareth Pell", "Lena Wrona", "Tomas Achterberg", "Jane Miller", "Piet Havel", "Ruth Okafor",
    "Milan Kranz",
)  # fmt: skip
MONTHS = ("March", "April", "May", "June", "October")

PROPERTIES = (
    # (asked, answered, asked in passing, asked later)
    ("What is the liability cap of {x}?", "The cap on liability is {money}.", "And the liability cap?",
     "How much is liability limited to at {x}?"),
    ("When does the lease of {x} end?", "The lease ends on {date}.", "When does its lease end?",
     "What did we find about when {x}'s lease runs out?"),
    ("Who signed the contract for {x}?", "It was signed by {person}.", "Who signed it?",
     "Whose signature is on the contract of {x}?"),
    ("What is the rent of {x}?", "The rent is {money} a year.", "How high is the rent?",
     "Remind me what rent is paid for {x}."),
    ("How long is the notice period for {x}?", "Notice must be given {n} days before.", "What notice must be given?",
     "How many days of notice did you say {x} needs?"),
    ("Who insures {x}?", "{person} Mutual insures it, to {money}.", "Who is the insurer?",
     "Which company is the insurance of {x} with?"),
    ("What deposit was paid for {x}?", "A deposit of {money} was paid.", "Was a deposit paid?",
     "What was the security deposit at {x} again?"),
    ("When was {x} inspected?", "The last inspection was on {date}.", "When was the last inspection?",
     "On which day was {x} last inspected?"),
    ("Which penalty is agreed for delay at {x}?", "The penalty is {money} for each week of delay.",
     "What is the penalty?",
     "What does a late week cost at {x}?"),
    ("How many berths does {x} have?", "It has {n} berths.", "How many berths are there?",
     "What was the number of berths at {x}?"),
    ("Who manages {x}?", "The site manager is {person}.", "Who manages the site?",
     "Who did we say is in charge as manager of {x}?"),
    ("What do repairs at {x} cost?", "Repairs are estimated at {money}.", "What will repairs cost?",
     "What was the estimate for repairing {x}?"),
    ("When is the next payment for {x} due?", "The next payment is due on {date}.", "When is it to be paid?",
     "When must we pay for {x} next?"),
    ("Which warranty covers the cranes at {x}?", "The cranes are under warranty until {date}.", "Is there a warranty?",
     "Until when are {x}'s cranes covered by their warranty?"),
)  # fmt: skip
TOLD = (
    ("For {x} my own limit is {money}, keep that in mind.", "Noted: {money} for {x}.",
     "What limit did I set myself for {x}?"),
    ("I meet {person} about {x} on {date}.", "Good to know.", "Whom am I meeting about {x}, and when?"),
    ("{person} told me that {x} is to be sold.", "I find nothing about a sale in the documents.",
     "Who said that {x} would be sold?"),
)  # fmt: skip
IDLE = (
    ("Thanks, that helps.", "You are welcome."),
    ("Can you say that more briefly?", "The documents of this record say so in one clause, which is quoted above."),
    (
        "What is this record about?",
        "It is about the leases of the harbour and their annexes, and letters of tenants.",
    ),
    ("Is there anything newer?", "The newest file is a letter about works on the access road."),
    ("Which documents did you read?", "The lease, its two annexes, and the minutes of the last meeting of the board."),
)


@dataclass(frozen=True)
class RecallQuestion:
    """A question about what was said. turns: numbers, from 1, of those that answer it. kind: of the question."""

    text: str
    turns: tuple[int, ...]
    kind: str


@dataclass(frozen=True)
class Conversation:
    """turns: pairs of a question and its answer. before: the turns that are out of the prompt when it is asked."""

    turns: list[tuple[str, str]]
    asked: list[RecallQuestion]


def make_conversation(seed: int, turns: int) -> Conversation:
    """A conversation of about `turns` turns. A thing's property is said once."""
    chance = random.Random(seed)
    made: list[tuple[str, str]] = []
    asked: list[RecallQuestion] = []
    things = [f"{place} {thing}" for place in PLACES for thing in THINGS]
    chance.shuffle(things)
    # Of a long conversation further ones are told apart by a number.
    names = [*things, *(f"{thing} {n}" for n in range(2, 2 + turns // 300) for thing in things)]
    of_rent: list[tuple[str, int]] = []
    for x in names:
        if len(made) >= turns:
            break
        properties = chance.sample(PROPERTIES, 5)
        for n, (question, answer, passing, later) in enumerate(properties):
            hidden_name = n > 0 and chance.random() < 0.5
            made.append(((passing if hidden_name else question).format(x=x), _fill(answer, chance, x)))
            asked.append(RecallQuestion(later.format(x=x), (len(made),), "in passing" if hidden_name else "named"))
            if "rent" in question and not hidden_name:
                of_rent.append((x, len(made)))
            if chance.random() < 0.3:
                made.append(chance.choice(IDLE))
        if chance.random() < 0.4:
            question, answer, later = chance.choice(TOLD)
            values = _choose_values(chance, x)
            made.append((question.format(**values), answer.format(**values)))
            asked.append(RecallQuestion(later.format(x=x), (len(made),), "told"))
    for (x, first), (y, second) in zip(of_rent[::2], of_rent[1::2], strict=False):
        asked.append(
            RecallQuestion(f"Which rent was higher, that of {x} or that of {y}?", (first, second), "two turns")
        )
    return Conversation(made, asked)


def _choose_values(chance: random.Random, x: str) -> dict[str, str]:
    return {
        "x": x,
        "money": f"{chance.randint(12, 990) * 1000:,} euros",
        "date": f"{chance.randint(1, 28)} {chance.choice(MONTHS)} {chance.randint(2024, 2033)}",
        "person": chance.choice(PEOPLE),
        "n": str(chance.randint(4, 90)),
    }


def _fill(template: str, chance: random.Random, x: str) -> str:
    return f"{template.format(**_choose_values(chance, x))} [citation:{chance.randint(1, 40)}]"
