"""What may be taken from somebody, each as the transaction that takes it, and its way back.

Of the world `RICH` it is taken from ben, who is Red and has a grant on record1, from dee, who has a clearance of their
own, or from ann, a steward.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session as SignIn
from django.utils import timezone

from entities.access import grant_entity, looking_into_bin, revoke_entity
from entities.actions import add_member
from entities.models import (
    Classification,
    ClassificationGrant,
    Entity,
    EntityUserGrant,
    LabelGrant,
    Membership,
    Role,
    Token,
)
from entities.models.classification import FINANCIAL, PII
from ingestion.models import AccessMessage, AccessRequest, ContextRow, File, Paragraph, RowParagraph
from ingestion.revision_floors import raise_published
from tests.oracle.planted_world import Everything

WHO = "ben"
CLEARED = "dee"
STEWARD = "ann"
ENDS = "a clearance of one's own, which ends"


@dataclass(frozen=True)
class Revocation:
    """revoke runs in the service's scope, unless it needs none; restore likewise. paths: where it shows, as
    `path_of` names them. who: asks there.
    """

    name: str
    revoke: Callable[[Everything], Any]
    restore: Callable[[Everything], Any]
    paths: tuple[str, ...]
    refused: bool = False  # whoever has lost it is not let in at all
    who: str = WHO


def user(e: Everything) -> Any:
    return e.planted.users[WHO]


def record(e: Everything, name: str) -> Entity:
    return Entity.objects.get(pk=e.planted.records[name])


def end_grant(e: Everything) -> None:
    past = timezone.now() - timedelta(seconds=1)
    EntityUserGrant.objects.filter(content_object=record(e, "record1"), user=user(e)).update(expires_at=past)


def renew_grant(e: Everything) -> None:
    EntityUserGrant.objects.filter(content_object=record(e, "record1"), user=user(e)).update(expires_at=None)


def forget_label(e: Everything) -> None:
    role = e.planted.roles["Red"]
    ClassificationGrant.objects.filter(role=role, classification__value=FINANCIAL).delete()


def give_label(e: Everything) -> None:
    atom = Classification.objects.get(value=FINANCIAL)
    e.planted.roles["Red"].classification_grants.create(workspace=e.planted.workspace, classification=atom)


def own_clearance(e: Everything) -> Any:
    return LabelGrant.objects.filter(membership__user=e.planted.users[CLEARED], classification__value=FINANCIAL)


def give_clearance(e: Everything) -> None:
    membership = Membership.objects.get(user=e.planted.users[CLEARED])
    atom = Classification.objects.get(value=FINANCIAL)
    LabelGrant.objects.create(workspace=e.planted.workspace, membership=membership, classification=atom)


def ending(e: Everything, seconds: float) -> Any:
    """The end of that clearance, so far ahead."""
    end = timezone.now() + timedelta(seconds=seconds)
    with e.planted.service.open():
        assert own_clearance(e).update(expires_at=end) == 1
    return end


def run_out(e: Everything) -> None:
    """Nothing is written at the end: the clock goes past it."""
    wait_until(ending(e, 0.05))


def wait_until(end: Any) -> None:
    while (left := (end - timezone.now()).total_seconds()) >= 0:
        time.sleep(left + 0.001)


def end_membership(e: Everything) -> None:
    """What hangs on it goes with it, and is noted to be restored: ben's grants and requests for access."""
    GRANTS[e.citing] = list(EntityUserGrant.objects.filter(user=user(e)))
    messages = AccessMessage.objects.filter(requester=user(e).pk).select_related("request")
    REQUESTS[e.citing] = [(message.request, message) for message in messages]
    Membership.objects.filter(user=user(e)).delete()


def restore_membership(e: Everything) -> None:
    add_member(e.planted.workspace, user(e), [e.planted.roles["Red"]])
    restore_token(e)
    EntityUserGrant.objects.bulk_create(GRANTS[e.citing])
    membership = Membership.objects.get(user=user(e))
    for request, message in REQUESTS[e.citing]:
        at, request.membership = request.created_at, membership
        request.save(force_insert=True)
        AccessRequest.objects.filter(pk=request.pk).update(created_at=at)
        message.save(force_insert=True)


