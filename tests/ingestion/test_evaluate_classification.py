"""`manage.py evaluate_classification`: what it reads, how it counts, what it keeps, and when it ends with status 2."""

import json
from collections import Counter
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from entities.actions import SEEDED
from entities.models import Classification, Workspace
from entities.models.classification import FINANCIAL, PII
from ingestion.evaluation.figures import judge_voter
from ingestion.evaluation.sets import OWN, Sample, read_set
from llm import rules
from llm.prompts import Level
from llm.rules import RuleVote

LEVELS = tuple(Level(value, label, text) for value, label, _, _, text in SEEDED)
PAY = {"text": "Jane Miller's salary is EUR 84,000.", "labels": ["PII", "Financial"], "split": "dev"}
CRANE = {"text": "The crane came on Monday.", "labels": [], "split": "dev"}
MOOD = {"text": "Everybody in the yard is cross about the fence.", "labels": ["Internal"], "split": "held"}
MARGIN = {"text": "The gross margin reached 43%.", "labels": ["Financial"], "split": "held"}


@pytest.fixture(autouse=True)
def _home(tmp_path, settings):
    settings.CLEARANCE_HOME = tmp_path / "home"


def write(tmp_path, *lines):
    path = tmp_path / "set.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def evaluate(path, **options):
    out, err = StringIO(), StringIO()
    call_command("evaluate_classification", str(path), stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


def test_figures_of_each_label_and_what_is_under_classified():
    samples = [
        Sample(n, f"text {n}", frozenset(atoms), "dev")
        for n, atoms in enumerate([{PII, FINANCIAL}, {PII, FINANCIAL}, {FINANCIAL}, set(), set(), {PII}])
    ]
    given = [frozenset({PII, FINANCIAL}), frozenset({FINANCIAL}), frozenset(), frozenset({PII}), frozenset(), None]
    figures = judge_voter(samples, given, LEVELS)
    pii = figures.labels["PII"]
    assert (pii.right, pii.wrong, pii.missed) == (1, 1, 2)
    assert (pii.precision, pii.recall, pii.f1) == (1 / 2, 1 / 3, 2 / 5)
    assert figures.labels["Public"].recall == 1 / 2
    assert figures.labels["Secret"].precision is figures.labels["Secret"].recall is None
    # Without an answer a paragraph is hidden: too few people read it, not too many.
    assert (figures.under, figures.open, figures.over, figures.exact, figures.unlabelled) == (2, 1, 1, 2, 1)


def test_the_report_tells_halves_and_voters_apart_and_lists_no_mistake_of_the_held_half(tmp_path):
    path = write(tmp_path, PAY, CRANE, MOOD, MARGIN, {**CRANE, "text": "The lamp is red.", "labels": ["Secret"]})
    out, err = evaluate(path, json=True, show=True)
    report = json.loads(out)
    assert set(report["figures"]) == {"dev", "held"}
    assert set(report["figures"]["held"]) == {"rules", "offline", "union"}
    assert report["figures"]["dev"]["union"]["labels"]["Financial"]["recall"] == 1.0
    assert report["figures"]["dev"]["union"]["under"] == report["figures"]["held"]["union"]["open"] == 1
    assert report["figures"]["held"]["rules"]["labels"]["Internal"]["missed"] == 1
    assert min(report["paragraphs_per_second"].values()) > 0
    assert "lamp" in err
    assert "fence" not in err


def test_a_run_that_lost_ends_with_status_2_and_is_not_what_the_next_is_held_against(tmp_path, monkeypatch, settings):
    path = write(tmp_path, PAY, CRANE, MARGIN)
    assert "nothing to compare with" in evaluate(path)[0]
    assert "WORSE" not in evaluate(path)[0]
    monkeypatch.setattr("ingestion.classify.vote_by_rules", lambda text, lang, before="": RuleVote(frozenset(), ()))
    for _ in range(2):
        with pytest.raises(CommandError, match="worse") as lost:
            evaluate(path)
        assert lost.value.returncode == 2
    assert "WORSE" in evaluate(path, accept=True)[0]
    assert "WORSE" not in evaluate(path)[0]
    kept = (settings.CLEARANCE_HOME / "evaluations" / "classification.jsonl").read_text()
    assert len(kept.splitlines()) == 6
    assert "Miller" not in kept


def test_a_drop_within_the_threshold_is_none_and_other_sets_are_not_compared(tmp_path, monkeypatch):
    path = write(tmp_path, PAY, CRANE, MARGIN)
    evaluate(path)
    monkeypatch.setattr("ingestion.classify.vote_by_rules", lambda text, lang, before="": RuleVote(frozenset(), ()))
    assert "WORSE" not in evaluate(path, threshold=1.0)[0]
    assert "nothing to compare with" in evaluate(write(tmp_path, PAY, CRANE))[0]


def test_a_line_cut_off_by_a_crash_is_passed_over(tmp_path, settings):
    path = write(tmp_path, PAY)
    evaluate(path)
    runs = settings.CLEARANCE_HOME / "evaluations" / "classification.jsonl"
    runs.write_text(runs.read_text() + '{"at": "2026-')
    assert "Compared with" in evaluate(path)[0]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({**PAY, "labels": ["Pay"]}, "labels is a list of some of: Public, Internal"),
        ({**PAY, "split": "test"}, "split is"),
        ({**PAY, "text": " "}, "text is"),
        ({**PAY, "note": "x"}, "an object with"),
        ([], "an object with"),
        (CRANE, "the same text as line 1"),
    ],
)
def test_a_mistake_in_a_set_is_told_with_its_line(tmp_path, line, told):
    with pytest.raises(CommandError, match=f"line 2: {told}"):
        evaluate(write(tmp_path, CRANE, line))


