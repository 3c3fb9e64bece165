"""A world with one of everything, of ids that its names give: once with what must be hidden without trace, and once
without it, and nothing else differs.

Hidden rows are written between the others, so that numbers from sequences, the order of rows on disk and everything
that counts them would show them.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from unittest.mock import patch
from uuid import UUID, uuid5

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from chat.models import Event, Message, Session, State, Title, Turn
from chat.models import Role as Speaker
from entities.access import Scope, combine, grant_entity
from entities.actions import create_workspace
from entities.models import (
    Classification,
    Entity,
    EntityRoleGrant,
    EntityUserGrant,
    FieldParagraph,
    Membership,
    Role,
    Source,
    Workspace,
)
from entities.models.classification import FINANCIAL, INTERNAL, SECRET
from entities.rag import VERBS
from entities.text import digest_of
from entities.types import Article, Contract, Employee, Project, Risk, Task
from ingestion.models import Blob, ContextRow, File, FileRevision, Kind, Paragraph, RecordIndex, RowParagraph
from pulse.models import Pulse, Variant
from pulse.variants import ROLE as PULSE_ROLE
from references.kinds import Kind as ReferenceKind
from references.models import Reference
from retrieval.citations import CitedSource, Owner, register_all
from retrieval.evaluation.metrics import NAMES as FIGURES
from retrieval.evaluation.report import TITLES as RANKINGS
from retrieval.models import EvaluationRun, OwnerKind, SourceType
from tests.conftest import ALL, Person, person
from tests.oracle.planting import embed

NAMES = UUID("5f0c1c5e-2b7e-4f0e-9d5b-0d6f8a6f1c11")
START = datetime(2031, 3, 1, 9, tzinfo=UTC)
NOW = START + timedelta(days=3)
"""When the world is looked at; who signed in at START still is."""
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
"""For what has expired: policies go by the database's clock."""
OPEN_ATOMS = [atom for atom in ALL if atom != SECRET]
READERS = ("bare", "granted", "creator", "expired", "steward", "admin")
"""Members of the workspace. keeper, who holds everything and made what is hidden, is none of them."""
SERVICE_SETS = ([], [1], [1, 2, 5])
"""The sets of clearances for which readers here are shown a Pulse (pulse.variants)."""
WORDS = ["liability", "quay", "crane", "rent", "notice", "roof", "permit", "delay", "claim", "storm", "cargo", "survey"]
HIDDEN_WORD = "zanzibar"
"""In every text that must be hidden without trace, and in no other. Concealed files, of which stewards know, are named
without it."""


def named(name: str) -> UUID:
    return uuid5(NAMES, name)


@contextmanager
def at(minute: float) -> Iterator[None]:
    """Django's clock stands still, so many minutes after START."""
    with patch("django.utils.timezone.now", return_value=START + timedelta(minutes=minute)):
        yield


@dataclass
class World:
    """things: (kind, name) -> id. kinds: entity, file, paragraph, reference, session, turn, message, pulse, index,
    run, usergrant, rolegrant."""

    workspace: Workspace
    service: Scope
    hidden: bool
    random: Random
    secret: Random
    people: dict[str, Person] = field(default_factory=dict)
    things: dict[tuple[str, str], UUID] = field(default_factory=dict)
    elsewhere: "World | None" = None

    def new(self, kind: str, name: str) -> UUID:
        """The id of a thing that is being made."""
        self.things[kind, name] = named(f"{self.workspace.slug} {kind} {name}")
        return self.things[kind, name]

    def text(self, hidden: bool = False) -> str:
        """A sentence of words that others have too. What is hidden does not draw from the others' source of chance."""
        random = self.secret if hidden else self.random
        words = " ".join(random.choice(WORDS) for _ in range(8))
        return f"The {words} of berth {random.randrange(10_000)}{f' in {HIDDEN_WORD}' if hidden else ''}."

    def label(self, *atoms: int) -> int:
        return combine(self.workspace.pk, *atoms)


def make(seed: int, count: int, *, hidden: bool) -> World:
    """count: records that everybody sees; about as many again are hidden.

    Accounts, roles and workspaces are numbered over the whole installation (docs/proof.md): those of the other
    workspace come last.
    """
    with at(0):
        world = populate("acme", seed, hidden=hidden)
        elsewhere = populate("other", seed, hidden=True) if hidden else None
        world.elsewhere = elsewhere
    if elsewhere is not None:
        with elsewhere.service.open():
            plant(elsewhere, 0, "foreign", elsewhere.people["keeper"], visibility="workspace")
            record = elsewhere.things["entity", "foreign"]
            refer(elsewhere, "foreign", record, record, 0, True)
    with world.service.open():
        for n in range(count):
            if hidden:
                plant_hidden(world, n)
            plant(world, n, f"own{n}", world.people["creator"], visibility="workspace")
    with world.service.open():
        plant_around(world, count)
    return world


