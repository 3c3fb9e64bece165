"""Paragraphs made from templates: ordinary ones of seven genres, and leaks in the forms that people write them.

All people, firms, places and numbers are invented. The same template always falls into the same half, so that what is
learned from one half has never met the sentences of the other.
"""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from string import Formatter

from ingestion.evaluation.sets import Split
from text.words import words

ORDINARY = Path(__file__).with_name("ordinary_templates.tsv")
LEAKS = Path(__file__).with_name("leak_templates.jsonl")
WORDS = {
    "first": words(
        """Anna Bram Chloe Dario Elin Farid Greta Hugo Ines Jonas Karin Liam Mona Nils Olga Piet Rosa Sven Tara"""
    ),
    "last": words(
        """Abbas Brandt Costa Dahl Eriksen Fontaine Gruber Hofer Ivanov Jansen Keller Moreau Novak Okoye Pell"""
    ),
    "place": words(
        """Skerrow Aldmouth Brennick Carrowby Delaware Eastmere Falkirk Grantham Hollin Ipswich Kelby Lorne Marstow"""
    ),
    "thing": words(
        """schedule drawing pump draft survey manual agenda pontoon gate proposal slide-deck cable roof valve"""
    ),
    "project": words("Kestrel Lantern Tideway Orchard Beacon Harbour-Two Northgate Sandpiper"),
    "weekday": words("Monday Tuesday Wednesday Thursday Friday"),
    "domain": words("mail.example kelby.example post.example home.example"),
    "condition": words("diabetes epilepsy depression asthma hepatitis arthritis"),
    "password": words("blue-Harbour77 Tide_4711! wet+feather9 Gulls2030# k1te-Runner"),
    "passport": words("C01X00T47 X4471820P 553219087 P9B124909"),
    "card": words("4111-1111-1111-1111 5555-5555-5555-4444 4000-0000-0000-0002"),
}
FIRMS = (
    "Harbour & Vale Engineering", "Brannock Steelworks Ltd", "Ferrow Marine LLC", "Kelby Foods GmbH",
    "Lorne Timber plc", "Northgate Bank", "Aldmouth University", "Corvid Systems, Inc.",
)  # fmt: skip
MONTHS = ("January", "March", "April", "June", "July", "September", "October", "December")
STREETS = ("Elm Street", "Harbour Road", "Quay Lane", "Birch Way", "Mill Court")
FOREIGN = (
    "Lindenstraße {}, 20099 Hamburg", "{} rue du Port, 29200 Brest", "Calle Mayor {}, 28013 Madrid",
    "ul. Długa {}, 00-238 Warszawa", "Via Garibaldi {}, 16124 Genova", "Storgatan {}, 411 38 Göteborg",
)  # fmt: skip
DRUGS = ("Metformin 500mg", "Lisinopril 10mg", "Sertraline 50 mg", "Omeprazole 20mg", "Levothyroxine 75mcg")


@dataclass(frozen=True)
class Ordinary:
    """A paragraph that everybody may read. genre: contract, handbook, report, minutes, mail, chat or technical."""

    genre: str
    text: str
    split: Split
    template: str


@dataclass(frozen=True)
class Leak:
    """A paragraph that needs labels, by their names. before: the paragraph above it. kind: how it tells."""

    kind: str
    before: str
    text: str
    labels: tuple[str, ...]


@cache
def load_ordinary_paragraphs(count: int = 8) -> Sequence[Ordinary]:
    """Up to `count` different paragraphs of each template, in their order."""
    found: dict[str, Ordinary] = {}
    for line in ORDINARY.read_text(encoding="utf-8").splitlines():
        genre, _, template = line.partition("\t")
        split: Split = "held" if sha256(template.encode()).digest()[0] % 3 == 0 else "dev"
        template = template.replace("\\n", "\n")
        for text in _fill_template(template, count):
            found.setdefault(text, Ordinary(genre, text, split, template))
    return tuple(found.values())


@cache
def list_leaks(count: int = 6) -> Sequence[Leak]:
    """Up to `count` different leaks of each template, in their order."""
    found: dict[tuple[str, str], Leak] = {}
    for line in LEAKS.read_text(encoding="utf-8").splitlines():
        given = json.loads(line)
        for joined in _fill_template(given["before"] + "\0" + given["text"], count):
            before, _, text = joined.partition("\0")
            found.setdefault((before, text), Leak(given["kind"], before, text, tuple(given["labels"])))
    return tuple(found.values())


def _fill_template(template: str, count: int) -> Iterator[str]:
    source = random.Random(template)
    for _ in range(count):
        yield "".join(
            literal + (_choose_value(name, source) if name else "") for literal, name, *_ in Formatter().parse(template)
        )


def _choose_value(name: str, source: random.Random) -> str:
    """A value for a slot. Raises: KeyError for one that does not exist."""
    if name in WORDS:
        return source.choice(sorted(WORDS[name]))
    digits = "".join(source.choice("123456789") for _ in range(10))
    year, month, day = source.randint(1940, 2004), source.randint(1, 12), source.randint(1, 28)
    values = {
        "person": f"{_choose_value('first', source)} {_choose_value('last', source)}",
        "firm": source.choice(FIRMS),
        "date": f"{day} {source.choice(MONTHS)} 2026",
        "n": str(source.randint(2, 90)),
        "iso": f"{year}-{month:02}-{day:02}",
        "german": f"{day:02}.{month:02}.{year}",
        "born": f"{day} {source.choice(MONTHS)} {year}",
        "street": f"{source.randint(1, 900)} {source.choice(STREETS)}, Skerrow",
        "foreign": source.choice(FOREIGN).format(source.randint(1, 90)),
        "drug": source.choice(DRUGS),
        "ssn": f"{source.randint(101, 665)}-{source.randint(10, 99)}-{digits[:4]}",
        "phone": f"+1 (555) {digits[:3]}-01{digits[3:5]}",
        "pay": f"{source.randint(31, 98)},{digits[:3]}",
        "account": digits,
        "code": digits[:4],
    }
    return values[name]
