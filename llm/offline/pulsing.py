"""The offline engine's Pulse: the record's own fields, then cited sentences of its passages. Nothing is reworded."""

import re

from llm.offline.ranking import cosine, inverse_frequencies, terms
from llm.offline.reading import Passage, element, lines, passages
from llm.offline.sentences import is_heading, sentences
from llm.offline.summaries import REMOVED
from llm.recognisers.findings import phrases

POINTS = 6
NEWS = re.compile(
    r"\b"
    + phrases(
        r"""risks?; delay(?:ed|s)?; late; overdue; deadline; due; by (?:the )?(?:end|\d{1,2}); expir\w+; terminat\w+;
        renew\w+; breach; penalt\w+; damages; liab\w+; indemn\w+; must; shall; blocked; open; unresolved; remediation;
        budget; exceed\w*; crack; defect\w*; fail\w+; incident; issue; agreed; approved; decided; signed; completed;
        increase\w*; decrease\w*"""
    )
    + r"\b",
    re.IGNORECASE,
)
ENDS = (".", "!", "?", ".”", ".’", '."')
FIGURE = re.compile(r"\d")
# The sign of a list item, which would make a list within the bullet: "6. Give notice", but not "8.1 The seller".
ENUMERATOR = re.compile(r"^(?:[-+*•–]|(?:\d{1,2}|[a-z])[.)]|\([a-z0-9]{1,3}\))\s+(?=\S)")


def pulse(prompt: str) -> list[str]:
    """The lines of a Pulse for a prompt made by `prompts.pulse`."""
    opening = [*lines(prompt, "fields"), *lines(prompt, "status")]
    said = [f"{'; '.join(line.rstrip('.;') for line in opening[:6])}."] if opening else []
    points = best_points(list(passages(prompt)), element(prompt, "focus"))
    return [*said, *points] or ["Nothing is known about this yet."]


def best_points(found: list[Passage], focus: str) -> list[str]:
    """Bullets, each a verbatim sentence with the number of its passage: near the focus, newsworthy, and unlike each
    other. Only the sign of a list item is left out.
    """
    said = [(p, s) for p in found for s in sentences(p.text) if is_statement(s)]
    # Snapshots of fields are no prose; they are quoted only where there is none.
    units = [unit for unit in said if unit[1].endswith(ENDS)] or said
    bags = [terms(sentence) for _, sentence in units]
    weights = inverse_frequencies(bags)
    wanted = terms(focus)
    scored = []
    for index, (_, sentence) in enumerate(units):
        shared = set(bags[index]) & set(wanted)
        near = sum(weights.get(term, 0.0) for term in shared) / (1 + sum(weights.get(t, 1.0) for t in set(wanted)))
        news = 0.25 * min(3, len(NEWS.findall(sentence))) + 0.15 * bool(FIGURE.search(sentence))
        first = 0.2 if index == 0 or units[index - 1][0].n != units[index][0].n else 0.0
        scored.append((2.0 * near + news + first, index))
    chosen: list[int] = []
    for _, index in sorted(scored, key=lambda pair: (-pair[0], pair[1])):
        if all(cosine(bags[index], bags[other], weights) < 0.5 for other in chosen):
            chosen.append(index)
        if len(chosen) == POINTS:
            break
    return [f"- {ENUMERATOR.sub('', units[index][1])} [{units[index][0].n}]" for index in chosen]


def is_statement(sentence: str) -> bool:
    """A sentence worth quoting by itself."""
    return 30 <= len(sentence) <= 400 and not is_heading(sentence) and sentence[0] != "|" and REMOVED not in sentence
