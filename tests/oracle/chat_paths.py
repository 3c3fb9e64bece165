"""Conversations: what of them is listed, shown, exported and told to the model, and what their search finds."""

from collections import Counter
from urllib.parse import quote
from uuid import UUID

from chat.context import assemble
from chat.document_overviews import MAX_FIELD_ROWS, MAX_PASSAGES_PER_DOCUMENT, ReadingRequest, read_documents
from chat.layout import find_first_turn
from chat.memory import recall_turns
from chat.models import LookIn, Session, Turn
from chat.tools import find_knowledge, search_knowledge
from entities.access import OWN
from entities.models import Entity
from retrieval.query import prepare_query
from tests.oracle.asked import WORDS, Asked
from tests.oracle.monitor import Text, list_text_sources
from tests.oracle.planted_attachments import attached_words
from tests.oracle.planted_world import SHARED, WORKSPACE, talked_of
from tests.prove.size import FACTOR


def chat(asked: Asked) -> None:
    """Conversations, their messages and exports; what the next prompt would hold, and what its search would find."""
    world, person = asked.world, asked.person
    seen = [WORKSPACE, *(r.name for r in world.records if asked.sees(r))]
    mine = conversations_of(asked, seen)
    listed = asked.json("chat/sessions/?page_size=200")
    asked.same("conversations", [s["id"] for s in listed["results"]], map(str, mine.values()))
    asked.same("how many conversations", [listed["count"]], [len(mine)])
    drawn = [t.words for t in world.texts if t.sources] or [WORDS]
    wanted = drawn[world.people.index(person) % len(drawn)]
    hits = [str(pk) for (_, about), pk in mine.items() if any(wanted in words for words in reads_of(asked, about))]
    found = asked.json(f"chat/sessions/?page_size=200&q={quote(wanted)}")
    asked.same("conversations that say so", [s["id"] for s in found["results"]], hits)
    others = {name: record for name, record in asked.all.sessions if (name, record) not in mine}  # one of each of them
    for n, ((name, record), session) in enumerate(asked.all.sessions.items()):
        own = (name, record) in mine
        if not own and name != person.name and others[name] != record:
            continue
        texts = talked_of(world, record)
        read = reads_of(asked, record) if own else []
        if asked.takes(n) and (shown := asked.json(f"chat/sessions/{session}/messages/?page_size=200", found=own)):
            said = [m["content"] for m in shown["results"] if m["type"] == "text" and m["role"] == "assistant"]
            asked.same("messages", said, read)
            told = sum(m["type"] == "placeholder" for m in shown["results"])
            asked.same("hidden messages", [told], [count_told_of(asked, record)])
        if asked.takes(n + 1):
            exported = asked.api.get(f"/api/chat/sessions/{session}/export/")
            asked.same("export answers", [exported.status_code], [200 if own else 404])
            lines = exported.content.decode().splitlines()
            asked.same("export", [line for line in lines if line.endswith(WORDS)], read)
        if own and asked.takes(n + 1):
            asked.same("the next prompt", prompted(asked, session, len(texts) + 1), verbatim(texts, read))
        if own and asked.takes(n):
            recalled = recall_answers(asked, session, len(texts) + 1)
            asked.same("what comes back by its words", sorted(recalled), sorted(read))


def conversations_of(asked: Asked, seen: list[str]) -> dict[tuple[str, str], UUID]:
    """Those that somebody reads about what they see: their own, those for everybody, and those of their roles."""
    readers = (asked.person.name, SHARED, *asked.world.roles_now(asked.person))
    return {key: pk for key, pk in asked.all.sessions.items() if key[0] in readers and key[1] in seen}


def reads_of(asked: Asked, about: str) -> list[str]:
    """What somebody reads of the answers of a conversation about something."""
    world, person = asked.world, asked.person
    texts = talked_of(world, about)
    return [t.words for t, behind in zip(texts, list_text_sources(texts), strict=True)
            if t.label is not None and world.cleared(person, t.label)
            and all(world.sees(person, world.record(s)) for s in behind)]  # fmt: skip


def count_told_of(asked: Asked, about: str) -> int:
    """How many answers somebody may know of and not read: of nothing that came from a record that they do not see."""
    world, person = asked.world, asked.person
    texts = talked_of(world, about)
    return sum(
        t.label is not None
        and not world.cleared(person, t.label)
        and world.acknowledged(person, t.label)
        and all(world.sees(person, world.record(s)) for s in behind)
        for t, behind in zip(texts, list_text_sources(texts), strict=True)
    )


