"""`manage.py verify_audit [--workspace legal] [--checkpoints FILE]`: is the audit what was written?"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from entities.access import Scope, list_workspace_ids
from entities.audit.chain import verify_chain
from entities.audit.checkpoints import BadCheckpoint, Checkpoint, read_checkpoints
from entities.models import Workspace


class Command(BaseCommand):
    help = "Read the audit's chains again; exits with 1 and names the first bad row where one is not what was written."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--workspace", help="Slug; all workspaces when left out.")
        parser.add_argument(
            "--checkpoints", type=Path, help="A file of `audit_checkpoint`: shows a cut tail and rewriting."
        )

    def handle(self, *args: Any, workspace: str | None, checkpoints: Path | None, **options: Any) -> None:
        chains, kept = choose_workspaces(workspace), load_checkpoints(checkpoints)
        bad = 0
        for pk, slug in chains.items():
            scope = Scope.for_service(pk)
            with scope.open():
                found = verify_chain(scope, [c for c in kept if c.workspace == pk])
            if found.problem:
                bad += 1
                self.stderr.write(f"{slug}: {found.problem.kind}. {found.problem.sentence}")
            else:
                gone = f", {found.redacted} without their words, {found.removed} removed by retention"
                self.stdout.write(f"{slug}: {found.rows} rows as they were written{gone}.")
        if workspace is None:
            for lost in {c.workspace: c for c in kept if c.workspace not in chains}.values():
                bad += 1
                self.stderr.write(
                    f"{lost.slug}: cut tail. There is no such workspace any more, and it had {lost.seq} rows."
                )
        if bad:
            raise CommandError("The audit is not what was written.")


def choose_workspaces(slug: str | None) -> dict[int, str]:
    """Workspaces by id. Raises: CommandError for one that does not exist."""
    found = {
        w.pk: w.slug
        for w in Workspace.objects.filter(pk__in=list_workspace_ids()).order_by("pk")
        if slug in (None, w.slug)
    }
    if slug is not None and not found:
        raise CommandError(f"There is no workspace {slug!r}.")
    return found


def load_checkpoints(path: Path | None) -> list[Checkpoint]:
    """Raises: CommandError for a file that cannot be read."""
    if path is None:
        return []
    try:
        return read_checkpoints(path.read_text().splitlines())
    except (OSError, UnicodeDecodeError) as problem:
        raise CommandError(f"{path} cannot be read: {problem}.") from None
    except BadCheckpoint as problem:
        raise CommandError(f"{path}: {problem}") from None
