"""The classification desk: what waits, for whom, and what deciding does, everywhere at once."""

import base64
import io
import json
import re
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from PIL import Image

from entities.access import Scope
from entities.models import AuditEntry, FieldParagraph, Role
from entities.models.classification import FINANCIAL, INTERNAL, PII, SECRET
from entities.types import Contract
from ingestion.inline import work_off
from ingestion.models import ContextRow, File, Paragraph
from ingestion.votes import HELD_BACK
from llm import scripted
from tests.conftest import Person, person
from tests.ingestion.helpers import label, labelled, ready, texts
from tests.ingestion.pdfs import draw, line

pytestmark = pytest.mark.django_db(transaction=True)
LINES = (
    "The gate is green.",
    "The fence is new.",
    "The lamp is old.",
    "The rent of the hall is 4,500 pounds.",
    "The plan is to leave the site.",
)


def waiting(who: Person, **filters: Any) -> list[dict[str, Any]]:
    answer = who.api.get("/api/desk/", filters)
    assert answer.status_code == 200, answer.content
    found = answer.json()
    assert found["count"] == len(found["results"])
    return list(found["results"])


def causes(who: Person, **filters: Any) -> dict[str, list[str]]:
    return {item["text"]: item["causes"] for item in waiting(who, **filters)}


def names(labels: list[dict[str, Any]] | None) -> list[str] | None:
    return None if labels is None else [one["label"] for one in labels]


@pytest.fixture
def file(alice: Person, contract: Contract) -> str:
    """Its third line is left out by the model, which contradicts the rules on the fourth and is unsure of the fifth."""
    name, answer = labelled(5, {3: [0], 4: [2]}, left_out={2})
    answer["paragraphs"][-1]["confidence"] = 0.4
    with scripted.model() as script:
        script.push(tool_use=(name, answer))
        script.push(tool_use=("record_labels", {"paragraphs": [], "summaries": []}))
        return ready(alice, contract, "a.txt", "\n\n".join(LINES).encode())


# What waits, and for whom


def test_unlabelled_conflicting_and_unsure_paragraphs_wait(steward: Person, file: str, contract: Contract) -> None:
    assert causes(steward) == {LINES[2]: ["unlabelled"], LINES[3]: ["conflict"], LINES[4]: ["low_confidence"]}
    assert causes(steward, cause="conflict") == {LINES[3]: ["conflict"]}
    assert causes(steward, label=FINANCIAL) == {LINES[3]: ["conflict"]}
    assert len(causes(steward, file=file)) == len(causes(steward, entity=contract.pk)) == 3
    assert causes(steward, file=uuid4()) == causes(steward, entity=uuid4()) == {}
    proposed = {item["text"]: (names(item["labels"]), names(item["proposed"])) for item in waiting(steward)}
    assert proposed == {
        LINES[2]: (None, []),
        LINES[3]: (["Financial"], ["Financial"]),
        LINES[4]: (["Confidential"], ["Confidential"]),
    }
    assert steward.api.get("/api/desk/?cause=other").status_code == 400


