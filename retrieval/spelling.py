"""Words of a question that no text which the reader sees has, and the word that was probably meant.

Both are asked of visible text alone, wherever the question is narrowed to: a word that stands elsewhere is no mistake,
and neither is one of another language than the passage that holds its neighbour (docs/adr/0069).
"""

import re
import string
from collections import Counter
from collections.abc import Sequence

from entities.access import Scope
from ingestion.extract.language import weigh_languages
from retrieval.gate import build_gates
from retrieval.query import Within
from retrieval.statements import fetch_rows
from retrieval.terms import LANGUAGES, Terms

MIN_LETTERS = 5
"""Of a shorter word too many others are one edit away."""
MAX_LETTERS = 30
MAX_WORDS = 4
"""Words of a question that are corrected: more is another language, not a slip."""
MAX_COUNTED = 50
FOREIGN, FOREIGN_LETTER = 5.0, 0.6
"""By how much the natural logarithm of the question's likelihood is higher in another language, and for each letter: a
slip makes two or three trigrams unlikely, another language nearly all."""
LETTERS_KEPT_WEIGHT = 3
LETTERS = f"{string.ascii_lowercase}äöüßéèêàçñáíóúåøæ"
# Numbers and codes are not mistaken for others, and neither are names within a name ("McDonald's").
WORD = re.compile(r"[^\W\d_]+")
DIGITS = re.compile(r"[\d_]")

ABSENT = """
WITH {ctes}
SELECT w.n FROM unnest(%(places)s::int[], %(words)s::text[]) w (n, word) WHERE NOT EXISTS (
  SELECT FROM unnest(%(owners)s::int[], %(terms)s::int[]) t (n, term)
  JOIN ingestion_posting p ON p.term = t.term WHERE t.n = w.n AND {condition})
AND NOT EXISTS (
  SELECT FROM ingestion_word p WHERE {condition} AND p.data_classification = ANY((SELECT app_allowed())::int[])
    AND p.word = w.word)
"""
# The words within addresses are in the second table alone.
NEAR = """
WITH {ctes}
SELECT k.n, k.word, c.often FROM unnest(%(places)s::int[], %(words)s::text[]) k (n, word)
CROSS JOIN LATERAL (SELECT count(*) AS often FROM (
  SELECT FROM ingestion_word p JOIN ingestion_contextrow c ON c.number = p."row" AND c.lang <> ALL(%(foreign)s::text[])
  WHERE {condition} AND p.data_classification = ANY((SELECT app_allowed())::int[])
    AND p.word = k.word LIMIT %(counted)s) held) c
WHERE c.often > 0
"""


def correct_words(scope: Scope, text: str, terms: Terms, unmatched: Sequence[str]) -> dict[str, str]:
    """Word of the question -> what replaces it: of the visible words one edit away, in passages in the question's
    language, the likeliest. In the open scope.

    unmatched: words that no passage which was found has.
    """
    functions = frozenset().union(*terms.silent.values())
    asked = {
        word: letters[0]
        for word in unmatched
        if len(letters := WORD.findall(word.lower())) == 1 and MIN_LETTERS <= len(letters[0]) <= MAX_LETTERS
        if word not in functions and not DIGITS.search(word)
    }
    if not asked or len(asked) > MAX_WORDS:
        return {}
    through, words = build_gates(scope, Within()).each, list(asked)
    owners = [(n, term) for n, word in enumerate(words) for term, of in terms.words.items() if word in of]
    params = {
        "places": list(range(len(words))),
        "words": list(asked.values()),
        "owners": [n for n, _ in owners],
        "terms": [term for _, term in owners],
    }
    absent = [n for (n,) in fetch_rows(through.fill(ABSENT), {**through.params, **params})]
    near = [(n, other) for n in absent for other in edit_once(asked[words[n]])]
    if not near:
        return {}
    edited = {
        "places": [n for n, _ in near],
        "words": [word for _, word in near],
        "foreign": sorted(find_foreign_languages(text, terms)),
        "counted": MAX_COUNTED,
    }
    rows = fetch_rows(through.fill(NEAR), {**through.params, **edited})
    found = {(n, word): often for n, word, often in rows}
    best: dict[str, str] = {}
    for n, word in sorted(found, key=lambda key: (key[0], -_weigh_word(asked[words[key[0]]], key[1], found[key]), key)):
        best.setdefault(words[n], word)
    return best


def find_foreign_languages(text: str, terms: Terms) -> set[str]:
    """Languages that a question is not in: others have more of its words as function words; where none has any or
    several have as many, those in which its letters are far less likely (ADR 69 has the figures).
    """
    most = max(map(len, terms.silent.values()), default=0)
    own = {lang for lang in LANGUAGES.values() if len(terms.silent.get(lang, ())) == most}
    foreign = {*LANGUAGES.values()} - own
    weights = weigh_languages(text) if len(own) > 1 else {}
    enough = max(FOREIGN, FOREIGN_LETTER * len("".join(WORD.findall(text))))
    return foreign | {lang for lang, weight in weights.items() if max(weights.values()) - weight >= enough}


def _weigh_word(typed: str, word: str, often: int) -> int:
    """How likely `word` was meant, which stands in `often` rows. Letters are left out or exchanged more easily than
    others are typed (Kukich, Computing Surveys 1992): "notce" is "notice" and not the commoner "note".
    """
    return often * (LETTERS_KEPT_WEIGHT if Counter(typed) <= Counter(word) else 1)


def edit_once(word: str) -> list[str]:
    """All strings one letter more, one less, one other or two exchanged away from `word` (Damerau, CACM 1964)."""
    parts = [(word[:n], word[n:]) for n in range(len(word) + 1)]
    found = {a + b[1:] for a, b in parts if b}
    found |= {a + b[1] + b[0] + b[2:] for a, b in parts if len(b) > 1}
    found |= {a + letter + b[1:] for a, b in parts if b for letter in LETTERS}
    found |= {a + letter + b for a, b in parts for letter in LETTERS}
    return sorted(found - {word})


def replace_words(text: str, replaced: dict[str, str]) -> str:
    """`text` with the letters of each word replaced, and the marks around them as they were."""
    for word, other in replaced.items():
        letters = WORD.findall(word)[0]
        corrected = word.replace(letters, other.capitalize() if letters[:1].isupper() else other)
        text = re.sub(rf"(?<!\S){re.escape(word)}(?!\S)", lambda _, by=corrected: by, text)  # type: ignore[misc]
    return text
