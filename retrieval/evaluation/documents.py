"""The documents of a set, in a workspace of an evaluation: through the pipeline that every file takes, once."""

import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from uuid import UUID

from django.core.files.base import File as Upload

from entities.access import Scope, get_current_scope
from entities.actions import add_member, create_entity, create_role, create_workspace
from entities.api.errors import TooLarge
from entities.audit import record_action
from entities.models import Classification, ClassificationGrant, Entity, Role, User, Workspace
from entities.models.classification import FIRST_COMPOUND
from entities.types import Article
from ingestion.actions import upload_file
from ingestion.claims import UNFINISHED
from ingestion.errors import BadUpload
from ingestion.inline import process_all_waiting
from ingestion.models import File, State
from ingestion.processing import process_file
from retrieval.evaluation.sets import QuestionSet, SetDocument

SOURCE = "evaluation"
ROLE = "Evaluation"
"""Holds every clearance of the workspace of an evaluation; its members are given by name."""
PAUSE = 2.0
Say = Callable[[str], None]


@dataclass(frozen=True)
class LoadedSet:
    """reader: a role that is cleared for all of it. waited: documents that had to be read. missing: (name, reason)."""

    workspace: int
    slug: str
    reader: Scope
    waited: int
    missing: tuple[tuple[str, str], ...]


def build_slug(name: str) -> str:
    """Of the workspace of a set."""
    return f"evaluation-{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-')}"[:50]


def load_documents(given: QuestionSet, people: Iterable[str] = (), say: Say = lambda text: None) -> LoadedSet:
    """Make or complete the workspace of a set; what is there already, byte for byte, is not read again. Needs no scope
    open. people: names of users who become its administrators. Raises: User.DoesNotExist.
    """
    slug = build_slug(given.name)
    users = [User.objects.get(username=name) for name in people]
    workspace = Workspace.objects.filter(slug=slug).first() or create_workspace(
        slug=slug, name=f"Evaluation: {given.name}"
    )
    service = Scope.for_service(workspace.pk)
    with service.open():
        reader = Scope.for_role(_get_or_create_role(workspace, users))
        record = _get_or_create_record(service, given.name)
        there = _list_published_hashes(record)
    waited, refused = 0, []
    for document in given.documents:
        if there.get(document.name) != compute_file_digest(document.path):
            try:
                _upload_document(service, record, document)
                waited += 1
            except (BadUpload, TooLarge) as refusal:
                refused.append((document.name, str(refusal)))
    _process_waiting(service, record, say)
    with service.open():
        files = File.objects.filter(entity=record.pk, revision__isnull=True).order_by("name")
        missing = tuple(
            (name, detail or state) for name, detail, state in files.values_list("name", "error_detail", "state")
        )
    return LoadedSet(workspace.pk, slug, reader, waited, (*refused, *missing))


def _get_or_create_role(workspace: Workspace, users: Sequence[User]) -> Role:
    """In the open service scope."""
    role = Role.objects.filter(name=ROLE).first() or create_role(workspace, ROLE, ())
    atoms = Classification.objects.filter(value__gt=0, value__lt=FIRST_COMPOUND)
    new = list(atoms.exclude(pk__in=ClassificationGrant.objects.filter(role=role).values("classification")))
    for classification in new:
        ClassificationGrant.objects.create(workspace=workspace, role=role, classification=classification)
    if new:
        held = sorted(atoms.values_list("value", flat=True))
        record_action(
            get_current_scope(), "role.changed", "role", role.pk, labels=held, is_admin=False, is_steward=False
        )
    for user in users:
        add_member(workspace, user, [role, Role.objects.get(name="Admin")])
    return role


def _get_or_create_record(service: Scope, name: str) -> Entity:
    there = Entity.objects.filter(source_system=SOURCE, source_id=name).first()
    return there or create_entity(
        scope=service, model=Article, fields={"name": f"Documents of {name}"}, source_system=SOURCE, source_id=name
    )


def _list_published_hashes(record: Entity) -> dict[str, str]:
    """name -> SHA-256 of the bytes that are being shown or were refused for good."""
    rows = File.objects.filter(entity=record.pk).values_list(
        "name", "revision__blob__sha256", "pending_revision__blob__sha256", "state"
    )
    return {
        name: waiting if waiting and state in (*UNFINISHED, State.QUARANTINED) else shown
        for name, shown, waiting, state in rows
    }


def compute_file_digest(path: Path) -> str:
    with path.open("rb") as content:
        found = sha256()
        while block := content.read(1 << 20):
            found.update(block)
    return found.hexdigest()


def _upload_document(service: Scope, record: Entity, document: SetDocument) -> None:
    with service.open(), document.path.open("rb") as content:
        upload_file(scope=service, entity=record, upload=Upload(content, name=document.name))


def _process_waiting(service: Scope, record: Entity, say: Say) -> None:
    """Read what waits here and now; what a worker has taken meanwhile is waited for."""
    while waiting := _list_waiting(service, record.pk):
        worked = False
        for number, (pk, name) in enumerate(waiting, start=1):
            say(f"{number} of {len(waiting)}: {name}")
            worked |= process_file(service.workspace, pk)
        if not worked:
            time.sleep(PAUSE)
    process_all_waiting(service.workspace)


def _list_waiting(service: Scope, record: UUID) -> list[tuple[UUID, str]]:
    with service.open():
        files = File.objects.filter(entity=record, state__in=UNFINISHED, pending_revision__isnull=False)
        return list(files.order_by("name").values_list("pk", "name"))
