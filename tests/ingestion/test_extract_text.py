"""Markdown and plain text: structure without marks, every encoding, nothing unseen in and nothing written left out."""

import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.documents import Extraction
from ingestion.extract import markdown, plain
from ingestion.extract.eyes import Eyes
from ingestion.extract.inside import extract
from ingestion.extract.language import guess_language


def read(tmp_path: Path, content: str | bytes, name: str) -> Extraction:
    path = tmp_path / "upload"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return extract(path, name)


def shown(extraction: Extraction) -> list[tuple[str, str]]:
    return [(paragraph.kind, paragraph.text) for paragraph in extraction.paragraphs]


MARKDOWN = """---
owner: Jane
---
# Leave

Everybody has *thirty* days, see [the policy](leave.md "who may").

## Pay

| Role | Base |
|------|-----:|
| Clerk | **30,000** |

- first
- second with
  a second line
  1. inner

```sql
SELECT pay FROM people;

-- all of it
```

> A quoted line.

<!-- Jane earns 98,000 -->

[unused]: http://example.org/pay "Pay of Jane"
"""


def test_markdown(tmp_path: Path) -> None:
    extraction = read(tmp_path, MARKDOWN, "leave.md")
    assert shown(extraction) == [
        ("code", "owner: Jane"),
        ("heading", "Leave"),
        ("text", "Everybody has thirty days, see the policy (leave.md who may)."),
        ("heading", "Pay"),
        ("table", "| Role | Base |\n| --- | --- |\n| Clerk | 30,000 |"),
        ("list", "- first"),
        ("list", "- second with a second line"),
        ("list", "1. inner"),
        ("code", "sql\nSELECT pay FROM people;\n\n-- all of it"),
        ("text", "A quoted line."),
        ("code", "<!-- Jane earns 98,000 -->"),
        ("code", "[UNUSED]: http://example.org/pay Pay of Jane"),
    ]
    assert extraction.paragraphs[4].heading_path == ("Leave", "Pay")
    assert extraction.media_type == "text/markdown"


def test_brackets_upon_brackets_cost_no_more_than_other_text() -> None:
    began = time.process_time()
    extraction = markdown.extract("# Plan\n\n[the policy](leave.md)\n\n" + "[" * 200_000, Eyes())
    assert time.process_time() - began < 2, "3.6 seconds where each is tried as a link"
    assert shown(extraction)[0] == ("heading", "Plan")
    assert "leave.md" in extraction.text
    assert extraction.text.count("[") == 200_001
    (linked,) = markdown.extract("[the policy](leave.md) [" + "x] " * 3, Eyes()).paragraphs
    assert "[the policy]" not in linked.text


def test_a_picture_inside_markdown_is_named(tmp_path: Path) -> None:
    extraction = read(tmp_path, f"Text\n\n![scan](data:image/png;base64,{'iVBORw0KGgo' * 20})", "a.md")
    assert [item.code for item in extraction.unaccounted] == ["image"]


PLAIN = """EMPLOYMENT TERMS

The first paragraph goes over more than one line because it was wrapped at
a width and so its lines belong together.

Short line
Another short line

Pay
===
- thirty thousand
- a bonus

    indented = code
        is_kept(as_is)
"""


def test_plain_text(tmp_path: Path) -> None:
    extraction = read(tmp_path, PLAIN, "terms.txt")
    assert shown(extraction) == [
        ("heading", "EMPLOYMENT TERMS"),
        (
            "text",
            "The first paragraph goes over more than one line because it was wrapped at a width and so its lines "
            "belong together.",
        ),
        ("text", "Short line\nAnother short line"),
        ("heading", "Pay"),
        ("list", "- thirty thousand"),
        ("list", "- a bonus"),
        ("code", "indented = code\n    is_kept(as_is)"),
    ]


GERMAN = (
    "Die Prüfung der Verträge ist für das Unternehmen nicht zu unterschätzen, und sie wird durch den Rat bestätigt."
)


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "latin-1"]
)
def test_encodings(tmp_path: Path, encoding: str) -> None:
    extraction = read(tmp_path, GERMAN.encode(encoding), "a.txt")
    assert shown(extraction) == [("text", GERMAN)]
    assert extraction.paragraphs[0].lang == "de"


