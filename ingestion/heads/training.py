"""Trains the heads of one encoder, and draws their lines where few ordinary texts of another hand lie above."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ingestion.embedders import Embedder
from ingestion.embedders.base import Vectors
from ingestion.heads import ATOMS, Heads, Judgement
from ingestion.heads.features import describe_document, describe_paragraphs, place_around
from ingestion.heads.lessons import Lesson
from llm.rules import vote_by_rules
from text.networks import Ensemble, Floats, fit_ensemble

FOLDS = 5
SEEDS = range(4)
HELD, SUSPECTED = 0.01, 0.07
"""Of ordinary documents of another hand, the share that may be held, and held or shown to a steward."""
LABELLED, PROPOSED = 0.015, 0.025
"""Of their paragraphs, the shares that may be labelled, and labelled or proposed."""
PUBLISHED = 0.08
"""Of documents whose sums of money are private, the share that may be taken for published."""
REACH = {"published": 1.0, "private": 0.0}
"""Kinds of lessons that say it."""
Table = Mapping[str, Vectors]


def cut_short_lessons(lessons: Sequence[Lesson]) -> list[Lesson]:
    """Of every document a run of one to three of its paragraphs, as notes and mails have: sensitive as a whole where
    most of it is.
    """
    chance, found = np.random.default_rng(3), []
    for one in lessons:
        count = int(chance.integers(1, 4))
        first = int(chance.integers(0, max(1, len(one.lines) - count + 1)))
        lines = one.lines[first : first + count]
        sensitive = sum(line.mark == "+" for line in lines)
        whole = "S" if 2 * sensitive > len(lines) else "M" if sensitive else "O"
        found.append(replace(one, lines=lines, whole=whole, kind=one.kind if whole == "S" else "-"))
    return found


def embed_lessons(
    embedder: Embedder, lessons: Sequence[Lesson], longest: int, kept: Path | None = None
) -> dict[str, Vectors]:
    """Text or name -> vector. kept: a file of those that were made before."""
    table: dict[str, Vectors] = {}
    if kept and kept.exists():
        with np.load(kept) as file:
            table = dict(zip(map(str, file["texts"]), file["vectors"], strict=True))
    wanted = {line.text[:longest] for one in lessons for line in one.lines} | {one.name for one in lessons}
    texts = sorted(wanted - {*table})
    if texts:
        table |= zip(texts, embedder.embed_documents(texts), strict=True)
        if kept:
            np.savez(kept, texts=np.array([*table]), vectors=np.array([*table.values()]))
    return table


def fit_heads(
    lessons: Sequence[Lesson], ordinary: Sequence[Lesson], reaching: Sequence[Lesson], table: Table, longest: int
) -> Heads:
    """ordinary: documents of another hand, none of them sensitive as a whole, by which the lines are drawn. reaching:
    documents with sums of money, of the kinds of `REACH`.
    """
    lessons = [*lessons, *cut_short_lessons(lessons)]
    centre = np.mean([table[line.text[:longest]] for one in lessons for line in one.lines], axis=0)
    kinds = tuple(sorted({one.kind for one in lessons} - {"-"}))
    parts = [place_lesson(one, table, centre, longest) for one in lessons]
    described = np.array([describe_document(*part) for part in parts])
    wanted = np.array([list_wanted(one, kinds) for one in lessons], np.float32)
    said = estimate_left_out(described, wanted, [one.group for one in lessons])
    document = fit_documents(described, wanted, SEEDS)
    reach, publish = fit_reach([*lessons, *reaching, *cut_short_lessons(reaching)], table, centre, longest)
    rows = [
        describe_paragraphs(part[0], [len(line.text) for line in one.lines], by[:2])
        for one, part, by in zip(lessons, parts, said, strict=True)
    ]
    marks = [line for one in lessons for line in one.lines]
    certain = np.array([line.mark != "~" for line in marks])
    needed = np.array([[line.mark == "+", *(atom in line.atoms for atom in ATOMS)] for line in marks], np.float32)
    paragraph = fit_ensemble(
        np.concatenate(rows)[certain], needed[certain], units=128, epochs=12, decay=2e-5, seeds=SEEDS
    )
    heads = Heads(centre, document, reach, paragraph, kinds, 2.0, 2.0, 2.0, publish, 2.0)
    return draw_lines(heads, ordinary, table, longest)


def place_lesson(one: Lesson, table: Table, centre: Floats, longest: int) -> tuple[Vectors, Vectors]:
    """(centred vectors of the paragraphs, of the name)."""
    found = np.array([table[line.text[:longest]] for line in one.lines])
    return place_around(found, centre), place_around(table[one.name], centre)


def list_wanted(one: Lesson, kinds: Sequence[str]) -> list[float]:
    """Sensitive as a whole, sensitive in parts, then each kind; of sensitive documents without a kind, not known."""
    whole = float(one.whole == "S")
    known = one.kind != "-" or not whole
    return [whole, float(one.whole == "M"), *(float(one.kind == kind) if known else float("nan") for kind in kinds)]


def fit_reach(lessons: Sequence[Lesson], table: Table, centre: Floats, longest: int) -> tuple[Ensemble, float]:
    """The head that tells whether sums of money in a document are published, and the line above which few are that are
    private, by hands that it has not learned from.
    """
    known = [(one, reach) for one in lessons if (reach := find_reach(one)) is not None]
    described = np.array([describe_document(*place_lesson(one, table, centre, longest)) for one, _ in known])
    wanted = np.array([[reach] for _, reach in known], np.float32)
    said = estimate_left_out(described, wanted, [one.group for one, _ in known])
    private = [one.kind == "private" for one, _ in known]
    return fit_documents(described, wanted, SEEDS), float(np.quantile(said[private, 0], 1 - PUBLISHED))


def find_reach(one: Lesson) -> float | None:
    """1 where the sums of money in a document are for everybody, 0 where not, None where it has none or both."""
    if one.whole == "S" or one.kind in REACH:
        return REACH.get(one.kind, 0.0)
    marks = {line.mark for line in one.lines if vote_by_rules(line.text, one.lang).amounts}
    return 1.0 if marks == {"-"} else 0.0 if "+" in marks else None


def fit_documents(described: Floats, wanted: Floats, seeds: Sequence[int]) -> Ensemble:
    return fit_ensemble(described, wanted, units=64, epochs=25, decay=3e-4, seeds=seeds)


def estimate_left_out(described: Floats, wanted: Floats, groups: Sequence[str]) -> Floats:
    """What the head says of documents of hands that it has not learned from: what the paragraphs' head learns with."""
    hands = sorted(set(groups))
    fold = np.array([hands.index(group) % FOLDS for group in groups])
    found = np.zeros_like(wanted)
    for number in range(FOLDS):
        head = fit_documents(described[fold != number], wanted[fold != number], SEEDS[:2])
        found[fold == number] = head.compute_probabilities(described[fold == number])
    return found