def populate(slug: str, seed: int, *, hidden: bool) -> World:
    """A workspace with its people, where Secret is concealed."""
    workspace = create_workspace(slug=slug, name=slug)
    world = World(workspace, Scope.for_service(workspace.pk), hidden, Random(seed), Random(-seed))
    with world.service.open():
        Classification.objects.filter(value=SECRET).update(conceal=True)
    if slug == "other":
        world.people["keeper"] = person(workspace, "outsider", ALL, ("Admin", "Editor", "Steward"))
        sign_in(world)
        return world
    for name, labels, roles in (
        ("bare", [], ()),
        ("granted", [], ()),
        ("creator", [INTERNAL], ("Editor",)),
        ("expired", [INTERNAL], ("Editor",)),
        ("steward", OPEN_ATOMS, ("Steward",)),
        ("admin", OPEN_ATOMS, ("Admin", "Editor")),
        ("former", OPEN_ATOMS, ("Admin",)),
        ("keeper", ALL, ("Admin", "Editor", "Steward")),
    ):
        world.people[name] = person(workspace, name, labels, roles)
    sign_in(world)
    # Admin and Steward come with every clearance: here they lack what is concealed, as anybody may.
    with world.service.open():
        for role in Role.objects.filter(name__in=["Admin", "Steward"]):
            role.classification_grants.filter(classification__value=SECRET).delete()
        Membership.objects.filter(user=world.people["former"].user).delete()
    return world


def sign_in(world: World) -> None:
    """Now, by this world's clock, and not when somebody's browser is first used."""
    for made in world.people.values():
        assert made.client.cookies


def plant_hidden(world: World, n: int) -> None:
    """Records that no reader sees, written before the n-th one that all see."""
    keeper = world.people["keeper"]
    plant(world, n - 0.5, f"restricted{n}", keeper, visibility="restricted")
    if n == 0:
        plant(world, n - 0.4, "private0", keeper, visibility="private")


def plant(world: World, n: float, name: str, maker: Person, *, visibility: str) -> None:
    """A contract with everything that hangs on one, in the open service scope."""
    hidden = not name.startswith("own")
    with at(60 * n + 1):
        record = Contract.objects.create(
            id=world.new("entity", name), workspace=world.workspace, visibility=visibility, value=1000 + int(n),
            name=f"Contract {name}{f' {HIDDEN_WORD}' if hidden else ''}", created_by=maker.user.pk,
            counterparty=world.text(hidden), status="active" if int(n) % 2 else "draft",
        )  # fmt: skip
        grant(world, name, record, maker.user.pk)
        grant(world, name, record, -Role.objects.get(name="Admin").pk, ["upload"])
        plant_notes(world, record, name, hidden)
        RecordIndex.objects.create(id=world.new("index", name), workspace=world.workspace, entity=record)
        if visibility == "workspace":
            EvaluationRun.objects.create(
                id=world.new("run", name), workspace=world.workspace, set_name="set", digest="x", reader="somebody",
                model_id="x", questions=0, seconds=1, figures={r: dict.fromkeys(FIGURES, 0.5) for r in RANKINGS},
            )  # fmt: skip
    with at(60 * n + 2):
        plant_file(world, record, name, maker, hidden)
    with at(60 * n + 3):
        plant_pulses(world, record, name)
        if hidden:
            plant_conversation(world, record, name, maker)


def grant(
    world: World, name: str, record: Entity, principal: int, verbs: Sequence[str] = VERBS, until: datetime | None = None
) -> None:
    """Grants on the record of this name, with keys that follow from what they grant."""
    grant_entity(record, principal, verbs, expires_at=until)
    kind = "usergrant" if principal > 0 else "rolegrant"
    grants: Any = EntityUserGrant if principal > 0 else EntityRoleGrant
    for made in grants.objects.filter(content_object=record.pk).select_related("permission"):
        holder = made.user.username if principal > 0 else made.group.role.name
        key = world.new(kind, f"{name} {holder} {made.permission.codename.removesuffix('_entity')}")
        grants.objects.filter(pk=made.pk).update(id=key)


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
                digest=digest_of(text),
                data_classification=world.label(label),
                floor=world.label(0),
            )  # fmt: skip
        )
    FieldParagraph.objects.bulk_create(rows)