def restore_token(e: Everything) -> None:
    membership = Membership.objects.get(user=user(e))
    Token.objects.create(workspace=e.planted.workspace, membership=membership, digest=TOKENS[e.citing])


TOKENS: dict[Any, str] = {}
"""The digest of ben's token, by world."""
GRANTS: dict[Any, list[EntityUserGrant]] = {}
"""ben's grants, by world."""
REQUESTS: dict[Any, list[Any]] = {}
"""ben's requests for access, each with its message, by world."""


def sign_out(e: Everything) -> None:
    SignIn.objects.filter(pk__in=SIGN_INS).delete()


def sign_in(e: Everything) -> None:
    for key, data in SIGN_INS.items():
        SignIn.objects.create(pk=key, session_data=data, expire_date=timezone.now() + timedelta(days=1))


SIGN_INS: dict[str, str] = {}
"""ben's sessions: key and data."""
assert import_module(settings.SESSION_ENGINE).SessionStore.get_model_class() is SignIn


def raise_label(e: Everything) -> None:
    file = File.objects.select_for_update().get(pk=e.files["record4"])
    raise_published(file.pk, PII)


def lower_label(e: Everything) -> None:
    file = e.files["record4"]
    Paragraph.objects.filter(file=file).update(data_classification=0, floor=0)
    RowParagraph.objects.filter(paragraph__file=file).update(data_classification=0)
    ContextRow.objects.filter(file=file).update(data_classification=0)


def into_bin(kind: str, gone: bool) -> Callable[[Everything], Any]:
    """record0 or its file."""

    def act(e: Everything) -> None:
        pk = e.planted.records["record0"] if kind == "entity" else e.files["record0"]
        with looking_into_bin():
            rows: Any = Entity._base_manager if kind == "entity" else File.objects
            rows.filter(pk=pk).update(deleted_at=timezone.now() if gone else None)

    return act


def of_service(act: Callable[[Everything], Any]) -> Callable[[Everything], Any]:
    def run(e: Everything) -> None:
        with e.planted.service.open():
            act(e)

    return run


def taken(name: str, revoke: Any, restore: Any, *paths: str, refused: bool = False, who: str = WHO) -> Revocation:
    return Revocation(name, of_service(revoke), of_service(restore), paths, refused, who)


