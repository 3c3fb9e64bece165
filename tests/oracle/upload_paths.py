"""Uploads: files that wait for a steward to look at them, and what somebody sent together."""

import re
from decimal import Decimal
from uuid import uuid4

from django.db.models import F

from entities.access import get_entity_or_404
from ingestion.batches import Batch, find_latest_batch
from ingestion.models import Blob, File, FileRevision, State
from ingestion.quarantine import list_quarantined
from tests.oracle.asked import Asked
from tests.prove.questions.refusals import undone

SENT = uuid4()
"""Everybody's batch, on every record: a sender may say of any files that they belong together."""


def lost_of(name: str) -> str:
    return f"A page of {name} was not read."


def sign_in(asked: Asked) -> None:
    """Before what will be undone, or the session would be undone with it."""
    if asked.person.narrowed is None:
        assert asked.client
        assert asked.api


def quarantine(asked: Asked) -> None:
    """Every file is withheld for what it lost. Whoever is no steward is not let in, which `requires` sees to."""
    world, person, files = asked.world, asked.person, asked.all.files
    sign_in(asked)
    with undone():
        with asked.all.planted.service.open():
            for name, pk in files.items():
                FileRevision.objects.filter(file=pk).update(losses=[["pages", lost_of(name)]])
            File.objects.update(state=State.QUARANTINED, error_code="drift", pending_revision=F("revision"))
        known = [name for name in files if world.knows_file(person, name)] if world.steward(person) else []
        expected = [(files[name], name, (lost_of(name),)) for name in known]
        if world.steward(person):
            with asked.scope.open():
                rows = list_quarantined(asked.scope)
            asked.same("what is withheld", [(row.file.id, row.record, row.losses) for row in rows], expected)
        if person.narrowed is None:
            status = [200 if world.steward(person) else 403]
            answer, page = asked.api.get("/api/quarantine/?page_size=200"), asked.page("quarantine/")
            asked.same("quarantine answers", [answer.status_code], status)
            asked.same("the page of quarantine answers", [page.status_code], status)
            listed = answer.json()["results"] if known else []
            asked.same("quarantine", [(r["file"]["id"], *r["losses"]) for r in listed],
                       [(str(pk), *losses) for pk, _, losses in expected])  # fmt: skip
            told = re.findall(r"A page of (record\d+) was not read\.", page.content.decode())
            asked.same("losses on the page", told, known)


def batches(asked: Asked) -> None:
    """Everybody has sent two files to every record, from when they could see it; one of them could not be read."""
    world, person = asked.world, asked.person
    sign_in(asked)
    with undone():
        send_to_all(asked)
        for n, record in enumerate(world.records):
            pk, sees = asked.all.planted.records[record.name], asked.sees(record)
            if sees:
                with asked.scope.open():
                    found = find_latest_batch(asked.scope, get_entity_or_404(asked.scope, pk))
                asked.same(f"files sent to {record.name}", counted(found), [(2, 1, 1, Decimal(1))])
            if person.narrowed is None and asked.takes(n):
                page = asked.page(f"entities/{pk}/files/batch/")
                asked.same(f"what was sent to {record.name} answers", [page.status_code], [200 if sees else 404])
                done = re.findall(r"\d+ of \d+ files done", page.content.decode())
                asked.same(f"what was sent to {record.name}", done, ["2 of 2 files done"] * sees)


def counted(batch: Batch | None) -> list[tuple[int, int, int, Decimal]]:
    return [(batch.total, batch.ready, batch.failed, batch.cost)] if batch else []


def send_to_all(asked: Asked) -> None:
    planted = asked.all.planted
    at = {"workspace_id": planted.workspace.pk}
    with planted.service.open():
        blob = Blob.objects.create(**at, sha256="sent", size=1, media_type="text/plain", path="nowhere")
        files = File.objects.bulk_create(
            File(**at, entity_id=entity, collection="documents", name=f"{state} of {name}", state=state,
                 created_by=user.pk)
            for entity in planted.records.values()
            for name, user in planted.users.items()
            for state in (State.READY, State.FAILED)
        )  # fmt: skip
        FileRevision.objects.bulk_create(
            FileRevision(**at, file=file, blob=blob, number=1, created_by=file.created_by, batch=SENT,
                         cost=Decimal("0.5"))
            for file in files
        )  # fmt: skip
        sent = dict(FileRevision.objects.filter(batch=SENT).values_list("file", "pk"))
        for file in files:
            column = "revision_id" if file.state == State.READY else "pending_revision_id"
            setattr(file, column, sent[file.pk])
        File.objects.bulk_update(files, ["revision", "pending_revision"])
