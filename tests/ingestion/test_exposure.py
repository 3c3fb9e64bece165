"""The page and the call that tell stewards and administrators what stands open."""

import random
from typing import Any

import pytest

from entities.access import Scope
from entities.models import Classification, Workspace
from entities.models.classification import FINANCIAL, INTERNAL, PII, PUBLIC
from entities.text import compute_digest
from entities.types import Contract
from ingestion import twins
from ingestion.inline import process_all_waiting
from ingestion.models import File, Paragraph
from tests.conftest import Person, person
from tests.ingestion.helpers import label, ready, texts

pytestmark = pytest.mark.django_db(transaction=True)

GATE, PIER = "The gate is green.", "The pier is long."
HOME = "The yard behind the old mill is wide and the yellow house is low."
FENCE = "The fence is new."


@pytest.fixture
def file(alice: Person, contract: Contract, service: Scope) -> str:
    """Two paragraphs, one Public that rests, one found to be PII."""
    made = ready(alice, contract, "a.txt", f"{GATE}\n\n{HOME}".encode())
    label(service, HOME, PII)
    return made


def measure(who: Person) -> dict[str, Any]:
    answer = who.api.get("/api/exposure/")
    assert answer.status_code == 200, answer.content
    measured: dict[str, Any] = answer.json()
    return measured


def page(who: Person) -> str:
    answer = who.client.get(f"{who.base}exposure/")
    assert answer.status_code == 200
    return str(answer.content.decode().split("<main")[-1])


def counts(row: dict[str, Any], *names: str) -> tuple[Any, ...]:
    return ([atom["value"] for atom in row["labels"]], *(row[name] for name in names))


def test_per_collection_and_level_how_many_people_read_how_much(
    alice: Person, viewer: Person, hr: Person, file: str, restricted: Contract
) -> None:
    ready(alice, restricted, "b.txt", PIER.encode())
    found = measure(alice)
    assert found["people"] == 3
    rows = [row for row in found["levels"] if (row["type"], row["collection"]) == ("contract", "documents")]
    told = [counts(row, "paragraphs", "files", "records", "read_by", "partly_read_by") for row in rows]
    assert told == [([PII], 1, 1, 1, 2, 0), ([], 2, 2, 2, 1, 2)], "the pier only by alice, who made its record"
    told = [counts(row, "read_by", "paragraphs", "records") for row in found["unjudged"]]
    assert told == [([], 3, 1, 1), ([], 1, 1, 1)], "the widest audience first"
    assert "1 person, 2 people in part" in page(alice)


def test_it_is_for_stewards_and_administrators(
    workspace: Workspace, viewer: Person, staff: Person, outsider: Person, file: str
) -> None:
    for who in (viewer, staff):
        assert who.api.get("/api/exposure/").status_code == 403
        assert who.client.get(f"{who.base}exposure/").status_code == 403
        assert "exposure/" not in who.client.get(who.base).content.decode()
    steward, admin = (
        person(workspace, name, [INTERNAL], (), **flags)
        for name, flags in (("some", {"is_steward": True}), ("clerk", {"is_admin": True}))
    )
    for who, release in ((steward, True), (admin, False)):
        assert f"{who.base}exposure/" in who.client.get(who.base).content.decode()
        shown = page(who)
        assert ("cause=unjudged" in shown, "resting/" in shown) == (release, True)
    assert measure(outsider)["levels"] == []
    assert admin.api.get("/api/exposure/?level=3").json()["error"]["fields"] == {
        "level": ["There is no such parameter."]
    }


