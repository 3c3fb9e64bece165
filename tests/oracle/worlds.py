"""Random worlds, and how one is planted in a workspace of its own."""

import re
import uuid
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client
from django.utils import timezone
from hypothesis import strategies as st
from rest_framework.test import APIClient

from entities.access import Scope, combine_for_workspace, get_current_scope, grant_entity, looking_into_bin
from entities.actions import add_member, create_role, create_workspace
from entities.models import (
    Classification,
    Entity,
    FieldParagraph,
    LabelGrant,
    Membership,
    Source,
    User,
    Workspace,
    WorkspaceSettings,
)
from entities.models import Role as RoleRow
from entities.models.classification import STEWARDS
from entities.text import compute_digest
from entities.tokens import issue_token
from entities.types import Article, Contract, Employee
from ingestion.boxes import Box, Boxes
from ingestion.extract.sniff import PDF
from ingestion.models import Blob, ContextRow, File, FileRevision, Kind, Paragraph
from references.kinds import Kind as ReferenceKind
from references.models import Reference
from tests.oracle.monitor import Clearance, Grant, Person, Record, Role, Text, World

ATOMS = [1, 2, 3, 5]
ROLE_NAMES = ["Editor", "HR", "Red", "Admin"]
PEOPLE = ["ann", "ben", "cas"]
VERBS = ["view", "change", "delete", "upload", "share"]

UNSURE = [{"source": "model", "labels": [], "reason": "", "confidence": 0.5}]
"""What a paragraph waits for a steward by."""
JUDGED = [*UNSURE, {"source": "manual", "labels": [], "reason": "", "by": 0}]

labels = st.sets(st.sampled_from(ATOMS), max_size=2).map(frozenset)


@st.composite
def worlds(draw: Any, *, rich: bool = False) -> World:
    """rich: articles too, which a rule shows by their rows; descriptions of records; longer files."""
    roles = tuple(Role(name, draw(labels), steward=draw(st.booleans()) and name == "Red") for name in ROLE_NAMES)
    roles_of = st.sets(st.sampled_from(ROLE_NAMES), max_size=2).map(frozenset)
    own = st.lists(st.builds(Clearance, st.sampled_from(ATOMS), st.booleans()), max_size=1).map(tuple)
    people = tuple(Person(n, draw(roles_of), own=draw(own)) for n in PEOPLE)
    grant = st.builds(Grant, st.sampled_from(ROLE_NAMES + PEOPLE), st.sampled_from(VERBS), st.booleans())
    records = tuple(
        Record(
            f"record{i}",
            kind := draw(st.sampled_from(["contract", "employee", *(["article"] if rich else [])])),
            draw(st.sampled_from(["workspace", "restricted", "private"] if kind == "contract" else ["restricted"])),
            draw(st.sampled_from([*PEOPLE, "nobody"])),
            tuple({(g.who, g.verb): g for g in draw(st.lists(grant, max_size=2))}.values()),
            kind == "article" and draw(st.booleans()),
            draw(st.integers(0, 4)) == 4,
        )
        for i in range(draw(st.integers(1, 6 if rich else 4)))
    )
    names = [r.name for r in records]
    texts = tuple(
        Text(
            f"word{i} liability",
            draw(st.sampled_from(names)),
            draw(st.one_of(st.none(), labels)),
            draw(st.sampled_from([None, None, None, *PEOPLE, *ROLE_NAMES])),
            frozenset(draw(st.sets(st.sampled_from(names), max_size=1))),
        )
        for i in range(draw(st.integers(1, 12 if rich else 6)))
    )
    if rich:
        staff = {r.name for r in records if r.kind == "employee"}  # their files are in a collection that is PII
        texts = tuple(
            replace(t, label=t.label | {3}) if t.label is not None and t.record in staff else t for t in texts
        )
        texts += tuple(Text(f"card{i} liability", n, draw(labels), card=True) for i, n in enumerate(names))
    concealed = draw(st.sets(st.sampled_from(ATOMS), max_size=1).map(frozenset))
    unaccounted = draw(st.sets(st.sampled_from(names)).map(frozenset))
    return World(
        roles, people, records, texts, concealed, unaccounted, draw(st.dictionaries(st.sampled_from(names), labels))
    )


