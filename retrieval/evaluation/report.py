"""What a run found, for people and as JSON."""

from collections.abc import Iterator, Mapping
from typing import Any

from retrieval.evaluation.metrics import NAMES
from retrieval.evaluation.rankings import FUSED, LEXICAL, RANKINGS, RERANKED, SHOWN, VECTOR
from retrieval.evaluation.store import SavedRun
from retrieval.evaluation.weights import ChosenWeights, WeightLine

TITLES = {VECTOR: "by meaning", LEXICAL: "by words", FUSED: "fused", RERANKED: "reranked", SHOWN: "chosen"}


def format_table(
    figures: Mapping[str, Mapping[str, float | None]], before: Mapping[str, Any] | None = None
) -> Iterator[str]:
    """Lines: a ranking each, with the difference to the run before in nDCG@10."""
    yield "".join(
        [f"{'':12}", *(f"{title:>12}" for title in NAMES.values()), "" if before is None else f"{'before':>12}"]
    )
    for ranking in RANKINGS:
        of = figures[ranking]
        cells = [f"{'–':>12}" if (value := of[name]) is None else f"{value:12.4f}" for name in NAMES]
        then = (before or {}).get(ranking, {}).get("ndcg_10")
        yield "".join(
            [f"{TITLES[ranking]:12}", *cells, "" if then is None else f"{(of['ndcg_10'] or 0) - then:+12.4f}"]
        )


def format_report(kept: SavedRun, threshold: float) -> Iterator[str]:
    """The whole report."""
    run = kept.run
    yield f"{run.set_name}: {run.questions} answerable questions as {run.reader}, {run.seconds:.0f} s"
    if run.lost:
        yield f"{run.lost} files that questions name are not there for this reader: their questions count as failed."
    yield from format_table(run.figures, kept.before.figures if kept.before else None)
    if run.silence:
        s = run.silence
        yield (
            f"{s['questions']} questions without an answer: {s['nothing']:.0%} find nothing, {s['low']:.0%} nothing"
            f" nearer than {s['line']:.2f}, which 95 of 100 answerable ones pass."
        )
    if kept.before is None:
        yield "The first run of these questions: nothing to compare with."
        return
    yield f"Compared with {kept.before.created_at:%Y-%m-%d %H:%M} UTC {kept.before.commit[:10]}"
    for name, (then, now) in kept.changed.items():
        yield f"  {name}: {then} then, {now} now"
    for drop in kept.drops:
        yield (
            f"DROPPED {TITLES[drop.ranking]}: nDCG@10 {drop.before:.4f} → {drop.now:.4f}, by more than {threshold:g}."
        )


def build_report_json(kept: SavedRun) -> dict[str, Any]:
    run = kept.run
    return {
        "set": run.set_name,
        "run": str(run.pk),
        "questions": run.questions,
        "reader": run.reader,
        "model": run.model_id,
        "commit": run.commit,
        "settings": run.settings,
        "seconds": run.seconds,
        "figures": run.figures,
        "unanswerable": run.silence,
        "files_not_there": run.lost,
        "compared_with": str(kept.before.pk) if kept.before else None,
        "drops": [vars(drop) for drop in kept.drops],
    }


def format_weights(chosen: ChosenWeights) -> Iterator[str]:
    """The share, and what it makes of either half."""
    yield f"Weights {chosen.share:g} and {1 - chosen.share:g} serve the choosing halves best. nDCG@10:"
    yield f"{'':32}{'questions':>10}{'by meaning':>12}{'by words':>12}{'fused':>12}{'margin':>12}"
    for title, of in (("chosen on", chosen.chosen_on), ("reported on", chosen.reported), ("all, as set", chosen.today)):
        for line in of:
            figures = "".join(f"{value:12.4f}" for value in (line.vector, line.lexical, line.fused))
            yield f"{title:12}{line.set_name[:20]:20}{line.questions:10}{figures}{line.margin:+12.4f}"


def build_weights_json(chosen: ChosenWeights) -> dict[str, Any]:
    def build_line_json(line: WeightLine) -> dict[str, Any]:
        return {**vars(line), "margin": line.margin}

    return {
        "weights": [chosen.share, round(1 - chosen.share, 4)],
        "chosen_on": [build_line_json(line) for line in chosen.chosen_on],
        "reported_on": [build_line_json(line) for line in chosen.reported],
        "as_set": [build_line_json(line) for line in chosen.today],
    }
