"""`manage.py redact_audit legal 1204 1210 --why erasure`: take words out of the audit; the chain stays whole."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from entities.access import Scope
from entities.audit.retention import Why, redact_rows
from entities.management.commands.verify_audit import choose_workspaces


class Command(BaseCommand):
    help = "Take the words (and the ids of what was found) out of rows of the audit, for ever."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("workspace", help="Slug.")
        parser.add_argument("rows", nargs="+", type=int, help="Numbers of rows, as the audit shows them.")
        parser.add_argument("--why", required=True, choices=[Why.ERASURE, Why.MISTAKE])

    def handle(self, *args: Any, workspace: str, rows: list[int], why: str, **options: Any) -> None:
        (pk,) = choose_workspaces(workspace)
        with Scope.for_service(pk).open():
            done = redact_rows(rows, Why(why))
        self.stdout.write(f"{done} of {len(rows)} rows had words, and have them no longer.")
