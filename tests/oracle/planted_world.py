"""A whole world in the database: files, index rows with vectors, references, Pulses, conversations, citations.

Everybody in it is also a member of a second workspace, with every role and clearance there: nothing of that shows here,
and nothing that they hold there counts here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from uuid import UUID, uuid4

from django.db import connection
from django.db.models import Q
from django.utils import timezone

from chat.models import Message, Session, State, Turn
from chat.models import Role as Speaker
from entities.access import Scope
from entities.actions import add_member, create_role, create_workspace
from entities.models import Classification, LabelGrant, Membership, Source, Weight
from entities.models import Role as RoleRow
from entities.models.entity import Entity
from entities.rag import Allow
from entities.text import compute_digest
from entities.types import Contract
from ingestion.embed import get_embedder
from ingestion.models import ContextRow, FileRevision, Kind, Paragraph, RowParagraph, VectorModel
from pulse.models import Pulse, Variant
from pulse.variants import ROLE as PULSE_ROLE
from retrieval.citations import Owner, register_sources
from retrieval.models import OwnerKind
from retrieval.owners import CitingText
from retrieval.search import search
from tests.oracle.monitor import Text, World, list_text_sources, repeats_previous
from tests.oracle.planted_attachments import plant_attachments
from tests.oracle.planted_desk import plant_links, plant_requests
from tests.oracle.worlds import Planted, plant, plant_field_texts, plant_files, plant_references, put_into_bin

PULSE_SERVICE = frozenset({1, 2, 5})
"""What create_workspace grants to the role pulse-service."""
LONG_AGO = datetime(2020, 2, 29, 12, tzinfo=UTC)
"""When old text came in."""
WORKSPACE = ""
"""What conversations about the workspace are about, where records are named."""
MAX_TEXTS = 4
"""Of a conversation about the workspace."""
CITING: dict[UUID, tuple[int, CitingText]] = {}
"""Texts that cite everything, by id: the workspace, and the text."""


class RowsRuled(Entity.Access):
    """What tests have articles declare: rows that a role may see, and others of the same type that it may not."""

    default = "restricted"
    rules = [
        *(Allow(verb, roles=["Red"], rows=~Q(section="sensitive")) for verb in ("view", "change")),
        Allow("delete", roles=["Admin"]),
        Allow("share", roles=["Admin"]),
    ]


SHARED = "everybody"
"""Whose conversations are that everybody reads who sees the record."""


@dataclass(frozen=True)
class Everything:
    """files: by record. rows: index rows by words. sessions: conversations by (person, SHARED or role, record);
    requests for access by (person, record). numbers: of citations by words. citing: the id of the text that cites them.
    """

    planted: Planted
    files: Mapping[str, UUID]
    rows: Mapping[str, UUID]
    sessions: Mapping[tuple[str, str], UUID]
    requests: Mapping[tuple[str, str], UUID]
    numbers: Mapping[str, int]
    citing: UUID

    @property
    def world(self) -> World:
        return self.planted.world


def plant_everything(world: World) -> Everything:
    planted = plant(world)
    plant_elsewhere(planted)
    plant_references(planted)
    files = plant_files(planted)
    plant_field_texts(only(planted, [t for t in world.texts if t.passage]))
    sessions = plant_conversations(planted)
    rows = plant_index(planted, files, sessions)
    plant_pulses(planted)
    requests = plant_requests(planted, files)
    plant_links(planted, files)
    attached = plant_attachments(
        planted, {reader: pk for (reader, about), pk in sessions.items() if about == WORKSPACE}
    )
    with planted.service.open():
        embed(attached)
        put_into_bin(world, planted.records)
    citing = uuid4()
    numbers = plant_citations(planted, citing)
    return Everything(planted, files, rows, sessions, requests, numbers, citing)


def only(planted: Planted, texts: list[Text]) -> Planted:
    return replace(planted, world=replace(planted.world, texts=tuple(texts)))


def plant_elsewhere(planted: Planted) -> None:
    slug = f"{planted.workspace.slug}b"
    workspace = create_workspace(slug=slug, name=slug)
    service = Scope.for_service(workspace.pk)
    with service.open():
        named = set(RoleRow.objects.values_list("name", flat=True))
        for role in planted.world.roles:
            if role.name not in named:
                create_role(workspace, role.name, ())
        roles = list(RoleRow.objects.exclude(name=PULSE_ROLE))
        for classification in Classification.objects.filter(value__gt=0):
            for role in roles:
                role.classification_grants.get_or_create(workspace=workspace, classification=classification)
        RoleRow.objects.update(is_steward=True, is_admin=True)
        for user in planted.users.values():
            add_member(workspace, user, roles)
        LabelGrant.objects.bulk_create(
            LabelGrant(workspace=workspace, membership=membership, classification=classification)
            for membership in Membership.objects.all()
            for classification in Classification.objects.filter(value__gt=0)
        )
        far = Contract.objects.create(workspace=workspace, name="record far away", counterparty="Somebody", value=1)
        row = ContextRow.objects.create(
            workspace=workspace, entity_id=far.pk, data_classification=0, kind=Kind.METADATA,
            text="far away liability", digest="x",
        )  # fmt: skip
        embed([row])


@cache
def vector_of(text: str) -> str:
    (vector,) = get_embedder().embed_documents([text])
    return f"[{','.join(map(str, vector))}]"


def embed(rows: list[ContextRow]) -> None:
    embedder = get_embedder()
    model, _ = VectorModel.objects.get_or_create(model_id=embedder.model_id, defaults={"dim": embedder.dim})
    with connection.cursor() as cursor:
        cursor.executemany(
            'INSERT INTO ingestion_vector (workspace_id, data_classification, audience, entity, file, "row", kind,'
            " model, embedding) SELECT c.workspace_id, c.data_classification, c.audience, e.number,"
            " coalesce(f.number, 0), c.number, c.kind, %s, %s::halfvec FROM ingestion_contextrow c"
            " JOIN entities_entity e ON e.id = c.entity_id LEFT JOIN ingestion_file f ON f.id = c.file_id"
            " WHERE c.id = %s",
            [(model.pk, vector_of(row.text), row.pk) for row in rows],
        )


def own_word(text: Text) -> str:
    """A word that stands in the row of no other text: of letters alone, as words that are completed are."""
    return "zeal" + "".join(chr(ord(c) + 49) if c.isdigit() else c for c in text.words.split()[0])


def plant_index(
    planted: Planted, files: Mapping[str, UUID], sessions: Mapping[tuple[str, str], UUID]
) -> dict[str, UUID]:
    """A row for each labelled text: of its paragraph, of what was said, or by itself with its sources."""
    at = {"workspace_id": planted.workspace.pk}
    with planted.service.open():
        paragraphs = {p.text: p for p in Paragraph.objects.all()}
        rows = [
            ContextRow(
                **at,
                entity_id=planted.records[text.record],
                data_classification=planted.label(text.label),
                audience=planted.audience(text.audience),
                kind=Kind[text.kind.upper()],
                file_id=files[text.record] if text.passage else None,
                field=str(sessions[text.audience, text.record]) if text.said else "",
                heading_path=own_word(text),
                position=paragraphs[text.words].position if text.passage else 0,
                text=text.words,
                digest=compute_digest(text.words),
            )
            for text in planted.world.texts
            if text.label is not None
        ]
        ContextRow.objects.bulk_create(rows)
        old = [t for t in planted.world.texts if planted.world.old(t)]
        ContextRow.objects.filter(text__in=[t.words for t in old]).update(created_at=LONG_AGO)
        FileRevision.objects.filter(file__in=[files[t.record] for t in old if t.passage]).update(fetched_at=LONG_AGO)
        found = {row.text: row for row in rows}
        RowParagraph.objects.bulk_create(
            RowParagraph(**at, row=row, paragraph=paragraphs[row.text], data_classification=row.data_classification)
            for row in rows
            if row.file_id
        )
        Source.objects.bulk_create(
            Source(**at, derived=found[text.words].pk, entity_id=planted.records[source])
            for text in planted.world.texts
            if text.label is not None
            for source in text.sources
        )
        embed(rows)
    return {words: row.pk for words, row in found.items()}


def plant_pulses(planted: Planted) -> None:
    """Of each contract that the service role sees, a Pulse for every set of clearances that a reader may be given."""
    world, at = planted.world, {"workspace_id": planted.workspace.pk}
    with planted.service.open():
        role = RoleRow.objects.get(name=PULSE_ROLE)
        for record in world.records:
            if record.kind != "contract" or record.visibility != "workspace":
                continue
            wanted = {PULSE_SERVICE - (world.concealed - world.held(p)) for p in world.people}
            wanted |= {PULSE_SERVICE & world.held(p) for p in world.people}
            for atoms in wanted:
                entity = planted.records[record.name]
                variant = Variant.objects.create(**at, entity_id=entity, atoms=sorted(atoms))
                inputs = world.pulse_inputs(record, atoms)
                pulse = Pulse.objects.create(
                    **at, pk=variant.pk, variant=variant, entity_id=entity,
                    text=f"Pulse for {sorted(atoms)}: {' '.join(t.words for t in inputs)}",
                    data_classification=planted.label(world.pulse_label(record, atoms)),
                    generated_at=timezone.now(), fingerprint="x", model="x", generated_by=-role.pk,
                )  # fmt: skip
                Source.objects.bulk_create(
                    Source(**at, derived=pulse.pk, entity_id=pk)
                    for pk in {planted.records[s] for t in inputs for s in t.sources}
                )


def talked_of(world: World, about: str) -> list[Text]:
    """What the answers of a conversation about a record say, or of one about the workspace."""
    return list(world.texts[:MAX_TEXTS]) if about == WORKSPACE else [t for t in world.texts if t.record == about]


def plant_conversations(planted: Planted) -> dict[tuple[str, str], UUID]:
    """Everybody's conversation about the workspace, and about each record from when they could see it: an answer for
    each text, some of which repeats the one before. Likewise what somebody once began for whoever sees the record
    (`SHARED`), and for each role. Of every third reader they were written by an older version, whose messages have
    sources of their own.
    """
    world, at = planted.world, {"workspace_id": planted.workspace.pk}
    sessions, turns, messages, sources = {}, [], [], []
    abouts = (WORKSPACE, *(record.name for record in world.records))
    readers = {person.name: planted.users[person.name].pk for person in world.people}
    readers |= {SHARED: 0, **{role.name: -planted.roles[role.name].pk for role in world.roles}}
    with planted.service.open():
        for place, (reader, audience) in enumerate(readers.items()):
            owner = audience if audience > 0 else planted.users[world.people[place % len(world.people)].name].pk
            for about in abouts if audience >= 0 else abouts[:2]:
                mine = {**at, "audience": audience, "owner": owner}
                session = Session(**mine, entity_id=planted.records.get(about))
                sessions[reader, about] = session
                texts, taken = talked_of(world, about), 0
                behind_each, sets = list_text_sources(texts), [""]
                for n, text in enumerate(texts, start=1):
                    turn = Turn(**mine, session=session, number=n, state=State.DONE, lease_until=timezone.now())
                    turns.append(turn)
                    repeats, is_old = repeats_previous(texts, n - 1), place % 3 == 2
                    names = behind_each[n - 1] if is_old else text.sources
                    said = {**mine, "session": session, "turn": turn}
                    messages.append(
                        Message(**said, pk=turn.question, role=Speaker.USER, content="Asked.", data_classification=0)
                    )
                    label = None if text.label is None else planted.label(text.label)
                    messages.append(
                        Message(**said, pk=turn.answer, role=Speaker.ASSISTANT, content=text.words,
                                data_classification=label)
                    )  # fmt: skip
                    behind = [planted.records[source] for source in names]
                    if (place + n) % 2 and behind:  # as a text that repeats numbers of a Pulse
                        own = [Source(**at, entity_id=session.entity_id or behind[0], weight=Weight.COUNT,
                                      counted=[*behind, uuid4()])]  # fmt: skip
                    else:
                        own = [Source(**at, entity_id=pk) for pk in behind]
                    for source in own:
                        source.derived, source.number = (turn.answer, None) if is_old else (session.pk, taken)
                        taken += 1
                    sources += own
                    parts = [f"[{source.number},{source.number}]" for source in own if source.number is not None]
                    sets.append(",".join([*parts, *([sets[-1]] if repeats and sets[-1] else [])]))
                    turn.answer_from = f"{{{sets[-1]}}}"
        Session.objects.bulk_create(sessions.values())
        Turn.objects.bulk_create(turns)
        Message.objects.bulk_create(messages)
        Source.objects.bulk_create(sources)
    return {key: session.pk for key, session in sessions.items()}


def plant_citations(planted: Planted, citing: UUID) -> dict[str, int]:
    """Numbers for all index rows, in the registry of a text that everybody in the workspace may read."""
    owner = Owner(OwnerKind.PULSE, citing)
    with planted.service.open():
        found = search(planted.service, "liability", limit=50)
        given = register_sources(planted.service, owner, found)
    numbers = {result.text: n for result, n in zip(found, given, strict=True)}
    text = " ".join(f"liability [citation:{n}]" for n in numbers.values())
    CITING[citing] = planted.workspace.pk, CitingText(owner, text)
    return numbers


def resolve_citing(scope: Scope, pk: UUID) -> CitingText | None:
    """A resolver for retrieval.owners."""
    workspace, citing = CITING.get(pk, (0, None))
    return citing if workspace == scope.workspace else None
