"""`manage.py learn_labels`: the weights of words by which the rules see what a text is about (docs/labels.md)."""

from typing import Any

from django.core.management.base import BaseCommand

from entities.actions import SEEDED
from ingestion.evaluation.learning import digest, learn
from ingestion.evaluation.sets import OWN, read_set
from llm.prompts import Level
from llm.recognisers.learned import TABLE


class Command(BaseCommand):
    help = "Learns the weights of words from the dev half of the project's own set, never from the held half."

    def handle(self, *args: Any, **options: Any) -> None:
        levels = tuple(Level(value, name, text) for value, name, _, _, text in SEEDED)
        samples = read_set(OWN, levels).of("dev")
        table = learn(samples)
        lines = [f"# learned from {len(samples)} paragraphs, {digest(samples)}: manage.py learn_labels"]
        lines += ["\t".join([feature, *map(str, values)]) for feature, values in table.items()]
        TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
        self.stdout.write(f"{len(table)} weights from {len(samples)} paragraphs.")
