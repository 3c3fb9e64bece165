"""The offline engine's answer to `classify_window`: rules for the seeded levels, likeness to the description for
others.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from entities.models.classification import FIRST_CUSTOM, PUBLIC
from llm.fences import unfence
from llm.quoting.reading import LEVEL, PARAGRAPH, extract_element
from llm.quoting.summaries import summarise
from llm.rules import vote_by_rules
from text.rarity import compute_cosine
from text.terms import STOP, extract_terms, stem_word
from text.words import words

# What people who write such a level mean by it, beyond the words of its description.
TOPICS: dict[str, list[str]] = {
    topic: [" ".join(example.split()) for example in re.split(";", examples)]
    for topic, examples in {
        "export": """ITAR; EAR; ECCN; USML; dual-use; munitions; export license; export licence; export control;
            deemed export; controlled technology; embargoed; end-use certificate; Wassenaar""",
        "attorney": """attorney-client; privileged; legal advice; outside counsel; our counsel; litigation;
            work product; lawsuit; settlement offer""",
        "board": "board meeting; board paper; board of directors; directors' resolution; board minutes",
        "merger": "acquisition; merger; due diligence; letter of intent; takeover",
        "source": "source code; repository; algorithm; proprietary code",
        "research": "experiment; prototype; patent application; invention disclosure; trial results",
        "customer": "customer data; client data; end user data",
    }.items()
}
GENERIC = frozenset(
    stem_word(word)
    for word in words(
        """information data material content business internal confidential subject related regarding including
        anything something everything classified classification level label text paragraph section sensitive
        restricted company employee people person access only use used contain contains concern concerning
        controlled regulation regulations reference referencing refer refers customer customers"""
    )
)


@dataclass(frozen=True)
class CustomLevel:
    """A level of the workspace's own, ready to be compared with."""

    value: int
    label: str
    phrases: tuple[re.Pattern[str], ...]
    terms: frozenset[str]
    description: tuple[str, ...]


def classify(prompt: str) -> dict[str, Any]:
    """The input of `record_labels` for a prompt made by `prompts.classify_window`."""
    levels = [(int(m["value"]), m["label"], unfence(m["text"])) for m in LEVEL.finditer(prompt)]
    known = {value for value, _, _ in levels}
    customs = [build_custom_level(*level) for level in levels if level[0] >= FIRST_CUSTOM]
    guidance = extract_element(prompt, "guidance")
    paragraphs: list[dict[str, Any]] = []
    groups: dict[tuple[int, ...], list[str]] = {}
    before = ""
    for match in PARAGRAPH.finditer(prompt):
        text = unfence(match["text"])
        vote = vote_by_rules(text, before=before)
        before = text
        atoms = set(vote.atoms & known)
        reasons = list(vote.reasons)
        for level in customs:
            if is_like(text, level, _select_guidance(guidance, level.label)):
                atoms.add(level.value)
                reasons.append(f"like the description of {level.label}")
        labels = sorted(atoms)
        reason = "; ".join(reasons[:4])
        # Rules that find nothing decide nothing: they name no level, not even Public.
        paragraphs.append({"n": int(match["n"]), "labels": labels, "confidence": 0.9, "reason": reason})
        groups.setdefault(tuple(labels or [PUBLIC]), []).append(text)
    summaries = [{"labels": list(labels), "summary": summarise(texts)} for labels, texts in groups.items()]
    return {"paragraphs": paragraphs, "summaries": summaries}


@lru_cache(maxsize=256)
def build_custom_level(value: int, label: str, description: str) -> CustomLevel:
    """Acronyms, quoted words and the label itself count by themselves; other words only several together."""
    phrases = {
        label,
        *re.findall(r"\b[A-Z][A-Z0-9]{2,}\b", description),
        *re.findall(r"[\"“']([^\"”']{3,40})[\"”']", description),
    }
    for topic, examples in TOPICS.items():
        if topic in f"{label} {description}".lower():
            phrases.update(examples)
    patterns = tuple(
        re.compile(
            rf"(?<!\w){re.escape(p).replace(chr(92) + ' ', '[ -]')}(?:s|es)?(?!\w)", 0 if p.isupper() else re.IGNORECASE
        )
        for p in sorted(phrases)
        if len(p) > 2 and p.lower() not in STOP
    )
    bag = tuple(t for t in extract_terms(f"{label} {description}") if t not in GENERIC)
    return CustomLevel(value, label, patterns, frozenset(bag), bag)


def is_like(text: str, level: CustomLevel, guidance: str = "") -> bool:
    """Whether a paragraph reads like the level's description: a telling phrase, or several of its words."""
    if any(pattern.search(text) for pattern in level.phrases):
        return True
    wanted = level.terms | {t for t in extract_terms(guidance) if t not in GENERIC}
    said = extract_terms(text)
    shared = wanted & set(said)
    if len(shared) >= 3:
        return True
    return len(shared) == 2 and compute_cosine(said, [*level.description, *extract_terms(guidance)], {}) > 0.25


def _select_guidance(guidance: str, label: str) -> str:
    """The lines of a workspace's own guidance that speak of one level."""
    return " ".join(line.split(":", 1)[-1] for line in guidance.splitlines() if label.lower() in line.lower())
