"""`manage.py build_vector_graph`: the graphs of models with many vectors, however long it takes."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from ingestion.vector_graph import FEWEST, build_graphs


class Command(BaseCommand):
    help = "Builds the missing graphs over the vectors of models, for search in large workspaces."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--fewest", type=int, default=FEWEST, help="vectors that a model has at least")

    def handle(self, *args: Any, fewest: int, **options: Any) -> None:
        built = build_graphs(fewest=fewest)
        self.stdout.write(f"Built: {', '.join(built)}." if built else "No graph is missing.")
