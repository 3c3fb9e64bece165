"""The pages of the classification desk."""

import base64
import io
import re
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from PIL import Image

from entities.access import Scope
from entities.actions import change_entity
from entities.models import Role
from entities.models.classification import INTERNAL
from entities.types import Contract
from ingestion.inline import process_all_waiting
from ingestion.models import Paragraph
from tests.conftest import Person, person
from tests.ingestion.desk_decisions import LINES, contested, waiting
from tests.ingestion.helpers import label, ready, texts
from tests.ingestion.pdfs import draw, line

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def file(alice: Person, contract: Contract) -> str:
    return contested(alice, contract)


def test_the_desk_by_hand(steward: Person, viewer: Person, file: str) -> None:
    page = steward.client.get(f"{steward.base}desk/").content.decode()
    assert "3 paragraphs waiting" in page
    assert re.search(r">3</span>", steward.client.get(f"{steward.base}desk/waiting/").content.decode())
    boxes = dict(re.findall(r'name="item" value="([0-9a-f-]{36}) (\w+)"', page))
    assert len(boxes) == 3
    (lamp,) = [item["id"] for item in waiting(steward) if item["text"] == LINES[2]]
    done = steward.client.post(f"{steward.base}desk/accept/", {"item": [f"{lamp} {boxes[lamp]}"]}, follow=True)
    assert "1 paragraph decided as proposed" in done.content.decode()
    assert LINES[2] in texts(viewer, file)
    item = next(item for item in waiting(steward) if item["text"] == LINES[3])
    shown = steward.client.get(f"{steward.base}desk/paragraphs/{item['id']}/?cause=conflict").content.decode()
    assert LINES[3] in shown
    assert "This text has no pages" in shown
    url = f"{steward.base}desk/paragraphs/{item['id']}/decide/"
    wrong = steward.client.post(url, {"labels": ["1"], "reason": "  ", "seen": item["seen"]})
    assert wrong.status_code == 422
    assert "Say in a few words" in wrong.content.decode()
    right = steward.client.post(url, {"labels": ["1"], "reason": "published", "seen": item["seen"]})
    assert right.status_code == 302
    assert texts(viewer, file)[3] == "[Internal]"
    assert steward.client.get(f"{steward.base}desk/paragraphs/{UUID(int=0)}/").status_code == 404


def test_a_page_is_the_original_for_who_is_cleared_for_it_and_readable_words_for_others(
    alice: Person, steward: Person, contract: Contract, service: Scope, workspace: Any, tmp_path: Path
) -> None:
    def one(canvas: Any) -> None:
        line(canvas, 72, 100, "The gate of the yard is green and new.")
        line(canvas, 72, 200, "The rent of the great hall is 4,500 pounds a year.")
        line(canvas, 72, 300, "The lamp by the door is old by now.")

    pdf = draw(tmp_path / "a.pdf", one)
    file = ready(alice, contract, "a.pdf", pdf.read_bytes())
    label(service, "The lamp by the door is old by now.", None)
    some = person(workspace, "some", [INTERNAL], ("Steward",))
    with service.open():
        Role.objects.get(name="Steward").classification_grants.all().delete()
        gate = Paragraph.objects.get(file=file, text__contains="gate").pk
    path = f"desk/paragraphs/{gate}/page/"
    whole = steward.client.get(steward.base + path, headers={"HX-Request": "true"}).content.decode()
    (picture,) = re.findall(r'<image href="data:image/jpeg;base64,([^"]+)" width="595.0" height="842.0"', whole)
    drawn = Image.open(io.BytesIO(base64.b64decode(picture)))
    assert drawn.size == (990, 1400) or drawn.size == (989, 1400)
    grey = drawn.convert("L")
    assert min(grey.crop((0, 300, 990, 345)).tobytes()) < 100, "the second line is there"
    assert re.findall(r"<title>([^<]*)</title>", whole) == ["Public", "Financial", "Not labelled"]
    cut = some.client.get(some.base + path, headers={"HX-Request": "true"}).content.decode()
    assert "<image" not in cut
    assert re.findall(r"<title>([^<]*)</title>", cut) == ["Public", "Not labelled"]
    set_words = re.findall(r'<text class="cl-desk-word"[^>]*>([^<]*)</text>', cut)
    assert " ".join(set_words) == "The gate of the yard is green and new. The lamp by the door is old by now."
    item = some.client.get(f"{some.base}desk/paragraphs/{gate}/").content.decode()
    assert "4,500" not in item + cut
    with service.open():
        Paragraph.objects.filter(file=file, text__contains="4,500").update(text="gone")
    assert some.client.get(some.base + path, headers={"HX-Request": "true"}).content.decode() == cut


def test_a_steward_gets_from_the_reader_to_a_label_that_does_not_wait(
    alice: Person, steward: Person, viewer: Person, contract: Contract
) -> None:
    file = ready(
        alice,
        contract,
        "walls.md",
        b"The wall is white.\n\nThe door is blue.\n\n| Wall | Hue |\n| - | - |\n| A | red |",
    )
    assert waiting(steward) == []
    pages = {who: who.client.get(f"{who.base}files/{file}/").content.decode() for who in (steward, viewer)}
    ways = re.findall(r'href="([^"]*/desk/paragraphs/([0-9a-f-]{36})/)"', pages[steward])
    assert len(ways) == 3
    assert not re.search(r"/desk/paragraphs/", pages[viewer])
    way, paragraph = ways[1]
    shown = steward.client.get(way).content.decode()
    seen = re.search(r'name="seen" value="(\w+)"', shown)
    assert seen
    assert "The door is blue." in shown
    assert "<td>red</td>" in shown
    done = steward.client.post(f"{way}decide/", {"labels": ["5"], "reason": "a price", "seen": seen[1]})
    assert done.headers["Location"].endswith(f"/files/{file}/?passage={paragraph}#p-{paragraph}")
    assert texts(viewer, file)[:2] == ["The wall is white.", "[Financial]"]


def test_the_queue_says_what_a_table_holds_in_words(
    alice: Person, steward: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract, "walls.md", b"| Wall | Hue |\n| - | - |\n| A | red |")
    with service.open():
        text = Paragraph.objects.get(file=file).text
    label(service, text, None)
    page = steward.client.get(f"{steward.base}desk/?group=one").content.decode()
    assert re.search(r'class="cl-desk-text">Wall · Hue;<br>A · red;</p>', page)
    assert "| Wall" not in page


def test_a_steward_gets_from_a_record_to_the_label_of_its_text(
    alice: Person, steward: Person, viewer: Person, contract: Contract
) -> None:
    with alice.scope.open():
        change_entity(scope=alice.scope, entity=contract, fields={}, texts={"notes": "The kiosk is grey."})
    process_all_waiting(alice.scope.workspace)
    record = f"entities/{contract.pk}/"
    page = steward.client.get(f"{steward.base}{record}").content.decode()
    ((way, paragraph),) = set(re.findall(r'href="([^"]*/desk/paragraphs/([0-9a-f-]{36})/)"', page))
    assert "/desk/paragraphs/" not in viewer.client.get(f"{viewer.base}{record}").content.decode()
    seen = re.search(r'name="seen" value="(\w+)"', steward.client.get(way).content.decode())
    assert seen
    done = steward.client.post(f"{way}decide/", {"labels": ["5"], "reason": "a price", "seen": seen[1]})
    assert done.headers["Location"].endswith(f"/{record}#p-{paragraph}")
    assert "kiosk" not in viewer.client.get(f"{viewer.base}{record}").content.decode()
