"""What stands next to a find: told where it is acknowledged, and never because a question matched it."""

from typing import Any

import pytest

from entities.access import Scope
from entities.models import Classification
from entities.types import Contract
from ingestion.models import Blob, ContextRow, File, FileRevision, Kind, Paragraph, RowParagraph
from tests.conftest import Person

TEXTS = [
    ("The crew works in two shifts.", 0),
    ("A crane driver earns 52,300 a year.", 5),
    ("Shifts change at noon.", 0),
]


@pytest.fixture
def file(contract: Contract, service: Scope) -> File:
    with service.open():
        at: Any = {"workspace_id": service.workspace}
        file = File.objects.create(**at, entity_id=contract.pk, collection="documents", name="crew.txt", state="ready")
        blob = Blob.objects.create(**at, sha256="x", size=1, media_type="text/plain", path="x")
        revision = FileRevision.objects.create(**at, file=file, blob=blob, number=1)
        for position, (text, label) in enumerate(TEXTS):
            paragraph = Paragraph.objects.create(
                **at, file=file, revision=revision, position=position, text=text, digest="x", data_classification=label
            )
            row = ContextRow.objects.create(
                **at, kind=Kind.FILE_CHUNK, entity_id=contract.pk, file=file, text=text, digest=f"x{position}",
                position=position, data_classification=label,
            )  # fmt: skip
            RowParagraph.objects.create(**at, row=row, paragraph=paragraph, data_classification=label)
    return file


def page(person: Person, words: str) -> str:
    return person.client.get(f"{person.base}search/", {"q": words}).content.decode()


def test_a_find_next_to_hidden_text_says_so(viewer: Person, cfo: Person, file: File) -> None:
    shown = page(viewer, "crew shifts")
    assert "Text next to this requires Financial clearance" in shown
    assert "52,300" not in shown
    cleared = page(cfo, "crew shifts")
    assert "requires Financial clearance" not in cleared


def test_the_words_of_hidden_text_find_nothing(viewer: Person, cfo: Person, file: File) -> None:
    assert "earns 52,300" in page(cfo, "earns 52,300").replace("<mark>", "").replace("</mark>", "")
    assert page(viewer, "earns 52,300").count("requires Financial") == page(viewer, "earns 99,999").count(
        "requires Financial"
    )


def test_concealed_text_leaves_no_trace(viewer: Person, file: File, service: Scope) -> None:
    with service.open():
        Classification.objects.filter(value=5).update(conceal=True)
    assert "clearance" not in page(viewer, "crew shifts").split('id="found"')[-1].split("</main>")[0]
