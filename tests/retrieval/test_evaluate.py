"""`manage.py evaluate` on a tiny set: what it reports, keeps, compares and refuses."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from entities.access import Scope
from entities.models import AuditEntry, Classification, Role, Workspace
from entities.models.classification import FINANCIAL, PII, SECRET
from ingestion.models import File
from retrieval.evaluation import baseline
from retrieval.evaluation.baseline import index_passages
from retrieval.evaluation.comparison import TITLES, ComparisonFigures, compute_set_means, fuse_ranks
from retrieval.evaluation.documents import build_slug
from retrieval.models import EvaluationOutcome, EvaluationQuestion, EvaluationRun
from tests.conftest import ALL
from text.terms import extract_terms

CAP = {
    "id": "cap",
    "question": "What is the liability cap?",
    "places": [{"file": "lease.pdf", "page": 1}],
    "labels": [],
}
RENT = {"id": "rent", "question": "When is rent due?", "places": [{"file": "lease.pdf", "page": 4}], "labels": ["PII"]}
NOTICE = {
    "id": "notice",
    "question": "How much notice?",
    "places": [{"file": "lease.pdf", "quote": "ninety days of notice"}],
}
NOTHING = {"id": "none", "question": "zyzzyva qwertz xqzvk brrtlm", "answerable": False, "labels": []}


def write(path, *lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def evaluate(path, **options):
    out, err = StringIO(), StringIO()
    call_command("evaluate", str(path), stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


def in_acme(path, person, **options):
    out, _ = evaluate(path, workspace="acme", reader=person.user.username, json=True, **options)
    return json.loads(out)


@pytest.fixture
def given(tmp_path):
    return write(tmp_path / "lease.jsonl", CAP, RENT, NOTICE, NOTHING)


def test_a_run_is_reported_and_kept(given, lease, alice, service, monkeypatch):
    found = in_acme(given, alice)
    assert found["questions"] == 3
    assert found["figures"]["fused"]["ndcg_10"] == 1.0
    assert set(found["figures"]) == {"vector", "lexical", "fused", "reranked", "shown"}
    assert found["figures"]["shown"]["recall_20"] is None
    assert found["unanswerable"]["nothing"] == 1.0
    assert (found["reader"], found["compared_with"], found["drops"]) == ("alice", None, [])
    assert found["settings"]["candidates"] == 100
    compared = found["comparison"]
    assert list(compared) == ["bm25", "vector", "lexical", "plain", "fused", "shown"]
    assert compared["shown"] == {"hit_1": 1.0, "hit_5": 1.0, "hit_10": 1.0, "ndcg_10": 1.0}
    with service.open():
        run = EvaluationRun.objects.get()
        assert (run.questions, run.lost, run.dropped) == (3, 0, False)
        assert run.model_id
        cap = EvaluationOutcome.objects.get(run=run, question__key="cap")
        assert cap.scores["fused"] == [1, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0]
        assert cap.scores["shown"] == [1, 1.0, 1.0, 1.0, 1.0, None, None]
        assert cap.files == [lease[0].pk]
        none = EvaluationOutcome.objects.get(run=run, question__key="none")
        assert (none.scores, none.files) == ({"nearest": None, "lost": False}, [])
        places = {one.key: one.places for one in EvaluationQuestion.objects.all()}
    file, rows = lease
    assert places["cap"] == [{"file": str(file.pk), "page": 1}]
    assert places["notice"] == [{"file": str(file.pk), "rows": [str(rows[2])]}], "ids, and no words of the document"
    assert places["none"] == []
    whole = index_passages(alice.scope, ["What is the liability cap?", "When is rent due?"])
    monkeypatch.setattr(baseline, "CHUNK_ROWS", 1)
    assert index_passages(alice.scope, ["What is the liability cap?", "When is rent due?"]) == whole
    assert len(whole.lengths) >= len(rows)
    assert set(whole.postings) <= set(extract_terms("liability cap rent due")), "no words that nobody asks for"


def test_a_run_is_on_record(given, lease, alice, viewer, service):
    """Its searches have no rows of their own: one row says who was asked for, and how much."""
    found = in_acme(given, alice)
    with service.open():
        (row,) = AuditEntry.objects.filter(action__startswith="evaluation.")
        told = {"set": "lease", "reader": "alice", "principal": alice.user.pk, "model": found["model"], "questions": 4}
        assert (row.action, row.detail, row.actor) == ("evaluation.run", told, 0)
    entries = alice.api.get("/api/audit/", {"action": "evaluation.run"}).json()["results"]
    assert [entry["detail"]["reader"] for entry in entries] == ["alice"]
    assert viewer.api.get("/api/audit/").status_code == 403


def test_questions_carry_their_labels(given, lease, alice, hr, viewer, opened):
    """Public as declared, PII as declared, and all that its asker holds where nobody said."""
    in_acme(given, alice)
    seen = {}
    for who in (alice, hr, viewer):
        with opened(who):
            seen[who.user.username] = set(EvaluationQuestion.objects.values_list("key", flat=True))
    assert seen == {
        "alice": {"cap", "rent", "notice", "none"},
        "hr": {"cap", "rent", "none"},
        "viewer": {"cap", "none"},
    }


def test_a_question_never_loses_a_label(given, lease, alice, service, tmp_path):
    in_acme(given, alice)
    in_acme(write(tmp_path / "lease.jsonl", CAP, {**RENT, "labels": []}), alice)
    with service.open():
        assert dict(EvaluationQuestion.objects.values_list("key", "data_classification")) == {"cap": 0, "rent": PII}


def test_what_its_reader_may_not_see_is_not_found(index, contract, alice, viewer, tmp_path):
    """A set about hidden text measures what this reader gets: nothing, and not which file it would be."""
    file = index.file(contract, "pay.pdf")
    index.row(contract, "The salary is 90,000.", file=file, page=2, label=FINANCIAL)
    hidden = index.file(contract, "secret.pdf", name_label=SECRET)
    index.row(contract, "The merger is called Kestrel.", file=hidden, page=1, label=SECRET)
    path = write(
        tmp_path / "pay.jsonl",
        {"id": "1", "question": "What is the salary?", "places": [{"file": "pay.pdf", "page": 2}], "labels": []},
        {
            "id": "2",
            "question": "What is the merger called?",
            "places": [{"file": "secret.pdf", "page": 1}],
            "labels": [],
        },
    )
    assert in_acme(path, alice)["figures"]["fused"]["recall_10"] == 1
    assert in_acme(path, viewer)["figures"]["fused"]["recall_10"] == 0


def test_a_file_of_a_record_that_is_not_seen_is_not_there(index, contract, restricted, alice, viewer, tmp_path):
    file = index.file(restricted, "deal.pdf")
    index.row(restricted, "The merger is called Kestrel.", file=file, page=1)
    index.row(contract, "The quay is old.")
    question = {"question": "What is the merger called?", "places": [{"file": "deal.pdf"}], "labels": []}
    path = write(tmp_path / "deal.jsonl", {"id": "1", **question})
    assert in_acme(path, alice)["files_not_there"] == 0
    assert in_acme(path, viewer)["files_not_there"] == 1


def test_a_drop_ends_with_a_status_of_its_own_until_it_is_accepted(given, lease, alice, index, contract, service):
    first = in_acme(given, alice)
    file, rows = lease
    with service.open():
        File.objects.filter(pk=file.pk).update(name="moved.pdf")
    for turn in range(2):  # a dropped run is not what the next is compared with
        with pytest.raises(CommandError) as raised:
            in_acme(given, alice)
        assert raised.value.returncode == 2, turn
    assert in_acme(given, alice, threshold=1.0)["compared_with"] == first["run"]
    accepted = in_acme(given, alice, accept=True, threshold=0.02)
    assert in_acme(given, alice)["compared_with"] == accepted["run"]


def test_other_questions_and_other_readers_are_not_compared(given, lease, alice, viewer, tmp_path):
    in_acme(given, alice)
    assert in_acme(given, viewer)["compared_with"] is None
    assert in_acme(given, alice, sample=2)["compared_with"] is None
    assert in_acme(write(tmp_path / "lease.jsonl", CAP), alice)["compared_with"] is None


def test_settings_that_changed_are_told(given, lease, alice, monkeypatch):
    in_acme(given, alice)
    out, _ = evaluate(given, workspace="acme", reader="alice")
    assert "fused" in out
    assert "weights" not in out
    import retrieval.evaluation.store as store

    before = store.read_current_settings
    monkeypatch.setattr(store, "read_current_settings", lambda: {**before(), "candidates": 10})
    out, _ = evaluate(given, workspace="acme", reader="alice")
    assert "candidates: 100 then, 10 now" in out
    assert in_acme(given, alice, same_settings=True)["settings"]["candidates"] == 10


def test_who_asks_has_to_be_told(subtests, given, alice, outsider):
    for options, says in [
        ({}, "--workspace and --as"),
        ({"workspace": "acme"}, "--workspace and --as"),
        ({"workspace": "acme", "reader": "nobody"}, "no user"),
        ({"workspace": "acme", "reader": "outsider"}, "in no workspace"),
        ({"workspace": "nowhere", "reader": "alice"}, "in no workspace"),
    ]:
        with subtests.test(options=options), pytest.raises(CommandError, match=says):
            evaluate(given, **options)


@pytest.mark.parametrize(
    ("line", "says"),
    [({**CAP, "labels": ["Piety"]}, "no classification 'Piety'"), (NOTHING, "set has no question with an answer")],
)
def test_what_cannot_be_measured_is_refused(line, says, lease, alice, tmp_path, service):
    with pytest.raises(CommandError, match=says):
        in_acme(write(tmp_path / "set.jsonl", line), alice)
    with service.open():
        assert not EvaluationRun.objects.exists()


def test_a_set_with_documents_has_a_workspace_of_its_own(alice, viewer, tmp_path):
    """Its documents are read once, by the pipeline; a changed one is read again; its administrator sees the runs."""
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "lease.txt").write_text("The liability cap is two million euros for each claim.\n")
    (tmp_path / "documents" / "other.txt").write_text("Ships berth at the quay every Monday before noon.\n")
    write(tmp_path / "questions.jsonl", {**CAP, "places": [{"file": "lease.txt"}]})
    out, err = evaluate(tmp_path, json=True, admin=["alice"])
    assert "2 documents, 2 of them new" in err
    assert json.loads(out)["figures"]["fused"]["recall_5"] == 1.0
    assert json.loads(out)["reader"] == "role Evaluation"
    _, err = evaluate(tmp_path, json=True)
    assert "2 documents, 0 of them new" in err
    (tmp_path / "documents" / "other.txt").write_text("Ships berth at the quay every Friday.\n")
    _, err = evaluate(tmp_path, load_only=True)
    assert "2 documents, 1 of them new" in err
    slug = build_slug(tmp_path.name)
    with Scope.for_service(Workspace.objects.get(slug=slug).pk).open():
        role = Role.objects.get(name="Evaluation")
        rows = AuditEntry.objects.filter(action__startswith="role.", object_id=str(role.pk)).order_by("pk")
        assert [row.detail["labels"] for row in rows] == [[], ALL], "once: the later runs grant nothing"
        (joined,) = AuditEntry.objects.filter(action="membership.added")
        assert role.pk in joined.detail["roles"]
        Classification.objects.create(workspace_id=role.workspace_id, value=7, label="Own", components=[7])
    evaluate(tmp_path, load_only=True)
    with Scope.for_service(role.workspace_id).open():
        assert rows.last().detail["labels"] == [*ALL, 7], "and what has been added since"
    assert alice.client.get(f"/w/{slug}/search/?q=cap").status_code == 200
    assert viewer.client.get(f"/w/{slug}/search/?q=cap").status_code == 404


def test_a_set_is_printed_in_the_documented_form(given, db):
    out, _ = evaluate(given, convert=True)
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["cap", "rent", "notice", "none"]


def test_weights_are_chosen_on_one_half_and_reported_on_the_other(lease, alice, tmp_path):
    """Twenty questions are enough for both halves; the same passages are fused again by every pair."""
    lines = [{**CAP, "id": f"cap {n}"} for n in range(10)] + [{**RENT, "id": f"rent {n}"} for n in range(10)]
    given = write(tmp_path / "many.jsonl", *lines, NOTHING)
    found = in_acme(given, alice, weigh=True, answerable=True)
    (report,) = found["sets"]
    assert report["questions"] == 20
    assert report["unanswerable"] == {}
    weights = found["weights"]
    halves = [weights["chosen_on"][0]["questions"], weights["reported_on"][0]["questions"]]
    assert sum(halves) == 20
    assert all(halves)
    assert weights["reported_on"][0]["fused"] == 1.0
    assert weights["as_set"][0]["fused"] == pytest.approx(report["figures"]["fused"]["ndcg_10"], abs=1e-4)
    out, _ = evaluate(given, workspace="acme", reader="alice", weigh=True)
    assert "serve the choosing halves best" in out
    with pytest.raises(CommandError, match="both halves"):
        in_acme(write(tmp_path / "one.jsonl", CAP), alice, weigh=True)


def test_plain_rank_fusion_by_hand():
    """1/61 + 1/62 twice, which the row's number decides; then 1/63."""
    assert fuse_ranks([7, 3], [3, 7, 9]) == [3, 7, 9]


def test_each_set_counts_once_in_the_means():
    high, low = ComparisonFigures({1: 1.0, 5: 1.0, 10: 1.0}, 0.9), ComparisonFigures({1: 0.0, 5: 0.5, 10: 1.0}, 0.3)
    found = compute_set_means([dict.fromkeys(TITLES, high), dict.fromkeys(TITLES, low)])
    assert found["shown"].hits == {1: 0.5, 5: 0.75, 10: 1.0}
    assert found["shown"].ndcg_10 == pytest.approx(0.6)
