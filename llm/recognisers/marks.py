"""What a text says about its own confidentiality. A mark can only add a label; "this is public" adds nothing."""

import re

from llm.recognisers.findings import Finding, matches, phrases

LINE = r"(?:^|(?<=\n))[ \t#*_>|\-–—\[(]*"
END = r"[\s*_|.\-–—\])!]*(?:$|(?=\n)|(?=\s[-–—|]\s))"
# A mark at the head of the text it is for: "Confidential: the bid is low", "[CONFIDENTIAL] …", "**Secret** …".
RUN_IN = r"(?:[*_\])]*(?:[:.!](?=[\s*_\])])|\s?[–—]|\s-(?=\s))|[*_\])]+(?=\s))"
HERE = phrases(
    """memo(?:randum)?; report; document; paragraph; section; clause; schedule; annex; appendix; letter; page; note;
    e-?mail; message"""
)
THIS = rf"\bthis\s+(?:\w+\s+)?{HERE}\s+is\s+"

INTERNAL = re.compile(
    r"\b"
    + phrases(
        r"""for internal (?:use|distribution|circulation|purposes)(?: only)?; internal use only; internal only;
        staff only; company internal; internal (?:memo(?:randum)?|draft)\b; employees only;
        (?:do )?not (?:to be )?(?:share|shared|distribute|distributed|forward|circulate)d? (?:this )?(?:\w+ )?outside;
        nur für (?:den )?(?:internen gebrauch|interne zwecke); usage interne; uso interno"""
    )
    + rf"\b|{LINE}internal{END}",
    re.IGNORECASE,
)
# A licence that allows internal use is no mark.
LICENCE = re.compile(
    r"\b(?:licen[cs]e[ds]?|licensee|software|source\s+code|derivative|copies|copy|documentation|products?)\b", re.I
)
# A duty to keep something confidential marks nothing.
DUTY = re.compile(
    r"\b(?:keep|kept|hold|held|treat(?:ed)?|maintain(?:ed)?|remains?|preserved?|in|considered|deemed)\b[^.\n]{0,80}$",
    re.I,
)
CONFIDENTIAL = re.compile(
    rf"{LINE}(?:strictly\s+|highly\s+|company\s+|commercially\s+|business\s+)?(?:private\s+(?:and|&)\s+)?confidential"
    rf"(?:\s+(?:and|&)\s+proprietary)?(?:{END}|{RUN_IN})"
    rf"|\b(?:strictly|highly|company|business)\s+confidential\b"
    r"(?!\s+(?:basis|manner|information|data|and\s+may\s+not))"
    r"|\bcommercial[\s-]+in[\s-]+confidence\b|\bprivate\s+(?:and|&)\s+confidential\b"
    r"|\bconfidential\s*[-–—:]\s*(?:do\s+not|not\s+for|for\s+the\s+attention)"
    rf"|{THIS}(?:strictly\s+)?confidential\b|\bthe\s+following\s+is\s+(?:strictly\s+)?confidential\b"
    r"|\bnot\s+for\s+(?:public\s+)?(?:disclosure|release|publication|distribution|circulation)\b|\bunder\s+embargo\b"
    r"|\bstreng\s+vertraulich\b|\bvertraulich\s*$|\bstrictement\s+confidentiel\b|\bestrictamente\s+confidencial\b",
    re.IGNORECASE,
)
UNDERTAKINGS = phrases(
    r"""acquisition; merger; takeover; divestiture; divestment; IPO; buy-?out; restructuring; layoffs?;
    redundanc(?:y|ies); reorgani[sz]ation; plant closure"""
)
DEALS = re.compile(
    rf"\b(?:potential|proposed|planned|confidential|secret|unannounced|pending)\s+(?:\w+\s+)?{UNDERTAKINGS}\b"
    r"|\b"
    + phrases(
        r"""acquisition target; takeover (?:bid|target|offer); letter of intent to acquire; non-?binding offer for;
        (?:plans?|planning|negotiat\w+|talks) to (?:acquire|buy out|merge with|take over|divest|lay off);
        (?:plans?|planning) to make \w+ redundant; material non-?public;
        (?:has|have|is|are) not (?:yet )?(?:been )?(?:publicly )?(?:announced|public|made public|disclosed);
        before (?:the|any) (?:public )?announcement; board[\s-]+(?:only|eyes only|confidential)"""
    )
    + r"\b",
    re.IGNORECASE,
)
ADVISES = phrases(
    """advises?; advised; advice; assessment; view; believes?; recommends?; recommended; estimates?; considers?"""
)
PRIVILEGE = re.compile(
    rf"\b(?:our|outside|external|general|in-house|legal)\s+counsel(?:['’]s)?\s+{ADVISES}\b"
    r"|\b"
    + phrases(
        r"""attorney[\s-]*client (?:privileged?|communication); solicitor[\s-]*client; legal(?:ly)? privileged?;
        legal advice privilege; privileged (?:and|&) confidential; confidential (?:and|&) privileged;
        subject to (?:legal )?privilege; attorney work[\s-]+product; work product doctrine;
        without prejudice(?: and confidential)?\s*(?:$|[:.\n]); litigation (?:strategy|hold memo);
        settlement (?:strategy|position|authority|range); legal (?:memo(?:randum)?|exposure);
        we (?:should|would) settle; anwaltsgeheimnis;
        (?:advised by|advice (?:of|from)) (?:our|outside|external|in-house) (?:\w+ )?counsel;
        (?:advised by|advice (?:of|from)) our (?:\w+ )?(?:lawyers?|attorneys?|solicitors?);
        (?:likelihood|chances?|odds|prospects?) of (?:success|losing|prevailing|winning) (?:at|in|on)"""
    )
    + r"\b",
    re.IGNORECASE,
)
PRIVILEGE_BOILERPLATE = re.compile(
    r"\b(?:waive[sd]?|waiver|breach|protected\s+by|loss\s+of)\b[^.\n]{0,80}\bprivileged?\b"
    r"|\bprivilege\b[^.\n]{0,60}\b(?:waive[sd]?|waiver)\b",
    re.IGNORECASE,
)
SECRET = re.compile(
    rf"\btop\s+secret\b|{LINE}(?:strictly\s+)?secret(?:{END}|{RUN_IN})|\bSECRET//\w+|{THIS}(?:top\s+)?secret\b|\bstreng\s+geheim\b"
    r"|\beyes\s+only\b(?!\s+board)",
    re.IGNORECASE,
)
DECLARED = re.compile(
    r"\b(?:(?:(?:data|document|information|security)\s+)?(?:classification|sensitivity)|protective\s+marking)"
    r"(?:\s+(?:level|label))?\s*[:=]\s*[*_]*"
    r"(?P<level>internal|confidential|restricted|pii|personal|sensitive|financial|secret|top\s+secret)\b",
    re.IGNORECASE,
)


def find_marks(text: str) -> list[Finding]:
    """Findings of kinds internal, confidential, deal, privilege, secret_mark and declared:<level>."""
    found = [
        *(f for f in matches("internal", INTERNAL, text) if len(text) < 160 or not LICENCE.search(text)),
        *(f for f in matches("confidential", CONFIDENTIAL, text) if not DUTY.search(text[: f.start])),
        *matches("deal", DEALS, text),
        *matches("secret_mark", SECRET, text),
    ]
    if not PRIVILEGE_BOILERPLATE.search(text):
        found += matches("privilege", PRIVILEGE, text)
    for match in DECLARED.finditer(text):
        found.append(Finding("declared:" + " ".join(match["level"].lower().split()), match.start(), match.end()))
    return found
