"""What stands between two paragraphs and must be hidden without trace: no cut, no id and no section tells of it."""

import uuid
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import pytest

from entities.access import Scope
from entities.models import Classification
from entities.models.classification import SECRET
from entities.text import compute_digest
from entities.types import Contract
from ingestion.inline import process_all_waiting
from ingestion.paragraph_identity import choose_identities
from llm import scripted
from llm.scripted import Script
from tests.conftest import Person
from tests.ingestion.helpers import labelled, ready, texts
from tests.ingestion.test_requalify import calls, run, stale

OPEN, HIDDEN, NEXT = "The quay is open to all.", "Bluebird begins in May.", "The gate is green."


@pytest.fixture(autouse=True)
def script() -> Iterator[Script]:
    with scripted.use_scripted_model(otherwise_offline=True) as script:
        yield script


@pytest.fixture
def file(alice: Person, contract: Contract, script: Script) -> str:
    return made(script, alice, contract, OPEN, HIDDEN, NEXT)


def made(script: Script, alice: Person, contract: Contract, *lines: str) -> str:
    """A file of these lines, the second of which is Secret."""
    script.push(tool_use=labelled(len(lines), {1: [SECRET]}))
    return ready(alice, contract, "plan.txt", "\n\n".join(lines).encode())


def conceal(service: Scope, conceal: bool = True) -> None:
    with service.open():
        Classification.objects.filter(value=SECRET).update(conceal=conceal)


def passages(who: Person, file: str) -> dict[str, str]:
    """id -> text of the passages of a file that a search gives them."""
    found = who.api.get(
        "/api/search/", {"q": "quay gate Bluebird", "file": file, "kind": "file_chunk", "limit": 50}
    ).json()
    return {row["id"]: row["text"] for row in found["results"]}


def test_concealing_a_label_makes_the_files_that_have_it_stale_and_they_are_cut_anew(
    file: str, alice: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    ready(alice, contract, "open.txt", OPEN.encode())
    assert sorted(passages(viewer, file).values()) == [NEXT, OPEN]  # what is acknowledged parts them
    before = calls(service)
    conceal(service)
    assert stale(service) == {file}
    told = run()
    assert (told["files"], told["causes"], told["calls"]) == (1, {"concealed": 1}, 0)
    page = alice.client.get(f"{alice.base}admin/ingestion/file/?stale=yes").content
    assert b"which labels are concealed" in page
    assert run("--canary", "1")["relabelled"] == 0
    assert run("--go")["still_to_do"] == 0
    assert (stale(service), calls(service)) == (set(), before)
    assert list(passages(viewer, file).values()) == [f"{OPEN}\n\n{NEXT}"]
    assert sorted(passages(alice, file).values()) == [HIDDEN, f"{OPEN}\n\n{NEXT}"]
    assert texts(viewer, file) == [OPEN, NEXT]
    conceal(service, False)
    assert stale(service) == {file}


def test_a_version_that_brings_concealed_text_changes_no_passage_of_others(
    alice: Person, viewer: Person, contract: Contract, service: Scope, script: Script
) -> None:
    conceal(service)
    script.push(tool_use=labelled(2, {}))
    file = ready(alice, contract, "plan.txt", f"{OPEN}\n\n{NEXT}".encode())
    before, read = passages(viewer, file), viewer.api.get(f"/api/files/{file}/reader/").content
    assert made(script, alice, contract, OPEN, HIDDEN, NEXT) == file
    assert HIDDEN in texts(alice, file)
    assert passages(viewer, file) == before
    assert viewer.api.get(f"/api/files/{file}/reader/").content == read


def test_text_without_a_label_parts_nothing(alice: Person, viewer: Person, contract: Contract, script: Script) -> None:
    script.push(tool_use=labelled(3, {}, left_out={1}))
    script.push(tool_use=labelled(0, {}))
    file = ready(alice, contract, "plan.txt", f"{OPEN}\n\n{HIDDEN}\n\n{NEXT}".encode())
    assert list(passages(viewer, file).values()) == [f"{OPEN}\n\n{NEXT}"]


def test_typed_text_is_cut_as_files_are(
    alice: Person, viewer: Person, contract: Contract, service: Scope, script: Script
) -> None:
    conceal(service)
    body = {"notes": f"{OPEN}\n\n{HIDDEN}\n\n{NEXT}"}
    script.push(tool_use=labelled(3, {1: [SECRET]}))
    answer: Any = alice.api.patch(f"/api/entities/contract/{contract.pk}/", body, format="json")
    assert answer.status_code == 200, answer.content
    process_all_waiting(alice.scope.workspace)
    found = viewer.api.get("/api/search/", {"q": "quay gate", "kind": "metadata"}).json()["results"]
    assert [row["text"] for row in found if "quay is" in row["text"]] == [f"{OPEN}\n\n{NEXT}"]


def test_no_id_tells_that_an_equal_text_stands_hidden_before(
    alice: Person, viewer: Person, contract: Contract, service: Scope, script: Script
) -> None:
    conceal(service)
    file = uuid.UUID(made(script, alice, contract, OPEN, NEXT, NEXT))
    shown = viewer.api.get(f"/api/files/{file}/reader/").json()["blocks"]
    assert [block["text"] for block in shown] == [OPEN, NEXT]
    # By what a reader knows: the file's id, the words, and any number.
    computed = {str(uuid.uuid5(file, f"{compute_digest(text)} {n}")) for text in (OPEN, NEXT) for n in range(3)}
    assert computed.isdisjoint(block["passage"] for block in shown)
    digest = sha256(f"{OPEN}\n\n{NEXT}".encode()).hexdigest()
    assert passages(viewer, str(file)).keys() == {str(uuid.uuid5(file, f"{digest}\x1f0"))}


def test_what_is_published_keeps_the_id_it_has() -> None:
    file, kept = uuid.uuid4(), {1: uuid.uuid4(), 2: uuid.uuid4()}
    ids = choose_identities(file, ["b", "a", "a", "a"], kept)
    assert ids == choose_identities(file, ["b", "a", "a", "a"], kept)
    assert ids[1:3] == [*kept.values()]
    assert len({*ids, *choose_identities(uuid.uuid4(), ["b", "a", "a"], {})}) == 7
