"""The same again costs no call of a model and no embedding, within a workspace and under one policy."""

from typing import Any

import pytest
from django.db import connection

from entities.access import Scope
from entities.models import WorkspaceSettings
from entities.types import Contract
from ingestion import embed
from ingestion.inline import process_all_waiting
from ingestion.models import ContextRow
from llm.models import ModelCall
from tests.conftest import Person
from tests.ingestion.helpers import ready, texts


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Texts that were embedded."""
    real = embed.get_embedder()
    seen: list[str] = []

    class Counting:
        model_id, dim, max_tokens = real.model_id, real.dim, real.max_tokens
        count_tokens, embed_query = real.count_tokens, real.embed_query

        def embed_documents(self, given_: list[str]) -> Any:
            seen.extend(given_)
            return real.embed_documents(given_)

    monkeypatch.setitem(embed._made, real.model_id, Counting())
    return seen


def classified(service: Scope) -> int:
    with service.open():
        return ModelCall.objects.filter(feature="classify").count()


def test_the_same_bytes_again_cost_no_call_and_no_embedding(
    alice: Person, viewer: Person, contract: Contract, restricted: Contract, service: Scope, embedded: list[str]
) -> None:
    process_all_waiting(alice.scope.workspace)
    embedded.clear()
    first = ready(alice, contract)
    calls, made = classified(service), len(embedded)
    assert calls == 1
    assert made > 0
    again = ready(alice, contract, "copy.md")
    elsewhere = ready(alice, restricted, "third.md")
    assert classified(service) == calls
    assert len(embedded) == made
    assert texts(viewer, again) == texts(viewer, first)
    assert texts(alice, elsewhere) == texts(alice, first)
    with service.open(), connection.cursor() as cursor:
        rows = {
            f: ContextRow.objects.filter(file=f).values_list("text", "data_classification")
            for f in (first, again, elsewhere)
        }
        assert set(rows[first]) == set(rows[again]) == set(rows[elsewhere])
        cursor.execute("SELECT count(*) FROM ingestion_vector v JOIN ingestion_file f ON f.number = v.file")
        assert cursor.fetchone()[0] == 3 * len(rows[first])


def test_another_policy_asks_again(alice: Person, contract: Contract, service: Scope) -> None:
    ready(alice, contract)
    with service.open():
        WorkspaceSettings.objects.update(policy_epoch=2)
    ready(alice, contract, "copy.md")
    assert classified(service) == 2


def test_another_workspace_does_not_profit(alice: Person, outsider: Person, contract: Contract, service: Scope) -> None:
    from entities.actions import create_entity

    ready(alice, contract)
    with outsider.scope.open():
        theirs = create_entity(scope=outsider.scope, model=Contract, fields={"name": "Theirs", "counterparty": "X"})
    ready(outsider, theirs)
    with Scope.for_service(outsider.scope.workspace).open():
        assert ModelCall.objects.filter(feature="classify").count() == 1


def test_an_edited_paragraph_costs_three_passages_at_most(
    alice: Person, contract: Contract, service: Scope, embedded: list[str]
) -> None:
    """Through the whole pipeline: a document of forty sections, unchanged, then with one sentence changed."""
    sections = [
        f"## Section {n}\n\nThe crew of berth {n} measured the wall at {n + 3} places and found no crack. "
        f"They wrote the figures into book {n} and told the harbour master, who had asked for them in spring. "
        f"Next year the same places are measured again, with the gauge that hangs in shed {n + 40}.\n"
        for n in range(40)
    ]
    file = ready(alice, contract, "wall.md", "\n".join(sections).encode())
    whole, calls = len(embedded), classified(service)
    assert whole >= 20
    with service.open():
        rows = set(ContextRow.objects.filter(file=file).values_list("pk", flat=True))
    embedded.clear()
    assert ready(alice, contract, "wall.md", "\n".join(sections).encode()) == file
    assert (embedded, classified(service)) == ([], calls)
    with service.open():
        assert set(ContextRow.objects.filter(file=file).values_list("pk", flat=True)) == rows
    edited = "\n".join(sections).replace("book 17", "the long book of the seventeenth berth")
    assert ready(alice, contract, "wall.md", edited.encode()) == file
    assert len([text for text in embedded if "seventeenth" in text]) >= 1
    assert len(embedded) <= 3, [text[:60] for text in embedded]
    with service.open():
        now = set(ContextRow.objects.filter(file=file).values_list("pk", flat=True))
        assert len(rows - now) <= 3, "the others were not touched"
