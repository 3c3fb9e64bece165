"""A turn: from a question that has been posted to an answer with citations (design §9).

It runs as a task of its own, apart from any response, and holds a lease. Between steps no connection is held, and each
step as the asker asks anew what they may see. STEPS of a turn: claim, label the question, assemble, call the model, do
what it asks for, until it answers; finish.
"""

import asyncio
import logging
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

from django.http import Http404

from chat import log, wakeups
from chat.access import select_readable_messages
from chat.audit import record_injection
from chat.citations import replace_message_citations
from chat.confidence import Confidence, find_confidence
from chat.context import Context, assemble
from chat.derivation import SourceGone
from chat.labelling import label_question, load_asker_atoms
from chat.layout import mark_prefixes
from chat.log import Entry, LeaseLost, RecordForgotten, TurnEnding
from chat.models import EventKind, Message, Session, State, Turn
from chat.narrowing import load_start
from chat.readers import load_common_atoms
from chat.running import Run, TurnStopped
from chat.steps import Asker, run_as_asker, run_as_service, run_in_thread
from chat.tool_calls import use_tool
from entities.access import NoWorkspace, Scope, is_readable
from entities.models import Workspace
from entities.models.classification import PUBLIC
from ingestion.text_labels import UNJUDGED, label_text
from llm import client
from llm.client import Call, Reply, TextDelta
from retrieval.citation_stream import CitationStream

logger = logging.getLogger(__name__)

TOOL_CALLS = 4
FLUSH_SECONDS = 0.05
RENEW_SECONDS = 1.0

GONE = "You no longer have access to this record, so the answer was not finished."
BROKEN = "Something went wrong on our side while this was answered. Ask again."
UNLABELLED = "Your question could not be classified, so it was not answered. Ask again."
CUT = "The model's answer broke off. What had arrived is kept; ask again for a whole one."
TOO_LONG = "The answer reached the longest that the model may write, and ends here."
EMPTY = "The model gave no answer. Ask again."
SHUT_DOWN = "The server was stopped while this was answered. What had arrived is kept; ask again for a whole answer."


ABOVE = "This question cannot be answered where others read along. Ask it in a conversation that only you see."


class TurnRefused(Exception):
    """The turn cannot go on; the message is a sentence for the asker."""

    def __init__(self, code: str, sentence: str, state: State = State.FAILED) -> None:
        super().__init__(sentence)
        self.code, self.state = code, state


async def run_turn(workspace: int, turn: UUID) -> Run | None:
    """Take a waiting turn and bring it to an end. Does nothing where another process has taken it. Returns the run
    where the answer is whole.
    """
    holder = uuid4()
    if not await run_as_service(workspace, log.claim, turn, holder):
        return None
    run = await run_as_service(workspace, _load, turn, holder)
    work, watch = asyncio.create_task(_answer(run)), asyncio.create_task(_watch(run))
    try:
        ending = await _wait_for_outcome(run, work, watch)
    except asyncio.CancelledError:
        ending = _build_unfinished(run, State.INTERRUPTED, SHUT_DOWN)
    finally:
        for task in (work, watch):
            task.cancel()
        await asyncio.gather(work, watch, return_exceptions=True)
    if ending is None or not await _end(run, ending):
        return None
    return run if ending.state is State.DONE else None


async def _wait_for_outcome(
    run: Run, work: "asyncio.Task[TurnEnding]", watch: "asyncio.Task[None]"
) -> TurnEnding | None:
    """How it ended, or what came in between. None: the lease is lost, and with it the turn."""
    try:
        done, _ = await asyncio.wait({work, watch}, return_when=asyncio.FIRST_COMPLETED)
        if work not in done:
            watch.result()
        return work.result()
    except LeaseLost:
        return None
    except (RecordForgotten, SourceGone):
        return _build_unfinished(run, State.FAILED, log.FORGOTTEN, "source_deleted")
    except TurnStopped:
        return _build_unfinished(run, State.STOPPED)
    except (NoWorkspace, Http404):
        return _build_unfinished(run, State.FAILED, GONE, "no_access")
    except TurnRefused as refused:
        return _build_unfinished(run, refused.state, str(refused), refused.code)
    except client.ModelError as error:
        return _build_unfinished(run, State.FAILED, str(error), "model")
    except Exception:
        logger.exception("turn %s failed", run.turn)
        return _build_unfinished(run, State.FAILED, BROKEN, "server_error")


async def _watch(run: Run) -> None:
    """Write what has been said, keep the lease, look out for a wish to stop. Ends only by LeaseLost, Stopped or
    Forgotten.
    """
    with wakeups.subscribed(run.turn, log.STOP) as news:
        quiet = 0.0
        while True:
            await wakeups.wait(news, FLUSH_SECONDS)
            quiet += FLUSH_SECONDS
            if run.pending or news.is_set() or quiet >= RENEW_SECONDS:
                news.clear()
                quiet = 0.0
                await run.flush()


async def _answer(run: Run) -> TurnEnding:
    """Everything between the claim and the end."""
    run.say(EventKind.STEP, text="Thinking")
    run.question, run.label = await _label(run)
    context = await _prepare_prompt(run)
    run.manifest = {
        "layers": context.layers,
        "dropped": list(context.dropped),
        "passages": [],
        "recalled": list(context.recalled),
        "searches": 0,
        "looked": [],
    }
    if context.injections:
        await run_as_service(run.asker.workspace, record_injection, run.turn, context.injections)
    await run.give(context.given, context.label)
    messages, run.room, run.known = list(context.messages), context.room, context.known.known
    markers = CitationStream(lambda n: n in context.known.known or n in run.passages, run.find_number_by(context))
    for calls in range(TOOL_CALLS + 1):
        reply = await _call(run, context, messages, markers, may_search=calls < TOOL_CALLS)
        if reply.stop_reason is None:
            raise TurnRefused("interrupted", CUT, State.INTERRUPTED)
        if not reply.tool_uses:
            return await _build_finished(run, reply, markers)
        run.take_room(reply.content)
        results = [await use_tool(run, context, tool) for tool in reply.tool_uses]
        messages += [{"role": "assistant", "content": reply.content}, {"role": "user", "content": results}]
    return await _build_finished(run, reply, markers)


