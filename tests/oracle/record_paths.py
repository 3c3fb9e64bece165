"""Records: lists, fields and long texts, verbs, references between them, Pulses on them."""

from entities.models import Entity
from references.graph import find_reachable
from tests.oracle.asked import Asked, hidden, requires
from tests.oracle.planted_world import PULSE_SERVICE
from tests.oracle.worlds import VERBS


def lists(asked: Asked) -> None:
    for kind in ("contract", "employee", "article"):
        seen = [asked.id(r.name) for r in asked.world.records if r.kind == kind and asked.sees(r)]
        listed = asked.json(f"entities/{kind}/?page_size=200")
        asked.same(f"list of {kind}", [r["id"] for r in listed["results"]], seen)
        asked.same(f"how many of {kind}", [listed["count"]], [len(seen)])
        if kind == "contract":
            # Narrowed and ordered by columns of the type's own table, which is then read in place of the base.
            by_own = asked.json(f"entities/{kind}/?page_size=200&status=draft&ordering=counterparty")
            asked.same("list by own columns", [r["id"] for r in by_own["results"]], seen)
            asked.same("how many by own columns", [by_own["count"]], [len(seen)])


def records(asked: Asked) -> None:
    """A record with its fields and its long text."""
    world, person = asked.world, asked.person
    for record in world.records:
        answer = asked.json(f"entities/{record.kind}/{asked.id(record.name)}/", found=asked.sees(record))
        if not answer:
            continue
        needs = {"contract": {"value": {5}}, "employee": {"email": {3}, "salary": {3, 5}}, "article": {}}[record.kind]
        shown = [name for name in needs if name in answer]
        asked.same(f"fields of {record.name}", shown, [n for n in needs if world.cleared(person, frozenset(needs[n]))])
        told = [n for n in needs if n not in shown and not (needs[n] - world.held(person)) & world.concealed]
        asked.same(f"redacted fields of {record.name}", [r["field"] for r in answer.get("redacted", [])], told)
        blocks = answer["body" if record.kind == "article" else "notes"]
        read = [t.words for t in world.paragraphs(record.name) if world.reads(person, t)]
        asked.same(f"long text of {record.name}", [b["text"] for b in blocks if b["type"] == "text"], read)
        asked.same(
            f"placeholders in {record.name}",
            {requires(b) for b in blocks if b["type"] == "placeholder"},
            {tuple(sorted(t.label - world.held(person))) for t in hidden(asked, record.name, read)},
        )


def verbs(asked: Asked) -> None:
    with asked.scope.open():
        for verb in VERBS:
            seen = Entity.objects.visible_to(asked.scope, verb).values_list("pk", flat=True)
            may = [asked.all.planted.records[r.name] for r in asked.world.records
                   if asked.world.sees(asked.person, r, verb)]  # fmt: skip
            asked.same(f"may {verb}", seen, may)


def references(asked: Asked) -> None:
    world = asked.world
    known = [t.words for n, t in enumerate(world.texts) if world.knows_reference(asked.person, n)]
    listed = asked.json("references/?page_size=200")
    asked.same("references", [r["label"] for r in listed["results"]], known)
    asked.same("how many references", [listed["count"]], [len(known)])
    for n, record in enumerate(world.records):
        if not asked.takes(n):
            continue
        graph = asked.json(f"entities/{asked.id(record.name)}/graph/?depth=2", found=asked.sees(record))
        if graph:
            reached = world.reached(asked.person, record, 2)
            asked.same("graph", [n["id"] for n in graph["nodes"]], map(asked.id, reached))


def walk(asked: Asked) -> None:
    with asked.scope.open():
        for n, record in enumerate(asked.world.records):
            if asked.sees(record):
                for depth in (1, 2, 3) if asked.takes(n) else (3,):
                    found = find_reachable(asked.scope, [asked.all.planted.records[record.name]], depth)
                    reached = asked.world.reached(asked.person, record, depth)
                    asked.same("reached", map(str, found), map(asked.id, reached))


def pulse(asked: Asked) -> None:
    world, person = asked.world, asked.person
    for record in world.records:
        answer = asked.json(f"entities/{asked.id(record.name)}/pulse/", found=asked.sees(record))
        if not answer or record.kind != "contract":
            continue
        if record.visibility != "workspace":
            service = any(g.who == "pulse-service" for g in record.grants)
            asked.same(f"Pulse of {record.name}", [answer["state"], answer["text"]], ["no_access", None])
            assert not service
            continue
        given, missing = world.pulse_shown(person, record, PULSE_SERVICE)
        inputs = world.pulse_inputs(record, given)
        # Nothing that a reader may not see can have gone in: what it was drawn from is open to the workspace.
        text = f"Pulse for {sorted(given)}: {' '.join(t.words for t in inputs)}"
        asked.same(f"Pulse of {record.name}", [answer["text"], requires(answer)], [text, tuple(sorted(missing))])
        leaked = [t.words for t in world.texts if t.words in text.split(": ")[1] and not world.index_reads(person, t)]
        asked.same(f"words in the Pulse of {record.name}", [w for w in leaked if f"{w} " in f"{text} "], [])
