"""What people have attached to their conversations about the workspace: found there by them, and by no other path."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from entities.models import Entity
from entities.models.entity import ATTACHED
from entities.text import compute_digest
from ingestion.models import Blob, ContextRow, File, FileRevision, Kind, Paragraph, RowParagraph
from tests.oracle.monitor import Person, World
from tests.oracle.worlds import Planted

FIRST = 9_000
"""Of the words of attachments, by which a page that shows one is found like one that shows a text."""


def attached_words(world: World, person: Person) -> str:
    return f"word{FIRST + [one.name for one in world.people].index(person.name)} liability"


def plant_attachments(planted: Planted, sessions: Mapping[str, UUID]) -> list[ContextRow]:
    """sessions: conversations by person. One public passage for each; its row, which has no vector yet."""
    at: Any = {"workspace_id": planted.workspace.pk}
    rows = []
    with planted.service.open():
        for person in planted.world.people:
            words, user = attached_words(planted.world, person), planted.users[person.name].pk
            record = Entity(
                **at, name="Attachments", visibility=ATTACHED, attached_to=sessions[person.name], created_by=user
            )
            record.save(force_insert=True)
            blob = Blob.objects.create(
                **at, sha256=compute_digest(words), size=len(words), media_type="text/plain", path=f"none/{words}"
            )
            file = File.objects.create(
                **at, entity_id=record.pk, collection="documents", name=f"{words}.txt", state="ready", created_by=user
            )
            revision = FileRevision.objects.create(
                **at, file=file, blob=blob, number=1, witness="x", created_by=user, remainder_label=0
            )
            File.objects.filter(pk=file.pk).update(revision=revision)
            shared = {**at, "text": words, "digest": compute_digest(words), "data_classification": 0, "position": 0}
            paragraph = Paragraph.objects.create(**shared, file=file, revision=revision)
            row = ContextRow.objects.create(**shared, entity_id=record.pk, file=file, kind=Kind.FILE_CHUNK)
            RowParagraph.objects.create(**at, row=row, paragraph=paragraph, data_classification=0)
            rows.append(row)
    return rows
