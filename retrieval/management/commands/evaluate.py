"""`manage.py evaluate SET …`: how well search finds what a set of questions asks for (docs/evaluation.md)."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from entities.access import NoWorkspace, Scope
from entities.models import User
from ingestion.vector_models import get_search_model, list_whole_models
from retrieval.evaluation.comparison import (
    build_comparison_json,
    compare_rankings,
    compute_set_means,
    format_comparison,
)
from retrieval.evaluation.documents import ROLE, load_documents
from retrieval.evaluation.readers import format_as_lines, read_set
from retrieval.evaluation.report import build_report_json, build_weights_json, format_report, format_weights
from retrieval.evaluation.run import RunMeasurement, measure_set
from retrieval.evaluation.sets import BadQuestionSet, QuestionSet
from retrieval.evaluation.store import THRESHOLD, SavedRun, note_run, save_run
from retrieval.evaluation.weights import ChosenWeights, choose_share
from retrieval.likeness import get_likeness

DROPPED = 2
"""Exit status of a run that lost too much; 1 is a mistake in the call or in the set."""


class Command(BaseCommand):
    help = "Asks every question of a set, or of several, and reports how well search found the places that answer it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "sets", nargs="*", metavar="SET", type=Path, help="A JSONL file, or a folder with questions.jsonl."
        )
        parser.add_argument("--workspace", default="", help="Ask about what this workspace has (slug); needs --as.")
        parser.add_argument("--as", dest="reader", default="", help="The member of --workspace who asks.")
        parser.add_argument(
            "--admin", action="append", default=[], help="Who is to see the runs of a set with documents; repeatable."
        )
        parser.add_argument("--sample", type=int, default=0, help="Ask only so many of its questions.")
        parser.add_argument("--answerable", action="store_true", help="Leave out questions without an answer.")
        parser.add_argument(
            "--weigh", action="store_true", help="Report which weights of the branches would serve all SETs best."
        )
        parser.add_argument(
            "--threshold", type=float, default=THRESHOLD, help="How much nDCG@10 may drop (default %(default)s)."
        )
        parser.add_argument(
            "--accept", action="store_true", help="Compare later runs with this one, even if it dropped."
        )
        parser.add_argument(
            "--model", default="", help="Ask by this embedding model of the workspace, in place of the one in use."
        )
        parser.add_argument("--same-settings", action="store_true", help="Compare with a run of today's settings only.")
        parser.add_argument("--load-only", action="store_true", help="Read the documents and ask nothing.")
        parser.add_argument(
            "--convert", action="store_true", help="Print the set in the documented form and do no more."
        )
        parser.add_argument("--json", action="store_true", help="The report as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["sets"]:
            raise CommandError("Name a SET.")
        sets = [self.read(path, options) for path in options["sets"]]
        if options["convert"]:
            self.stdout.write("".join(format_as_lines(given.questions) for given in sets), ending="")
            return
        readers = [self.reader(given, options) for given in sets]
        if options["load_only"]:
            return
        try:
            made = [self.run(given, *reader, options) for given, reader in zip(sets, readers, strict=True)]
            chosen = self.weigh(made) if options["weigh"] else None
        except (BadQuestionSet, ValueError) as problem:
            raise CommandError(str(problem)) from None
        if options["json"]:
            reports = [
                build_report_json(kept) | {"comparison": build_comparison_json(compare_rankings(one.outcomes))}
                for one, kept in made
            ]
            whole = {"sets": reports, "weights": build_weights_json(chosen)} if chosen else reports
            self.stdout.write(json.dumps(reports[0] if whole is reports and len(reports) == 1 else whole, indent=1))
        else:
            compared = [compare_rankings(one.outcomes) for one, _ in made]
            for (_, kept), rankings in zip(made, compared, strict=True):
                self.stdout.write("\n".join(format_report(kept, options["threshold"])))
                self.stdout.write("\n".join(format_comparison(rankings)))
            if len(made) > 1:
                self.stdout.write(f"Means of {len(made)} sets:")
                self.stdout.write("\n".join(format_comparison(compute_set_means(compared))))
            if chosen:
                self.stdout.write("\n".join(format_weights(chosen)))
        if any(kept.run.dropped for _, kept in made):
            raise CommandError("Search got worse than it was.", returncode=DROPPED)

    def weigh(self, made: Sequence[tuple[RunMeasurement, SavedRun]]) -> ChosenWeights:
        """By what the runs got. Raises: ValueError."""
        outcomes = {kept.run.set_name: one.outcomes for one, kept in made}
        return choose_share(outcomes, get_likeness(made[0][1].run.model_id))

    def read(self, path: Path, options: dict[str, Any]) -> QuestionSet:
        try:
            given = read_set(path)
        except BadQuestionSet as problem:
            raise CommandError(str(problem)) from None
        return self.narrow(given, options)

    def narrow(self, given: QuestionSet, options: dict[str, Any]) -> QuestionSet:
        if options["answerable"]:
            given = given.answerable()
        return given.sample(options["sample"]) if options["sample"] > 0 else given

    def run(
        self, given: QuestionSet, reader: Scope, name: str, options: dict[str, Any]
    ) -> tuple[RunMeasurement, SavedRun]:
        """Raises: BadSet, ValueError."""
        model_id = options["model"] or get_search_model(reader)
        if model_id not in list_whole_models(reader.workspace):
            raise CommandError(
                f"{model_id} is no model of this workspace, or not whole: manage.py vector_model status."
            )
        note_run(reader, given, name=name, model_id=model_id)
        measured = measure_set(reader, given, self.say, model=model_id)
        kept = save_run(
            reader,
            given,
            measured,
            name=name,
            model_id=model_id,
            threshold=options["threshold"],
            accept=options["accept"],
            same_settings=options["same_settings"],
        )
        return measured, kept

    def reader(self, given: QuestionSet, options: dict[str, Any]) -> tuple[Scope, str]:
        """Who asks, and as what a run names them. Loads the set's documents where it has some."""
        if options["workspace"] or not given.documents:
            if not (options["workspace"] and options["reader"]):
                raise CommandError("Questions about what a workspace has need --workspace and --as.")
            user = self.user(options["reader"])
            try:
                return Scope.for_user(user, options["workspace"]), user.username
            except NoWorkspace:
                raise CommandError(f"{user.username} is in no workspace {options['workspace']!r}.") from None
        for admin in options["admin"]:
            self.user(admin)
        loaded = load_documents(given, options["admin"], self.say)
        self.say(f"Workspace {loaded.slug!r}: {len(given.documents)} documents, {loaded.waited} of them new.")
        for document, reason in loaded.missing:
            self.say(f"Not read: {document}: {reason}")
        return loaded.reader, f"role {ROLE}"

    def user(self, username: str) -> User:
        user = User.objects.filter(username=username).first()
        if user is None:
            raise CommandError(f"There is no user {username!r}.")
        return user

    def say(self, text: str) -> None:
        self.stderr.write(text)
