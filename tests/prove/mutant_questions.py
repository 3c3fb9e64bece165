"""What decides whether a mutant lives: questions with known answers, asked of one planted world.

Beside the paths of the oracle, what no path asks for: the service, roles by themselves, refusals, tables with nothing
above them, and rules of writing.
"""

import signal
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import psycopg

from tests.oracle.asked import Asked, Check
from tests.oracle.monitor import Person
from tests.oracle.paths import IN_A_SCOPE, PATHS
from tests.oracle.planted_world import Everything
from tests.prove.questions import (
    clearances,
    conversations,
    desk,
    files,
    functions,
    labels,
    once,
    past,
    records,
    requests,
    routes,
    scopes,
    sent,
    tables,
    text_grants,
    versions,
)
from tests.prove.questions.gates import the_gate_decides_alone
from tests.prove.questions.tables import everybody

EXTRA: list[Callable[[Everything], None]] = [
    scopes.scopes_open_and_close,
    scopes.scopes_inside_a_transaction_leave_nothing,
    scopes.scopes_of_people_and_roles,
    functions.principals_have_their_roles,
    functions.only_active_members_are_let_in,
    functions.what_is_acknowledged_is_told,
    functions.nothing_is_allowed_to_who_is_gone,
    functions.places_are_told_where_they_are_acknowledged,
    past.what_was_found_before_is_asked_for,
    versions.days_are_those_of_versions_one_is_told_of,
    tables.tables_show_what_is_cleared,
    tables.unlabelled_text_is_for_stewards_above_its_floor,
    tables.pulses_without_a_label_are_for_stewards,
    tables.requests_are_for_who_made_them_and_stewards,
    tables.files_are_outlined_as_far_as_they_show,
    tables.grants_end,
    clearances.clearances_of_one_person_hold_until_they_end,
    clearances.clearances_are_given_by_stewards,
    sent.texts_that_rest_are_their_senders,
    text_grants.texts_are_granted_to_one_person,
    text_grants.texts_are_granted_until_they_end,
    text_grants.one_grant_of_texts_is_withdrawn,
    text_grants.texts_are_granted_by_stewards,
    text_grants.steward_offers_are_counted,
    text_grants.requests_are_about_a_place,
    files.files_are_known_to_who_sent_them,
    files.files_are_above_their_floors,
    files.files_exist_for_every_steward,
    requests.requests_are_got,
    requests.requests_are_decided,
    requests.requests_are_granted_and_withdrawn,
    requests.requests_tell_nothing,
    requests.requests_are_made,
    requests.requests_are_limited,
    desk.paragraphs_are_of_records_that_are_seen,
    desk.places_are_named,
    desk.proposals_are_taken,
    desk.only_what_waits_is_taken,
    tables.conversations_are_changed_by_their_owners,
    tables.labels_are_written_as_far_as_they_are_read,
    tables.the_audit_is_for_who_administers,
    labels.labels_are_told,
    labels.labels_combine,
    labels.rows_are_locked,
    labels.labels_rise,
    records.grants_are_given_and_taken,
    records.private_records_are_their_makers,
    records.attachments_are_their_senders,
    records.records_are_locked,
    records.columns_are_read,
    records.sources_are_asked,
    records.records_in_numbers_are_asked,
    records.the_service_sees_all,
    records.the_gate_narrows,
    conversations.what_was_said_comes_back,
    conversations.every_source_of_an_answer_is_asked,
    conversations.removed_answers_are_disclosed,
    routes.routes_ask_who,
    routes.views_that_open_their_own_scope_are_marked,
    once.texts_are_written_once,
    once.conditions_are_written_once,
    once.the_faster_form_is_taken,
    once.what_is_known_is_not_asked,
    records.records_are_got,
    files.files_are_got,
]
OF_OWNER: list[Callable[[Everything, psycopg.Connection], None]] = [
    requests.requests_are_kept_apart_by_code_too,
    the_gate_decides_alone,
]
NARROW = [*sorted(IN_A_SCOPE.keys() - {"walk"}), "walk"]
LATE = ["records", "references", "file list", "download", "reader"]
"""Paths that need a sign-in, and ask the database for what the others do not."""
MAX_SECONDS_OF_QUESTION = 90
"""A statement ends after 60."""


@dataclass(frozen=True)
class Question:
    name: str
    ask: Callable[[], None]


def questions(e: Everything, owner: psycopg.Connection) -> list[Question]:
    """All of them, the cheapest first. owner: of the tables, in autocommit."""
    alone = [Question(extra.__name__, partial(extra, e)) for extra in EXTRA]
    for with_owner in OF_OWNER:
        alone.append(Question(with_owner.__name__, partial(with_owner, e, owner)))
    narrow = [of_path(e, PATHS[name], person) for name in NARROW for person in everybody(e)]
    return [*alone, *narrow, *(of_path(e, PATHS[name], person) for name in LATE for person in e.world.people)]


def of_path(e: Everything, check: Check, person: Person) -> Question:
    held = f" held to {person.narrowed}" if person.narrowed else ""
    return Question(f"{check.__name__} as {person.name}{held}", lambda: check(Asked(e, person)))


def difference(order: list[Question]) -> str:
    """What the first question to find something found; "" where all is as it must be. Errors of any kind count.

    That question goes to the front of `order`: the next mutant is of a place nearby, and mostly found by it too.
    """
    for place, question in enumerate(order):
        if found := found_by(question):
            order.insert(0, order.pop(place))
            return found
    return ""


class EndlessQuestionError(BaseException):
    """A question to a mutant takes longer than any ends. No code of the product catches it."""


def stop_question(*_: object) -> None:
    raise EndlessQuestionError(f"does not end in {MAX_SECONDS_OF_QUESTION} s")


def found_by(question: Question) -> str:
    before = signal.signal(signal.SIGALRM, stop_question)
    signal.setitimer(signal.ITIMER_REAL, MAX_SECONDS_OF_QUESTION, MAX_SECONDS_OF_QUESTION)
    try:
        question.ask()
    except (Exception, EndlessQuestionError) as found:
        return f"{question.name}: {type(found).__name__}: {found}"[:300]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return ""
