"""Requests for access: who asks for what, who decides, and what becomes of it."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.http import Http404
from django.utils import timezone

from entities.access import Scope, ScopeKind
from entities.actions import add_member
from entities.api.errors import Conflict, TooManyRequests
from entities.api.lists import load_atom_chips
from entities.models import AuditEntry, LabelGrant, Membership, User
from entities.types import Contract
from ingestion.access import get_file_or_404
from ingestion.errors import BadUpload
from ingestion.models import AccessMessage, AccessRequest, Extent, Paragraph, TextGrant
from ingestion.requests import (
    MOST_A_DAY,
    MOST_OPEN,
    Wish,
    ask_for_access,
    check_end,
    decide_access,
    find_wanted_atoms,
    get_request_or_404,
    select_requests,
    select_to_decide,
)
from tests.oracle.planted_world import Everything
from tests.prove.mutation_of_sql import in_template
from tests.prove.questions.refusals import refused, undone

State = AccessRequest.State


def of(e: Everything, scope: Scope, name: str) -> AccessRequest:
    """Somebody's request about record0."""
    return get_request_or_404(scope, e.requests[name, "record0"])


def requests_are_got(e: Everything) -> None:
    world = e.world
    for person in world.people:
        scope = e.planted.scope(person)
        with scope.open():
            for (name, record), pk in e.requests.items():
                if world.sees(person, world.record(record)) and (name == person.name or world.steward(person)):
                    assert get_request_or_404(scope, pk).pk == pk
                else:
                    with refused(Http404):
                        get_request_or_404(scope, pk)
            theirs = {pk for (name, record), pk in e.requests.items()
                      if name != person.name and world.sees(person, world.record(record))}  # fmt: skip
            waiting = set(select_to_decide(scope).values_list("pk", flat=True))
            assert waiting == (theirs if world.steward(person) else set()), person


def requests_are_decided(e: Everything) -> None:
    """By another steward, once, and no further than a role of theirs holds."""
    ann, ben = (e.planted.scope(e.world.people[n]) for n in (0, 1))
    with undone(), ann.open():
        theirs = of(e, ann, "dee")
        for state, reason, until, refusal in (
            (State.REFUSED, " ", None, BadUpload),
            (State.WITHDRAWN, "Why", None, Conflict),
            (State.GRANTED, "", timezone.now() - timedelta(hours=1), BadUpload),
            (State.GRANTED, "", timezone.now() + timedelta(days=400), BadUpload),
        ):
            with refused(refusal):
                decide_access(scope=ann, request=theirs, state=state, reason=reason, until=until)
        with refused(PermissionDenied):
            decide_access(scope=ann, request=of(e, ann, "ann"), state=State.REFUSED, reason="Why")
        with refused(Http404):
            gone = AccessRequest(pk=uuid4(), requester=theirs.requester)
            decide_access(scope=ann, request=gone, state=State.REFUSED, reason="Why")
        for name, reason in (("cas", "Her password is x7!Kq2."), ("dee", "For internal use only.")):
            with refused(BadUpload):
                decide_access(scope=ann, request=of(e, ann, name), state=State.REFUSED, reason=reason)
        AccessRequest.objects.filter(pk=e.requests["cas", "record0"]).update(atoms=[5])
        more = of(e, ann, "cas")
        with refused(PermissionDenied):
            decide_access(scope=ann, request=more, state=State.GRANTED)
        assert decide_access(scope=ann, request=more, state=State.REFUSED, reason="Why").state == State.REFUSED
        assert more.pk not in {row.pk for row in select_to_decide(ann)}
    with undone():
        with e.planted.service.open():
            kept = LabelGrant.objects.get(membership__user=e.planted.users["dee"], expires_at=None)
            LabelGrant.objects.filter(pk=kept.pk).update(origin=e.requests["dee", "record0"])
        with ann.open():
            decide_access(scope=ann, request=of(e, ann, "dee"), state=State.REFUSED, reason="Why")
        with e.planted.service.open():
            assert LabelGrant.objects.filter(pk=kept.pk).exists(), "a refusal takes nothing"
    with pytest.MonkeyPatch.context() as patch:
        now = timezone.now()
        patch.setattr("ingestion.requests.timezone.now", lambda: now)
        with refused(BadUpload):
            check_end(now)
    with undone():
        with ann.open():
            theirs = of(e, ann, "dee")
        with ben.open():
            for request in (of(e, ben, "ben"), theirs):
                with refused(PermissionDenied):
                    decide_access(scope=ben, request=request, state=State.REFUSED, reason="Why")


