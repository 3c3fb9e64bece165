"""Whose telephone number, address or network address it is: a person's, or a firm's or nobody's."""

import re

from llm.recognisers import formats
from llm.recognisers.findings import Finding, phrases

HOME = re.compile(
    r"\b"
    + phrases(
        r"""lives?; lived; living; resid(?:es?|ed|ing|ence|ential); (?:home|private|my|billing|new) address; wohnhaft;
        wohnt; (?:meine )?(?:neue )?(?:anschrift|adresse); (?:his|her|their) (?:\w+ )?(?:address|flat|house|place);
        domicili(?:ed|é|ado); demeurant; domicile; habite; at home; home:; ['’]s (?:home|house|flat|place); adresse
        privée; privatadresse; meine? adresse; mon adresse; your address"""
    )
    + r"\b",
    re.IGNORECASE,
)
COMPANY = re.compile(
    r"\b"
    + phrases(
        r"""inc; llc; llp; l\.?p; ltd; limited; gmbh; corp(?:oration)?; incorporated; plc; headquarter\w*;
        registered office; principal place; esq;
        (?-i:AG|KG|SA|SAS|SARL|BV|NV|SpA|Oy|AB|ApS|OHG|SE); aktiengesellschaft; sp\. z o\.o; s\.a; b\.v; n\.v"""
    )
    + r"\b",
    re.IGNORECASE,
)
PREMISES = re.compile(
    r"\b"
    + phrases(
        """company; offices?; branch(?:es)?; warehouse; plant; factory; venue; hotel; restaurant; store; shop; site;
            depot;
        building; museum; station; universi\\w+; institut\\w*; department; faculty; school; hospital; bank; tower;
        cent(?:er|re); capital; distributor;
        supplier; licensee; attn; attention; goods inward; estate; unit \\d+; entrance;
        \\d+(?:st|nd|rd|th) floor; suite \\w+;
        unsubscribe; sent (?:from|by|with|to); all rights reserved; copyright; privacy policy; view in browser"""
    )
    + r"\b",
    re.IGNORECASE,
)
HOTLINE = re.compile(
    r"\b"
    + phrases(
        r"""hotline; help ?desk; switchboard; reception; front desk; toll[\s-]?free;
        customer (?:service|support|care); support (?:line|desk); main (?:line|number|office); service desk;
        control room; emergency (?:number|services|line); zentrale; standard; accueil; taxi; police;
        reach us; hold of us; call us; ring us; option \d; weekdays; mon(?:day)?s? (?:to|[-–]) (?:fri|sat)\w*;
        montags bis \w+; du lundi au \w+; open(?:ing hours)?"""
    )
    + r"\b",
    re.IGNORECASE,
)
FAX = re.compile(r"\b(?:fax|facsimile|telefax|telecopier)\b", re.IGNORECASE)
TOLL_FREE = re.compile(r"^\+?1?[\s.\-(]*8(?:00|33|44|55|66|77|88)\b|^0?800\b|^\+\d{2}\s?800\b")

# The field of a form or a record; a firm's names the firm or its building beside it.
ADDRESS_LINE = re.compile(
    r"\bc/o\s|^[^\w\n]*+(?:address|anschrift|adresse|direcci[oó]n|indirizzo)\W{1,3}(?=[^\n]*\d)",
    re.IGNORECASE | re.MULTILINE,
)


def is_company_phone(text: str, phone: Finding, *, of_person: bool) -> bool:
    """Whether a number is nobody's in particular. of_person: the text speaks of a person or of a home."""
    if TOLL_FREE.search(text[phone.start : phone.end]):
        return True
    if of_person:
        return False
    before = text[max(0, phone.start - 60) : phone.start]
    after = text[phone.end : phone.end + 60]
    return bool(HOTLINE.search(before) or HOTLINE.search(after) or FAX.search(before[-25:]) or COMPANY.search(text))


def is_home(text: str, *, of_person: bool) -> bool:
    """Whether a street in `text` is where somebody lives, and not a firm's address."""
    if HOME.search(text) or formats.MILITARY_POST.search(text) or formats.APARTMENT.search(text):
        return True
    of_person = of_person or ADDRESS_LINE.search(text) is not None
    return of_person and not COMPANY.search(text) and not PREMISES.search(text)


ONE_PERSON = re.compile(r"\b(?:I|[Mm]y|[Hh]is|[Hh]er|[Hh]e|[Ss]he)\b")
NETWORK_ADDRESS = re.compile(r"\b(?:\d{1,3}\.){3}\d{1,3}\b")


def is_network_address_of_person(text: str, *, of_person: bool) -> bool:
    """Whether a network address stands beside somebody: a name, an account, a client, or one who speaks."""
    addressed = formats.IPV6.search(text) or formats.HARDWARE_ADDRESS.search(text)
    if of_person:
        return bool(addressed or NETWORK_ADDRESS.search(text))
    speaks_of_one = formats.ACTOR.search(text) or ONE_PERSON.search(text)
    return bool((addressed or formats.PUBLIC_IPV4.search(text)) and speaks_of_one)
