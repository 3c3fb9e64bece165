"""Names of people, without a trained model: given names, forms of address, labels, and who does what.

A lone name is not personal data here; the rules ask whether a person is named next to something about them. So a missed
name matters less than a company taken for a person.
"""

import re
from functools import cache, lru_cache
from pathlib import Path

from llm.recognisers.findings import Finding, matches, phrases
from text.words import words

WORD = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*")

# Given names that are also words, months, places or brands: they need a family name after them.
AMBIGUOUS = words(
    """an april art asia austin bill bo brent can chad chase chelsea crystal dag daisy dale dallas dawn dean dolores
    faith florence gene georgia glen glenn grace grant guy hang hazel heath hope iris israel ivy jordan joy june kai
    kent kiran liv logan long luz madison marina mark mason max may mercedes min miles mina my olive om page paris
    pat paz pearl per ping ren rich robin roman rose ross san sky son soledad sora sun sunday sydney taiwo tal tan
    tor trinidad uma van viet violet virginia will wei yan yang yong yun victoria lincoln warren wilson carter
    spencer lewis harris clay cliff dion noor nana major ami ion eden rio axel ola ole siri sari pia tien trang anh
    dong feng jun ming shan yu zhi fei fang hong hua jie jing lan lei qiang tao wen xin xu ying yuan yue zheng thu
    hoa hai hue ade ama fola dian indah putra putri chi le dung nam nga raj ram rama jaya kamal santos surya uday
    usha amal aya hind huda reem said sana amber leo rex nova echo alexa cortana iga can ece efe derya deniz umut
    barış bas roos floor rik jo al ed don"""
)

# A capitalised word after a given name that shows it to be a place, a firm or a thing.
NOT_SURNAMES = words(
    """act agreement airlines airport app apps arena association avenue award bank bay beach board boulevard bridge
    building business calendar capital center centre chapter church city class clause cloud club co college
    committee company conference contract corp corporation council county court creek data day department design
    details division drive electronics energy engine engineering enterprise enterprises estate exhibit expo express
    factory farm festival finance financial firm food foods foundation framework free fund gallery garden gmbh group
    guide hall harbor harbour health high hill hills holding holdings hospital hotel house identity inc inn
    institute insurance international island journal kit lab laboratories labs lake lane law library license limited
    llc llp logistics ltd management manual manufacturing market media meeting memorial mission monday mountain
    museum news north office oil order park partner partners payroll phase pier place plan plant platform plaza plc
    plus point policy port power prize product products program project purchase quarter railway release report
    republic research resort resources restaurant review river road room sa sarl school science section security
    self server service services shop site society software solutions south square staff standard state station
    store street studio studios suite summit supply support system systems table tax team technologies technology
    territory test tool tools tower trade traders trading trail training trust tuesday university valley version
    village vision wall warehouse water way west work works world ag bv nv oy ab as aps srl spa sas kg ev und the
    and of in on at for to from with is was are were has have had shall will may must can january february march
    april june july august september october november december saturday sunday wednesday thursday friday states
    kingdom union america europe asia africa"""
)

FAMILY_NAMES = words("hall hill lane west day park")
"""Of NOT_SURNAMES, those that are among the commonest family names as well."""
FUNCTION_WORDS = words("the and of in on at for to from with is was are were has have had shall will may must can")
PARTICLES = words("de del della der den di da do dos van von zu ten ter la le el al bin ibn af av o' mac mc st")

