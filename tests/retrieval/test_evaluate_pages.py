"""The pages of evaluation: for administrators, and for them too only what they may read."""

import json
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import call_command

from entities.actions import create_entity
from entities.models.classification import FINANCIAL
from entities.types import Contract
from retrieval.evaluation.metrics import NAMES
from retrieval.evaluation.plots import build_plot, choose_axis, compute_points
from retrieval.evaluation.rankings import RANKINGS
from retrieval.models import EvaluationQuestion, EvaluationRun
from tests.conftest import person

CAP = {
    "id": "cap",
    "question": "What is the liability cap?",
    "places": [{"file": "lease.pdf", "page": 1}],
    "labels": [],
}
PAY = {
    "id": "pay",
    "question": "What does Kestrel earn?",
    "places": [{"file": "pay.pdf", "quote": "Kestrel earns ninety thousand"}],
    "labels": ["Financial"],
}


@pytest.fixture
def clerk(workspace):
    """Administers the workspace and is cleared for nothing but Public."""
    return person(workspace, "clerk", [], ("Admin",))


@pytest.fixture
def ran(index, lease, contract, alice, tmp_path):
    """Two runs of two questions, one of them about text that needs a clearance, in a file that needs none."""
    file = index.file(contract, "pay.pdf")
    index.row(contract, "What is paid is told here.", file=file, position=0, page=1)
    index.row(contract, "Kestrel earns ninety thousand a year.", file=file, position=1, page=1, label=FINANCIAL)
    path = tmp_path / "set.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in (CAP, PAY)))
    for _ in range(2):
        call_command("evaluate", str(path), workspace="acme", reader="alice", stdout=StringIO(), stderr=StringIO())
    return file


@pytest.fixture
def settlement(index, alice):
    """A file of a record that alice alone may see."""
    with alice.scope.open():
        private = create_entity(
            scope=alice.scope,
            model=Contract,
            fields={"name": "Settlement", "counterparty": "X"},
            visibility="restricted",
        )
    file = index.file(private, "settlement.pdf")
    index.row(private, "The settlement is two million.", file=file, page=3)
    return file


def question(service, key):
    with service.open():
        return EvaluationQuestion.objects.get(key=key).pk


def get(who, path, **params):
    return who.client.get(f"{who.base}evaluation/{path}", params)


def test_runs_are_plotted_and_listed(ran, alice):
    page = get(alice, "")
    assert page.status_code == 200
    text = page.content.decode()
    assert text.count('<h2 id="set-') == 1, "two runs of one set"
    assert text.count('<path class="cl-plot-line"') == 8, "four lines and their keys"
    assert 'aria-label="nDCG@10 over 2 runs; newest: by meaning 1.000' in text
    assert "style=" not in text


def test_one_run_and_its_questions(ran, alice, clerk, service):
    with service.open():
        run, first = EvaluationRun.objects.order_by("-created_at")
    text = get(alice, f"runs/{run.pk}/").content.decode()
    assert "What does Kestrel earn?" in text
    assert "What is the liability cap?" in text
    assert str(first.pk) in text, "what it is compared with"
    hidden = get(clerk, f"runs/{run.pk}/").content.decode()
    assert "What is the liability cap?" in hidden
    assert "Kestrel" not in hidden


def test_the_bench_shows_passages_beside_their_page(ran, alice, service, lease):
    page = get(alice, "bench/", question=question(service, "cap"))
    text = page.content.decode()
    found = page.context["bench"]
    assert (found.lines[0].vector, found.lines[0].lexical, found.lines[0].fused) == (1, 1, 1)
    assert found.lines[0].answers
    assert not found.lines[1].answers
    assert [(place.name, place.first, place.fused) for place in found.expected] == [("lease.pdf", 1, 1)]
    assert found.page.number == 1
    assert "liability" in text
    other = found.lines[1].result
    page = get(alice, "bench/", q="What is the liability cap?", row=other.id)
    assert page.context["bench"].page.number == other.page
    assert page.context["bench"].chosen.result.id == other.id


