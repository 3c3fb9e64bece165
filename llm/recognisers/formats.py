"""Formats of identifiers that Presidio's checksummed recognisers refuse or do not know."""

import re

from llm.recognisers.findings import phrases
from text.words import words

SAYS = r"\s*+(?:is|:|#|=)?\s*+:?\s*+"

PHONES = re.compile(
    r"\b(?:call|ring|phone|text|reach)\s[^.\n\d]{1,30}(?<!\d)(?P<local>\d{3}[ -]\d{4})(?![\d-])|"
    r"(?<![\w.+/-])(?:\+\d{1,3}[\s.-]?(?:\(\d{1,4}\)[\s.-]?)?\d{1,4}(?:[\s.-]?\d{2,4}){2,4}"
    r"|\(\d{3}\)\s?\d{3}[\s.-]\d{4}|\d{3}-\d{3}-\d{4})(?![\w-])"
    r"|\b"
    + phrases(
        r"""phone; telephone; tel; mobile; cell; fax; direct dial; reach (?:me|him|her|them); answering; messages?;
        call(?:ing)?(?: (?:me|him|her|us|them))?; text (?:me|him|her); telefon; téléphone; teléfono; handy; numéro;
        nummer; privatnummer; mob\.?"""
    )
    + r"\b\.?\s*+(?:number|no\.?)?\s*+(?:is|at|on|to|:|#)?:?\s*+(?P<hit>[+(]?\d(?:[\s().-]{0,2}\d){6,13})(?![\d-])",
    re.IGNORECASE,
)
# Letters that scanners take for digits are let through.
SSN = re.compile(
    r"\b(?:SSN|social\s+security(?:\s+(?:number|no\.?))?|soc\.?\s+sec\.?)\b[^\d\n]{0,40}?"
    r"(?P<hit>[\dSOIlB]{3}[- ]?[\dSOIlB]{2}[- ]?[\dSOIlB]{4})\b",
    re.IGNORECASE,
)
# The number stands some words behind what it is: "passport of Jane Miller: …".
NATIONAL_ID_OF = re.compile(
    r"\b"
    + phrases(
        r"""passport(?: copy)?; reisepass(?:nummer)?; passnummer; ausweisnummer; personalausweis(?:nummer)?;
        identity card; national insurance number; NI
        number;
        social security number; sozialversicherungsnummer; rentenversicherungsnummer; steuer-?id; steuernummer;
        numéro de sécurité sociale; AHV-?Nr\.?; CPR(?:-?nr\.?)?; personnummer; cart[ãa]o de cidad[ãa]o;
        residence permit; carte d['’]identité; passeport; tax id; driving licen[cs]e;
        aadhaar(?: number| no\.?)?; social insurance number"""
    )
    + r"\b[^\n]{0,60}?(?P<hit>\b(?:[A-Z]{1,3} ?)?\d(?:[ .\-]?\d){4,17}(?: ?[A-Z])?\b"
    r"|\b(?=[A-Z0-9]{8,10}\b)(?=(?:[A-Z]*\d){4})[CFGHJK][A-Z0-9]{7,9}\b)",
    re.IGNORECASE,
)
DRIVING_LICENCE = re.compile(
    r"\bdriv\w+['’]?s?\s+licen[cs]e(?:\s+(?:number|no\.?|of\s+[\w ]{1,30}))?[\s:#]++"
    r"(?P<hit>(?=[A-Z0-9 ]*\d{4})[A-Z0-9][A-Z0-9 ]{6,20})\b",
    re.IGNORECASE,
)
LICENCE_OF = re.compile(
    r"\b(?:driv\w+ )?licen[cs]e(?: number| no\.?)?[\s:]++(?P<hit>(?=[A-Z0-9 ]*\d{4})[A-Z0-9][A-Z0-9 ]{6,20})",
    re.IGNORECASE,
)
NATIONAL_ID = re.compile(
    r"\b"
    + phrases(
        r"""passports?(?: (?:number|no\.?|#))?; driver['’]?s? licen[cs]e(?: (?:number|no\.?|#))?;
        visa (?:number|no\.?); national (?:id|identity|insurance)(?: (?:card|number|no\.?))*;
        personalausweis(?:nummer)?; reisepass(?:nummer)?; tax(?:payer)? (?:id|identification)(?: (?:number|no\.?))?;
        steuer-?id(?:entifikationsnummer)?; DNI; NIE; NIF; CURP; CPF; BSN; INSEE"""
    )
    + r"\s*+(?:is|:|#|=|-|nr\.?|no\.?|n°)?\s*+\(?(?P<hit>(?=(?:[A-Z.\-]{0,12}\d){4})[A-Z0-9][A-Z0-9.\-]{5,17})\b",
    re.IGNORECASE,
)
# Numbers by which a state or a chamber knows one member of a profession.
PROFESSIONAL = re.compile(
    r"\b(?:(?:NPI|DEA|GMC|NMC|CRD)(?:\s?(?:[Nn]umber|[Nn]o\.?|[Rr]egistration|[Ii][Dd]|#))*"
    r"|(?:[Bb]ar|BAR|[Nn]otary|[Mm]edical|[Nn]ursing|[Ll]aw)\s(?:[Ll]icen[cs]e|[Rr]egistration|[Rr]oll|[Nn]umber"
    r"|NUMBER|[Nn]o\b\.?|ID|Id|#)(?:\s?(?:[Nn]umber|[Nn]o\.?|#))?)\s*+(?:is|:|#|=)?\s*+"
    r"(?P<hit>(?=[A-Z\-]{0,5}\d{4})[A-Z0-9\-]{5,14})\b"
)
# Identifiers that say by their first letters what they are, as systems for patients, staff and members write them.
PREFIXED_RECORD = re.compile(r"(?<![\w-])(?:MRN|PAT|PT|HID|NHS|INS)-(?:[A-Z]{1,3}-?)?\d{4,12}(?![\w-])")
PREFIXED_STATE_ID = re.compile(
    r"(?<![\w-])(?:SSN|NID|NIN|TIN|DL|PP)-(?=[A-Z]{0,3}\d{3})[A-Z0-9]{4,12}(?:-\d{1,4})?(?![\w-])"
)
PREFIXED_PERSON = re.compile(r"(?<![\w-])(?:EMP|STAFF|HR|MBR|MEM|PERS|POL)-(?:[A-Z]{1,3}-?)?\d{4,12}(?![\w-])")
BARE_SSN = re.compile(r"(?<![\w.\-/])(?!000|666)\d{3}-(?!00)\d\d-(?!0000)\d{4}(?![\w\-/]|\.\d)")
IPV6 = re.compile(
    r"(?<![\w:.])(?!fe80|FE80)(?:(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}"
    r"|(?:[0-9A-Fa-f]{1,4}:){2,6}(?::[0-9A-Fa-f]{1,4}){1,5})(?![\w:]|\.\d)"
)
HARDWARE_ADDRESS = re.compile(r"(?<![\w:-])(?:[0-9A-Fa-f]{2}([:-]))(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}(?![\w:-])")
PUBLIC_IPV4 = re.compile(
    r"(?<![\w.])(?!10\.|127\.|0\.|255\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.)"
    r"(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w.]*\d)"
)
# In a log these name who acted, by an account or an address.
ACTOR = re.compile(
    r"\b(?:user(?:[_ ]?(?:name|id))?|login|actor|principal|client(?:_ip|[ _]address)|src_ip|source_ip|remote_addr|uid)"
    r"[\"']?\s*(?::=|[=:])\s*[\"']?[^\s\"',;]{3,}",
    re.IGNORECASE,
)
RECORD = re.compile(
    r"\b"
    + phrases(
        r"""MRN; medical record(?: (?:number|no\.?))?; patient (?:id|number|no\.?); insurance id; member id; Rx#;
        health (?:insurance )?(?:id|card|plan number); NHS (?:number|no\.?)"""
    )
    + SAYS
    + r"(?P<hit>(?=[A-Z0-9\-]{0,18}\d{3})[A-Z0-9\-]{5,20})\b",
    re.IGNORECASE,
)
PERSONNEL = re.compile(
    r"\b(?:employee|staff|personnel|payroll|badge|personal|member(?:ship)?|student|pupil|volunteer)[\s-]*"
    r"(?:card|id|number|no\b\.?|#|nummer)\s*+(?:is|:|#|=)?\s*+"
    r"(?P<hit>(?=[A-Z0-9\-]{0,14}\d{2})[A-Z0-9\-]{3,15})\b"
    r"|\b(?:employee|student|member)\s+(?P<plain>\d{4,9})(?![\d.,])",
    re.IGNORECASE,
)
ACCOUNT = re.compile(
    r"\b"
    + phrases(
        r"""(?:bank )?account(?: (?:number|no\.?|#))?; acct\.?(?: (?:no\.?|#))?; sort code;
        routing(?: (?:number|no\.?))?; RIB; CLABE; CCC; BSB; a/c; s/c; giro; postgiro; bankgiro; IBAN; SWIFT; BIC;
        konto(?:nummer)?; Kontonr\.?; BLZ; numéro de compte;
        número de cuenta"""
    )
    + r"\s*+(?:is|:|#|=|ending(?:\s+in)?)?\s*+(?:code)?\s*+:?\s*+"
    r"(?P<hit>(?=(?:[A-Z0-9]|[ \-](?=\w)){0,32}\d{3})[A-Z0-9](?:[A-Z0-9]|[ \-](?=\d)){5,33}|\d\d(?:[ -]\d\d){2,4})\b"
    r"|\b(?:account|konto)\s(?:of|von)\s[^\n\d.]{2,40}\b(?:no\.?|number|nr\.?)\s*+:?\s*+\d{5,18}\b",
    re.IGNORECASE,
)
ENDING = re.compile(r"\b(?:card|account|konto)\s+ending(?:\s+(?:in|with|on))?\W{0,12}\d{4}\b", re.IGNORECASE)
CARD = re.compile(
    r"(?<![\d-])(?P<groups>\d{4}([ -])\d{4}\2\d{4}\2\d{4})(?![\d-])"
    r"|\b(?:credit|debit|payment|my|this|bank)?\s*card\.?\s*+(?:number|no\.?|#)?\s*+(?:is|:|#)?\s*+"
    r"(?P<hit>\d(?:[ -]?\d){11,18})\b",
    re.IGNORECASE,
)
BORN = re.compile(
    r"\b"
    + phrases(
        r"""d\.?o\.?b\.?; date of birth; birth\s*date; birthday; born(?: on)?; geboren(?: am)?; geb(?=\.\s?\d);
        geburtsdatum;
        née? le; né\(e\) le; date of birth:; \bborn:?; date de naissance; fecha de nacimiento; data di nascita;
        geboortedatum"""
    )
    + r"\b[^\d\n]{0,45}(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
    r"|\d{1,2}(?:st|nd|rd|th)?\.?\s+(?:of\s+)?[^\W\d_]{3,12}\.?,?\s+\d{4})"
    r"|\b(?:born(?:\s+on)?|date\s+of\s+birth:?|dob:?)\s+[^\W\d_]{3,9}\.?\s+\d{1,2},?\s+\d{4}",
    re.IGNORECASE,
)
PLATE = re.compile(
    r"\b(?:(?i:reg(?:istration|istered|\.)?|(?:number|licen[cs]e) ?plate|kennzeichen)"
    r"|(?i:plate)(?=\s*(?:number|no\b|:|[A-Z]{1,3}-[A-Z]{1,2} ?\d|[A-Z]{2}\d\d ?[A-Z]{3}\b))|immatriculé\w*)"
    r"\s*+(?:number|no\.?|:)?\s*+(?P<hit>[A-Z]{1,3}[ -]?[A-Z]{0,2} ?\d{1,4}(?: ?[A-Z]{1,3})?)\b"
    r"|\bVIN\b\W{1,3}(?P<chassis>[A-HJ-NPR-Z0-9]{17})\b"
    r"|\b(?i:vehicle|car|van|lorry|fahrzeug|pkw|wagen|voiture)\s+"
    r"(?P<vehicle>[A-ZÄÖÜ]{1,3}-[A-Z]{1,2} ?\d{1,4}|[A-Z]{2}\d\d ?[A-Z]{3}|[A-Z]{2}-\d{3}-[A-Z]{2})\b"
)
BORN_YEAR = re.compile(
    r"\b(?:born|b\.|geboren|jahrgang|née?|nacida?o?)\s*(?:in\s+|en\s+)?(?P<hit>(?:19[2-9]|20[01])\d)\b", re.IGNORECASE
)
BORN_TABLE = re.compile(
    r"^[ \t]*\|(?=[^\n]*\b(?:born|birth\w*|dob|geburtsdatum|geboren|naissance)\b)[^\n]*\|[ \t]*\n[ \t"
    r"|:\-]*+\n?[^\n]*?(?P<hit>\d{1,4}[./-]\d{1,2}[./-]\d{1,4})",
    re.IGNORECASE | re.MULTILINE,
)
HANDLE = re.compile(
    r"\b(?:twitter|instagram|insta|telegram|skype|mastodon|tiktok|discord|snapchat|linkedin)\b[^.\n]{0,40}?(?<![\w.])@\w{3,}"
    r"|\buser\s?name\s*(?:is|:|=)\s*(?=\S*[\d_])[\w.]{3,}",
    re.IGNORECASE,
)
YEAR = re.compile(r"\b1[0-9]\d\d\b")
LIVING = 1915
"""Who was born in an earlier year is history."""
STREET = re.compile(
    r"\b\d{1,6}[a-z]?,?\s{1,3}(?:[\w.'’\-]{1,30}\s{1,3}){1,4}"
    + phrases(
        """st; street; ave; avenue; rd; road; blvd; boulevard; ln; lane; dr; drive; ct; court; pl; place; sq;
        square; row; walk; court; cottage; gardens; mews; yard; wharf; quay; parade; grove; hill; green; ter;
        terrace; terr; cres; crescent; close; way; pkwy; parkway; hwy; highway; courts?; apt"""
    )
    + r"\b\.?"
    r"|\b[^\W\d_][\w.\-]{0,40}(?:str\.|straße|strasse|weg|stieg|ufer|ring|damm|hof|gasse|allee|platz|straat|laan"
    r"|gatan|vägen|vejen|veien|gaten|vej|gade|gate|tie|katu|utca|gracht|kade|singel|plein)"
    r"\s+\d{1,4}\s?[a-z]?\b"
    r"|\b\d{1,4}(?:\s?bis)?,?\s+(?:rue|avenue|boulevard|chemin|impasse|allée|quai)\s+[^\d\n,]{3,40}"
    r"|\b(?:calle|avenida|avda\.?|plaza|paseo|via|viale|piazza|corso|rua|rúa|ul\.|al\.|c/)\s++[^\d\n,]{3,40},?\s+\d{1,4}\b"
    r"|\b[^\W\d_][\w\-]{2,40}\s(?:út|utca|gata|väg|vägen|vei|veien|plass|katu|tee|tänav|köz|tér|sokak|caddesi)\s+\d{1,4}\b"
    r"|\b\d{3,4}\s?[A-Z]{2},?\s+[A-Z][a-z]+\b(?=[^\n]{0,20}\bNetherlands\b)"
    r"|\b\d{1,3}-\d{1,3}(?:-\d{1,3})?,?\s[A-Z][\w-]{2,20},?\s[^\n]{2,40}?\b\d{3}-\d{4}\b"
    r"|\bP\.?\s?O\.?\s+Box\s+\d+|\bPSC\s+\d+,?\s+Box\s+\d+|\b(?:Suite|Flat|Unit)\s+\d{1,4}\b[^\d]{1,60}\b\d{4,6}\b"
    r"|\bApt\.?\s+\w?\d+|\b(?:FPO|APO|DPO),?\s+A[AEP],?\s+\d{5}\b|\b(?:address|anschrift|adresse)\s*(?:is|:|lautet:?)\s*[^\n\d@]{0,40}\s\d{1,6}\b[\s,]+[^\W_]"
    r"|\n[ \t]*\d{1,6}\s+[^\W\d_][^\n\d]{2,40}\d{0,10}[ \t]*\n"
    r"|\b(?<!\bet\s)(?:rua|avenida|av\.|calle|c/|travessa|largo|aleja|al\.|ul\.|os\.|plac|pl\.|chaussée|steenweg|vicolo|strada|bulevardi|prospekt)\s+"
    r"(?=[^\d\n,]{0,12}(?-i:[A-ZÀ-Þ]))[^\d\n,]{2,40},?\s+\d{1,5}(?=\W)"
    r"|\b[A-ZÁČĎÉÍĽŇÓŠŤÚÝŽ][\w-]{2,30}\s\d{1,5}(?:/\d{1,4})?,\s\d{3}\s\d{2}\s[A-ZÁČĎÉÍĽŇÓŠŤÚÝŽ]"
    r"|\b[^\W\d_][\w-]{2,40}\s\d{1,4}\s?[A-Za-z]?(?:/\d{1,4})?,\s(?:[A-Z]{1,2}-)?(?:\d{5,6}|(?!19|20)\d{4})\s[^\W\d_]{3}"
    r"|\b\d{1,5}[A-Z]?,?\s(?-i:(?:[A-Z][\w.'’-]{1,20}\s){1,4}(?=[A-Z]))(?:trl|trail|loop|run|pass|point|pt|bend|path|pike|cir|circle|rise|view|vale|fields?|mount|brae|wynd|gate|parade|bank|end|side)\b"
    r"|\b[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}\b"
    r"|\b(?:lives?|resides?|living|residing)\s+(?:at|in|on)\s+[^.\n\d]{0,40}\d{1,6}\b",
    re.IGNORECASE,
)
# Addresses at which nobody but people live: a flat with its place, a post office of the forces.
MILITARY_POST = re.compile(r"\b(?:FPO|APO|DPO),?\s+A[AEP],?\s+\d{5}\b", re.IGNORECASE)
APARTMENT = re.compile(
    r"\bapt\b\.?\s*#?\w?\d+\b|\b(?:apt|apartment|flat)\b\.?\s*#?\w?\d+\b[^\d]{2,60}\b\d{4,6}\b", re.IGNORECASE
)
# Groups of digits that begin as telephone numbers do, for texts that speak of calling or name a person.
GROUPED = re.compile(
    r"(?<![\w./+-])(?<!\d,)(?P<hit>(?:\+|00)\d{1,3}(?:[ .\-/]\d{2,4}){2,5}|0\d{1,5}(?:[ .\-/]\d{2,4}){2,4}"
    r"|0\d{2,4}[ /-]\d{5,8}|0\d{3,4} (?:\d{2,4} ){1,2}\d(?: \d{2,4})?|07\d{3} \d{6}"
    r"|\d{3} \d{3} \d{3,4}|\d{2}(?: \d{2}){3})(?![\w]|[.,]\d|[ -]\d)"
)
CALLING = re.compile(
    r"\b"
    + phrases(
        r"""phones?; telephone; tel; calls?; called; cell; mobile; mob; reach(?:ed|able)?; rings?; whatsapp;
        contact(?:s|ed)?; number; numbers; gsm; tlf; mobil; ruf(?:e|t)?; natel; line; messages?; telefon\w*;
        handy; rufnummer; rufen; erreichbar; appelez; appeler; joindre; joignable; téléphone; portable; domicile;
        privat; bellen; gebeld; numero; rückruf; mobiel; contact_mobile; handynummer; new starter; \w+nummer;
        privatnummer; numéro personnel; notfallkontakt\w*"""
    )
    + r"\b|(?:^|[\s|(])[MPTDC][:)]\s*(?=[+(0])",
    re.IGNORECASE,
)
# Right behind a name, as signatures and lists of people have them.
BEHIND_NAME = re.compile(
    r"(?:['’]s\s(?:mobile|cell|phone|number|home))?[\s,:–|·(-]{1,6}(?:(?:m|t|p|h|mob|tel|tlf|gsm|mobil|privat|home|nr)\b[.:)]{0,2}\s{0,2}){0,2}"
    r"(?P<hit>(?:\+|00)\d{1,3}(?:[ .\-/()]{1,2}\d{1,5}){1,6}|\(?0\d{1,5}\)?(?:[ .\-/]{0,2}\d{2,8}){1,4}"
    r"|[3-9]\d\d(?:[ .-]\d{2,4}){2,3}"
    r"|3\d\d \d{6,7}|\d{2}(?: \d{2}){3})(?![\w]|[.,]\d|[ -]\d)",
    re.IGNORECASE,
)
NUMBERS_ALONE = re.compile(r"\s*+(?>[+0]\d[\d ()/.-]{7,17}\d[ \t]*[,;]?(?:\n[ \t]*|$)){2,500}+")
"""A list of nothing but numbers that begin as telephone numbers do."""
CALL_WORDS = phrases(
    """phone; telephone; tel; calls?; cell; cellphone; mobile; mob; fax; reach; ring; text; sms; whatsapp;
    contact; dial; telefon; handy; téléphone; teléfono; móvil; mobil; number; answering; messages"""
)
PHONE_WORDS = re.compile(rf"\b{CALL_WORDS}\b[^\n]{{0,40}}$", re.IGNORECASE)
CALLED_NUMBER = re.compile(rf"\b{CALL_WORDS}(?:\b|(?=\d))[^\n]{{0,40}}?[\d(\[\uff08\uff3b]", re.IGNORECASE)
"""Where a number may stand of which PHONE_WORDS says that it is called."""
URL = re.compile(r"\b[a-z][a-z0-9+.-]+://[^\s<>\"')\]?]+|\bwww\.[^\s<>\"')\]?]+")

