"""`manage.py vector_model`: another embedding model in the place of the one in use, without a gap (docs/adr/0020)."""

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from entities.access import Scope
from entities.models import Workspace
from ingestion import vector_fill, vector_graph, vector_models, vector_switch
from ingestion.embedders import EmbeddingFailed


class Command(BaseCommand):
    help = "Embedding models of workspaces: add one beside the one in use, see how far it is, switch to it, drop one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        for action, text in (
            ("add", "put a configured model beside the one in use; workers make its vectors"),
            ("status", "the models of each workspace, and how many rows each has a vector of"),
            ("fill", "make the missing vectors here and now, beside the workers"),
            ("switch", "let searches use a model, once it has a vector of every row"),
            ("drop", "take a model that is not in use away, with its vectors"),
        ):
            one = actions.add_parser(action, help=text)
            if action != "status":
                one.add_argument("model", help="The model's id, as CLEARANCE_EMBEDDER or CLEARANCE_EMBEDDERS names it.")
            if action == "add":
                one.add_argument(
                    "--switch",
                    action="store_true",
                    help="Searches change to it by themselves once it is whole; the former one goes after seven days.",
                )
            one.add_argument("--workspace", action="append", default=[], help="Its slug; all workspaces without it.")

    def handle(self, *args: Any, action: str, workspace: list[str], **options: Any) -> None:
        """All workspaces are tried; the exit status is 1 where one refused."""
        known = dict(Workspace.objects.order_by("slug").values_list("slug", "pk"))
        unknown = [slug for slug in workspace if slug not in known]
        if unknown:
            raise CommandError(f"There is no workspace {unknown[0]!r}.")
        given = {"switch": options["switch"]} if action == "add" else {}
        refused = False
        for slug in workspace or known:
            try:
                getattr(self, action)(slug, known[slug], options.get("model", ""), **given)
            except (vector_switch.ModelSwitchRefused, EmbeddingFailed) as problem:
                refused = True
                self.stderr.write(f"{slug}: {problem}")
        if action == "drop" and not refused:
            vector_graph.drop_unused()
        if refused:
            raise CommandError("Not done in every workspace.")

    def add(self, slug: str, workspace: int, model: str, switch: bool) -> None:
        vector_switch.add_model(scope=Scope.for_service(workspace), model_id=model, switch=switch)
        then = "; searches change to it by themselves then" if switch else ""
        self.stdout.write(f"{slug}: {model} stands beside the model in use; workers make its vectors{then}.")

    def status(self, slug: str, workspace: int, model: str) -> None:
        found = vector_models.list_status(workspace)
        if not found:
            self.stdout.write(f"{slug}: no text yet.")
        for line in found:
            ready = (
                f"{line.rows - line.missing} of {line.rows} rows ({line.share:.1%})" if line.checked_at else "waiting"
            )
            about = {"current": "in use", "dropped": "being removed"}.get(line.state, f"beside it: {ready}")
            working = ", being filled" if line.working else ""
            problem = f". {line.error}" if line.error else ""
            self.stdout.write(f"{slug}: {line.model_id} ({line.dim} dimensions), {about}{working}{problem}")

    def fill(self, slug: str, workspace: int, model: str) -> None:
        if not vector_fill.fill_model(workspace, model, seconds=float("inf")):
            raise vector_switch.ModelSwitchRefused(
                f"{model} is not whole: see its status. Another process may be filling it."
            )
        self.stdout.write(f"{slug}: {model} is whole.")

    def switch(self, slug: str, workspace: int, model: str) -> None:
        vector_fill.switch_model(workspace, model)
        self.stdout.write(f"{slug}: searches use {model}.")

    def drop(self, slug: str, workspace: int, model: str) -> None:
        if wait := vector_switch.settles_in(workspace, model):
            self.stdout.write(f"{slug}: waiting {wait:.0f} seconds for searches that began with {model}.")
            time.sleep(wait)
        vector_switch.drop_model(scope=Scope.for_service(workspace), model_id=model)
        gone = vector_switch.delete_vectors(workspace, model)
        self.stdout.write(f"{slug}: {model} is gone, and {gone} vectors with it.")
