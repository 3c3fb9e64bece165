"""The texts of a world: notes and files of its records, with the rows that the index has of them."""

from collections.abc import Sequence
from datetime import timedelta

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from entities.models import Entity, FieldParagraph
from entities.models.classification import FINANCIAL, SECRET
from entities.text import compute_digest
from ingestion.extract.sniff import PDF
from ingestion.link_targets import Wanted
from ingestion.models import (
    Blob,
    ContextRow,
    DocumentLink,
    File,
    FileRevision,
    Kind,
    Paragraph,
    PastParagraph,
    RowParagraph,
    State,
)
from tests.conftest import Person
from tests.oracle.planted_world import embed
from tests.oracle.worlds import UNSURE
from tests.prove.world import DAY_AFTER, HIDDEN_WORD, START, World, named


def plant_notes(world: World, record: Entity, name: str, hidden: bool) -> None:
    rows = []
    for position, (label, secret) in enumerate(mixture(world, hidden)):
        text = world.text(hidden or secret)
        rows.append(
            FieldParagraph(
                id=named(f"{world.workspace.slug} note {name} {text}"),
                text=text,
                workspace=world.workspace,
                entity_id=record.pk,
                field="notes",
                position=(position + 1) * 1000,
                digest=compute_digest(text),
                data_classification=world.label(label),
                floor=world.label(0),
                votes=UNSURE,
            )  # fmt: skip
        )
    FieldParagraph.objects.bulk_create(rows)


def plant_file(world: World, record: Entity, name: str, maker: Person, hidden: bool) -> None:
    """A file of public and Financial pages, and one that is Secret throughout."""
    if world.hidden:
        write_file(world, record, f"concealed {name}", maker, [(SECRET, True)], True)
    write_file(world, record, name, maker, mixture(world, hidden), hidden)
    if world.hidden:
        write_file(world, record, f"later {name}", maker, [(SECRET, True)], True)
        # Of no level at all: nothing but the bin hides it.
        write_file(world, record, f"binned {name}", maker, [(0, False), (FINANCIAL, False)], True)


def mixture(world: World, hidden: bool) -> list[tuple[int, bool]]:
    """(label, whether it is hidden without trace) of the paragraphs of a text, in their order."""
    if hidden or not world.hidden:
        return [(0, False), (FINANCIAL, False), (0, False)]
    return [(SECRET, True), (0, False), (SECRET, True), (FINANCIAL, False), (0, False), (SECRET, True)]


def write_file(
    world: World, record: Entity, name: str, maker: Person, pages: Sequence[tuple[int, bool]], hidden: bool
) -> None:
    at_home = {"workspace_id": world.workspace.pk}
    content = f"The original of {name}".encode()
    path = default_storage.save(f"prove/{world.workspace.slug}", ContentFile(content))
    blob = Blob.objects.create(
        **at_home, sha256=compute_digest(f"{name}"), size=len(content), media_type="text/plain", path=path
    )
    # What the reader does not show of it has no label: the original is refused in both twins, to all but stewards.
    title = f"{name} {HIDDEN_WORD}.txt" if hidden and " " not in name else f"{name}.txt"
    file = File.objects.create(
        **at_home, id=world.new("file", name), entity_id=record.pk, collection="documents",
        state=State.QUARANTINED if hidden and " " not in name else State.READY,
        stage="done", name=title, media_type=PDF,
        size=len(content), pages=len(pages), created_by=maker.user.pk, floor=world.label(0),
        woken_at=START,
    )  # fmt: skip
    revision = FileRevision.objects.create(
        **at_home, id=named(f"revision {name}"), file=file, blob=blob, number=1, witness="x",
        published_at=file.updated_at,
    )  # fmt: skip
    paragraphs, rows, shown, start = [], [], 0, 0
    for position, (label, secret) in enumerate(pages):
        text = world.text(hidden or secret)
        # What is not hidden keeps its page: a page number is printed on the page.
        page = shown + 1 if not secret else shown + 2
        shown += 0 if secret else 1
        paragraphs.append(
            Paragraph(
                **at_home,
                id=world.new("paragraph", f"{name} {label if not secret else f'secret{position}'} {page}"),
                file=file,
                revision=revision,
                position=position,
                page=page,
                text=text,
                digest=compute_digest(text),
                data_classification=world.label(label),
                floor=world.label(0),
                start=start,
                end=start + len(text),
                votes=UNSURE,
            )  # fmt: skip
        )
        start += len(text) + 1
        rows.append(
            ContextRow(
                **at_home,
                id=named(f"row {paragraphs[-1].pk}"),
                entity_id=record.pk,
                file=file,
                page=page,
                text=text,
                data_classification=world.label(label),
                kind=Kind.FILE_CHUNK,
                position=position,
                digest=compute_digest(text),
            )  # fmt: skip
        )
    Paragraph.objects.bulk_create(paragraphs)
    ContextRow.objects.bulk_create(rows)
    RowParagraph.objects.bulk_create(
        RowParagraph(**at_home, row=row, paragraph=paragraph, data_classification=row.data_classification)
        for row, paragraph in zip(rows, paragraphs, strict=True)
    )
    if world.hidden and not hidden:
        # What an earlier version held, and no reader may count; the day after a newer one changed nothing else.
        PastParagraph.objects.create(
            **at_home, file=file, paragraph=named(f"past {name}"), digest="x", data_classification=SECRET, since=1,
            until=2,
        )  # fmt: skip
        revision = FileRevision.objects.create(
            **at_home, id=named(f"newer {name}"), file=file, blob=blob, number=2, witness="x"
        )
        file.updated_at = DAY_AFTER - timedelta(minutes=len(world.things))
        FileRevision.objects.filter(pk=revision.pk).update(fetched_at=file.updated_at, published_at=file.updated_at)
        Paragraph.objects.filter(file=file.pk).update(revision=revision)
    if " " not in name:
        plant_link(world, file, next(p for p in paragraphs if p.data_classification == 0), name)
    embed(rows)
    File.objects.filter(pk=file.pk).update(revision=revision, updated_at=file.updated_at)


def plant_link(world: World, file: File, paragraph: Paragraph, name: str) -> None:
    """From the file of a record that all see to the one of a hidden record, which may not be there, and back."""
    other = name.replace("own", "restricted") if name.startswith("own") else name.replace("restricted", "own")
    DocumentLink.objects.create(
        workspace_id=world.workspace.pk, id=named(f"{world.workspace.slug} link {name}"), file=file,
        paragraph=paragraph, data_classification=0, target="plan.txt", words="the plan", wanted=Wanted.FILE,
        looked_at=START, key=str(named(f"{world.workspace.slug} file {other}")),
    )  # fmt: skip
