"""What readers of files and rules say in English is translated where pages show it. Without a database."""

import ast
from pathlib import Path

from django.conf import settings
from django.utils import translation

from entities.language import translate_stored
from ingestion.stored_sentences import REASONS, SENTENCES

BASE = Path(settings.BASE)


def list_sentences(path: Path) -> set[str]:
    """Plain strings that are given to `miss`, `Note`, `Quarantined` and `UnreadContent`, or yielded with a label."""
    said: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        given = node.value.elts if isinstance(node, ast.Yield) and isinstance(node.value, ast.Tuple) else ()
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            given = node.args if name in ("miss", "Note", "Quarantined", "UnreadContent") else ()
        said |= {n.value for n in given[1:2] if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    return said


def test_every_sentence_of_a_reader_and_every_reason_of_a_rule_is_in_the_catalogue() -> None:
    readers = [
        *(BASE / "ingestion/extract").glob("*.py"),
        BASE / "ingestion/attachments.py",
        BASE / "ingestion/drift.py",
        BASE / "ingestion/picture_reader.py",
    ]
    said = set().union(*map(list_sentences, readers))
    assert len(said) > 80
    assert {words for words in said if " " in words} <= set(SENTENCES)  # the others are codes
    reasons = list_sentences(BASE / "llm/rules.py")
    assert len(reasons) > 30
    assert reasons <= set(REASONS)


def test_a_stored_sentence_is_shown_in_the_language_of_its_reader() -> None:
    with translation.override("de"):
        assert translate_stored("amount of money; pay of a person") == "Geldbetrag; Vergütung einer Person"
        assert translate_stored("Task") == "Aufgabe"
        assert translate_stored("There are macros in this workbook; they were neither run nor read.") == (
            "Diese Datei (Arbeitsmappe) enthält Makros; sie wurden weder ausgeführt noch gelesen."
        )
        assert translate_stored(
            "Words of page 2, 7 were not found in what was read: 9 in all. Compare with the original."
        ) == ("Auf Seite 2, 7 wurden insgesamt 9 Wörter nicht gelesen. Vergleichen Sie mit dem Original.")
        assert translate_stored("What somebody wrote; and more.") == "What somebody wrote; and more."