ROLE_MAILBOXES = words(
    """abuse accounting accounts accueil all all-users allusers everyone staff-all users buchhaltung bewerbung admin
        administrator alerts ap ar ask benefits billing bookings build builds careers
    community compliance contact contracts customer customerservice delivery desk donotreply dpo editor einkauf
    engineering enquiries enquiry events feedback finance frontdesk general hello help helpdesk hiring hotline hr
    info information inquiries investor investors invoice invoices it jobs kontakt legal list lists logistics mail
    mailer marketing media news newsletter no noc noreply notices notifications office onboarding operations ops
    orders partners payroll people post postmaster pr press privacy procurement project projects purchasing quality
    reception recruiting recruitment registrar reply reports returns rfp root safety sales security service services
    shop site staff support talent team tech tenders training travel vendor vendors warehouse webmaster welcome"""
)


def is_history(birth: str) -> bool:
    """Whether a date of birth is that of somebody who has long been dead."""
    year = YEAR.search(birth)
    return year is not None and int(year.group()) < LIVING


def blank_urls(text: str) -> str:
    """`text` with web addresses blanked up to their query, offsets kept: slugs look like accounts."""
    return URL.sub(lambda match: " " * len(match.group()), text)


def is_role_mailbox(address: str) -> bool:
    """Whether an e-mail address belongs to a function ("billing@", "x@support.…") and not to a person."""
    local, _, domain = address.lower().partition("@")
    if domain.count(".") > 1 and domain.split(".")[0] in ROLE_MAILBOXES:
        return True
    whole = local.replace("-", "").replace("_", "")
    return re.split(r"[._+\-\d]", local)[0] in ROLE_MAILBOXES or whole in ROLE_MAILBOXES
