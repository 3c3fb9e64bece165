"""What was said earlier in a conversation, found by the words of a question when it is in the prompt no more.

No model writes or reads it. The words of messages are kept by a trigger (`chat_posting`), under the message's own label
and audience; what is found is asked for once more as `chat.access` asks, so a hidden message weighs nothing.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.db import connection
from django.db.models import BooleanField, QuerySet
from django.db.models.expressions import RawSQL

from chat.access import select_readable_messages
from chat.cuts import find_table_heads
from chat.models import Message, Role, Session, Turn
from entities.access import Scope
from llm.prompts import NOT_FOUND, is_closest
from llm.tokens import estimate
from retrieval.citation_links import MARKER
from retrieval.matches import WORD, Matcher
from retrieval.query import CONTROL, LONGEST
from retrieval.snippets import cut_snippet
from retrieval.terms import Terms, build_terms
from text.questions import read_statements

K1, B = 1.2, 0.75
LEANS_ON = 0.3
"""What a word of the question before counts in one that has few words of its own."""
FEW_WORDS = 3
NEIGHBOUR = 0.3
"""Of a turn's score, so much is added to the turns beside it: what it is about was often named there."""
MIN_SHARE = 0.1
"""Of the best score; what has less is not said again."""
MAX_CANDIDATES = 500
"""Messages that are looked at: those that hold most of the words. Where more hold some, the rest is not weighed."""
MAX_FOUND = 200
FRAME_TOKENS = 18
"""Of what stands around the texts of a turn."""
MIN_TURN_TOKENS = 30
"""So many turns are read as would have room in the budget if none had more."""
MAX_MESSAGE_CHARACTERS = 1_200
"""Of one message in the prompt: the part that holds the words of the question."""
PRINTED_NUMBER = re.compile(r"\s?\[(\d+)\]")
"""Of a citation, as a prompt has it."""
MAX_LINE_CHARACTERS = 1_000
"""Of one line of a message that is cut."""

# Statements are laid out so that no plan can choose to go through the whole conversation: a word is looked up in the
# index, and what may be read is asked of `MAX_CANDIDATES` messages. Frequencies are of what may be read of those, or a
# hidden message would move the others. Sums are of whole numbers: they do not depend on the order of what is added.
FOUND = """
WITH asked (term, word, weight) AS (SELECT * FROM unnest(%s::int[], %s::int[], %s::float8[])),
hits AS MATERIALIZED (
  SELECT p.message, a.word, max(a.weight) AS weight, max(p.tf)::float8 AS tf, max(p.dl)::float8 AS dl
  FROM asked a CROSS JOIN LATERAL (SELECT * FROM chat_posting p WHERE p.session = %s AND p.term = a.term OFFSET 0) p
  GROUP BY p.message, a.word),
held AS (SELECT word, ln(1 + %s / count(*)::float8) AS rarity FROM hits GROUP BY word),
candidates AS MATERIALIZED (
  SELECT message FROM hits JOIN held USING (word) GROUP BY message
  ORDER BY sum((1e6::float8 * weight * rarity)::bigint) DESC, message LIMIT {candidates}),
readable (message, turn) AS MATERIALIZED ({readable}),
said AS MATERIALIZED (SELECT h.*, r.turn FROM hits h JOIN readable r USING (message)),
size AS MATERIALIZED (SELECT avg(dl)::float8 AS mean FROM (SELECT DISTINCT message, dl FROM said) d),
idf AS MATERIALIZED (
  SELECT word, ln(1 + (greatest(%s - count(*), 0) + 0.5::float8) / (count(*) + 0.5::float8)) AS rarity
  FROM said GROUP BY word),
scored AS (SELECT s.turn, s.message, sum((1e6::float8 * s.weight * i.rarity * s.tf * ({k1} + 1)
    / (s.tf + {k1} * (1 - {b} + {b} * s.dl / z.mean)))::bigint) AS score
  FROM said s JOIN idf i USING (word) CROSS JOIN size z GROUP BY s.turn, s.message)
SELECT turn, ((max(score) + sum(score)) / 2e6)::float8 FROM scored GROUP BY turn ORDER BY 2 DESC, 1 LIMIT {most}
"""
IS_CANDIDATE = RawSQL("chat_message.id = ANY(ARRAY(SELECT message FROM candidates))", [], output_field=BooleanField())


