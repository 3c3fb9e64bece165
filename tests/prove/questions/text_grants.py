"""Text that one person was granted without its level (ADR 51): to whom it is answered, which of it, and until when."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.core.exceptions import PermissionDenied
from django.db import DatabaseError
from django.utils import timezone

from entities.access import Scope, combine_many, get_entity_or_404
from entities.api.errors import Conflict
from entities.models import Classification, FieldParagraph, Membership
from entities.text import find_granted_texts, read_texts
from ingestion.errors import BadUpload
from ingestion.grants import find_asked_passages, find_opened_labels, list_offers, withdraw_grants
from ingestion.models import AccessRequest, Extent, File, Paragraph, TextGrant
from ingestion.reader import Placeholder, list_blocks
from ingestion.requests import Wish, ask_for_access, recall_request
from tests.oracle.monitor import Person
from tests.oracle.planted_world import Everything
from tests.prove.questions.clearances import ANN, BEN, DEE, as_person
from tests.prove.questions.functions import asked, hidden_and_told
from tests.prove.questions.refusals import refused, undone
from tests.prove.questions.tables import everybody

HOUR = timedelta(hours=1)


def give(e: Everything, extent: str, atoms: tuple[int, ...], passages: Any = (), by: int = 0, **fields: Any) -> None:
    """In an open scope: what dee asked about record0 is granted."""
    for atom in atoms:
        TextGrant.objects.create(
            workspace=e.planted.workspace,
            request_id=e.requests["dee", "record0"],
            membership=Membership.objects.get(user=e.planted.users["dee"]),
            classification=Classification.objects.get(value=atom),
            extent=extent,
            passages=list(passages),
            granted_by=by,
            **fields,
        )


def is_granted(e: Everything, person: Person, text: Any, atoms: tuple[int, ...]) -> bool:
    if person.name != "dee" or person.narrowed or not hidden_and_told(e, person, text):
        return False
    return bool(text.label <= e.world.held(person) | set(atoms))


def texts_are_granted_to_one_person(e: Everything) -> None:
    """Of the place that was granted, to whom it was granted, as far as its label is what was granted and no further."""
    world, planted = e.world, e.planted
    file, record = e.files["record0"], planted.records["record0"]
    elsewhere = [other for other in e.files.values() if other != file]
    texts = list(world.paragraphs("record0"))
    typed = [t for t in world.texts if t.passage and t.record == "record0"]
    with planted.service.open():
        ids = {p.text: p.pk for p in Paragraph.objects.filter(file=file)}
        fields = {p.text: p.pk for p in FieldParagraph.objects.filter(entity=record)}
    one = [ids[texts[0].words], *list(fields.values())[:1]]
    everywhere = [(t, ids[t.words]) for t in texts], [(t, fields[t.words]) for t in typed]
    shown = 0
    for extent, atoms in (
        ("file", (1, 2, 3)), ("record", (1, 2, 3)), ("record", (1,)), ("passage", (1, 2, 3)), ("level", (1, 2, 3))
    ):  # fmt: skip
        with undone():
            with planted.service.open():
                give(e, extent, atoms, one if extent == "passage" else ())
            for person in everybody(e):
                of_file, of_record = (
                    [pk for t, pk in place if is_granted(e, person, t, atoms) and extent != "level"
                     and (extent != "passage" or pk in one)]
                    for place in everywhere
                )  # fmt: skip
                scope = planted.scope(person)
                with scope.open():
                    found = [row[0] for row in asked("app_granted_texts", record, file)]
                    assert sorted(found) == sorted(of_file), (person, extent, atoms)
                    found = [row[0] for row in asked("app_granted_texts", record, None)]
                    assert sorted(found) == ([] if extent == "file" else sorted(of_record)), (person, extent, atoms)
                    # Neither another record nor a file of another one.
                    if person == world.people[DEE]:
                        others = [row for other in elsewhere for row in asked("app_granted_texts", record, other)]
                        assert others == []
                        assert asked("app_granted_texts", planted.records["record6"], e.files["record6"]) == []
                        assert asked("app_granted_texts", planted.records["record6"], file) == []
                    seen = find_granted_texts(scope, record, file)
                    is_seen = world.sees(person, world.record("record0"))
                    assert sorted(t.passage for t in seen) == (sorted(of_file) if is_seen else []), person
                    shown += len(seen)
            with planted.scope(world.people[DEE]).limit_to([1, 2, 3, 5]).open():
                assert asked("app_granted_texts", record, file) == []
            with planted.service.open():
                assert asked("app_granted_texts", record, file) == []
    assert shown, "nothing was granted, so nothing was asked"


def texts_are_granted_until_they_end(e: Everything) -> None:
    """By the clock of the statement, with the request that they answer, and to who made it only."""
    world, planted = e.world, e.planted
    file, record = e.files["record0"], planted.records["record0"]
    soon = timezone.now() + HOUR
    for until, other, there in ((None, None, True), (soon, None, True), (-HOUR, None, False), (None, "cas", False)):
        with undone():
            with planted.service.open():
                ends = timezone.now() + until if isinstance(until, timedelta) else until
                give(e, "file", (1, 2, 3), expires_at=ends)
                if other:
                    theirs = Membership.objects.get(user=planted.users[other])
                    AccessRequest.objects.filter(pk=e.requests["dee", "record0"]).update(membership=theirs)
            with as_person(e, DEE):
                rows = asked("app_granted_texts", record, file)
                assert bool(rows) == there, (until, other)
                assert {row[-1] for row in rows} <= {ends}
                assert {row[5] for row in rows} <= {t.words for t in world.paragraphs("record0")}
    with undone():
        with planted.service.open():
            give(e, "file", (1, 2, 3))
            AccessRequest.objects.filter(pk=e.requests["dee", "record0"]).delete()
        with as_person(e, DEE):
            assert asked("app_granted_texts", record, file) == []


def one_grant_of_texts_is_withdrawn(e: Everything) -> None:
    """What was granted on another request stays."""
    other = e.requests["cas", "record0"]
    with undone(), e.planted.service.open():
        give(e, "file", (1,))
        give(e, "file", (2,))
        assert TextGrant.objects.filter(classification__value=2).update(request=other) == 1
        withdraw_grants(AccessRequest.objects.get(pk=e.requests["dee", "record0"]))
        assert set(TextGrant.objects.values_list("request", flat=True)) == {other}


def texts_are_granted_by_stewards(e: Everything) -> None:
    """What a role of theirs holds, to others, in their own name; counted over what they may read themselves."""
    world, planted = e.world, e.planted
    ann = planted.scope(world.people[ANN])
    with undone(), as_person(e, ANN) as pk:
        give(e, "file", (1,), by=pk)
        for atoms, by in (((5,), pk), ((1,), 0)):
            with refused(DatabaseError):
                give(e, "file", atoms, by=by)
    with undone(), as_person(e, BEN) as pk, refused(DatabaseError):
        give(e, "file", (1,), by=pk)
    dee = world.people[DEE]
    with undone(), ann.open():
        request = AccessRequest.objects.get(pk=e.requests["dee", "record0"])
        opened = set(find_opened_labels(request))
        held = world.held(dee)
        combine_many([1, 3])
        for label, parts in Classification.objects.values_list("value", "components"):
            if label in opened:
                assert set(parts) <= held | {1}
                assert not set(parts) <= held
        assert opened
        for (name, _), pk in e.requests.items():
            asked_for = AccessRequest.objects.filter(pk=pk).first()
            person = next(person for person in world.people if person.name == name and not person.narrowed)
            if asked_for is not None:
                own = world.held(person)
                more = own | set(asked_for.atoms)
                known = Classification.objects.values_list("value", "components")
                expected = {label for label, parts in known if set(parts) <= more and not set(parts) <= own}
                assert set(find_opened_labels(asked_for)) == expected, name
        counted = {
            record: sum(
                t.label is not None and t.label <= held | {1} and not t.label <= held
                and world.cleared(world.people[ANN], t.label)
                for t in (*world.paragraphs(record), *(t for t in world.texts if t.passage and t.record == record))
            )
            for record in (r.name for r in world.records)
            if world.sees(world.people[ANN], world.record(record))
        }  # fmt: skip
        offers = {offer.extent: offer.count for offer in list_offers(ann, request)}
        assert offers.get(Extent.RECORD, 0) == counted["record0"]
        assert offers[Extent.LEVEL] == sum(counted.values())
        files_are_asked_about(e, ann, request)
        typed = FieldParagraph.objects.filter(entity=request.entity_id, data_classification__isnull=False)
        places = {p.position: p.data_classification for p in typed}
        of_field = AccessRequest(entity_id=request.entity_id, field=typed[0].field, positions=list(places))
        assert {p.position for p in find_asked_passages(ann, of_field, places.values())} == set(places)
        assert find_asked_passages(ann, of_field, []) == [], "what is asked for opens no label"
        of_nowhere = AccessRequest(entity_id=request.entity_id, field=typed[0].field, positions=[])
        assert find_asked_passages(ann, of_nowhere, places.values()) == []
        of_other_record = AccessRequest(entity_id=uuid4(), field=typed[0].field, positions=list(places))
        assert find_asked_passages(ann, of_other_record, places.values()) == []
        of_another = AccessRequest(entity_id=request.entity_id, field="another", positions=list(places))
        assert find_asked_passages(ann, of_another, places.values()) == []


def files_are_asked_about(e: Everything, ann: Scope, request: AccessRequest) -> None:
    """In ann's scope: about a passage that one, about places of a text those, each of its own file and if opened."""
    assert {p.pk for p in find_asked_passages(ann, request)} <= {request.passage}
    texts = list(Paragraph.objects.filter(file=request.file_id, data_classification__isnull=False))
    labels, one = {p.data_classification for p in texts}, texts[0]
    assert len(texts) > 1
    here, elsewhere = request.file_id, next(pk for pk in e.files.values() if pk != request.file_id)
    positions = [one.position]
    for about, found in (
        ({"file_id": here, "revision": one.revision, "positions": positions}, True),
        ({"file_id": here, "revision": one.revision, "positions": []}, False),
        ({"file_id": here, "revision": uuid4(), "positions": positions}, False),
        ({"file_id": elsewhere, "revision": one.revision, "positions": positions}, False),
        ({"file_id": here, "passage": one.pk}, True),
        ({"file_id": elsewhere, "passage": one.pk}, False),
        ({"file_id": here, "passage": uuid4(), "revision": one.revision, "positions": positions}, False),
    ):
        asked_about = AccessRequest(**about)
        assert [p.pk for p in find_asked_passages(ann, asked_about, labels)] == [one.pk] * found, about
        assert find_asked_passages(ann, asked_about, []) == [], "what is asked for opens no label"


