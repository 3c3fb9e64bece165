"""`manage.py requalify`: what a change of policy, model, prompt, rules or extraction made stale, and its renewal."""

import json
import signal
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from entities.access import Scope
from entities.models import Classification, Workspace
from ingestion import requalify
from ingestion.models import Requalification, RequalifiedFile
from ingestion.requalify_plan import RequalifyPlan, count_by_cause, plan_requalification
from ingestion.staleness import NAMES


class Command(BaseCommand):
    help = (
        "Without an option: what is stale in a workspace, how many calls of the model renewing it would take, and what "
        "they would cost. Then --canary 0.1 renews a share and reports, and --go renews the rest."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("workspace", help="Its slug.")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--canary", type=float, metavar="SHARE", help="Renew this share of the files, and stop.")
        what.add_argument("--go", action="store_true", help="Go on with what was begun, to the end.")
        what.add_argument("--report", action="store_true", help="What came of what is done.")
        what.add_argument("--abandon", action="store_true", help="End the run that is open; what is done stays.")
        parser.add_argument(
            "--everything", action="store_true", help="With --canary, or alone for the plan: every file, stale or not."
        )
        parser.add_argument("--json", action="store_true", help="The plan or the report as JSON.")

    def handle(self, *args: Any, workspace: str, **options: Any) -> None:
        known = Workspace.objects.filter(slug=workspace).values_list("pk", flat=True).first()
        if known is None:
            raise CommandError(f"There is no workspace {workspace!r}.")
        self.as_json = bool(options["json"])
        try:
            if options["everything"] and (options["go"] or options["report"] or options["abandon"]):
                raise requalify.RequalifyRefused(
                    "--everything goes with --canary: what a run works over is said when it begins."
                )
            if options["canary"] is not None:
                self.run_canary(known, options["canary"], everything=options["everything"])
            elif options["go"]:
                self.run_rest(known)
            elif options["report"]:
                self.write_report(self.get_open_run(known))
            elif options["abandon"]:
                requalify.end_run(self.get_open_run(known))
                self.stdout.write("The run is ended. What is done stays; the rest is stale as before.")
            else:
                self.write_plan_of_workspace(known, everything=options["everything"])
        except requalify.RequalifyRefused as refusal:
            raise CommandError(str(refusal)) from None

    def get_open_run(self, workspace: int) -> Requalification:
        run = requalify.open_run(workspace)
        if run is None:
            raise requalify.RequalifyRefused("No run is open: begin with a share, --canary 0.1.")
        return run

    def write_plan_of_workspace(self, workspace: int, *, everything: bool) -> None:
        with Scope.for_service(workspace).open():
            found = plan_requalification(everything=everything)
        self.write_plan(found)
        if requalify.open_run(workspace) is not None and not self.as_json:
            self.stdout.write("A run is open: --report tells of it, --go goes on.")

    def run_canary(self, workspace: int, share: float, *, everything: bool) -> None:
        run = requalify.open_run(workspace)
        if run is None:
            run, found = requalify.start_run(workspace, share, everything=everything)
            if not self.as_json:
                self.write_plan(found)
        elif (run.share, run.everything) != (share, everything):
            raise requalify.RequalifyRefused(
                "A run with another share is open: go on with it (--go), or end it (--abandon)."
            )
        self.process_files(run, canary_only=True)

    def run_rest(self, workspace: int) -> None:
        run = self.get_open_run(workspace)
        if self.process_files(run, canary_only=False):
            requalify.end_run(run)

    def process_files(self, run: Requalification, *, canary_only: bool) -> bool:
        with catch_interrupt() as stopped:
            whole = requalify.go_on(run, canary_only=canary_only, stopped=stopped, told=self.write_item)
        self.write_report(run)
        if not whole:
            self.stdout.write("Stopped. Go on later with the same command.")
        elif canary_only and not self.as_json:
            self.stdout.write("That was the share that goes first. Look at it; then --go does the rest.")
        return whole

    def write_item(self, item: RequalifiedFile) -> None:
        if not self.as_json:
            about = (
                f": {item.detail}" if item.detail else f", {item.changed} of {item.paragraphs} paragraphs relabelled"
            )
            self.stdout.write(f"{item.file_id} {item.get_state_display().lower()}{about}")

    def write_plan(self, found: RequalifyPlan) -> None:
        causes = dict(count_by_cause(found.files))
        if self.as_json:
            self.stdout.write(
                json.dumps(
                    {
                        "files": len(found.files),
                        "paragraphs": found.paragraphs,
                        "causes": causes,
                        "calls": found.calls,
                        "windows": found.windows,
                        "summaries": found.summaries,
                        "pictures": found.pictures,
                        "model": found.model,
                        "cost_usd": str(found.cost),
                        "left_out": found.left,
                    }
                )
            )
            return
        if not found.files:
            self.stdout.write("Nothing is stale.")
        else:
            self.stdout.write(
                f"{len(found.files)} files, {found.paragraphs} paragraphs; {found.calls} calls of models "
                f"({found.windows} for labels and {found.summaries} for summaries of {found.model}, {found.pictures} "
                f"to read pictures), about {found.cost:.2f} USD. Repeated calls come on top, equal files are "
                "asked once."
            )
        for name, count in causes.items():
            self.stdout.write(f"  {NAMES[name]}: {count} files")
        if found.left:
            self.stdout.write(f"{found.left} more have a version on its way or in quarantine, and are left out.")

    def write_report(self, run: Requalification) -> None:
        came = requalify.report_run(run)
        with Scope.for_service(run.workspace_id).open():
            names = dict(Classification.objects.values_list("value", "label"))
        if self.as_json:
            self.stdout.write(
                json.dumps(
                    {
                        "files": came.files,
                        "paragraphs": came.paragraphs,
                        "relabelled": came.changed,
                        "needed_more": name_counts(came.gained, names),
                        "would_need_less": name_counts(came.waiting, names),
                        "failed": [[str(pk), detail] for pk, detail in came.failed],
                        "left_out": came.left,
                        "still_to_do": came.still,
                    }
                )
            )
            return
        self.stdout.write(
            f"{came.files} files done, {came.changed} of {came.paragraphs} paragraphs relabelled; {came.still} to do."
        )
        for title, counts in (
            ("Under-classified before, and raised", came.gained),
            ("Over-classified by today's votes, and left for a steward", came.waiting),
        ):
            for label, count in name_counts(counts, names).items():
                self.stdout.write(f"  {title}: {label} on {count} paragraphs")
        for pk, detail in came.failed:
            self.stdout.write(f"  failed: {pk} {detail}")


def name_counts(counts: Mapping[int, int], names: Mapping[int, str]) -> dict[str, int]:
    return {names.get(atom, str(atom)): count for atom, count in sorted(counts.items())}


@contextmanager
def catch_interrupt() -> Iterator[Any]:
    """Yields a function that tells whether somebody pressed Ctrl-C: the file at work is finished first. Pressed again,
    the process ends at once; the file is then finished by the workers."""
    pressed: list[int] = []

    def note_signal(number: int, frame: FrameType | None) -> None:
        if pressed:
            raise KeyboardInterrupt
        pressed.append(number)

    before = signal.signal(signal.SIGINT, note_signal)
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, before)
