"""The tools of a turn: each call runs as the asker, and is in the audit before the model is given its result."""

import json
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from chat.attachments import add_attached_to_place, find_attached, split_attached
from chat.audit import record_injection
from chat.context import Context
from chat.document_overviews import ReadingRequest, parse_reading, read_documents
from chat.layout import PASSAGES
from chat.mentions import find_place
from chat.models import EventKind
from chat.narrowing import look_narrowed
from chat.places import ATTACHED, LIST, MENTIONED, choose_numbered_code, choose_reading_code, encode_place
from chat.record_lists import list_knowledge, read_query
from chat.running import Run
from chat.steps import Asker, prepare_as, rerank_as, run_as_asker, run_as_service, run_in_thread
from chat.tools import BadCall, SearchLookup, ToolFindings, find_knowledge, read_search_words, search_knowledge
from entities.access import Scope, list_atoms
from entities.audit import AuditedQuery, record_question
from llm.client import ToolUse
from llm.tokens import estimate
from retrieval.audit import note_search
from retrieval.query import CONTROL, PreparedQuery

NO_ROOM = "There is no room for more in this turn: answer from what you have."


async def _search_knowledge(run: Run, asked: dict[str, Any]) -> ToolFindings:
    """Raises: BadCall."""
    words = read_search_words(asked)
    run.say(EventKind.STEP, text=f"Searching: {words[:120]}")

    async def search_as(asker: Asker) -> ToolFindings:
        started = time.monotonic()
        query = await run_in_thread(prepare_as, asker, words)
        looked = await run_as_asker(asker, _find, run, query, asked)
        if looked.short is not None:
            looked = await run_in_thread(rerank_as, asker, looked)
        return await run_as_asker(asker, _search, run, looked, started)

    return await look_narrowed(run, asked, search_as)


async def _list_records(run: Run, asked: dict[str, Any]) -> ToolFindings:
    """Raises: BadCall."""
    run.say(EventKind.STEP, text=f"Listing: {CONTROL.sub(' ', str(asked.get('type') or ''))[:40]} records")
    return await run_as_asker(run.asker, _list, run, asked)


async def _read_documents(run: Run, asked: dict[str, Any]) -> ToolFindings:
    """Raises: BadCall."""
    request = parse_reading(asked)
    what = "the fields of this record" if request.fields else "the documents of this record"
    what = "passages given before" if request.numbers else what
    run.say(EventKind.STEP, text=f"Reading: {request.document[:120] or what}")

    async def read_as(asker: Asker) -> ToolFindings:
        return await run_as_asker(asker, _read, run, request)

    return await look_narrowed(run, asked, read_as)


async def use_tool(run: Run, context: Context, tool: ToolUse) -> dict[str, Any]:
    """Do what the model asks for, with a tool that it was offered; the result as it is sent back. What cannot be done
    is told to the model.
    """
    content, is_error = await _answer_call(run, context, tool)
    run.take_room(content)
    result = {"type": "tool_result", "tool_use_id": tool.id, "content": content}
    return {**result, "is_error": True} if is_error else result


async def _answer_call(run: Run, context: Context, tool: ToolUse) -> tuple[str | list[dict[str, Any]], bool]:
    if tool.name not in {offered["name"] for offered in context.tools}:
        return f"There is no tool {tool.name!r}.", True
    if not run.call_room:
        return NO_ROOM, True
    try:
        found = await CALLS[tool.name](run, tool.input)
    except BadCall as problem:
        return str(problem), True
    await _take(run, found)
    # Every passage is cleaned and split into sentences: the event loop has other turns.
    return await run_in_thread(run.results.build_content, found) if context.cites_blocks else found.text, False


