"""What decides whether a mutant lives: questions with known answers, asked of one planted world.

Beside the paths of the oracle, what no path asks for: the service, roles by themselves, refusals, tables with nothing
above them, and rules of writing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import psycopg

from tests.oracle.asked import Asked, Check
from tests.oracle.monitor import Person
from tests.oracle.paths import IN_A_SCOPE, PATHS
from tests.oracle.planting import Everything
from tests.prove.questions import clearances, desk, functions, labels, records, routes, scopes, tables
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
    tables.tables_show_what_is_cleared,
    tables.unlabelled_text_is_for_stewards_above_its_floor,
    tables.pulses_without_a_label_are_for_stewards,
    tables.files_are_outlined_as_far_as_they_show,
    tables.grants_end,
    clearances.clearances_of_one_person_hold_until_they_end,
    clearances.clearances_are_given_by_stewards,
    desk.files_are_got,
    desk.requests_are_decided,
    desk.requests_tell_nothing,
    desk.proposals_are_taken,
    tables.labels_are_written_as_far_as_they_are_read,
    tables.the_audit_is_for_who_administers,
    labels.labels_are_told,
    labels.labels_combine,
    labels.labels_rise,
    records.grants_are_given_and_taken,
    records.private_records_are_their_makers,
    records.records_are_locked,
    records.columns_are_read,
    records.sources_are_asked,
    records.the_service_sees_all,
    records.the_gate_narrows,
    routes.routes_ask_who,
    records.records_are_got,
]
NARROW = [*sorted(IN_A_SCOPE.keys() - {"walk"}), "walk"]
LATE = ["records", "references", "file list", "download", "reader"]
"""Paths that need a sign-in, and ask the database for what the others do not."""


@dataclass(frozen=True)
class Question:
    name: str
    ask: Callable[[], None]


def questions(e: Everything, owner: psycopg.Connection) -> list[Question]:
    """All of them, the cheapest first. owner: of the tables, in autocommit."""
    alone = [Question(extra.__name__, partial(extra, e)) for extra in EXTRA]
    alone.append(Question("the_gate_decides_alone", lambda: the_gate_decides_alone(e, owner)))
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


def found_by(question: Question) -> str:
    try:
        question.ask()
    except Exception as found:
        return f"{question.name}: {type(found).__name__}: {found}"[:300]
    return ""
