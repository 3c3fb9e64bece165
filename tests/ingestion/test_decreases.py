"""A label that would get lower, by whatever cause, stays until a steward accepts it at the desk (design §2.2)."""

from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from entities.models.classification import FINANCIAL, PII_SENSITIVE, SECRET
from entities.rag import Collection
from entities.types import Contract
from ingestion import pipeline, witness
from ingestion.inline import process_all_waiting
from ingestion.votes import Vote
from llm import rules, scripted
from llm.scripted import RecordedRequest, Script
from tests.conftest import Person
from tests.ingestion.desk_decisions import accept, names, waiting
from tests.ingestion.helpers import labelled, ready, texts

pytestmark = pytest.mark.django_db(transaction=True)
GATE = "The gate is green."
CRANE = "The crane is hired until May by the port."
SHED = "The shed at the north end is pulled down next spring."
NEW = "The rope is old."


@dataclass(frozen=True)
class Given:
    """What a cause has at hand. The model finds the shed Financial each time, so that nothing lowers it."""

    alice: Person
    contract: Contract
    script: Script
    patch: pytest.MonkeyPatch

    def answers(self, *, crane: bool, count: int = 3) -> None:
        """The model's next answer on labels."""
        found = {1: [FINANCIAL], 2: [FINANCIAL]} if crane else {2: [FINANCIAL]}
        self.script.push(tool_use=labelled(count, found), when=is_window)

    def upload(self, *more: str) -> str:
        return ready(self.alice, self.contract, "a.txt", body(GATE, CRANE, SHED, *more))

    def declare(self, label: int) -> None:
        self.patch.setattr(Contract.Rag, "collections", {"documents": Collection("Documents", classification=label)})

    def requalify(self) -> None:
        for how in (["--canary", "1"], ["--go"]):
            call_command("requalify", "acme", *how, "--json", stdout=StringIO())


def is_window(request: RecordedRequest) -> bool:
    return "record_labels" in request.tools


def body(*lines: str) -> bytes:
    return "\n\n".join(lines).encode()


def rules_change(given: Given) -> str:
    real = pipeline.build_rules_vote

    def stricter(text: str, *others: Any) -> Vote:
        vote = real(text, *others)
        return Vote("rules", vote.labels | {FINANCIAL}, "a hire") if text == CRANE else vote

    given.answers(crane=False)
    with given.patch.context() as patched:
        patched.setattr(pipeline, "build_rules_vote", stricter)
        file = given.upload()
    given.patch.setattr(rules, "VERSION", rules.VERSION + 1)
    given.requalify()
    return file


def another_model(given: Given) -> str:
    given.answers(crane=True)
    file = given.upload()
    given.patch.setattr(witness, "get_model_name", lambda tier: "claude-haiku-next")
    given.answers(crane=False)
    given.requalify()
    return file


def re_upload(given: Given) -> str:
    given.answers(crane=True)
    file = given.upload()
    given.answers(crane=False, count=4)
    assert given.upload(NEW) == file
    return file


def restored(given: Given) -> str:
    """The second version had it at a higher label than the first, which comes back."""
    given.answers(crane=False)
    file = given.upload()
    given.answers(crane=True, count=4)
    given.upload(NEW)
    restore(given, file, 1)
    return file


def restored_after_it_was_gone(given: Given) -> str:
    given.answers(crane=True)
    file = given.upload()
    given.script.push(tool_use=labelled(2, {1: [FINANCIAL]}), when=is_window)
    assert ready(given.alice, given.contract, "a.txt", body(GATE, SHED)) == file
    restore(given, file, 1)
    return file


def restore(given: Given, file: str, number: int) -> None:
    given.answers(crane=False)
    answer = given.alice.api.post(f"/api/files/{file}/versions/{number}/restore/")
    assert answer.status_code == 202, answer.content
    process_all_waiting(given.alice.scope.workspace)


def declared_lower(given: Given) -> str:
    given.declare(FINANCIAL)
    given.answers(crane=False)
    file = given.upload()
    given.declare(0)
    given.answers(crane=False)
    given.requalify()
    return file


def found(who: Person, words: str) -> list[str]:
    return [row["text"] for row in who.api.get("/api/search/", {"q": words}).json()["results"]]


