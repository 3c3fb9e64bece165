"""A summary of the older part of a conversation, where a model is connected (docs/adr/0084).

It is made after a turn, by the fast model, from messages that everybody who reads the conversation may read, as far as
its asker may; it stands on these messages, with their labels and all that is behind them. One that has risen, or is
gone, takes it with it (a trigger), and the next turn has it made anew. It is written from nobody's view, for each of
these readers. The offline engine makes none.
"""

import asyncio
import logging
import re
from dataclasses import dataclass, replace
from uuid import UUID, uuid4

from django.db import IntegrityError, connection
from django.http import Http404
from django.utils import timezone

from chat.access import get_session_or_404, select_messages
from chat.audit import record_injection
from chat.cuts import cut_middle
from chat.derivation import hold_records, name_messages
from chat.layout import find_first_turn
from chat.memory import PRINTED_NUMBER, list_cited
from chat.message_sources import build_summary_visible_q, read_source_set
from chat.models import OPEN, Message, Role, Session, Summary, Turn
from chat.readers import load_common_atoms
from chat.steps import Asker, run_as_asker, run_as_service, run_in_thread
from chat.summary_leases import CALL_SECONDS, claim_summary, end_lease
from entities.access import NoWorkspace, Scope, combine_many
from ingestion.drawn import lock_labels
from llm import client
from llm.chat_prompts import build_summary_prompt
from llm.endpoints import get_endpoint
from llm.labels import is_cut
from llm.prompts import Prompt
from llm.thoughts import remove_thoughts
from llm.tokens import estimate

logger = logging.getLogger(__name__)

SUMMARY_TOKENS = 600
"""Of a summary."""
READ_TOKENS = 8_000
"""Of the messages that one is made from; older ones are left out."""
MAX_MESSAGES = 200
MESSAGE_TOKENS = 400
WHOLE_SENTENCES = re.compile(r".*[.!?](?=\s)", re.DOTALL)


@dataclass(frozen=True)
class SummaryInputs:
    """What a summary is made from. texts: as of `build_summary_prompt`. messages: their ids and labels, with those that
    `before`, the summary that there is, stands on. numbers: of citations that it may repeat. last_turn: number of the
    last.
    """

    before: str
    texts: tuple[tuple[int, str], ...]
    messages: dict[UUID, int]
    numbers: frozenset[int]
    last_turn: int


def load_summary(scope: Scope, session: Session, before: int) -> Summary | None:
    """The summary that covers most of what was said before turn `before`, of those that the caller may read today, with
    all that they were made from. Of a session from `get_session_or_404`.
    """
    if before <= 1:
        return None
    readable = Summary.objects.filter(build_summary_visible_q(scope, session.pk), data_classification__isnull=False)
    return readable.filter(session=session.pk, last_turn__lt=before).order_by("-last_turn", "pk").first()


async def summarise(asker: Asker, session: Session, turn: Turn) -> None:
    """`make_summary` after a turn whose answer is whole: nobody waits for it."""
    try:
        await make_summary(asker, session, turn)
    except IntegrityError:  # two turns of one asker, or the conversation went
        logger.info("another process got there first: no summary after turn %s", turn.pk)
    except Exception:
        logger.exception("no summary after turn %s", turn.pk)


async def make_summary(asker: Asker, session: Session, turn: Turn) -> bool:
    """Have a summary made of what leaves the prompt after a turn, where something does that is in none. No scope is
    open, and no thread waits for the model. Returns whether one was stored.
    """
    if find_first_turn(turn.number + 1) == 1 or await run_in_thread(client.is_offline, asker.workspace):
        return False
    holder, has_failed = uuid4(), False
    try:
        is_due = await run_as_asker(asker, _is_due, session, turn.number)
    except (NoWorkspace, Http404):
        return False
    if not is_due or not await run_as_service(asker.workspace, claim_summary, session, asker.user, holder):
        return False
    try:
        inputs = await run_in_thread(_read_inputs, asker, session, turn.number)
        if inputs is None:
            return False
        prompt = build_summary_prompt(inputs.before, inputs.texts)
        if prompt.injections:
            await run_as_service(asker.workspace, record_injection, turn.pk, prompt.injections)
        text = cut_middle(_clean(await _ask_model(asker, prompt), inputs.numbers), SUMMARY_TOKENS)
        has_failed = not text
        return bool(text) and await run_as_service(asker.workspace, write_summary, session, asker.user, inputs, text)
    except (NoWorkspace, Http404):
        return False
    except (client.ModelError, TimeoutError) as problem:
        has_failed = True
        logger.info("no summary of conversation %s: %s", session.pk, type(problem).__name__)
        return False
    finally:
        await run_as_service(asker.workspace, end_lease, holder, has_failed=has_failed)


async def _ask_model(asker: Asker, prompt: Prompt) -> str:
    """What the model answers, up to its last whole sentence where it wrote longer than it may; "" where its answer
    broke off, or ends in its thoughts, or where its server has cut the prompt off. Raises: ModelError, TimeoutError.
    """
    endpoint = await run_in_thread(get_endpoint, asker.workspace)
    call = client.Call(asker.workspace, asker.user, "summary", "fast")
    async with asyncio.timeout(CALL_SECONDS):
        *_, reply = [item async for item in client.stream(call, **prompt.request)]
    if not isinstance(reply, client.Reply) or reply.offline or reply.stop_reason is None:
        return ""
    if endpoint.base_url and is_cut(reply, [prompt.messages[0]["content"]]):
        logger.warning("a server in workspace %s has cut the messages of a conversation off", asker.workspace)
        return ""
    text = remove_thoughts(reply.text)
    if reply.stop_reason == "max_tokens":
        whole = WHOLE_SENTENCES.match(text)
        text = whole[0] if whole else ""
    return text


