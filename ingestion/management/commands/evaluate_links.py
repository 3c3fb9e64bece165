"""`manage.py evaluate_links SET`: how many links between documents are found and led to the right one."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from ingestion.errors import BadUpload
from ingestion.evaluation.links import BadLinks, LinkMeasurement, measure_links
from ingestion.folder_addresses import read_addresses


class Command(BaseCommand):
    help = "Reads the documents of a set whose links are known, and reports precision and recall of what they lead to."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("set", metavar="SET", type=Path, help="A folder with docs/ and edges.jsonl.")
        parser.add_argument("--address", action="append", default=[], help="Where docs/ lives elsewhere; repeatable.")
        parser.add_argument("--show", action="store_true", help="List links that were missed or are not in the set.")
        parser.add_argument("--json", action="store_true", help="The report as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            measured = measure_links(options["set"], read_addresses(options["address"]))
        except (BadLinks, BadUpload) as problem:
            raise CommandError(str(problem)) from None
        if options["json"]:
            self.stdout.write(json.dumps(build_figures(measured), indent=1))
        else:
            lines = (f"{name.replace('_', ' ')}: {said}" for name, said in build_figures(measured).items())
            self.stdout.write("\n".join(lines))
        if options["show"]:
            for title, links in (("missed", measured.known - measured.found), ("not in the set", measured.unlisted)):
                self.stderr.write("\n".join(f"{title}: {src} -> {dst} ({n})" for (src, dst), n in links.items()))


def build_figures(measured: LinkMeasurement) -> dict[str, Any]:
    return {
        "documents": measured.documents,
        "documents_unread": measured.unread,
        "links_of_the_set": measured.known.total(),
        "resolved": measured.found.total(),
        "right": measured.correct,
        "recall": round(measured.recall, 4),
        "precision": round(measured.precision, 4),
        "not_in_the_set_but_resolved": measured.unlisted.total(),
        "in_html_and_resolved": measured.raw.total(),
        "broken_links_of_the_set": measured.broken,
        "broken_but_resolved": measured.mended,
        "not_resolved": {str(reason): count for reason, count in measured.reasons.most_common()},
    }
