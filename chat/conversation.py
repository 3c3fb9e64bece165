"""A conversation as it is shown: turn by turn, what may be read today, and honest words where something is missing."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext_noop

from chat.access import (
    HiddenMessage,
    find_removed,
    load_hidden_messages,
    select_known_turns,
    select_messages,
    select_turns,
)
from chat.confidence import Confidence, read_confidence
from chat.models import OPEN, Message, Session, State, Turn
from chat.sources import DrewOn, count_sources
from entities.access import Scope

TURNS_ON_PAGE = 50
NOT_WHOLE = gettext_noop("This question was not answered to its end.")


@dataclass(frozen=True)
class Exchange:
    """A turn with its messages. is_mine: the caller asked. hidden_…: it exists and may be known of, but not read.
    drew_on: of the answer. may_know_removed: as of `find_removed`.
    """

    turn: Turn
    question: Message | None
    answer: Message | None
    is_mine: bool
    hidden_question: HiddenMessage | None = None
    hidden_answer: HiddenMessage | None = None
    drew_on: DrewOn = DrewOn()
    may_know_removed: bool = False

    @property
    def is_open(self) -> bool:
        return self.turn.state in OPEN

    @property
    def is_visible(self) -> bool:
        """A turn of one's own that broke off says so even where its question has no label and nobody may read it. Of
        others' turns one is told by what of them one may read or know of.
        """
        seen = self.question or self.answer or self.hidden_question or self.hidden_answer or self.is_removed
        return bool(seen) or (self.is_mine and (self.is_open or self.turn.state in (State.INTERRUPTED, State.FAILED)))

    @property
    def lost_question(self) -> bool:
        """It broke off before its question had a label: only the browser in which it was typed may still have it."""
        broke_off = self.turn.state in (State.STOPPED, State.INTERRUPTED, State.FAILED)
        return self.is_mine and broke_off and self.question is None and self.hidden_question is None

    @property
    def is_withheld(self) -> bool:
        """There was an answer, which is not there for its asker: a source of it was deleted, or it may neither be read
        nor acknowledged. Others are told of it where `is_removed`.
        """
        missing = self.is_mine and self.answer is None and self.hidden_answer is None
        return self.is_removed or (self.turn.state == State.DONE and missing and self.question is not None)

    @property
    def error(self) -> str:
        """Why there is no whole answer, for its asker: the reason may be a record that others never saw."""
        if self.is_mine or not self.turn.error:
            return self.turn.error
        return "" if self.is_open or self.turn.state == State.DONE else NOT_WHOLE

    @property
    def confidence(self) -> Confidence | None:
        return read_confidence(self.turn, self.answer)

    @property
    def is_removed(self) -> bool:
        """A source of the answer was deleted that the reader could see, however the turn ended."""
        return self.answer is None and self.hidden_answer is None and self.may_know_removed

    @property
    def may_ask_again(self) -> bool:
        return (
            self.is_mine
            and self.question is not None
            and self.turn.state in (State.STOPPED, State.INTERRUPTED, State.FAILED)
        )


@dataclass(frozen=True)
class TurnPage:
    """Turns of a conversation that follow each other, oldest first. before: the first of them, where one before it is
    shown too.
    """

    exchanges: Sequence[Exchange] = ()
    before: Turn | None = None


def list_latest_exchanges(
    scope: Scope, session: Session, before: Turn | None = None, back_to: Turn | None = None
) -> TurnPage:
    """The latest turns of a session from `get_session_or_404` as they are shown: of all, or of those before `before`.

    back_to: so many more that it is among them. Which turns these are, and whether there are others before, is decided
    by what is shown, so turns that show nothing move nothing, also the caller's own.
    """
    known = select_known_turns(scope, session.pk).order_by("-number")
    if before is not None:
        known = known.filter(number__lt=before.number)
    block = TURNS_ON_PAGE + 1 + (known.filter(number__gt=back_to.number).count() if back_to else 0)
    shown: list[Exchange] = []  # the latest first
    since = back_to.number if back_to else None
    wanted = TURNS_ON_PAGE
    while len(shown) <= wanted:
        rows = list(known[:block])
        shown += [each for each in reversed(list_exchanges(scope, session, rows[::-1])) if each.is_visible]
        wanted = TURNS_ON_PAGE + sum(since is not None and each.turn.number > since for each in shown)
        if len(rows) < block:
            break
        known = known.filter(number__lt=rows[-1].number)
        block *= 2  # where most show nothing
    latest = shown[:wanted][::-1]
    return TurnPage(latest, latest[0].turn if len(shown) > wanted else None)


def list_exchanges(scope: Scope, session: Session, turns: Sequence[Turn] | None = None) -> list[Exchange]:
    """The turns of a session from `get_session_or_404`, oldest first, as far as they are shown; or those of `turns`."""
    rows = list(turns if turns is not None else select_turns(scope).filter(session=session.pk).order_by("number"))
    for turn in rows:
        turn.session = session  # which is asked of each where it is shown
    wanted = {pk for turn in rows for pk in (turn.question, turn.answer)}
    messages = {m.pk: m for m in select_messages(scope, session).filter(pk__in=wanted)}
    hidden = load_hidden_messages(scope, session)
    removed = find_removed(scope, rows)
    drew_on = count_sources(session.pk, [turn for turn in rows if turn.answer in messages])
    found = [
        Exchange(
            turn,
            messages.get(turn.question),
            messages.get(turn.answer),
            turn.owner == scope.principal,
            hidden.get(turn.question),
            hidden.get(turn.answer),
            drew_on.get(turn.pk, DrewOn()),
            turn.pk in removed,
        )
        for turn in rows
    ]
    return found if turns is not None else [exchange for exchange in found if exchange.is_visible]