async def _prepare_prompt(run: Run) -> Context:
    """The prompt; where others read along, of what its label needs and what all of them hold."""
    if run.session.is_private:
        return await run_as_asker(run.asker, assemble, run.session, run.row, run.question)
    common = await run_as_service(run.asker.workspace, load_common_atoms, run.session)
    start = await run_as_asker(run.asker, load_start, run.session, run.row, run.question, common, run.label)
    run.atoms = start.atoms
    asker = replace(run.asker, atoms=start.atoms)
    return await run_as_asker(asker, assemble, run.session, run.row, run.question, start.tools)


async def _label(run: Run) -> tuple[str, int]:
    """The question, labelled: before that nobody may use it."""
    text = await run_as_service(run.asker.workspace, _load_question, run.row)
    found = await run_in_thread(label_text, run.asker.workspace, text, UNJUDGED)
    if found is None:
        raise TurnRefused("unlabelled", UNLABELLED)
    run.found = max(found, PUBLIC)
    mine = await run_as_asker(run.asker, load_asker_atoms)
    label = await run_as_service(run.asker.workspace, label_question, run.turn, found, mine)
    if not run.session.is_private and not await run_as_asker(run.asker, _is_readable, run.row, label):
        raise TurnRefused("above_asker", ABOVE)
    return text, label


async def _call(
    run: Run, context: Context, messages: list[dict[str, Any]], markers: CitationStream, *, may_search: bool
) -> Reply:
    """One call of the model: its text streams into the log as it comes."""
    call = Call(run.asker.workspace, run.asker.user, "chat", context.tier)
    choice = None if may_search else {"type": "none"}
    marked = mark_prefixes(messages, context.history)
    stream = client.stream(call, system=context.system, messages=marked, tools=context.tools, tool_choice=choice)
    reply: Reply | None = None
    async for item in stream:
        if isinstance(item, Reply):
            reply = item
        else:
            run.is_offline = run.is_offline and (not isinstance(item, TextDelta) or item.offline)
            run.show(markers.feed(run.results.print_markers(item)), markers)
    assert reply is not None
    run.show(markers.feed(run.results.flush()), markers)
    run.add_usage(reply)
    if reply.tool_uses and run.text and not run.text.endswith("\n"):
        run.show(markers.feed("\n\n"), markers)
    return reply


async def _build_finished(run: Run, reply: Reply, markers: CitationStream) -> TurnEnding:
    """The whole answer. Whether its passages bear it out is checked when it is read (`retrieval.citation_links`)."""
    run.show(markers.close(), markers)
    run.show_rest()
    text = run.text.strip()
    if not text:
        raise TurnRefused("empty", EMPTY)
    error = TOO_LONG if reply.stop_reason == "max_tokens" else ""
    confidence = find_confidence(text) if run.usage["offline"] else None
    return TurnEnding(State.DONE, text, run.label, error, "too_long", markers.dropped, run.usage, confidence)


def _build_unfinished(run: Run, state: State, error: str = "", code: str = "") -> TurnEnding:
    """An end before the answer was whole: what was shown is kept, under the labels of what it was made from."""
    shown = run.text.removesuffix(run.unshown).strip()
    return TurnEnding(state, shown, run.label, error, code or state.value, run.dropped, run.usage)


async def _end(run: Run, ending: TurnEnding) -> bool:
    """False where another process has ended it."""

    async def finish() -> None:
        await run_as_service(run.asker.workspace, _finish, run, run.pending, ending)

    try:
        await run.write(finish)
    except LeaseLost:
        logger.info("turn %s was ended by another process", run.turn)
        return False
    return True


# Database steps


def _load(scope: Scope, turn: UUID, holder: UUID) -> Run:
    row = Turn.objects.get(pk=turn)
    slug = Workspace.objects.values_list("slug", flat=True).get(pk=scope.workspace)
    session = Session.objects.get(pk=row.session_id)
    asker = Asker(scope.workspace, row.owner, slug, session.pk, private=session.is_private)
    return Run(asker, turn, session, holder, row, label=session.high_water)


def _load_question(scope: Scope, row: Turn) -> str:
    """Raises: Forgotten where it went with a record that is behind it."""
    text = Message.objects.filter(pk=row.question).values_list("content", flat=True).first()
    if text is None:
        raise RecordForgotten(str(row.pk))
    return text


def _is_readable(scope: Scope, row: Turn, label: int) -> bool:
    """Whether the asker may read their own question as others do."""
    return is_readable(label) and select_readable_messages(scope, row.session_id).filter(pk=row.question).exists()


def _finish(scope: Scope, run: Run, entries: list[Entry], ending: TurnEnding) -> None:
    log.finish(scope, run.turn, run.holder, entries, ending)
    if Message.objects.filter(pk=run.row.answer).exclude(content="").exists():
        cited = [] if ending.confidence == Confidence.CLOSEST else sorted(run.cited)  # it quotes none of them
        replace_message_citations(run.session, run.row, cited)