def prompted(asked: Asked, session: UUID, number: int) -> list[str]:
    """The answers that the next turn would be given word for word."""
    with asked.scope.open():
        row = Session.objects.get(pk=session)
        context = assemble(asked.scope, row, Turn(session=row, number=number), "What next?")
    return [m["content"] for m in context.messages if m["role"] == "assistant"]


def recall_answers(asked: Asked, session: UUID, before: int) -> list[str]:
    """The answers that hold the words of all texts and would come back, were all turns out of the prompt."""
    with asked.scope.open():
        found = recall_turns(asked.scope, Session(pk=session), WORDS, before, budget=10**6)
    return [text for turn in found.turns for role, text in turn.texts if role == "answered"]


def verbatim(texts: list[Text], read: list[str]) -> list[str]:
    """The answers of the turns that are given word for word; questions are readable."""
    return [t.words for t in texts[find_first_turn(len(texts) + 1) - 1 :] if t.words in read]


def chat_search(asked: Asked) -> None:
    # That records belong together is no passage: it answers nothing.
    read = [t for t in asked.world.indexed(asked.person) if t.kind != "relationship"]
    chat_attachments(asked, [t.words for t in read])
    with asked.scope.open():
        for n, record in enumerate(asked.world.records):
            if not asked.sees(record):
                continue
            session = Session.objects.get(pk=asked.all.sessions[asked.person.name, record.name])
            looked = find_knowledge(asked.scope, session, prepare_query(WORDS, asked.scope), {"scope": "workspace"})
            found = search_knowledge(asked.scope, session, looked, most=50)
            asked.same("passages for the model", [p.text for p in found.passages], [t.words for t in read])
            if asked.takes(n):
                own = [t.words for t in read if t.record == record.name]
                words = prepare_query(WORDS, asked.scope)
                looked = find_knowledge(asked.scope, session, words, {"scope": "workspace"}, LookIn.RECORD)
                found = search_knowledge(asked.scope, session, looked, most=50)
                asked.same("passages of the record that was chosen", [p.text for p in found.passages], own)


def chat_attachments(asked: Asked, read: list[str]) -> None:
    """What a turn finds beside all that its asker reads: what they have attached to its conversation, and nothing that
    is attached to another, by whomever. As a role nobody has attached anything.
    """
    people, person = asked.world.people, asked.person
    own = [] if person.narrowed else [attached_words(asked.world, person)]
    other = people[(people.index(person) + 1) % len(people)] if person in people else people[0]
    for whose, expected in ((person, own), (other, []), (None, own)):
        of = str(asked.all.sessions[whose.name, WORKSPACE]) if whose else OWN
        scope = asked.scope.with_attachments(of)
        with scope.open():
            session = Session.objects.get(pk=asked.all.sessions[person.name, WORKSPACE])
            looked = find_knowledge(scope, session, prepare_query(WORDS, scope), {"scope": "workspace"})
            found = search_knowledge(scope, session, looked, most=50)
            asked.same(f"passages where {of} is found", [p.text for p in found.passages], [*read, *expected])
            seen = Entity.objects.visible_to(scope).filter(attached_to__isnull=False)
            asked.same(f"attachments where {of} is found", [e.created_by for e in seen],
                       [scope.principal] if expected else [])  # fmt: skip
            shared = Entity.objects.visible_to(scope, "share").filter(attached_to__isnull=False)
            asked.same("attachments that may be shared", shared, [])


def chat_reading(asked: Asked) -> None:
    """What the model is given where it reads a record's documents, and one of any record by its name: at factor 1 each
    in one conversation.
    """
    read = [t for t in asked.world.indexed(asked.person) if t.kind in ("metadata", "file_chunk")]
    seen = [record for record in asked.world.records if asked.sees(record)]
    with asked.scope.open():
        for n, record in enumerate(seen):
            session = Session.objects.get(pk=asked.all.sessions[asked.person.name, record.name])
            found = read_documents(asked.scope, session, ReadingRequest())
            own = [t for t in read if t.record == record.name]
            if Counter(t.kind for t in own)["metadata"] <= MAX_FIELD_ROWS:
                asked.same("passages of its documents", [p.text for p in found.passages], [t.words for t in own])
            for other in asked.world.records if FACTOR > 1 else asked.world.records[n :: len(seen)]:
                found = read_documents(asked.scope, session, ReadingRequest(document=other.name))
                texts = [t.words for t in read if t.record == other.name and t.kind == "file_chunk"]
                if len(texts) <= MAX_PASSAGES_PER_DOCUMENT:
                    asked.same("passages of a named document", [p.text for p in found.passages], texts)
