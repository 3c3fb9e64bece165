"""Formats of identifiers that Presidio's checksummed recognisers refuse or do not know."""

import re

from llm.recognisers.findings import phrases, words

SAYS = r"\s*(?:is|:|#|=)?\s*:?\s*"

PHONES = re.compile(
    r"(?<![\w.+/-])(?:\+\d{1,3}[\s.-]?(?:\(\d{1,4}\)[\s.-]?)?\d{1,4}(?:[\s.-]?\d{2,4}){2,4}"
    r"|\(\d{3}\)\s?\d{3}[\s.-]\d{4}|\d{3}-\d{3}-\d{4})(?![\w-])"
    r"|\b"
    + phrases(
        r"""phone; telephone; tel; mobile; cell; fax; direct dial; reach (?:me|him|her|them); answering; messages?;
        call(?:ing)?(?: (?:me|him|her|us|them))?; text (?:me|him|her); telefon; téléphone; teléfono; handy"""
    )
    + r"\b\.?\s*(?:number|no\.?)?\s*(?:is|at|on|to|:|#)?:?\s*(?P<hit>[+(]?\d(?:[\s().-]{0,2}\d){6,13})(?![\d-])",
    re.IGNORECASE,
)
# Letters that scanners take for digits are let through.
SSN = re.compile(
    r"\b(?:SSN|social\s+security(?:\s+(?:number|no\.?))?|soc\.?\s+sec\.?)\b[^\d\n]{0,40}?"
    r"(?P<hit>[\dSOIlB]{3}[- ]?[\dSOIlB]{2}[- ]?[\dSOIlB]{4})\b",
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
    + r"\s*(?:is|:|#|=|-|nr\.?|no\.?|n°)?\s*(?P<hit>(?=(?:[A-Z.\-]{0,12}\d){4})[A-Z0-9][A-Z0-9.\-]{5,17})\b",
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
    r"\b(?:employee|staff|personnel|payroll|badge|personal)[\s-]*(?:id|number|no\.?|#|nummer)\s*(?:is|:|#|=)?\s*"
    r"(?P<hit>(?=[A-Z0-9\-]{0,14}\d{2})[A-Z0-9\-]{3,15})\b",
    re.IGNORECASE,
)
ACCOUNT = re.compile(
    r"\b"
    + phrases(
        r"""(?:bank )?account(?: (?:number|no\.?|#))?; acct\.?(?: (?:no\.?|#))?; sort code;
        routing(?: (?:number|no\.?))?; IBAN; SWIFT; BIC; konto(?:nummer)?; Kontonr\.?; BLZ; numéro de compte;
        número de cuenta"""
    )
    + r"\s*(?:is|:|#|=|ending(?:\s+in)?)?\s*(?:code)?\s*:?\s*"
    r"(?P<hit>(?=(?:[A-Z0-9]|[ \-](?=\w)){0,32}\d{3})[A-Z0-9](?:[A-Z0-9]|[ \-](?=\d)){5,33})\b",
    re.IGNORECASE,
)
CARD = re.compile(
    r"(?<![\d-])(?P<groups>\d{4}([ -])\d{4}\2\d{4}\2\d{4})(?![\d-])"
    r"|\b(?:credit|debit|payment|my|this|bank)?\s*card\s*(?:number|no\.?|#)?\s*(?:is|:|#)?\s*"
    r"(?P<hit>\d(?:[ -]?\d){11,18})\b",
    re.IGNORECASE,
)
BORN = re.compile(
    r"\b"
    + phrases(
        r"""d\.?o\.?b\.?; date of birth; birth\s*date; birthday; born(?: on)?; geboren(?: am)?; geburtsdatum;
        née? le; date de naissance; fecha de nacimiento; data di nascita; geboortedatum"""
    )
    + r"\b[^\d\n]{0,25}(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
    r"|\d{1,2}(?:st|nd|rd|th)?\.?\s+(?:of\s+)?[^\W\d_]{3,12}\.?,?\s+\d{4})"
    r"|\b(?:born(?:\s+on)?|date\s+of\s+birth:?|dob:?)\s+[^\W\d_]{3,9}\.?\s+\d{1,2},?\s+\d{4}",
    re.IGNORECASE,
)
STREET = re.compile(
    r"\b\d{1,6}[a-z]?,?\s{1,3}(?:[\w.'’\-]{1,30}\s{1,3}){1,4}"
    + phrases(
        """st; street; ave; avenue; rd; road; blvd; boulevard; ln; lane; dr; drive; ct; court; pl; place; sq;
        square; ter; terrace; terr; cres; crescent; close; way; pkwy; parkway; hwy; highway; courts?; apt"""
    )
    + r"\b\.?"
    r"|\b[^\W\d_][\w.\-]{0,40}(?:str\.|straße|strasse|weg|gasse|allee|platz|straat|laan|gatan|vej|gade|gate|tie|katu|utca)"
    r"\s+\d{1,4}\s?[a-z]?\b"
    r"|\b\d{1,4}(?:\s?bis)?,?\s+(?:rue|avenue|boulevard|chemin|impasse|allée|quai)\s+[^\d\n,]{3,40}"
    r"|\b(?:calle|avenida|avda\.?|plaza|paseo|via|viale|piazza|corso|rua|ul\.|al\.)\s+[^\d\n,]{3,40},?\s+\d{1,4}\b"
    r"|\bP\.?\s?O\.?\s+Box\s+\d+|\bApt\.?\s+\w?\d+|\baddress\s*(?:is|:)\s*[^\n\d@]{0,15}\d{1,6}\s+[^\W\d_]"
    r"|\n[ \t]*\d{1,6}\s+[^\W\d_][^\n\d]{2,40}\d{0,10}[ \t]*\n"
    r"|\b(?:lives?|resides?|living|residing)\s+(?:at|in|on)\s+[^.\n\d]{0,40}\d{1,6}\b",
    re.IGNORECASE,
)
PHONE_WORDS = re.compile(
    r"\b"
    + phrases(
        """phone; telephone; tel; calls?; cell; cellphone; mobile; mob; fax; reach; ring; text; sms; whatsapp;
        contact; dial; telefon; handy; téléphone; teléfono; móvil; mobil; number; answering; messages"""
    )
    + r"\b[^\n]{0,40}$",
    re.IGNORECASE,
)
URL = re.compile(r"\b[a-z][a-z0-9+.-]+://[^\s<>\"')\]?]+|\bwww\.[^\s<>\"')\]?]+")

