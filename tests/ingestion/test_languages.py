"""The language by which the words of a passage are stemmed: its own, else that of its document."""

from uuid import uuid4

import pytest

from ingestion.chunk import split_into_chunks
from ingestion.passages import build_passages, guess_languages
from ingestion.segment import Clearances, LabelledParagraph

LETTER = (
    "Sehr geehrte Frau Brandt, wir haben die Pumpen am Montag geprüft. Zwei Dichtungen sind undicht und werden ersetzt."
)
APPENDIX = "The pumps were inspected on Monday. Two of the seals leak and will be replaced before the end of the month."
QUOTATION = "« Le fournisseur remplace à ses frais les joints défectueux dans un délai de trente jours. »"
CELLS = "| GX-12 | 40 | 12,50 |\n| GX-14 | 60 | 18,90 |"
SECRET = 3


def read(*parts: tuple[str, int]) -> list[str]:
    """What language each passage is in, each paragraph a passage of its own."""
    paragraphs = [LabelledParagraph(n, text, label) for n, (text, label) in enumerate(parts)]
    clearances = Clearances()
    chunks = [
        chunk
        for n, paragraph in enumerate(paragraphs)
        for chunk in split_into_chunks(uuid4(), [paragraph], clearances=clearances)
    ]
    return [row.lang for row in build_passages(chunks, guess_languages(paragraphs, clearances))]


def test_a_passage_has_its_own_language() -> None:
    assert read((LETTER, 0), (LETTER, 0), (APPENDIX, 0)) == ["de", "de", "en"]
    assert read((APPENDIX, 0), (QUOTATION, 0), (APPENDIX, 0)) == ["en", "fr", "en"]


@pytest.mark.parametrize(("text", "lang"), [(LETTER, "de"), (APPENDIX, "en"), (QUOTATION, "fr")])
def test_a_passage_that_does_not_tell_has_that_of_its_document(text: str, lang: str) -> None:
    assert read((CELLS, 0), (text, 0)) == [lang, lang]


def test_cells_that_tell_nothing_alone_tell_the_language_of_their_document() -> None:
    cells = ("Filterpatrone 12,50 €", "Dichtring 4,20 €", "Pumpengehäuse 180,00 €", "Versandkosten 9,90 €")
    assert read(*[(cell, 0) for cell in cells]) == ["de"] * 4
    assert read(("GX-12 4,20 €", 0), ("GX-14 9,90 €", 0)) == ["en"] * 2


def test_text_that_readers_of_a_passage_may_not_read_does_not_decide() -> None:
    assert read((CELLS, 0), *[(LETTER, SECRET)] * 5) == ["en", *["de"] * 5]
    assert read((CELLS, SECRET), *[(LETTER, 0)] * 5) == ["de"] * 6


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("Sechskantschraube M8 Edelstahl 100 Stück 12,50 €; Unterlegscheibe verzinkt 200 Stück 4,20 €", "de"),
        ("Hola Marta: mañana no puedo ir a la oficina. Llámame luego. Un saludo, Pablo", "es"),
        ("Bonjour Claire, merci de rappeler le fournisseur avant midi. Cordialement, Luc", "fr"),
        ("Kuusioruuvi M8 ruostumaton, 100 kpl rasia, 12,50 €; aluslevy sinkitty, 200 kpl pussi", "fi"),
        ("Steel bolts M8, stainless, box of 100; wood screws 4x40, box of 200; washers, assorted", "en"),
    ],
)
def test_short_texts_without_function_words_tell_their_language(text: str, lang: str) -> None:
    assert read((text, 0), *[(APPENDIX if lang != "en" else LETTER, 0)] * 3)[0] == lang
