"""Records: grants on them, how code gets one, and what a search is narrowed to."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.contrib.contenttypes.models import ContentType
from django.http import Http404
from django.utils import timezone

from entities.access import (
    Scope,
    ScopeKind,
    build_sources_visible_q,
    build_visibility_q,
    can_create,
    filter_visible,
    get_entity_content_type,
    get_entity_or_404,
    grant_entity,
    has_permission,
    list_redacted_fields,
    looking_into_bin,
    make_group,
    revoke_entity,
)
from entities.access.objects import list_declared_fields, list_readable_fields, lock_or_404
from entities.actions import add_member
from entities.models import Entity, EntityRoleGrant, EntityUserGrant, Role, Source, User, Weight
from entities.types import Article, Contract, Employee
from ingestion.models import ContextRow, Kind
from retrieval.query import Within
from retrieval.search import find_hits
from tests.oracle.planted_attachments import attached_words
from tests.oracle.planted_world import Everything
from tests.prove.questions.refusals import refused, undone
from tests.prove.questions.tables import everybody


def attachments_are_their_senders(e: Everything) -> None:
    """In a scope that finds them, to be seen and nothing else, whatever is granted."""
    planted, (mine, other) = e.planted, e.world.people[1:3]
    with undone():
        with planted.service.open():
            record = Entity.objects.get(attached_to__isnull=False, created_by=planted.users[mine.name].pk)
            for person in (mine, other):
                grant_entity(record, planted.users[person.name].pk)
        for scope, verb, seen in (
            (planted.scope(mine), "view", False),
            (planted.scope(mine).with_attachments(), "view", True),
            (planted.scope(mine).with_attachments(str(uuid4())), "view", False),
            (planted.scope(mine).with_attachments(), "share", False),
            (planted.scope(other), "view", False),
            (planted.scope(other).with_attachments(), "view", False),
            (planted.scope(other).with_attachments(str(record.attached_to)), "view", False),
        ):
            with scope.open():
                assert has_permission(scope, record, verb) is seen, (scope, verb)


def grants_are_given_and_taken(e: Everything) -> None:
    planted, dee = e.planted, e.world.people[3]
    role = planted.roles["HR"]
    with undone(), planted.service.open():
        record, other = (Entity.objects.get(pk=planted.records[name]) for name in ("record3", "record5"))
        before = (
            set(EntityUserGrant.objects.values_list("pk", flat=True)),
            set(EntityRoleGrant.objects.values_list("pk", flat=True)),
        )
        neighbours = {EntityUserGrant: planted.users["cas"].pk, EntityRoleGrant: -planted.roles["Red"].pk}
        for principal, grants in ((planted.users[dee.name].pk, EntityUserGrant), (-role.pk, EntityRoleGrant)):
            neighbour = neighbours[grants]
            made = grants.objects.filter(content_object=record)
            known = made.count()
            grant_entity(record, principal)
            assert made.count() == known + 5
            now = timezone.now()
            grant_entity(record, principal, ["view"], expires_at=now)
            assert made.count() == known + 5
            assert list(made.filter(expires_at=now).values_list("permission__codename", flat=True)) == ["view_entity"]
            grant_entity(other, principal, ["share"])
            grant_entity(record, neighbour, ["share"])
            assert revoke_entity(record, principal, ["change", "share"]) == 2
            assert grants.objects.filter(content_object=other, permission__codename="share_entity").exists()
            assert revoke_entity(record, principal) == 3
            assert revoke_entity(record, principal) == 0
            assert revoke_entity(other, principal, ["share"]) == 1
            assert revoke_entity(record, neighbour, ["share"]) == 1, "somebody else's is left alone"
        after = (
            set(EntityUserGrant.objects.values_list("pk", flat=True)),
            set(EntityRoleGrant.objects.values_list("pk", flat=True)),
        )
        assert before == after


def private_records_are_their_makers(e: Everything) -> None:
    """The first account's as any other's; a role's are nobody's, for a role is no person. What is lent until
    tomorrow is seen today.
    """
    planted = e.planted
    with undone():
        first, _ = User.objects.get_or_create(pk=1, defaults={"username": "the first account"})
        with planted.service.open():
            add_member(planted.workspace, first, [])
            mine = {"workspace": planted.workspace, "visibility": "private", "counterparty": "Somebody"}
            role = planted.roles["HR"]
            own = Contract.objects.create(**mine, name="of the first", created_by=1)
            of_role = Contract.objects.create(**mine, name="of a role", created_by=-role.pk)
            handed_on = Contract.objects.create(**{**mine, "visibility": "restricted"}, name="handed on", created_by=1)
            lent = Entity.objects.get(pk=planted.records["record1"])
            grant_entity(lent, 1, ["view"], expires_at=timezone.now() + timedelta(days=1))
        scope = Scope.for_user(first, planted.workspace.slug)
        with scope.open():
            assert get_entity_or_404(scope, own.pk).pk == own.pk
            assert has_permission(scope, lent, "view")
            assert not has_permission(scope, of_role, "view")
            assert not has_permission(
                scope, handed_on, "view"
            )  # a restricted one is seen by grants, its maker's among them
        with planted.service.open():
            assert revoke_entity(lent, 1) == 1
        with scope.open():
            assert not has_permission(scope, lent, "view")
        as_role = Scope(planted.workspace.pk, -role.pk, ScopeKind.ROLE, planted.workspace.slug)
        with as_role.open():
            assert not has_permission(as_role, of_role, "view")
            assert not has_permission(as_role, own, "view")


def records_are_got(e: Everything) -> None:
    planted = e.planted
    assert get_entity_content_type(Contract) == get_entity_content_type(Entity) == get_entity_content_type(Contract())
    assert get_entity_content_type(Role).model == "role"
    assert get_entity_content_type(Role()) == ContentType.objects.get_for_model(Role)
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
                    assert has_permission(scope, Entity(pk=pk), verb) == sees
            with refused(Http404):
                get_entity_or_404(scope, uuid4())
            with refused(Http404):
                get_entity_or_404(scope, "nonsense")
            with refused(ValueError):
                build_visibility_q(scope, Entity, "fly")
            contracts = {planted.records[r.name] for r in e.world.records if r.kind == "contract"}
            for pk in contracts:
                if Entity.objects.visible_to(scope).filter(pk=pk).exists():
                    with refused(Http404):
                        get_entity_or_404(scope, pk, model=Employee)
                    assert get_entity_or_404(scope, pk, model=Contract).pk == pk
            seen = set(filter_visible(scope, Entity.objects.all()).values_list("pk", flat=True))
            assert seen == {planted.records[r.name] for r in e.world.records if e.world.sees(person, r)}
            roles = person.roles
            assert can_create(scope, Contract) == bool(roles & {"Editor", "Admin"})
            assert can_create(scope, Employee) == bool(roles & {"HR", "Admin"})
            assert not can_create(scope, Article)  # a rule about some rows is none about all
            told = {f.name: f.requires for f in list_redacted_fields(Employee)}
            held = e.world.held(person)
            assert told == {
                name: tuple(sorted(needs - held))
                for name, needs in {"email": {3}, "salary": {3, 5}}.items()
                if not needs <= held
            }


def columns_are_read(e: Everything) -> None:
    """What a person is not cleared for is not selected, and what is no field is none."""
    assert list_declared_fields(Employee) == ["name", *(f.name for f in Employee._meta.local_fields[1:])]
    for person in e.world.people:
        scope, held = e.planted.scope(person), e.world.held(person)
        hidden = {name for name, needs in {"email": {3}, "salary": {3, 5}}.items() if not needs <= held}
        with scope.open():
            assert set(list_readable_fields(Employee)) == set(list_declared_fields(Employee)) - hidden
            for employee in Employee.objects.readable_by(scope):
                assert employee.get_deferred_fields() == {"name"} | hidden
            for entity in Entity.objects.readable_by(scope):
                assert entity.get_deferred_fields() == {"name"}


def sources_are_asked(e: Everything) -> None:
    """In statements that Django writes: a row that was drawn from a record that one may not see is not there."""
    for person in e.world.people:
        scope = e.planted.scope(person)
        with scope.open():
            seen = Entity.objects.visible_to(scope).values("pk")
            rows = ContextRow.objects.filter(build_sources_visible_q(scope), entity__in=seen)
            assert set(rows.values_list("text", flat=True)) == {text.words for text in e.world.indexed(person)}


def records_in_numbers_are_asked(e: Everything) -> None:
    """A text that lists records is there for a reader who sees each of them; one that was deleted for good hides
    nothing, one in the bin hides the text.
    """
    world, planted = e.world, e.planted
    names = [record.name for record in world.records]
    open_to_all = {record.name for record in world.records if record.visibility == "workspace"}
    words = next(t.words for t in world.texts if t.label == frozenset() and not t.audience and t.record in open_to_all)
    with undone():
        with planted.service.open():
            text = ContextRow.objects.get(text=words)
            Source.objects.filter(derived=text.pk).delete()
            at: Any = {"workspace": planted.workspace, "derived": text.pk, "entity_id": text.entity_id}
            listed = Source.objects.create(**at, weight=Weight.COUNT)
        for counted in ([], *([name] for name in names), names):
            with planted.service.open():
                listed.counted = [uuid4(), *(planted.records[name] for name in counted)]
                listed.save()
            for person in everybody(e):
                scope = planted.scope(person)
                with scope.open():
                    shown = ContextRow.objects.filter(build_sources_visible_q(scope), pk=text.pk).exists()
                assert shown == all(world.sees(person, world.record(name)) for name in counted), (person, counted)
        with planted.service.open():  # no policy finds it in the bin, and it may come back
            listed.counted = [next(pk for pk in planted.records.values() if pk != text.entity_id)]
            listed.save()
            with looking_into_bin():
                assert Entity.objects.filter(pk__in=listed.counted).update(deleted_at=timezone.now()) == 1
        for person in everybody(e):
            scope = planted.scope(person)
            with scope.open():
                assert not ContextRow.objects.filter(build_sources_visible_q(scope), pk=text.pk).exists(), person


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
        attached = set(Entity.objects.filter(attached_to__isnull=False).values_list("pk", flat=True))
        assert len(attached) == len(e.world.people)
        assert seen == {*e.planted.records.values(), *attached}
        rows = [*e.rows, *(attached_words(e.world, person) for person in e.world.people)]
        assert sorted(rows) == sorted(
            ContextRow.objects.filter(build_sources_visible_q(service)).values_list("text", flat=True)
        )
        assert can_create(service, Article)
        assert len(find_hits(service, "liability", floor=-1).hits) == len(rows)
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
            return {number[hit.row] for hit in find_hits(scope, "liability", within=Within(**within), floor=-1).hits}

        file, session = e.files["record0"], uuid4()
        filed = {w for w, t in read.items() if t.passage and t.record == "record0"}
        assert found(files=[file]) == filed
        assert found(files=[file], sessions=[session]) == filed
        assert found(sessions=[session]) == set()
        said = {w for w, t in read.items() if t.said and t.record == "record0"}
        assert found(sessions=[e.sessions[person.name, "record0"]]) == said != set()
        others = [Kind.METADATA, Kind.RELATIONSHIP, Kind.CHAT_MESSAGE]
        assert found(kinds=others) == {w for w, t in read.items() if not t.passage}
        assert found(collections=["documents"]) == {w for w, t in read.items() if t.passage}
        assert found(types=["article"]) == {w for w, t in read.items() if e.world.record(t.record).kind == "article"}
        assert found(types=["article"], entities=[e.planted.records["record0"]]) == set()
        today = timezone.now().date()
        yesterday, tomorrow = today - timedelta(days=1), today + timedelta(days=1)
        old = {w for w, t in read.items() if e.world.old(t)}
        assert found(since=today, until=today) == found(since=yesterday) == set(read) - old
        assert (found(until=tomorrow), found(until=yesterday), found(since=tomorrow)) == (set(read), old, set())
        with refused(ValueError):
            found(types=["ghost"])
