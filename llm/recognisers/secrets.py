"""Credentials and keys."""

import math
import re
from collections import Counter

from llm.recognisers.findings import Finding, matches, phrases
from llm.recognisers.formats import blank_urls

FORMATS = re.compile(
    r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----|\bA[KS]IA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{20,}"
    r"|\bgithub_pat_\w{20,}"
    r"|\bAuthorization:\s*(?:Basic|Bearer|Token)\s+[\w.~+/=-]{8,}"
    r"|\bglpat-[\w-]{16,}|\bxox[abeprs]-[\w-]{10,}|\bAIza[0-9A-Za-z_-]{30,}|\bnpm_[A-Za-z0-9]{30,}"
    r"|\bdop_v1_[a-f0-9]{40,}"
    r"|(?<![\w/-])(?:sk|pk|rk)[-_](?=[\w-]{0,80}\d)(?:live|test|ant|proj)?[-_]?[A-Za-z0-9_-]{12,}"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|\bSG\.[\w-]{16,}\.[\w-]{16,}|\bBearer\s+[\w.~+/-]{20,}=*"
    r"|\b[a-z][a-z0-9+.-]{2,30}://[^\s:/@]{0,80}:[^\s:/@]{3,80}@[\w.-]+"
    r"|\bwhsec_\w{16,}|\bhf_[A-Za-z0-9]{30,}|\bAccountKey=[\w+/]{30,}"
    r"|\bhttps://hooks\.[\w.-]{3,60}/[^\s]{0,80}?(?=\S{0,100}\d)[\w-]{18,80}"
    r"|[?&](?:sig|signature|token|access_token|secret|key|api_?key|code)=(?=[\w%.~-]{0,100}\d)[\w%.~-]{16,}"
)
VALUE = r"[\"'`“]?(?P<hit>[^\s\"'`”,;|]{4,})"
FOR_WHAT = (
    r"(?:(?:for|of|to|on|at|du|de|del|des|im|in|am|der|des|für|zum|zur|(?:is"
    r"|was)\s+the\s+usual)\s+(?:[\w.@/'’-][\w .@/'’-]{0,49}?\s*)?|[\w-]{1,20}\s*(?=:)|[\w ]{1,30}\(\w[\w ]{1,40}\)\s*)?"
)
PASSWORD = re.compile(
    r"\b(?:\w*pass(?:word|wd|phrase|code)?|\w*pwd|pw|passwort|kennwort|mot\s+de\s+passe|contraseña|senha"
    r"|clave|wachtwoord|mdp|lösenord|adgangskode|passord|hasło|parola\s+d['’]ordine"
    r"|identified\s+by)\b"
    rf"\*{{0,2}}[\"'`]?\s*{FOR_WHAT}(?:\b(?:is|was|are|ist|lautet|est|es|(?:has"
    rf"|was)\s+never\s+been\s+changed\s+from|still|remains|changed\s+to|set\s+to|reset\s+to)\b\s*+:?|:=?|=>?|->|→"
    rf"|(?=\s['\"]))\s*+\*{{0,2}}{VALUE}",
    re.IGNORECASE,
)
TOKEN = re.compile(
    r"(?<![A-Za-z0-9])(?:(?<!\w)\w*api|wi-?fi|wlan|network|access|recovery|unlock|secret|auth(?:entication)?|bearer"
    r"|encryption|signing"
    r"|private|shared|client|session|refresh|master"
    r"|deploy|webhook|license|licence)[\s_-]*(?:key|token|secret|seed)"
    rf"(?:\s+(?:for|to|of|from|in|on)\s+[\w .@/-]{{1,40}}?)?\b[\"'`]?\s*(?:is|was|:|=>?|->|→)\s*{VALUE}",
    re.IGNORECASE,
)
CODE = re.compile(
    r"\b"
    + phrases(
        r"""(?:alarm|door|gate|safe|vault|access|entry|security|garage|building|lock) (?:code|pin|combination);
        (?:disarm|unlock) code;
        PIN(?: (?:code|number))?; (?:recovery|backup) codes?; combination; one-?time (?:code|password);
        (?:alarm|tür|tor|zahlen|zugangs|pin)code; code
        (?:(?:de l|d)['’]\s*|(?:du|de la) )(?:alarme|coffre|porte|portail|accès|entrée)"""
    )
    + r"\s*+(?:(?:for|of|to|du|de|der|des|im|am|für|in)\s+(?:[\w'’][\w '’]{0,39}?\s*)?)?(?:is\s+still|is|are|was|ist"
    r"|lautet|est|:|=)\s*+:?\s*+"
    r"(?P<hit>\d[\d -]{2,}\d|[A-Z0-9]{4,}(?:-[A-Z0-9]{4,})+)",
    re.IGNORECASE,
)
LOGIN = re.compile(
    r"\b(?:log\s?in|sign\s+in|credentials|user(?:name)?)\b[^\n]{0,60}?\b[\w.@-]{3,80}(?:\s*+(?:[/|]|,\s++and\s)|\s++and\s)\s*+"
    r"(?:password\s+)?(?P<hit>(?=\S*\d)(?=\S*[A-Za-z])(?=\S*[^\w\s.,;:]|\S*[A-Z])\S{8,})",
    re.IGNORECASE,
)
OPENS = re.compile(
    r"\b(?:opens?|opened|switch(?:ed|es)?\s+off|turn(?:ed|s)?\s+off|deactivated?|keypad|disarm(?:ed)?|unlock(?:s"
    r"|ed)?|öffne\w*|entsperr\w*|ouvre"
    r"|désactiver)\b[^.\n]{0,40}?\b(?:with|by|code|takes|is|mit|avec)\s+(?:the\s+|den?\s+|le\s+)?(?:code\s+)?"
    r"(?P<hit>[A-Z]?\d[\d -]{2,}\d[#*]?)|\bdisarm(?:ed|s)?\b[^.\n\d]{0,60}(?P<late>\d{4,8}[#*]?)\b"
    r"|\b(?:enter|type|dial|key\s+in|punch\s+in|tippe\w*|tapez|saisir)\s+(?P<typed>\d{4,8}[#*]?)(?!\s*(?:times|to|for|rows))",
    re.IGNORECASE,
)
PHRASE = re.compile(
    r"\b(?:phrase|passphrase|password|passwort|kennwort|half|mot\s+de\s+passe"
    r"|seed)\b[^.\n\"“”«„]{0,40}[\"“«„]\s?(?P<hit>[^\"”»“\n]{6,60})[\"”»“]",
    re.IGNORECASE,
)
KEY_VALUE = re.compile(
    r"(?<![\w-])(?:pass|pwd|pw|secret|token|seed|\w*(?:BOT|TOKEN|SECRET|PASSWORD"
    r"|KEY)|\w+(?:Key|Secret|Token|Password)(?==))(?:\s*+(?::=|[=:])|[^\S ]*+ )\s*+"
    r"(?P<hit>(?=\S*\d)(?=\S*[A-Za-z])[A-Za-z0-9][^\s,;|]{7,})"
)
SEED_WORDS = re.compile(
    r"\b(?:[Rr]ecovery|[Ss]eed|[Bb]ackup|[Ww]allet|[Mm]nemonic)\s+(?:phrase"
    r"|words)\b[^.\n]{0,20}?[:\s](?P<hit>[a-z]{3,10}(?:[ ,]+[a-z]{3,10}){9,23})"
)
SLASHED = re.compile(
    r"(?:\b(?:admin\w*|root|operator|user\w*|benutzer)|\b(?:identifiants?|zugangsdaten|login"
    r"|credentials)\b[^\n/]{0,40})"
    r"\s*[/:]\s*(?P<hit>(?=\S*\d)(?=\S*[A-Za-z])[^\s/,;]{6,40})",
    re.IGNORECASE,
)
CURL_USER = re.compile(r"(?<!\w)-u\s+[\w.-]+:(?P<hit>[^\s@]{4,})")
# In an element, as an option of a command, and before the word.
PLACED = re.compile(
    r"<(?:\w*password|passw(?:or)?d|pwd|secret|\w*token|api_?key|pin)>\s*(?P<element>[^<\s]{4,80})\s*<"
    r"|\bmysql\w*\b[^\n]{0,80}?\s-p(?P<option>[^\s'\"]{4,40})"
    r"|(?<![^\s,;|<>\"'“”])(?P<ahead>(?=\S{0,80}\d)(?=\S{0,80}[A-Za-z])[^\s,;|<>\"'“”]{6,80}+)[\"'”]?\s+(?:as|for)\s+(?:the|its|your|a)\s+password\b"
    r"|\b(?:password|passphrase|passwort|kennwort)\s+(?:is|lautet)\s+(?P<several>[A-Z]\w+(?:\s\w+){1,4}\s\d{1,4})\s*(?:[.,;]|$)",
    re.IGNORECASE | re.MULTILINE,
)
# A name and what goes with it behind what they open.
PAIR = re.compile(
    r"\b(?:login|wi-?fi|wlan|credentials|zugang|zugangsdaten|admin)\b[^\n:]{0,40}:\s*[\w.@-]{2,40}\s*/\s*(?P<hit>[^\s/]{5,40})",
    re.IGNORECASE,
)
KEY_PLACE = re.compile(
    r"\b(?:(?:spare|safe|house|office|shed|garage|cellar|master|tresor|ersatz|haus|back\s+door|front\s+door)[\s-]*"
    r"(?:keys?|schlüssel)|keys?\s+(?:to|for|of)\s+the\s+(?:\w+\s+)?(?:room|safe|door|shed|garage|cellar|house|office|vault))\b"
    r"[^.\n]{0,30}?\b(?:under|behind|taped|hidden|inside|in\s+(?:the|a|my|his|her)|on\s+top|hinter|unter|im|sous|derrière)\b"
    r"|\bkeys?\s+(?:is|are)\s+(?:taped|hidden|under|behind)\b",
    re.IGNORECASE,
)
PIN = re.compile(r"\bPIN(?:\s+(?:of|for)\s+[^\n:]{1,40})?\s*:?\s+(?:is\s+)?(?P<hit>\d{4,5})(?![\d.,-])")
USER_AND = re.compile(
    r"\b(?:user|login|benutzer|identifiant|account)\b[^\n]{0,30}[\"'“]\s?[\w.@-]+[\"'”]\s+(?:and|und|et|/"
    r"|with)\s+[\"'“](?P<hit>[^\"'”\n]{6,40})[\"'”]",
    re.IGNORECASE,
)
SECRET_TABLE = re.compile(
    r"^[ \t]*\|(?=[^\n]*\b(?:password|passwort|kennwort|mot\s+de\s+passe|passphrase|pin|secret|token|api\s?key"
    r"|code)\b)[^\n]*\|[ \t]*\n"
    r"[ \t]*\|[ \t:|-]+\|[ \t]*\n[ \t]*\|(?P<hit>[^\n\d]*+\d[^\n]*)\|",
    re.IGNORECASE | re.MULTILINE,
)
TABLE_HEAD = re.compile(r"password|passwort|kennwort|mot\s+de\s+passe|passphrase|secret|token|api\s?key", re.IGNORECASE)
# What opens a lock: figures in a row with dashes between them, a code that is told after when it holds from.
LOCK = re.compile(
    r"\b(?:pad)?(?:lock|safe|tresor|vault|schloss|cadenas|coffre|combination)\b[^.\n]{0,50}?"
    r"(?<![\d.-])(?P<hit>\d{1,2}(?:\s?[-–]\s?\d{1,2}){2,7})(?![\d-])",
    re.IGNORECASE,
)
SPOKEN_CODE = re.compile(
    r"\b(?:alarm|door|gate|garage|safe|tür|tor|tresor)\b[^.\n]{0,20}[=:]\s*(?P<hit>\d{3,8}[#*]?)(?![\d.,:])"
    r"|\b(?:opens?|unlocks?|disarms?)\b[^.\n]{0,20}\b(?:press|enter|type|dial)\s+(?P<pressed>\d(?:[- ]?\d){2,7})"
    r"|\bpw\s+(?P<pw>(?=[^\s,;|]*[\d_])(?=[^\s,;|]*[A-Za-z])[^\s,;|<>]{6,40})"
    r"|\b(?:parole|losung|password\s+of\s+the\s+day)\b[^.\n]{0,30}:\s*(?P<word>\w{4,})"
    r"|\b(?:pw|pwd|password|passwort|kennwort)\s+(?:for|of|für)\b[^.\n]{0,30}\bis\b[^.\n]{0,40}\b(?:plus|and"
    r"|und|backwards)\b",
    re.IGNORECASE,
)
TURNS = re.compile(
    r"\b(?:safe|vault|lock|tresor|dial)\b[^\n]{0,60}?\b(?P<hit>(?:left|right|links|rechts|gauche"
    r"|droite)\b[^\n]{0,20}?\d{1,2}\b[^\n]{0,30}?"
    r"(?:left|right|links|rechts|gauche|droite)\b[^\n]{0,20}?\d{1,2})\b",
    re.IGNORECASE,
)
OTP_SEED = re.compile(
    r"\b(?:otp|totp|2fa|mfa|authenticator)\b[^\n:]{0,40}\b(?:seed|secret"
    r"|key)\b[^\n:]{0,40}:\s*(?P<hit>[A-Z2-7](?:[A-Z2-7 ]{10,}))",
    re.IGNORECASE,
)
TOLD = re.compile(
    r"\b(?:password|passphrase|passwort|kennwort|mot\s+de\s+passe|master\s+(?:key"
    r"|password))\b[^.\n]{0,60}\b(?:is|lautet|est|ist)\b"
    r"[^.\n]{0,90}:\s*(?P<hit>[^\s.,;:]{8,60})[^\S\n]*+\.?[^\S\n]*+$",
    re.IGNORECASE | re.MULTILINE,
)
DATED_CODE = re.compile(
    r"\b(?:door|gate|alarm|entry|access|garage|safe|tür|tor|alarm)[\s-]?code\b[^.\n]{0,40}?(?:\bis|:|=|\blautet"
    r"|\best|\bit['’]s|\bto)\s*"
    r"(?P<hit>[A-Z]?\d{3,8}[A-Z#*]{0,2})(?!\w)"
    r"|\bcode\s+(?:for|of|to|at)\s+[\w '’-]{1,40}?\b(?:gate|doors?|alarm|safe|lock|garage|shed|locker|building"
    r"|entrance|barrier|cellar|keypad|key\s?box)\b[^.\n\d]{0,15}?(?:\bis|:|=)\s*(?P<place>\d{3,8})(?!\d|[.,]\d)"
    r"|\bone-?time\s+(?:password|code|pin|passcode)\b[^.\n]{0,50}?:\s*(?P<once>\d[\d ]{2,8}\d)",
    re.IGNORECASE,
)
# A value right behind the word, or at the end of what is said of it: letters with digits.
MIXED = r"(?=[^\s,;|]*\d)(?=[^\s,;|]*[A-Za-z])[^\s,;|<>]{6,40}"
# With a sign that names of hosts, versions and files do not have.
STRONG = rf"(?=[^\s,;|/]*[!$#%&*^])(?=[^\s,;|]*\d){MIXED}"
SIGNED = rf"(?=[^\s,;|/]*[!$#%&*^@?])(?=[^\s,;|]*\d){MIXED}"
BEHIND = re.compile(
    rf"\b(?:password|passwort|kennwort|mot\s+de\s+passe|contraseña|passphrase)\s+(?P<hit>{MIXED})"
    rf"|\b(?:password|passwort|kennwort|mot\s+de\s+passe|contraseña)\b[^.\n]{{0,80}}?,\s*(?P<last>{MIXED})(?=\.?\s*$)"
    rf"|\b(?:chang|re-?set|set)\w*\s[^.\n]{{0,30}}?\b(?:password|passwort|pin)\s[^.\n]{{0,30}}?\b(?:to|auf)\s(?P<new>{MIXED})"
    rf"|\b(?:wi-?fi|wlan|network|ssid)\b[^.\n]{{0,60}}?\b(?:key|password|pass)\s+(?P<key>{MIXED})"
    rf"|\b(?:(?:wi-?fi|wlan|hotspot|pw|pass)\b[^.\n]{{0,40}}?(?:\bis\b|:|=)\s*(?P<wifi>{SIGNED})"
    rf"|(?:network|router|vpn|login|zip|archive|vault|mailbox)\b[^.\n]{{0,40}}?(?:\bis\b|:|=)\s*(?P<place>{STRONG}))"
    rf"|\buses?\s+(?P<used>{STRONG})\s+(?:to\s+(?:open|unlock|log|get)\b|as\s+(?:\w+\s+){{0,2}}(?:password|pass|pin|key|code|login)\b)"
    rf"|(?:^|\s)(?P<said>{STRONG})\s*(?:<-|←|\()\s*(?:\w+\s)?(?:wi-?fi|wlan|pass|pw|password|login)\b"
    rf"|\b(?:api|access|secret|encryption|signing)\s+key\b[^.\n]{{0,60}}?(?:\bis|:|=)\s*(?P<api>(?=\w*\d)[A-Za-z0-9_\-]{{20,80}})"
    rf"|\b(?:PUK|puk)\W{{1,3}}(?P<puk>\d{{8}})\b|\b(?:key\s?(?:safe|box)|lock\s?box)\b[^.\n\d]{{0,40}}(?P<keybox>\d{{4,6}})\b(?![.,:]\d|\s+\w)"
    rf"|\bcommunity\s+string\b[^.\n]{{0,50}}?(?:\bis|:)\s*(?P<string>[^\s,;]{{5,40}})",
    re.IGNORECASE | re.MULTILINE,
)
WATCHWORD = re.compile(
    r"\banswer\s+to\s+the\s+(?:security|secret|memorable)\s+question\b[^.\n]{0,60}?(?:\bis|:)\s*[\"'“‘]?\w"
    r"|\b(?:duress|pass|safe|challenge|watch)[\s-]?word\s+(?:for|of|at|to)\b[^.\n]{0,40}?\b(?:is|lautet)\s*[\"'“‘]\w"
    r"|\b(?:duress|challenge)\s?word\b[^.\n]{0,40}?(?:\bis|:)\s+[\"'“‘]?\w",
    re.IGNORECASE,
)
# A word for what opens something with its value right behind it, or behind what it opens.
OPENER = re.compile(
    r"\b(?:(?:zugangs|tür|tor|schloss|zahlen|tresor)\w*(?:code|schloss)|zahlenschloss|digicode|code\s+(?:du\s+|d['’])?portail"
    r"|(?:shed|bike\s+shed|key\s?box|key\s?safe|locker|cellar|garage|gate|door|alarm|entry)\s+(?:code|pin)"
    r"|keypad|alarm|(?:front|back|side)\s+door)"
    r"(?:\s+(?:at|on|of|for|am|im|zur?)\s+[\w ]{1,30}?)?(?:\s+[^\W\d_]{3,20}){0,2}:?\s+"
    r"(?P<hit>(?!(?:19|20)\d\d\b)\d{4,8}[#*]?(?![\d.,:/]|\s*(?:mm|cm|m|km|kg|euro|eur)\b)|(?=\w*\d)[A-Z\d]*\d\d[A-Z\d]+\b)"
    r"|\b(?:gate|door|safe|lock)\s*:\s*(?P<dashed>\d(?:-\d){2,7})\b",
    re.IGNORECASE,
)
QUOTED = re.compile(
    r"\b(?:client[\s_-]secret|token|api_?key|unseal\s+key(?:\s+\d+)?|wep\s+key|psk|shared\s+key"
    r"|(?:encryption|signing)\s+key)\b(?:\s*\([^)\n]{1,20}\))?\s*[:=]?\s*"
    r"[\"'“]?(?P<hit>(?=[^\s\"'”]*\d)(?=[^\s\"'”]*[A-Za-z])[^\s\"'”,;<>]{10,80})"
    r"|\blog\s+in\s+as\s+[\w.@-]+\s+with\s+[\"'“](?P<word>[^\"'”\n]{6,40})[\"'”]",
    re.IGNORECASE,
)
PASSWORD_FOR = re.compile(
    r"\b(?:password|pwd?|passwort|kennwort|wachtwoord|mot\s+de\s+passe|contraseña|senha|parola|lösenord|passord)\s+"
    r"[^\n:]{1,50}?\s?:\s*(?P<hit>[^\s,;|<>]{6,40})(?=\.?\s*$)",
    re.IGNORECASE | re.MULTILINE,
)
RECOVERY_ANSWERS = re.compile(
    r"\b(?:recovery|security)\s+(?:answers?|questions?)\b[^\n:]{0,40}:\s*\w|\banswers\s+for\s+the\s+bank[^\n:]{0,40}:\s*\w",
    re.IGNORECASE,
)
# The next word of a sentence about passwords, not a password.
PROSE = re.compile(
    phrases(
        """must; should; required; changed; reset; expired?; stored; protected; never; always; not; an?; the; your;
        at; by; in; too; set; sent; hashed; encrypted; needed; valid; used; only; kept; shared; policy; entered;
        incorrect; wrong; available; managed; rotated; issued"""
    )
    + r"\b",
    re.IGNORECASE,
)
PATH = re.compile(r"/|(?:(?:[A-Z]?[a-z_.-]{1,40}\d{0,9}|\d{1,9})/){2}")
MASK = frozenset("*•xX.-_?<>…")
PLACEHOLDER = ("<", "{{", "${", "$(", "%(")


