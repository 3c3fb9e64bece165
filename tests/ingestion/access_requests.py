"""Asking for access, and deciding on it, over the API."""

from typing import Any

from entities.access import Scope
from entities.models import Classification, LabelGrant, Membership, Role
from ingestion.models import Paragraph
from tests.conftest import Person
from tests.ingestion.helpers import SALARY

URL = "/api/access-requests/"


def ask(who: Person, *, expect: int = 201, **wish: Any) -> Any:
    answer = who.api.post(URL, wish, format="json")
    assert answer.status_code == expect, answer.content
    return answer.json()


def decide(who: Person, pk: str, *, expect: int = 200, **decision: Any) -> Any:
    answer = who.api.patch(f"{URL}{pk}/", decision, format="json")
    assert answer.status_code == expect, answer.content
    return answer.json()


def listed(who: Person, **query: Any) -> list[dict[str, Any]]:
    found = who.api.get(URL, query).json()
    assert found["count"] == len(found["results"])
    return list(found["results"])


def salary(service: Scope) -> str:
    with service.open():
        return str(Paragraph.objects.get(text=SALARY).pk)


def grant_to(who: Person, atom: int, until: Any = None, by: int = 0) -> LabelGrant:
    """In an open scope."""
    return LabelGrant.objects.create(
        workspace_id=who.scope.workspace,
        membership=Membership.objects.get(user=who.user),
        classification=Classification.objects.get(value=atom),
        expires_at=until,
        granted_by=by,
    )


def person_role(name: str) -> Role:
    return Role.objects.get(name=name)