@pytest.mark.parametrize(
    "cause", [rules_change, another_model, re_upload, restored, restored_after_it_was_gone, declared_lower]
)
def test_what_would_be_lower_waits_for_a_steward(
    cause: Callable[[Given], str],
    alice: Person,
    steward: Person,
    cfo: Person,
    viewer: Person,
    contract: Contract,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with scripted.use_scripted_model() as script:
        file = cause(Given(alice, contract, script, monkeypatch))
        assert script.left == 0, "the model was asked as often as this cause needs"
    # Meanwhile the earlier label is in force, in the reader and in search.
    assert CRANE not in viewer.api.get(f"/api/files/{file}/reader/").content.decode()
    assert CRANE in texts(cfo, file)
    assert any("crane" in text for text in found(cfo, "crane hired port"))
    assert not any("crane" in text for text in found(viewer, "crane hired port"))
    items = {item["text"]: item for item in waiting(steward, cause="decrease", file=file)}
    assert SHED not in items, "it would not get lower"
    item = items[CRANE]
    assert (names(item["labels"]), names(item["proposed"])) == (["Financial"], [])
    assert item["causes"] == ["decrease"]
    assert "label before this version; only a steward lowers it" in str(item["votes"])
    # Who may not read it is not told that it waits, nor may they take the proposal.
    sent = {"paragraphs": [{"id": item["id"], "seen": item["seen"]}]}
    for other in (viewer, cfo):
        assert other.api.get("/api/desk/").status_code == 403
        assert other.api.post("/api/desk/accept/", sent, format="json").status_code == 403
    assert accept(steward, item)["accepted"] == [item["id"]]
    assert CRANE in texts(viewer, file)
    process_all_waiting(alice.scope.workspace)
    assert any("crane" in text for text in found(viewer, "crane hired port"))
    assert SHED not in texts(viewer, file)
    assert not any("shed" in text for text in found(viewer, "shed north end"))
    assert CRANE not in {item["text"] for item in waiting(steward)}


def test_a_label_that_would_be_higher_is_so_at_once(
    alice: Person, steward: Person, viewer: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted.use_scripted_model() as script:
        given = Given(alice, contract, script, monkeypatch)
        given.answers(crane=False)
        file = given.upload()
        assert CRANE in texts(viewer, file)
        given.answers(crane=True, count=4)
        given.upload(NEW)
    assert texts(viewer, file) == [GATE, "[Financial]", NEW]  # two in a row are one block
    assert waiting(steward, cause="decrease") == []


def test_a_decrease_that_is_not_accepted_stays_through_the_next_version(
    alice: Person, steward: Person, viewer: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted.use_scripted_model() as script:
        given = Given(alice, contract, script, monkeypatch)
        file = re_upload(given)
        given.answers(crane=False, count=5)
        given.upload(NEW, "The lamp is new.")
    assert texts(viewer, file) == [GATE, "[Financial]", NEW, "The lamp is new."]
    (item,) = waiting(steward, cause="decrease")
    kept: dict[str, Any] = {"labels": [FINANCIAL], "reason": "The hire is paid.", "seen": item["seen"]}
    assert steward.api.patch(f"/api/paragraphs/{item['id']}/", kept, format="json").status_code == 200
    assert waiting(steward, cause="decrease") == []
    assert texts(viewer, file)[1] == "[Financial]"


PUBLIC: dict[str, Any] = {"labels": [], "reason": "It is on the poster."}


def read_again_by_another_model(given: Given, file: str) -> None:
    given.patch.setattr(witness, "get_model_name", lambda tier: "claude-haiku-next")
    given.answers(crane=False, count=4)
    given.requalify()


def edited_elsewhere(given: Given, file: str) -> None:
    given.answers(crane=False, count=5)
    given.upload(NEW, "The lamp is new.")


def gone_and_back(given: Given, file: str) -> None:
    given.script.push(tool_use=labelled(2, {1: [FINANCIAL]}), when=is_window)
    ready(given.alice, given.contract, "a.txt", body(GATE, SHED))
    given.answers(crane=False, count=4)
    given.upload(NEW)


@pytest.mark.parametrize("found", ["by the model", "by a floor"])
@pytest.mark.parametrize("cause", [read_again_by_another_model, edited_elsewhere, gone_and_back])
def test_what_came_after_a_decision_does_not_go_without_another(
    cause: Callable[[Given, str], None],
    found: str,
    alice: Person,
    steward: Person,
    viewer: Person,
    contract: Contract,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with scripted.use_scripted_model() as script:
        given = Given(alice, contract, script, monkeypatch)
        given.answers(crane=True)
        file = given.upload()
        (crane,) = [p for p in paragraphs(steward, file) if p["text"] == CRANE]
        assert steward.api.patch(f"/api/paragraphs/{crane['id']}/", PUBLIC, format="json").status_code == 200
        process_all_waiting(alice.scope.workspace)
        assert CRANE in texts(viewer, file)
        # Something else is found of it, which the decision did not know; then it is found no more.
        if found == "by a floor":
            given.declare(SECRET)
        model = {} if found == "by a floor" else {1: [PII_SENSITIVE]}
        script.push(tool_use=labelled(4, {**model, 2: [FINANCIAL]}), when=is_window)
        given.upload(NEW)
        assert CRANE not in viewer.api.get(f"/api/files/{file}/reader/").content.decode()
        given.declare(0)
        cause(given, file)
        assert script.left == 0
    added = "Secret" if found == "by a floor" else "PII-Sensitive"
    assert CRANE not in viewer.api.get(f"/api/files/{file}/reader/").content.decode()
    (item,) = [one for one in waiting(steward, file=file) if one["text"] == CRANE]
    assert (item["causes"], names(item["labels"])) == (["conflict"], [added])
    # Who decides now knows of that too, and nothing brings it back.
    assert steward.api.patch(f"/api/paragraphs/{item['id']}/", PUBLIC, format="json").status_code == 200
    process_all_waiting(alice.scope.workspace)
    assert CRANE in texts(viewer, file)
    with scripted.use_scripted_model() as script:
        Given(alice, contract, script, monkeypatch).answers(crane=True, count=5)
        ready(alice, contract, "a.txt", body(GATE, CRANE, SHED, NEW, "The mast is new."))
        assert script.left == 0
    assert CRANE in texts(viewer, file)
    assert CRANE not in {one["text"] for one in waiting(steward)}


def paragraphs(who: Person, file: str) -> list[dict[str, Any]]:
    return list(who.api.get(f"/api/files/{file}/paragraphs/").json()["results"])
