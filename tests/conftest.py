"""One cast of people for all tests (design §11's demo users, in a workspace `acme`), and an outsider in another one."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

import entities.actions
from entities.access import Scope
from entities.actions import add_member, create_entity, create_role, create_workspace
from entities.models import Membership, Role, User, Workspace
from entities.models.classification import CONFIDENTIAL, FINANCIAL, INTERNAL, PII, PII_SENSITIVE, PUBLIC, SECRET
from entities.tokens import issue_token
from entities.types import Contract
from ingestion import judging
from tests.costs import pytest_configure, pytest_runtest_protocol  # noqa: F401  hooks
from tests.db_plugin import (  # noqa: F401  fixtures and hook
    app_connection,
    cluster,
    connection_pool,
    django_db_setup,
    owner_connection,
    pytest_sessionstart,
    session_pools,
    superuser_connection,
)
from tests.processes import server, shared_servers, start_server, start_worker  # noqa: F401  fixtures
from tests.system import chromium, pytest_collection_modifyitems  # noqa: F401  fixture and hook
from tests.time_limits import pytest_exception_interact  # noqa: F401  hook
from tests.vector_cache import fresh_vectors, remembered_vectors  # noqa: F401  fixtures

gc.disable()  # until the tests are collected: a third of that time went into looking for cycles
GC_THRESHOLDS = (50_000, 20, 100)


def pytest_collection_finish() -> None:
    """Nothing is frozen: tests of mutants look for functions among the collector's objects."""
    gc.set_threshold(*GC_THRESHOLDS)
    gc.enable()


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes are named by their argument: an archive holds the time, and workers must collect the same names."""
    return argname if isinstance(val, bytes) else None


ALL = [INTERNAL, CONFIDENTIAL, PII, PII_SENSITIVE, FINANCIAL, SECRET]


@dataclass(frozen=True)
class Person:
    """Somebody in a workspace: `client` browses under `base`, `api` carries a token."""

    user: User
    scope: Scope
    api: APIClient
    base: str

    @cached_property
    def client(self) -> Client:
        """Signed in when it is first used: most tests have people who never open a page."""
        client = Client()
        client.force_login(self.user)
        return client


# Most tests are about what rules find, and read the rest as everybody: those about text that nobody has judged ask for
# a workspace that is closed (`closed`).
entities.actions.RESTING = PUBLIC
# Nor do they expect what the heads find: those that do ask for `heads`.
load_heads = judging.load_heads
judging.load_heads = lambda model_id: None


@pytest.fixture
def heads(monkeypatch: pytest.MonkeyPatch) -> None:
    """The heads judge documents and paragraphs, as in the product."""
    monkeypatch.setattr(judging, "load_heads", load_heads)


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workspaces are made as in the product: text that nobody has judged is for people cleared for Internal."""
    monkeypatch.setattr(entities.actions, "RESTING", INTERNAL)


@pytest.fixture
def workspace(db: None) -> Workspace:
    """Rolled back after the test; a test that needs real commits asks for `transactional_db` as well."""
    return create_workspace(slug="acme", name="Acme")


@pytest.fixture
def service(workspace: Workspace) -> Scope:
    """The service scope of `workspace`: sees all labels, unlabelled text too."""
    return Scope.for_service(workspace.pk)


def person(workspace: Workspace, name: str, labels: list[int], roles: tuple[str, ...] = (), **flags: bool) -> Person:
    """A member with a role of their own that holds `labels`, and the named roles of the workspace."""
    user = User.objects.create_user(name, password="pass")
    with Scope.for_service(workspace.pk).open():
        own = create_role(workspace, name.upper() if name == "hr" else f"{name} role", labels, **flags)
        add_member(workspace, user, [own, *Role.objects.filter(name__in=roles)])
        secret = issue_token(Membership.objects.get(user=user))
    api = APIClient()
    api.credentials(HTTP_AUTHORIZATION=f"Token {secret}")
    return Person(user, Scope.for_user(user, workspace.slug), api, f"/w/{workspace.slug}/")


@pytest.fixture
def alice(workspace: Workspace) -> Person:
    """Administers: every label, may change and delete."""
    return person(workspace, "alice", ALL, ("Admin", "Editor", "Steward"))


@pytest.fixture
def hr(workspace: Workspace) -> Person:
    return person(workspace, "hr", [PII])


@pytest.fixture
def cfo(workspace: Workspace) -> Person:
    return person(workspace, "cfo", [FINANCIAL])


@pytest.fixture
def staff(workspace: Workspace) -> Person:
    return person(workspace, "staff", [INTERNAL], ("Editor",))


@pytest.fixture
def viewer(workspace: Workspace) -> Person:
    return person(workspace, "viewer", [])


@pytest.fixture
def steward(workspace: Workspace) -> Person:
    return person(workspace, "steward", ALL, ("Steward",))


@pytest.fixture
def outsider(workspace: Workspace) -> Person:
    """Everything in another workspace, nothing in this one."""
    return person(create_workspace(slug="other", name="Other"), "outsider", ALL, ("Admin", "Editor", "Steward"))


@pytest.fixture
def contract(alice: Person) -> Contract:
    return make_contract(alice)


def make_contract(alice: Person) -> Contract:
    """Open to the workspace; it waits to be indexed."""
    with alice.scope.open():
        made = create_entity(
            scope=alice.scope, model=Contract, fields={"name": "Quay lease", "counterparty": "Port", "value": "1200000"}
        )
    assert isinstance(made, Contract)
    return made


@pytest.fixture
def restricted(alice: Person) -> Contract:
    """A contract that only its creator, alice, may see."""
    with alice.scope.open():
        made = create_entity(
            scope=alice.scope,
            model=Contract,
            fields={"name": "Settlement", "counterparty": "Nobody you know"},
            visibility="restricted",
        )
    assert isinstance(made, Contract)
    return made


@pytest.fixture
def opened() -> Any:
    """`with opened(person): …` opens a person's scope."""

    @contextmanager
    def enter(who: Person | Scope) -> Iterator[Scope]:
        scope = who.scope if isinstance(who, Person) else who
        with scope.open():
            yield scope

    return enter
