"""`measure_reading` says of a folder what is read, what is refused and why, and how PDF text compares."""

from io import StringIO
from pathlib import Path

from django.core.management import call_command

from ingestion.evaluation.reading import count_ordered
from tests.ingestion.pdfs import draw, line


def test_a_folder_is_measured_by_extension_and_reason(tmp_path: Path) -> None:
    draw(tmp_path / "letter.pdf", lambda canvas: line(canvas, 60, 100, "Three plain words"))
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    (tmp_path / "notes.md").write_text("# A note\n\nof its own\n")
    out = StringIO()
    call_command("measure_reading", str(tmp_path), "--files", stdout=out)
    report = out.getvalue()
    rows = {line.split()[0]: line.split()[1:] for line in report.splitlines() if line.startswith((".", "all "))}
    assert rows[".pdf"] == ["2", "1", "corrupt", "1"]
    assert rows[".md"] == ["1", "1"]
    assert rows["all"][:4] == ["1", "1", "1.000", "1.000"]  # PDFs, pages, words, order
    assert "inner/broken.pdf  refused: corrupt" in report
    assert "letter.pdf  17 characters  words 1.000 order 1.000" in report


def test_order_counts_words_that_stand_once() -> None:
    assert count_ordered(list("abcd"), list("abcd")) == (4, 4)
    assert count_ordered(list("cdabb"), list("abcd")) == (2, 3)
