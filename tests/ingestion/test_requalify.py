"""What a change of policy, model, prompt, rules or extraction makes stale, and how it is renewed."""

import json
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from entities.access import Scope
from entities.models import Classification
from entities.models.classification import CONFIDENTIAL, FINANCIAL, SECRET
from entities.rag import Collection
from entities.types import Contract
from ingestion import pipeline, requalify, tasks, witness
from ingestion.inline import process_all_waiting
from ingestion.models import ContextRow, File, Paragraph, Requalification, RequalifiedFile
from ingestion.staleness import is_stale
from llm import rules, scripted
from llm.models import ModelCall, WorkspaceEndpoint
from tests.conftest import Person
from tests.ingestion.helpers import REPORT, SALARY, labelled, ready, texts, upload

pytestmark = pytest.mark.whole_record

QUAY = "The quay was closed for two days because of the storm."
NEXT = "The sheet piling starts in November, when the permit is there."


def run(*given: str) -> Any:
    """`manage.py requalify acme …`: what it says as JSON, the last line of it."""
    out = StringIO()
    call_command("requalify", "acme", *given, "--json", stdout=out)
    lines = [line for line in out.getvalue().splitlines() if line.startswith("{")]
    return json.loads(lines[-1]) if lines else out.getvalue()


def calls(service: Scope) -> int:
    with service.open():
        return ModelCall.objects.filter(feature="classify").count()


def stale(service: Scope) -> set[str]:
    with service.open():
        return {str(pk) for pk in File.objects.filter(is_stale()).values_list("pk", flat=True)}


