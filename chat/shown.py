"""An exchange as templates show it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.urls import reverse

from chat.access import select_messages
from chat.citations import collect_cited_atoms, label_fields, load_citation_links, resolve_cited
from chat.closest import ClosestPassage, list_closest
from chat.confidence import Confidence, read_confidence
from chat.conversation import Exchange
from chat.mention_names import Named, name_links
from chat.models import LookIn, Message, Role, State, Turn
from chat.places import name_places
from chat.readers import name_people
from entities.access import Scope, build_sources_visible_q, has_permission, list_atoms, list_redacted_fields
from entities.api.lists import list_atom_chips, list_chips
from entities.model_markdown import CitationLink
from entities.models import Entity
from entities.registry import get_column
from ingestion.models import ContextRow
from llm.prompts import NOT_FOUND
from retrieval.citation_links import list_sources
from retrieval.locate import ResolvedCitation
from retrieval.nearby import Nearby, find_nearby, list_missing_in_files
from retrieval.query import LONGEST
from retrieval.results import load_paragraph_ids
from text.questions import read_statements
from text.terms import extract_alike_terms, extract_terms, measure_share

CITED = re.compile(r"\[citation:(\d+)\]")
MOST_BESIDE = 2
CLOSEST_AT_ONCE = 3
MIN_COVERAGE = 0.34
"""Share of a question's content words in a passage that is about it."""


@dataclass(frozen=True)
class ShownExchange:
    """is_mine: the caller asked; asker: else who did, by name. question: its text, None where it is hidden. …_requires:
    the missing atoms of what may be acknowledged.

    is_withheld: there was an answer that is not shown. is_removed: because a source of it was deleted. error: why there
    is none, or not all of it. beside: hidden text next to what was cited, or to what is about the question. in_fields:
    what is missing for fields that the question asks for. in_files: what is missing for text in the record's files,
    where nothing was found. looked: where the tools of the turn looked, in words. mentions: links to what the question
    mentions. drew_on: what the answer drew on, in words. confidence: of an answer without a model. closest: passages of
    one that quotes nothing. may_add: the caller may add files to the record.
    """

    turn: Turn
    is_mine: bool
    asker: str
    question: str | None
    question_requires: list[Any] | None
    answer: Message | None
    answer_requires: list[Any] | None
    links: Mapping[int, CitationLink]
    labels: list[Any] | None
    is_open: bool
    may_ask_again: bool
    lost_question: bool
    is_withheld: bool = False
    is_removed: bool = False
    error: str = ""
    beside: Sequence[Nearby] = ()
    in_fields: Sequence[Any] = ()
    in_files: Sequence[Any] = ()
    looked: Sequence[str] = ()
    mentions: Sequence[Named] = ()
    drew_on: str = ""
    confidence: Confidence | None = None
    closest: Sequence[ClosestPassage] = ()
    may_add: bool = False

    @property
    def pk(self) -> UUID:
        return self.turn.pk

    @property
    def events_url(self) -> str:
        return reverse("chat_api:events", args=[self.turn.pk])

    @property
    def sources(self) -> list[CitationLink]:
        """The list under the answer."""
        return list_sources(self.links)

    @property
    def may_ask_wider(self) -> bool:
        is_wide = self.turn.session.entity_id is None or self.turn.look_in == LookIn.WORKSPACE
        return self.is_mine and self.question is not None and not is_wide

    @property
    def searched(self) -> str:
        """Of the question what a search reads."""
        return (self.question or "")[:LONGEST]

    @property
    def closest_at_once(self) -> int:
        """How many are shown before "More"."""
        return CLOSEST_AT_ONCE

    @property
    def is_whole(self) -> bool:
        return self.turn.state == State.DONE


def present_exchanges(scope: Scope, found: Sequence[Exchange]) -> list[ShownExchange]:
    """Exchanges of one conversation."""
    askers = name_people({exchange.turn.owner for exchange in found if not exchange.is_mine})
    cited = resolve_cited(scope, [exchange.answer for exchange in found if exchange.answer])
    return [present_exchange(scope, each, asker=askers.get(each.turn.owner, ""), cited=cited) for each in found]


