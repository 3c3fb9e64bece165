"""Golden questions: what a member asked and rated as well answered, with the passages that were cited."""

from collections.abc import Iterable
from uuid import UUID

from chat.access import get_session_or_404, select_messages, select_turns
from chat.models import State, Turn
from chat.tools import get_owner
from entities.access import Scope
from ingestion.access import select_visible_files
from llm.prompts import NOT_FOUND, is_closest
from retrieval.citation_links import MARKER
from retrieval.evaluation.sets import LONGEST, AnswerPlace, QuestionSet, SetQuestion
from retrieval.locate import ResolvedCitation, resolve_all

SET_NAME = "golden"
MOST_QUESTIONS = 500


def build_golden_set(reader: Scope) -> QuestionSet:
    """Of the first questions of the reader's conversations, for a later one may need those before it.

    The scope is not open. Only what the reader may read today is in it: a question whose answer is hidden is left out,
    and so is one whose answer cites no file, or files whose names another record has too. An answer that says that
    nothing was found makes a question without one.
    """
    with reader.open():
        own = select_turns(reader).filter(owner=reader.principal)  # ratings are their askers'
        rated = own.filter(rating=1, number=1, state=State.DONE).order_by("-created_at", "pk")
        questions = [_build_question(reader, turn) for turn in rated[:MOST_QUESTIONS]]
    return QuestionSet(SET_NAME, tuple(question for question in questions if question))


def _build_question(reader: Scope, turn: Turn) -> SetQuestion | None:
    session = get_session_or_404(reader, turn.session_id)
    readable = dict(select_messages(reader, session).filter(turn=turn.pk).values_list("pk", "content"))
    text, answer = readable.get(turn.question, ""), readable.get(turn.answer, "")
    # Which of the closest passages answered, a rating does not tell.
    if not text or not answer or len(text) > LONGEST or is_closest(answer):
        return None
    if answer.strip() == NOT_FOUND:
        return SetQuestion(str(turn.pk), text, answerable=False)
    numbers = {int(n) for n in MARKER.findall(answer)}
    places = _list_places(reader, resolve_all(reader, get_owner(session), numbers).values())
    files = sorted({place.file for place in places}) if session.entity_id else []
    if not places or files and not _is_of_record(reader, session.entity_id, files):
        return None
    return SetQuestion(str(turn.pk), text, places, files=tuple(files))


def _is_of_record(reader: Scope, record: UUID | None, names: list[str]) -> bool:
    """Whether files of such names are this record's alone: a set knows files by their names, and asks about the record
    that has them.
    """
    files = select_visible_files(reader).filter(name__in=names, revision__isnull=False)
    return set(files.values_list("entity", flat=True)) == {record}


def _list_places(reader: Scope, resolved: Iterable[ResolvedCitation]) -> tuple[AnswerPlace, ...]:
    """Where the cited passages are: a page, or else their words."""
    cited = [(one.file.id, one.page, one.located.text) for one in resolved if one.file and one.located]
    names: dict[UUID, str] = dict(
        select_visible_files(reader).filter(pk__in=[pk for pk, _, _ in cited]).values_list("pk", "name")
    )
    places = [
        AnswerPlace(names[pk], page, page) if page else AnswerPlace(names[pk], quote=text)
        for pk, page, text in cited
        if pk in names
    ]
    return tuple(dict.fromkeys(places))