async def _take(run: Run, found: ToolFindings) -> None:
    """Passages are on record, with their labels and sources, before the model sees them."""
    run.passages |= {passage.n: passage for passage in found.passages}
    manifest = run.manifest
    manifest["searches"] += 1
    places = [found.place, ATTACHED if found.attached else ""]
    manifest["looked"] += [place for place in places if place and place not in manifest["looked"]]
    if found.is_cut and PASSAGES not in manifest["dropped"]:
        manifest["dropped"].append(PASSAGES)
    manifest["layers"]["passages"] = manifest["layers"].get("passages", 0) + estimate(found.text)
    listed = {entry["n"] for entry in manifest["passages"]}
    manifest["passages"] += [
        {"n": p.n, "row": str(p.row), "entity": str(p.given.entity), "by": p.by}
        for p in found.passages
        if p.n not in listed
    ]
    if found.injections:
        await run_as_service(run.asker.workspace, record_injection, run.turn, found.injections)
    await run.give(found.sources, found.label)
    count = len(found.passages)
    read = f"Reading {count} passage{'' if count == 1 else 's'}" if count else "Reading" if found.listed else ""
    run.say(EventKind.STEP, text=read or "Nothing found")


CALLS: Mapping[str, Callable[[Run, dict[str, Any]], Awaitable[ToolFindings]]] = {
    "search_knowledge": _search_knowledge,
    "read_documents": _read_documents,
    "list_records": _list_records,
}
"""Name of a tool -> what does it. Raises: BadCall."""

# Database steps


def _collect_audited_atoms(run: Run) -> set[int]:
    """The atoms of what a tool's words were made from, for the audit."""
    return {atom for label in (run.label, run.found, *run.behind) for atom in list_atoms(label)}


def _find(scope: Scope, run: Run, query: PreparedQuery, asked: dict[str, Any]) -> SearchLookup:
    return find_knowledge(scope, run.session, query, asked, run.row.look_in, find_place(scope, run.row))


def _search(scope: Scope, run: Run, looked: SearchLookup, started: float) -> ToolFindings:
    """A search and its row in the audit: the model is given nothing that is not on record. Its words were made from the
    question and from what the model had been given.
    """
    found = search_knowledge(scope, run.session, looked, room=run.call_room)
    shown = [(passage.row, passage.given.entity) for passage in found.passages]
    behind = _collect_audited_atoms(run)
    note_search(
        scope,
        "chat",
        looked.hits,
        found.within,
        shown,
        started,
        depth=looked.depth,
        behind=behind,
        turn=run.turn,
    )
    within, attached = split_attached(scope, run.session, found.within)
    place = MENTIONED if looked.mentioned else encode_place(run.session, within, looked.depth)
    return replace(found, place=place, attached=attached)


def _list(scope: Scope, run: Run, asked: dict[str, Any]) -> ToolFindings:
    """A list of records and its row in the audit, as for a search."""
    query = read_query(scope, asked)
    found = list_knowledge(scope, run.session, query, run.call_room)
    retrieved = tuple((passage.row, passage.given.entity) for passage in found.passages)
    behind = _collect_audited_atoms(run)
    question = AuditedQuery(json.dumps(asked, ensure_ascii=False), behind, retrieved)
    record_question(scope, "records.listed", question, "turn", run.turn, door="chat")
    return replace(found, place=f"{LIST}{query.model.type_key}")


def _read(scope: Scope, run: Run, request: ReadingRequest) -> ToolFindings:
    """Passages of documents and their row in the audit, as for a search."""
    mentioned = find_place(scope, run.row)
    mentioned = add_attached_to_place(scope, run.session, mentioned) if mentioned else None
    known = run.known | run.passages.keys()
    found = read_documents(scope, run.session, request, run.row.look_in, mentioned, run.call_room, known)
    retrieved = tuple((passage.row, passage.given.entity) for passage in found.passages)
    behind = _collect_audited_atoms(run)
    words = " ".join(filter(None, (request.document, request.focus, *(f"[{n}]" for n in request.numbers))))
    record_question(scope, "documents.read", AuditedQuery(words, behind, retrieved), "turn", run.turn, door="chat")
    record = find_attached(scope, run.session)
    read = {passage.given.entity for passage in found.passages}
    attached = record is not None and record.pk in read
    read -= {record.pk} if record else set()
    if request.numbers:
        place = choose_numbered_code(run.session, run.row.look_in, read)
    else:
        place = choose_reading_code(run.session, run.row.look_in, bool(request.document), read)
    if attached and not read and run.session.entity_id is None:
        place = ""  # in these alone
    return replace(found, place=MENTIONED if mentioned else place, attached=attached)