@dataclass(frozen=True)
class Planted:
    """A world in the database. records, labels: names and label sets to what stands for them there."""

    world: World
    workspace: Workspace
    service: Scope
    users: dict[str, User]
    roles: dict[str, RoleRow]
    records: dict[str, uuid.UUID]
    base: str

    def id(self, record: str) -> str:
        return str(self.records[record])

    def scope(self, person: Person) -> Scope:
        scope = Scope.for_user(self.users[person.name], self.workspace.slug)
        return scope if person.narrowed is None else replace(scope, narrowed_to=-self.roles[person.narrowed].pk)

    def client(self, person: Person) -> Client:
        client = Client()
        client.force_login(self.users[person.name])
        return client

    def api(self, person: Person) -> APIClient:
        with self.service.open():
            secret = issue_token(Membership.objects.get(user=self.users[person.name]))
        api = APIClient()
        api.credentials(HTTP_AUTHORIZATION=f"Token {secret}")
        return api

    def audience(self, name: str | None) -> int:
        if name is None:
            return 0
        return self.users[name].pk if name in self.users else -self.roles[name].pk

    def label(self, atoms: frozenset[int]) -> int:
        """Within the service scope."""
        return combine_for_workspace(self.workspace.pk, *atoms)


def plant(world: World) -> Planted:
    """Put `world` into a new workspace: roles, people, records with grants. Texts are planted by each path's test."""
    slug = f"w{uuid.uuid4().hex[:12]}"
    workspace = create_workspace(slug=slug, name=slug)
    service = Scope.for_service(workspace.pk)
    users = {p.name: User.objects.create(username=f"{slug}-{p.name}") for p in world.people}
    with service.open():
        Classification.objects.filter(value__in=world.concealed).update(conceal=True)
        rows = {}
        for role in world.roles:
            found = RoleRow.objects.filter(name=role.name).first()
            rows[role.name] = found or create_role(workspace, role.name)
            RoleRow.objects.filter(pk=rows[role.name].pk).update(is_steward=role.steward)
            for classification in Classification.objects.filter(value__in=role.atoms):
                rows[role.name].classification_grants.create(workspace=workspace, classification=classification)
        for person in world.people:
            add_member(workspace, users[person.name], [rows[r] for r in person.roles])
            plant_clearances(workspace, person, users[person.name])
        records = {r.name: plant_record(workspace, r, users, rows) for r in world.records}
        put_into_bin(world, records)
    return Planted(world, workspace, service, users, rows, records, f"/w/{slug}/")


def put_into_bin(world: World, records: dict[str, uuid.UUID]) -> None:
    """Within the service scope. Said once more when there are files: they go there with their record."""
    with looking_into_bin():
        rows = Entity._base_manager.filter(pk__in=[records[r.name] for r in world.records if r.binned])
        rows.update(deleted_at=None)
        rows.update(deleted_at=timezone.now())


def plant_clearances(workspace: Workspace, person: Person, user: User) -> None:
    if not person.own:
        return
    membership = Membership.objects.get(user=user)
    for clearance in person.own:
        LabelGrant.objects.create(
            workspace=workspace,
            membership=membership,
            classification=Classification.objects.get(value=clearance.atom),
            expires_at=timezone.now() - timedelta(seconds=1) if clearance.expired else None,
        )


def stranger(planted: Planted) -> APIClient:
    """Somebody with every role in a second workspace that looks just like the planted one."""
    world = planted.world
    far = Person("far", frozenset(role.name for role in world.roles))
    return plant(replace(world, people=(*world.people, far))).api(far)


def plant_record(workspace: Workspace, record: Record, users: dict[str, User], roles: dict[str, RoleRow]) -> uuid.UUID:
    creator = users[record.creator].pk if record.creator in users else 0
    base = {"workspace": workspace, "name": record.name, "visibility": record.visibility, "created_by": creator}
    row: Entity
    if record.kind == "contract":
        row = Contract.objects.create(**base, counterparty="Somebody", value=1)
    elif record.kind == "article":
        row = Article.objects.create(**base, section="sensitive" if record.sensitive else "open")
    else:
        row = Employee.objects.create(**base, job_title="Clerk", salary=1)
    if creator:
        grant_entity(row, creator)
    for grant in record.grants:
        if grant.who == record.creator:
            continue  # they have all verbs for good
        who = users[grant.who].pk if grant.who in users else -roles[grant.who].pk
        expires = timezone.now() - timedelta(seconds=1) if grant.expired else None
        grant_entity(row, who, [grant.verb], expires_at=expires)
    return row.pk