@pytest.fixture
def two(alice: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """A file that a model classifies, and one of a collection where only rules do."""
    plans = Collection("Plans", classification=CONFIDENTIAL, classify=False)
    declared = {"documents": Collection("Documents"), "plans": plans}
    monkeypatch.setattr(Contract.Rag, "collections", declared)
    return ready(alice, contract), ready(alice, contract, "plan.md", collection="plans")


def test_exactly_what_was_made_from_what_changed_is_stale(
    two: tuple[str, str], alice: Person, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, ruled = two
    assert stale(service) == set()
    assert run()["files"] == 0
    changes = {
        "rules": lambda m: m.setattr(rules, "VERSION", rules.VERSION + 1),
        "extraction": lambda m: m.setattr(witness, "SCHEMA", witness.SCHEMA + 1),
        "prompt": lambda m: m.setattr(witness.prompts, "hash_templates", lambda *names: "another"),
        "model": lambda m: m.setattr(witness, "get_model_name", lambda tier: "claude-haiku-4-5"),
    }
    for cause, change in changes.items():
        with monkeypatch.context() as patched:
            change(patched)
            assert stale(service) == {asked, ruled}, cause
            found = run()
            # Of a collection that no model classifies, a model makes the summaries.
            by_model = cause in ("prompt", "model")
            assert found["causes"] == ({cause: 1, "summaries": 1} if by_model else {cause: 2})
            # Only what the model was told asks it again.
            assert found["windows"] == (1 if by_model else 0), cause
    with service.open():
        Classification.objects.filter(value=SECRET).update(description="Only for the board.")
    assert stale(service) == {asked}
    assert run()["causes"] == {"policy": 1}
    for path in ("", "?stale=yes", "?stale=no"):
        page = alice.client.get(f"{alice.base}admin/ingestion/file/{path}").content.decode()
        assert (asked in page) == (path != "?stale=no")
        assert (ruled in page) == (path != "?stale=yes")
        assert ("levels, guidance or the collection" in page) == (path != "?stale=no")


def test_another_prompt_concerns_what_was_made_with_it(
    two: tuple[str, str], alice: Person, contract: Contract, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of labels, that of summaries, and that of pages, which are read by a model where people chose so."""
    asked, ruled = two
    seen = ready(alice, contract, "seen.md", b"The crane stands on the quay.", strategy="vision")
    assert stale(service) == set()
    real, model_for = witness.prompts.hash_templates, witness.get_model_name

    def another(changed: str) -> Any:
        return lambda *names: "another" if changed in names else real(*names)

    for prompt, concerned, causes in (
        ("classify_window_system", {asked, seen}, {"prompt": 2}),
        ("vision_system", {seen}, {"extraction": 1}),
        ("summarise_system", {asked, seen, ruled}, {"prompt": 2, "summaries": 1}),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(witness.prompts, "hash_templates", another(prompt))
            assert stale(service) == concerned, prompt
            assert run()["causes"] == causes
    with monkeypatch.context() as patched:
        patched.setattr(witness, "get_model_name", lambda tier: "another" if tier == "standard" else model_for(tier))
        assert stale(service) == {seen}
        assert run()["causes"] == {"extraction": 1}
    # Renewing what only has summaries of a model makes those, and asks for no label.
    with service.open():
        File.objects.exclude(pk=ruled).update(revision=None)
        summarised = ModelCall.objects.filter(feature="summarise").count()
    before = calls(service)
    monkeypatch.setattr(witness.prompts, "hash_templates", another("summarise_system"))
    found = run()
    assert (found["files"], found["windows"], found["summaries"] > 0) == (1, 0, True)
    assert run("--canary", "1")["files"] == 1
    assert (calls(service), stale(service)) == (before, set())
    with service.open():
        assert ModelCall.objects.filter(feature="summarise").count() == summarised + found["summaries"]


def test_a_share_goes_first_and_a_killed_run_does_nothing_twice(
    alice: Person, viewer: Person, contract: Contract, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted.use_scripted_model() as script:
        script.push(tool_use=labelled(6, {1: [CONFIDENTIAL]}))
        first = ready(alice, contract)
        script.push(tool_use=labelled(6, {1: [CONFIDENTIAL]}))
        second = ready(alice, contract, "second.md", REPORT.replace(b"# Progress", b"# Of the other site"))
        with service.open():
            Classification.objects.filter(value=SECRET).update(description="Only for the board.")
        assert run()["windows"] == 2
        with pytest.raises(CommandError, match="No run is open"):
            run("--go")
        # Another answer: the permit is secret, and the quay would be confidential no more.
        script.push(tool_use=labelled(6, {5: [SECRET]}))
        came = run("--canary", "0.5")
        assert (came["files"], came["still_to_do"]) == (1, 1)
        assert came["needed_more"] == {"Secret": 1}
        assert came["would_need_less"] == {"Confidential": 1}
        before = calls(service)
        assert run("--canary", "0.5")["files"] == 1
        assert calls(service) == before, "the share was done"
        with service.open():
            done, waiting = RequalifiedFile.objects.order_by("position")
            assert [done.state, waiting.state] == ["done", "waiting"]
            assert done.before is None
        # The worker of the second dies when the model has answered, and somebody goes on.
        script.push(tool_use=labelled(6, {5: [SECRET]}))
        with monkeypatch.context() as patched:
            patched.setattr(pipeline, "segment_text", die)
            with pytest.raises(KeyboardInterrupt):
                run("--go")
        with service.open():
            assert RequalifiedFile.objects.get(pk=waiting.pk).state == "started"
            assert calls_now() == before + 1
            File.objects.filter(pk=waiting.file_id).update(claimed_until=None)  # its lease has run out
        came = run("--go")
        assert stale(service) == set()
    assert (came["files"], came["still_to_do"]) == (2, 0)
    assert came["needed_more"] == {"Secret": 2}
    assert came["would_need_less"] == {"Confidential": 2}
    assert calls(service) == before + 1, "what the killed one had asked was not asked again"
    # What is needed more is needed at once; what would be needed less waits for a steward.
    for file in (first, second):
        assert {QUAY, NEXT, SALARY}.isdisjoint(texts(viewer, file))
        with service.open():
            assert Paragraph.objects.get(file=file, text=QUAY).data_classification == CONFIDENTIAL
            assert set(ContextRow.objects.filter(file=file).values_list("witness", flat=True)) == {
                File.objects.get(pk=file).revision.witness  # type: ignore[union-attr]
            }
    with service.open():
        assert not Requalification.objects.filter(ended_at=None).exists()


def test_the_plan_counts_the_calls_that_going_on_makes(
    alice: Person, contract: Contract, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows and a summary of each label; where only rules are asked, the summaries alone."""
    plans = Collection("Plans", classification=CONFIDENTIAL, classify=False)
    monkeypatch.setattr(Contract.Rag, "collections", {"documents": Collection("Documents"), "plans": plans})
    with scripted.use_scripted_model() as script:

        def say(count: int) -> None:
            script.push(tool_use=labelled(6, {1: [CONFIDENTIAL]}), when=is_window)
            for _ in range(count):
                script.push(text=QUAY, when=lambda request: not is_window(request))

        say(8)
        ready(alice, contract)
        ready(alice, contract, "plan.md", REPORT.replace(b"# Progress", b"# Plan"), collection="plans")
        with service.open():
            Classification.objects.filter(value=SECRET).update(description="Only for the board.")
        found = run()
        assert (found["windows"], found["pictures"]) == (1, 0)
        with service.open():
            (file,) = File.objects.filter(is_stale())
            kinds = ["text", "list", "table"]
            present = Paragraph.objects.filter(file=file, kind__in=kinds).values("data_classification").distinct()
            assert found["summaries"] == present.count() > 1
        made = len(script.requests)
        say(8)
        assert run("--canary", "1")["files"] == 1
        assert len(script.requests) - made == found["calls"] == found["windows"] + found["summaries"]
        assert float(found["cost_usd"]) > 0
        run("--go")
        # Of the collection that no model labels, the labels it has take a call each, and nothing else.
        monkeypatch.setattr(rules, "VERSION", rules.VERSION + 1)
        found = run()
        assert (found["files"], found["windows"]) == (2, 0)
        made = len(script.requests)
        say(8)
        assert run("--canary", "1")["files"] == 2
        assert len(script.requests) - made == found["calls"] == found["summaries"] > 0


@pytest.mark.parametrize("labels", ["tool", "rules"])
def test_what_is_left_to_the_rules_costs_nothing(
    labels: str, alice: Person, contract: Contract, service: Scope
) -> None:
    ready(alice, contract)
    with service.open():
        WorkspaceEndpoint.objects.create(
            workspace_id=service.workspace,
            base_url="http://127.0.0.1:9",
            model="claude-haiku-5-5",
            labels=labels,
            saved_by=alice.user.pk,
        )
        Classification.objects.filter(value=SECRET).update(description="Only for the board.")
    found = run()
    assert (found["windows"], found["model"]) == (1, "claude-haiku-5-5" if labels == "tool" else "offline-extractive")
    assert (float(found["cost_usd"]) > 0) is (labels == "tool")


def is_window(request: Any) -> bool:
    return "record_labels" in request.tools


def die(*given: object) -> None:
    raise KeyboardInterrupt


def calls_now() -> int:
    return ModelCall.objects.filter(feature="classify").count()


def test_rules_are_asked_again_without_a_call_and_extraction_reads_the_bytes(
    two: tuple[str, str], alice: Person, viewer: Person, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = calls(service)
    real = pipeline.build_rules_vote

    def stricter(text: str, *others: Any) -> Any:
        vote = real(text, *others)
        return type(vote)("rules", vote.labels | ({SECRET} if "permit" in text else set()), "permits")

    monkeypatch.setattr(rules, "VERSION", rules.VERSION + 1)
    monkeypatch.setattr(pipeline, "build_rules_vote", stricter)
    assert run("--canary", "1")["needed_more"] == {"Secret": 2}
    assert run("--go")["still_to_do"] == 0
    assert calls(service) == before
    assert NEXT not in texts(viewer, two[0])
    with service.open():
        kept = set(Paragraph.objects.filter(file=two[0]).values_list("pk", "data_classification"))
    monkeypatch.setattr(witness, "SCHEMA", witness.SCHEMA + 1)
    assert run("--canary", "1")["relabelled"] == 0
    assert run("--go")["files"] == 2
    assert calls(service) == before
    with service.open():
        assert set(Paragraph.objects.filter(file=two[0]).values_list("pk", "data_classification")) == kept
        assert not File.objects.filter(is_stale()).exists()
    # A global rebuild only by name.
    assert run()["files"] == 0
    with pytest.raises(CommandError, match="Nothing is stale"):
        run("--canary", "1")
    assert run("--everything")["files"] == 2
    run("--canary", "0.5", "--everything")
    with pytest.raises(CommandError, match="another share"):
        run("--canary", "0.5")
    run("--abandon")
    assert Requalification.objects.count() == 0, "runs are in their workspace"


def test_a_steward_decides_without_renewing_anything(
    transactional_db: None, two: tuple[str, str], alice: Person, service: Scope
) -> None:
    """What a decision republishes keeps the witness it was made with: it has seen nothing of today's policy."""
    file = two[0]
    with service.open():
        Classification.objects.filter(value=SECRET).update(description="Only for the board.")
        made_with = File.objects.get(pk=file).revision.witness  # type: ignore[union-attr]
        pk = Paragraph.objects.get(file=file, text=QUAY).pk
    before = calls(service)
    answer = alice.api.patch(f"/api/paragraphs/{pk}/", {"labels": [FINANCIAL], "reason": "So."}, format="json")
    assert answer.status_code == 200
    process_all_waiting(alice.scope.workspace)
    assert calls(service) == before
    assert stale(service) == {file}
    with service.open():
        assert File.objects.get(pk=file).revision.witness == made_with  # type: ignore[union-attr]
        assert ContextRow.objects.filter(file=file, text__contains="quay", data_classification=FINANCIAL).exists()


def test_a_row_that_another_witness_made_is_rejected_and_its_file_queued(
    two: tuple[str, str], alice: Person, service: Scope
) -> None:
    file = two[0]
    with service.open():
        wrong = ContextRow.objects.filter(file=file)[0]
        ContextRow.objects.filter(pk=wrong.pk).update(witness=uuid4().hex)
        others = set(ContextRow.objects.exclude(pk=wrong.pk).values_list("pk", flat=True))
    tasks.tidy_storage()
    with service.open():
        assert set(ContextRow.objects.values_list("pk", flat=True)) == others
        assert File.objects.get(pk=file).state == "pending"
    process_all_waiting(alice.scope.workspace)
    with service.open():
        assert set(ContextRow.objects.values_list("pk", flat=True)) == {*others, wrong.pk}
        assert len(set(ContextRow.objects.filter(file=file).values_list("witness", flat=True))) == 1


def test_a_file_with_another_version_on_its_way_is_left_out(alice: Person, contract: Contract, service: Scope) -> None:
    ready(alice, contract)
    with service.open():
        Classification.objects.filter(value=SECRET).update(description="Only for the board.")
    upload(alice, contract, content=b"%PDF-1.4 nothing")
    process_all_waiting(alice.scope.workspace)
    assert run() == {**run(), "files": 0, "left_out": 1}
    with pytest.raises(requalify.RequalifyRefused):
        requalify.start_run(service.workspace, 1, everything=False)


@pytest.mark.parametrize("when", ["begin_file", "settle_file"])
def test_a_file_that_is_deleted_while_it_is_renewed_ends_nothing(
    alice: Person, contract: Contract, service: Scope, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    files = {ready(alice, contract, name) for name in ("one.md", "two.md")}
    real, gone = getattr(requalify, when), set[str]()

    def delete_first(*given: Any) -> Any:
        item = given[1] if when == "begin_file" else given[0]
        if not gone:
            gone.add(str(item.file_id))
            File.objects.filter(pk=item.file_id)._raw_delete("default")
        return real(*given)

    monkeypatch.setattr(requalify, when, delete_first)
    answer = run("--everything", "--canary", "1")
    assert (answer["files"], answer["failed"]) == (1, []), answer
    with service.open():
        assert {str(item.file_id) for item in RequalifiedFile.objects.all()} == files - gone
