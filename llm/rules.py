"""The rules' vote on a paragraph: which atoms it needs, and why (design §2.1, §2.3, §4 Classify).

Fast (a few milliseconds a paragraph; Presidio is loaded once, when first needed) and deterministic. Rules only ever add
labels. What a document says about itself can raise its labels and never lower them.

- Public: nothing found. A person's name by itself is not personal data.
- PII: contact details of a person, identity numbers, date of birth, a home address, or a named person together with
  pay, health, staff matters or an address.
- PII-Sensitive: government identity numbers, health, family matters and the other special categories, of one person.
- Financial: amounts of money, financial figures, pay, bank and card details.
- Confidential: its own marks, legal advice, deals, plans and disputes that others must not learn of.
- Internal: its own marks. Secret: credentials, and what says that only a few may know it.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from entities.models.classification import CONFIDENTIAL, FINANCIAL, INTERNAL, PII, PII_SENSITIVE, SECRET
from llm.recognisers import formats
from llm.recognisers.contact import COMPANY, HOME, is_company_phone, is_home, is_network_address_of_person
from llm.recognisers.findings import Finding, phrases, share_a_sentence
from llm.recognisers.health import find_health
from llm.recognisers.identifiers import find_identifiers
from llm.recognisers.marks import find_marks
from llm.recognisers.money import find_money, find_pay_talk
from llm.recognisers.names import find_names
from llm.recognisers.people import find_people, says_age
from llm.recognisers.questions import find_answers
from llm.recognisers.secrets import find_secrets
from llm.recognisers.spelling import read_spellings
from llm.recognisers.staff import ADDRESSED, PERSONAL_PAPER, find_staff_matters, pays_somebody

# Raised by a change of these rules, so that witnesses made with older rules do not match.
VERSION = 17
# Characters of a piece of an overlong text, and how far two pieces overlap.
PIECE, OVERLAP = 4_000, 400
BLANKS = re.compile(r"[^\S\n]{3,}")
BLANK_LINES = re.compile(r"\n\s*\n")


@dataclass(frozen=True)
class RuleVote:
    """atoms: labels this text needs at least, never Public. reasons: for people, without quoting the text. prose: those
    of the atoms that its words alone suggest, and nothing that has a form. amounts: those that sums of money alone do.
    """

    atoms: frozenset[int]
    reasons: tuple[str, ...]
    prose: frozenset[int] = field(default=frozenset(), compare=False)
    amounts: frozenset[int] = field(default=frozenset(), compare=False)


PROSE = frozenset(
    {
        "health of a person", "named person with health data", "special category of personal data",
        "named person with sensitive data", "staff matter of a named person",
    }
)  # fmt: skip
"""Reasons of recognisers that read what words say, which ordinary text says too."""
AMOUNTS = frozenset({"amount of money", "financial figure", "regular payment"})
"""Reasons that a published text gives as well: a price list, a tariff, an advertisement."""


# Somebody in particular, who may be named in another paragraph.
SINGULAR = re.compile(
    r"\b"
    + phrases(
        r"""he; she; his; her; hers; him; i got;
        my (?:\w+ ){0,2}(?:salary|pay|wages?|bonus|account|card|iban|gehalt|religion);
        your (?:\w+ ){0,2}salary (?:(?:will|shall) be|is); (?:ihr|sein)(?:e[mnrs]?)? gehalt; son salaire;
        su (?:salario|sueldo)"""
    )
    + r"\b",
    re.IGNORECASE,
)
DECLARED = {
    "internal": INTERNAL, "confidential": CONFIDENTIAL, "restricted": CONFIDENTIAL, "pii": PII, "personal": PII,
    "sensitive": CONFIDENTIAL, "financial": FINANCIAL, "secret": SECRET, "top secret": SECRET,
}  # fmt: skip


def vote_by_rules(text: str, lang: str = "en", before: str = "") -> RuleVote:
    """The atoms that rules find in one paragraph. `lang` (ISO 639-1) picks the national formats of phone numbers.
    before: the paragraph above it, which may ask for what this one gives.

    A text longer than a paragraph can be is read in overlapping pieces, so that time grows with its length only.
    """
    votes = []
    for piece in [piece for spelt in read_spellings(text) for piece in _split_pieces(_normalise_text(spelt))]:
        answers = tuple(dict.fromkeys(find_answers(piece, before)))
        found = RuleVote(frozenset(atom for atom, _ in answers), tuple(reason for _, reason in answers))
        votes += [_vote_on_piece(piece, lang), found]
        before = ""  # a question stands before the first piece only
    return merge_votes(votes)


def load_recognisers() -> None:
    """Loads the libraries, word lists and weights of the rules, which takes a second once a process. A process that
    others are forked from calls it first; everywhere else they are loaded when a text needs them."""
    vote_by_rules("Please call Ann Miller on +44 20 7946 0958, or write to her: ann.miller@example.org, 12 345 678.")


@lru_cache(maxsize=4096)
def vote_by_heading(heading: str) -> RuleVote:
    """What a heading declares for the text under it: a mark or a statement of a classification ("Confidential – for the
    board"), and nothing that it merely names (docs/adr/0037).
    """
    reasons: dict[str, int] = {}
    for atom, reason in _find_mark_votes(Reading(heading, [], [])):
        if reason in DECLARING:
            reasons.setdefault(f"under a heading {DECLARING[reason]}|{atom}", atom)
    return RuleVote(frozenset(reasons.values()), tuple(dict.fromkeys(key.split("|")[0] for key in reasons)))


DECLARING = {
    "marked internal": "marked internal",
    "marked confidential": "marked confidential",
    "marked secret": "marked secret",
    "states its own classification": "that states a classification",
    "legal advice": "marked as legal advice",
}


@dataclass(frozen=True)
class Reading:
    """A text and what was recognised in it. people: names that are certain to be some."""

    text: str
    people: list[Finding]
    identifiers: list[Finding]

    @cached_property
    def name_candidates(self) -> list[Finding]:
        """Names, those that only read like some as well: enough beside something that is said of people alone."""
        return [*self.people, *find_names(self.text)]

    @cached_property
    def kinds(self) -> frozenset[str]:
        return frozenset(finding.kind for finding in self.identifiers)

    @cached_property
    def is_about_one_person(self) -> bool:
        """Whether it speaks of one person without a name."""
        return SINGULAR.search(self.text) is not None


def _normalise_text(text: str) -> str:
    return BLANK_LINES.sub("\n\n", BLANKS.sub("  ", text))


def _split_pieces(text: str) -> list[str]:
    starts = range(0, len(text), PIECE - OVERLAP) if len(text) > PIECE else range(1)
    return [text[start : start + PIECE] for start in starts]


def merge_votes(votes: Sequence[RuleVote]) -> RuleVote:
    atoms, formed, counted = (
        frozenset().union(*found)
        for found in zip(*((v.atoms, v.atoms - v.prose, v.atoms - v.amounts) for v in votes), strict=True)
    )
    reasons = tuple(dict.fromkeys(reason for vote in votes for reason in vote.reasons))
    return RuleVote(atoms, reasons, atoms - formed, atoms - counted)


# The engine without a model asks for every paragraph once more, and where windows overlap a third time.
@lru_cache(maxsize=4096)
def _vote_on_piece(text: str, lang: str) -> RuleVote:
    reading = Reading(text, find_people(text), find_identifiers(text, lang))
    reasons: dict[str, int] = {}
    for recogniser in (
        _find_contact,
        _find_identity,
        _find_accounts,
        _find_personal_matters,
        _find_money_votes,
        _find_mark_votes,
    ):
        for atom, reason in recogniser(reading):
            reasons.setdefault(f"{reason}|{atom}", atom)
    found = [(key.split("|")[0], atom) for key, atom in reasons.items()]
    atoms = frozenset(reasons.values())
    formed, counted = ({atom for reason, atom in found if reason not in some} for some in (PROSE, AMOUNTS))
    return RuleVote(atoms, tuple(dict.fromkeys(reason for reason, _ in found)), atoms - formed, atoms - counted)


def forget_votes() -> None:
    """Texts are judged anew, where a recogniser was taken out."""
    for remembered in (_vote_on_piece, vote_by_heading):
        remembered.cache_clear()


Votes = Iterable[tuple[int, str]]


def _find_contact(read: Reading) -> Votes:
    if "email" in read.kinds:
        yield PII, "e-mail address of a person"
    for finding in read.identifiers:
        if finding.kind != "phone":
            continue
        of_person = (
            bool(read.people) or read.is_about_one_person or bool(HOME.search(read.text)) or bool(read.name_candidates)
        )
        if not is_company_phone(read.text, finding, of_person=of_person):
            yield PII, "phone number"
    if (read.is_about_one_person or read.name_candidates) and formats.HANDLE.search(read.text):
        yield PII, "name of a person in a network"
    if "street" in read.kinds and is_home(read.text, of_person=bool(read.name_candidates)):
        yield PII, "home address"


def _find_identity(read: Reading) -> Votes:
    kinds = read.kinds
    if "government_id" in kinds:
        yield PII, "government identity number"
        yield PII_SENSITIVE, "government identity number"
    if "health_id" in kinds:
        yield PII, "patient or health insurance number"
        yield PII_SENSITIVE, "patient or health insurance number"
    if "born" in kinds:
        yield PII, "date of birth"
    if says_age(read.text, read.people):
        yield PII, "age of a person"
    if "personnel_id" in kinds:
        yield PII, "personnel number"
    if "professional_id" in kinds or "licence" in kinds and read.name_candidates:
        yield PII, "licence or registration of a person"
    if is_network_address_of_person(read.text, of_person=bool(read.name_candidates)):
        yield PII, "network address of a person"


def _find_accounts(read: Reading) -> Votes:
    if "card" in read.kinds:
        yield FINANCIAL, "payment card number"
        yield PII, "payment card number"
    ending = formats.ENDING.search(read.text) and read.name_candidates
    if "account" in read.kinds or ending:
        yield FINANCIAL, "bank account"
        if ending or read.people or read.is_about_one_person or read.name_candidates and not COMPANY.search(read.text):
            yield PII, "bank account of a person"


def _find_personal_matters(read: Reading) -> Votes:
    text = read.text
    patient = "health_id" in read.kinds
    health = find_health(text, of_person=patient or bool(read.name_candidates))
    kinds = {f.kind for f in health}
    said = [f for f in health if f.kind == "health"]
    if "clinical" in kinds or said and (patient or share_a_sentence(text, read.name_candidates, said)):
        yield PII_SENSITIVE, "health of a person"
        if read.name_candidates:
            yield PII, "named person with health data"
    if "special" in kinds and (read.name_candidates or read.is_about_one_person):
        yield PII_SENSITIVE, "special category of personal data"
        if read.name_candidates:
            yield PII, "named person with sensitive data"
    if (read.name_candidates or ADDRESSED.search(text)) and find_staff_matters(text):
        yield PII, "staff matter of a named person"


def _find_money_votes(read: Reading) -> Votes:
    text = read.text
    money = find_money(text)
    kinds = {f.kind for f in money}
    if "amount" in kinds:
        yield FINANCIAL, "amount of money"
    if "figure" in kinds:
        yield FINANCIAL, "financial figure"
    if "periodic" in kinds:
        yield FINANCIAL, "regular payment"
        if read.people or read.is_about_one_person:
            yield PII, "regular payment of a person"
    if "pay_figure" in kinds:
        yield FINANCIAL, "pay"
        if read.is_about_one_person or read.name_candidates:
            yield PII, "pay of a person"
    if "people_pay" in kinds:
        yield FINANCIAL, "table of pay"
        yield PII, "table of pay"
    if "pay_figure" not in kinds and share_a_sentence(text, read.people, find_pay_talk(text)):
        yield PII, "pay of a named person"
        yield FINANCIAL, "pay of a named person"
    if money and PERSONAL_PAPER.search(text) and read.name_candidates:
        yield PII, "personal paper with amounts"
    elif money and pays_somebody(text, read.people or read.name_candidates, money):
        yield PII, "money of a named person"


def _find_mark_votes(read: Reading) -> Votes:
    for finding in find_marks(read.text):
        match finding.kind:
            case "internal":
                yield INTERNAL, "marked internal"
            case "confidential":
                yield CONFIDENTIAL, "marked confidential"
            case "deal":
                yield CONFIDENTIAL, "deal or measure that is not public"
            case "privilege":
                yield CONFIDENTIAL, "legal advice"
            case "secret_mark":
                yield SECRET, "marked secret"
            case "small_circle":
                yield SECRET, "known to a small circle only"
            case declared:
                yield DECLARED[declared.removeprefix("declared:")], "states its own classification"
    if find_secrets(read.text):
        yield SECRET, "credential or key"