def find_secrets(text: str) -> list[Finding]:
    """Findings of kind "secret": key formats, passwords and tokens with their values, door and safe codes."""
    found = list(matches("secret", FORMATS, text))
    text = blank_urls(text)
    for finding in matches("secret", PASSWORD, text):
        quoted = text[finding.start - 1 : finding.start] in ("'", '"', "`", "“")
        if is_password(text[finding.start : finding.end], quoted=quoted):
            found.append(finding)
    found += [f for f in matches("secret", TOKEN, text) if is_token(text[f.start : f.end])]
    logins = matches("secret", LOGIN, text)
    found += [f for f in logins if is_token(text[f.start : f.end]) and not is_path(text, f)]
    found += [f for f in matches("secret", SLASHED, text) if is_password(text[f.start : f.end], quoted=False)]
    found += [f for f in matches("secret", KEY_VALUE, text) if is_token(text[f.start : f.end])]
    found += [f for f in matches("secret", PHRASE, text) if is_phrase(text[f.start : f.end])]
    found += [f for f in matches("secret", USER_AND, text) if is_phrase(text[f.start : f.end])]
    found += [*matches("secret", LOCK, text), *matches("secret", WATCHWORD, text), *matches("secret", DATED_CODE, text)]
    for pattern in (CODE, OPENS, CURL_USER, SEED_WORDS, SPOKEN_CODE, TURNS, OTP_SEED, TOLD):
        found += matches("secret", pattern, text)
    found += [*matches("secret", OPENER, text), *matches("secret", RECOVERY_ANSWERS, text)]
    found += [f for f in matches("secret", PASSWORD_FOR, text) if is_password(text[f.start : f.end], quoted=False)]
    found += [*matches("secret", PIN, text), *matches("secret", KEY_PLACE, text)]
    found += [f for f in matches("secret", PAIR, text) if is_password(text[f.start : f.end], quoted=False)]
    for match in (*BEHIND.finditer(text), *QUOTED.finditer(text), *PLACED.finditer(text)):
        value = next(value for value in match.groups() if value)
        if not PROSE.match(value) and not value.startswith(PLACEHOLDER) and not set(value) <= MASK:
            found.append(Finding("secret", *match.span()))
    for match in SECRET_TABLE.finditer(text):
        if TABLE_HEAD.search(match.group().partition("\n")[0]):
            found.append(Finding("secret", *match.span("hit")))
    return found