@pytest.mark.django_db
def test_levels_of_a_workspace_are_measured_by_their_names(tmp_path, workspace: Workspace, service):
    with service.open():
        Classification.objects.create(
            workspace=workspace, value=7, label="Export", description="Goods under ITAR.", components=[7]
        )
    line = {"text": "The gyroscope falls under ITAR category XII.", "labels": ["Export"], "split": "dev"}
    out, _ = evaluate(write(tmp_path, line), workspace="acme", json=True)
    assert json.loads(out)["figures"]["dev"]["union"]["labels"]["Export"]["right"] == 1
    with pytest.raises(CommandError, match="labels is a list"):
        evaluate(write(tmp_path, line))
    with pytest.raises(CommandError, match="no workspace"):
        evaluate(write(tmp_path, line), workspace="nobody")


FIRST = 713
"""Lines of the set before it was made larger."""


def test_the_projects_own_set_keeps_its_shape_and_the_rules_their_worth(tmp_path):
    own = read_set(OWN, LEVELS)
    assert len(own.samples) >= 400
    first, second = (
        [sample for sample in own.select_split("held") if (sample.line <= FIRST) is early] for early in (True, False)
    )
    assert (len(first), len(second)) == (270, 166)  # what else was written is tuned by
    needed = Counter(atom for sample in own.select_split("held") for atom in sample.atoms)
    assert set(needed) == {level.value for level in LEVELS} - {0}
    assert rules.VERSION >= 9
    held = own.select_split("held")
    figures = judge_voter(held, [rules.vote_by_rules(sample.text).atoms for sample in held], LEVELS)
    for label, recall, precision in (
        ("PII", 0.88, 0.95), ("PII-Sensitive", 0.95, 0.85), ("Financial", 0.92, 0.88), ("Secret", 0.85, 0.95),
        ("Confidential", 0.65, 0.88), ("Internal", 0.75, 0.95),
    ):  # fmt: skip
        assert figures.labels[label].recall >= recall, label
        assert figures.labels[label].precision >= precision, label
    assert figures.under_rate < 0.1


def test_what_it_costs_and_misses_is_measured_on_texts_from_templates_and_on_files(tmp_path):
    folder = tmp_path / "mail"
    folder.mkdir()
    for number in range(6):
        text = f"The crane came on day {number}.\n\nPay EUR 4,00{number} to the yard.\n"
        (folder / f"{number}.txt").write_text(text)
    report = json.loads(evaluate(write(tmp_path, CRANE), json=True, ordinary=[f"letters={folder}"])[0])
    letters = report["ordinary"]["letters"]
    assert 0 < letters["paragraphs"] < 12, "the other half is for learning"
    assert letters["hidden"] * 2 == letters["paragraphs"]
    assert (letters["plain"] * 2, letters["plain_hidden"]) == (letters["paragraphs"], 0)
    shares = {genre: of["plain_hidden"] / of["plain"] for genre, of in report["ordinary"].items()}
    assert set(shares) == {"contract", "handbook", "report", "minutes", "mail", "chat", "technical", "letters"}
    assert all(share <= (0.1 if genre == "mail" else 0.05) for genre, share in shares.items()), shares
    assert all(right / every >= 0.95 for right, every in report["leaks"].values()), report["leaks"]
    with pytest.raises(CommandError, match="a folder that exists"):
        evaluate(write(tmp_path, CRANE), ordinary=["letters=/nowhere"])


def test_what_a_recogniser_is_worth_is_measured_without_it(tmp_path):
    rent = {"text": "The rent is EUR 4,000.", "labels": ["Financial"], "split": "held"}
    code = {"text": "pw: tr0ub4dor&3", "labels": ["Secret"], "split": "held"}
    lines = evaluate(write(tmp_path, rent, code), without=["secrets"])[0].splitlines()
    recall = {line.split()[0]: line.split()[1] for line in lines[1:]}
    assert recall == {"(nothing)": "1.000", "secrets": "0.500"}
    assert rules.vote_by_rules(code["text"]).atoms, "it is there again"