ROLE_MAILBOXES = words(
    """abuse accounting accounts admin administrator alerts ap ar ask benefits billing bookings build builds careers
    community compliance contact contracts customer customerservice delivery desk donotreply dpo editor einkauf
    engineering enquiries enquiry events feedback finance frontdesk general hello help helpdesk hiring hotline hr
    info information inquiries investor investors invoice invoices it jobs kontakt legal list lists logistics mail
    mailer marketing media news newsletter no noc noreply notices notifications office onboarding operations ops
    orders partners payroll people post postmaster pr press privacy procurement project projects purchasing quality
    reception recruiting recruitment registrar reply reports returns rfp root safety sales security service services
    shop site staff support talent team tech tenders training travel vendor vendors warehouse webmaster welcome"""
)


def without_urls(text: str) -> str:
    """`text` with web addresses blanked up to their query, offsets kept: slugs look like accounts."""
    return URL.sub(lambda match: " " * len(match.group()), text)


def is_role_mailbox(address: str) -> bool:
    """Whether an e-mail address belongs to a function ("billing@", "x@support.…") and not to a person."""
    local, _, domain = address.lower().partition("@")
    if domain.count(".") > 1 and domain.split(".")[0] in ROLE_MAILBOXES:
        return True
    whole = local.replace("-", "").replace("_", "")
    return re.split(r"[._+\-\d]", local)[0] in ROLE_MAILBOXES or whole in ROLE_MAILBOXES
