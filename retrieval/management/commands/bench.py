"""`manage.py bench retrieval --rows N --json`."""

import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from retrieval.bench.retrieval import Row, measure

SUITES = {"retrieval": measure}


class Command(BaseCommand):
    help = "Measures a part of the system beside what one would write by hand, in a workspace made for it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("suite", choices=list(SUITES))
        parser.add_argument("--rows", type=int, default=20_000, help="Index rows of the workspace.")
        parser.add_argument("--rounds", type=int, default=5, help="Rounds in which the sides take turns.")
        parser.add_argument("--json", action="store_true", help='{"rows": [{"name", "value", "goal", "met"}]}')

    def handle(self, *args: Any, suite: str, rows: int, rounds: int, **options: Any) -> None:
        if rows < 100 or rounds < 1:
            raise CommandError("Give at least 100 rows and one round.")
        found = SUITES[suite](rows, rounds)
        if options["json"]:
            self.stdout.write(json.dumps({"rows": [asdict(row) for row in found]}, indent=1))
            return
        for row in found:
            self.stdout.write(line(row))


def line(row: Row) -> str:
    verdict = "" if row.met is None else f"   {'met' if row.met else 'NOT MET'} ({row.goal})"
    return f"{row.name:60} {row.value:12,.3f}{verdict}"