def steward_offers_are_counted(e: Everything) -> None:
    """By the file that was asked about, by its record, and in all; without a file there is none for it."""
    ann = e.planted.scope(e.world.people[ANN])
    with undone():
        with e.planted.service.open():
            for record in ("record0", "record3"):
                of_file = Paragraph.objects.filter(file=e.files[record])
                typed = FieldParagraph.objects.filter(entity=e.planted.records[record])
                for first in (of_file.first(), typed.first()):
                    assert first is not None
                    assert type(first).objects.filter(pk=first.pk).update(data_classification=1)
        with ann.open():
            request = AccessRequest.objects.get(pk=e.requests["dee", "record0"])
            for file, more in ((e.files["record0"], {Extent.FILE: 1}), (None, {})):
                request.file_id = file
                offers = {offer.extent: offer.count for offer in list_offers(ann, request)}
                offers.pop(Extent.PASSAGE, None)
                assert offers == {Extent.RECORD: 2, Extent.LEVEL: 4, **more}


def requests_are_about_a_place(e: Everything) -> None:
    """A placeholder by its number on the caller's own page: its positions are kept, in the text that it stands in."""
    world, planted = e.world, e.planted
    dee = planted.scope(world.people[DEE])
    asked_about = 0
    for name, pk in planted.records.items():
        if not world.sees(world.people[DEE], world.record(name)):
            continue
        for is_granted_some in (False, True):
            with undone():
                if is_granted_some and name == "record0":
                    with planted.service.open():
                        give(e, "record", (1,))
                with dee.open():
                    asked_about += ask_about_places(e, pk, e.files.get(name))
    assert asked_about > 1


