"""Index rows put straight into the index, in the service's scope, with vectors of the real embedder."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID, uuid4

import pytest
from django.db import connection

from entities.access import Scope, combine_for_workspace
from entities.models import Entity, Source
from ingestion.embed import get_embedder
from ingestion.models import ContextRow, File, FileRevision, Kind, Paragraph, RowParagraph, VectorModel
from ingestion.models.files import Blob
from retrieval.citations import Owner, register_source
from retrieval.models import OwnerKind, RankingSettings
from retrieval.results import SearchResult
from retrieval.search import search
from tests.conftest import Person


@dataclass(frozen=True)
class Index:
    """Writes index rows of one workspace. Every method opens the service's scope by itself."""

    service: Scope

    def file(
        self, entity: Entity, name: str = "lease.pdf", *, name_label: int = 0, collection: str = "documents"
    ) -> File:
        with self.service.open():
            file = File.objects.create(
                workspace_id=self.service.workspace,
                entity_id=entity.pk,
                collection=collection,
                name=name,
                name_classification=name_label,
            )
            blob = Blob.objects.create(
                workspace_id=self.service.workspace, sha256=uuid4().hex, size=1, media_type="text/plain", path="x"
            )
            revision = FileRevision.objects.create(workspace_id=self.service.workspace, file=file, blob=blob, number=1)
            File.objects.filter(pk=file.pk).update(revision=revision)
            file.refresh_from_db()
        return file

    def row(
        self,
        entity: Entity,
        text: str,
        *,
        label: int | tuple[int, ...] = 0,
        kind: Kind | None = None,
        file: File | None = None,
        audience: int = 0,
        position: int = 0,
        page: int | None = None,
        section: str = "",
        field: str = "",
        lang: str = "en",
        sources: tuple[Entity, ...] = (),
        vector: bool = True,
    ) -> UUID:
        """One row, with a paragraph of the same text where it is of a file. Returns its id."""
        workspace = self.service.workspace
        with self.service.open():
            value = combine_for_workspace(workspace, *label) if isinstance(label, tuple) else label
            digest = sha256(text.encode()).hexdigest()
            row = ContextRow.objects.create(
                workspace_id=workspace,
                data_classification=value,
                audience=audience,
                kind=kind or (Kind.FILE_CHUNK if file else Kind.METADATA),
                entity_id=entity.pk,
                file=file,
                field=field,
                text=text,
                heading_path=section,
                page=page,
                position=position,
                lang=lang,
                digest=digest,
            )
            if file is not None:
                paragraph = Paragraph.objects.create(
                    workspace_id=workspace,
                    file=file,
                    revision_id=file.revision_id,
                    position=position,
                    page=page,
                    text=text,
                    digest=digest,
                    data_classification=value,
                    start=position * 1000,
                    end=position * 1000 + len(text),
                )
                RowParagraph.objects.create(
                    workspace_id=workspace, row=row, paragraph=paragraph, data_classification=value
                )
            for source in sources:
                Source.objects.create(workspace_id=workspace, derived=row.pk, entity_id=source.pk)
            if vector:
                self.embed(row, text)
        return row.pk

    def embed(self, row: ContextRow, text: str) -> None:
        embedder = get_embedder()
        model, _ = VectorModel.objects.get_or_create(model_id=embedder.model_id, defaults={"dim": embedder.dim})
        (vector,) = embedder.embed_documents([text])
        with connection.cursor() as cursor:
            cursor.execute(
                'INSERT INTO ingestion_vector (workspace_id, data_classification, audience, entity, file, "row", kind,'
                " model, embedding, drawn) SELECT c.workspace_id, c.data_classification, c.audience, e.number,"
                " coalesce(f.number, 0), c.number, c.kind, %s, %s::halfvec, p.drawn FROM ingestion_contextrow c"
                " JOIN entities_entity e ON e.id = c.entity_id LEFT JOIN ingestion_file f ON f.id = c.file_id"
                ' JOIN ingestion_posting p ON p."row" = c.number AND p.term = 0 WHERE c.id = %s',
                [model.pk, f"[{','.join(map(str, vector))}]", row.pk],
            )


@pytest.fixture
def index(service: Scope) -> Index:
    return Index(service)


@pytest.fixture
def lease(index: Index, contract: Entity) -> tuple[File, list[UUID]]:
    """Four passages of one file that everybody may read, and the ids of them."""
    file = index.file(contract)
    texts = [
        "The liability cap is two million euros for each claim.",
        "Ships berth at the quay every Monday before noon.",
        "Either party may terminate with ninety days of notice.",
        "Rent is due on the first working day of the month.",
    ]
    return file, [
        index.row(contract, text, file=file, position=i * 2, page=i + 1, section="Terms")
        for i, text in enumerate(texts)
    ]


@pytest.fixture
def choose_reranker(service: Scope) -> Callable[[str], None]:
    def choose(how: str) -> None:
        with service.open():
            RankingSettings.objects.update_or_create(workspace_id=service.workspace, defaults={"rerank": how})

    return choose


@pytest.fixture
def owner(viewer: Person) -> Owner:
    """A conversation of the viewer's, without any citations."""
    return Owner(OwnerKind.CHAT_SESSION, uuid4(), viewer.scope.principal)


@pytest.fixture
def passage(index: Index, contract: Entity) -> File:
    """A file of one passage that everybody may read."""
    file = index.file(contract)
    index.row(contract, "The liability cap is two million euros.", file=file, page=7, section="Liability")
    return file


def cite(person: Person, owner: Owner, query: str = "liability cap") -> int:
    """The number of the best find."""
    with person.scope.open():
        return register_source(person.scope, owner, search(person.scope, query)[0])


def ids(results: Iterable[SearchResult]) -> list[UUID]:
    return [result.id for result in results]