def present_exchange(
    scope: Scope,
    exchange: Exchange,
    typed: str = "",
    asker: str | None = None,
    cited: Mapping[int, ResolvedCitation] | None = None,
) -> ShownExchange:
    """typed: the question as it has just been sent, while it has no label yet. asker: the name of who asked, and cited:
    what the answer cites (`resolve_cited`), where they are not looked up here.
    """
    if asker is None:
        asker = "" if exchange.is_mine else name_people({exchange.turn.owner}).get(exchange.turn.owner, "")
    answer = exchange.answer if not exchange.is_open else None
    asked = exchange.question.content if exchange.question else ""
    links = load_citation_links(scope, answer, asked, cited) if answer else {}
    quoted = (
        collect_cited_atoms(
            answer.content,
            links,
            label_own_fields(scope, exchange.turn),
            lambda line: label_typed_line(scope, exchange.turn, line),
        )
        if answer
        else None
    )
    hidden, hidden_answer = exchange.hidden_question, exchange.hidden_answer
    return ShownExchange(
        turn=exchange.turn,
        is_mine=exchange.is_mine,
        asker=asker,
        question=exchange.question.content if exchange.question else typed or None,
        question_requires=list_atom_chips(hidden.requires) if hidden else None,
        answer=answer,
        answer_requires=list_atom_chips(hidden_answer.requires) if hidden_answer else None,
        links=links,
        labels=(list_chips(answer.data_classification) if quoted is None else list_atom_chips(quoted))
        if answer
        else None,
        is_open=exchange.is_open,
        may_ask_again=exchange.may_ask_again,
        lost_question=exchange.lost_question,
        is_withheld=exchange.is_withheld,
        is_removed=exchange.is_removed,
        error=exchange.error,
        beside=list_hidden_neighbours(scope, exchange.turn, answer, asked) if answer else (),
        in_fields=list_hidden_in_fields(scope, exchange) if answer else (),
        in_files=list_hidden_in_files(scope, exchange.turn) if answer else (),
        looked=name_places(scope, exchange.turn) if answer else (),
        mentions=name_links(scope, exchange.turn.mentions) if exchange.question or typed else (),
        drew_on=str(exchange.drew_on) if answer else "",
        confidence=exchange.confidence if answer else None,
        closest=list_closest(scope, exchange.turn, answer, asked, cited),
        may_add=_may_add(scope, exchange),
    )


def _may_add(scope: Scope, exchange: Exchange) -> bool:
    """Whether a file may be added where nothing answered."""
    about = exchange.turn.session.entity_id
    if about is None or exchange.confidence not in (Confidence.CLOSEST, Confidence.NONE):
        return False
    entity = Entity.objects.readable_by(scope).filter(pk=about).first()
    return entity is not None and has_permission(scope, entity, "upload")


def label_own_fields(scope: Scope, turn: Turn) -> dict[str, frozenset[int]] | None:
    """Of an answer by the offline engine, the fields of the record that it may have quoted; None of any other."""
    if not turn.usage.get("offline"):
        return None
    if turn.session.entity_id is None:
        return {}
    entity = Entity.objects.readable_by(scope).filter(pk=turn.session.entity_id).first()
    return label_fields(entity.type_class) if entity else {}


def label_typed_line(scope: Scope, turn: Turn, line: str) -> tuple[int, ...] | None:
    """The atoms of what the asker typed earlier in the conversation and the offline engine says again word for word:
    it shows no more than that message, whatever else the conversation has drawn on. None of any other line.
    """
    if not turn.usage.get("offline"):
        return None
    before = select_messages(scope, turn.session).filter(
        role=Role.USER, owner=turn.owner, turn__number__lt=turn.number, content__contains=line
    )
    for text, label in before.order_by("turn__number").values_list("content", "data_classification"):
        if line in "\n".join(read_statements(text)).splitlines():
            return list_atoms(label)
    return None


def list_hidden_neighbours(scope: Scope, turn: Turn, answer: Message, question: str) -> list[Nearby]:
    """Text that the asker is not cleared for, next to the passages that the answer quotes; where it quotes none, next
    to those of what it was given that are about the question.
    """
    given = {entry["n"]: UUID(entry["row"]) for entry in turn.manifest.get("passages", ())}
    quotes = read_confidence(turn, answer) is not Confidence.CLOSEST
    rows = [given[n] for n in {int(n) for n in CITED.findall(answer.content)} & set(given) if quotes]
    if not rows and given:
        texts = ContextRow.objects.filter(build_sources_visible_q(scope), pk__in=given.values())
        rows = [
            pk
            for pk, path, text in texts.order_by("number").values_list("pk", "heading_path", "text")
            if measure_share(question, f"{path}\n{text}") >= MIN_COVERAGE
        ]
    return find_nearby(scope, [p for passages in load_paragraph_ids(rows).values() for p in passages])[:MOST_BESIDE]


def list_hidden_in_fields(scope: Scope, exchange: Exchange) -> list[Any]:
    """What the asker lacks for fields that the question asks for, of the record and of those that were found, where
    nothing answered. It follows from their types, as a record's page shows it, whatever the fields hold.
    """
    if exchange.question is None or exchange.answer is None:
        return []
    if exchange.confidence not in (Confidence.CLOSEST, Confidence.NONE) and exchange.answer.content != NOT_FOUND:
        return []
    found = {UUID(entry["entity"]) for entry in exchange.turn.manifest.get("passages", ())}
    about = {pk for pk in [exchange.turn.session.entity_id] if pk}
    rows = Entity.objects.readable_by(scope).filter(pk__in=about | found)
    asked = extract_alike_terms(exchange.question.content)
    models = {row.type_class for row in rows}
    hidden = [(get_column(model, field.name), field) for model in models for field in list_redacted_fields(model)]
    missing = {
        atom
        for column, field in hidden
        if asked & set(extract_terms(str(column.verbose_name)))
        for atom in field.requires
    }
    return list_atom_chips(tuple(sorted(missing)))


def list_hidden_in_files(scope: Scope, turn: Turn) -> list[Any]:
    """Where it looked and was given nothing of any file: what the asker lacks for the files of the record that was
    asked about.
    """
    rows = [UUID(entry["row"]) for entry in turn.manifest.get("passages", ())]
    if turn.session.entity_id is None or not turn.manifest.get("searches") or any(load_paragraph_ids(rows).values()):
        return []
    return list_atom_chips(list_missing_in_files(scope, turn.session.entity_id))