TITLE = phrases(
    """Mr; Mrs; Ms; Miss; Mx; Dr; Prof; Professor; Sir; Dame; Madam; Herrn?; Frau; Monsieur; Madame; Mme; Mlle;
    Señora?; Sra?; Signora?; Dott; Dña; Dhr; Mevr"""
)
NAME = r"[^\W\d_a-zß-öø-ÿ][\w'’\-]+"
HONORIFIC = re.compile(rf"(?<![\w.]){TITLE}\b\.?\s+(?P<hit>{NAME}(?:\s+{NAME}){{0,2}})")
STREET_BEFORE = re.compile(r"\d[\w ]{0,40}$")
LABELLED = re.compile(
    r"\b"
    + phrases(
        r"""(?:(?:full|legal|first|last|maiden) )?name; surname; employees?; employee name; patient; pt; candidate;
        applicant; tenant; resident; client; customer; plaintiff; defendant; witness; claimant; deponent; insured;
        policyholder; borrower; beneficiary; guardian; next of kin; emergency contact; account holder; cardholder;
        spouse; nominee; consultant; assignee; attn; attention; physician; nombre; nom; naam; paciente; empleado;
        mitarbeiter(?:in)?; patientin; salarié"""
    )
    + rf"\s*[:=#]\s*(?:{TITLE}\.?\s+)?(?P<hit>{NAME}(?:,?\s+(?:[A-Z]\.\s*)?{NAME}){{1,3}})",
    re.IGNORECASE,
)
INTRODUCED = re.compile(
    r"(?:\b[Mm]y name is|\b[Tt]his is|\bI,|\bI am|\bI['’]m|\b[Tt]he undersigned,|\b[Nn]amed|\b[Ee]mployee|\b[Pp]atient"
    rf"|\b[Cc]andidate|\b[Cc]olleague)\s+(?P<hit>{NAME}(?:\s+{NAME}){{1,2}})"
)
BELONGINGS = phrases(
    """salary; pay; bonus; wages?; compensation; remuneration; home; wife; husband; spouse; daughter; son; doctor;
    diagnosis; illness; birthday; passport; performance; leave; raise; severance"""
)
EVENTS = phrases(
    r"""earns; earned; was born; lives; lived; resides; resided; suffers; was diagnosed; has been diagnosed;
    is pregnant; was hired; was dismissed; resigned; is on sick leave; got a raise;
    received a (?:bonus|raise|warning)"""
)
# Two capitalised words that own, do or suffer something that only a person does.
PERSONAL = re.compile(
    rf"(?<![.\w]\s)(?P<hit>(?<!\w){NAME}\s+(?:[A-Z]\.\s*)?{NAME})"
    rf"(?=['’]s\s+(?:\w+\s+){{0,2}}{BELONGINGS}\b"
    r"|\s*(?:,\s*(?:aged\s+)?\d{2}\s*,|\(\s*(?:age|aged|born|b\.)\s)"
    rf"|,?\s+(?:who\s+)?{EVENTS}\b)"
)
JOB = phrases(
    """engineers?; managers?; directors?; officers?; forem[ae]n; technicians?; accountants?; clerks?; secretary;
    assistants?; supervisors?; superintendents?; surveyors?; analysts?; developers?; designers?; nurses?; teachers?;
    drivers?; operators?; inspectors?; coordinators?; administrators?; electricians?; welders?; apprentices?; interns?;
    trainees?; colleagues?"""
)
WHOSE = r"(?:the|our|their|its|a|an)"
PAIR = rf"{NAME}\s+(?:[A-Z]\.\s*)?{NAME}"
# Two capitalised words whose pay it is, or who have a job: "the pay of the site manager, Jo Marsh".
PAID = re.compile(
    rf"\b(?i:salary|pay|bonus|wages?|remuneration|severance|pension)\s+(?:of|for)\s+"
    rf"(?:{WHOSE}\s+(?:[a-z][\w\-]*,?\s+){{1,4}})?(?P<hit>{PAIR})"
)
AFTER_JOB = re.compile(rf"\b(?i:{JOB}),?\s+(?P<hit>{PAIR})")
BEFORE_JOB = re.compile(rf"(?<!\w)(?P<hit>{PAIR})(?:,\s+|\s+\()(?:{WHOSE}\s+)?(?:[a-z][\w\-]*\s+){{0,3}}(?i:{JOB})\b")
# Behind who it is of.
AGE = (
    r"(?:\d{2}|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)"
    r"(?:-[a-z]+)?)(?=\s*(?:[.,;)]|and\b|but\b|years\b|$))"
)
AGE_OF = re.compile(
    rf"\b(?:he|she|i|who)(?:['’][sm]|\s+(?:is|am|was|turned))\s+(?:only\s+|just\s+|now\s+)?{AGE}",
    re.IGNORECASE | re.MULTILINE,
)
AGE_BEHIND = re.compile(rf"(?:\s[A-Z]\.)?(?:\s+(?:is|turned|was)\s+(?:only\s+|just\s+)?{AGE}|,\s+\d\d,)")
MONTH = re.compile(r"jan|mar|april?|may|june?|july?|august|sept?|dec", re.IGNORECASE)
DAY_AFTER = re.compile(r"\.?[ \u00a0]+\d{1,4}\b")
DAY_BEFORE = re.compile(r"\d(?:st|nd|rd|th|\.)?[ \u00a0/-]+$")