def test_who_does_not_hold_a_level_sees_nothing_of_it(
    alice: Person, workspace: Workspace, contract: Contract, restricted: Contract, file: str, service: Scope
) -> None:
    ready(alice, contract, "b.txt", HOME.encode())
    ready(alice, restricted, "c.txt", PIER.encode())
    some = person(workspace, "some", [INTERNAL], is_steward=True)
    assert (measure(alice)["twin_count"], measure(alice)["record_count"]) == (1, 0)
    label(service, GATE, PII)
    assert measure(alice)["record_count"] == 1
    with service.open():
        Classification.objects.filter(value=PII).update(conceal=True)
    found = measure(some)
    assert [counts(row, "paragraphs") for row in found["levels"]] == [([], 1)], "neither PII nor the hidden record"
    assert (found["twins"], found["records"]) == ([], [])
    shown = page(some)
    assert "PII" not in shown
    assert "Settlement" not in shown


def plant(service: Scope, file: str, words: list[list[str]], value: int, start: int) -> list[str]:
    with service.open():
        of = File.objects.get(pk=file)
        rows = [
            Paragraph(
                workspace_id=service.workspace,
                file=of,
                revision_id=of.revision_id,
                position=start + n,
                text=" ".join(said).capitalize() + ".",
                digest=compute_digest(" ".join(said)),
                data_classification=value,
            )
            for n, said in enumerate(words)
        ]
        Paragraph.objects.bulk_create(rows)
    return [str(row.pk) for row in rows]


def test_a_thousand_near_twins_of_hidden_paragraphs_are_found(
    alice: Person, viewer: Person, contract: Contract, restricted: Contract, file: str, service: Scope
) -> None:
    other = ready(alice, restricted, "b.txt", PIER.encode())
    dice = random.Random(34)
    known = [f"{a}{b}{c}" for a in ("ba", "ku", "ro", "ti", "ne", "zo") for b in "aeioulmnrst" for c in "dfgkpvw"]

    def change(words: list[str], many: int) -> list[str]:
        changed = list(words)
        for place in dice.sample(range(len(words)), many):
            changed[place] = f"{changed[place]}x"
        return changed

    secrets = [dice.choices(known, k=dice.randint(20, 45)) for _ in range(1_000)]
    hidden = plant(service, file, secrets, PII, 100)
    twins = plant(service, other, [change(words, 1 + n % 2) for n, words in enumerate(secrets)], PUBLIC, 100)
    plant(service, other, [change(words[:20], 8) for words in secrets], PUBLIC, 2_000)
    plant(service, other, secrets[:100], PII, 4_000)  # alike, and hidden as well
    found = measure(alice)
    assert found["twin_count"] == 1_000
    by_open = {twin["open"]["id"]: twin for twin in found["twins"]}
    assert by_open.keys() == set(twins)
    originals = dict(zip(twins, hidden, strict=True))
    assert all(by_open[pk]["hidden"]["id"] == originals[pk] for pk in twins[100:])
    assert min(twin["alike"] for twin in found["twins"]) >= 0.9
    shown = page(alice)
    assert "The 50 paragraphs that are most alike" in shown
    assert f"desk/paragraphs/{found['twins'][0]['open']['id']}/" in shown


def test_a_twin_is_what_more_people_may_read(
    alice: Person, hr: Person, cfo: Person, contract: Contract, file: str, service: Scope
) -> None:
    ready(alice, contract, "b.txt", HOME.replace("yellow", "blue").encode())
    (twin,) = measure(alice)["twins"]
    assert (twin["hidden"]["text"], twin["open"]["text"]) == (HOME, HOME.replace("yellow", "blue"))
    assert (twin["hidden"]["file"], twin["alike"]) == (file, 0.929)
    label(service, twin["open"]["text"], PII)
    assert measure(alice)["twins"] == [], "both are hidden alike"
    label(service, twin["open"]["text"], FINANCIAL)
    assert measure(alice)["twin_count"] == 2, "each is open to somebody who may not read the other"


