"""The words of a question as the index knows them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from retrieval.matches import WORD, Matcher, is_day
from retrieval.statements import fetch_rows

LANGUAGES = {
    "english": "en", "german": "de", "french": "fr", "spanish": "es", "italian": "it", "dutch": "nl",
    "portuguese": "pt", "swedish": "sv", "danish": "da", "norwegian": "no", "finnish": "fi",
}  # fmt: skip
"""Configuration of the text search -> ISO 639-1 code, the default first."""
CONFIGS = (*LANGUAGES, "simple")
"""What `app_text_config` can answer."""


@dataclass(frozen=True)
class Terms:
    """The words of a question as the index knows them: term (hash of a lexeme) -> the words that gave it.

    stems: the lexemes of each word, by which matches are shown. implied: terms that no word gave, as of a question that
    asks when. silent: language (ISO 639-1) -> words that say nothing in it.
    """

    words: Mapping[int, frozenset[str]]
    stems: Mapping[str, frozenset[str]] = field(default_factory=dict)
    implied: frozenset[int] = frozenset()
    silent: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def numbers(self) -> list[int]:
        """All that is looked for."""
        return [*self.words, *self.implied]

    def select_part(self, text: str, words: Sequence[str]) -> "Terms":
        """Of the words and days of a part of the question."""
        chosen = {word for word, lexemes in self.stems.items() if is_day(lexemes) and word in text}
        chosen |= self.stems.keys() & set(words)
        return Terms(
            {t: of & chosen for t, of in self.words.items() if of & chosen},
            {word: stems for word, stems in self.stems.items() if word in chosen},
            self.implied if asks_when(words) else frozenset(),
        )

    @property
    def matcher(self) -> Matcher:
        """Finds the words in a text."""
        return Matcher(self.stems.items())

    def matched(self, terms: Iterable[int]) -> list[str]:
        """The words behind `terms`, in the order of the question."""
        found = {word for term in terms for word in self.words.get(term, ())}
        return [word for word in self.stems if word in found]


LEXEMES = """
SELECT w.word, c.config::text, t.lexeme, hashtext(t.lexeme)
FROM unnest(%(words)s::text[]) w (word) CROSS JOIN unnest(%(configs)s::regconfig[]) c (config)
LEFT JOIN LATERAL unnest(to_tsvector(c.config, app_words(w.word))) t ON true
UNION ALL SELECT d.written, '', d.word, hashtext(d.word) FROM app_dates(%(text)s) d
UNION ALL SELECT '', '', 'd0m0d0', hashtext('d0m0d0')
"""
# The last word is of every passage that holds a day (`ingestion/migrations/dates.sql`).
FILLERS = frozenset(
    ("many", "much", "please", "tell", "need", "want", "get", "got", "could", "would", "us", "let", "explain")
)
"""English words of questions that ask for nothing, and are no stop words of the database."""
ASKS_WHEN = re.compile(
    r"(?i)^\W*+(?:when|dates?|dated|deadline|wann|datum|frist|quand|fecha|cu[aá]ndo|quando|wanneer|hvornår|när|milloin)\W*+$"
)


def build_terms(words: Sequence[str], text: str = "") -> Terms:
    """Stems of `words` in every language that rows may be in, and the days that are written in their text, which are
    one word however they are written. Touches no workspace data. A question that asks when has a word more, which is
    of every text with a day in it.

    Words that say nothing in the question's own language are left out: in an index of another language they would
    be rare, and rare words weigh most. Its language is the one that knows most of the words as stop words.
    """
    if not words:
        return Terms({})
    params = {"words": list(words), "configs": list(CONFIGS), "text": text}
    found = [row for row in fetch_rows(LEXEMES, params) if row[2] is not None and row[3] != 0]
    days = list(dict.fromkeys(word for word, config, _, _ in found if word and not config))
    spoken = {(config, word) for word, config, _, _ in found}
    silent = {
        config: {word for word in words if (config, word) not in spoken and ("simple", word) in spoken}
        for config in CONFIGS
    }
    own = max(CONFIGS, key=lambda config: (len(silent[config]), config == CONFIGS[0]))
    if own == "english":
        silent[own] = silent[own] | {word for word in words if word.casefold() in FILLERS}
    said = [word for word in words if word not in silent[own]] or list(words)
    if days:
        # Its day, month and year are no words of their own.
        rest = set(WORD.findall(re.sub("|".join(map(re.escape, days)), " ", text)))
        said = [word for word in said if word in rest] + days
    by_term: dict[int, set[str]] = {}
    stems: dict[str, set[str]] = {word: set() for word in said}
    implied: frozenset[int] = frozenset()
    for word, config, lexeme, term in found:
        if word in stems and bool(config) is (word not in days):
            by_term.setdefault(term, set()).add(word)
            stems[word].add(lexeme)
        elif not word and not days and asks_when(words):
            implied = frozenset({term})
    words_of = {term: frozenset(of) for term, of in by_term.items()}
    known = {LANGUAGES[config]: frozenset(of) for config, of in silent.items() if of and config in LANGUAGES}
    return Terms(words_of, {w: frozenset(s) for w, s in stems.items()}, implied - words_of.keys(), known)


def asks_when(words: Iterable[str]) -> bool:
    return any(map(ASKS_WHEN.fullmatch, words))
