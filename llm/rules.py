"""The rules' vote on a paragraph: which atoms it needs, and why (design §2.1, §2.3, §4 Classify).

Fast (a few milliseconds a paragraph; Presidio is loaded once, when first needed) and deterministic. Rules only ever add
labels. What a document says about itself can raise its labels and never lower them.

- Public: nothing found. A person's name by itself is not personal data.
- PII: contact details of a person, identity numbers, date of birth, a home address, or a named person together with
  pay, health, staff matters or an address.
- PII-Sensitive: government identity numbers, health and the other special categories, said of one person.
- Financial: amounts of money, financial figures, pay, bank and card details.
- Confidential: its own marks, legal privilege, deals that are not public. Internal: its own marks. Secret: credentials.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from entities.models.classification import CONFIDENTIAL, FINANCIAL, INTERNAL, PII, PII_SENSITIVE, SECRET
from llm.recognisers.findings import Finding, in_one_sentence, phrases
from llm.recognisers.health import find_health
from llm.recognisers.identifiers import find_identifiers
from llm.recognisers.marks import find_marks
from llm.recognisers.money import find_money, find_pay_talk
from llm.recognisers.people import find_people
from llm.recognisers.secrets import find_secrets

# Raised by a change of these rules, so that witnesses made with older rules do not match.
VERSION = 3
# Characters of a piece of an overlong text, and how far two pieces overlap.
PIECE, OVERLAP = 4_000, 400
BLANKS = re.compile(r"[^\S\n]{3,}")
BLANK_LINES = re.compile(r"\n\s*\n")


@dataclass(frozen=True)
class RuleVote:
    """atoms: labels this text needs at least, never Public. reasons: for people, without quoting the text."""

    atoms: frozenset[int]
    reasons: tuple[str, ...]


# Somebody in particular, who may be named in another paragraph.
SINGULAR = re.compile(
    r"\b"
    + phrases(
        r"""he; she; his; her; hers; him;
        my (?:\w+ ){0,2}(?:salary|pay|wages?|bonus|account|card|iban|gehalt|religion);
        your (?:\w+ ){0,2}salary (?:(?:will|shall) be|is); (?:ihr|sein)(?:e[mnrs]?)? gehalt; son salaire;
        su (?:salario|sueldo)"""
    )
    + r"\b",
    re.IGNORECASE,
)
HOME = re.compile(
    r"\b"
    + phrases(
        r"""lives?; lived; living; resid(?:es?|ed|ing|ence|ential); (?:home|private|my|billing) address; wohnhaft;
        (?:his|her|their) (?:\w+ )?address; domicili(?:ed|é|ado)"""
    )
    + r"\b",
    re.IGNORECASE,
)
COMPANY = re.compile(
    r"\b"
    + phrases(
        r"""inc; llc; llp; l\.?p; ltd; limited; gmbh; corp(?:oration)?; incorporated; plc; headquarter\w*;
        registered office; principal place; esq"""
    )
    + r"\b",
    re.IGNORECASE,
)
PREMISES = re.compile(
    r"\b"
    + phrases(
        """company; offices?; branch; warehouse; plant; factory; venue; hotel; restaurant; store; shop; site; depot;
        building; museum; station; university; school; hospital; bank; tower; cent(?:er|re); capital; distributor;
        supplier; licensee; attn; attention"""
    )
    + r"\b",
    re.IGNORECASE,
)
STAFF_MATTER = re.compile(
    r"\b"
    + phrases(
        r"""performance (?:review|improvement plan|rating); underperform\w*; disciplinary;
        (?:written|verbal) warning; misconduct; grievance; harass\w+; dismissal of; resignation of; work permit;
        immigration status; marital status;
        (?:was|were|been|be) (?:dismissed|fired|terminated|laid off|suspended|demoted); divorced?;
        emergency contact; (?:maternity|paternity|parental|sick|bereavement) leave;
        visa (?:status|application|expires); next of kin; maiden name; probation(?:ary)? period; references? check;
        background check; absent \d+ days"""
    )
    + r"\b",
    re.IGNORECASE,
)
HOTLINE = re.compile(
    r"\b"
    + phrases(
        r"""hotline; help ?desk; switchboard; reception; front desk; toll[\s-]?free;
        customer (?:service|support|care); support (?:line|desk); main (?:line|number|office); service desk;
        control room; emergency (?:number|services|line); zentrale"""
    )
    + r"\b",
    re.IGNORECASE,
)
FAX = re.compile(r"\b(?:fax|facsimile|telefax|telecopier)\b", re.IGNORECASE)
TOLL_FREE = re.compile(r"^\+?1?[\s.\-(]*8(?:00|33|44|55|66|77|88)\b|^0?800\b|^\+\d{2}\s?800\b")
NETWORK_ADDRESS = re.compile(r"\b(?:\d{1,3}\.){3}\d{1,3}\b")
DECLARED = {
    "internal": INTERNAL, "confidential": CONFIDENTIAL, "restricted": CONFIDENTIAL, "pii": PII, "personal": PII,
    "sensitive": CONFIDENTIAL, "financial": FINANCIAL, "secret": SECRET, "top secret": SECRET,
}  # fmt: skip


def rule_votes(text: str, lang: str = "en") -> RuleVote:
    """The atoms that rules find in one paragraph. `lang` (ISO 639-1) picks the national formats of phone numbers.

    A text longer than a paragraph can be is read in overlapping pieces, so that time grows with its length only.
    """
    text = BLANK_LINES.sub("\n\n", BLANKS.sub("  ", text))
    if len(text) <= PIECE:
        return _votes(text, lang)
    votes = [_votes(text[start : start + PIECE], lang) for start in range(0, len(text), PIECE - OVERLAP)]
    atoms = frozenset().union(*(vote.atoms for vote in votes))
    return RuleVote(atoms, tuple(dict.fromkeys(reason for vote in votes for reason in vote.reasons)))


def _votes(text: str, lang: str) -> RuleVote:
    reasons: dict[str, int] = {}
    people = find_people(text)
    identifiers = find_identifiers(text, lang)
    for vote in (
        _contact(text, identifiers, people),
        _identity(text, identifiers, people),
        _accounts(text, identifiers, people),
        _personal_matters(text, people, identifiers),
        _money(text, people),
        _marks(text),
    ):
        for atom, reason in vote:
            reasons.setdefault(f"{reason}|{atom}", atom)
    return RuleVote(frozenset(reasons.values()), tuple(dict.fromkeys(key.split("|")[0] for key in reasons)))


Votes = Iterable[tuple[int, str]]


def _contact(text: str, identifiers: list[Finding], people: list[Finding]) -> Votes:
    if any(f.kind == "email" for f in identifiers):
        yield PII, "e-mail address of a person"
    for finding in identifiers:
        if finding.kind == "phone" and not _is_company_phone(text, finding, people):
            yield PII, "phone number"
    if any(f.kind == "street" for f in identifiers) and (
        HOME.search(text) or people and not COMPANY.search(text) and not PREMISES.search(text)
    ):
        yield PII, "home address"


def _is_company_phone(text: str, phone: Finding, people: list[Finding]) -> bool:
    if TOLL_FREE.search(text[phone.start : phone.end]):
        return True
    if people or SINGULAR.search(text) or HOME.search(text):
        return False
    before = text[max(0, phone.start - 60) : phone.start]
    return bool(HOTLINE.search(before) or FAX.search(before[-25:]) or COMPANY.search(text))


def _identity(text: str, identifiers: list[Finding], people: list[Finding]) -> Votes:
    kinds = {f.kind for f in identifiers}
    if "government_id" in kinds:
        yield PII, "government identity number"
        yield PII_SENSITIVE, "government identity number"
    if "health_id" in kinds:
        yield PII, "patient or health insurance number"
        yield PII_SENSITIVE, "patient or health insurance number"
    if "born" in kinds:
        yield PII, "date of birth"
    if "personnel_id" in kinds:
        yield PII, "personnel number"
    if people and "licence" in kinds:
        yield PII, "licence number of a person"
    if people and NETWORK_ADDRESS.search(text):
        yield PII, "network address of a person"


def _accounts(text: str, identifiers: list[Finding], people: list[Finding]) -> Votes:
    kinds = {f.kind for f in identifiers}
    if "card" in kinds:
        yield FINANCIAL, "payment card number"
        yield PII, "payment card number"
    if "account" in kinds:
        yield FINANCIAL, "bank account"
        if people or SINGULAR.search(text):
            yield PII, "bank account of a person"


def _personal_matters(text: str, people: list[Finding], identifiers: list[Finding]) -> Votes:
    health = find_health(text)
    kinds = {f.kind for f in health}
    patient = any(f.kind == "health_id" for f in identifiers)
    if (
        "clinical" in kinds
        or (people or patient)
        and in_one_sentence(text, people, [f for f in health if f.kind == "health"])
    ):
        yield PII_SENSITIVE, "health of a person"
        if people:
            yield PII, "named person with health data"
    if "special" in kinds and (people or SINGULAR.search(text)):
        yield PII_SENSITIVE, "special category of personal data"
        if people:
            yield PII, "named person with sensitive data"
    if people and STAFF_MATTER.search(text):
        yield PII, "staff matter of a named person"


def _money(text: str, people: list[Finding]) -> Votes:
    money = find_money(text)
    kinds = {f.kind for f in money}
    if "amount" in kinds:
        yield FINANCIAL, "amount of money"
    if "figure" in kinds:
        yield FINANCIAL, "financial figure"
    if "periodic" in kinds:
        yield FINANCIAL, "regular payment"
        if people or SINGULAR.search(text):
            yield PII, "regular payment of a person"
    if "pay_figure" in kinds:
        yield FINANCIAL, "pay"
        if people or SINGULAR.search(text):
            yield PII, "pay of a person"
    elif people and in_one_sentence(text, people, find_pay_talk(text)):
        yield PII, "pay of a named person"
        yield FINANCIAL, "pay of a named person"


def _marks(text: str) -> Votes:
    for finding in find_marks(text):
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
            case declared:
                yield DECLARED[declared.removeprefix("declared:")], "states its own classification"
    if find_secrets(text):
        yield SECRET, "credential or key"