@cache
def load_first_names() -> frozenset[str]:
    """Lower-cased given names, hyphenated ones and their parts."""
    lists = [Path(__file__).parent / name for name in ("given_names.txt", "given_names_more.txt")]
    lines = [line for path in lists for line in path.read_text(encoding="utf-8").splitlines()]
    return frozenset(name.lower() for line in lines if not line.startswith("#") for name in line.split())


# Asked by the rules, and by the weighing of words for two labels.
@lru_cache(maxsize=8)
def find_people(text: str) -> list[Finding]:
    """Names of people in `text`, as findings of kind "person", in order. A name said twice is found twice."""
    found = [*_find_addressed(text), *_find_by_first_name(text)]
    for pattern in (LABELLED, INTRODUCED, PERSONAL, PAID, AFTER_JOB, BEFORE_JOB):
        found += [f for f in matches("person", pattern, text) if not _is_organisation(text[f.start : f.end])]
    return _drop_overlaps(found)


def says_age(text: str, people: list[Finding]) -> bool:
    """Whether it says how old one of `people` is, or whom a pronoun stands for."""
    return AGE_OF.search(text) is not None or any(AGE_BEHIND.match(text, person.end) for person in people)


def _find_addressed(text: str) -> list[Finding]:
    """Behind a form of address; "Dr" behind a house number is a street."""
    found = []
    for finding in matches("person", HONORIFIC, text):
        is_street = STREET_BEFORE.search(text[max(0, finding.start - 50) : finding.start])
        if not is_street or "." in text[max(0, finding.start - 5) : finding.start]:
            found.append(finding)
    return found


def _find_by_first_name(text: str) -> list[Finding]:
    words = list(WORD.finditer(text))
    names, found, index = load_first_names(), [], 0
    while index < len(words):
        word = words[index]
        if not word.group()[0].isupper():
            index += 1
            continue
        lowered = _strip_possessive(word.group())
        is_name = lowered in names or "-" in lowered and lowered.split("-")[0] in names
        if is_name and not _is_month(text, word) and not _is_after_capital(text, words, index):
            last = _find_family_name(text, words, index)
            if last > index:
                found.append(Finding("person", word.start(), words[last].end()))
                index = last
            elif lowered not in AMBIGUOUS and len(lowered) > 2 and not _starts_organisation(text, words, index):
                found.append(Finding("person", word.start(), word.end()))
        index += 1
    return found


def _is_month(text: str, word: re.Match[str]) -> bool:
    """ "Mar 22, 2005", "22 April": a month that is a given name too."""
    return MONTH.fullmatch(word.group()) is not None and bool(
        DAY_AFTER.match(text, word.end()) or DAY_BEFORE.search(text, max(0, word.start() - 8), word.start())
    )