@pytest.mark.parametrize(("limit", "compared", "left"), [("MAX_COMPARED", 2, 1), ("MAX_SECONDS", 0, 3)])
def test_what_was_not_compared_is_told(
    alice: Person, contract: Contract, file: str, monkeypatch: pytest.MonkeyPatch, limit: str, compared: int, left: int
) -> None:
    ready(alice, contract, "b.txt", HOME.replace("yellow", "blue").encode())
    assert measure(alice)["twins_left_out"] == 0
    assert "Looked at the first" not in page(alice)
    monkeypatch.setattr(twins, limit, compared)
    assert measure(alice)["twins_left_out"] == left
    said = page(alice)
    assert "Looked at the first" in said
    assert f"; {left} paragraph{'s' * (left > 1)} were too many to compare." in said


def test_a_record_that_more_people_see_than_read_its_files(
    alice: Person, viewer: Person, hr: Person, contract: Contract, restricted: Contract, file: str, service: Scope
) -> None:
    assert measure(alice)["records"] == [], "half of the file is open"
    label(service, GATE, PII)
    ready(alice, restricted, "b.txt", PIER.encode())
    label(service, PIER, PII)
    (row,) = measure(alice)["records"]
    assert row["record"] == {"id": str(contract.pk), "type": "contract", "name": "Quay lease"}
    assert (row["visibility"], row["files"], row["seen_by"], row["read_by"]) == ("workspace", 1, 3, 2)
    assert f"entities/{contract.pk}/share/" in page(alice)
    with service.open():
        Contract.objects.filter(pk=contract.pk).update(visibility="restricted")
    assert measure(alice)["records"] == []


@pytest.mark.usefixtures("closed")
def test_what_rests_is_released_or_kept_at_the_desk(
    alice: Person, steward: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract, "a.txt", f"{GATE}\n\n{FENCE}\n\n{PIER}".encode())
    (row,) = measure(steward)["unjudged"]
    assert counts(row, "read_by", "paragraphs") == ([INTERNAL], 2, 3)
    assert steward.api.get("/api/desk/").json()["count"] == 0, "it waits for nobody"
    waiting = steward.api.get("/api/desk/?cause=unjudged").json()["results"]
    gate, fence, pier = ({"id": item["id"], "seen": item["seen"]} for item in waiting)
    shown = steward.client.get(f"{steward.base}desk/?cause=unjudged&group=document").content.decode()
    assert "Release what is ticked" in shown
    assert "Release what" not in steward.client.get(f"{steward.base}desk/?group=document").content.decode()
    assert viewer.api.get("/api/desk/?cause=unjudged").status_code == 403

    kept = steward.api.post("/api/desk/accept/", {"paragraphs": [fence]}, format="json").json()
    assert kept == {"accepted": [fence["id"]], "changed": []}
    form = {"item": f"{gate['id']} {gate['seen']}", "release": "1", "query": "cause=unjudged&group=document"}
    preview = steward.client.post(f"{steward.base}desk/preview/", form).content.decode()
    assert "would read more" in preview
    assert 'name="labels" value="0"' in preview
    decision = {"item": form["item"], "labels": "0", "reason": "Everybody knows.", "query": form["query"]}
    assert steward.client.post(f"{steward.base}desk/decide/", decision).status_code == 302
    process_all_waiting(service.workspace)
    assert texts(viewer, file) == [GATE, "[Internal]"]
    assert [item["id"] for item in steward.api.get("/api/desk/?cause=unjudged").json()["results"]] == [pier["id"]]
    again = steward.api.get(f"/api/files/{file}/paragraphs/").json()["results"][1]
    refused = steward.api.post(
        "/api/desk/accept/", {"paragraphs": [{"id": fence["id"], "seen": again["seen"]}]}, format="json"
    ).json()
    assert refused == {"accepted": [], "changed": [fence["id"]]}, (
        "what is judged and does not wait is decided elsewhere"
    )


def test_the_page_speaks_german(alice: Person, file: str) -> None:
    shown = alice.client.get(f"{alice.base}exposure/", headers={"Accept-Language": "de"}).content.decode()
    assert "Nach Sammlung und Stufe" in shown
