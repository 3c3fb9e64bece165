"""The first page in the table of files: what the caller is cleared for, asked at the time, and nothing else of it."""

import io
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from PIL import Image

from entities.access import Scope
from entities.models import Classification
from entities.models.classification import FINANCIAL
from entities.types import Contract
from ingestion import thumbnail_views
from ingestion.pdf_drawing import draw_pictures
from tests.conftest import Person
from tests.ingestion.helpers import label, ready
from tests.ingestion.pdfs import HEIGHT
from tests.ingestion.test_pdf_view import GATE, gate_rent_lamp, made, rent_only, stair

pytestmark = pytest.mark.django_db(transaction=True)


def ask(who: Person, file: str) -> Any:
    return who.client.get(f"{who.base}files/{file}/thumbnail.jpg")


def inked(answer: Any) -> list[bool]:
    """Whether there is ink where the three lines of `gate_rent_lamp` stand."""
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/jpeg")
    picture = Image.open(io.BytesIO(answer.content)).convert("L")
    scale = picture.height / HEIGHT
    assert max(picture.size) == thumbnail_views.LONGEST_PIXELS
    rows = [picture.crop((0, int((y - 15) * scale), picture.width, int((y + 8) * scale))) for y in (100, 200, 300)]
    return [min(row.tobytes()) < 225 for row in rows]


def test_it_shows_what_one_is_cleared_for(
    alice: Person,
    cfo: Person,
    staff: Person,
    viewer: Person,
    outsider: Person,
    contract: Contract,
    service: Scope,
    tmp_path: Path,
) -> None:
    file = ready(alice, contract, "a.pdf", made(tmp_path, gate_rent_lamp))
    table = viewer.client.get(f"{viewer.base}entities/{contract.pk}/files/table/").content.decode()
    assert f"files/{file}/thumbnail.jpg" in table
    answer = ask(cfo, file)
    assert inked(answer) == [True, True, True]
    assert (answer["Cache-Control"], answer["X-Content-Type-Options"]) == ("private, no-store", "nosniff")
    assert inked(ask(viewer, file)) == [True, False, True]
    label(service, GATE, FINANCIAL)  # asked at the time: nothing is remembered
    assert inked(ask(viewer, file)) == [False, False, True]
    assert inked(ask(cfo, file)) == [True, True, True]
    absent = ask(viewer, str(UUID(int=1)))
    for who, its in ((outsider, file), (viewer, ready(alice, contract, "rent.pdf", made(tmp_path, rent_only)))):
        refused = ask(who, its)
        assert refused.status_code == 404
        assert who is outsider or refused.content == absent.content
    note = ready(alice, contract, "note.md", b"The stair is closed.")
    assert (ask(viewer, note).status_code, ask(viewer, note).content) == (204, b"")
    assert f"files/{note}/thumbnail.jpg" not in table
    plain = ready(alice, contract, "plain.pdf", made(tmp_path, stair))
    assert inked(ask(viewer, plain)) == [True, False, False]
    with service.open():
        Classification.objects.filter(value=FINANCIAL).update(conceal=True)
    for its in (file, plain):  # all alike, or those with a picture would mark the others
        assert (ask(viewer, its).status_code, ask(viewer, its).content) == (204, b"")
    assert inked(ask(cfo, file)) == [True, True, True]
    sent = ready(staff, contract, "sent.pdf", made(tmp_path, rent_only))
    assert inked(ask(staff, sent)) == [True, False, False], "their own, although they are cleared for none of it"


def test_what_is_withdrawn_while_it_is_drawn_is_not_shown(
    alice: Person, viewer: Person, contract: Contract, service: Scope, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = ready(alice, contract, "a.pdf", made(tmp_path, gate_rent_lamp))
    drawn = []

    def draw_and_raise(*given: Any) -> Any:
        drawn.append(draw_pictures(*given))
        label(service, GATE, FINANCIAL)
        return drawn[-1]

    monkeypatch.setattr(thumbnail_views, "draw_pictures", draw_and_raise)
    assert (ask(viewer, file).status_code, bool(drawn[0][0].jpeg)) == (204, True)