def _strip_possessive(word: str) -> str:
    return word.lower().removesuffix("'s").removesuffix("’s")


def _is_after_capital(text: str, words: list[re.Match[str]], index: int) -> bool:
    """A given name right behind another capitalised word is the tail of something else: "Ritz Carlton", "St Mary"."""
    if index == 0:
        return False
    before, word = words[index - 1], words[index]
    joined = text[before.end() : word.start()] == " "
    shouted = before.group().isupper() and not word.group().isupper()
    if not joined or not before.group()[0].isupper() or shouted:
        return False
    starts_sentence = before.start() == 0 or text[: before.start()].rstrip(" \t\u00a0")[-1:] in '.!?:;\n•-–—|>*"“('
    return not starts_sentence and before.group().lower() not in PARTICLES | {"dear", "hi", "hello", "and", "or"}


def _find_family_name(text: str, words: list[re.Match[str]], index: int) -> int:
    """Index of the last word of the name that starts at `index`, or `index` when no family name follows."""
    last, position = index, index + 1
    while position < len(words) and position - index <= 4:
        raw = words[position].group()
        gap = re.sub(r"[ \u00a0]+", " ", text[words[position - 1].end() : words[position].start()])
        behind_initial = position - 1 > index and len(words[position - 1].group()) == 1
        if gap not in (" ", ". ", "-") or gap == ". " and not behind_initial:
            break
        if _strip_possessive(raw) in PARTICLES and gap != ". ":
            position += 1
            continue
        shouted = raw.isupper() and len(raw) > 1 and not words[index].group().isupper()
        known = (
            _strip_possessive(raw) not in NOT_SURNAMES or position == index + 1 and _is_family_name(text, words, index)
        )
        if not raw[0].isupper() or not known or shouted:
            break
        if len(raw) > 1:
            last = position
        position += 1
    return index if _goes_on_as_organisation(text, words, last) else last


def _is_family_name(text: str, words: list[re.Match[str]], index: int) -> bool:
    """Whether "Kevin Hill" is somebody: the given name is no word, and neither a number nor "the" stands before it."""
    if (
        _strip_possessive(words[index + 1].group()) not in FAMILY_NAMES
        or _strip_possessive(words[index].group()) in AMBIGUOUS
    ):
        return False
    before = text[: words[index].start()].rstrip()
    return not before[-1:].isdigit() and before.rpartition(" ")[2].lower() not in (
        "the",
        "in",
        "at",
        "on",
        "near",
        "to",
    )


def _goes_on_as_organisation(text: str, words: list[re.Match[str]], last: int) -> bool:
    """ "Morgan Stanley Bank", "Lucas Oil": the next word shows the name to be a firm's or a place's."""
    if last + 1 >= len(words) or text[words[last].end() : words[last + 1].start()] != " ":
        return False
    following = words[last + 1].group()
    return following[0].isupper() and following.lower() in NOT_SURNAMES - FUNCTION_WORDS


def _starts_organisation(text: str, words: list[re.Match[str]], index: int) -> bool:
    """A lone given name with another capitalised word or an ampersand behind it."""
    if index + 1 >= len(words):
        return False
    gap = text[words[index].end() : words[index + 1].start()]
    following = words[index + 1]
    if len(following.group()) == 1 and text[following.end() : following.end() + 1] == ".":
        return False  # "Timo K."
    return gap == " & " or gap in (" ", "-") and following.group()[0].isupper()


def _is_organisation(name: str) -> bool:
    words = [word.group().lower() for word in WORD.finditer(name)]
    return any(word in NOT_SURNAMES for word in words) or not any(word[0].isupper() for word in name.split())


def _drop_overlaps(found: list[Finding]) -> list[Finding]:
    kept: list[Finding] = []
    for finding in sorted(found, key=lambda f: (f.start, -f.end)):
        if not kept or finding.start >= kept[-1].end:
            kept.append(finding)
    return kept