def requests_are_granted_and_withdrawn(e: Everything) -> None:
    """Until the end that was said, and alone: what somebody holds besides stays theirs. Each decision is on record."""
    ann, dee = e.planted.scope(e.world.people[0]), e.planted.users["dee"]
    origin = e.requests["dee", "record0"]
    for until in (None, timezone.now() + timedelta(days=1)):
        with undone():
            with ann.open():
                theirs = of(e, ann, "dee")
                assert not LabelGrant.objects.filter(origin=origin).exists()
                decide_access(scope=ann, request=theirs, state=State.GRANTED, until=until)
                (grant,) = LabelGrant.objects.filter(origin=origin)
                assert (grant.membership_id, grant.classification.value) == (theirs.membership_id, 1)
                assert (grant.expires_at, of(e, ann, "dee").until) == (until, until)
                with refused(Conflict):
                    decide_access(scope=ann, request=theirs, state=State.REFUSED, reason="Why")
                decide_access(scope=ann, request=theirs, state=State.WITHDRAWN, reason="Why")
                assert not LabelGrant.objects.filter(origin=origin).exists()
                assert of(e, ann, "dee").until == until
            with e.planted.service.open():
                assert LabelGrant.objects.filter(membership__user=dee).count() == 2
                entries = AuditEntry.objects.filter(object_id=str(origin), actor=ann.principal).order_by("pk")
                said = [(row.action, row.detail["until"]) for row in entries]
                assert said == [("access.granted", until and until.isoformat()), ("access.withdrawn", None)]
    with undone(), ann.open():
        decide_access(scope=ann, request=of(e, ann, "dee"), state=State.GRANTED, extent=Extent.RECORD)
        assert TextGrant.objects.filter(request=origin).exists()
        decide_access(scope=ann, request=of(e, ann, "dee"), state=State.WITHDRAWN, reason="Why")
        assert not TextGrant.objects.filter(request=origin).exists()
    with undone():
        with ann.open():
            decide_access(scope=ann, request=of(e, ann, "dee"), state=State.GRANTED)
        with e.planted.service.open():
            AccessRequest.objects.filter(pk=origin).delete()
            assert not LabelGrant.objects.filter(origin=origin).exists()
            assert LabelGrant.objects.filter(membership__user=dee).count() == 2


def requests_tell_nothing(e: Everything) -> None:
    """What is hidden without trace is absent, and what is not lacking is not asked for."""
    world, dee = e.world, e.planted.scope(e.world.people[3])
    with dee.open():
        file = get_file_or_404(dee, e.files["record0"])
        passages = {p.text: p.pk for p in Paragraph.objects.filter(file=file.pk)}
    with e.planted.service.open():
        passages |= {p.text: p.pk for p in Paragraph.objects.all()}
    elsewhere = passages["word12 liability"]
    with undone(), dee.open():
        Contract.objects.create(
            id=UUID(int=1), workspace=e.planted.workspace, name="of the first id", counterparty="Somebody", value=1
        )
        for text in world.paragraphs("record0"):
            wish = Wish(file=file.pk, passage=passages[text.words])
            if world.cleared(world.people[3], text.label):
                with refused(BadUpload):
                    find_wanted_atoms(file, wish)
            else:
                assert set(find_wanted_atoms(file, wish)) == {3}, "as of a passage that is not there"
        for absent in (uuid4(), elsewhere, None):
            assert set(find_wanted_atoms(file, Wish(file=file.pk, passage=absent))) == {3}
        assert set(find_wanted_atoms(None, Wish(labels=(1, 5)))) == {1}
        offered = set(load_atom_chips()) - world.concealed
        assert set(find_wanted_atoms(None, Wish(labels=tuple(offered)))) == offered - {0, 5}
        for labels in ((2,), (77,), (5,), ()):
            with refused(BadUpload):
                find_wanted_atoms(None, Wish(labels=labels))
        records = e.planted.records
        for hidden in (
            Wish(labels=(1,)),
            Wish(entity=records["record1"], labels=(1,)),
            Wish(entity=uuid4(), labels=(1,)),
            Wish(file=e.files["record2"]),
            Wish(file=file.pk, entity=records["record6"]),
        ):
            with refused(Http404):
                ask_for_access(scope=dee, wish=hidden)
    with undone():
        with e.planted.service.open():
            Paragraph.objects.filter(file=file.pk).delete()
        with dee.open(), refused(BadUpload):
            find_wanted_atoms(file, Wish(file=file.pk))
    wish = Wish(entity=records["record0"], labels=(1,))
    as_role = Scope(dee.workspace, -e.planted.roles["Red"].pk, ScopeKind.ROLE, dee.slug)
    for scope in (dee.limit_to([1]), e.planted.service, as_role):
        with scope.open(), refused(PermissionDenied):
            ask_for_access(scope=scope, wish=wish)