def test_a_decrease_waits_and_is_accepted_or_kept(
    alice: Person, steward: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    body = b"The storm came.\n\nThe crane is hired until May by the port.\n"
    file = ready(alice, contract, content=body)
    label(service, "The crane is hired until May by the port.", FINANCIAL)
    ready(alice, contract, content=body + b"\nNew.\n")
    assert texts(viewer, file) == ["The storm came.", "[Financial]", "New."]
    (item,) = waiting(steward, cause="decrease")
    assert (names(item["labels"]), names(item["proposed"])) == (["Financial"], [])
    answer = accept(steward, item)
    assert answer == {"accepted": [item["id"]], "changed": []}
    assert texts(viewer, file) == ["The storm came.", "The crane is hired until May by the port.", "New."]
    assert waiting(steward) == []


def test_text_typed_into_a_record_waits_too(alice: Person, steward: Person, viewer: Person, service: Scope) -> None:
    made = alice.api.post("/api/entities/article/", {"name": "Guide", "body": "The rent is 4,500 pounds."}).json()
    assert causes(steward) == {"The rent is 4,500 pounds.": ["unlabelled"]}
    work_off(alice.scope.workspace)
    assert waiting(steward) == []
    alice.api.patch(f"/api/entities/article/{made['id']}/", {"body": "The rent is what it was."}, format="json")
    work_off(alice.scope.workspace)
    (item,) = waiting(steward, entity=made["id"])
    assert item["causes"] == ["decrease"]
    assert (item["file"], names(item["proposed"])) == (None, [])
    assert accept(steward, item)["accepted"] == [item["id"]]
    with viewer.scope.open():
        assert FieldParagraph.objects.get(entity=made["id"]).text == "The rent is what it was."


def test_only_stewards_have_a_desk_and_see_there_what_they_are_cleared_for(
    steward: Person, alice: Person, cfo: Person, file: str, service: Scope, workspace: Any, outsider: Person
) -> None:
    some = person(workspace, "some", [INTERNAL], ("Steward",))
    with service.open():
        Role.objects.get(name="Steward").classification_grants.all().delete()
    assert set(causes(some)) == {LINES[2]}, "what has no label and no floor"
    with service.open():
        Paragraph.objects.filter(text=LINES[2]).update(floor=SECRET)
    assert causes(some) == {}
    assert outsider.api.get("/api/desk/").json()["count"] == 0
    hidden = str(next(item["id"] for item in waiting(steward) if item["text"] == LINES[3]))
    for path in ("desk/paragraphs/{}/", "desk/paragraphs/{}/page/"):
        assert some.client.get(some.base + path.format(hidden)).status_code == 404
    (seen,) = (item["seen"] for item in waiting(steward) if item["id"] == hidden)
    refused = accept(some, {"id": hidden, "seen": seen})
    assert refused == {"accepted": [], "changed": [hidden]}
    absent = str(uuid4())
    assert accept(some, {"id": absent, "seen": seen}) == {"accepted": [], "changed": [absent]}
    shown = some.client.get(f"{some.base}desk/").content.decode()
    assert "Nothing waits" in shown
    assert "4,500" not in shown
    assert not some.client.get(f"{some.base}desk/waiting/").content.decode().strip()
    for path in ("desk/", "desk/waiting/", f"desk/paragraphs/{hidden}/"):
        assert cfo.client.get(cfo.base + path).status_code == 403
    assert cfo.api.get("/api/desk/").status_code == 403
    body = {"paragraphs": [{"id": hidden, "seen": seen}]}
    assert cfo.api.post("/api/desk/accept/", body, format="json").status_code == 403


def test_a_restricted_record_does_not_wait_for_who_may_not_see_it(
    alice: Person, steward: Person, restricted: Contract
) -> None:
    with scripted.model() as script:
        script.push(tool_use=labelled(1, {}, left_out={0}))
        script.push(tool_use=("record_labels", {"paragraphs": [], "summaries": []}))
        ready(alice, restricted, "a.txt", b"The gate is green.\n")
    assert len(waiting(alice)) == 1
    assert waiting(steward) == []
    assert waiting(steward, entity=restricted.pk) == []


def test_who_is_no_steward_may_still_type_what_only_stewards_see(staff: Person, steward: Person) -> None:
    sent = {"name": "Guide", "body": "The lamp is old."}
    made = staff.api.post("/api/entities/article/", sent, format="json")
    assert made.status_code == 201, made.content
    edited = staff.api.patch(f"/api/entities/article/{made.json()['id']}/", {"body": "It is new."}, format="json")
    assert edited.status_code == 200, edited.content
    assert "It is new." in causes(steward)


# Deciding


def accept(who: Person, *items: dict[str, Any]) -> Any:
    body = {"paragraphs": [{"id": item["id"], "seen": item["seen"]} for item in items]}
    answer = who.api.post("/api/desk/accept/", body, format="json")
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_accepting_many_settles_them_and_each_is_in_the_audit(
    steward: Person, viewer: Person, file: str, service: Scope
) -> None:
    items = waiting(steward)
    assert len(accept(steward, *items)["accepted"]) == 3
    assert waiting(steward) == []
    assert texts(viewer, file) == [*LINES[:3], "[Financial]", "[Confidential]"]
    with service.open():
        acts = AuditEntry.objects.filter(action="paragraph.relabelled", actor=steward.user.pk)
        assert {a.object_id for a in acts} == {item["id"] for item in items}
        assert sorted(a.detail["accepted"][0] for a in acts) == ["conflict", "low_confidence", "unlabelled"]
    assert accept(steward, *items)["changed"] == [item["id"] for item in items], "decided once"


def test_what_changed_since_it_was_shown_is_not_decided(steward: Person, file: str, service: Scope) -> None:
    items = waiting(steward)
    conflict = next(item for item in items if item["causes"] == ["conflict"])
    with service.open():
        row = Paragraph.objects.get(pk=conflict["id"])
        row.votes = [*row.votes, {"source": "model", "labels": [PII], "reason": "x", "confidence": 0.9}]
        row.save(update_fields=["votes"])
    done = accept(steward, *items)
    assert done["changed"] == [conflict["id"]]
    assert len(done["accepted"]) == 2
    url = f"/api/paragraphs/{conflict['id']}/"
    stale = steward.api.patch(url, {"labels": [], "reason": "x", "seen": conflict["seen"]}, format="json")
    assert stale.status_code == 409
    assert causes(steward) == {LINES[3]: ["conflict"]}


def test_votes_that_come_after_a_decision_are_for_another(steward: Person, file: str, service: Scope) -> None:
    accept(steward, *waiting(steward))
    with service.open():
        row = Paragraph.objects.get(text=LINES[3])
        row.votes = [*row.votes, {"source": "model", "labels": [PII], "reason": "x", "confidence": 0.9}]
        row.save(update_fields=["votes"])
    assert causes(steward) == {LINES[3]: ["conflict"]}


@pytest.mark.parametrize("odd", ["²", "x", "-1", "9" * 5000, "\0"])
def test_a_label_that_is_none_is_refused_and_never_left_out(steward: Person, file: str, odd: str) -> None:
    """Left out, it would make a lower decision of the others."""
    (item,) = waiting(steward, cause="conflict")
    url = f"{steward.base}desk/paragraphs/{item['id']}/decide/"
    answer = steward.client.post(url, {"labels": [str(INTERNAL), odd], "reason": "so"})
    assert answer.status_code == 422
    assert causes(steward, cause="conflict")


def test_null_characters_in_a_reason_are_left_out(steward: Person, file: str) -> None:
    (item,) = waiting(steward, cause="conflict")
    url = f"{steward.base}desk/paragraphs/{item['id']}/decide/"
    assert steward.client.post(url, {"labels": [str(PII)], "reason": "\0 "}).status_code == 422
    assert steward.client.post(url, {"labels": [str(PII)], "reason": "a na\0me"}).status_code == 302
    with steward.scope.open():
        assert Paragraph.objects.get(pk=item["id"]).votes[-1]["reason"] == "a name"


def test_too_many_at_once_are_refused(steward: Person) -> None:
    one = {"id": str(uuid4()), "seen": "x"}
    for sent in ([], [one, one], [{"id": str(uuid4()), "seen": "x"} for _ in range(101)], "x", None):
        answer = steward.api.post("/api/desk/accept/", {"paragraphs": sent}, format="json")
        assert answer.status_code == 400, sent


# Everywhere at once, and only what it touches


def test_a_decision_holds_in_search_reader_and_citations_at_the_next_request(
    alice: Person, steward: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    from ingestion import pipeline

    storm = "The quay was closed for two days because of the storm."
    body = "\n\n".join(["# Progress", storm, "# Costs", *(f"Berth {n} was swept. " * 60 for n in range(4))])
    file = ready(alice, contract, "report.md", body.encode())
    found = viewer.api.get("/api/search/", {"q": "storm quay closed"}).json()["results"]
    hit = next(row for row in found if "storm" in row["text"])
    asked = viewer.api.post("/api/chat/sessions/", {"entity": str(contract.pk)}, format="json").json()
    chat = f"/api/chat/sessions/{asked['id']}/messages/"
    turn = viewer.api.post(chat, {"content": "Why was the quay closed?"}, format="json").json()["turn"]
    message = answer_of(viewer, turn)
    cited = f"/api/citations/{message['id']}/1/"
    assert "storm" in viewer.api.get(cited).json()["preview"]
    with service.open():
        before = set(ContextRow.objects.filter(file=file).values_list("pk", flat=True))
        paragraph = Paragraph.objects.get(text=storm).pk
    decided = steward.api.patch(f"/api/paragraphs/{paragraph}/", {"labels": [2], "reason": "a dispute"}, format="json")
    assert decided.status_code == 200
    # No worker has run.
    assert storm not in texts(viewer, file)
    assert "storm" not in str(viewer.api.get("/api/search/", {"q": "storm quay closed"}).json())
    assert hit["id"] not in str(viewer.api.get("/api/search/", {"q": "storm"}).json())
    assert "storm" not in viewer.api.get(cited).content.decode()
    assert "storm" not in viewer.client.get(f"{viewer.base}files/{file}/?row={hit['id']}").content.decode()
    shown = viewer.api.get(f"/api/chat/sessions/{asked['id']}/messages/").content.decode()
    assert "two days" not in shown
    embedded: list[Any] = []
    embed = pipeline.embed_texts
    pipeline.embed_texts = lambda e, todo, *rest: (embedded.extend(todo), embed(e, todo, *rest))[1]  # type: ignore[func-returns-value]
    try:
        work_off(alice.scope.workspace)
    finally:
        pipeline.embed_texts = embed
    with service.open():
        after = set(ContextRow.objects.filter(file=file).values_list("pk", flat=True))
    assert len(before & after) >= len(before) - 2, "passages elsewhere in the file keep their rows"
    assert all("Berth" not in draft.text or "storm" in draft.text for draft in embedded if draft.kind == 2)
    assert "storm" in str(steward.api.get("/api/search/", {"q": "storm quay closed"}).json())


def answer_of(who: Person, turn: str) -> dict[str, Any]:
    from chat import runner

    runner.wait_until_idle()
    state = who.api.get(f"/api/chat/turns/{turn}/").json()
    assert state["state"] == "done", state
    return dict(state["message"])


def test_confirming_a_label_publishes_nothing_again(steward: Person, file: str, service: Scope) -> None:
    conflict = next(item for item in waiting(steward) if item["causes"] == ["conflict"])
    accept(steward, conflict)
    with service.open():
        assert File.objects.get(pk=file).pending_revision_id is None
    accept(steward, *waiting(steward, cause="unlabelled"))
    with service.open():
        assert File.objects.get(pk=file).pending_revision_id is not None


# The column


def test_the_reasons_of_labels_that_are_kept_up_are_those_that_the_database_knows(db: None) -> None:
    with connection.cursor() as cursor:
        for reason in HELD_BACK:
            votes = [{"source": "inherited", "labels": [5], "reason": reason}]
            cursor.execute("SELECT app_review_causes(%s::jsonb, 5)", [json.dumps(votes)])
            assert cursor.fetchone() == (8,), reason


@pytest.mark.parametrize(
    ("votes", "value", "expected"),
    [
        ([], None, 1),
        ([], 0, 0),
        ([("inherited", [5], {}), ("rules", [], {}), ("model", [], {"confidence": 0.9})], 5, 0),
        ([("rules", [], {}), ("model", [2], {"confidence": 0.9})], 2, 0),
        ([("rules", [5], {}), ("model", [], {"confidence": 0.9})], 5, 2),
        ([("inherited", [5], {}), ("rules", [5], {}), ("model", [], {"confidence": 0.9})], 5, 0),
        ([("model", [3], {"confidence": 0.9}), ("model", [3, 5], {"confidence": 0.9})], 1000, 2),
        ([("model", [], {"confidence": 0.59})], 0, 4),
        ([("rules", [5], {}), ("model", [], {"confidence": 0.1}), ("manual", [], {"over": [5]})], 0, 0),
        ([("rules", [5, 3], {}), ("manual", [], {"over": [5]})], 3, 2),
        ([("rules", [5], {}), ("model", [], {"confidence": 0.1})], None, 7),
    ],
)
def test_why_a_paragraph_waits(db: None, votes: list[tuple[str, list[int], Any]], value: int, expected: int) -> None:
    rows = [{"source": source, "labels": atoms, "reason": "x", **more} for source, atoms, more in votes]
    with connection.cursor() as cursor:
        cursor.execute("SELECT app_review_causes(%s::jsonb, %s)", [json.dumps(rows), value])
        assert cursor.fetchone() == (expected,)


# Pages


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
