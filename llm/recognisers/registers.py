"""Numbers in registers of people: states, health services, schools, clubs, carriers. The word for the number stands in
front of it ("PESEL 56…"), or the number has a form that nothing else has.

Every one of these is a word of a list and a value with enough digits, or a form with its check digit, so that a number
by itself stays a number.
"""

import re
from collections.abc import Iterator

from llm.recognisers.contact import COMPANY
from llm.recognisers.findings import Finding, matches, phrases

# What a register calls its number. The value may follow behind the holder's name: "PAN of Jane: …".
OF_STATE = phrases(
    r"""(?-i:SIN|PPSN?|PESEL|CURP|RUT|NIN|NIR|BSN|OIB|JMBG|EGN|CNIC|NRIC|HKID|MyKad)(?: (?:number|no\.?))?;
    (?-i:TFN|PAN|CUIL|NIF|NIE|DNI|CPF|ITIN|UTR|NINO|SVNR|SV-?Nr\.?|INSZ|NISS|CPR|SSN|AMKA|TCKN)(?: (?:number|no\.?))?;
    social (?:security|insurance)(?: (?:number|no\.?|card))?; soc\.?\s?sec\.?;
    national (?:id(?:entity)?|insurance)\s?(?:card|number|no\.?)*; NI (?:number|no\.?);
    passports?(?: number| no\.?)?; travel document(?: number| no\.?)?; alien(?: registration)?
    (?:number|no\.?); a-number; visa(?: (?:control|sticker|grant|foil))?\s?(?:number|no\.?|sticker);
    (?:identity|resident'?s?|residence) (?:card|permit|number|no\.?)(?: number| no\.?)?; id (?:card|permit)(?: number|
    no\.?)?;
    green card(?: number| no\.?)?;
    emirates id; voter(?:['’]s)? id; personal (?:identity |identification )?(?:number|code|no\.?); personnummer;
    personenkennziffer; identifikationsnummer; ausweis-?(?:nummer|nr\.?); aufenthaltstitel; aufenthaltserlaubnis;
    reisepass; pass-?nr\.?; passnummer; ahv-?(?:nr\.?|nummer); sozialversicherungs-?(?:nr\.?|nummer);
    rentenversicherungs-?(?:nr\.?|nummer); steuer-?(?:id|identnummer); codice fiscale;
    carta d['’]identità; patente di guida; permis de conduire; carte (?:d['’]identité|vitale|de séjour); titre de
    séjour;
    num[ée]ro (?:de )?(?:sécu\w*|passeport|fiscal); cédula; pasaporte; burgerservicenummer; rijksregisternummer;
    driv(?:er|ing)['’]?s? licen[cs]e(?: (?:number|no\.?))?; dl(?: no\.?| number|#); führerschein-?(?:nr\.?|nummer)"""
)
OF_HEALTH = phrases(
    r"""medicare(?: (?:number|no\.?|id|card))*; medicaid(?: (?:number|no\.?|id))*; nhs(?: (?:number|no\.?))?;
    (?:hospital|patient|chart|medical record)(?: (?:number|no\.?|id|ref\w*))+;
    (?:health card|health insurance|insurance member|insured person['’]s)(?: (?:number|no\.?|id|ref\w*))+; mrn;
    chi number; versicherten-?(?:nr\.?|nummer);
    krankenversicherungs-?(?:nr\.?|nummer); krankenkassen-?(?:nr\.?|nummer); patienten-?(?:nr\.?|nummer)"""
)
OF_PERSON = phrases(
    r"""(?:library|loyalty|membership|rail|travel|bahn|staff|student|club|season)[ -]?(?:card|ticket)(?:
    (?:number|no\.?))?;
    bahncard; frequent[ -]flyer(?: (?:number|no\.?|id))?; miles (?:and|&) more; sbn; state bar(?: (?:number|no\.?))?;
    (?:student|pupil|candidate|matriculation|enrolment|volunteer|member)[ -]?(?:id|number|no\.?|nr\.?|nummer|\#)+;
    (?:employee|staff|personnel|payroll|clock|badge|inmate|donor)[ -]?(?:id|number|no\.?|nr\.?|nummer|\#)+;
    matrikel-?(?:nr\.?|nummer);
    mitglieds-?(?:nr\.?|nummer); personal-?(?:nr\.?|nummer); imei; imsi; iccid; advertising id; idfa; gaid;
    (?:handset|phone|laptop|device)['’]?s? serial(?: (?:number|no\.?))?; policyholder['’]?s? (?:number|no\.?);
    (?:insurance|life|motor|travel) policy (?:number|no\.?); (?-i:VIN); chassis (?:number|no\.?); fahrgestellnummer"""
)
# Numbers of a person or of a firm: those of a firm stand on each of its letters.
OF_TAXPAYER = phrases(
    r"""tax(?:payer)?['’]?s? (?:id(?:entification)?|number|no\.?|file number|ref\w*)\s?(?:number|no\.?)?;
    steuer-?(?:nr\.?|nummer)"""
)
OF_FIRM = re.compile(r"\b(?:HR[AB]\s\d|Amtsgericht|Handelsregister|USt|VAT|[Ii]nvoice|Rechnung|[Cc]ompany)")
OF_CAR = phrases(
    """(?:licen[cs]e|number|registration)?\\s?plates?(?: (?:number|no\\.?))?; (?:car|vehicle) registration(?: mark)?;
    kennzeichen; kenteken; plaque; immatriculation;
    (?:car|auto|wagen|pkw|van|motorbike|scooter)\\b[^\\n\\d]{0,40}[,(]"""
)
GAP = r"[^\S\n]*+(?i:[:#=.]|is|was|lautet|est|es|nr\.?|no\.?|n°|ending|of|for|von|de)?[^\S\n]*+"
HOLDER = r"(?:[^\n\d:;|]{0,40}:[^\S\n]*+)?"
# No date, and no years.
NO_DATE = (
    r"(?!(?:\d{1,2}[./-]\d{1,2}[./-](?:19|20)?\d\d|(?:19|20)\d\d[./-]\d{1,2}[./-]\d{1,2}"
    r"|(?:19|20)\d\d[ /-](?:19|20)?\d\d)(?![\w/-]))"
)
VALUE = NO_DATE + (
    r"(?P<hit>(?=(?:[ .\-/]?[A-Z0-9]){6})(?=[A-Z]{0,6}[ .\-/]?(?:[A-Z]{0,3}\d[A-Z ./\-]?){4})"
    r"[A-Z]{0,6}[ .\-/]?\d(?:[A-Z0-9]|[ .\-/](?=\w)){3,26})"
    r"(?![\w])"
)
SHORT = r"(?P<hit>(?:[A-Z]{1,4}[ \-])?[A-Z0-9]{0,4}[ \-]?\d{4,17}(?:[ \-]?[A-Z0-9]{1,6})?|[A-HJ-NPR-Z0-9]{17})(?!\w)"
MARK = (
    r"(?!(?:DIN|ISO|EN|IEC|RAL)\b)(?P<hit>[A-ZÄÖÜ]{1,3}[ \-][A-Z]{1,2} ?\d{1,4}"
    r"|[A-Z]{2,3}[ \-]?\d{3,4}(?:[ \-]?[A-Z]{1,3})?|[A-Z]{2}\d\d ?[A-Z]{3}"
    r"|\d{1,4}[ \-]?[A-Z]{2,3}[ \-]?\d{0,4})(?!\w)"
)
MASKED = r"(?P<hit>[x*•#X]{2,3}[ -]?[x*•#X]{2}[ -]?\d{4})\b"
STATE = re.compile(rf"(?<![\w-])(?i:{OF_STATE})(?![^\W\d_]){GAP}{HOLDER}(?:{VALUE}|{MASKED.replace('hit', 'masked')})")
HEALTH = re.compile(rf"(?<![\w-])(?i:{OF_HEALTH})(?![^\W\d_]){GAP}{HOLDER}{VALUE}")
TAXPAYER = re.compile(rf"(?<![\w-])(?i:{OF_TAXPAYER})(?![^\W\d_]){GAP}{HOLDER}{VALUE}")
PERSON = re.compile(rf"(?<![\w-])(?i:{OF_PERSON})(?![^\W\d_]){GAP}{HOLDER}{SHORT}")
IDENTITY = re.compile(rf"(?<![\w-])(?i:id\s(?:number|no\.?))(?![^\W\d_]){GAP}{HOLDER}{VALUE}")
CAR = re.compile(rf"(?<![\w-])(?i:{OF_CAR})(?![^\W\d_]){GAP}{MARK}")
# Forms that nothing else has. Where a form alone is not enough, its check digit is asked.
MACHINE_READABLE = re.compile(r"(?<!\w)[PIACV][A-Z<][A-Z]{3}[A-Z0-9<]{10,40}<<[A-Z0-9<]{0,40}")
CURP = re.compile(r"(?<!\w)[A-Z][AEIOUX][A-Z]{2}\d\d(?:0[1-9]|1[0-2])[0-3]\d[HMX][A-Z]{5}[A-Z0-9]\d(?!\w)")
SWISS = re.compile(r"(?<![\w.])756\.\d{4}\.\d{4}\.\d\d(?![\w.]\d)")
EMIRATES = re.compile(r"(?<![\w-])784-(?:19|20)\d\d-\d{7}-\d(?![\w-])")
FRENCH = re.compile(
    r"(?<!\d)(?:[12][ .]?\d\d[ .]?(?:0[1-9]|1[0-2])[ .]?(?:\d\d|2[AB])[ .]?\d{3}[ .]?\d{3}[ .]?\d\d)(?![\d.])"
)
BRAZILIAN = re.compile(r"(?<![\d.])\d{3}\.\d{3}\.\d{3}-\d\d(?!\d)")
CHILEAN = re.compile(r"(?<![\d.])\d{1,2}\.\d{3}\.\d{3}-[\dkK](?!\w)")
KOREAN = re.compile(r"(?<![\d-])\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])-[1-4]\d{6}(?![\d-])")
CHINESE = re.compile(r"(?<!\d)[1-6]\d{5}(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dX](?!\w)")
FORMS = (MACHINE_READABLE, CURP, SWISS, EMIRATES, BRAZILIAN, CHILEAN, KOREAN)


def find_register_numbers(text: str) -> Iterator[Finding]:
    """Findings of kinds government_id, health_id and licence (a number of a person beside a name)."""
    for form in FORMS:
        yield from matches("government_id", form, text)
    yield from (f for f in matches("government_id", FRENCH, text) if _is_french(text[f.start : f.end]))
    yield from (f for f in matches("government_id", CHINESE, text) if _is_chinese(text[f.start : f.end]))
    yield from matches("government_id", STATE, text)
    if not (COMPANY.search(text) or OF_FIRM.search(text)):
        yield from matches("government_id", TAXPAYER, text)
    yield from matches("health_id", HEALTH, text)
    yield from matches("licence", PERSON, text)
    yield from matches("licence", IDENTITY, text)  # of a person, or of a part
    yield from matches("licence", CAR, text)


def _is_french(value: str) -> bool:
    digits = re.sub(r"[ .]", "", value).replace("2A", "19").replace("2B", "18")
    return int(digits[-2:]) == 97 - int(digits[:-2]) % 97


def _is_chinese(value: str) -> bool:
    weighed = sum(int(digit) * (2 ** (17 - place) % 11) for place, digit in enumerate(value[:17]))
    return "10X98765432"[weighed % 11] == value[-1]
