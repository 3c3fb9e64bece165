"""`manage.py measure_originals FOLDER`: of how many files the original can be had without an act of a steward."""

from pathlib import Path
from typing import Any, get_args

from django.core.management.base import BaseCommand, CommandError, CommandParser

from entities.rag import RemainderPolicy
from ingestion.evaluation.originals import Share, get_extension, judge_file, list_files_below


class Command(BaseCommand):
    help = (
        "Reads the files of a folder as uploads are read, and reports the share of which the original can be had by a "
        "reader who holds every label found in them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", metavar="FOLDER", type=Path)
        parser.add_argument("--kind", action="append", default=[], help="Only files with this ending, such as pdf.")
        parser.add_argument("--collection", choices=get_args(RemainderPolicy), default="default")
        parser.add_argument("--show", action="store_true", help="Name what is withheld, or needs more labels.")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["folder"].is_dir():
            raise CommandError(f"{options['folder']} is not a folder.")
        shares: dict[str, Share] = {}
        for path in list_files_below(options["folder"], frozenset(options["kind"])):
            judged = judge_file(path, options["collection"])
            shares.setdefault(get_extension(path), Share()).add(judged)
            if options["show"] and (judged.refused or judged.blocking or judged.more):
                why = judged.refused or " ".join(judged.blocking) or f"needs {sorted(judged.more)}: {judged.reasons}"
                self.stderr.write(f"{path.relative_to(options['folder'])}: {why}")
        self.stdout.write(f"{'kind':8} {'files':>5} {'read':>5} {'original':>8} {'share':>6} {'more labels':>11}")
        every = sum(shares.values(), Share())
        for kind, share in [*sorted(shares.items()), ("all", every)]:
            part = share.downloadable / share.read if share.read else 0
            files = share.read + share.refused.total()
            self.stdout.write(f"{kind:8} {files:5} {share.read:5} {share.downloadable:8} {part:6.1%} {share.more:11}")
        for title, codes in (("withheld for", every.blocking), ("not read", every.refused)):
            self.stdout.write(
                f"{title}: {', '.join(f'{code} {count}' for code, count in codes.most_common()) or 'none'}"
            )