def test_the_bench_shows_what_its_caller_may_see(ran, alice, clerk, service):
    """The same page of the same file: the passage for one, a band that names the clearance for the other."""
    asked = {"q": "Kestrel earns ninety thousand. What is paid?"}
    seen = get(alice, "bench/", **asked)
    assert "ninety thousand a year" in seen.content.decode()
    row = next(line.result.id for line in seen.context["bench"].lines if line.result.label == FINANCIAL)
    for extra in ({}, {"row": row}):
        page = get(clerk, "bench/", **asked, **extra)
        assert "a year" not in page.content.decode()
        assert row not in [line.result.id for line in page.context["bench"].lines]
    told = next(line.result for line in page.context["bench"].lines if line.result.file.name == "pay.pdf")
    beside = get(clerk, "bench/", **asked, row=told.id).content.decode()
    assert "What is paid is told here." in beside
    assert "Financial" in beside
    assert get(clerk, "bench/", question=question(service, "pay")).status_code == 404
    assert get(alice, "bench/", question=question(service, "pay")).status_code == 200


def test_a_place_in_a_record_that_is_not_shown_is_left_out(ran, settlement, alice, service, clerk, tmp_path):
    path = tmp_path / "other.jsonl"
    place = {"file": "settlement.pdf", "page": 3}
    path.write_text(json.dumps({"id": "s", "question": "What is the settlement?", "places": [place], "labels": []}))
    call_command("evaluate", str(path), workspace="acme", reader="alice", stdout=StringIO(), stderr=StringIO())
    asked = question(service, "s")
    assert [place.name for place in get(alice, "bench/", question=asked).context["bench"].expected] == [
        "settlement.pdf"
    ]
    page = get(clerk, "bench/", question=asked)
    assert page.context["bench"].expected == []
    assert "settlement.pdf" not in page.content.decode()
    with service.open():
        run = EvaluationRun.objects.get(set_name="other")
    listed = "What is the settlement?"
    assert listed in get(alice, f"runs/{run.pk}/").content.decode()
    assert listed not in get(clerk, f"runs/{run.pk}/").content.decode(), "its ranks would tell that something answers"


FAILS = {"id": "s", "question": "Who paid?", "places": [{"file": "settlement.pdf", "page": 9}], "labels": []}
BONUS = {"id": "b", "question": "What is the liability of Jane?", "answerable": False, "labels": ["Financial"]}
NOTHING = {"id": "n", "question": "zyzzyva qwertz xqzvk brrtlm", "answerable": False, "labels": []}
WITHIN = {**NOTHING, "id": "w", "question": "A million?", "within": {"files": ["settlement.pdf"]}}


def told(who, run=None):
    """What the pages tell of sets, without their names and times."""
    (of,) = get(who, "").context["histories"]
    page = get(who, f"runs/{run.pk}/") if run else None
    return (
        of.rows,
        of.questions,
        of.silence,
        [(line.figures, line.fell) for line in of.runs],
        of.plot,
        page and (page.context["rows"], page.context["seen"].questions, page.context["seen"].lost),
    )


def test_figures_are_over_what_their_reader_may_see(lease, settlement, alice, clerk, service, tmp_path):
    """With questions that are hidden from them an administrator is told what they are told without these."""

    def asked(*questions):
        path = tmp_path / "set.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in questions))
        for _ in range(2):
            call_command("evaluate", str(path), workspace="acme", reader="alice", stdout=StringIO(), stderr=StringIO())
        with service.open():
            return EvaluationRun.objects.order_by("-created_at").first()

    def unanswered(who, run):
        """Of its page: id and nearest find of each question without an answer."""
        return [(line.id, line.nearest) for line in get(who, f"runs/{run.pk}/").context["unanswered"]]

    whole = asked(CAP, FAILS, NOTHING, BONUS, WITHIN)
    b, n, w = (question(service, key) for key in "bnw")
    *near, last = unanswered(alice, whole)
    assert ({pk for pk, _ in near}, last) == ({b, w}, (n, None)), "what found nothing comes last"
    assert near[0][1] > near[1][1] > 0
    assert unanswered(clerk, whole) == [(n, None)]
    assert whole.figures["fused"]["ndcg_10"] == 0.5
    with_hidden = told(clerk, whole)
    rows, questions, silence, *_ = with_hidden
    assert (dict(rows)["fused"][0], questions, silence.questions) == (1.0, 1, 1)
    rows, questions, silence, *_ = told(alice, whole)
    assert (dict(rows)["fused"][0], questions, silence.questions) == (0.5, 2, 3)
    for (_, values), ranking in zip(rows, RANKINGS, strict=True):
        assert values == pytest.approx([whole.figures[ranking][name] for name in NAMES], abs=1e-4)
    with service.open():
        EvaluationRun.objects.all()._raw_delete("default")
    assert told(clerk, asked(CAP, NOTHING)) == with_hidden


