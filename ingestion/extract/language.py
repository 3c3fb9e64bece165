"""A light guess at the language of a text: which language's commonest words are most of its words.

No model and nothing to download. Good for a sentence or more of running text; a text that shows too little gets the
default. Word lists: the commonest function words of each language that are rare in the others.
"""

from __future__ import annotations

import re
from collections import Counter

DEFAULT = "en"
_WORDS = {
    "en": "the and of to in is that for with this shall by as are be it from not or which have has was were will any",
    "de": "der die das und ist nicht ein eine mit von für auf dem den des zu wird sich auch bei nach durch werden oder",
    "fr": "le la les des et est une dans pour que qui sur par avec au aux du ne pas ce cette sont ou ses être leur",
    "es": "el los las y es una para que por con del se no su como más este esta son o al lo sus entre está",
    "it": "il di che è un una per con del della dei gli le non sono si da nel alla come anche questo più ed",
    "nl": "de het een en van is dat op te met voor niet zijn aan door er maar ook wordt bij uit naar om deze",
    "pt": "o os as e é um uma para que com não do da dos das em por se no na mais ao pelo são sua",
}
_OF = {word: [code for code in _WORDS if word in _WORDS[code].split()] for word in " ".join(_WORDS.values()).split()}
_TOKEN = re.compile(r"[^\W\d_]+")
_BETWEEN = {code: " " for code in range(128) if not chr(code).isalpha()}  # the same among ASCII, and quicker
_ENOUGH = 4


def guess_language(text: str, default: str = DEFAULT) -> str:
    """ISO 639-1 code of the language of `text`; `default` when there is not enough to tell."""
    text = text[:4000].lower()
    words = Counter(text.translate(_BETWEEN).split() if text.isascii() else _TOKEN.findall(text))
    if words.total() < _ENOUGH:
        return default
    hits = dict.fromkeys(_WORDS, 0)
    for word in words.keys() & _OF.keys():
        for code in _OF[word]:
            hits[code] += words[word]
    ranked = sorted(hits, key=lambda code: hits[code], reverse=True)
    best, second = ranked[0], ranked[1]
    if hits[best] < _ENOUGH or hits[best] < 0.12 * words.total() or hits[best] - hits[second] < 2:
        return default
    return best
