"""Terms: the stems of the words that mean something."""

import re
import unicodedata
from functools import lru_cache

from text.words import words

STOP = words(
    """a about above after again against all also am an and any are aren as at be because been before being below
    between both but by can cannot could couldn did didn do does doesn doing don down during each either else ever
    few for from further get give given go got had hadn has hasn have haven having he her here hers herself him
    himself his how however i if in into is isn it its itself just know let like ll made make many may me might more
    most much must my myself need no nor not now of off on once one only or other our ours out over own per please
    needed needs re same say says shall she should so some such tell than that the their theirs them themselves then
    there these they this those through to too under until up upon us ve very want was wasn we were weren what when
    where whether which while who whom whose why will with within without would you your yours document documents file
    files record question answer explain describe find show list der die das den dem des ein eine einer einem einen
    und oder aber ist sind war wird werden wie was wer wo wann warum welche welcher welches im in am an auf für von
    mit zu zum zur bei nach aus es er sie wir ich nicht le la les un une des du et ou est sont que qui quoi dans
    pour par sur avec el los las una y o es son qué quién cómo cuándo dónde para por con del al se su quel
    quelle quels quelles combien cuál cual cuáles cuánto cuánta hoch viel biggest main
    mr mrs ms dr pls plz thx still already yet key important current latest overall major"""
)
GO_UP = re.compile(r"\b(?:go|goes|going|went|gone) up\b", re.IGNORECASE)
GO_DOWN = re.compile(r"\b(?:go|goes|going|went|gone) down\b", re.IGNORECASE)
OUT_OF_USE = re.compile(r"\bout of (?:service|order|action)\b", re.IGNORECASE)
LETTER = re.compile(
    r"(?<![\w-])((?i:lift|flat|unit|block|gate|plan|room|bay|door|hall|wing|type|class|grade|option|level|zone|row|line|phase"
    r"|schedule|appendix|annex|exhibit|part|building|house|stair|pump|boiler|tank|shed|site|lot|team|group|shift|vitamin|batch"
    r"|tower|berth|quay|sector|truss|column|version|model|area|court|platform|terminal|route|lane|desk|crane|machine))s?\s"
    r"([b-zA-Z])(?![\w'’&/-]|\.\w)"
)
"""One of several that have a letter: "lift B", "flat c"."""
WORD = re.compile(r"[^\W_]+(?:[.,'’\-/&][^\W_]+)*")
CONTRACTION = re.compile(r"(?:i|you|we|they|s?he|it|that|there|who|what|how)['’](?:m|re|ve|ll|d|s)|[a-z]+n['’]t", re.I)
# Suffix and what stands in its place; the first that fits is taken.
SUFFIXES = tuple(
    (pair.partition(":")[0], pair.partition(":")[2])
    for pair in re.split(
        r"\s+",
        """ational:ate ization:ize isation:ise fulness:ful ousness:ous iveness:ive ation:ate ement: ments:
        ment: ities: ity: ness: ings: ing: edly: ied:y ies:y ed: ions: ion: iers:y ier:y ers: er: ally:al ents: ent:
        ants: ant: ency: ancy: ly: ance: ence: able: ible: ss:ss es: s: e:""",
    )
)
# Question words that mean the same as words of documents.
ALIKE = {
    entry.partition(":")[0].strip(): entry.partition(":")[2].split()
    for entry in re.split(
        ";",
        """cost: price fee charge pay; earn: salary pay wage; pay: salary wage compensation paid price; salary: pay
        compensation wage; cancel: terminate termination; end: expire terminate; start: begin commence effective;
        begin: start commence; due: deadline; holiday: vacation leave; quit: resign terminate; job: role
        position; buy: purchase; paid: pay; doctor: physician provider; allow: permit may; forbid: prohibit;
        prohibit: forbid; own: ownership owner; fix: repair remedy; penalty: damages fine fee; cap: limit maximum
        exceed; limit: cap maximum exceed; maximum: limit cap exceed; minimum: least; law: govern jurisdiction;
        risk: threat danger; delay: late postpone; budget: cost; sum: amount value price; worth: value price;
        contract: agreement; assign: transfer; audit: inspect examine; renew: extend renewal; renewal: renew extend;
        fax: telefax; colour: color; color: colour; car: vehicle model; die: death dead died
        killed fatal; died: death dead killed fatal; absent: diagnosed ill sick unwell;
        broken: fault failure; ris: increase; increas: rise; fall: decrease drop;
        fall: decrease drop change; drop: fall decrease; hurt: injured;
        injur: hurt; accid: incident; extens: ext; heavy: weight; loud: noise; pocket: spending;
        kid: child pupil; vacancy: vacant unfilled; choos: prefer preferred select; attend: present""",
    )
}


