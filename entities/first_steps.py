"""What the home page offers to who is new: a record to begin with, or the questions and people of the demo."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.urls import NoReverseMatch, reverse

from entities.access import Scope, can_create
from entities.models import Entity
from entities.sign_in import DEMO_SLUG, DemoUser, list_demo_users

DEMO_QUESTIONS = (
    ("What is the liability cap of Brannock Steelworks?", "Structural Steel Subcontract HV-S-0112"),
    ("Why is the harbour works permit late?", "Quay 7 Warehouse Renovation"),
    ("What does a site manager earn on average?", "Quay 7 Warehouse Renovation"),
)
"""(question, name of the record that it is about). The last one is answered for who is cleared for Financial only."""
FIRST_KINDS = ("project", "contract")
"""What most people add first, where the workspace has these kinds."""


@dataclass(frozen=True)
class DemoQuestion:
    """A question with the address that it is posted to."""

    text: str
    record: str
    url: str


def choose_first_kind(scope: Scope, counts: Mapping[type[Entity], int]) -> type[Entity] | None:
    """The kind of record to add first; None where there are records already, or the caller may add none. In an open
    scope."""
    if any(counts.values()):
        return None
    possible = {model.type_key: model for model in counts if can_create(scope, model)}
    return next((possible[name] for name in (*FIRST_KINDS, *possible) if name in possible), None)


def list_demo_questions(scope: Scope) -> list[DemoQuestion]:
    """Those about records that the caller may see; none outside the demo workspace. In an open scope."""
    if scope.slug != DEMO_SLUG:
        return []
    names = {name for _, name in DEMO_QUESTIONS}
    records = {str(row): row for row in Entity.objects.readable_by(scope).filter(name__in=names)}
    found = ((text, name, _ask_address(records[name])) for text, name in DEMO_QUESTIONS if name in records)
    return [DemoQuestion(*question) for question in found if question[2]]


def list_other_people(name: str, scope: Scope) -> Iterable[DemoUser]:
    """Whom else the demo may be looked at as, by somebody of the demo."""
    people = list_demo_users() if scope.slug == DEMO_SLUG else []
    return [person for person in people if person.name != name] if name in {p.name for p in people} else []


def _ask_address(record: Entity) -> str:
    try:
        return reverse("chat:ask", args=[record.pk])
    except NoReverseMatch:
        return ""