def test_a_run_of_hidden_questions_alone_is_not_there(lease, settlement, alice, clerk, viewer, service, tmp_path):
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps(FAILS))
    call_command("evaluate", str(path), workspace="acme", reader="alice", stdout=StringIO(), stderr=StringIO())
    with service.open():
        run = EvaluationRun.objects.get()
    assert get(alice, f"runs/{run.pk}/").status_code == 200
    hidden, absent = get(clerk, f"runs/{run.pk}/"), get(clerk, f"runs/{uuid4()}/")
    assert hidden.status_code == absent.status_code == 404
    assert get(clerk, "").context["histories"] == []
    # That another reader saw no such file does not show it to them.
    call_command("evaluate", str(path), workspace="acme", reader="viewer", stdout=StringIO(), stderr=StringIO())
    assert get(clerk, f"runs/{run.pk}/").status_code == 404


def test_the_page_of_a_place_that_nothing_is_read_of_is_not_told(ran, alice, service, index, contract, clerk, tmp_path):
    index.row(contract, "Kestrel has a bonus.", file=ran, position=2, page=7, label=FINANCIAL)
    path = tmp_path / "other.jsonl"
    place = {"file": "pay.pdf", "page": 7}
    path.write_text(json.dumps({"id": "b", "question": "Is there a bonus?", "places": [place], "labels": []}))
    call_command("evaluate", str(path), workspace="acme", reader="alice", stdout=StringIO(), stderr=StringIO())
    asked = question(service, "b")
    told = [
        [(place.name, place.first) for place in get(who, "bench/", question=asked).context["bench"].expected]
        for who in (alice, clerk)
    ]
    assert told == [[("pay.pdf", 7)], [("pay.pdf", None)]]


def test_for_administrators_only(ran, alice, staff, steward, outsider, client, clerk, service):
    with service.open():
        run = EvaluationRun.objects.first()
    for path in ("", "bench/?q=cap", f"runs/{run.pk}/"):
        address = f"/w/acme/evaluation/{path}"
        assert clerk.client.get(address).status_code == 200
        for who in (staff, steward):
            assert who.client.get(address).status_code == 403
        assert outsider.client.get(address).status_code == 404
        assert client.get(address).status_code == 302


def test_nothing_of_another_workspace(ran, outsider, service):
    with service.open():
        run = EvaluationRun.objects.first()
    for path in ("runs/{}/", "bench/?question={}"):
        own = run.pk if path.startswith("runs") else question(service, "cap")
        foreign = outsider.client.get(f"/w/other/evaluation/{path.format(own)}")
        absent = outsider.client.get(f"/w/other/evaluation/{path.format(uuid4())}")
        assert foreign.status_code == absent.status_code == 404
    assert outsider.client.get("/w/other/evaluation/").context["histories"] == []


def test_the_menu_leads_there_who_administers(ran, alice, staff):
    assert "/w/acme/evaluation/" in alice.client.get("/w/acme/search/").content.decode()
    assert "/w/acme/evaluation/" not in staff.client.get("/w/acme/search/").content.decode()


def test_the_bench_answers_whatever_is_asked(alice):
    for asked in ("", " ", "zyzzyva qwertz", '"', "\x00", "a" * 3000):
        assert get(alice, "bench/", q=asked, row="no uuid").status_code == 200
    assert get(alice, "bench/", question="no uuid").status_code == 404


# Plots


def test_the_axis_holds_all_values_and_no_less_than_a_tenth():
    assert choose_axis(0.62, 0.83) == (0.6, 0.85)
    low, high = choose_axis(0.8, 0.8)
    assert high - low >= 0.1 - 1e-9
    assert low <= 0.8 <= high
    assert choose_axis(1, 1) == (0.9, 1.0)
    assert choose_axis(0, 0) == (0.0, 0.1)


def test_points_run_from_edge_to_edge():
    assert compute_points([0.6, 0.8, 0.7], 0.6, 0.8) == [(0, 100), (50, 0), (100, 50)]
    assert compute_points([0.7], 0.6, 0.8) == [(50, 50)]
    drawn = build_plot({"fused": [0.6, 0.8]}, {"fused": "together"})
    assert drawn.series[0].line.startswith("M0 ")
    assert "together 0.800" in drawn.described