def mixture(world: World, hidden: bool) -> list[tuple[int, bool]]:
    """(label, whether it is hidden without trace) of the paragraphs of a text, in their order."""
    if hidden or not world.hidden:
        return [(0, False), (FINANCIAL, False), (0, False)]
    return [(SECRET, True), (0, False), (SECRET, True), (FINANCIAL, False), (0, False), (SECRET, True)]


def plant_file(world: World, record: Entity, name: str, maker: Person, hidden: bool) -> None:
    """A file of public and Financial pages, and one that is Secret throughout."""
    if world.hidden:
        write_file(world, record, f"concealed {name}", maker, [(SECRET, True)], True)
    write_file(world, record, name, maker, mixture(world, hidden), hidden)
    if world.hidden:
        write_file(world, record, f"later {name}", maker, [(SECRET, True)], True)


def write_file(
    world: World, record: Entity, name: str, maker: Person, pages: Sequence[tuple[int, bool]], hidden: bool
) -> None:
    at_home = {"workspace_id": world.workspace.pk}
    content = f"The original of {name}".encode()
    path = default_storage.save(f"prove/{world.workspace.slug}", ContentFile(content))
    blob = Blob.objects.create(
        **at_home, sha256=digest_of(f"{name}"), size=len(content), media_type="text/plain", path=path
    )
    # Not all accounted for: the original is refused in both twins, to all but stewards.
    title = f"{name} {HIDDEN_WORD}.txt" if hidden and " " not in name else f"{name}.txt"
    file = File.objects.create(
        **at_home, id=world.new("file", name), entity_id=record.pk, collection="documents", state="ready",
        stage="done", name=title, media_type="text/plain",
        size=len(content), pages=len(pages), accounted=False, created_by=maker.user.pk, floor=world.label(0),
        woken_at=START,
    )  # fmt: skip
    revision = FileRevision.objects.create(**at_home, id=named(f"revision {name}"), file=file, blob=blob, number=1)
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
                digest=digest_of(text),
                data_classification=world.label(label),
                floor=world.label(0),
                start=start,
                end=start + len(text),
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
                digest=digest_of(text),
            )  # fmt: skip
        )
    Paragraph.objects.bulk_create(paragraphs)
    ContextRow.objects.bulk_create(rows)
    RowParagraph.objects.bulk_create(
        RowParagraph(**at_home, row=row, paragraph=paragraph, data_classification=row.data_classification)
        for row, paragraph in zip(rows, paragraphs, strict=True)
    )
    embed(rows)
    File.objects.filter(pk=file.pk).update(revision=revision)


def plant_pulses(world: World, record: Entity, name: str) -> None:
    role = Role.objects.get(name=PULSE_ROLE)
    for atoms in SERVICE_SETS:
        pk = world.new("pulse", f"{name} {atoms}")
        variant = Variant.objects.create(id=pk, workspace=world.workspace, entity_id=record.pk, atoms=atoms)
        Pulse.objects.create(
            id=pk, workspace=world.workspace, variant=variant, entity_id=record.pk, generated_at=START,
            text=cite(world, Owner(OwnerKind.PULSE, pk), record), data_classification=world.label(*atoms),
            fingerprint="x", model="x", generated_by=-role.pk,
        )  # fmt: skip


def cite(world: World, owner: Owner, record: Entity) -> str:
    """The Public passages of a record, each with its number."""
    rows = list(
        ContextRow.objects.filter(entity=record.pk, data_classification=0).order_by("file", "position", "digest")
    )
    sources = [
        CitedSource(
            SourceType.KB_CHUNK, str(row.pk), 0, record.pk, row.file_id, row.page,
            locator={
                "row": str(row.pk), "kind": row.kind, "digest": digest_of(row.text),
                "paragraphs": [str(link.paragraph_id) for link in row.paragraph_links.all()], "passage": None,
            },
        )  # fmt: skip
        for row in rows
    ]  # fmt: skip
    numbers = register_all(world.service, owner, sources)
    return " ".join(f"{row.text} [citation:{n}]" for row, n in zip(rows, numbers, strict=True))