@dataclass(frozen=True)
class RecalledTurn:
    """An earlier turn as it is said again. messages: those of it that are given, the question first. texts: of each
    "asked" or "answered", and its text as far as it goes into the prompt.
    """

    number: int
    messages: tuple[Message, ...]
    texts: tuple[tuple[str, str], ...]

    @property
    def cited(self) -> set[int]:
        """Numbers of citations in what is given of the answer."""
        pairs = zip(self.messages, self.texts, strict=True)
        return {n for message, (_, text) in pairs for n in list_cited(message, text)}

    @property
    def tokens(self) -> int:
        return FRAME_TOKENS + sum(estimate(text) for _, text in self.texts)


@dataclass(frozen=True)
class Recall:
    """turns: in their order. left_out: how many more were found for which there was no room."""

    turns: tuple[RecalledTurn, ...] = ()
    left_out: int = 0


NOTHING = Recall()


def list_cited(message: Message, text: str) -> set[int]:
    """Numbers of citations in a message, if it is an answer, that stand in `text`, which is given of it."""
    found = MARKER.findall(message.content) if message.role == Role.ASSISTANT else ()
    return {int(n) for n in found if f"[{n}]" in text}


def recall_turns(
    scope: Scope,
    session: Session,
    question: str,
    before: int,
    budget: int,
    previous: str = "",
    whole: Collection[int] = (),
) -> Recall:
    """The turns before number `before` that say most of what is asked, as the asker may read them today, within
    `budget` tokens, estimated. previous: the question before, which one of few words is understood with. whole: turns
    that are in the prompt word for word, and not said again.
    """
    if before <= 1 or budget < MIN_TURN_TOKENS:
        return NOTHING
    terms, weights = _weigh_words(question, previous)
    ranked = rank_turns(_find_turns(scope, session, terms, weights, before), before)
    order = [number for number in ranked if number not in whole]
    by_turn, matcher = _read_turns(scope, session, order[: budget // MIN_TURN_TOKENS]), terms.matcher
    found = [_cut(number, by_turn[number], matcher) for number in order if by_turn.get(number)]
    return fit_turns([turn for turn in found if turn is not None], budget)


def rank_turns(scores: Mapping[int, float], before: int) -> list[int]:
    """Numbers of turns, the best first. A turn lends a share of its score to its neighbours."""
    lent: dict[int, float] = dict(scores)
    for number, score in scores.items():
        for other in (number - 1, number + 1):
            if 1 <= other < before:
                lent[other] = lent.get(other, 0.0) + NEIGHBOUR * score
    least = MIN_SHARE * max(lent.values(), default=0.0)
    return sorted((n for n, score in lent.items() if score >= least), key=lambda n: (-lent[n], n))


def fit_turns(turns: Sequence[RecalledTurn], budget: int) -> Recall:
    """The first of `turns` that have room in `budget` tokens, in the order in which they were said."""
    taken: list[RecalledTurn] = []
    for turn in turns:
        if turn.tokens <= budget:
            taken.append(turn)
            budget -= turn.tokens
    return Recall(tuple(sorted(taken, key=lambda turn: turn.number)), len(turns) - len(taken))


def _weigh_words(question: str, previous: str) -> tuple[Terms, dict[str, float]]:
    """The words to look for and what each counts."""
    own = build_terms(_split_query(question), question)
    if len(own.stems) >= FEW_WORDS or not previous:
        return own, dict.fromkeys(own.stems, 1.0)
    both = build_terms(_split_query(f"{question} {previous}"), f"{question} {previous}")
    return both, {word: 1.0 if word in own.stems else LEANS_ON for word in both.stems}


def _split_query(text: str) -> list[str]:
    return list(dict.fromkeys(WORD.findall(CONTROL.sub(" ", text[:LONGEST]))))


def _find_turns(
    scope: Scope, session: Session, terms: Terms, weights: Mapping[str, float], before: int
) -> dict[int, float]:
    """Number of a turn -> its score by the words in it (BM25)."""
    numbers = {word: n for n, word in enumerate(terms.stems)}
    asked = [(term, numbers[word], weights[word]) for term, words in terms.words.items() for word in words]
    if not asked:
        return {}
    text, params = (
        _select_candidates(scope, session, before).order_by().values_list("pk", "turn__number").query.sql_with_params()
    )
    statement = FOUND.format(
        readable=text, candidates=MAX_CANDIDATES, k1=f"{K1}::float8", b=f"{B}::float8", most=MAX_FOUND
    )
    columns = [list(column) for column in zip(*asked, strict=True)]
    messages = 2 * (before - 1)
    with connection.cursor() as cursor:
        cursor.execute(statement, [*columns, session.pk, messages, *params, messages])
        return dict(cursor.fetchall())


def _select_candidates(scope: Scope, session: Session, before: int) -> QuerySet[Message]:
    """Those of the candidates that may be read and were said before a turn."""
    return select_readable_messages(scope, session.pk).filter(IS_CANDIDATE, turn__number__lt=before)


def _read_turns(scope: Scope, session: Session, numbers: Sequence[int]) -> dict[int, list[Message]]:
    """Number -> the messages of a turn that may be read, the question first."""
    of = {}
    for turn in Turn.objects.filter(session=session.pk, number__in=numbers).only("number", "question", "answer"):
        of[turn.question] = of[turn.answer] = turn.number
    found: dict[int, list[Message]] = {}
    rows = select_readable_messages(scope, session.pk).filter(pk__in=list(of)).exclude(content="").order_by("-role")
    for message in rows:
        found.setdefault(of[message.pk], []).append(message)
    return found


def _cut(number: int, messages: Sequence[Message], matcher: Matcher) -> RecalledTurn | None:
    """An answer without a quote says nothing; nor does its turn, unless the question stated something. None for
    such a turn.
    """
    given = [
        m
        for m in messages
        if m.role == Role.USER or not (m.content.strip().startswith(NOT_FOUND) or is_closest(m.content))
    ]
    if len(given) < len(messages) and not any(read_statements(message.content) for message in given):
        return None
    texts = []
    for message in given:
        text = _cut_text(message.content.replace("[citation:", "["), matcher)
        texts.append(("asked" if message.role == Role.USER else "answered", text))
    return RecalledTurn(number, tuple(given), tuple(texts))


def _cut_text(text: str, matcher: Matcher) -> str:
    """The lines with most of the words, as many as have room, in their order, rows of tables with their head; of a
    longer line its part with them.
    """
    if len(text) <= MAX_MESSAGE_CHARACTERS:
        return text
    lines = [
        line if len(line) <= MAX_MESSAGE_CHARACTERS else cut_snippet(line, matcher, MAX_LINE_CHARACTERS)
        for line in text.splitlines()
    ]
    words = [len({number for _, _, number in matcher.places(line)}) for line in lines]
    heads, room, kept = find_table_heads(lines), MAX_MESSAGE_CHARACTERS, set[int]()
    for place in sorted(range(len(lines)), key=lambda place: (-words[place], place)):
        added = {place, *heads[place]} - kept if lines[place].strip() else set()
        needed = sum(len(lines[one]) + 1 for one in added)
        if needed <= room:
            kept |= added
            room -= needed
    return "\n".join(line for place, line in enumerate(lines) if place in kept)
