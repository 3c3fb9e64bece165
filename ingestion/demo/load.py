"""The demo workspace, made through the same actions that people use. Doing it again adds what is missing and no
more.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.files.base import File as Upload

from entities.access import Scope, get_entity_or_404, grant_entity
from entities.actions import add_member, create_entity, create_role, create_workspace
from entities.api.serializers import build_input_serializer
from entities.models import Classification, Entity, Role, User, Workspace
from entities.models.classification import FINANCIAL, FIRST_COMPOUND, INTERNAL, PII, PUBLIC
from entities.models.entity import Visibility
from entities.registry import list_entity_types
from ingestion.actions import upload_file

HERE = Path(__file__).parent
SLUG = "demo"
PASSWORD = "demo"  # noqa: S105  loopback only; start-up refuses it on any other address
SOURCE = "demo"
EVERYTHING = "All clearances"
# Role → atoms; None for every atom of the workspace.
ROLES: Mapping[str, list[int] | None] = {
    EVERYTHING: None,
    "HR": [PII],
    "Finance": [FINANCIAL],
    "Staff": [INTERNAL],
    "Viewer": [],
    "Risk board": [],
}
USERS: Mapping[str, tuple[str, list[str]]] = {
    "admin": ("Administrator", ["Admin", "Editor", "Steward", EVERYTHING, "Risk board"]),
    "hr": ("Human Resources", ["HR"]),
    "cfo": ("Chief Financial Officer", ["Finance"]),
    "staff": ("Staff Member", ["Staff", "Editor", "Risk board"]),
    "viewer": ("Viewer", ["Viewer"]),
    "steward": ("Data Steward", ["Steward", EVERYTHING, "Risk board"]),
}


@dataclass(frozen=True)
class LoadedDemo:
    workspace: int
    entities: int
    files: int


def is_unfinished() -> bool:
    """Whether loading has begun, or somebody has asked for it, and it has not ended."""
    return _find_marker().exists()


def _find_marker() -> Path:
    return Path(settings.CLEARANCE_HOME) / "demo-unfinished"


def ask_for(founder: User) -> bool:
    """Make `founder` a member of the demo workspace, with the roles of its administrator; the workspace is made if
    there is none. Needs no scope open. Returns whether it must still be loaded.
    """
    if not Workspace.objects.filter(slug=SLUG).exists():
        _find_marker().touch()  # whoever starts next goes on where a task was lost
    workspace = open_workspace(load_company())
    with Scope.for_service(workspace.pk).open():
        load_roles(workspace)
        add_member(workspace, founder, Role.objects.filter(name__in=USERS["admin"][1]))
    return is_unfinished()


def load_company() -> dict[str, Any]:
    company: dict[str, Any] = json.loads((HERE / "company.json").read_text())
    return company


def open_workspace(company: Mapping[str, Any]) -> Workspace:
    found = Workspace.objects.filter(slug=SLUG).first()
    return found or create_workspace(slug=SLUG, name=company["company"]["name"], resting=INTERNAL)


def load_demo() -> LoadedDemo:
    """Make or complete the demo workspace. Needs no scope open. What is killed here goes on at the next start."""
    _find_marker().touch()
    company = load_company()
    workspace = open_workspace(company)
    service = Scope.for_service(workspace.pk)
    with service.open():
        load_roles(workspace)
        load_people(workspace)
    admin = Scope.for_user(User.objects.get(username="admin"), SLUG)
    keys: dict[str, UUID] = {}
    for given in company["entities"]:
        with admin.open():
            keys[given["key"]] = load_entity(admin, given, keys)
    for given in company["files"]:
        with admin.open(), (HERE / given["path"]).open("rb") as content:
            entity = get_entity_or_404(admin, keys[given["entity"]], "upload")
            upload = Upload(content, name=Path(given["path"]).name)
            upload_file(scope=admin, entity=entity, upload=upload, collection=given["collection"], labels=[PUBLIC])
    _find_marker().unlink(missing_ok=True)
    return LoadedDemo(workspace.pk, len(keys), len(company["files"]))


def load_roles(workspace: Workspace) -> None:
    """In the open service scope."""
    atoms = list(Classification.objects.filter(value__gt=0, value__lt=FIRST_COMPOUND).values_list("value", flat=True))
    for name, labels in ROLES.items():
        if not Role.objects.filter(name=name).exists():
            create_role(workspace, name, atoms if labels is None else labels)


def load_people(workspace: Workspace) -> None:
    """In the open service scope, which has the roles."""
    for username, (full_name, roles) in USERS.items():
        user = User.objects.filter(username=username).first()
        if user is None:
            first, _, last = full_name.partition(" ")
            user = User.objects.create_user(username, password=PASSWORD, first_name=first, last_name=last)
        add_member(workspace, user, Role.objects.filter(name__in=roles))


def load_entity(scope: Scope, given: Mapping[str, Any], keys: Mapping[str, UUID]) -> UUID:
    """The record's id; made when it is not there. Raises: rest_framework ValidationError for a field that does
    not fit.
    """
    there = Entity.objects.filter(source_system=SOURCE, source_id=given["key"]).values_list("pk", flat=True).first()
    if there is not None:
        return there
    model = list_entity_types()[given["type"]]
    data = {name: str(keys[value]) if value in keys else value for name, value in given["fields"].items()}
    checked = build_input_serializer(scope, model, data=data)
    checked.is_valid(raise_exception=True)
    texts = {name: value for name, value in checked.validated_data.items() if name in model.long_texts}
    fields = {name: value for name, value in checked.validated_data.items() if name not in texts}
    restricted = given.get("restricted")
    entity = create_entity(
        scope=scope,
        model=model,
        fields=fields,
        texts=texts,
        source_system=SOURCE,
        source_id=given["key"],
        visibility=Visibility.RESTRICTED if restricted is not None else None,
        public=True,
    )
    for username in (restricted or {}).get("users", []):
        user = User.objects.get(username=username)
        if user.pk != scope.principal:
            grant_entity(entity, user.pk, ["view"])
    for name in (restricted or {}).get("roles", []):
        grant_entity(entity, -Role.objects.get(name=name).pk, ["view"])
    return entity.pk
