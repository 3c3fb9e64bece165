"""What the fuzzer found, each by itself: text that was left out without a word."""

from pathlib import Path

import pytest

from tests.ingestion.packages import codes, read


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "upload"


def test_what_stands_deep_in_markdown_is_kept(path: Path) -> None:
    path.write_text(">" * 500 + " The salary.\n\nMore.\n")
    assert "The salary." in read(path, "a.md").text
    path.write_text("".join("  " * n + f"- item{n}\n" for n in range(100)))
    text = read(path, "a.md").text
    assert all(f"item{n}" in text for n in range(100))


def test_long_headers_and_names_of_a_message_are_kept(path: Path) -> None:
    path.write_text(f"Subject: {'word ' * 3_000}end\nX-Note: {'more ' * 1_000}over\n\nText.\n")
    text = read(path, "a.eml").text
    assert "end" in text
    assert "over" in text


def test_signs_within_a_packed_text_are_not_accounted_for(path: Path) -> None:
    head = "Subject: x\nMIME-Version: 1.0\nContent-Type: text/plain\nContent-Transfer-Encoding: base64\n\n"
    path.write_text(f"{head}VGV4dC4=\n")
    whole = read(path, "a.eml")
    assert "Text." in whole.text
    assert codes(whole) == set()
    path.write_text(f"{head}VGV4dC4=\n(The salary!)\n")
    assert codes(read(path, "a.eml")) == {"unreadable_text"}
