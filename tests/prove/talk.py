"""What is said of the records of a world: Pulses, conversations and references, with their citations."""

from datetime import timedelta
from uuid import UUID

from chat.models import Event, Message, Session, State, Title, Turn
from chat.models import Role as Speaker
from entities.models import Entity, Role, Source
from entities.models.classification import FINANCIAL
from entities.text import compute_digest
from ingestion.models import ContextRow
from pulse.models import Pulse, Variant
from pulse.variants import ROLE as PULSE_ROLE
from references.kinds import Kind as ReferenceKind
from references.models import Reference
from retrieval.citations import CitedSource, Owner, register_sources
from retrieval.models import OwnerKind, SourceType
from tests.conftest import Person
from tests.prove.world import NOW, SERVICE_SETS, START, World, named

LATER = NOW + timedelta(days=1)


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


def plant_workspace_conversation(world: World, name: str, asker: Person, secret: UUID | None) -> None:
    """One about the workspace, whose answer was drawn from `secret`; None: there is no answer (any more)."""
    mine = {"workspace_id": world.workspace.pk, "audience": asker.user.pk}
    key = f"{name} {asker.user.username}"
    session = Session.objects.create(**mine, id=world.new("session", key), created_at=START, last_message_at=START)
    turn = Turn.objects.create(
        **mine, id=world.new("turn", key), session=session, number=1, state=State.DONE, lease_until=START,
        question=named(f"question {key}"), answer=named(f"message {key}"), created_at=START, ended_at=START, last_seq=2,
    )  # fmt: skip
    said = {**mine, "session": session, "turn": turn, "data_classification": 0, "created_at": START}
    Message.objects.create(**said, id=turn.question, role=Speaker.USER, content="What of all this?")
    noted = {**mine, "turn": turn, "data_classification": 0, "created_at": START}
    if secret:
        text = world.text(True)
        Message.objects.create(**said, id=turn.answer, role=Speaker.ASSISTANT, content=text)
        Source.objects.create(workspace=world.workspace, derived=turn.answer, entity_id=secret)
        Event.objects.create(**noted, seq=1, kind="token", data={"text": text})
    Event.objects.create(**noted, seq=2, kind="done", data={"usage": {}})


def plant_shared_conversation(
    world: World, record: Entity, name: str, keeper: Person, reader: Person, secret: UUID | None, concealed: int
) -> None:
    """What `keeper` began for all who see a record. `reader` has asked in it; where there is a `secret`, keeper has
    done so before and since: below an answer that is concealed, drawn from a hidden record (an answer that all may
    read, and one that they may know of), and just now.
    """
    mine = {"workspace_id": world.workspace.pk, "audience": 0}
    session = Session.objects.create(
        **mine, id=world.new("session", name), owner=keeper.user.pk, entity_id=record.pk, created_at=START,
        last_message_at=START, pinned=bool(secret), archived_at=START if secret else None,
    )  # fmt: skip
    Title.objects.create(
        **mine, id=named(f"title {name}"), owner=keeper.user.pk, session=session, data_classification=0, text="Together"
    )
    asked: list[tuple[Person, int, UUID | None, State]] = [(keeper, 0, None, State.DONE), (reader, 0, None, State.DONE)]
    if secret:
        asked.insert(1, (keeper, concealed, None, State.DONE))
        asked += [(keeper, label, secret, State.DONE) for label in (0, FINANCIAL)]  # which others may know of
        asked += [(keeper, concealed, None, State.RUNNING)]
    for number, (person, label, source, state) in enumerate(asked, start=1):
        key = f"{name} {person.user.username} {label} {source is None} {state}"
        turn = Turn.objects.create(
            **mine, id=named(f"turn {key}"), owner=person.user.pk, session=session, number=number, state=state,
            lease_until=LATER, question=named(f"question {key}"), answer=named(f"message {key}"), created_at=START,
            rating=1 if source else 0,
        )  # fmt: skip
        said = {**mine, "owner": person.user.pk, "session": session, "turn": turn, "data_classification": label}
        hidden = bool(label or source)
        at = NOW if hidden else START
        for pk, role in ((turn.question, Speaker.USER), (turn.answer, Speaker.ASSISTANT)):
            Message.objects.create(**said, id=pk, role=role, content=world.text(hidden), created_at=at)
            if source:
                Source.objects.create(workspace=world.workspace, derived=pk, entity_id=source)
        Event.objects.create(
            workspace_id=world.workspace.pk, audience=person.user.pk, turn=turn, seq=1, kind="token",
            data={"text": "Said."}, data_classification=label, created_at=at,
        )  # fmt: skip
    if secret:
        Session.objects.filter(pk=session.pk).update(last_message_at=NOW)


def cite(world: World, owner: Owner, record: Entity) -> str:
    """The Public passages of a record, each with its number."""
    rows = list(
        ContextRow.objects.filter(entity=record.pk, data_classification=0).order_by("file", "position", "digest")
    )
    sources = [
        CitedSource(
            SourceType.KB_CHUNK, str(row.pk), 0, record.pk, row.file_id, row.page,
            locator={
                "row": str(row.pk), "kind": row.kind, "digest": compute_digest(row.text),
                "paragraphs": [str(link.paragraph_id) for link in row.paragraph_links.all()], "passage": None,
            },
        )  # fmt: skip
        for row in rows
    ]  # fmt: skip
    numbers = register_sources(world.service, owner, sources)
    return " ".join(f"{row.text} [citation:{n}]" for row, n in zip(rows, numbers, strict=True))


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
