"""`manage.py measure_originals`: which originals can be had without an act of a steward. No database is asked."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.ingestion.helpers import REPORT

PAGE = b"<!DOCTYPE html><p>The quay is closed.</p>"
FILM = PAGE + b"<video src='data:video/mp4;base64,AAAA'></video>"


def measure(folder: Path, *options: str) -> tuple[list[str], list[str]]:
    told, named = StringIO(), StringIO()
    call_command("measure_originals", str(folder), *options, stdout=told, stderr=named)
    return told.getvalue().splitlines(), named.getvalue().splitlines()


def test_shares_by_kind_and_what_withholds_the_others(tmp_path: Path) -> None:
    files = {"report.md": REPORT, "page.html": PAGE, "film.html": FILM, "cut.pdf": b"%PDF-1.7 cut"}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    told, named = measure(tmp_path, "--show")
    rows = {row[0]: row[1:] for row in map(str.split, told[1:])}
    assert rows["md"] == ["1", "1", "1", "100.0%", "0"]
    assert rows["html"] == ["2", "2", "1", "50.0%", "0"]
    assert rows["all"] == ["4", "3", "2", "66.7%", "0"]
    assert told[-2] == "withheld for: media 1"
    assert told[-1] == "not read: corrupt 1"
    assert [line.split(":")[0] for line in named] == ["cut.pdf", "film.html"]
    easy, _ = measure(tmp_path, "--collection", "inherit", "--kind", "html")
    assert easy[-2:] == ["withheld for: none", "not read: none"]


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError):
        measure(tmp_path / "nowhere")
