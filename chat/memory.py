"""What was said earlier in a conversation, found by the words of a question when it is in the prompt no more.

No model writes or reads it. The words of messages are kept by a trigger (`chat_posting`), under the message's own label
and audience; what is found is asked for once more as `chat.access` asks, so a hidden message weighs nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import connection
from django.db.models import F
from django.db.models.expressions import RawSQL

from chat.access import messages_of
from chat.models import Message, Role, Session
from entities.access import Scope
from llm.offline.tokens import estimate
from llm.prompts import NOT_FOUND
from retrieval.matches import WORD, Matcher
from retrieval.query import CONTROL, LONGEST
from retrieval.snippets import snippet
from retrieval.terms import Terms, terms_of

K1, B = 1.2, 0.75
LEANS_ON = 0.3
"""What a word of the question before counts in one that has few words of its own."""
FEW_WORDS = 3
NEIGHBOUR = 0.3
"""Of a turn's score, so much is added to the turns beside it: what it is about was often named there."""
MIN_SHARE = 0.1
"""Of the best score; what has less is not said again."""
MAX_FOUND = 200
MAX_MESSAGE_CHARACTERS = 1_200
"""Of one message in the prompt: the part that holds the words of the question."""

# Frequencies are of what the reader may read, else a hidden message would move the others. Sums are of whole numbers,
# which do not depend on the order in which a plan adds them.
FOUND = """
WITH asked (term, word, weight) AS (SELECT * FROM unnest(%s::int[], %s::int[], %s::float8[])),
hits AS MATERIALIZED (
  SELECT p.message, a.word, max(a.weight) AS weight, max(p.tf)::float8 AS tf, max(p.dl)::float8 AS dl
  FROM chat_posting p JOIN asked a USING (term) WHERE p.session = %s GROUP BY p.message, a.word),
readable (message, turn) AS MATERIALIZED ({readable}),
said AS MATERIALIZED (SELECT h.*, r.turn FROM hits h JOIN readable r USING (message)),
size AS (SELECT avg(dl)::float8 AS mean FROM (SELECT DISTINCT message, dl FROM said) d),
idf AS (SELECT word, ln(1 + (greatest(%s - count(*), 0) + 0.5::float8) / (count(*) + 0.5::float8)) AS rarity
  FROM said GROUP BY word),
scored AS (SELECT s.turn, s.message, sum((1e6::float8 * s.weight * i.rarity * s.tf * ({k1} + 1)
    / (s.tf + {k1} * (1 - {b} + {b} * s.dl / z.mean)))::bigint) AS score
  FROM said s JOIN idf i USING (word) CROSS JOIN size z GROUP BY s.turn, s.message)
SELECT turn, ((max(score) + sum(score)) / 2e6)::float8 FROM scored GROUP BY turn ORDER BY 2 DESC, 1 LIMIT {most}
"""


@dataclass(frozen=True)
class Recalled:
    """An earlier turn as it is said again. messages: those of it that may be read, the question first. cut: their
    texts, as far as they go into the prompt.
    """

    number: int
    messages: tuple[Message, ...]
    cut: tuple[str, ...]

    @property
    def tokens(self) -> int:
        return sum(map(estimate, self.cut))


@dataclass(frozen=True)
class Recall:
    """turns: in their order. left_out: how many more were found for which there was no room."""

    turns: tuple[Recalled, ...] = ()
    left_out: int = 0


def recall_turns(
    scope: Scope, session: Session, question: str, before: int, budget: int, previous: str = ""
) -> Recall:
    """The turns before number `before` that say most of what is asked, as the asker may read them today, within
    `budget` tokens, estimated. previous: the question before, which one of few words is understood with.
    """
    if before <= 1:
        return Recall()
    terms, weights = _weigh_words(question, previous)
    order = rank_turns(_find_turns(scope, session, terms, weights, before), before)
    rows = messages_of(scope, session).filter(turn__number__in=order).exclude(content="")
    by_turn: dict[int, list[Message]] = {}
    for message in rows.annotate(number=F("turn__number")).order_by("-role"):
        by_turn.setdefault(message.number, []).append(message)  # type: ignore[attr-defined]
    found = [_cut(number, by_turn[number], terms.matcher) for number in order if number in by_turn]
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


def fit_turns(turns: Sequence[Recalled], budget: int) -> Recall:
    """The first of `turns` that have room in `budget` tokens, in the order in which they were said."""
    taken: list[Recalled] = []
    for turn in turns:
        if turn.tokens <= budget:
            taken.append(turn)
            budget -= turn.tokens
    return Recall(tuple(sorted(taken, key=lambda turn: turn.number)), len(turns) - len(taken))


def _weigh_words(question: str, previous: str) -> tuple[Terms, dict[str, float]]:
    """The words to look for and what each counts."""
    own = terms_of(_words(question), question)
    if len(own.stems) >= FEW_WORDS or not previous:
        return own, dict.fromkeys(own.stems, 1.0)
    both = terms_of(_words(f"{question} {previous}"), f"{question} {previous}")
    return both, {word: 1.0 if word in own.stems else LEANS_ON for word in both.stems}


def _words(text: str) -> list[str]:
    return list(dict.fromkeys(WORD.findall(CONTROL.sub(" ", text[:LONGEST]))))


def _find_turns(
    scope: Scope, session: Session, terms: Terms, weights: Mapping[str, float], before: int
) -> dict[int, float]:
    """Number of a turn -> its score by the words in it (BM25)."""
    numbers = {word: n for n, word in enumerate(terms.stems)}
    asked = [(term, numbers[word], weights[word]) for term, words in terms.words.items() for word in words]
    if not asked:
        return {}
    readable = (
        messages_of(scope, session)
        .filter(turn__number__lt=before, pk__in=RawSQL("SELECT message FROM hits", []))
        .order_by()
        .values_list("pk", "turn__number")
    )
    text, params = readable.query.sql_with_params()
    statement = FOUND.format(readable=text, k1=f"{K1}::float8", b=f"{B}::float8", most=MAX_FOUND)
    columns = [list(column) for column in zip(*asked, strict=True)]
    with connection.cursor() as cursor:
        cursor.execute(statement, [*columns, session.pk, *params, 2 * (before - 1)])
        return dict(cursor.fetchall())


def _cut(number: int, messages: Sequence[Message], matcher: Matcher) -> Recalled | None:
    """None for a turn that says nothing: its answer was that nothing is found."""
    texts = [m.content.replace("[citation:", "[") for m in messages]
    said = [text for m, text in zip(messages, texts, strict=True) if m.role == Role.ASSISTANT]
    if said and said[0].strip().startswith(NOT_FOUND):
        return None
    cut = [t if len(t) <= MAX_MESSAGE_CHARACTERS else snippet(t, matcher, MAX_MESSAGE_CHARACTERS) for t in texts]
    return Recalled(number, tuple(messages), tuple(cut))
