"""`manage.py measure_reading FOLDER`: which files of a folder are read, and how PDF text compares with pypdfium2's."""

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from ingestion.evaluation.reading import FileReading, PdfComparison, read_files


class Command(BaseCommand):
    help = "Reads every file of a folder as an upload is read, and reports what is opened, refused and left out."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", metavar="FOLDER", type=Path)
        parser.add_argument("--no-compare", action="store_true", help="Do not read PDFs once more with pypdfium2.")
        parser.add_argument("--files", action="store_true", help="A line for every file as well.")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["folder"].is_dir():
            raise CommandError(f"{options['folder']} is not a folder.")
        readings = []
        for reading in read_files(options["folder"], compare=not options["no_compare"]):
            readings.append(reading)
            if options["files"]:
                self.stdout.write(describe_file(reading))
        self.stdout.write(
            "\n".join(
                [
                    *format_opened(readings),
                    *format_refused(readings),
                    *format_left_out(readings),
                    *format_compared(readings),
                ]
            )
        )


def describe_file(reading: FileReading) -> str:
    if reading.refusal is not None:
        return f"{reading.name}  refused: {reading.refusal[0]}"
    described = f"{reading.name}  {reading.characters:,} characters"
    if (c := reading.comparison) is not None:
        shares = f"words {format_ratio(c.shared, c.words)} order {format_ratio(c.ordered, c.placed)}"
        described += (
            f"  {shares}  CPU {format_times(c.seconds, c.reference_seconds)} ({1000 * c.seconds / c.pages:.1f} ms)"
        )
    return described + (f"  not read: {' '.join(reading.missing)}" if reading.missing else "")


def format_opened(readings: list[FileReading]) -> list[str]:
    lines = [f"{'extension':<12}{'files':>7}{'opened':>8}  refused"]
    by_extension: dict[str, list[FileReading]] = defaultdict(list)
    for reading in readings:
        by_extension[reading.extension].append(reading)
    for extension, group in [*sorted(by_extension.items()), ("all", readings)]:
        codes = Counter(reading.refusal[0] for reading in group if reading.refusal is not None)
        refusals = ", ".join(f"{code} {count}" for code, count in codes.most_common())
        lines.append(f"{extension:<12}{len(group):>7}{len(group) - codes.total():>8}  {refusals}")
    return lines


def format_refused(readings: list[FileReading]) -> list[str]:
    reasons: dict[tuple[str, str], list[str]] = defaultdict(list)
    for reading in readings:
        if reading.refusal is not None:
            reasons[reading.refusal].append(reading.name)
    lines = ["", "reasons of refusals"] if reasons else []
    for (code, sentence), names in sorted(reasons.items(), key=lambda item: -len(item[1])):
        lines.append(f"{len(names):>5}  {code}: {sentence}")
        lines += [f"           {name}" for name in names]
    return lines


def format_left_out(readings: list[FileReading]) -> list[str]:
    codes = Counter(code for reading in readings for code in reading.missing)
    lines = ["", "not read of files that were opened"] if codes else []
    return lines + [f"{count:>5}  {code}" for code, count in codes.most_common()]


def format_compared(readings: list[FileReading]) -> list[str]:
    """Means over files, so that one long file does not outweigh the others; processor time over all pages."""
    groups: dict[str, list[PdfComparison]] = defaultdict(list)
    for reading in readings:
        if reading.comparison is not None:
            for group in (str(Path(reading.name).parent), "all"):
                groups[group].append(reading.comparison)
    if not groups:
        return []
    every = groups.pop("all")
    lines = [
        "",
        f"{'PDFs beside pypdfium2':<36}{'files':>6}{'pages':>7}{'words':>8}{'order':>8}{'CPU':>8}{'ms/page':>9}",
    ]
    for name, found in [*sorted(groups.items()), ("all", every)]:
        pages = sum(c.pages for c in found)
        words = compute_mean([c.shared / c.words for c in found if c.words])
        order = compute_mean([c.ordered / c.placed for c in found if c.placed])
        seconds = sum(c.seconds for c in found)
        cpu = format_times(seconds, sum(c.reference_seconds for c in found))
        lines.append(
            f"{name[-35:]:<36}{len(found):>6}{pages:>7}{words:>8.3f}{order:>8.3f}{cpu:>8}{1000 * seconds / pages:>9.1f}"
        )
    return lines


def compute_mean(shares: list[float]) -> float:
    return sum(shares) / len(shares) if shares else 1.0


def format_ratio(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "-"


def format_times(seconds: float, reference: float) -> str:
    return f"{seconds / reference:.1f}x" if reference else "-"
