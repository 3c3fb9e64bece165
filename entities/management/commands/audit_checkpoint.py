"""`manage.py audit_checkpoint >> FILE`: the heads of the audit's chains, for `verify_audit --checkpoints FILE`."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from entities.audit.checkpoints import read_head
from entities.management.commands.verify_audit import choose_workspaces


class Command(BaseCommand):
    help = "Print one line for each workspace's audit. Keep them where nobody who can write the database can write."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--workspace", help="Slug; all workspaces when left out.")

    def handle(self, *args: Any, workspace: str | None, **options: Any) -> None:
        for pk in choose_workspaces(workspace):
            checkpoint = read_head(pk)
            if checkpoint is not None:
                self.stdout.write(checkpoint.line())
