"""In a strict collection nobody but a steward decides on what no reader shows, whether or not a rule can name it."""

import io
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import islice
from pathlib import Path

import docx
import pytest

from entities.rag import Collection
from entities.types import Contract
from ingestion.extract.inside import extract
from ingestion.remainder import UNSHOWN, Remainder, find_codes
from ingestion.remainder_decisions import SENTENCES
from ingestion.sandbox.limits import Quarantined
from tests.conftest import Person
from tests.ingestion.helpers import ready
from tests.ingestion.places import packages, pdf, texts
from tests.ingestion.places.pictures import Place
from tests.ingestion.test_settling import gets, settle, told

NOTE = "The quay is closed until Friday.\n"
HIDDEN = "Wegner thinks so"  # no rule finds anything in it


@pytest.fixture
def strict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Contract.Rag, "collections", {"documents": Collection("Documents", remainder="strict")})


def word(text: str = NOTE) -> bytes:
    document, out = docx.Document(), io.BytesIO()
    document.core_properties.last_modified_by = HIDDEN
    document.add_paragraph(text.strip())
    document.save(out)
    return out.getvalue()


PAGE = f"<p>{NOTE}</p><p hidden>{HIDDEN}</p>"
TAGGED = NOTE + "".join(chr(0xE0000 + ord(letter)) for letter in HIDDEN)  # signs that nobody sees


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("name", "content", "other"),
    [
        ("a.docx", word(), word(f"{NOTE} It opens then.")),
        ("b.html", PAGE.encode(), f"{PAGE} ".encode()),
        ("c.md", TAGGED.encode(), f"{TAGGED} ".encode()),
    ],
)
def test_what_no_rule_can_name_waits_for_a_steward(
    alice: Person,
    viewer: Person,
    steward: Person,
    contract: Contract,
    strict: None,
    name: str,
    content: bytes,
    other: bytes,
) -> None:
    file = ready(alice, contract, name, content)
    assert [gets(who, file) for who in (viewer, steward, alice)] == [403, 200, 200]
    assert told(steward, file)["waits"]
    assert SENTENCES[UNSHOWN] in told(steward, file)["unread"]
    assert [row["id"] for row in steward.api.get("/api/desk/files/").json()["results"]] == [file]
    assert settle(steward, file, []).status_code == 200
    assert gets(viewer, file) == 200
    # Of other bytes nobody knows what they are, though nothing else is found in them.
    assert ready(alice, contract, name, other) == file
    assert gets(viewer, file) == 403


@pytest.mark.django_db(transaction=True)
def test_a_text_that_is_shown_whole_waits_for_nobody(
    alice: Person, viewer: Person, contract: Contract, strict: None
) -> None:
    shown = {
        "a.md": f"# Quay\n\n{NOTE}",
        "b.csv": "Quay,Metres\nNorth,40\n",
        "c.json": '{"quay": "North", "metres": 40}',
    }
    files = [ready(alice, contract, name, text.encode()) for name, text in shown.items()]
    assert [gets(viewer, file) for file in files] == [200, 200, 200]


@pytest.mark.django_db(transaction=True)
def test_elsewhere_what_no_rule_can_name_inherits(alice: Person, viewer: Person, contract: Contract) -> None:
    file = ready(alice, contract, "a.docx", word())
    assert gets(viewer, file) == 200
    assert SENTENCES[UNSHOWN] not in told(viewer, file)["unread"]


PLACES: dict[str, Callable[[str, str], Iterable[Place]]] = {
    **dict.fromkeys(("docx", "xlsx", "pptx", "odt"), packages.places),
    "pdf": pdf.places,
    **dict.fromkeys(texts.KINDS, texts.places),
}


@pytest.mark.parametrize("kind", PLACES)
@pytest.mark.parametrize("said", [HIDDEN, "wegner"])  # two words, and one that might be a word of the format
def test_no_place_is_given_out_that_no_paragraph_shows(kind: str, said: str, tmp_path: Path) -> None:
    given = []
    for place, name, content in islice(PLACES[kind](kind, said), 0, None, 1 if kind == "md" else 5):
        (tmp_path / name).write_bytes(content)
        with suppress(Quarantined):
            found = extract(tmp_path / name, name)
            if not Remainder(tuple(find_codes(found))).list_unsettled("strict") and said not in found.text:
                given.append(place)
    assert [place for place in given if place] == []
