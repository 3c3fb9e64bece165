"""Search and what is made of the index: by words, by meaning, whole, narrowed, beside, suggested, counted."""

from collections.abc import Iterator
from typing import Any

from retrieval.completions import list_completions
from retrieval.gate import build_gates
from retrieval.neighbours import find_neighbours
from retrieval.query import PreparedQuery, Within
from retrieval.search import find_hits, search
from retrieval.suggest import suggest_names
from tests.oracle.asked import MEANING, WORDS, Asked, texts_by_number, words
from tests.oracle.monitor import Text
from tests.oracle.planted_world import own_word


def lexical(asked: Asked) -> None:
    query = PreparedQuery(WORDS, "none", ())
    with asked.scope.open():
        hits = find_hits(asked.scope, query).hits
        assert all(hit.similarity is None for hit in hits)
        asked.same("by words", [texts_by_number()[hit.row] for hit in hits], words(asked))


def vector(asked: Asked) -> None:
    with asked.scope.open():
        hits = find_hits(asked.scope, MEANING, floor=-1).hits
        assert all(hit.lexical is None for hit in hits)
        asked.same("by meaning", [texts_by_number()[hit.row] for hit in hits], words(asked))


def results(asked: Asked) -> None:
    """What a search hands to code: every row that may be read, each once."""
    with asked.scope.open():
        asked.same("results", [r.text for r in search(asked.scope, WORDS, limit=50)], words(asked))


def hybrid(asked: Asked) -> None:
    """The search of the API, whole and narrowed in every way."""
    read = asked.world.indexed(asked.person)
    results = asked.json(f"search/?q={WORDS}&limit=50")["results"]
    asked.same("search", [result(r) for r in results], [expected(asked, t) for t in read])
    for n, (filters, left) in enumerate(simply_narrowed(asked, read)):
        if asked.takes(n):
            narrowed(asked, filters, left)
    for n, ((name, record), session) in enumerate(asked.all.sessions.items()):
        if asked.takes(n) and any(t.audience == name and t.record == record for t in asked.world.texts):
            said = [t for t in read if t.said and (t.audience, t.record) == (name, record)]
            narrowed(asked, f"session={session}", said)
    for n, record in enumerate(asked.world.records):
        if asked.takes(n):
            narrowed(asked, f"entity={asked.id(record.name)}", [t for t in read if t.record == record.name])
    for n, (name, file) in enumerate(asked.all.files.items(), start=1):
        if asked.takes(n):
            narrowed(asked, f"file={file}", [t for t in read if t.passage and t.record == name])


def simply_narrowed(asked: Asked, read: list[Text]) -> Iterator[tuple[str, list[Text]]]:
    """Filters that name no one thing, with what they leave of what is read."""
    for kind in ("metadata", "file_chunk", "relationship", "chat_message"):
        yield f"kind={kind}", [t for t in read if t.kind == kind]
    for type_ in ("contract", "employee", "article"):
        yield f"type={type_}", [t for t in read if asked.world.record(t.record).kind == type_]
    for collection, types in (("documents", ("contract", "article")), ("hr_documents", ("employee",))):
        filed = [t for t in read if t.passage and asked.world.record(t.record).kind in types]
        yield f"collection={collection}", filed
    yield "since=2020-03-01", [t for t in read if not asked.world.old(t)]
    yield "until=2020-02-29", [t for t in read if asked.world.old(t)]


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
        through = build_gates(asked.scope, Within())
        for steps in (1, 2):
            near = find_neighbours(mine, through, steps)
            for number in mine:
                found = [numbers[row] for row, _ in near.get(number, [])]
                text = read[numbers[number]]
                asked.same(f"beside {text.words}", found, asked.world.beside(asked.person, text, steps))


def expansion(asked: Asked) -> None:
    """Search from a record along references; `walk` goes to every depth from every record."""
    for n, record in enumerate(asked.world.records):
        if not asked.takes(n):
            continue
        depth = 1 + n % 3
        reached = asked.world.reached(asked.person, record, depth) if asked.sees(record) else set()
        read = [t.words for t in asked.world.indexed(asked.person) if t.record in reached]
        path = f"search/?q={WORDS}&limit=50&entity={asked.id(record.name)}&reference_depth={depth}"
        asked.same(path, [r["text"] for r in asked.json(path)["results"]], read)


def autocomplete(asked: Asked) -> None:
    world = asked.world
    seen = [asked.id(r.name) for r in world.records if asked.sees(r)]
    readable = [
        str(asked.all.files[name])
        for name in asked.all.files
        if any(t.label is not None and world.reads(asked.person, t) for t in world.paragraphs(name))
    ]
    with asked.scope.open():
        found = suggest_names(asked.scope, "record", limit=200)
        words = list_completions(asked.scope, "zeal", limit=200)
    asked.same("suggestions", [s.id for s in found], [*seen, *readable])
    asked.same("completed words", words, map(own_word, world.indexed(asked.person)))
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
