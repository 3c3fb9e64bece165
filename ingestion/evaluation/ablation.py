"""What one recogniser is worth: everything is measured again without it."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from ingestion.evaluation.corpora import CorpusParagraph
from ingestion.evaluation.ordinary import measure_genres, measure_leaks
from ingestion.evaluation.sets import LabelledSet
from llm import rules
from llm.recognisers import health, identifiers, money, people, questions

RECOGNISERS: dict[str, tuple[ModuleType, str, Any]] = {
    "answers": (rules, "find_answers", lambda text, before="": ()),
    "cells": (questions, "find_cells", lambda text: ()),
    "health": (rules, "find_health", lambda text, *, of_person: []),
    "identifiers": (rules, "find_identifiers", lambda text, lang="en": []),
    "ledger": (money, "find_ledger", lambda text: ()),
    "marks": (rules, "find_marks", lambda text: []),
    "medicine": (health, "find_medical_words", lambda text: ()),
    "money": (rules, "find_money", lambda text: []),
    "name_lists": (people, "load_first_names", frozenset),
    "names": (rules, "find_names", lambda text: []),
    "pay_talk": (rules, "find_pay_talk", lambda text: []),
    "phones": (identifiers, "_find_phones", lambda text, lang, taken: []),
    "presidio": (identifiers, "_find_with_presidio", lambda text: []),
    "registers": (identifiers, "find_register_numbers", lambda text: ()),
    "secrets": (rules, "find_secrets", lambda text: []),
    "staff": (rules, "find_staff_matters", lambda text: []),
}
"""By name: where a recogniser is called, and what finds nothing in its place."""


@contextmanager
def without_recogniser(name: str) -> Iterator[None]:
    """Rules that lack one recogniser, or none where the name is empty, in this process, while the context is open."""
    if not name:
        yield
        return
    module, function, nothing = RECOGNISERS[name]
    original = getattr(module, function)
    setattr(module, function, nothing)
    rules.forget_votes()
    try:
        yield
    finally:
        setattr(module, function, original)
        rules.forget_votes()


def report_ablation(given: LabelledSet, ordinary: Sequence[CorpusParagraph], names: Iterable[str]) -> Iterator[str]:
    """Recall of the labels that the held half needs, of leaks, and the share of ordinary paragraphs hidden: with
    every recogniser, and without each of these.
    """
    yield f"{'without':16}{'recall, held':>14}{'leaks':>9}{'ordinary hidden':>17}"
    for name in ["", *names]:
        with without_recogniser(name):
            held = [(sample.atoms, rules.vote_by_rules(sample.text)) for sample in given.select_split("held")]
            needed = sum(len(atoms) for atoms, _ in held) or 1
            recall = sum(len(atoms & vote.atoms) for atoms, vote in held) / needed
            leaks = measure_leaks(given.levels).values()
            leaked = sum(right for right, _ in leaks) / sum(every for _, every in leaks)
            genres = measure_genres(ordinary).values()
            hidden = sum(of.hidden for of in genres) / sum(of.paragraphs for of in genres)
        yield f"{name or '(nothing)':16}{recall:14.3f}{leaked:9.3f}{hidden:17.3f}"
