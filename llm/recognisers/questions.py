"""Answers whose meaning stands in the question before them: "Date of birth?", and in the next line "1965-11-04".

A deposition, a form and a chat ask for an attribute and give it in another line or another paragraph, where nothing
but a date or a number is left. The question, or a label that stands by itself, says what the answer is.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from entities.models.classification import FINANCIAL, PII, PII_SENSITIVE, SECRET
from llm.recognisers.columns import find_cells
from llm.recognisers.contact import COMPANY
from llm.recognisers.figures import MONTH
from llm.recognisers.findings import phrases
from llm.recognisers.names import find_names
from llm.recognisers.people import AGE, find_people

MAX_QUESTION_CHARACTERS = 200
MAX_LABEL_WORDS = 6
MAX_ANSWER_CHARACTERS = 160
SPEAKER = re.compile(r"^\s*(?:[-*>•]\s*)?(?:[A-Z][\w.'’ ]{0,24}:|[QA]\.)\s*")
ASKED_BY = re.compile(r"^\s*(?:[-*>•]\s*)?(?:Q|Question|Frage)\s?\d*[.:]")
NO_ANSWER = re.compile(
    r"\W*(?:" + phrases("no; none; not; never; n/a; nil; nothing; unknown; i (?:do not|don['’]t); see; tbd; tbc")
    + r"\b|\W*$)",
    re.IGNORECASE,
)  # fmt: skip
DATE = (
    rf"(?:\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{1,4}}|\d{{1,2}}(?:st|nd|rd|th)?\.?\s+(?:of\s+)?{MONTH}\.?,?\s+\d{{2,4}}"
    rf"|{MONTH}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{2,4}}|\b\d{{1,2}}\.?\s+(?:de\s+)?[^\W\d_]{{3,12}}\s+(?:de[l]?\s+)?\d{{4}}"
    r"|\b(?:19[2-9]|20[01])\d\b)"
)
ANYTHING = r"[^\W_]"
NOT_HOMES = ("company", "office", "registered", "delivery", "site", "web", "ip", "mail")
OF_A_FIRM = "".join(rf"(?<!{word}\W)" for word in NOT_HOMES) + r"(?<!company['’]s\W)(?<!firm['’]s\W)"


@dataclass(frozen=True)
class Attribute:
    """What a question may ask for. answer: what the beginning of the answer has to contain."""

    question: re.Pattern[str]
    answer: re.Pattern[str]
    atoms: tuple[int, ...]
    reason: str


def _declare(question: str, answer: str, atoms: tuple[int, ...], reason: str) -> Attribute:
    asked = re.compile(r"(?<!\w)" + phrases(question) + r"(?!\w)", re.IGNORECASE)
    return Attribute(asked, re.compile(answer, re.IGNORECASE), atoms, reason)


ATTRIBUTES = (
    _declare(
        """date of birth; birth ?date; d\\.?o\\.?b\\.?; birthday; bday; born; geburts(?:datum|tag);
        data de nascimento; födelsedatum; fødselsdato; geburtstag; geboren;
        date de naissance; née? le; fecha de nacimiento; data di nascita; geboortedatum""",
        DATE, (PII,), "date of birth",
    ),
    _declare("how old (?:are|is|was); (?:your|his|her) age; age",
               rf"^\W*+\w{{0,12}}\W+(?:\w{{1,6}}\W*)?\d{{1,2}}\b|^\W*\d{{1,2}}\b|^\W*(?:\w+\s+){{0,2}}{AGE}",
               (PII,), "age of a person"),
    _declare(
        OF_A_FIRM + """address; (?:you|he|she|they) (?:\\w+ )?(?:live|reside|stay|living|residing|staying|based);
        (?:current |permanent )?residence;
        street and (?:house )?(?:number|no\\.?);
        wohn(?:en|haft|st|t); (?:privat)?anschrift; adresse; direcci[oó]n; domicil\\w*; indirizzo; adres""",
        r"(?<![^\n@])(?![^\n@]*@)(?=[^\n]*\d)(?=[^\n]*[^\W\d_]{3})", (PII,), "home address",
    ),
    _declare(
        """(?:tele)?phone(?: number)?; mobile(?: number)?; cell(?: ?phone)?(?: number)?;
        (?:callback|contact|daytime|evening) (?:tele)?(?:phone|number);
        welche[rn]? nummer; number (?:can|should|do|may) (?:we|i); number to (?:call|ring); whats\\s?app; móvil;
        portable;
        number (?:to reach|for)
        (?:you|him|her); reach (?:you|him|her); telefon(?:nummer)?; handy(?:nummer)?; téléphone; teléfono""",
        r"\d(?:[ ().\-/]{0,2}\d){6}", (PII,), "phone number",
    ),
    _declare(
        """medications?; medicines?; prescri(?:bed|ptions?); (?:you|he|she) (?:still |currently )?(?:taking|take|takes);
        diagnos(?:is|es|ed|e); (?:medical|health) (?:conditions?|history|problems?); symptoms?; illness(?:es)?;
        allerg(?:y|ies); disabilit(?:y|ies); medikamente?; krankheiten; vorerkrankungen; allergien; médicaments?;
        maladies?; blood (?:type|group); (?:anything|something|nothing) medical; (?:taking|on) anything; pregnan\\w+;
        (?:cause of death|reason for (?:the |your |his |her )?(?:absence|sick leave|leave)|current medication);
        (?:you|he|she|any|your) (?:\\w+ ){0,3}(?:chronic|pre-existing) \\w+;
        ^(?:chronic|pre-existing) (?:illness(?:es)?|conditions?)\\W*$; (?:any|had) (?:operations?|surger(?:y|ies));
        impairments?; (?:the|your) doctor say;
        befund; allergies?; médicaments?; enfermedad(?:es)?; medicación;
        (?:you|he|she) (?:\\w+ ){0,3}(?:treated for|hospitali[sz]ed|suffer\\w*|pregnant|disabled|in therapy)""",
        ANYTHING, (PII_SENSITIVE,), "health of a person",
    ),
    _declare(
        """social security(?: number| no\\.?)?; ssn; passport(?: (?:number|no\\.?))?; pass-?(?:nummer|nr\\.?);
        tax (?:id|number|no\\.?); national (?:id|insurance|identity)
        ?(?:card|number|no\\.?)?; identity (?:card|number); tax(?:payer)? (?:id|number); tin; driver['’]?s? licen[cs]e
        ?(?:number|no\\.?)?; personalausweis(?:nummer)?; reisepass(?:nummer)?; steuer-?id; sozialversicherungsnummer;
        (?:of|on) (?:your|his|her) social; numéro de sécurité sociale; dni; nif""",
        r"^\W*(?:\w+\W+){0,3}\d{4}\W*$|\b(?=(?:[^\n\d]{0,60}\d){4})[A-Z0-9][A-Z0-9 .\-/]{4,}",
        (PII, PII_SENSITIVE), "government identity number",
    ),
    _declare(
        """(?:employee|staff|personnel|payroll|member(?:ship)?|patient|badge|licen[cs]e|npi|bar|student|(?:\\w+ )?plate)
        (?:id|number|no\\.?); (?:licen[cs]e|number) plate; plate of (?:your|his|her) \\w+;
        npi; dea; mrn; medical record(?: number)?; personalnummer; matricule""",
        r"\b(?=[A-Z\-]*\d{2})[A-Z0-9\-]{3,}|\b[A-Z]{1,3}[- ]?\d{1,4}\b", (PII,), "personnel number",
    ),
    _declare("(?:your|his|her) ip(?: address)?; ip address (?:do|does|did) (?:you|he|she)", r"(?:\d{1,3}\.){3}\d",
               (PII,), "network address of a person"),
    _declare(
        """(?:your|his|her|current|base|annual|monthly) (?:\\w+ )?(?:salary|pay|wages?|income|bonus|compensation);
        (?:you|he|she|they) (?:\\w+ )?(?:earn|make|paid|earning|making); (?:want|expect|like) to (?:earn|make|be paid);
        (?:annual|yearly|monthly|gross|net|household) (?:income|pay|salary); salary(?: expectations?)?; gehalt\\w*;
        salaire;
        verdien\\w+; sueldo; stipendio""",
        r"\d{2,3}[.,'’ ]?\d{3}|\d+\s?k\b|\d{3,}", (PII, FINANCIAL), "pay of a person",
    ),
    _declare(
        """(?:bank )?account(?: number| no\\.?| details)?; iban; sort code; bank details; (?:credit |debit )?card
        number; which (?:account|card); (?:pay|transfer) (?:it |that |them )?(?:in)?to; kontonummer; bankverbindung;
        numéro de compte""",
        r"(?:\d[ \-]?){6,}|\b[A-Z]{2}\d\d", (PII, FINANCIAL), "bank account of a person",
    ),
    _declare(
        """(?:your|his|her) (?:religion|faith|sexual orientation|ethnic(?:ity| origin)|political (?:views|party));
        religion; faith; denomination; confession; sexual orientation; ethnic(?:ity| group| origin);
        criminal (?:record|convictions?);
        previous convictions?; konfession; political party; union member(?:ship)?;
        member of (?:an?|the|any) (?:\\w+ )?(?:union|church|party);
        (?:you|he|she) (?:ever )?(?:been )?(?:convicted|arrested|in prison); (?:union|party) member; konfession""",
        ANYTHING, (PII, PII_SENSITIVE), "special category of personal data",
    ),
    _declare(
        """emergency contact; next of kin; marital status; maiden name; familienstand; notfallkontakt; spouse;
        (?:are|is|were|was) (?:you|he|she) (?:\\w+ )?(?:married|divorced|single|widowed);
        (?:you|he|she) (?:have|got) (?:any )?(?:children|kids); civil status; number of children; état civil;
        (?:spouse|wife|husband|partner|mother|father|guardian|next of kin)['’]?s? (?:names?|maiden name);
        (?:your|his|her) (?:wife|husband|spouse|children)(?:['’]s)?(?: names?)?""",
        r"[^\W\d_]{3}", (PII,), "family of a person",
    ),
    _declare(
        """password; passphrase; passcode; pin(?: code| number)?; (?:access|door|gate|alarm|safe|entry) code;
        code (?:for|to|of) (?:the|our) [\\w ]{3,20};
        pass(?:wd)?; pw; get in(?:to)?(?: the [\\w ]{3,20})?; api key;
        secret key; token; passwort; kennwort; mot de passe; contraseña""",
        r"^\W{0,3}(?:it['’]?s\s+|it\s+is\s+|is\s+|(?:the\s+)?\w+\s+is\s+)?[\"'“‘`]?(?=\S*[\d#!$%&*+@?_])(?=\S*\w)\S{4,60}"
        r"[\"'”’`]?[.!]?\s*$", (SECRET,), "credential or key",
    ),
)  # fmt: skip
# Heads that say something of a person in a row alone.
COLUMNS = (
    _declare(
        "gross; net; (?:day |hourly )?rate; old; new; pay; salary; bonus; amount; brutto; netto; package; increase",
        r"^\W*\d{2,3}[\d.,'’ ]*k?\b", (PII, FINANCIAL), "pay of a person",
    ),
    _declare("(?:sick|absence) ?days?; reason; diagnos[ei]s?; condition; therapy; treatment; krankheitstage",
               ANYTHING, (PII, PII_SENSITIVE), "health of a person"),
    _declare(
        """warnings?(?: issued)?; disciplinary; rating; performance; (?:result of )?interview; decision; absences?;
        notice;
        leave; nationality; e-?mail; grade; marks?; fehltage; abmahnung(?:en)?""",
        ANYTHING, (PII,), "staff matter of a named person",
    ),
)  # fmt: skip
# A question about how to do something is no question for the thing.
GIVE = "(?:give|tell|confirm|state|send|read|repeat|spell|verify|provide|specify|enter|list|name|indicate|share)"
ORDERED = re.compile(
    rf"^\W*(?:(?:please|and|now|bitte|kindly)\W+){{0,2}}{GIVE}\b[^\n]{{0,20}}\b(?:your|his|her|the|all|current)\b", re.I
)
"""A question that is an order: "Please state your date of birth for the record."."""
ABOUT = re.compile(
    r"^\W*(?:[QA][.:]\s*)?" + phrases(
        f"""how (?:do|can|to|should|often|long|does|many|much)(?!(?: do| does| did| were| was| are| is)? (?:you|he|she)
        (?:earn|make|paid)|(?: do| can) (?:i|we) get in); why;
        (?:can|could)(?! (?:(?:i|we) (?:get|have|take)|you (?:please |also |just )?{GIVE})\\b); should;
        is there; are there; does the; do we; did we; will; who; when (?:do|will|is|can|should); where
        (?:do|can|is) (?:i|we|the);
        what if; what happens; wie(?! (?:ist|lautet|alt)\\b); warum; comment; pourquoi"""
    ) + r"\b",
    re.IGNORECASE,
)  # fmt: skip


def find_answers(text: str, before: str = "") -> Iterator[tuple[int, str]]:
    """The atoms of answers in `text`, and why. before: the paragraph above, whose last line may be the question."""
    lines = [line for line in text.split("\n") if line.strip()][:400]
    above = [line for line in before[-2 * MAX_QUESTION_CHARACTERS :].split("\n") if line.strip()][-1:]
    for question, answer in zip([*above, *lines], [*lines[:1] * len(above), *lines[1:]], strict=False):
        yield from _find_answers(question, answer)
    for line in lines:
        question, mark, answer = line.partition("?")
        if mark and answer.strip():
            yield from _find_answers(question + mark, answer)
    named: dict[str, bool] = {}
    for head, cell, row in find_cells(text):
        if row not in named:
            named[row] = not COMPANY.search(row) and bool(find_people(row) or find_names(row))
        if named[row]:
            yield from _find_answered(head, cell, (*ATTRIBUTES, *COLUMNS))


def _find_answers(question: str, answer: str) -> Iterator[tuple[int, str]]:
    if _asks(question):
        yield from _find_answered(question, answer, ATTRIBUTES)


def _find_answered(question: str, answer: str, attributes: Iterable[Attribute]) -> Iterator[tuple[int, str]]:
    given = SPEAKER.sub("", answer, count=1)[:MAX_ANSWER_CHARACTERS]
    if given.rstrip().endswith("?") or NO_ANSWER.match(given):
        return
    for attribute in attributes:
        if attribute.question.search(question) and attribute.answer.search(given):
            for atom in attribute.atoms:
                yield atom, attribute.reason


def _asks(line: str) -> bool:
    """Whether a line is a question for something, or a label by itself ("Date of birth")."""
    line = line.strip()
    if len(line) > MAX_QUESTION_CHARACTERS or ABOUT.match(line):
        return False
    if line.rstrip("\"'”’*_ ").endswith("?") or ASKED_BY.match(line) or ORDERED.match(SPEAKER.sub("", line)):
        return True
    bare = line.strip("*#_|- ")
    return len(bare.split()) <= MAX_LABEL_WORDS and (bare.endswith(":") or not re.search(r"[.,;!\d:]", bare))