def is_phrase(value: str) -> bool:
    """Whether what stands in quotation marks behind such a word is one: several words, or letters with digits."""
    if PROSE.match(value) or value.startswith(PLACEHOLDER) or set(value) <= MASK:
        return False
    return len(value.split()) >= 3 or any(c.isdigit() for c in value) or "-" in value


def is_password(value: str, *, quoted: bool) -> bool:
    """Whether a value said to be a password is one, and not prose or a placeholder ("****", "<password>")."""
    core = value.rstrip(".,;:!?)\"'”*")
    if len(core) < 4 or PROSE.match(core) or set(core) <= MASK or core.startswith(PLACEHOLDER):
        return False
    digits = any(character.isdigit() for character in core)
    symbols = (
        not core.isalnum() and "'" not in core and "’" not in core and any(not c.isalnum() for c in core.strip("-"))
    )
    return digits or symbols or quoted and len(core) >= 6


def is_path(text: str, value: Finding) -> bool:
    """Whether a value is part of a path: of one from the root, or of plain words with two slashes."""
    return bool(PATH.match(text[: value.end].rsplit(maxsplit=1)[-1]) or text.startswith("/", value.start))


def is_token(value: str) -> bool:
    """Whether a value looks generated: long, with digits, and not a placeholder."""
    core = value.rstrip(".,;:!?)\"'”*")
    if len(core) < 8 or core.startswith(PLACEHOLDER) or set(core) <= MASK:
        return False
    return any(character.isdigit() for character in core) and (compute_entropy(core) > 2.5 or len(core) >= 16)


def compute_entropy(value: str) -> float:
    """Shannon entropy of the characters, bits a character: random keys have more than words."""
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
