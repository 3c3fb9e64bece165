"""`manage.py learn_labels`: the weights of words by which the rules see what a text is about (docs/labels.md)."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from entities.actions import SEEDED
from ingestion.evaluation.corpora import BadFolder, is_learned_from, parse_folders, read_folders
from ingestion.evaluation.learning import build_lessons, hash_samples, learn_weights
from ingestion.evaluation.sets import OWN, read_set
from ingestion.evaluation.templates import load_ordinary_paragraphs
from llm.prompts import Level
from llm.recognisers.learned import TABLE


class Command(BaseCommand):
    help = "Learns the weights of words from the dev half of the project's own set, never from the held half."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--ordinary", action="append", default=[], metavar="GENRE=FOLDER",
            help="Files of ordinary text. No word gets into the table that our own texts do not have.",
        )  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        levels = tuple(Level(value, name, text) for value, name, _, _, text in SEEDED)
        samples = read_set(OWN, levels).select_split("dev")
        try:
            others = [p for p in read_folders(parse_folders(options["ordinary"])) if is_learned_from(p.group)]
        except BadFolder as problem:
            raise CommandError(str(problem)) from None
        lessons = build_lessons(samples, others)
        own = [sample.text for sample in samples] + [o.text for o in load_ordinary_paragraphs() if o.split == "dev"]
        table = learn_weights(lessons, own)
        ordinary = len(lessons) - len(samples)
        made_from = f"{len(samples)} paragraphs, {hash_samples(samples)}, and {ordinary} ordinary ones"
        lines = [f"# learned from {made_from}: manage.py learn_labels"]
        lines += ["\t".join([feature, *map(str, values)]) for feature, values in table.items()]
        TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
        self.stdout.write(f"{len(table)} weights from {len(lessons)} paragraphs.")
