"""`manage.py learn_heads`: trains the heads of an encoder on the documents that come with Clearance."""

from pathlib import Path
from typing import Any

import numpy as np
from django.core.management.base import BaseCommand, CommandParser

from ingestion.embed import get_embedder
from ingestion.heads import FOLDER, LONGEST
from ingestion.heads.lessons import FOLDER as DOCUMENTS
from ingestion.heads.lessons import read_lessons
from ingestion.heads.training import embed_lessons, fit_heads, measure_heads


class Command(BaseCommand):
    help = "Trains the heads that judge documents and paragraphs, for one encoder. Takes ten minutes on two cores."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--model", default="", help="The encoder; the default one where it is not given.")
        parser.add_argument("--also", action="append", default=[], type=Path, help="More documents to learn from.")
        parser.add_argument("--measure", action="append", default=[], type=Path, help="Documents to measure with.")
        parser.add_argument("--vectors", type=Path, help="A file that keeps vectors between two runs.")
        parser.add_argument("--keep", action="store_true", help="Write the weights; else they are measured only.")

    def handle(self, *args: Any, **options: Any) -> None:
        embedder = get_embedder(options["model"])
        lessons = [one for path in (DOCUMENTS / "learn.txt.xz", *options["also"]) for one in read_lessons(path)]
        ordinary = [one for one in read_lessons(DOCUMENTS / "lines.txt.xz") if one.whole != "S"]
        reaching = read_lessons(DOCUMENTS / "reach.txt.xz")
        sets = {path.name: read_lessons(path) for path in options["measure"]}
        every = [*lessons, *ordinary, *reaching, *(one for some in sets.values() for one in some)]
        table = embed_lessons(embedder, every, LONGEST, options["vectors"])
        heads = fit_heads(lessons, ordinary, reaching, table, LONGEST)
        self.stdout.write(
            f"lines: held {heads.hold:.3f}, label {heads.label:.3f}, propose {heads.propose:.3f}, "
            f"publish {heads.publish:.3f}, suspect {heads.suspect:.3f}"
        )
        for name, some in sets.items():
            for half in (0, 1):
                for lang in ("all", "en", "de", "fr", "es"):
                    chosen = [one for one in some[half::2] if lang in ("all", one.lang)]
                    if chosen:
                        self.stdout.write(f"{name} {'ab'[half]} {lang}: {measure_heads(heads, chosen, table, LONGEST)}")
        if options["keep"]:
            path = FOLDER / f"{embedder.model_id}.npz"
            np.savez_compressed(path, allow_pickle=False, **heads.dump())
            self.stdout.write(f"{path.name}: {path.stat().st_size // 1024} KiB")
