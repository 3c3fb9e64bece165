"""Text that rests against the reference monitor: its sender reads it as long, and nobody else by that."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from entities.text import compute_digest
from ingestion.models import ContextRow, Kind, Paragraph, RowParagraph
from tests.oracle.monitor import Person, Text, World
from tests.oracle.properties import in_worlds
from tests.oracle.worlds import Planted, plant, plant_files, rest_as_nobody


def with_senders(world: World) -> World:
    """Paragraphs of files alone, of which two in three rest; files are sent by everybody in turn."""
    texts = tuple(
        replace(text, audience=None, sources=frozenset(), rests=n % 3 != 2) for n, text in enumerate(world.texts)
    )
    sent = {record.name: world.people[n % len(world.people)].name for n, record in enumerate(world.records)}
    return replace(world, texts=texts, sent=sent)


def plant_passages(planted: Planted, files: Mapping[str, UUID]) -> None:
    """An index row for each labelled paragraph. Each rests as what it rested as before: none as text does now."""
    at: Any = {"workspace_id": planted.workspace.pk}
    with planted.service.open():
        rest_as_nobody()
        for name, file in files.items():
            for paragraph in Paragraph.objects.filter(file=file, data_classification__isnull=False):
                labelled: Any = {**at, "data_classification": paragraph.data_classification}
                row = ContextRow.objects.create(
                    **labelled, entity_id=planted.records[name], file_id=file, kind=Kind.FILE_CHUNK,
                    text=paragraph.text, position=paragraph.position, digest=compute_digest(paragraph.text),
                )  # fmt: skip
                RowParagraph.objects.create(**labelled, row=row, paragraph=paragraph)


@in_worlds(2)
def test_who_sent_a_file_reads_and_finds_what_rests_in_it(db: None, world: World) -> None:
    world = with_senders(world)
    planted = plant(world)
    files = plant_files(planted)
    plant_passages(planted, files)

    def reads(person: Person, text: Text) -> bool:
        return world.reads(person, text) or world.reads_sent(person, text)

    for person in world.people:
        api = planted.api(person)
        for name, pk in files.items():
            mine = world.paragraphs(name) if world.knows_file(person, name) else []
            read = [t.words for t in mine if reads(person, t)]
            answer = api.get(f"/api/files/{pk}/reader/")
            assert (answer.status_code == 200) == bool(read)
            if not read:
                continue
            blocks = answer.json()["blocks"]
            assert [b["text"] for b in blocks if b["type"] == "text"] == read
            hidden = [t for t in mine if t.words not in read and t.label is not None]
            told = {frozenset(t.label - world.held(person)) for t in hidden if world.acknowledged(person, t.label)}
            shown = {frozenset(r["value"] for r in b["requires"]) for b in blocks if b["type"] == "placeholder"}
            assert shown == told
        found = api.get("/api/search/?q=liability&limit=50").json()["results"]
        indexed = [t.words for t in world.texts if t.label is not None and reads(person, t)]
        assert sorted(r["text"] for r in found) == sorted(indexed)
        for narrowed in world.roles:
            held = replace(person, narrowed=narrowed.name)
            with replace(planted.scope(held), sent=True).open():
                seen = set(Paragraph.objects.values_list("text", flat=True))
            assert seen == {t.words for t in world.texts if t.passage and world.cleared(held, t.label)}