IRREGULAR = {
    form: base.strip()
    for entry in re.split(
        ";",
        """send: sent; take: took taken; hold: held; keep: kept; meet: met; sell: sold; buy: bought; bring: brought;
        teach: taught; tell: told; choose: chose chosen; write: wrote written; speak: spoke spoken;
        lose: lost; build: built; spend: spent; rise: rose risen; fall: fell fallen; grow: grew grown;
        run: ran; become: became; flee: fled; lead: led; know: knew known; fight: fought;
        draw: drew drawn; throw: threw thrown; strike: struck; catch: caught;
        begin: began begun; drive: drove driven; steal: stole stolen; lend: lent; win: won""",
    )
    for base, _, forms in [entry.partition(":")]
    for form in forms.split()
}
"""Form of a verb -> its base."""


@lru_cache(maxsize=50_000)
def stem_word(word: str) -> str:
    """A rough stem: suffixes off while three letters stay, so that "terminates" and "termination" meet."""
    word = re.sub(r"['’]s?$", "", word)
    folded = "".join(c for c in unicodedata.normalize("NFKD", word.lower()) if not unicodedata.combining(c))
    folded = IRREGULAR.get(folded, folded)
    if any(character.isdigit() for character in folded) or len(folded) < 4:
        return folded.replace(",", "")
    for suffix, instead in SUFFIXES:
        least = 4 if suffix[:3] in ("ent", "ant") else 3
        if folded.endswith(suffix) and len(folded) - len(suffix) >= least:
            folded = folded[: len(folded) - len(suffix)] + instead
            if suffix in ("ed", "ing") and folded[-1] == folded[-2] and folded[-1] in "bdgmnprt":
                folded = folded[:-1]  # "shipped" of "ship"
            break
    if len(folded) > 5 and folded.endswith("ll"):
        folded = folded[:-1]  # "cancelled", and "install" with it
    return folded.rstrip("e") if len(folded) > 4 else folded


SPELLINGS = tuple(
    pair.split()
    for pair in re.split(
        ";",
        """labor labour; liter litre; meter metre; center centre; theater theatre; jewelry jewellery; gray grey;
        tire tyre; license licence; defense defence; neighbor neighbour; harbor harbour; favor favour; honor honour;
        mold mould; plow plough; aluminum aluminium; fulfill fulfil; traveler traveller; modeling modelling;
        installment instalment; enrollment enrolment; kilometer kilometre; fiber fibre; behavior behaviour""",
    )
)
"""The same word on both sides of an ocean."""
for _american, _british in SPELLINGS:
    for _one, _other in ((_american, _british), (_british, _american)):
        ALIKE[stem_word(_one)] = [*ALIKE.get(stem_word(_one), ()), _other]


def extract_content_words(text: str) -> list[str]:
    """Words that mean something, in order, as written. "Die" is an article but where it stands last."""
    text = re.sub(r"\bdie(?=\W*$)", "died", text)
    text = OUT_OF_USE.sub("out of use", GO_DOWN.sub("fall", GO_UP.sub("rise", text)))
    letters = {match.start(2) for match in LETTER.finditer(text)}
    return [
        word
        for match in WORD.finditer(text)
        if (len(word := match.group()) > 1 or word.isdigit())
        and word.lower() not in STOP
        and not CONTRACTION.fullmatch(word)
        or match.start() in letters
    ]


def extract_terms(text: str) -> list[str]:
    """Stems of the content words; hyphenated words and names of files count in parts."""
    return [
        stem_word(part)
        for word in extract_content_words(text)
        for part in re.split(r"[-/]|\.(?=[A-Za-z]{2,5}$)", word)
        if part.lower() not in STOP
    ]


def extract_alike_terms(text: str) -> set[str]:
    """Terms of `text`, and of words that mean the same."""
    found = extract_terms(text)
    return {*found, *(stem_word(other) for term in found for other in ALIKE.get(term, ()))}


def measure_share(question: str, text: str) -> float:
    """Share of the terms of a question that a text has, or that mean the same as one of its; 0 without any."""
    asked, bag = set(extract_terms(question)), set(extract_terms(text))
    found = [term for term in asked if term in bag or any(stem_word(other) in bag for other in ALIKE.get(term, ()))]
    return len(found) / len(asked) if asked else 0.0