def plant_conversation(world: World, record: Entity, name: str, asker: Person) -> None:
    """One question, its answer with a citation, its title and its log."""
    mine = {"workspace_id": world.workspace.pk, "audience": asker.user.pk}
    key = f"{name} {asker.user.username}"
    session = Session.objects.create(
        **mine, id=world.new("session", key), entity_id=record.pk, created_at=START, last_message_at=START
    )
    turn = Turn.objects.create(
        **mine, id=world.new("turn", key), session=session, number=1, state=State.DONE, lease_until=START,
        question=named(f"question {key}"), answer=world.new("message", key), created_at=START, ended_at=START,
        last_seq=2,
    )  # fmt: skip
    answer = cite(world, Owner(OwnerKind.CHAT_SESSION, session.pk, asker.user.pk), record)
    said = {**mine, "session": session, "turn": turn, "data_classification": 0, "created_at": START}
    Message.objects.create(**said, id=turn.question, role=Speaker.USER, content=f"What of {name}?")
    Message.objects.create(**said, id=turn.answer, role=Speaker.ASSISTANT, content=answer)
    Title.objects.create(**mine, id=named(f"title {key}"), session=session, data_classification=0, text=f"About {name}")
    for seq, (kind, data) in enumerate([("token", {"text": answer}), ("done", {"usage": {}})], start=1):
        Event.objects.create(**mine, turn=turn, seq=seq, kind=kind, data=data, data_classification=0, created_at=START)


def plant_around(world: World, count: int) -> None:
    """References, a record that some are granted, projects that point at contracts, and everybody's conversations."""
    people, things, hidden = world.people, world.things, world.hidden
    for n in range(count):
        own = Entity.objects.get(pk=things["entity", f"own{n}"])
        following = things["entity", f"own{(n + 1) % count}"]
        with at(60 * count + n):
            if hidden:
                secret = things["entity", f"restricted{n}"]
                refer(world, f"concealed{n}", own.pk, following, SECRET, True)
                refer(world, f"out{n}", own.pk, secret, 0, True)
                refer(world, f"in{n}", secret, own.pk, 0, True)
                refer(world, f"marked{n}", own.pk, following, 0, True, ReferenceKind.BOOKMARK, people["keeper"])
                plant_conversation(world, own, f"theirs{n}", people["keeper"])
                article = Article.objects.create(
                    id=world.new("entity", f"article{n}"), workspace=world.workspace, visibility="restricted",
                    name=f"Guide {HIDDEN_WORD}", created_by=people["keeper"].user.pk,
                )  # fmt: skip
                grant(world, f"article{n}", article, people["expired"].user.pk, ["view", "change"], LONG_AGO)
            refer(world, f"plain{n}", own.pk, following, 0, False)
            refer(world, f"labelled{n}", own.pk, following, FINANCIAL, False)
            for name in READERS:
                plant_conversation(world, own, f"own{n}", people[name])
                if hidden:
                    past = Entity.objects.get(pk=things["entity", f"restricted{n}"])
                    plant_conversation(world, past, f"past{n}", people[name])
            made = {"workspace": world.workspace, "created_by": people["creator"].user.pk}
            # A link to a record that is hidden reads as none.
            linked = things["entity", f"restricted{n}"] if hidden else None
            project = Project.objects.create(
                **made, id=world.new("entity", f"project{n}"), name=f"Project {n}", contract_id=linked
            )
            Task.objects.create(**made, id=world.new("entity", f"task{n}"), name=f"Task {n}", project=project)
            Risk.objects.create(
                **made, id=world.new("entity", f"risk{n}"), name=f"Risk {n}", project=project, contract_id=linked
            )
    with at(60 * count + 58):
        Employee.objects.create(
            id=world.new("entity", "employee0"), workspace=world.workspace, name="Clerk", job_title="Clerk", salary=1,
            visibility="restricted", created_by=people["keeper"].user.pk,
        )  # fmt: skip
    with at(60 * count + 59):
        granted = Contract.objects.create(
            id=world.new("entity", "granted"), workspace=world.workspace, visibility="restricted",
            name="Contract granted", counterparty="Port", created_by=people["keeper"].user.pk,
        )  # fmt: skip
        grant(world, "granted", granted, people["granted"].user.pk, ["view"])
        grant(world, "granted", granted, people["expired"].user.pk, ["view", "change", "upload"], LONG_AGO)


def refer(
    world: World, name: str, source: UUID, target: UUID, label: int, hidden: bool,
    kind: ReferenceKind = ReferenceKind.CROSS_REFERENCE, audience: Person | None = None,
) -> None:  # fmt: skip
    reference = Reference.objects.create(
        id=world.new("reference", name), workspace=world.workspace, source_id=source, target_id=target, kind=kind,
        label=world.text(hidden)[:100], data_classification=world.label(label), created_at=START, changed_at=START,
        audience=audience.user.pk if audience else 0,
    )  # fmt: skip
    Source.objects.create(workspace=world.workspace, derived=reference.pk, entity_id=source)
