"""Pulses against the reference monitor: the label that the rules give, and no word that a reader may not read."""

import re

from entities.models import Source
from entities.text import compute_digest
from ingestion.models import ContextRow, Kind
from pulse.claims import claim_due
from pulse.generation import update_variant
from tests.oracle.monitor import Person, Record, Text, World
from tests.oracle.properties import in_worlds
from tests.oracle.worlds import Planted, plant
from tests.pulse.conftest import pass_time

SERVICE = frozenset({1, 2, 5})
"""What create_workspace grants to the role pulse-service."""
VALUE = frozenset({5})
"""Every contract of a world has a value, which needs Financial."""


def sentence(text: Text) -> str:
    return f"The {text.words} of clause {compute_digest(text.words)[:6]} is agreed and must be settled in time."


def plant_messages(planted: Planted) -> None:
    """The texts as index rows of a kind that a Pulse quotes."""
    with planted.service.open():
        for text in planted.world.texts:
            if text.label is None:
                continue
            row = ContextRow.objects.create(
                workspace=planted.workspace,
                entity_id=planted.records[text.record],
                data_classification=planted.label(text.label),
                audience=planted.audience(text.audience),
                kind=Kind.CHAT_MESSAGE,
                text=sentence(text),
                digest=compute_digest(sentence(text)),
            )
            for source in text.sources:
                Source.objects.create(
                    workspace=planted.workspace, derived=row.pk, entity_id=planted.records[source], passage=None
                )


def given_to(world: World, record: Record, atoms: frozenset[int]) -> list[Text]:
    """The texts that stand in the prompt of the variant `atoms` of an open record."""
    return [
        t
        for t in world.texts
        if t.record == record.name
        and t.label is not None
        and t.label <= atoms
        and t.audience is None
        and all(s == record.name or world.record(s).visibility == "workspace" for s in t.sources)
    ]


def get_field_label(world: World, record: Record, atoms: frozenset[int]) -> frozenset[int]:
    parts = [t.label for t in given_to(world, record, atoms) if t.label is not None]
    return frozenset().union(*parts, VALUE if atoms >= VALUE else frozenset())


def load_view(world: World, record: Record, person: Person) -> tuple[frozenset[int], frozenset[int]]:
    """(the atoms of the variant that a person is shown, what more would need)."""
    held = world.held(person)
    general = SERVICE - (world.concealed - held)
    missing = get_field_label(world, record, general) - held
    return (SERVICE & held, missing) if missing else (general, frozenset())


@in_worlds(2)
def test_pulses(db: None, world: World) -> None:
    planted = plant(world)
    plant_messages(planted)
    service = planted.service
    contracts = [r for r in world.records if r.kind == "contract"]

    def ask(person: Person, record: Record) -> dict:
        answer = planted.api(person).get(f"/api/entities/{planted.records[record.name]}/pulse/")
        assert (answer.status_code == 200) == world.sees(person, record)
        return answer.json() if answer.status_code == 200 else {}

    for _ in range(2):
        for person in world.people:
            for record in contracts:
                ask(person, record)
        pass_time(service)
        with service.open():
            claimed = claim_due(limit=200)
        for claim in claimed:
            update_variant(service.workspace, claim)

    for person in world.people:
        for record in contracts:
            answer = ask(person, record)
            if not answer:
                continue
            if record.visibility != "workspace":
                assert (answer["state"], answer["text"], answer["requires"]) == ("no_access", None, [])
                continue
            atoms, missing = load_view(world, record, person)
            assert answer["state"] == "ready"
            assert {r["value"] for r in answer["requires"]} == missing
            assert {r["value"] for r in answer["labels"]} == get_field_label(world, record, atoms)
            assert not missing & world.concealed
            words = set(re.findall(r"word\d+", answer["text"]))
            assert words <= {t.words.split()[0] for t in given_to(world, record, atoms)}
            assert all(world.index_reads(person, t) or t.words.split()[0] not in words for t in world.texts)
            # The engine writes the fields only where no text gives it a sentence.
            assert ("Value" in answer["text"]) == (atoms >= VALUE and not given_to(world, record, atoms))
