"""What decides whether a mutant lives: the cheapest questions first, on one planted world.

Beside the paths of the oracle, what no path asks for: the service, roles by themselves, refusals, and rules of writing.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import PermissionDenied
from django.db import DataError, connection, transaction
from django.http import Http404, HttpResponse
from django.test import RequestFactory
from django.utils import timezone

from entities.access import (
    ADMIN,
    MEMBER,
    OWN_ACCOUNT,
    PUBLIC_ROUTE,
    SIGNED_IN,
    STEWARD,
    NoWorkspace,
    Scope,
    ScopeError,
    allowed_labels,
    atoms_by_label,
    atoms_of,
    clears,
    combine,
    combine_many,
    concealed_atoms,
    current,
    entity_content_type,
    get_entity_or_404,
    grant_entity,
    held_atoms,
    make_group,
    may,
    may_create,
    missing_atoms,
    open_token,
    raise_labels,
    readable_now,
    redacted_fields,
    requires,
    revoke_entity,
    rule_of,
    scope_is_open,
    sources_visible,
    visible,
    workspaces_of,
)
from entities.access.objects import lock_or_404
from entities.access.scope import cached
from entities.models import Classification, Entity, EntityRoleGrant, EntityUserGrant, Role, Source
from entities.types import Article, Contract, Employee
from ingestion.models import ContextRow, Kind, RowParagraph
from retrieval.query import Within
from retrieval.search import find
from tests.oracle.monitor import Person
from tests.oracle.paths import IN_A_SCOPE, PATHS, Asked
from tests.oracle.planting import Everything

Decider = Callable[[Everything], None]


@contextmanager
def refused(*errors: type[BaseException]) -> Iterator[None]:
    """AssertionError unless one of `errors` is raised."""
    try:
        with transaction.atomic():
            yield
    except errors:
        return
    raise AssertionError(f"{errors} was not raised")


@contextmanager
def undone() -> Iterator[None]:
    """What happens inside is rolled back."""
    with transaction.atomic():
        try:
            yield
        finally:
            transaction.set_rollback(True)


def scopes_open_and_close(e: Everything) -> None:
    service = e.planted.service
    scope = e.planted.scope(e.world.people[1])
    assert (service.is_service, scope.is_service, scope_is_open()) == (True, False, False)
    for _ in range(2):
        with scope.open():
            assert scope_is_open()
            assert current() is scope
            with refused(ScopeError), service.open():
                pass
            assert current() is scope
            assert cached("once", lambda: 1) == cached("once", lambda: 2) == 1
        assert not scope_is_open()
        with scope.open():
            assert cached("once", lambda: 3) == 3
    with refused(ScopeError):
        current()
    with refused(ScopeError):
        cached("once", lambda: 1)
    with refused(ZeroDivisionError), scope.open():
        raise ZeroDivisionError
    assert not scope_is_open()


def scopes_inside_a_transaction_leave_nothing(e: Everything) -> None:
    scope = e.planted.scope(e.world.people[1])
    with undone():
        with scope.open():
            assert Entity.objects.exists()
        assert not Entity.objects.exists()
        with refused(NoWorkspace), replace(scope, principal=10**9).open():
            pass
        assert not Entity.objects.exists()


def scopes_of_people_and_roles(e: Everything) -> None:
    planted, ann = e.planted, e.world.people[0]
    user = planted.users[ann.name]
    with refused(NoWorkspace):
        Scope.for_user(user, "no-such-workspace")
    assert [slug for slug, _ in workspaces_of(user)] == [planted.workspace.slug, f"{planted.workspace.slug}b"]
    assert open_token("x") is None
    scope = planted.scope(ann)
    assert (scope.workspace, scope.principal) == (planted.workspace.pk, user.pk)
    with refused(ScopeError):
        planted.service.held_to([1])
    with scope.held_to([1, 2]).held_to([2, 3]).open():
        assert held_atoms() == {2}
    with scope.held_to([]).open():
        assert allowed_labels() == {0}
    with refused(NoWorkspace), replace(scope, token="x").open():
        pass
    with refused(NoWorkspace), replace(scope, sign_in="x").open():
        pass
    for role in e.world.roles:
        with planted.service.open():
            as_role = Scope.for_role(Role.objects.select_related("workspace").get(name=role.name))
        assert as_role.slug == planted.workspace.slug
        with as_role.open():
            assert held_atoms() == role.atoms
            seen = set(Entity.objects.visible_to(as_role).values_list("pk", flat=True))
            # Nobody's own, so nothing private; grants to the role and rules for it hold.
            assert seen == {
                planted.records[r.name]
                for r in e.world.records
                if e.world.sees_as(None, frozenset({role.name}), r, "view")
            }


def labels_are_told(e: Everything) -> None:
    world = e.world
    for person in world.people:
        with e.planted.scope(person).open():
            held = world.held(person)
            assert held_atoms() == held
            known = atoms_by_label()
            assert allowed_labels() == {value for value, atoms in known.items() if set(atoms) <= held}
            assert concealed_atoms() == world.concealed - held
            for value, atoms in known.items():
                assert atoms_of(value) == atoms
                assert missing_atoms(value) == tuple(a for a in atoms if a not in held)
                assert readable_now(value) == (set(atoms) <= held)
            assert not readable_now(None)
            with refused(ValueError):
                atoms_of(None)
            with refused(Classification.DoesNotExist):
                atoms_of(99_999)


def labels_combine(e: Everything) -> None:
    planted = e.planted
    with undone(), planted.service.open():
        ws = planted.workspace.pk
        assert (combine(ws), combine(ws, 0), combine(ws, 3), combine(ws, 0, 3, 3)) == (0, 0, 3, 3)
        atoms_by_label()
        new = combine(ws, 1, 2, 3)
        assert atoms_of(new) == (1, 2, 3)
        assert combine(ws, combine(ws, 2, 1), 3) == combine_many([3, 2, 1]) == new >= 1000
        with refused(ScopeError):
            combine(ws + 1, 1)
        with refused(DataError):
            combine(ws, 1, 77_777)


def labels_rise(e: Everything) -> None:
    planted = e.planted
    with undone(), planted.service.open():
        passage, other = uuid4(), uuid4()
        rows = [e.rows["word0 liability"], e.rows["word2 liability"], e.rows["word16 liability"]]
        entity = planted.records["record0"]
        for row, of in zip(rows, (passage, passage, other), strict=True):
            Source.objects.create(workspace=planted.workspace, derived=row, entity_id=entity, passage=of)
        RowParagraph.objects.filter(row__in=rows).delete()
        assert raise_labels({passage: 0}) == 0
        assert raise_labels({passage: 5}) == 1
        assert raise_labels({passage: 5}) == 0
        assert raise_labels({passage: 3}) == 2
        now = dict(ContextRow.objects.filter(pk__in=rows).values_list("pk", "data_classification"))
        both = combine(planted.workspace.pk, 3, 5)
        assert [now[row] for row in rows] == [both, both, 0]
    with planted.scope(e.world.people[0]).open(), refused(ScopeError):
        raise_labels({uuid4(): 5})


def grants_are_given_and_taken(e: Everything) -> None:
    planted, dee = e.planted, e.world.people[3]
    role = planted.roles["HR"]
    with undone(), planted.service.open():
        record, other = (Entity.objects.get(pk=planted.records[name]) for name in ("record3", "record5"))
        before = (
            set(EntityUserGrant.objects.values_list("pk", flat=True)),
            set(EntityRoleGrant.objects.values_list("pk", flat=True)),
        )
        for principal, grants in ((planted.users[dee.name].pk, EntityUserGrant), (-role.pk, EntityRoleGrant)):
            made = grants.objects.filter(content_object=record)
            known = made.count()
            grant_entity(record, principal)
            assert made.count() == known + 5
            now = timezone.now()
            grant_entity(record, principal, ["view"], expires_at=now)
            assert made.count() == known + 5
            assert list(made.filter(expires_at=now).values_list("permission__codename", flat=True)) == ["view_entity"]
            grant_entity(other, principal, ["share"])
            assert revoke_entity(record, principal, ["change", "share"]) == 2
            assert grants.objects.filter(content_object=other, permission__codename="share_entity").exists()
            assert revoke_entity(record, principal) == 3
            assert revoke_entity(record, principal) == 0
            assert revoke_entity(other, principal, ["share"]) == 1
        after = (
            set(EntityUserGrant.objects.values_list("pk", flat=True)),
            set(EntityRoleGrant.objects.values_list("pk", flat=True)),
        )
        assert before == after


def records_are_got(e: Everything) -> None:
    planted = e.planted
    assert entity_content_type(Contract) == entity_content_type(Entity) == entity_content_type(Contract())
    assert entity_content_type(Role).model == "role"
    assert entity_content_type(Role()) == ContentType.objects.get_for_model(Role)
    for person in e.world.people:
        scope = planted.scope(person)
        with scope.open():
            for record in e.world.records:
                pk = planted.records[record.name]
                for verb in ("view", "change"):
                    sees = e.world.sees(person, record, verb)
                    if sees:
                        assert type(get_entity_or_404(scope, pk, verb)).__name__.lower() == record.kind
                    else:
                        with refused(Http404):
                            get_entity_or_404(scope, pk, verb)
                    assert may(scope, Entity(pk=pk), verb) == sees
            with refused(Http404):
                get_entity_or_404(scope, uuid4())
            with refused(Http404):
                get_entity_or_404(scope, "nonsense")
            with refused(ValueError):
                visible(scope, Entity, "fly")
            contracts = {planted.records[r.name] for r in e.world.records if r.kind == "contract"}
            for pk in contracts:
                if Entity.objects.visible_to(scope).filter(pk=pk).exists():
                    with refused(Http404):
                        get_entity_or_404(scope, pk, model=Employee)
                    assert get_entity_or_404(scope, pk, model=Contract).pk == pk
            seen = set(clears(scope, Entity.objects.all()).values_list("pk", flat=True))
            assert seen == {planted.records[r.name] for r in e.world.records if e.world.sees(person, r)}
            roles = person.roles
            assert may_create(scope, Contract) == bool(roles & {"Editor", "Admin"})
            assert may_create(scope, Employee) == bool(roles & {"HR", "Admin"})
            assert not may_create(scope, Article)  # a rule about some rows is none about all
            told = {f.name: f.requires for f in redacted_fields(Employee)}
            held = e.world.held(person)
            assert told == {
                name: tuple(sorted(needs - held))
                for name, needs in {"email": {3}, "salary": {3, 5}}.items()
                if not needs <= held
            }


def records_are_locked(e: Everything) -> None:
    with undone(), e.planted.service.open():
        row = Entity.objects.get(pk=e.planted.records["record0"])
        lock_or_404(row)
        with refused(Http404):
            lock_or_404(Entity(pk=uuid4()))


def the_service_sees_all(e: Everything) -> None:
    service = e.planted.service
    with service.open():
        seen = set(Entity.objects.visible_to(service, "delete").values_list("pk", flat=True))
        assert seen == set(e.planted.records.values())
        assert sorted(e.rows) == sorted(
            ContextRow.objects.filter(sources_visible(service)).values_list("text", flat=True)
        )
        assert may_create(service, Article)
        assert len(find(service, "liability", floor=-1).hits) == len(e.rows)
        assert len(Contract.objects.readable_by(service)) == 5
        assert [c.value for c in Contract.objects.readable_by(service)] == [1] * 5
        with undone():
            make_group(f"{service.workspace}:new")


def the_gate_narrows(e: Everything) -> None:
    person = e.world.people[1]
    scope = e.planted.scope(person)
    read = {t.words: t for t in e.world.indexed(person)}
    with scope.open():
        number = dict(ContextRow.objects.values_list("number", "text"))

        def found(**within: Any) -> set[str]:
            return {number[hit.row] for hit in find(scope, "liability", within=Within(**within), floor=-1).hits}

        file, session = e.files["record0"], uuid4()
        filed = {w for w, t in read.items() if t.passage and t.record == "record0"}
        assert found(files=[file]) == filed
        assert found(files=[file], sessions=[session]) == filed
        assert found(sessions=[session]) == set()
        assert found(kinds=[Kind.METADATA, Kind.RELATIONSHIP]) == {w for w, t in read.items() if not t.passage}
        assert found(collections=["documents"]) == {w for w, t in read.items() if t.passage}
        assert found(types=["article"]) == {w for w, t in read.items() if e.world.record(t.record).kind == "article"}
        assert found(types=["article"], entities=[e.planted.records["record0"]]) == set()
        today = timezone.now().date()
        yesterday, tomorrow = today - timedelta(days=1), today + timedelta(days=1)
        assert found(since=today, until=today) == found(since=yesterday) == found(until=tomorrow) == set(read)
        assert found(since=tomorrow) == found(until=yesterday) == set()
        with refused(ValueError):
            found(types=["ghost"])


def routes_ask_who(e: Everything) -> None:
    """Each rule against nobody, somebody with no workspace, a member, a steward and an administrator."""
    planted = e.planted

    def view(request: Any) -> HttpResponse:
        return HttpResponse("in")

    def status(rule: Any, request: Any) -> int:
        try:
            return requires(rule)(view)(request).status_code
        except Http404:
            return 404
        except PermissionDenied:
            return 403

    class Nobody:
        is_authenticated = False

    rules = (PUBLIC_ROUTE, SIGNED_IN, OWN_ACCOUNT, MEMBER, STEWARD, ADMIN)
    factory = RequestFactory()
    for path, nobody in (("/x/", 302), ("/api/x/", 401)):
        request: Any = factory.get(path)
        request.user = Nobody()
        assert [status(rule, request) for rule in rules] == [200, *[nobody] * 5]
    request = factory.get("/api/x/")
    request.user = planted.users["ann"]
    assert [status(rule, request) for rule in rules] == [200, 200, 200, 404, 404, 404]
    for path, first in (("/x/", 302), ("/api/x/", 403)):
        request = factory.get(path)
        request.user = type("Given", (), {"is_authenticated": True, "password_by_other": True})()
        assert [status(rule, request) for rule in rules] == [200, first, 200, first, first, first]
    with planted.service.open():
        admin = Role.objects.filter(name="Admin", is_admin=True).exists()
    for person in e.world.people:
        request = factory.post("/x/")
        request.user = planted.users[person.name]
        request.access_scope = planted.scope(person)
        with request.access_scope.open():
            allowed = 200 if "Admin" in person.roles else 403  # the only role that is a steward's here
            administers = 200 if "Admin" in person.roles and admin else 403
            assert [status(rule, request) for rule in rules] == [200, 200, 200, 200, allowed, administers]
    guarded = requires(ADMIN)(view)
    assert rule_of(guarded) is ADMIN
    assert rule_of(view) is None

    def around(request: Any) -> None: ...

    around.__wrapped__ = guarded  # type: ignore[attr-defined]
    assert rule_of(around) is ADMIN


def labels_are_written_as_far_as_they_are_read(e: Everything) -> None:
    """Row by row: what a person may insert into a table with a label, and into one for an audience."""
    planted, ben = e.planted, e.world.people[1]
    scope = planted.scope(ben)
    with scope.open():
        for label, audience, fine in ((0, 0, True), (5, 0, True), (3, 0, False), (0, scope.principal, True),
                                      (0, planted.users["dee"].pk, False)):  # fmt: skip
            done = True
            try:
                with undone():
                    ContextRow.objects.bulk_create(
                        [ContextRow(workspace=planted.workspace, entity_id=planted.records["record0"], kind=Kind.DELTA,
                                    data_classification=label, audience=audience, text="new", digest="new")]
                    )  # fmt: skip
                    with connection.cursor() as cursor:
                        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            except Exception:
                done = False
            assert done == fine, (label, audience)


EXTRA: list[Decider] = [
    scopes_open_and_close,
    scopes_inside_a_transaction_leave_nothing,
    scopes_of_people_and_roles,
    labels_are_told,
    labels_combine,
    labels_rise,
    grants_are_given_and_taken,
    records_are_got,
    records_are_locked,
    the_service_sees_all,
    the_gate_narrows,
    routes_ask_who,
    labels_are_written_as_far_as_they_are_read,
]
LATE = [PATHS[name] for name in ("records", "references", "file list", "download", "reader")]
"""Paths that need a sign-in, and ask the database for what the others do not."""


def difference(e: Everything) -> str:
    """The first thing that is not as it must be; "" where all of it is. Errors of any kind count."""
    try:
        for decide in EXTRA:
            decide(e)
        people = e.world.people
        narrowed = [Person(p.name, p.roles, role.name) for p, role in zip(people, e.world.roles[::-1], strict=True)]
        narrowed.append(Person("ann", frozenset({"Admin"}), "HR"))
        for person in (*people, *narrowed):
            asked = Asked(e, person)
            for check in IN_A_SCOPE.values():
                check(asked)
        for person in people:
            asked = Asked(e, person)
            for check in LATE:
                check(asked)
    except Exception as found:
        return f"{type(found).__name__}: {found}"[:300]
    return ""
