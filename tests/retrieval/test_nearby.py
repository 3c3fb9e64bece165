"""What stands next to a find: told where it is acknowledged, and never because a question matched it."""

from typing import Any

import pytest

from entities.access import Scope
from entities.models import Classification
from entities.models.classification import FINANCIAL, SECRET
from entities.types import Contract
from ingestion.models import Blob, ContextRow, File, FileRevision, Kind, Paragraph, RowParagraph
from retrieval.nearby import find_nearby
from tests.conftest import Person
from tests.retrieval.conftest import Index

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
    assert "Text next to this needs Financial" in shown
    assert "52,300" not in shown
    cleared = page(cfo, "crew shifts")
    assert "needs Financial" not in cleared


def test_the_words_of_hidden_text_find_nothing(viewer: Person, cfo: Person, file: File) -> None:
    assert "earns 52,300" in page(cfo, "earns 52,300").replace("<mark>", "").replace("</mark>", "")
    assert page(viewer, "earns 52,300").count("needs Financial") == page(viewer, "earns 99,999").count(
        "needs Financial"
    )


def test_concealed_text_leaves_no_trace(viewer: Person, file: File, service: Scope) -> None:
    with service.open():
        Classification.objects.filter(value=5).update(conceal=True)
    assert "clearance" not in page(viewer, "crew shifts").split('id="found"')[-1].split("</main>")[0]


@pytest.mark.parametrize("conceal", [True, False])
def test_concealed_text_between_changes_nothing(
    viewer: Person, contract: Contract, index: Index, service: Scope, conceal: bool
) -> None:
    with service.open():
        Classification.objects.filter(value=SECRET).update(conceal=conceal)
    found = []
    for between in (0, 3):
        file = index.file(contract, f"{between}.txt")
        index.row(contract, "The crew works in two shifts.", file=file)
        for position in range(1, between + 1):
            index.row(contract, f"The board meets in room {position}.", file=file, position=position, label=SECRET)
        index.row(contract, "A driver earns 52,300.", file=file, position=between + 1, label=FINANCIAL)
        with viewer.scope.open():
            passages = list(Paragraph.objects.filter(file=file.pk).values_list("pk", flat=True))
            found.append([entry.requires for entry in find_nearby(viewer.scope, passages)])
    assert found == [[(FINANCIAL,)], [(FINANCIAL,)] if conceal else [(SECRET,)]]
