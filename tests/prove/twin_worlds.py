"""A world is made: once with what must be hidden without trace, and once without it, and nothing else differs.

Hidden rows are written between the others, so that numbers from sequences, the order of rows on disk and everything
that counts them would show them.
"""

from collections.abc import Sequence
from datetime import datetime
from random import Random
from typing import Any
from uuid import UUID

from entities.access import Scope, grant_entity, looking_into_bin
from entities.actions import create_workspace
from entities.models import Classification, Entity, EntityRoleGrant, EntityUserGrant, Membership, Role
from entities.models.classification import FINANCIAL, INTERNAL, SECRET
from entities.models.entity import ATTACHED
from entities.rag import VERBS
from entities.types import Article, Contract, Employee, Project, Risk, Task
from ingestion.models import AccessMessage, AccessRequest, File, RecordIndex
from references.kinds import Kind as ReferenceKind
from retrieval.evaluation.metrics import NAMES as FIGURES
from retrieval.evaluation.report import TITLES as RANKINGS
from retrieval.models import EvaluationOutcome, EvaluationQuestion, EvaluationRun
from tests.conftest import ALL, Person, person
from tests.prove.talk import (
    plant_conversation,
    plant_pulses,
    plant_shared_conversation,
    plant_workspace_conversation,
    refer,
)
from tests.prove.texts import plant_file, plant_notes, write_file
from tests.prove.world import HIDDEN_WORD, LONG_AGO, OPEN_ATOMS, READERS, START, World, at, named


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
            request(elsewhere, "foreign", elsewhere.people["keeper"])
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
    plant(world, n - 0.3, f"binned{n}", keeper, visibility="workspace")
    put_into_bin(world, Entity, "entity", f"binned{n}", deleted_with=world.things["entity", f"restricted{n}"])
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
        if visibility == "workspace" and not name.startswith("binned"):
            plant_run(world, name)
    with at(60 * n + 2):
        plant_file(world, record, name, maker, hidden)
        if world.hidden:
            put_into_bin(world, File, "file", f"binned {name}")
    with at(60 * n + 3):
        plant_pulses(world, record, name)
        if hidden:
            plant_conversation(world, record, name, maker)


def plant_attached(world: World, name: str, maker: Person, session: UUID) -> None:
    """A file that `maker` has attached to a conversation."""
    record = Entity(
        id=world.new("entity", name), workspace=world.workspace, name=f"Attachments {HIDDEN_WORD}", visibility=ATTACHED,
        attached_to=session, created_by=maker.user.pk,
    )  # fmt: skip
    record.save(force_insert=True)
    write_file(world, record, name, maker, [(0, False), (FINANCIAL, False)], True)


def put_into_bin(world: World, model: Any, kind: str, name: str, **with_other: UUID) -> None:
    """with_other: `deleted_with`, of what went with a record and is nobody's to restore by itself."""
    pk = world.things["bin", name] = world.things[kind, name]
    with looking_into_bin():
        model.objects.filter(pk=pk).update(deleted_at=START, **with_other)


def plant_run(world: World, name: str) -> None:
    """A run of one question that everybody may read."""
    run = EvaluationRun.objects.create(
        id=world.new("run", name), workspace=world.workspace, set_name="set", digest="x", reader="somebody",
        model_id="x", questions=1, seconds=1, figures={r: dict.fromkeys(FIGURES, 0.5) for r in RANKINGS},
    )  # fmt: skip
    question = EvaluationQuestion.objects.create(
        id=run.pk, workspace=world.workspace, set_name="set", key=name, text="What is the cap?", data_classification=0
    )
    scores = {r: [2, *[0.5 for _ in FIGURES]] for r in RANKINGS}
    EvaluationOutcome.objects.create(workspace=world.workspace, run=run, question=question, scores=scores)


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


def request(world: World, record: str, maker: Person) -> None:
    """`maker` asks for Internal and Financial, which some hold by now."""
    made = AccessRequest.objects.create(
        id=world.new("request", f"{record} {maker.user.username}"), workspace=world.workspace, atoms=[1, 5],
        has_message=True,
        requester=maker.user.pk, membership_id=Membership.objects.values_list("pk", flat=True).get(user=maker.user),
        entity_id=world.things["entity", record],
    )  # fmt: skip
    AccessMessage.objects.create(
        id=named(f"message {made.pk}"), workspace=world.workspace, request=made, requester=maker.user.pk,
        data_classification=0, text="For the talks." if record.startswith("own") else f"For {HIDDEN_WORD}.",
    )  # fmt: skip


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
            if hidden:
                request(world, f"restricted{n}", people["keeper"])
            for name in READERS:
                request(world, f"own{n}", people[name])
                plant_conversation(world, own, f"own{n}", people[name])
                plant_workspace_conversation(
                    world, f"all{n}", people[name], things["entity", f"restricted{n}"] if hidden else None
                )
                if hidden:
                    past = Entity.objects.get(pk=things["entity", f"restricted{n}"])
                    plant_conversation(world, past, f"past{n}", people[name])
            secret = things["entity", f"restricted{n}"] if hidden else None
            plant_shared_conversation(world, own, f"shared{n}", people["keeper"], people["bare"], secret, SECRET)
            if hidden:
                plant_attached(world, f"attached{n}", people["keeper"], things["session", f"shared{n}"])
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