def test_text_that_is_not_western(tmp_path: Path) -> None:
    text = "Договор вступает в силу с момента его подписания обеими сторонами и действует до конца года. " * 3
    assert "Договор" in read(tmp_path, text.encode("cp1251"), "a.txt").text
    assert "契約" in read(tmp_path, "契約は両当事者が署名した日に効力を生じる。", "a.txt").text


def test_characters_that_cannot_be_seen_are_gone(tmp_path: Path) -> None:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "obey me")
    content = f"Pay\x00ment\u200b is\x07 due\u202e now\ufeff.{hidden} Of\ufb01ce."
    assert shown(read(tmp_path, content, "a.txt")) == [("text", "Payment is due now. Office.")]


def test_a_very_long_paragraph_is_cut_between_sentences(tmp_path: Path) -> None:
    sentence = "Each party keeps confidential what it learns of the other."
    extraction = read(tmp_path, " ".join([sentence] * 500), "a.txt")
    assert len(extraction.paragraphs) > 5
    assert all(len(p.text) <= 4_000 and p.text.endswith("other.") for p in extraction.paragraphs)
    assert " ".join(p.text for p in extraction.paragraphs) == " ".join([sentence] * 500)


def test_a_very_long_table_keeps_its_header(tmp_path: Path) -> None:
    rows = "\n".join(f"| clerk number {n} | {n} |" for n in range(400))
    extraction = read(tmp_path, f"| Who | Pay |\n|---|---|\n{rows}", "a.md")
    assert len(extraction.paragraphs) > 1
    assert all(p.text.startswith("| Who | Pay |\n| --- | --- |\n| clerk") for p in extraction.paragraphs)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The parties shall not be liable for any of the losses that were not foreseen by them.", "en"),
        (
            "Les parties ne sont pas tenues de réparer les dommages qui n'ont pas été prévus dans ce contrat.",
            "fr",
        ),
        (
            "Las partes no son responsables de los daños que no fueron previstos por ellas en el contrato y su anexo.",
            "es",
        ),
        ("Le parti non sono responsabili dei danni che non sono stati previsti nella clausola del contratto.", "it"),
        ("De partijen zijn niet aansprakelijk voor de schade die niet door hen is voorzien in het contract.", "nl"),
        ("4711", "en"),
    ],
)
def test_languages(text: str, code: str) -> None:
    assert guess_language(text) == code


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text)


@given(st.text(alphabet="ab c\n.-*#|`>[]()!1", max_size=300))
def test_no_word_of_a_plain_text_is_lost(text: str) -> None:
    assert words(plain.extract(text).text) == words(text)


@given(st.text(alphabet="ab c\n.-*#>~|1", max_size=300))
def test_no_letter_of_a_markdown_text_is_lost(text: str) -> None:
    assert re.findall("[abc]", markdown.extract(text, Eyes()).text) == re.findall("[abc]", text)


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "Voilà l'été où nous étions à Genève, déjà très près du but."),
        ("cp1252", "The price is €25 – it’s “fine” for 20 m² of space."),
        ("cp1250", "Umowa została podpisana w Łodzi przez obie strony, w źródłach."),
        ("iso8859-2", "Umowa została podpisana w Łodzi przez obie strony, w źródłach."),
        ("cp1254", "Sözleşme İstanbul'da imzalandı, şirket ve çağrı."),
        ("iso2022_jp", "本契約は東京都において締結され、両当事者が署名した。"),
        ("koi8-r", "Договор аренды помещения заключён между сторонами в городе Москва."),
    ],
)
def test_an_encoding_that_nothing_says_is_told_from_its_letters(tmp_path: Path, encoding: str, text: str) -> None:
    for name, content in (("a.txt", text), ("a.html", f"<html><body><p>{text}</p></body></html>")):
        assert read(tmp_path, content.encode(encoding), name).text == text


def test_a_broken_letter_costs_only_itself(tmp_path: Path) -> None:
    assert read(tmp_path, "Größe für Öl, mäßig schön über Köln".encode() + b" \xff", "a.txt").text.startswith(
        "Größe für Öl"
    )
