"""Twins that differ in a file as it was uploaded: one has paragraphs in it that must be hidden without trace.

What `test_twins.py` plants is in the index already. Here the pipeline reads, cuts and publishes.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from random import Random
from typing import Any
from unittest.mock import patch
from urllib.parse import quote

import pytest
from django.db import transaction

from entities.access import Scope
from entities.actions import create_workspace
from entities.models import Classification
from entities.models.classification import FINANCIAL, SECRET
from entities.types import Contract
from ingestion import passages, pipeline
from ingestion.models import File, Paragraph
from ingestion.segment import Clearances
from llm import scripted
from tests.conftest import ALL, person
from tests.ingestion.helpers import labelled, ready
from tests.prove.doors import Answer, ask, difference
from tests.prove.world import NOW, World, at, named

pytestmark = [pytest.mark.prove, pytest.mark.django_db, pytest.mark.usefixtures("fresh_vectors")]

SHOWN, CONCEALED, UNLABELLED = "shown", "concealed", "unlabelled"
FILE = named("uploaded file")
GERMAN = (
    "Der Vorstand hat mit der Bank über den Preis und die Dauer der Pacht gesprochen und ist nicht zu Ende gekommen."
)
TOPICS = (
    "Preis", "Wert", "Umfang", "Ertrag", "Zins", "Plan", "Markt", "Raum", "Grund", "Kredit", "Besitz", "Gewinn",
    "Verlust", "Ausbau", "Hafen",
)  # fmt: skip
PARTS = (
    ("# Harbour", SHOWN),
    ("The quay was closed for two days because of the storm.", SHOWN),
    ("Only few know of the offer.", CONCEALED),
    ("The gate is green, and the lamp is as old as the quay.", SHOWN),
    ("The fence is not to be sold.", UNLABELLED),
    ("The fence is new.", SHOWN),
    ("## Piling", SHOWN),
    ("The sheet piling starts in November, when the permit is there.", SHOWN),
    ("## Talks with the buyer", CONCEALED),
    *((GERMAN.replace("Preis", of), CONCEALED) for of in TOPICS),
    ("The crane stands on the quay and is inspected when the storm is over.", SHOWN),
    ("### Lamps", SHOWN),
    ("The lamp is old.", SHOWN),
    ("The rent of the hall is 4,500 pounds.", "placeholder"),
    ("## Weather", SHOWN),
    ("The storm was over in the morning.", SHOWN),
    ("The fee is 900 pounds.", "placeholder"),
    ("Painted.", SHOWN),
)
"""Markdown and how it is to be known. Placeholders refuse the original in both twins. The last word does not tell its
language."""
LABELS = {CONCEALED: [SECRET], "placeholder": [FINANCIAL], SHOWN: [0]}


@pytest.fixture
def world() -> World:
    """A workspace where Secret is concealed, with a record that everybody sees."""
    with at(0):
        workspace = create_workspace(slug="acme", name="Acme")
        made = World(workspace, Scope.for_service(workspace.pk), False, Random(0), Random(0))
        made.people["viewer"] = person(workspace, "viewer", [])
        made.people["keeper"] = person(workspace, "keeper", ALL, ("Admin", "Editor", "Steward"))
        assert all(one.client.cookies for one in made.people.values())
        with made.service.open():
            Classification.objects.filter(value=SECRET).update(conceal=True)
            made.things["entity", "own0"] = Contract.objects.create(
                id=named("uploaded"), workspace=workspace, name="Quay lease", created_by=made.people["keeper"].user.pk,
                counterparty="Port", visibility="workspace",
            ).pk  # fmt: skip
    return made


def photographed(world: World, *, hidden: bool, other: dict[str, Answer] | None = None) -> dict[str, Answer]:
    """What a viewer is told of the file, by every door that tells of files or ranks and counts. Leaves nothing.

    other: what another world answers; the first answer that differs is the last one asked for.
    """
    parts = [(text, known) for text, known in PARTS if hidden or known not in (CONCEALED, UNLABELLED)]
    labels = {n: LABELS[known] for n, (_, known) in enumerate(parts) if known != UNLABELLED}
    left_out = {n for n, (_, known) in enumerate(parts) if known == UNLABELLED}
    with transaction.atomic():
        of_id = patch.object(File._meta.get_field("id"), "_get_default", lambda: FILE)
        with (
            of_id,
            patch("django.utils.timezone.now", return_value=NOW),
            scripted.use_scripted_model(otherwise_offline=True) as script,
        ):
            script.push(tool_use=labelled(len(parts), labels, left_out=left_out))
            if left_out:
                script.push(tool_use=labelled(0, {}))  # asked once more, the model leaves them out again
            with world.service.open():
                record = Contract.objects.get(pk=world.things["entity", "own0"])
            text = "\n\n".join(text for text, _ in parts)
            assert ready(world.people["keeper"], record, "plan.md", text.encode()) == str(FILE)
        photo = {}
        for address in addresses(world):
            photo[address] = ask(world, "viewer", "GET", address)
            if other and difference(other[address], photo[address]):
                break
        transaction.set_rollback(True)
    return photo


def addresses(world: World) -> Iterator[str]:
    record = world.things["entity", "own0"]
    for words in (
        "quay",
        "storm lamp",
        "inspections",
        '"the quay"',
        "piling",
        "harbour",
        "offer",
        "where is the crane",
        "painting",
    ):
        yield f"api/search/?q={quote(words)}&limit=50"
        yield f"search/?q={quote(words)}"
    yield from (f"api/search/?q=quay&limit=50&{narrowed}" for narrowed in (f"file={FILE}", "kind=file_chunk"))
    yield from (f"{door}suggest/?q={prefix}" for door in ("api/", "search/") for prefix in ("qua", "lam", "off"))
    yield from (f"api/entities/{record}/{door}" for door in ("related/", "files/", "graph/?depth=1"))
    yield from (f"api/files/{FILE}/{door}" for door in ("", "reader/", "links/", "versions/", "download/"))
    yield from (f"files/{FILE}/", f"files/{FILE}/versions/", f"entities/{record}/", f"files/{FILE}/?passage={FILE}")


def differences(without: dict[str, Answer], having: dict[str, Answer]) -> list[str]:
    found = ((address, difference(without[address], photo)) for address, photo in having.items())
    return [f"{address}: {told}" for address, told in found if told]


def languages_of_all(paragraphs: Any, clearances: Any) -> dict[int, str]:
    everything = Clearances({p.label: frozenset() for p in paragraphs if p.label is not None})
    return plain_languages(paragraphs, everything)


plain_languages = passages.guess_languages
BREAKS: dict[str, Callable[[], AbstractContextManager[object]]] = {
    "hidden text parts what stands beside it": partial(patch.object, Clearances, "may_know", lambda *given: True),
    "hidden text says in which language words are": partial(
        patch.object, pipeline, "guess_languages", languages_of_all
    ),
    "a hidden heading ends a section": partial(
        patch.object, Paragraph, "list_headings_to", lambda row, read: row.headings
    ),
}


def test_what_is_hidden_in_a_file_leaves_no_trace_when_it_is_read(world: World) -> None:
    without, having = (photographed(world, hidden=hidden) for hidden in (False, True))
    told = having[f"api/files/{FILE}/reader/"].body.decode()
    assert all((text.lstrip("# ") in told) == (known == SHOWN) for text, known in PARTS)
    assert "requires" in told
    assert sum(answer.status == 200 for answer in having.values()) > len(having) - 3
    assert without.keys() == having.keys()
    assert differences(without, having) == []
    for name, broken in BREAKS.items():
        with broken():
            assert differences(without, photographed(world, hidden=True, other=without)), name
