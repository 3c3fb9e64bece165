"""`manage.py evaluate --answers`: what an answer is worth, and a run that is worse than the one before."""

import json
import threading
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from chat.evaluation import answers
from chat.evaluation.figures import FigureDrop, JudgedAnswer, find_drops, score_answer
from chat.evaluation.golden import build_golden_set
from chat.models import AnswerRun, Session
from entities.access import Scope
from entities.models import AuditEntry, Entity, Workspace
from ingestion.embed import get_embedder
from ingestion.models import ContextRow
from llm import scripted
from llm.judging import get_prompt_version
from llm.prompts import NOT_FOUND
from retrieval.support import Support
from tests.chat.conftest import Chat, is_chat
from tests.conftest import Person, make_contract
from tests.retrieval.conftest import Index

FACTS = {
    "cap": ("What is the liability cap under the lease?", "The liability cap under the lease is two million euros."),
    "inspector": ("Who inspected the quay wall?", "The quay wall was inspected by Ingrid Moss in May."),
    "deposit": ("What is the deposit?", "The deposit is 40,000 euros, paid on signing."),
}


@pytest.fixture
def questions(contract: Entity, index: Index, tmp_path: Path) -> Path:
    """Three questions that a file of three passages answers, one that nothing does, and one within a file that is not
    there.
    """
    file = index.file(contract, "lease.pdf")
    lines: list[dict[str, Any]] = []
    for n, (key, (question, text)) in enumerate(FACTS.items(), start=1):
        index.row(contract, text, file=file, page=n, position=n)
        lines.append({"id": key, "question": question, "places": [{"file": "lease.pdf", "page": n}], "labels": []})
    lines.append({"id": "dog", "question": "May a dog swim in the basin?", "answerable": False, "labels": []})
    lines.append({"id": "gone", "question": "Is there a cap?", "answerable": False, "within": {"files": ["gone.pdf"]}})
    path = tmp_path / "lease.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def evaluate(path: Path, *more: str) -> dict[str, Any]:
    told = StringIO()
    call_command(
        "evaluate", path, "--answers", "--workspace", "acme", "--as", "viewer", "--json", *more, stdout=told,
        stderr=StringIO(),
    )  # fmt: skip
    return json.loads(told.getvalue())


def test_answers_are_judged_kept_and_compared(
    viewer: Person, alice: Person, workspace: Workspace, questions: Path, service: Scope
) -> None:
    first = evaluate(questions)
    assert first["figures"]["context_recall"] == 1.0
    assert first["figures"]["citation_recall"] == 1.0
    assert first["figures"]["citation_precision"] == 1.0
    assert first["figures"]["faithfulness"] == 1.0
    assert first["figures"]["not_found"] == 1.0
    assert 0.3 < first["figures"]["relevancy"] < 1.0
    assert (first["before"], first["drops"], first["left_out"]) == (None, [], 1)
    again = evaluate(questions)
    assert (again["before"], again["drops"]) == (first["figures"], [])
    with service.open():
        assert not Session.objects.exists()  # what was asked is gone
        kept = json.dumps(list(AnswerRun.objects.values("figures", "scores")))
        assert "liability" not in kept
        # A regression: the passages are not in the index any more.
        ContextRow.objects.all().delete()
    with pytest.raises(CommandError, match="Answers got worse") as worse:
        evaluate(questions)
    assert worse.value.returncode == 2
    with service.open():
        assert list(AnswerRun.objects.order_by("created_at").values_list("dropped", flat=True)) == [False, False, True]
    page = viewer.client.get(viewer.base + "evaluation/answers/").content.decode()
    assert "over 3 runs; newest: context recall 0.000" in page
    assert page.count("Dropped") == 1
    # Figures are about what their reader may read: nobody else's page has them.
    assert "context recall" not in alice.client.get(alice.base + "evaluation/answers/").content.decode()
    # The next run is held to the last that had not dropped, unless this one is accepted.
    evaluate(questions, "--accept")
    evaluate(questions)
    with pytest.raises(CommandError, match="Not with --answers: --convert, --threshold"):
        evaluate(questions, "--convert", "--threshold", "0.5")


