"""How telephone numbers, e-mail addresses and numbers of things are asked for, and what they look like."""

import re

from text.terms import ALIKE, extract_terms, stem_word

# What somebody or something is called by: the number of a case, of a telephone. How many there are of something is no
# such number, nor is a code of conduct or of dress.
NUMBERED_THING = re.compile(
    r"\b((?!(?:what|which|the|total|max|min|average|overall|exact)[a-z]*\b)[^\W\d_]{2,}(?=\s+(?:number|no\.?|nr\.?|id)(?!\w))"
    r"|(?:zip|postal|post|area|dialling|dialing|sort|customer|access|door|entry|discount|booking|product|item|project)"
    r"(?=\s+code\b))\s+\w+\.?(?=\W*$|\s+(?:for|is)\b|\s+of\s+(?:(?:the|this|that|our|your|my|his|her|its|their|an?)\b|(?-i:[A-Z])))",
    re.IGNORECASE,
)
ASKED_THING = r"\bwhat\s+(?:is|are)\s+(?:the|his|her|its|their|our|your)\s+(?:[\w'’-]+\s+){0,3}?"
OF_WHOM = r"(?:\s+address)?(?:\W*$|\s+(?:of|for)\s)"
MAIL = re.compile(r"[^\s@]@[^\s@]+\.\w")
PHONE = re.compile(
    r"(?<![\w./-])(?<![A-Z]{2}\s)"
    r"(?!\d{1,2}[./-]\d{1,2}[./-]\d{4}\b|\d{4}-\d\d-\d\d)\+?\(?\d(?:[\s()/.–-]{0,3}\d){5,14}(?!\w)"
)
"""Six digits and more, in groups: no date, and no postal code behind its state."""
PHONE_ASKED = re.compile(rf"{ASKED_THING}(?:(?:tele)?phone|tel|fax|mobile)(?:\s+(?:number|no|nr)\b|{OF_WHOM})", re.I)
MAX_LINE_CHARACTERS = 120
FAX = re.compile(r"\b(?:tele)?fax\b", re.I)


def has_phone(sentence: str, question: str) -> bool:
    """A number by which one is called; a fax is none, where there is not another before it. In a block of lines what
    the question names stands before the number, or not at all.
    """
    is_fax = FAX.search(question)
    found = PHONE.search(sentence if is_fax else FAX.split(sentence)[0])
    if found is None or (is_fax and not FAX.search(sentence)):
        return False
    asked = set(extract_terms(question))
    before, behind = (asked & set(extract_terms(text)) for text in (sentence[: found.start()], sentence[found.end() :]))
    return len(sentence) <= MAX_LINE_CHARACTERS or bool(before) or not behind


def has_number_of_thing(sentence: str, question: str) -> bool:
    """A number right behind what it is the number of: "Case No.: 09-13654"."""
    asked = NUMBERED_THING.search(question)
    forms = {asked[1], *ALIKE.get(stem_word(asked[1]), ())} if asked else set()
    return any(
        re.search(
            rf"\b{re.escape(form[:6])}[^\W\d_]*+\W{{0,3}}"
            r"(?:(?:(?:no|nr|number|id|code)\b)?(?:[^.:;|\d]{0,60}\b(?:is|was|are|reads)\b)?[\s|#:.()+-]{0,6}"
            r"(?:[A-Z]{1,6}-){0,2}[A-Z]{0,6}-?\d|(?:no|nr|number|id|code)\.?\s?:\s*\w)",
            sentence,
            re.IGNORECASE,
        )
        for form in forms
    )