def ask_about_places(e: Everything, record: UUID, pk: UUID | None) -> int:
    """In dee's scope: asks about each placeholder of a record and its file; how many there are."""
    dee = e.planted.scope(e.world.people[DEE])
    file = File.objects.filter(pk=pk).first()
    places: list[tuple[Any, Any, Any]] = []
    if file is not None and Paragraph.objects.filter(file=file.pk).exists():
        shown = [b for b in list_blocks(dee, file, granted=True) if isinstance(b, Placeholder)]
        places += [(b, Wish(file=file.pk, run=b.run, field="notes"), file.revision_id) for b in shown]
    for field, typed in read_texts(dee, get_entity_or_404(dee, record), own=True).items():
        places += [(b, Wish(entity=record, run=b.run, field=field), None) for b in typed if b.text is None]
    for block, wish, revision in places:
        request, _ = ask_for_access(scope=dee, wish=wish)
        assert request.positions == list(block.positions) != []
        assert (request.atoms, request.revision) == (list(block.requires), revision)
        assert (request.field, request.entity_id) == ("" if wish.file else wish.field, record)
        for wrong in (replace(wish, run=999), replace(wish, labels=(2, 3, 5))):
            with refused(BadUpload):
                ask_for_access(scope=dee, wish=wrong)
        again, new = ask_for_access(scope=dee, wish=replace(wish, labels=tuple(block.requires)))
        assert (again.pk, new) == (request.pk, False)
        with refused(PermissionDenied):
            recall_request(scope=e.planted.scope(e.world.people[ANN]), request=request)
        assert recall_request(scope=dee, request=request).state == AccessRequest.State.RECALLED
        with refused(Conflict):
            recall_request(scope=dee, request=request)
    with refused(BadUpload):
        ask_for_access(scope=dee, wish=Wish(entity=record, run=0, field="nothing"))
    for block, _, _ in places[:1]:
        request, _ = ask_for_access(scope=dee, wish=Wish(entity=record, labels=tuple(block.requires), field="notes"))
        assert (request.field, request.positions) == ("", [])
    return len(places)