def requests_are_made(e: Everything) -> None:
    """Once for the same by the same person while it waits, and on record. Two of one person take turns."""
    world, planted = e.world, e.planted
    ann, cas, dee = (planted.scope(world.people[n]) for n in (0, 2, 3))
    first, other, file = planted.records["record0"], planted.records["record6"], e.files["record0"]
    with undone():
        with dee.open():
            wishes = {
                Wish(entity=first, labels=(1, 3)): [1, 3],
                Wish(entity=first, labels=(1,)): [1],
                Wish(entity=other, labels=(1, 3), message=" Please.\x00"): [1, 3],
                Wish(file=file, labels=(1, 3)): [1, 3],
                Wish(file=file): [3],
            }
            made = []
            for wish, atoms in wishes.items():
                request, new = ask_for_access(scope=dee, wish=wish)
                assert (new, request.atoms, request.requester) == (True, atoms, dee.principal)
                assert request.membership.user_id == dee.principal
                assert (request.entity_id, request.file_id) == (wish.entity or first, wish.file)
                made.append(request.pk)
            assert len(set(made)) == len(wishes)
            again, new = ask_for_access(scope=dee, wish=Wish(entity=first, labels=(3, 1)))
            assert (new, again.pk) == (False, made[0])
            messages = AccessMessage.objects.filter(request__in=made).values_list("request", "text")
            assert list(messages) == [(made[2], "Please.")]
            assert takes_turns(dee)
        with planted.service.open():
            AccessRequest.objects.filter(pk=made[0]).update(state=State.REFUSED)
            noted = AuditEntry.objects.filter(action="access.requested", object_id__in=[str(pk) for pk in made])
            assert noted.count() == len(made)
        with dee.open():
            assert ask_for_access(scope=dee, wish=Wish(entity=first, labels=(1, 3)))[1]
    somebody, _ = User.objects.get_or_create(pk=1, defaults={"username": "the first account"})
    with undone():
        with planted.service.open():
            add_member(planted.workspace, somebody, [])
        number_one = Scope.for_user(somebody, planted.workspace.slug)
        for scope in {scope.principal: scope for scope in (cas, ann, number_one)}.values():
            with scope.open():
                request, new = ask_for_access(scope=scope, wish=Wish(entity=first, labels=(5,)))
                assert (new, request.requester) == (True, scope.principal)


def takes_turns(scope: Scope) -> bool:
    """Whether this transaction holds the lock that another of the same person would wait for."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"
            " AND (classid::bigint << 32 | objid::bigint) = hashtextextended('access request', %s))",
            [scope.principal],
        )
        return bool(cursor.fetchone()[0])


def requests_are_limited(e: Everything) -> None:
    """So many that wait, and so many in a day."""
    dee = e.planted.scope(e.world.people[3])
    wishes = [Wish(entity=e.planted.records["record6"], labels=(atom,)) for atom in (1, 3)]

    def earlier(count: int, state: str) -> Any:
        """In an open scope: so many of dee's, and no others."""
        mine = AccessRequest.objects.filter(requester=dee.principal)
        mine.delete()
        AccessRequest.objects.bulk_create(
            AccessRequest(
                workspace=e.planted.workspace, requester=dee.principal, atoms=[1], state=state,
                membership=Membership.objects.get(user=dee.principal), entity_id=e.planted.records["record0"],
            )
            for _ in range(count)
        )  # fmt: skip
        return mine

    with undone():
        with e.planted.service.open():
            earlier(MOST_OPEN - 1, State.OPEN)
        with dee.open():
            assert ask_for_access(scope=dee, wish=wishes[0])[1]
            with refused(TooManyRequests):
                ask_for_access(scope=dee, wish=wishes[1])
    with undone():
        with e.planted.service.open():
            mine = earlier(MOST_A_DAY, State.REFUSED)
        with dee.open(), refused(TooManyRequests):
            ask_for_access(scope=dee, wish=wishes[0])
        with e.planted.service.open():
            mine.filter(pk=mine[0].pk).update(created_at=timezone.now() - timedelta(hours=25))
        with dee.open():
            assert ask_for_access(scope=dee, wish=wishes[0])[1]
            with refused(TooManyRequests):
                ask_for_access(scope=dee, wish=wishes[1])


def requests_are_kept_apart_by_code_too(e: Everything, owner: psycopg.Connection) -> None:
    """With the policy open: the code shows nobody but stewards what others ask for."""
    world = e.world
    everybodys = in_template("REQUESTER", "true")
    for person in world.people[1:]:
        scope = e.planted.scope(person)
        mine = [pk for (name, record), pk in e.requests.items()
                if name == person.name and world.sees(person, world.record(record))]  # fmt: skip
        with everybodys(owner), scope.open():
            assert set(select_requests(scope).values_list("pk", flat=True)) == set(mine), person
            assert not select_to_decide(scope).exists()