def _clean(text: str, numbers: frozenset[int]) -> str:
    """A summary without numbers of citations that are not among `numbers`."""
    return PRINTED_NUMBER.sub(lambda found: found[0] if int(found[1]) in numbers else "", text.strip())


def _is_due(scope: Scope, session: Session, number: int) -> bool:
    """Whether something leaves the prompt after turn `number` that is in no summary which the caller may read. Raises:
    Http404.
    """
    first = find_first_turn(number + 1)
    there = load_summary(scope, get_session_or_404(scope, session.pk), first)
    return there is None or there.last_turn < first - 1


def _read_inputs(asker: Asker, session: Session, number: int) -> SummaryInputs | None:
    """What is in the next summary, after turn `number`. None where there is nothing, and where what is made could not
    be stored. Raises: NoWorkspace, Http404.
    """
    scope, service = asker.scope(), Scope.for_service(asker.workspace)
    if not session.is_private:
        with service.open():
            common = load_common_atoms(service, session)
        scope = replace(asker, atoms=common).scope()
    with scope.open():
        inputs = load_inputs(scope, get_session_or_404(scope, session.pk), find_first_turn(number + 1) - 1)
    with service.open():
        if inputs is None or read_source_set(session.pk, list(inputs.messages)).has_own_rows:
            return None
    return inputs


def load_inputs(scope: Scope, session: Session, last: int) -> SummaryInputs | None:
    """What the summary of turns up to `last`, or to the first that has not ended, is made from, as the caller may read
    it; None where there is one already, or nothing to read.
    """
    unfinished = Turn.objects.filter(session=session.pk, number__lte=last, state__in=OPEN).order_by("number")
    last = next((turn.number - 1 for turn in unfinished[:1]), last)
    before = load_summary(scope, session, last + 1)
    begin = before.last_turn if before else 0
    if begin >= last:
        return None
    rows = select_messages(scope, session).filter(turn__number__gt=begin, turn__number__lte=last).exclude(content="")
    read: list[tuple[Message, str]] = []
    room = READ_TOKENS
    for row in rows.order_by("-turn__number", "role")[:MAX_MESSAGES]:
        text = cut_middle(row.content.replace("[citation:", "["), MESSAGE_TOKENS)
        room -= estimate(text)
        if room < 0:
            break
        read.append((row, text))
    if not read:
        return None
    messages = {row.pk: row.data_classification or 0 for row, _ in read}
    cited = {n for row, text in read for n in list_cited(row, text)}
    if before:
        messages |= dict.fromkeys(before.messages, before.data_classification or 0)
        cited |= {int(n) for n in PRINTED_NUMBER.findall(before.text)}
    read.reverse()
    asked = dict.fromkeys(row.owner for row, _ in read if row.role == Role.USER)
    persons = {owner: number for number, owner in enumerate(asked, start=1)}
    texts = tuple((persons[row.owner] if row.role == Role.USER else 0, text) for row, text in read)
    return SummaryInputs(before.text if before else "", texts, messages, frozenset(cited), last)


def write_summary(scope: Scope, session: Session, owner: int, inputs: SummaryInputs, text: str) -> bool:
    """Put a summary in the place of the asker's own, with labels and sources of its messages as they are now. In the
    service's scope. False where one of them is gone, or has another label than the one that it was read under, and
    where the asker's own reaches further by now.
    """
    named = name_messages(inputs.messages)
    hold_records(session, named)
    behind = read_source_set(session.pk, list(inputs.messages))
    # Who raises a passage is waited for, and who raises one later finds the summary. Of a turn that has ended a message
    # rises with its passages alone (`raise_labels`), so the messages need no lock of their own.
    risen = lock_labels(behind.passages, session.owner if session.is_private else 0)
    if not _hold_session(session.pk):
        return False
    rows = Message.objects.filter(pk__in=inputs.messages, session=session.pk)
    labels = dict(rows.values_list("pk", "data_classification"))
    if behind.has_own_rows or labels.keys() != inputs.messages.keys() or None in labels.values():
        return False
    known = combine_many(inputs.messages.values())
    label = combine_many([*(label or 0 for label in labels.values()), *risen])
    if combine_many([known, label]) != known:
        return False
    mine = Summary.objects.filter(session=session.pk, owner=owner)
    if mine.filter(last_turn__gt=inputs.last_turn).exists():
        return False
    mine.filter(last_turn__lte=inputs.last_turn).delete()
    Summary.objects.create(
        workspace_id=session.workspace_id,
        audience=session.audience,
        owner=owner,
        session_id=session.pk,
        last_turn=inputs.last_turn,
        text=text,
        messages=sorted(inputs.messages, key=str),
        source_numbers=behind.numbers,
        data_classification=label,
        created_at=timezone.now(),
    )
    return True


def _hold_session(pk: UUID) -> bool:
    """Keep a session from being deleted until the transaction ends: after records and labels, as everywhere, and before
    any of its rows. Who deletes it has locked it before these. False where it is gone.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM chat_session WHERE id = %s FOR KEY SHARE", [pk])
        return cursor.rowcount == 1
