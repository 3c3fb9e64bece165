"""Names that no list has: two or three capitalised words that neither text nor business language uses otherwise.

Weaker than `people.find_people`, and so never enough by itself for more than what stands beside it: a telephone
number, a
warning, an illness.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from llm.recognisers.findings import Finding, matches
from llm.recognisers.people import NAME, NOT_SURNAMES, PARTICLES, load_first_names
from text.words import words

RUN = re.compile(
    rf"(?<![\w.'’\-&@/]){NAME}(?:[ \u00a0](?:(?:[a-z]{{2,3}}[ \u00a0]){{0,2}})(?:[A-Z]\.[ \u00a0])?{NAME}){{1,4}}"
)
INITIALED = re.compile(rf"(?<![\w.&])[A-Z]\.[ \u00a0]?(?:[A-Z]\.[ \u00a0]?)?{NAME}(?![\w.])")
BEFORE = re.compile(r"(?<![^\W\d_])([^\W\d_]+)[ \u00a0]$")
DETERMINERS = words(
    """the a an any each every such all both these those its our their no other certain applicable respective le la
    les des du un une der die das den dem des ein eine einen einer eines im am zum zur vom"""
)
GERMAN = re.compile(
    r"\b(?:der|die|das|und|ist|von|mit|für|nicht|wird|auf|zu|sind|ein|eine|bitte|wegen|lautet|geboren)\b"
)
ROLES = words(
    """herr herrn frau zeuge zeugin bewerber bewerberin polier kollege kollegin mitarbeiter mitarbeiterin patient
    patientin von für"""
)
# Capitalised at the beginning of a sentence, in headings, as defined terms or as parts of firms' names.
COMMON = words(
    """about above account accounts accident action active additional address administration advance affected after
    all amended amount amounts annual annex another answer appendix applicable application approved as ask asset
    assets at audit authority average balance base based basic before below benefits best between big blue board body
    bonus both brand bulletin but by call card care case cash cause central certain change chapter check checked chief
    circle civil claim claims class client close closing code commercial commission common communication completion
    complaint compliance concrete condition conditions confidential confirmed consulting contact content control copy
    core corporate cost costs credit critical crew current customer customers daily dairy date dear deed default
    defined delivery description digital direct director directors disclosure dispute distribution distributor draft
    driver due during early earth east effective emergency employee employer employment end english environmental equal
    equipment error european event events every example exchange execution executive existing expense external family
    fax federal field figure file final financial find fine first flight follow following food for force form former
    forwarded free french full further future general german get given global good goods government grade green gross
    growth hard head health here hiring home how human if important improvement in income individual industrial initial
    innovation intellectual interest interim internal investment invoice issue item job joint key land last late leave
    legal letter level liability licence licensed list live load loan local location log long lost low lower main major
    material maximum medical member members mental merger method middle mill minimum ministry minutes mobile model
    monthly more move must name national natural net network new next no non normal northern not note notes notice now
    number occupational of official on one only open opening operating operation operations option or original other
    our outdoor overall owner page parent part passport pay payment people per performance period personal personnel
    phone pilot platform please position possible power premium president press previous price primary principal
    private procedure process producer production professional profit property protection provided provider public
    quality question questions quick rate real receiving recent record red reference regional regular related remote
    rent reporting request required reserve response result revenue right rights risk royal rules safe sales schedule
    scope second secretary section see seller senior set share shareholder shares short sick signed since single small
    smart social some source southern special specific spring staff standard start state statement status step stock
    strategic street strong subject such summary supervisor supplier tax technical tel tenant term terms test thank
    thanks that
    their then there these they third this those three ticket time title to today top total town track transfer
    transport two
    type under union unit united until up upon urban user value vendor vice visit visitor visual water we
    web weekly welcome when where which while white why with witness without work working world year yes you your young
    support days day maintenance progress reports resolution implementation suspected misconduct resources
    opportunities executive plan paid teammate dark mode refresh storefront kit baby pilot offering agile product
    engineering cloud data science learning machine intelligence artificial analytics automation architecture backend
    frontend operator workspace dashboard ticket tickets sprint roadmap backlog review reviews goals objective
    objectives strategy vision mission values culture diversity inclusion equity onboarding handbook guideline
    guidelines practice practices training workshop session sessions webinar event conference summit programme
    program award awards charter committee council panel commissioner government parliament ministry department
    bureau agency institute academy faculty college campus library archive gallery theatre cinema stadium arena
    harbor harbour port dock quay pier bridge tunnel tower hall gate garden gardens park square lane avenue mill
    crown royal saint holy grand golden silver black green yellow red white brown long short little upper inner outer
    pump pumps valve valves seal seals steel timber glass stone sand gravel pipe pipes cable cables crane cranes truck
    lorry van bus train ferry vessel ship boat aircraft flight engine turbine motor battery solar wind power gas oil
    logistics freight shipping marine offshore builders construction civil works foods foodstuffs bakery brewery farm
    tyres tires motors instruments dairy textiles paper print press media radio television channel journal magazine
    january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday christmas easter ramadan
    british american german french dutch danish swedish norwegian finnish spanish italian portuguese polish greek
    turkish russian chinese japanese indian african european asian nordic baltic czech irish scottish welsh vietnamese
    survey surveys plate plates anesthesia anaesthesia appeal appeals augmentation channels chemotherapy coverage degree
    drug drugs employees exclusions facility facilities harassment hospitalization hospitalizations imaging
    immunotherapy injury injuries inpatient loss managers motorist notices outpatient prescription prescriptions
    radiation rehabilitation representative representatives resonance salary screening statements stipend surgery
    surgeries teammates testing tests therapies therapy tomography treatment treatments vaccination
    best regards kind mit freundlichen grüßen cher chère monsieur madame bonjour avec pour note compte chiffre"""
)


@lru_cache(maxsize=8)
def find_names(text: str) -> list[Finding]:
    """Findings of kind "person" for runs of capitalised words that read like names, in order.

    In German, where every noun is written so, one of the words must be a known given name, or a form of address or a
    role must stand before the name.
    """
    german = len(GERMAN.findall(text)) >= 2
    plain = set(re.findall(r"\b[a-zß-öø-ÿ]{3,}\b", text))
    capitals = sum(map(str.isupper, re.findall(r"\b([^\W\d_])[^\W\d_]{3,}", text)))
    if capitals > 12 and capitals > len(re.findall(r"\b[^\W\d_]{4,}", text)) * 0.4 and "|" not in text:
        return []  # a heading, or the defined terms of a contract
    found = [
        f
        for f in matches("person", INITIALED, text)
        if not _is_common(text[f.start : f.end].rpartition(".")[2].strip(), plain)
    ]
    for match in RUN.finditer(text):
        before = BEFORE.search(text, max(0, match.start() - 30), match.start())
        if before and before[1].lower() in DETERMINERS:
            continue
        called = before is not None and before[1].lower() in ROLES
        for start, end, known in _split_groups(match, plain):
            if not german or known or called:
                found.append(Finding("person", start, end))
    return sorted(found, key=lambda f: f.start)


def _split_groups(run: re.Match[str], plain: set[str]) -> Iterator[tuple[int, int, bool]]:
    """The parts of a run that may be a name: where they start and end, and whether one of the words is a given name."""
    group: list[re.Match[str]] = []
    for word in [*re.finditer(r"\S+", run.group()), None]:
        if word is not None and not _is_common(word.group(), plain):
            group.append(word)
            continue
        if word is not None and group and word.group().lower() in PARTICLES:
            group.append(word)
            continue
        capital = [part.group() for part in group if part.group()[0].isupper() and len(part.group()) > 2]
        organisation = word is not None and word.group()[0].isupper() and word.group().lower() in NOT_SURNAMES
        if len(capital) >= 2 and not organisation:
            known = any(_strip_possessive(part) in load_first_names() for part in capital)
            yield run.start() + group[0].start(), run.start() + group[-1].end(), known
        group = []


def _strip_possessive(word: str) -> str:
    return word.lower().removesuffix("'s").removesuffix("’s").split("-")[0]


def _is_common(word: str, plain: set[str]) -> bool:
    lowered = word.lower().removesuffix("'s").removesuffix("’s")
    return word.isupper() and len(word) > 1 or lowered in COMMON or lowered in NOT_SURNAMES or lowered in plain