def plant_field_texts(planted: Planted) -> None:
    """The texts as paragraphs of the records' notes, which have no audience and no sources of their own."""
    with planted.service.open():
        FieldParagraph.objects.bulk_create(
            FieldParagraph(
                workspace=planted.workspace,
                entity_id=planted.records[text.record],
                field="body" if planted.world.record(text.record).kind == "article" else "notes",
                position=(i + 1) * 1000,
                text=text.words,
                digest=compute_digest(text.words),
                data_classification=None if text.label is None else planted.label(text.label),
                votes=UNSURE,
            )
            for i, text in enumerate(planted.world.texts)
        )


def plant_rows(planted: Planted) -> None:
    """The texts as index rows with postings, audience and sources; what is unlabelled is not in the index."""
    with planted.service.open():
        for position, text in enumerate(planted.world.texts):
            if text.label is None:
                continue
            row = ContextRow.objects.create(
                workspace=planted.workspace,
                entity_id=planted.records[text.record],
                data_classification=planted.label(text.label),
                audience=planted.audience(text.audience),
                kind=Kind.METADATA,
                position=position,
                text=text.words,
                digest=compute_digest(text.words),
            )
            for source in text.sources:
                Source.objects.create(
                    workspace=planted.workspace, derived=row.pk, entity_id=planted.records[source], passage=None
                )


def content_of(record: str) -> bytes:
    """The bytes of the file on a record."""
    return f"the original of {record}".encode()


def place(position: int, text: str) -> Boxes:
    """Two paragraphs a page, and a box for each word."""
    top = 100 + 100 * (position % 2)
    words = re.finditer(r"\S+", text)
    return Boxes(
        [Box(1 + position // 2, 72 + 60 * n, top, 128 + 60 * n, top + 12, *word.span()) for n, word in enumerate(words)]
    )


def plant_files(planted: Planted) -> dict[str, uuid.UUID]:
    """One ready file a record with texts, a paragraph a text; record name -> file id."""
    at: Any = {"workspace_id": planted.workspace.pk}
    files: dict[str, uuid.UUID] = {}
    with planted.service.open():
        for name, pk in planted.records.items():
            mine = planted.world.paragraphs(name)
            if not mine:
                continue
            content = content_of(name)
            path = default_storage.save(f"oracle/{planted.workspace.slug}", ContentFile(content))
            blob = Blob.objects.create(
                **at, sha256=compute_digest(name), size=len(content), media_type="text/plain", path=path
            )
            collection = "hr_documents" if planted.world.record(name).kind == "employee" else "documents"
            file = File.objects.create(
                **at, entity_id=pk, collection=collection, name=f"file of {name}", state="ready", media_type=PDF
            )
            remainder = planted.world.remainder(name)
            sender = planted.users[planted.world.sent[name]].pk if name in planted.world.sent else 0
            revision = FileRevision.objects.create(
                **at, file=file, blob=blob, number=1, witness="x", created_by=sender,
                remainder_label=None if remainder is None else planted.label(remainder),
            )  # fmt: skip
            File.objects.filter(pk=file.pk).update(revision=revision)
            for position, text in enumerate(mine):
                label = None if text.label is None else planted.label(text.label)
                votes = JUDGED if sender and not text.rests else UNSURE
                Paragraph.objects.create(
                    **at, file=file, revision=revision, position=position, text=text.words, digest="x",
                    data_classification=label, votes=votes, boxes=place(position, text.words).to_json(),
                )  # fmt: skip
            files[name] = file.pk
    return files


def plant_references(planted: Planted) -> None:
    """From every record to the next one, labelled as the text of the same number."""
    with planted.service.open():
        for number, text in enumerate(planted.world.texts):
            source, target = planted.world.reference(number)
            Reference.objects.create(
                workspace=planted.workspace,
                source_id=planted.records[source.name],
                target_id=planted.records[target.name],
                kind=ReferenceKind.CROSS_REFERENCE,
                label=text.words,
                data_classification=None if text.label is None else planted.label(text.label),
            )


def rest_as_nobody() -> None:
    """Unjudged text rests as a level that nobody holds. In the open scope of the service."""
    level = {"label": "Nobody", "components": [STEWARDS], "workspace_id": get_current_scope().workspace}
    Classification.objects.create(value=STEWARDS, **level)
    WorkspaceSettings.objects.update(resting=STEWARDS)
