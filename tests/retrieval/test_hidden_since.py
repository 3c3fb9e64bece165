"""What is hidden between finding and choosing takes no place among the results; what others asked is not known."""

from typing import Any

import pytest

from entities.access import Scope
from entities.models import Entity, Workspace
from entities.models.classification import FINANCIAL
from entities.models.entity import Visibility
from entities.types import Contract
from ingestion.embed import get_embedder
from ingestion.models import ContextRow, Paragraph
from llm import scripted
from retrieval import rerank as reranking
from retrieval.models import RankingSettings
from retrieval.query import Within, prepare_query
from retrieval.search import choose_results, find_hits
from tests.conftest import Person, person
from tests.retrieval.conftest import Index


def test_what_was_hidden_since_takes_no_place(
    contract: Contract, restricted: Contract, viewer: Person, service: Scope, index: Index
) -> None:
    with service.open():
        Entity.objects.filter(pk=restricted.pk).update(visibility=Visibility.WORKSPACE)
    for n in range(15):
        index.row(restricted, f"The liability cap of the settlement is {n} million for each claim.")
        index.row(contract, f"Clause {n} also speaks of who bears the liability for the quay and its many old berths.")
    with viewer.scope.open():
        found = find_hits(viewer.scope, "liability cap")
        before = choose_results(viewer.scope, found, limit=10)
    assert {result.entity.id for result in before} >= {restricted.pk}
    with service.open():
        Entity.objects.filter(pk=restricted.pk).update(visibility=Visibility.RESTRICTED)
    with viewer.scope.open():
        after = choose_results(viewer.scope, found, limit=10)
        anew = choose_results(viewer.scope, find_hits(viewer.scope, "liability cap"), limit=10)
    assert len(after) == 10
    assert {result.entity.id for result in after} == {contract.pk}
    assert len(anew) == 10