EVERYWHERE = ("record0", "search", "page")
PAGES = ("page", "page of articles")
"""Asked by a browser."""
REVOCATIONS = [
    taken(
        "a grant",
        lambda e: revoke_entity(record(e, "record1"), user(e).pk, ["view"]),
        lambda e: grant_entity(record(e, "record1"), user(e).pk, ["view"]),
        "record1", "search", "page", "suggest", "list", "reader1", "download1", "messages1", "export1", "citation7",
        "references",
    ),
    taken("a grant, which ends", end_grant, renew_grant, "record1", "search", "list", "reader1", "messages1"),
    taken("a label of a role", forget_label, give_label, "search", "page", "reader0", "citation2", "pulse0", "me"),
    taken(
        "a clearance of one's own", lambda e: own_clearance(e).delete(), give_clearance,
        "reader0", "search", "page", "citation2", "pulse0", "record0", "me", who=CLEARED,
    ),
    Revocation(
        ENDS, run_out, of_service(lambda e: own_clearance(e).update(expires_at=None)),
        ("record0", "search", "reader0", "page", "citation2", "pulse0", "me"), who=CLEARED,
    ),
    taken(
        "stewardship",
        lambda e: Role.objects.filter(pk=e.planted.roles["Admin"].pk).update(is_steward=False),
        lambda e: Role.objects.filter(pk=e.planted.roles["Admin"].pk).update(is_steward=True),
        "desk", "requests", "paragraphs0", who=STEWARD,
    ),
    taken(
        "a record with what waits on it",
        lambda e: Entity.objects.filter(pk=record(e, "record0").pk).update(visibility="restricted"),
        lambda e: Entity.objects.filter(pk=record(e, "record0").pk).update(visibility="workspace"),
        "requests", "desk", "paragraphs0", who=STEWARD,
    ),
    taken(
        "a role",
        lambda e: user(e).groups.remove(e.planted.roles["Red"].group_id),
        lambda e: user(e).groups.add(e.planted.roles["Red"].group_id),
        "search", "page", "reader0", "reader4", "citation10", "list of articles", "me",
    ),
    taken(
        "membership",
        end_membership,
        restore_membership,
        *EVERYWHERE,
        "reader0", "messages1", "me",
        refused=True,
    ),
    taken(
        "a token",
        lambda e: Token.objects.filter(digest=TOKENS[e.citing]).delete(),
        restore_token,
        "record0", "search", "reader0", "export1",
        refused=True,
    ),
    Revocation("a sign-in", sign_out, sign_in, ("page",), refused=True),
    Revocation(
        "the account",
        lambda e: type(user(e)).objects.filter(pk=user(e).pk).update(is_active=False),
        lambda e: type(user(e)).objects.filter(pk=user(e).pk).update(is_active=True),
        (*EVERYWHERE, "export1"),
        refused=True,
    ),
    taken(
        "a label, raised", raise_label, lower_label,
        "search", "page of articles", "reader4", "download4", "citation10",
    ),
    taken(
        "sight of what is concealed",
        lambda e: Classification.objects.filter(value=PII).update(conceal=True),
        lambda e: Classification.objects.filter(value=PII).update(conceal=False),
        "reader0", "record0",
    ),
    taken(
        "a record, into the bin", into_bin("entity", True), into_bin("entity", False),
        "record0", "search", "suggest", "reader0", "pulse0", "citation2",
    ),
    taken(
        "a file, into the bin", into_bin("file", True), into_bin("file", False),
        "search", "reader0", "download0", "list of files0",
    ),
    taken(
        "an open record",
        lambda e: Entity.objects.filter(pk=record(e, "record0").pk).update(visibility="restricted"),
        lambda e: Entity.objects.filter(pk=record(e, "record0").pk).update(visibility="workspace"),
        "record0", "search", "page", "suggest", "list", "reader0", "pulse0", "related0", "citation2",
    ),
]  # fmt: skip


def path_of(e: Everything, name: str, who: str = WHO) -> str:
    """The address of what a revocation names, under /api/ or, of `PAGES`, in the workspace. A page of a search has ten
    results.
    """
    kind, number = name.rstrip("0123456789"), name[len(name.rstrip("0123456789")) :]
    entity = e.planted.records.get(f"record{number}")
    file = e.files.get(f"record{number}")
    session = e.sessions.get((who, f"record{number}"))
    return {
        "record": f"entities/contract/{entity}/",
        "search": "search/?q=liability&limit=50",
        "suggest": "suggest/?q=record",
        "list": "entities/contract/?page_size=200",
        "list of articles": "entities/article/?page_size=200",
        "references": "references/?page_size=200",
        "reader": f"files/{file}/reader/",
        "list of files": f"entities/{entity}/files/",
        "download": f"files/{file}/download/",
        "messages": f"chat/sessions/{session}/messages/",
        "export": f"chat/sessions/{session}/export/",
        "citation": f"citations/{e.citing}/{e.numbers.get(f'word{number} liability')}/",
        "pulse": f"entities/{entity}/pulse/",
        "related": f"entities/{entity}/related/",
        "desk": "desk/?page_size=200",
        "requests": "access-requests/?page_size=200",
        "paragraphs": f"files/{file}/paragraphs/",
        "me": "me/",
        "page": "search/?q=liability",
        "page of articles": "search/?q=liability&type=article",
    }[kind]
