"""What the model is given at the start of a turn, read as the asker and put together afresh each time (design §9).

Layers: the agent's instructions, the Pulse, the record's properties, the conversation so far, and what was said earlier
about the question (`chat.layout`, `chat.memory`). Passages come by the tool. What is kept of it for the context
inspector is ids and token counts.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db.models import Max

from chat.access import get_entity, get_session_or_404, select_messages
from chat.agents import get_agent
from chat.attachments import find_attached
from chat.budget import (
    NO_LIMIT,
    PROMPT_TOKENS,
    FittedHistory,
    HistoryMessage,
    compute_history_room,
    compute_memory_room,
    compute_result_room,
    fit_history,
)
from chat.derivation import Given, load_message_sources, name_messages
from chat.document_overviews import READ_DOCUMENTS
from chat.layout import MEMORY_TOKENS, find_first_turn, lay_out
from chat.memory import PRINTED_NUMBER, Recall, RecalledTurn, list_cited, recall_turns
from chat.mentions import find_place, list_mentioned_sessions, load_mentions
from chat.models import LookIn, Message, Role, Session, Turn
from chat.places import MENTIONED
from chat.record_context import load_pulse, load_record
from chat.record_lists import describe_tool
from chat.summaries import load_summary
from chat.tools import SEARCH_KNOWLEDGE, get_owner
from entities.access import Scope, combine_many
from llm import prompts
from llm.chat_prompts import render_other_question, render_summary
from llm.client import is_offline
from llm.endpoints import get_current_endpoint
from llm.models_catalogue import Tier
from llm.prompt_filters import passage
from llm.tokens import estimate
from llm.transport import may_send_search_results
from retrieval.citations import CitationNumbers, load_numbers
from retrieval.locate import resolve_all

TOOLS: Mapping[str, Callable[[Scope], dict[str, Any]]] = {
    "search_knowledge": lambda scope: SEARCH_KNOWLEDGE,
    "read_documents": lambda scope: READ_DOCUMENTS,
    "list_records": describe_tool,
}
"""Name -> the tool as it exists for a scope."""

MENTIONED_TOKENS = 1_000
"""Of what is said again of one conversation that a question mentions."""
BESIDE_TOKENS = 150
"""Of what may stand beside the question, such as a reminder of the rules."""
LOOK_ANYWHERE = ("", MENTIONED, *LookIn.values)
KEEPS_TO = {"list_records": ("", LookIn.WORKSPACE)}
"""Tools that look in the whole workspace, and the choices under which the model has them."""


@dataclass(frozen=True)
class Context:
    """history: how many of `messages` are of earlier turns. label: of everything in here. given: where it came from.
    known: citation numbers in `messages` that the asker can follow today. recalled: numbers of the earlier turns that
    are said again beside the question. cites_blocks: passages go as `llm.search_results`.
    injections: what was found in questions of others and in the summary. room: tokens that are left for what tools
    return.
    """

    tier: Tier
    system: list[dict[str, Any]]
    messages: list[dict[str, Any]]
    history: int
    tools: tuple[dict[str, Any], ...]
    label: int
    given: tuple[Given, ...]
    known: CitationNumbers
    layers: dict[str, int] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()
    recalled: tuple[int, ...] = ()
    cites_blocks: bool = False
    injections: tuple[str, ...] = ()
    room: int = PROMPT_TOKENS


def assemble(
    scope: Scope, session: Session, turn: Turn, question: str, tools: tuple[dict[str, Any], ...] | None = None
) -> Context:
    """The prompt of a turn, in the asker's open scope, before the first call. tools: those that are offered; None for
    those of this scope. Raises: Http404 when the record is hidden; SourceGone.
    """
    if not session.is_private:
        get_session_or_404(scope, session.pk)  # its readers may have lost it since they asked
    entity = get_entity(scope, session)
    agent = get_agent(session.agent)
    files_alone = turn.look_in == LookIn.FILES
    record, record_given = load_record(scope, entity, with_fields=not files_alone) if entity else (None, [])
    pulse, pulse_given = load_pulse(scope, entity) if entity and not files_alone else ("", [])
    place = find_place(scope, turn)
    look_in = MENTIONED if place else turn.look_in
    offered = list_tools(scope, session, look_in) if tools is None else tools
    cites_blocks = may_send_search_results(get_current_endpoint())
    system = prompts.build_chat_system(agent.prompt, record, pulse=pulse, cites_blocks=cites_blocks)
    first = find_first_turn(turn.number)
    clean, is_read_offline = prompts.Cleaner(), is_offline()
    summary = None if is_read_offline else load_summary(scope, session, first)
    short = render_summary(summary.text, clean) if summary else ""
    texts = [json.dumps(offered, default=str), question, short, *(block["text"] for block in system)]
    fixed = BESIDE_TOKENS + sum(estimate(text) for text in texts)
    latest = _load_latest(scope, session, turn)
    said = fit_history([_make_history(scope, message, clean) for message in latest], compute_history_room(fixed))
    previous = _find_previous(latest)
    memory = compute_memory_room(fixed, said.tokens)
    elsewhere = _recall_mentioned(scope, session, turn, question, previous, memory)
    memory -= sum(one.tokens for one in elsewhere)
    recall = _recall_older(scope, session, turn, question, previous, said, memory)
    earlier = [message for recalled in (*elsewhere, *recall.turns) for message in recalled.messages]
    history = {row.pk: row.data_classification or 0 for row in (*latest, *earlier)}
    own = {row.pk for row in (*latest, *earlier) if row.session_id == session.pk}
    history_given: list[Given] = [
        *name_messages({pk: label for pk, label in history.items() if pk in own}),
        *load_message_sources({pk: label for pk, label in history.items() if pk not in own}),
    ]
    turns = tuple(_clean_others(scope, one, clean) for one in (*elsewhere, *recall.turns))
    if not session.is_private:  # numbers would count turns that the asker does not know of
        turns = tuple(replace(one, number=n) for n, one in enumerate(turns, start=1))
    repeated = replace(recall, turns=turns)
    # Where others read along, an answer could tell them that there are attachments.
    attached = session.is_private and find_attached(scope, session) is not None
    layout = lay_out(system, pulse, said, turn.number, question, look_in, repeated, cites_blocks, attached, short)
    others = said.tokens + estimate(layout.messages[-1]["content"]) - estimate(question)
    question_given = name_messages({turn.question: 0})  # its label is the turn's already
    summary_given = name_messages(dict.fromkeys(summary.messages, summary.data_classification or 0)) if summary else []
    given = (*record_given, *pulse_given, *summary_given, *history_given, *question_given)
    return Context(
        tier=agent.tier,
        system=layout.system,
        messages=layout.messages,
        history=layout.history,
        tools=offered,
        label=combine_many([session.high_water, *history.values(), *(g.label for g in given)]),
        given=given,
        known=_load_known_numbers(
            scope,
            session,
            {n for row, message in zip(latest, said.messages, strict=True) for n in list_cited(row, message.text)}
            | {n for turn in recall.turns for n in turn.cited}
            | {int(n) for n in PRINTED_NUMBER.findall(short)},
        ),
        layers=layout.layers,
        dropped=layout.dropped,
        recalled=tuple(turn.number for turn in recall.turns),
        cites_blocks=cites_blocks,
        injections=clean.injections,
        room=NO_LIMIT if is_read_offline else compute_result_room(fixed, others),
    )


def list_tools(scope: Scope, session: Session, look_in: str) -> tuple[dict[str, Any], ...]:
    """The tools that the model of a turn has. look_in: of the turn, or `MENTIONED`."""
    names = get_agent(session.agent).tools
    return tuple(TOOLS[name](scope) for name in names if look_in in KEEPS_TO.get(name, LOOK_ANYWHERE))


def list_mentioned_labels(scope: Scope, session: Session, turn: Turn, question: str) -> set[int]:
    """Labels of what is repeated of the conversations that a question mentions."""
    previous = _find_previous(_load_latest(scope, session, turn)) if turn.mentions else ""
    found = _recall_mentioned(scope, session, turn, question, previous)
    return {message.data_classification or 0 for one in found for message in one.messages}


def _find_previous(latest: Sequence[Message]) -> str:
    return next((m.content for m in reversed(latest) if m.role == Role.USER), "")


def _recall_mentioned(
    scope: Scope, session: Session, turn: Turn, question: str, previous: str, room: int = PROMPT_TOKENS
) -> tuple[RecalledTurn, ...]:
    """What was said about the question in the conversations that it mentions, without their numbers: these are of other
    registries. In `room` tokens.
    """
    found: list[RecalledTurn] = []
    for other in list_mentioned_sessions(scope, load_mentions(turn.mentions), session):
        end = Turn.objects.filter(session=other.pk).aggregate(last=Max("number"))["last"] or 0
        most = min(MENTIONED_TOKENS, room - sum(one.tokens for one in found))
        found += recall_turns(scope, other, question, end + 1, most, previous).turns
    return tuple(
        replace(one, texts=tuple((role, PRINTED_NUMBER.sub("", text)) for role, text in one.texts)) for one in found
    )


def _recall_older(
    scope: Scope, session: Session, turn: Turn, question: str, previous: str, said: FittedHistory, room: int
) -> Recall:
    """What was said about the question in turns that are not in the prompt, or of which a part was left out."""
    first = find_first_turn(turn.number)
    before = max([first, *(number + 1 for number in said.cut)])
    whole = {message.turn for message in said.messages} - said.cut
    return recall_turns(scope, session, question, before, min(MEMORY_TOKENS, room), previous, whole)


def _load_latest(scope: Scope, session: Session, turn: Turn) -> list[Message]:
    """Messages of the turns that go into the prompt word for word, as the asker may read them today, oldest first."""
    rows = select_messages(scope, session).filter(
        turn__number__gte=find_first_turn(turn.number), turn__number__lt=turn.number
    )
    return list(rows.exclude(content="").select_related("turn").order_by("turn__number", "-role"))


def _make_history(scope: Scope, message: Message, clean: prompts.Cleaner) -> HistoryMessage:
    text = message.content.replace("[citation:", "[")
    if message.role == Role.ASSISTANT:
        return HistoryMessage("assistant", text, message.turn.number)
    shown = text if message.owner == scope.principal else render_other_question(text, clean)
    return HistoryMessage("user", shown, message.turn.number)


def _clean_others(scope: Scope, turn: RecalledTurn, clean: prompts.Cleaner) -> RecalledTurn:
    """The turn as its asker's own, or with its question as of somebody else."""
    pairs = zip(turn.messages, turn.texts, strict=True)
    texts = tuple(
        (role, text if message.role == Role.ASSISTANT or message.owner == scope.principal else passage(clean(text)))
        for message, (role, text) in pairs
    )
    return replace(turn, texts=texts)


def _load_known_numbers(scope: Scope, session: Session, shown: set[int]) -> CitationNumbers:
    """Numbers of earlier turns that this one may use: the model sees them in an answer, and they lead somewhere."""
    owner = get_owner(session)
    if not shown:
        return CitationNumbers(frozenset(), {})
    known = {n for n, resolved in resolve_all(scope, owner, shown).items() if resolved.available}
    by_src = load_numbers(scope, owner).by_src
    return CitationNumbers(frozenset(known), {src: n for src, n in by_src.items() if n in known})
