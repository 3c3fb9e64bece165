"""A light guess at the language of a text: which language's commonest trigrams its words are made of.

Nothing to download. Trigrams tell short texts too, as price lists and headings, which hardly have function words
(Cavnar and Trenkle, SDAIR 1994; the weights are those of naive Bayes). A text that shows too little gets the default.
Languages are those that `app_text_config` has a stemmer for.
"""

from __future__ import annotations

import math
import re

from ingestion.extract.trigrams import TRIGRAMS

DEFAULT = "en"
_LONGEST = 2_000  # characters that are read
_TOKEN = re.compile(r"[^\W\d_]+")
_ENOUGH = 6.0  # by how much the likelihood of the best must surpass the second, as its natural logarithm
_SMOOTHING = 20


def _weigh_trigrams() -> dict[str, list[float]]:
    """Trigram -> the logarithm of its share in each language, by its rank (Zipf's law); what a language lacks counts
    as if it came at three times the last rank."""
    weights: dict[str, list[float]] = {}
    for place, trigrams in enumerate(TRIGRAMS.values()):
        rare = -math.log(len(trigrams) + _SMOOTHING)
        for rank, start in enumerate(range(0, len(trigrams), 3)):
            of = weights.setdefault(trigrams[start : start + 3], [rare] * len(TRIGRAMS))
            of[place] = -math.log(rank + _SMOOTHING)
    return weights


_WEIGHTS = _weigh_trigrams()


def weigh_languages(text: str) -> dict[str, float]:
    """ISO 639-1 code -> the logarithm of the likelihood of `text`, but for a constant; each word counts once. Empty
    where no trigram is known.
    """
    words = dict.fromkeys(_TOKEN.findall(text[:_LONGEST].lower()))
    padded = f" {'  '.join(words)} "
    found = [of for start in range(len(padded) - 2) if (of := _WEIGHTS.get(padded[start : start + 3]))]
    return dict(zip(TRIGRAMS, map(sum, zip(*found, strict=True)), strict=False)) if found else {}


def guess_language(text: str, default: str = DEFAULT) -> str:
    """ISO 639-1 code of the language of `text`; `default` when there is not enough to tell."""
    weights = weigh_languages(text)
    *_, second, best = sorted(weights, key=weights.__getitem__) or ("", "")
    return best if weights and weights[best] - weights[second] >= _ENOUGH else default


def choose_language(text: str) -> str:
    """ISO 639-1 code of the likeliest language of all of a document, which has no other to fall back upon: of two that
    are alike either serves better than the default. The default where that is about as likely.
    """
    weights = weigh_languages(text)
    best = max(weights, key=weights.__getitem__, default=DEFAULT)
    return best if weights and weights[best] - weights[DEFAULT] >= _ENOUGH else DEFAULT