def test_what_a_member_rated_as_well_answered_is_asked_again_with_the_cited_passages(
    viewer: Person, alice: Person, contract: Entity, index: Index, start: Callable[..., Chat]
) -> None:
    """Only the first questions of conversations, rated as good, whose answer that member may read today."""

    def rate_answer(who: Person, about: Entity, text: str, rating: int) -> None:
        turn = start(who, about).ask(text)
        assert who.api.post(f"/api/chat/turns/{turn['id']}/rating/", {"rating": rating}).status_code == 204

    rate_answer(viewer, contract, "May a dog swim in the basin?", 1)
    file = index.file(contract, "lease.pdf")
    for n, (_, text) in enumerate(FACTS.values(), start=1):
        index.row(contract, text, file=file, page=n, position=n)
    # Which of the closest passages answered, nobody knows.
    rate_answer(viewer, contract, "May a horse swim in the basin?", 1)
    mooring = make_contract(alice)
    index.row(mooring, "The mooring fee is 310 euros a day.", file=index.file(mooring, "mooring.pdf"), page=1)
    # Two records have a file of this name, so that the set cannot say which is meant.
    pier = make_contract(alice)
    index.row(pier, "The pier fee is 20 euros a day.", file=index.file(pier, "fees.pdf"), page=1)
    index.file(contract, "fees.pdf")
    rate_answer(viewer, contract, FACTS["cap"][0], 1)
    rate_answer(viewer, contract, FACTS["inspector"][0], -1)
    rate_answer(viewer, mooring, "What is the mooring fee?", 1)
    rate_answer(alice, contract, FACTS["deposit"][0], 1)
    rate_answer(viewer, pier, "What is the pier fee?", 1)
    assert "What is the mooring fee?" in [question.text for question in build_golden_set(viewer.scope).questions]
    with alice.scope.open():
        Entity.objects.filter(pk=mooring.pk).update(visibility="restricted")
    golden = build_golden_set(viewer.scope)
    assert [(q.text, [(p.file, p.first) for p in q.places], q.files) for q in golden.questions] == [
        (FACTS["cap"][0], [("lease.pdf", 1)], ("lease.pdf",)),
        ("May a dog swim in the basin?", [], ()),
    ]
    told = StringIO()
    options = ["--answers", "--golden", "--workspace", "acme", "--as", "viewer", "--json"]
    call_command("evaluate", *options, stdout=told, stderr=StringIO())
    figures = json.loads(told.getvalue())["figures"]
    assert (figures["citation_recall"], figures["not_found"]) == (1.0, 1.0)
    with pytest.raises(CommandError, match="--golden needs --answers"):
        call_command("evaluate", "--golden")


