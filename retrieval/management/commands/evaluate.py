"""`manage.py evaluate SET`: how well search finds what a set of questions asks for (docs/evaluation.md)."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from entities.access import NoWorkspace, Scope
from entities.models import User
from ingestion.vector_models import model_for_search, whole_models
from retrieval.evaluation.documents import ROLE, load_documents
from retrieval.evaluation.readers import as_lines, read_set
from retrieval.evaluation.report import as_json, lines
from retrieval.evaluation.run import measure
from retrieval.evaluation.sets import BadSet, QuestionSet
from retrieval.evaluation.store import keep

THRESHOLD = 0.02
DROPPED = 2
"""Exit status of a run that lost too much; 1 is a mistake in the call or in the set."""


class Command(BaseCommand):
    help = "Asks every question of a set and reports how well search found the places that answer it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("set", type=Path, help="A JSONL file, or a folder with questions.jsonl and documents.")
        parser.add_argument("--workspace", default="", help="Ask about what this workspace has (slug); needs --as.")
        parser.add_argument("--as", dest="reader", default="", help="The member of --workspace who asks.")
        parser.add_argument(
            "--admin", action="append", default=[], help="Who is to see the runs of a set with documents; repeatable."
        )
        parser.add_argument("--sample", type=int, default=0, help="Ask only so many of its questions.")
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
        try:
            given = read_set(options["set"])
        except BadSet as problem:
            raise CommandError(str(problem)) from None
        if options["sample"] > 0:
            given = given.sample(options["sample"])
        if options["convert"]:
            self.stdout.write(as_lines(given.questions), ending="")
            return
        reader, name = self.reader(given, options)
        if options["load_only"]:
            return
        model_id = options["model"] or model_for_search(reader)
        if model_id not in whole_models(reader.workspace):
            raise CommandError(
                f"{model_id} is no model of this workspace, or not whole: manage.py vector_model status."
            )
        try:
            kept = keep(
                reader,
                given,
                measure(reader, given, self.say, model=model_id),
                name=name,
                model_id=model_id,
                threshold=options["threshold"],
                accept=options["accept"],
                same_settings=options["same_settings"],
            )
        except (BadSet, ValueError) as problem:
            raise CommandError(str(problem)) from None
        if options["json"]:
            self.stdout.write(json.dumps(as_json(kept), indent=1))
        else:
            self.stdout.write("\n".join(lines(kept, options["threshold"])))
        if kept.run.dropped:
            raise CommandError("Search got worse than it was.", returncode=DROPPED)

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
