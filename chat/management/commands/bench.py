"""`manage.py bench SUITE --rows N --json`."""

import json
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from chat.bench import memory, streams
from ingestion.embed import INCLUDED, get_embedder, list_configured
from retrieval.bench import drop, ingest, likeness, retrieval, revocation, scale
from retrieval.bench.timing import BenchRow

SUITES = {
    "memory": memory.measure,
    "revocation": revocation.measure_revocation,
    "scale": scale.measure_scale,
}


class Command(BaseCommand):
    help = "Measures a part of the system beside what one would write by hand, in a workspace made for it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("suite", choices=[*SUITES, "drop", "ingest", "likeness", "retrieval", "streams"])
        parser.add_argument("--pages", type=int, default=1_000, help="Of the long document (ingest).")
        parser.add_argument(
            "--files", type=int, default=1_000, help="Through which memory is followed (ingest); of the drop (drop)."
        )
        parser.add_argument("--rows", type=int, default=20_000, help="Index rows of the workspace.")
        parser.add_argument(
            "--shared",
            type=float,
            default=0.0,
            help="Cosine of texts that have nothing in common (retrieval): all-MiniLM-L6-v2 has 0.1,"
            " multilingual-e5-small 0.78.",
        )
        parser.add_argument("--sets", nargs="+", type=Path, default=[], help="Folders of questions (likeness).")
        parser.add_argument("--streams", type=int, default=200, help="Open at once (streams).")
        parser.add_argument("--rounds", type=int, default=5, help="Rounds in which the sides take turns; notes (drop).")
        parser.add_argument("--seconds", type=float, default=10.0, help="For which several users search at once.")
        parser.add_argument("--plans", type=Path, help="A file for the comparators' settings and query plans.")
        parser.add_argument("--json", action="store_true", help='{"rows": [{"name", "value", "goal", "met"}]}')

    def handle(self, *args: Any, suite: str, rows: int, rounds: int, seconds: float, **options: Any) -> None:
        if rows < 100 or rounds < 1:
            raise CommandError("Give at least 100 rows and one round.")
        if not 0 <= options["shared"] < 1:
            raise CommandError("Give --shared as a cosine from 0 to below 1.")
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            raise CommandError("The database is not up to date. Run: manage.py migrate")
        plans: list[str] = []
        # Whoever ends it ends it as Ctrl-C does: its workspace is deleted.
        before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
        try:
            if suite == "ingest":
                found = ingest.measure_ingestion(options["pages"], options["files"], rounds)
            elif suite == "likeness":
                encoders = [
                    get_embedder(model_id) for model_id, _ in INCLUDED.values() if model_id in list_configured()
                ]
                found = [row for encoder in encoders for row in likeness.measure_likeness(encoder, options["sets"])]
            elif suite == "drop":
                found = drop.measure_drop(options["files"], rounds)
            elif suite == "retrieval":
                found = retrieval.measure_retrieval(rows, rounds, seconds, plans, options["shared"])
            elif suite == "streams":
                found = streams.measure_streams(options["streams"])
            else:
                found = SUITES[suite](rows, rounds, seconds, plans)
        finally:
            signal.signal(signal.SIGTERM, before)
        if options["plans"]:
            options["plans"].write_text("\n\n".join(plans) + "\n")
        if options["json"]:
            self.stdout.write(json.dumps({"rows": [asdict(row) for row in found]}, indent=1))
            return
        for row in found:
            self.stdout.write(format_row(row))


def format_row(row: BenchRow) -> str:
    verdict = "" if row.met is None else f"   {'met' if row.met else 'NOT MET'} ({row.goal})"
    return f"{row.name:100} {row.value:12,.3f}{verdict}"