def test_a_question_without_an_answer_is_a_failure_and_not_a_figure(
    alice: Person,
    viewer: Person,
    contract: Entity,
    index: Index,
    questions: Path,
    service: Scope,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The model is down, the embedding model is, or the answer takes too long: no run, and no conversation is left."""
    with scripted.use_scripted_model(otherwise_offline=True) as script:
        script.push(error=400, when=is_chat)
        with pytest.raises(CommandError, match="cap got no answer"):
            evaluate(questions)
        script.push(text="The cap is two million euros.", when=is_chat)
        with monkeypatch.context() as patched:
            patched.setattr(answers, "get_embedder", lambda: get_embedder("absent/model"))
            with pytest.raises(CommandError, match="cap has no figures"):
                evaluate(questions)
        hold = threading.Event()
        script.push(chunks=["The cap", " is low."], hold=hold, when=is_chat)
        monkeypatch.setattr(answers, "PATIENCE_SECONDS", 0.2)
        with pytest.raises(CommandError, match="cap got no answer in"):
            evaluate(questions)
        hold.set()
    # Two files of one name, in two records: a conversation is about one.
    index.file(contract, "gone.pdf")
    index.file(make_contract(alice), "gone.pdf")
    with pytest.raises(CommandError, match="gone is within files of several records"):
        evaluate(questions)
    with service.open():
        assert not AnswerRun.objects.exists()
        assert not Session.objects.exists()
        begun = AuditEntry.objects.filter(action="evaluation.answers")
        told = {"set": "lease", "reader": "viewer", "principal": viewer.user.pk, "questions": 4}
        assert [entry.detail for entry in begun] == [told] * 3


def test_where_there_is_a_model_it_judges_and_its_verdicts_are_kept_with_the_version_of_the_prompt(
    viewer: Person,
    contract: Entity,
    index: Index,
    questions: Path,
    service: Scope,
    settings: Any,
) -> None:
    """Statement by statement, from the passages that the asker may read; a verdict that is none is no figure."""
    index.row(contract, "The cap is kept from staff: nine million.", label=4, file=index.file(contract, "pay.pdf"))
    lines = questions.read_text().splitlines()
    questions.write_text("\n".join([lines[0], lines[3]]))
    settings.ANTHROPIC_BASE_URL = "http://127.0.0.1:9"
    settings.MODEL_PRICES = {}

    def run(*verdicts: Any) -> tuple[dict[str, Any], scripted.Script]:
        with scripted.use_scripted_model(otherwise_offline=True) as script:
            asked = {"query": "liability cap lease"}
            script.push(tool_use=("search_knowledge", asked), when=lambda r: is_chat(r) and "liability" in r.text)
            script.push(text="It is two million [1]. It is paid twice.", when=lambda r: is_chat(r) and "[1]" in r.text)
            script.push(text=NOT_FOUND, when=is_chat)
            for verdict in verdicts:
                script.push(tool_use=("record_verdicts", verdict), when=lambda r: "record_verdicts" in r.tools)
            return evaluate(questions), script

    said = [{"n": 1, "borne_out": True}, {"n": 2, "borne_out": False}]
    with pytest.raises(CommandError, match="cap has no figures: The judge gave no verdict on every statement"):
        run(*[{"statements": said[:1], "relevance": 4}, {"statements": said, "relevance": 9}] * 2)
    with service.open():
        assert not AnswerRun.objects.exists()
    listed = {"n": [1], "borne_out": True}
    no_verdicts = [{"statements": rows, "relevance": 4} for rows in ([listed, said[1]], said[1:])]
    first, script = run(*no_verdicts, {"statements": said, "relevance": 3})
    prompt, again, last = (r.text for r in script.requests if "record_verdicts" in r.tools)
    assert (prompt == again, last.replace(prompt, "").strip()[:17]) == (True, "Give the verdicts")
    assert '<p n="2">It is paid twice.</p>' in prompt
    assert "two million euros" in prompt
    assert "nine million" not in prompt
    assert (first["figures"]["faithfulness"], first["figures"]["relevancy"]) == (0.5, 0.75)
    assert (first["figures"]["citation_precision"], first["figures"]["not_found"]) == (1.0, 1.0)
    assert first["judge"] == f"{settings.MODEL_TIERS['deep']}, prompt {get_prompt_version()}"
    with service.open():
        kept = AnswerRun.objects.get()
        assert kept.verdicts == {"cap": {"borne_out": [True, False], "relevance": 0.75}}
        AnswerRun.objects.update(judge="another prompt")
    assert first["judge"] not in viewer.client.get(viewer.base + "evaluation/answers/").content.decode()
    again, _ = run({"statements": said, "relevance": 0})
    assert again["before"] is None, "verdicts of another prompt are no measure"
    assert f"judged by {again['judge']}" in viewer.client.get(viewer.base + "evaluation/answers/").content.decode()


@pytest.mark.parametrize(
    ("change", "low"),
    [
        ({"text": NOT_FOUND, "support": ()}, ["answered"]),
        ({"support": ((1, Support.UNSUPPORTED),)}, ["citation_precision", "faithfulness"]),
        ({"given": ((1, [0]), (2, []))}, ["context_precision"]),
        ({"places": 2}, ["context_recall", "citation_recall"]),
        ({"text": "It is two million [citation:1]. It is also three."}, ["faithfulness"]),
    ],
)
def test_each_figure_falls_by_what_it_measures(change: dict[str, Any], low: list[str]) -> None:
    right = JudgedAnswer("It is two million [citation:1].", 1, ((1, [0]),), ((1, Support.SUPPORTED),), 1.0)
    assert set(score_answer(right).values()) == {1.0}
    found = score_answer(JudgedAnswer(**{**vars(right), **change}))
    assert sorted(name for name, value in found.items() if value < 1) == sorted(low) or "answered" in low
    assert [name for name in low if found[name] >= 1] == []
    for text in ("It is so.", ""):
        assert score_answer(JudgedAnswer(text, 0, (), (), 0.5)) == {"not_found": 0.0}


def test_two_points_are_found_and_noise_is_not() -> None:
    """Of 250 questions; noise: one in thirty comes out otherwise, either way."""
    chance = np.random.default_rng(1)
    told = {"planted": 0, "noise": 0}
    for trial in range(50):
        before = (chance.random(250) < 0.8).astype(float)
        planted, noisy = before.copy(), before.copy()
        planted[chance.choice(np.flatnonzero(before), 5, replace=False)] = 0.0
        for value in (0.0, 1.0):
            noisy[chance.choice(np.flatnonzero(before == value), 4, replace=False)] = 1 - value
        for name, now in (("planted", planted), ("noise", noisy)):
            told[name] += bool(find_drops(_run(before), _run(now), seed=trial))
    assert told["planted"] >= 48
    assert told["noise"] == 0
    assert find_drops(_run(np.ones(250)), _run(np.zeros(250))) == [FigureDrop("answered", 1.0, 0.0)]
    assert find_drops(_run(np.zeros(250)), _run(np.ones(250))) == []
    assert find_drops(_run(np.ones(250)), _run(np.full(250, 0.999))) == []
    assert find_drops(_run(np.ones(250)), _run(np.full(250, 0.989)))


def _run(values: "np.ndarray[Any, Any]") -> dict[str, dict[str, float]]:
    return {str(n): {"answered": float(value)} for n, value in enumerate(values)}
