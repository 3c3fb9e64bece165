"""Every path by which something is read, compared with the reference monitor: no extra row, no missing row.

A check asks as one person and raises `Differs`. `PATHS` is the whole list; tests/oracle/breaks.py shows that each check
sees what it is there for.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

from django.test import Client
from rest_framework.test import APIClient

from chat.context import assemble
from chat.models import Session, Turn
from chat.tools import find_knowledge, search_knowledge
from entities.access import Scope
from entities.models import Entity
from references.graph import reach
from retrieval.gate import gate
from retrieval.neighbours import beside
from retrieval.query import PreparedQuery, Within, prepare
from retrieval.search import find, search
from tests.oracle.monitor import Person, Record, Text, World
from tests.oracle.planting import PULSE_SERVICE, Everything
from tests.oracle.worlds import VERBS, content_of

WORDS = "liability"
MEANING = "legal responsibility for damages"
"""No word in common with any text, so only the vectors can find them."""


class Differs(AssertionError):
    """A path shows what the monitor forbids, or keeps back what it allows."""


@dataclass(frozen=True)
class Asked:
    """One person at one world. A person who is narrowed has no sign-in of their own: only their scope is asked."""

    all: Everything
    person: Person

    @property
    def world(self) -> World:
        return self.all.world

    @cached_property
    def scope(self) -> Scope:
        return self.all.planted.scope(self.person)

    @cached_property
    def api(self) -> APIClient:
        return self.all.planted.api(self.person)

    @cached_property
    def client(self) -> Client:
        return self.all.planted.client(self.person)

    def page(self, path: str) -> Any:
        return self.client.get(f"{self.all.planted.base}{path}")

    def json(self, path: str, *, found: bool = True) -> Any:
        """The answer of `GET /api/<path>`, which is there exactly where `found` says so; None where it is not."""
        answer = self.api.get(f"/api/{path}")
        self.same(f"{path} answers", [answer.status_code], [200 if found else 404])
        return answer.json() if found else None

    def same(self, what: str, found: Iterable[Any], expected: Iterable[Any]) -> None:
        found, expected = list(found), list(expected)
        key: Any = repr
        if sorted(found, key=key) != sorted(expected, key=key):
            extra = [f for f in found if f not in expected]
            missing = [e for e in expected if e not in found]
            raise Differs(
                f"{what}, as {self.person}: extra {extra}, missing {missing}, {len(found)} of {len(expected)}"
            )

    def sees(self, record: Record) -> bool:
        return self.world.sees(self.person, record)

    def id(self, record: str) -> str:
        return self.all.planted.id(record)


Check = Callable[[Asked], None]


def lexical(asked: Asked) -> None:
    query = PreparedQuery(WORDS, "none", ())
    with asked.scope.open():
        hits = find(asked.scope, query).hits
        assert all(hit.similarity is None for hit in hits)
        asked.same("by words", [texts_by_number()[hit.row] for hit in hits], words(asked))


def vector(asked: Asked) -> None:
    with asked.scope.open():
        hits = find(asked.scope, MEANING, floor=-1).hits
        assert all(hit.lexical is None for hit in hits)
        asked.same("by meaning", [texts_by_number()[hit.row] for hit in hits], words(asked))


def hybrid(asked: Asked) -> None:
    """The search of the API, whole and narrowed in every way."""
    read = asked.world.indexed(asked.person)
    results = asked.json(f"search/?q={WORDS}&limit=50")["results"]
    asked.same("search", [result(r) for r in results], [expected(asked, t) for t in read])
    for kind in ("metadata", "file_chunk", "relationship"):
        narrowed(asked, f"kind={kind}", [t for t in read if t.kind == kind])
    for type_ in ("contract", "employee", "article"):
        narrowed(asked, f"type={type_}", [t for t in read if asked.world.record(t.record).kind == type_])
    for collection, types in (("documents", ("contract", "article")), ("hr_documents", ("employee",))):
        filed = [t for t in read if t.passage and asked.world.record(t.record).kind in types]
        narrowed(asked, f"collection={collection}", filed)
    for record in asked.world.records:
        narrowed(asked, f"entity={asked.id(record.name)}", [t for t in read if t.record == record.name])
    for name, file in asked.all.files.items():
        narrowed(asked, f"file={file}", [t for t in read if t.passage and t.record == name])


def narrowed(asked: Asked, filters: str, texts: list[Text]) -> None:
    results = asked.json(f"search/?q={WORDS}&limit=50&{filters}")["results"]
    asked.same(f"search with {filters}", [r["text"] for r in results], [t.words for t in texts])


def result(found: dict[str, Any]) -> tuple[Any, ...]:
    labels = tuple(sorted(label["value"] for label in found["labels"]))
    return found["text"], labels, found["entity"]["id"], found["file"] and found["file"]["id"], found["kind"]


def expected(asked: Asked, text: Text) -> tuple[Any, ...]:
    file = str(asked.all.files[text.record]) if text.passage else None
    return text.words, tuple(sorted(text.label or ())), asked.id(text.record), file, text.kind


def neighbour(asked: Asked) -> None:
    read = {t.words: t for t in asked.world.indexed(asked.person) if t.passage}
    with asked.scope.open():
        numbers = texts_by_number()
        mine = [number for number, text in numbers.items() if text in read]
        through = gate(asked.scope, Within())
        for steps in (1, 2):
            near = beside(mine, through, steps)
            for number in mine:
                found = [numbers[row] for row, _ in near.get(number, [])]
                text = read[numbers[number]]
                asked.same(f"beside {text.words}", found, asked.world.beside(asked.person, text, steps))


def expansion(asked: Asked) -> None:
    """Search from a record along references; `walk` goes to every depth from every record."""
    for n, record in enumerate(asked.world.records):
        depth = 1 + n % 3
        reached = asked.world.reached(asked.person, record, depth) if asked.sees(record) else set()
        read = [t.words for t in asked.world.indexed(asked.person) if t.record in reached]
        path = f"search/?q={WORDS}&limit=50&entity={asked.id(record.name)}&reference_depth={depth}"
        asked.same(path, [r["text"] for r in asked.json(path)["results"]], read)


def references(asked: Asked) -> None:
    world = asked.world
    known = [t.words for n, t in enumerate(world.texts) if world.knows_reference(asked.person, n)]
    listed = asked.json("references/?page_size=200")
    asked.same("references", [r["label"] for r in listed["results"]], known)
    asked.same("how many references", [listed["count"]], [len(known)])
    for record in world.records:
        graph = asked.json(f"entities/{asked.id(record.name)}/graph/?depth=2", found=asked.sees(record))
        if graph:
            reached = world.reached(asked.person, record, 2)
            asked.same("graph", [n["id"] for n in graph["nodes"]], map(asked.id, reached))


def autocomplete(asked: Asked) -> None:
    world = asked.world
    seen = [asked.id(r.name) for r in world.records if asked.sees(r)]
    readable = [
        str(asked.all.files[name])
        for name in asked.all.files
        if any(t.label is not None and world.reads(asked.person, t) for t in world.paragraphs(name))
    ]
    with asked.scope.open():
        from retrieval.suggest import suggest

        found = suggest(asked.scope, "record", limit=200)
    asked.same("suggestions", [s.id for s in found], [*seen, *readable])
    shown = asked.json("suggest/?q=record")["results"]
    asked.same("suggestions of the API", [], [s["id"] for s in shown if s["id"] not in {*seen, *readable}])


def related(asked: Asked) -> None:
    for record in asked.world.records:
        answer = asked.json(f"entities/{asked.id(record.name)}/related/", found=asked.sees(record))
        if answer:
            near = asked.world.related(asked.person, record)
            asked.same(f"related to {record.name}", [r["id"] for r in answer["results"]], map(asked.id, near))


def facets(asked: Asked) -> None:
    read = asked.world.indexed(asked.person)
    shown = asked.page(f"search/?q={WORDS}").context
    counts = [(f.parameter, v.value, v.count) for f in shown["facets"] for v in f.values]
    types = [asked.world.record(t.record).kind for t in read]
    kinds = [t.kind for t in read]
    collections = [
        "hr_documents" if asked.world.record(t.record).kind == "employee" else "documents" for t in read if t.passage
    ]
    pairs = (("type", types), ("kind", kinds), ("collection", collections))
    asked.same("facets", counts, {(name, v, values.count(v)) for name, values in pairs for v in values})


def citation(asked: Asked) -> None:
    for text in asked.world.texts:
        if text.label is None:
            continue
        at = f"citations/{asked.all.citing}/{asked.all.numbers[text.words]}/"
        cleared = asked.world.cleared(asked.person, text.label)
        read = asked.world.index_reads(asked.person, text)
        answer = asked.json(at, found=cleared)
        if answer:
            asked.same(f"citation of {text.words}", [answer["available"], text.words in str(answer)], [read, read])
        shown = asked.page(at).content.decode()
        asked.same(f"preview of {text.words}", [text.words in shown], [read])


def reader(asked: Asked) -> None:
    """The API's reader, the stewards' list of paragraphs, and the page that shows the document."""
    world, person = asked.world, asked.person
    for name, file in asked.all.files.items():
        known = world.knows_file(person, name)
        cleared = [t.words for t in world.paragraphs(name) if known and world.reads(person, t)]
        asked.json(f"files/{file}/", found=known)
        answer = asked.json(f"files/{file}/reader/", found=bool(cleared))
        page = asked.page(f"files/{file}/")
        asked.same("reader's page", [page.status_code], [200 if cleared else 404])
        shown = {f"{word} {WORDS}" for word in re.findall(r"word\d+", page.content.decode())}
        asked.same(f"texts on the page of {name}", shown, cleared)
        if answer:
            blocks = answer["blocks"]
            asked.same(f"reader of {name}", [b["text"] for b in blocks if b["type"] == "text"], cleared)
            asked.same(
                f"placeholders of {name}",
                {requires(b) for b in blocks if b["type"] == "placeholder"},
                {tuple(sorted(t.label - world.held(person))) for t in hidden(asked, name, cleared)},
            )
        if world.steward(person) and known:
            listed = asked.json(f"files/{file}/paragraphs/?page_size=200")
            asked.same(f"paragraphs of {name}", [p["text"] for p in listed["results"]], cleared)


def requires(block: dict[str, Any]) -> tuple[int, ...]:
    return tuple(sorted(r["value"] for r in block["requires"]))


def hidden(asked: Asked, record: str, shown: list[str]) -> list[Text]:
    """Passages of a record that are not read, and may be told of."""
    return [
        t
        for t in asked.world.paragraphs(record)
        if t.words not in shown and t.label is not None and asked.world.acknowledged(asked.person, t.label)
    ]


def file_list(asked: Asked) -> None:
    for record in asked.world.records:
        listed = asked.json(f"entities/{asked.id(record.name)}/files/", found=asked.sees(record))
        if listed:
            known = record.name in asked.all.files and asked.world.knows_file(asked.person, record.name)
            mine = [str(asked.all.files[record.name])] if known else []
            asked.same(f"files of {record.name}", [f["id"] for f in listed["results"]], mine)
            asked.same(f"how many files of {record.name}", [listed["count"]], [len(mine)])


def download(asked: Asked) -> None:
    for name, file in asked.all.files.items():
        for answer in (asked.api.get(f"/api/files/{file}/download/"), asked.page(f"files/{file}/download/")):
            given = b"".join(answer.streaming_content) if answer.streaming else b""
            if asked.world.downloads(asked.person, name):
                asked.same(f"original of {name}", [answer.status_code, given], [200, content_of(name)])
            else:
                known = asked.world.knows_file(asked.person, name)
                asked.same(f"original of {name}", [answer.status_code, given], [403 if known else 404, b""])


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


def chat(asked: Asked) -> None:
    """Conversations, their messages and exports; what the next prompt would hold, and what its search would find."""
    world, person = asked.world, asked.person
    mine = {r.name: asked.all.sessions[person.name, r.name] for r in world.records if asked.sees(r)}
    listed = asked.json("chat/sessions/?page_size=200")
    asked.same("conversations", [s["id"] for s in listed["results"]], map(str, mine.values()))
    asked.same("how many conversations", [listed["count"]], [len(mine)])
    others = {name: record for name, record in asked.all.sessions if name != person.name}  # one of each of them
    for (name, record), session in asked.all.sessions.items():
        own = name == person.name and record in mine
        if name != person.name and others[name] != record:
            continue
        texts = [t for t in world.texts if t.record == record]
        read = [t.words for t in texts if own and t.label is not None and world.cleared(person, t.label)
                and all(world.sees(person, world.record(s)) for s in t.sources)]  # fmt: skip
        messages = asked.json(f"chat/sessions/{session}/messages/?page_size=200", found=own)
        exported = asked.api.get(f"/api/chat/sessions/{session}/export/")
        asked.same("export answers", [exported.status_code], [200 if own else 404])
        if own:
            said = [m["content"] for m in messages["results"] if m["type"] == "text" and m["role"] == "assistant"]
            asked.same("messages", said, read)
            lines = exported.content.decode().splitlines()
            asked.same("export", [line for line in lines if line.endswith(WORDS)], read)
            asked.same("the next prompt", prompted(asked, session), verbatim(texts, read))


def prompted(asked: Asked, session: UUID) -> list[str]:
    """The answers that the next turn would be given word for word."""
    with asked.scope.open():
        row = Session.objects.get(pk=session)
        context = assemble(asked.scope, row, Turn(session=row, number=99), "What next?")
    return [m["content"] for m in context.messages if m["role"] == "assistant"]


def verbatim(texts: list[Text], read: list[str]) -> list[str]:
    """The answers among the last ten messages, from the first question on; questions are readable."""
    said = [part for t in texts for part in ("", t.words) if part == "" or part in read][-10:]
    return [part for part in said[said.index("") :] if part] if said else []


def chat_search(asked: Asked) -> None:
    read = [t.words for t in asked.world.indexed(asked.person)]
    with asked.scope.open():
        for record in asked.world.records:
            if not asked.sees(record):
                continue
            session = Session.objects.get(pk=asked.all.sessions[asked.person.name, record.name])
            looked = find_knowledge(asked.scope, session, prepare(WORDS, asked.scope), {"scope": "workspace"})
            found = search_knowledge(asked.scope, session, looked, most=50)
            asked.same("passages for the model", [p.text for p in found.passages], read)


def lists(asked: Asked) -> None:
    for kind in ("contract", "employee", "article"):
        seen = [asked.id(r.name) for r in asked.world.records if r.kind == kind and asked.sees(r)]
        listed = asked.json(f"entities/{kind}/?page_size=200")
        asked.same(f"list of {kind}", [r["id"] for r in listed["results"]], seen)
        asked.same(f"how many of {kind}", [listed["count"]], [len(seen)])


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


def walk(asked: Asked) -> None:
    with asked.scope.open():
        for record in asked.world.records:
            if asked.sees(record):
                for depth in (1, 2, 3):
                    found = reach(asked.scope, [asked.all.planted.records[record.name]], depth)
                    reached = asked.world.reached(asked.person, record, depth)
                    asked.same("reached", map(str, found), map(asked.id, reached))


def results(asked: Asked) -> None:
    """What a search hands to code: every row that may be read, each once."""
    with asked.scope.open():
        asked.same("results", [r.text for r in search(asked.scope, WORDS, limit=50)], words(asked))


def words(asked: Asked) -> list[str]:
    return [t.words for t in asked.world.indexed(asked.person)]


def texts_by_number() -> dict[int, str]:
    from ingestion.models import ContextRow

    return dict(ContextRow.objects.values_list("number", "text"))


IN_A_SCOPE: dict[str, Check] = {
    "lexical": lexical,
    "vector": vector,
    "results": results,
    "neighbour": neighbour,
    "walk": walk,
    "verbs": verbs,
}
"""Paths that can be asked in a scope that is narrowed to a role; the others need a sign-in."""

PATHS: dict[str, Check] = {
    **IN_A_SCOPE,
    "hybrid": hybrid,
    "expansion": expansion,
    "references": references,
    "autocomplete": autocomplete,
    "related": related,
    "facets": facets,
    "citation": citation,
    "reader": reader,
    "file list": file_list,
    "download": download,
    "pulse": pulse,
    "chat": chat,
    "chat search": chat_search,
    "lists": lists,
    "records": records,
}