@pytest.mark.parametrize("hidden", [True, False])
def test_what_was_hidden_while_a_model_read_is_no_more_to_show(
    hidden: bool,
    contract: Contract,
    restricted: Contract,
    viewer: Person,
    service: Scope,
    index: Index,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with service.open():
        RankingSettings.objects.create(workspace_id=service.workspace, rerank="model")
        Entity.objects.filter(pk=restricted.pk).update(visibility=Visibility.WORKSPACE)
    for n in range(10):
        index.row(contract, f"Clause {n} speaks of the liability for the quay.")
    index.row(restricted, "The liability cap of the settlement.")
    complete = reranking.client.complete

    def reading(*args: Any, **kwargs: Any) -> Any:
        if hidden:
            with service.open():
                Entity.objects.filter(pk=restricted.pk).update(visibility=Visibility.RESTRICTED)
        return complete(*args, **kwargs)

    monkeypatch.setattr(reranking.client, "complete", reading)
    with scripted.use_scripted_model() as script:
        script.push(tool_use=("rank_passages", {"order": [2, 1]}))
        page = viewer.client.get(f"{viewer.base}search/", {"q": "liability"})
    assert len(page.context["cards"]) == 10
    assert bool(page.context["more_url"]) is not hidden
    assert ("Show more" in page.content.decode()) is not hidden


@pytest.mark.parametrize("hidden", [True, False])
def test_what_was_hidden_while_a_model_read_leaves_no_gap_on_the_bench(
    hidden: bool,
    contract: Contract,
    restricted: Contract,
    workspace: Workspace,
    service: Scope,
    index: Index,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    boss = person(workspace, "boss", [], ("Admin",))
    with service.open():
        RankingSettings.objects.create(workspace_id=service.workspace, rerank="model")
        Entity.objects.filter(pk=restricted.pk).update(visibility=Visibility.WORKSPACE)
    index.row(restricted, "The liability cap.")
    for n in range(10):
        index.row(contract, f"Clause {n} speaks of the liability for the quay.")
    complete = reranking.client.complete

    def reading(*args: Any, **kwargs: Any) -> Any:
        if hidden:
            with service.open():
                Entity.objects.filter(pk=restricted.pk).update(visibility=Visibility.RESTRICTED)
        return complete(*args, **kwargs)

    monkeypatch.setattr(reranking.client, "complete", reading)
    with scripted.use_scripted_model() as script:
        script.push(tool_use=("rank_passages", {"order": [2, 1]}))
        page = boss.client.get(f"{boss.base}evaluation/bench/", {"q": "liability cap"})
    lines = page.context["bench"].lines
    assert [sorted(getattr(line, name) for line in lines) for name in ("fused", "vector")] == [
        list(range(1, 11 if hidden else 12))
    ] * 2


def test_a_question_that_another_workspace_asked_is_no_faster(
    viewer: Person, cfo: Person, outsider: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    embedder = get_embedder()
    embed = embedder.embed_query

    def counted(text: str) -> Any:
        asked.append(text)
        return embed(text)

    monkeypatch.setattr(embedder, "embed_query", counted)
    for who in (viewer, cfo, outsider):
        prepare_query("Who sells the lighthouse of workspace Acme?", who.scope)
    assert len(asked) == 2, "once for a workspace"


@pytest.mark.parametrize("hidden", [True, False])
def test_a_heading_hidden_since_leads_nowhere(
    hidden: bool, contract: Contract, viewer: Person, service: Scope, index: Index
) -> None:
    """The passage below holds no word of the question: only its heading led to it."""
    heading, body = "Remuneration of cranemen", "Each gets forty marks on the last Friday."
    file = index.file(contract)
    row = index.row(contract, heading, file=file, position=1, vector=False)
    index.row(contract, body, file=file, position=2, vector=False)
    with service.open():
        paragraphs = Paragraph.objects.filter(file=file)
        paragraphs.filter(text=heading).update(kind="heading")
        paragraphs.filter(text=body).update(headings=[paragraphs.get(text=heading).pk])
    with viewer.scope.open():
        found = find_hits(viewer.scope, "remuneration of cranemen")
    if hidden:
        with service.open():
            paragraphs.filter(text=heading).update(data_classification=None)
            ContextRow.objects.filter(pk=row).delete()
    with viewer.scope.open():
        texts = [result.text for result in choose_results(viewer.scope, found)]
    assert texts == ([] if hidden else [body, heading])


def test_the_opening_of_a_file_is_what_its_reader_sees_of_it(contract: Contract, viewer: Person, index: Index) -> None:
    file = index.file(contract)
    for n in range(9, 4, -1):
        index.row(contract, f"A contract, number {n}.", file=file, position=n, vector=False)

    def ask(within: Within) -> list[tuple[str, float]]:
        with viewer.scope.open():
            found = choose_results(viewer.scope, find_hits(viewer.scope, "name of the contract", within=within))
        return [(result.text, result.score) for result in found]

    before = ask(Within(files=[file.pk]))
    assert [text for text, _ in before] == [f"A contract, number {n}." for n in range(5, 10)]
    assert [text for text, _ in ask(Within())] == [f"A contract, number {n}." for n in range(9, 4, -1)]
    for n in range(5):
        index.row(contract, f"A secret contract, number {n}.", file=file, position=n, label=FINANCIAL)
    assert ask(Within(files=[file.pk])) == before


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What is the name of the contract?", "CONTRACT, an agreement of 3 May 2026 on mooring"),
        ("Who signed this agreement, and on what date?", "CONTRACT, an agreement of 3 May 2026 on mooring"),
        ("What is the name of the contract bank?", "The name of the contract bank is Lund."),
    ],
)
def test_what_a_document_is_stands_in_its_opening(
    question: str, first: str, contract: Contract, viewer: Person, index: Index
) -> None:
    file = index.file(contract)
    index.row(contract, "CONTRACT, an agreement of 3 May 2026 on mooring", file=file, position=1)
    for n in range(2, 10):
        index.row(contract, f"Berth {n} is dredged.", file=file, position=n)
    index.row(contract, "The name of the contract bank is Lund.", file=file, position=40)
    index.row(contract, "Who signed an agreement on what date is noted by the bank.", file=file, position=41)
    with viewer.scope.open():
        found = choose_results(viewer.scope, find_hits(viewer.scope, question, within=Within(files=[file.pk])))
    assert found[0].text == first