def draw_lines(heads: Heads, ordinary: Sequence[Lesson], table: Table, longest: int) -> Heads:
    """A document's lines above all but their shares of them; a paragraph's above all but theirs of ordinary ones."""
    judged = [judge_lesson(heads, one, table, longest) for one in ordinary]
    whole = np.array([judgement.sensitive for judgement in judged])
    single = np.array(
        [
            found.sensitive
            for one, judgement in zip(ordinary, judged, strict=True)
            for line, found in zip(one.lines, judgement.paragraphs, strict=True)
            if line.mark == "-"
        ]
    )
    hold, suspect = (float(np.quantile(whole, 1 - share)) for share in (HELD, SUSPECTED))
    label, propose = (float(np.quantile(single, 1 - share)) for share in (LABELLED, PROPOSED))
    return replace(heads, hold=hold, label=label, propose=propose, suspect=suspect)


def judge_lesson(heads: Heads, one: Lesson, table: Table, longest: int) -> Judgement:
    vectors = np.array([table[line.text[:longest]] for line in one.lines])
    return heads.judge(vectors, [len(line.text) for line in one.lines], table[one.name])


def measure_heads(heads: Heads, lessons: Sequence[Lesson], table: Table, longest: int) -> str:
    """Shares in words: of sensitive paragraphs left open, of ordinary ones hidden, of documents held."""
    hidden: dict[tuple[str, str], list[bool]] = {}
    held: dict[str, list[bool]] = {}
    for one in lessons:
        judgement = judge_lesson(heads, one, table, longest)
        held.setdefault(one.whole, []).append(judgement.held)
        for line, found in zip(one.lines, judgement.paragraphs, strict=True):
            row = hidden.setdefault((line.mark, one.whole if line.mark == "-" else ""), [])
            row.append(judgement.held or found.sensitive >= heads.label)

    def tell(row: Sequence[bool]) -> str:
        return f"{100 * sum(row) / len(row):.1f} % of {len(row)}" if row else "none"

    missed = [not seen for seen in hidden.get(("+", ""), [])]
    return (
        f"open {tell(missed)}; ordinary hidden {tell(hidden.get(('-', 'O'), []))}, in mixed "
        f"{tell(hidden.get(('-', 'M'), []))}; held sensitive {tell(held.get('S', []))}, ordinary "
        f"{tell(held.get('O', []))}, mixed {tell(held.get('M', []))}"
    )
