"""`manage.py evaluate_classification SET`: how well paragraphs get the labels that they need (docs/labels.md)."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from entities.access import Scope
from entities.actions import SEEDED
from entities.models import Workspace
from ingestion.classify import Classifier
from ingestion.embed import get_embedder
from ingestion.evaluation.ablation import RECOGNISERS, report_ablation
from ingestion.evaluation.corpora import BadFolder, parse_folders, read_folders
from ingestion.evaluation.figures import VoterFigures, judge_voter
from ingestion.evaluation.openness import describe_openness, read_documents
from ingestion.evaluation.ordinary import (
    describe_genres,
    describe_leaks,
    list_own_paragraphs,
    measure_genres,
    measure_leaks,
    select_measured_half,
)
from ingestion.evaluation.report import build_json, format_mistakes, format_report
from ingestion.evaluation.runs import save_run
from ingestion.evaluation.sets import OWN, SPLITS, BadLabelledSet, read_set
from ingestion.evaluation.voters import UNION, VOTERS, label_paragraphs
from ingestion.heads.lessons import read_lessons
from ingestion.policy import load_workspace_guidance
from ingestion.work import load_workspace_levels
from llm.prompts import Level

THRESHOLD = 0.02
DROPPED = 2
"""Exit status of a run that lost too much; 1 is a mistake in the call or in the set."""


class Command(BaseCommand):
    help = (
        "Labels every paragraph of a set by rules and offline model, and reports what was missed and what was too much."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "set", nargs="?", metavar="SET", type=Path, default=OWN, help="A JSONL file; default: the project's own."
        )
        parser.add_argument("--workspace", default="", help="Use the levels and the guidance of this workspace (slug).")
        parser.add_argument("--show", action="store_true", help="List the mistakes of the half called dev.")
        parser.add_argument(
            "--threshold", type=float, default=THRESHOLD, help="How much a figure may lose (default %(default)s)."
        )
        parser.add_argument(
            "--ordinary", action="append", default=[], metavar="GENRE=FOLDER",
            help="Ordinary files, of which the half that is not learned from is measured.",
        )  # fmt: skip
        parser.add_argument(
            "--without", action="append", default=[], choices=["every", *RECOGNISERS],
            help="Measure without this recogniser too, or without each of them in its turn, and keep no run.",
        )  # fmt: skip
        parser.add_argument(
            "--open", type=Path, metavar="SET",
            help="Who reads what of these whole documents, in the form of `ingestion/heads/lessons.py`; keeps no run.",
        )  # fmt: skip
        parser.add_argument("--accept", action="store_true", help="Compare later runs with this one, even if it lost.")
        parser.add_argument("--json", action="store_true", help="The report as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["open"]:
            documents = read_documents(read_lessons(options["open"]), get_embedder())
            self.stdout.write("\n".join(describe_openness(documents)))
            return
        classifier = self.build_classifier(options["workspace"])
        try:
            given = read_set(options["set"], classifier.levels)
            others = list(select_measured_half(read_folders(parse_folders(options["ordinary"]))))
        except (BadLabelledSet, BadFolder) as problem:
            raise CommandError(str(problem)) from None
        others += list_own_paragraphs()
        if options["without"]:
            names = RECOGNISERS if "every" in options["without"] else options["without"]
            self.stdout.write("\n".join(report_ablation(given, others, names)))
            return
        measured: dict[str, dict[str, VoterFigures]] = {}
        seconds = dict.fromkeys(VOTERS, 0.0)
        for split in SPLITS:
            samples = given.select_split(split)
            if not samples:
                continue
            labelled = label_paragraphs([sample.text for sample in samples], classifier)
            measured[split] = {voter: judge_voter(samples, labelled.labels[voter], given.levels) for voter in VOTERS}
            for voter, took in labelled.seconds.items():
                seconds[voter] += took
                seconds[UNION] += took
            if options["show"] and split == "dev":
                self.stderr.write("\n".join(format_mistakes(samples, labelled.labels[UNION], given.levels)))
        speed = {voter: round(len(given.samples) / took, 1) for voter, took in seconds.items()}
        kept = save_run(given, measured, threshold=options["threshold"], accept=options["accept"])
        if options["json"]:
            genres, leaks = measure_genres(others), measure_leaks(classifier.levels)
            shares = {"ordinary": {genre: of.to_json() for genre, of in genres.items()}, "leaks": leaks}
            self.stdout.write(json.dumps(build_json(given, speed, kept) | shares, indent=1))
        else:
            self.stdout.write("\n".join(format_report(given, measured, speed, kept)))
            self.stdout.write("\nOrdinary paragraphs, and what a Public reader loses of them")
            self.stdout.write("\n".join(describe_genres(measure_genres(others))))
            self.stdout.write("\nLeaks made from templates")
            self.stdout.write("\n".join(describe_leaks(measure_leaks(classifier.levels))))
        if kept.drops and not options["accept"]:
            raise CommandError("Paragraphs are labelled worse than they were.", returncode=DROPPED)

    def build_classifier(self, slug: str) -> Classifier:
        """With the levels that every workspace begins with, or those of one. The first needs no database."""
        if not slug:
            return Classifier(0, tuple(Level(value, name, text) for value, name, _, _, text in SEEDED))
        workspace = Workspace.objects.filter(slug=slug).first()
        if workspace is None:
            raise CommandError(f"There is no workspace {slug!r}.")
        with Scope.for_service(workspace.pk).open():
            return Classifier(workspace.pk, load_workspace_levels(), load_workspace_guidance())
