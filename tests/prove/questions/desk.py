"""What stewards decide, and the files that it is about: who gets at a request, a proposal or a file."""

from datetime import timedelta
from uuid import uuid4

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils import timezone

from entities.access import Scope
from entities.api.errors import Conflict
from entities.models import LabelGrant
from ingestion.access import get_file_or_404, get_record_for, shown_files, visible_files
from ingestion.desk import accept
from ingestion.errors import BadUpload
from ingestion.models import AccessRequest, File, FileRevision, Paragraph
from ingestion.relabelling import judged
from ingestion.requests import Wish, ask_for_access, decide_access, get_request_or_404, wanted_atoms
from tests.oracle.planting import Everything
from tests.prove.questions.refusals import refused, undone
from tests.prove.questions.tables import everybody, same

State = AccessRequest.State


def files_are_got(e: Everything) -> None:
    """One by one and as a list, for reading and for more; whoever sent the bytes that are there knows of them."""
    world = e.world
    for person in everybody(e):
        scope = e.planted.scope(person)
        with scope.open():
            known = [name for name in e.files if world.knows_file(person, name)]
            found = shown_files(scope, visible_files(scope)).values_list("pk", flat=True)
            same("files", person, found, [e.files[name] for name in known])
            for name, pk in e.files.items():
                record = world.record(name)
                for verb in ("view", "upload"):
                    if name in known and world.sees(person, record, verb):
                        assert get_file_or_404(scope, pk, verb).pk == pk
                    else:
                        with refused(Http404):
                            get_file_or_404(scope, pk, verb)
                if world.sees(person, record, "upload"):
                    assert get_record_for(scope, e.planted.records[name], "upload").pk == e.planted.records[name]
                else:
                    with refused(PermissionDenied if world.sees(person, record) else Http404):
                        get_record_for(scope, e.planted.records[name], "upload")
    hidden = [(p, name) for p in world.people for name in e.files
              if world.sees(p, world.record(name)) and not world.knows_file(p, name)]  # fmt: skip
    assert hidden
    for person, name in hidden:
        scope, pk = e.planted.scope(person), e.files[name]
        with undone():
            for sender, told in ((scope.principal, True), (0, False), (scope.principal + 1, False)):
                with e.planted.service.open():
                    FileRevision.objects.filter(file=pk).update(created_by=sender)
                with scope.open():
                    assert shown_files(scope, File.objects.filter(pk=pk)).exists() == told
                    if told:
                        assert get_file_or_404(scope, pk).pk == pk
                    else:
                        with refused(Http404):
                            get_file_or_404(scope, pk)


def requests_are_decided(e: Everything) -> None:
    """By another steward, once, and no further than a role of theirs holds."""
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
    ann, ben = (e.planted.scope(world.people[n]) for n in (0, 1))
    with undone(), ann.open():
        theirs = get_request_or_404(ann, e.requests["dee", "record0"])
        for state, reason, until, refusal in (
            (State.REFUSED, " ", None, BadUpload),
            (State.WITHDRAWN, "Why", None, Conflict),
            (State.GRANTED, "", timezone.now() - timedelta(hours=1), BadUpload),
            (State.GRANTED, "", timezone.now() + timedelta(days=400), BadUpload),
        ):
            with refused(refusal):
                decide_access(scope=ann, request=theirs, state=state, reason=reason, until=until)
        own = get_request_or_404(ann, e.requests["ann", "record0"])
        with refused(PermissionDenied):
            decide_access(scope=ann, request=own, state=State.REFUSED, reason="Why")
        assert not LabelGrant.objects.filter(origin=theirs.pk).exists()
        decide_access(scope=ann, request=theirs, state=State.GRANTED)
        (grant,) = LabelGrant.objects.filter(origin=theirs.pk)
        assert (grant.membership_id, grant.classification.value) == (theirs.membership_id, 1)
        with refused(Conflict):
            decide_access(scope=ann, request=theirs, state=State.REFUSED, reason="Why")
        decide_access(scope=ann, request=theirs, state=State.WITHDRAWN, reason="Why")
        assert not LabelGrant.objects.filter(origin=theirs.pk).exists()
        with refused(BadUpload):
            decide_access(
                scope=ann, request=own_of(ann, e, "cas"), state=State.REFUSED, reason="Her password is x7!Kq2."
            )
        AccessRequest.objects.filter(pk=e.requests["cas", "record0"]).update(atoms=[5])
        more = get_request_or_404(ann, e.requests["cas", "record0"])
        with refused(PermissionDenied):
            decide_access(scope=ann, request=more, state=State.GRANTED)
        assert decide_access(scope=ann, request=more, state=State.REFUSED, reason="Why").state == State.REFUSED
    with undone():
        with ann.open():
            decide_access(scope=ann, request=own_of(ann, e, "dee"), state=State.GRANTED)
        with e.planted.service.open():
            AccessRequest.objects.filter(pk=e.requests["dee", "record0"]).delete()
            assert not LabelGrant.objects.filter(origin=e.requests["dee", "record0"]).exists()
            assert LabelGrant.objects.filter(membership__user=e.planted.users["dee"]).count() == 2
    with undone(), ben.open():
        request = get_request_or_404(ben, e.requests["ben", "record0"])
        with refused(PermissionDenied):
            decide_access(scope=ben, request=request, state=State.REFUSED, reason="Why")


def own_of(scope: Scope, e: Everything, name: str) -> AccessRequest:
    return get_request_or_404(scope, e.requests[name, "record0"])


def requests_tell_nothing(e: Everything) -> None:
    """What is hidden without trace is absent, and what is not lacking is not asked for."""
    world, dee = e.world, e.planted.scope(e.world.people[3])
    with dee.open():
        file = get_file_or_404(dee, e.files["record0"])
        passages = {p.text: p.pk for p in Paragraph.objects.filter(file=file.pk)}
    with e.planted.service.open():
        passages |= {p.text: p.pk for p in Paragraph.objects.filter(file=file.pk)}
    with undone(), dee.open():
        for text in world.paragraphs("record0"):
            wish = Wish(file=file.pk, passage=passages[text.words])
            if world.cleared(world.people[3], text.label):
                with refused(BadUpload):
                    wanted_atoms(file, wish)
            else:
                assert set(wanted_atoms(file, wish)) == {3}, "as of a passage that is not there"
        assert set(wanted_atoms(file, Wish(file=file.pk, passage=uuid4()))) == {3}
        assert set(wanted_atoms(file, Wish(file=file.pk))) == {3}
        assert set(wanted_atoms(file, Wish(labels=(1, 5)))) == {1}
        for labels in ((2,), (77,), (5,), ()):
            with refused(BadUpload):
                wanted_atoms(None, Wish(labels=labels))
        records = e.planted.records
        for hidden in (
            Wish(entity=records["record1"], labels=(1,)),
            Wish(entity=uuid4(), labels=(1,)),
            Wish(file=e.files["record2"]),
            Wish(file=file.pk, entity=records["record6"]),
        ):
            with refused(Http404):
                ask_for_access(scope=dee, wish=hidden)
        made, new = ask_for_access(scope=dee, wish=Wish(entity=e.planted.records["record0"], labels=(1, 3)))
        assert (new, made.atoms, made.requester) == (True, [1, 3], dee.principal)
        again, new = ask_for_access(scope=dee, wish=Wish(entity=e.planted.records["record0"], labels=(3, 1)))
        assert (new, again.pk) == (False, made.pk)
    narrowed = dee.held_to([1])
    with narrowed.open(), refused(PermissionDenied):
        ask_for_access(scope=narrowed, wish=Wish(entity=e.planted.records["record0"], labels=(1,)))


def proposals_are_taken(e: Everything) -> None:
    """By stewards, of what they may read on records that they may see, as it was shown."""
    world = e.world
    with e.planted.service.open():
        shown = {p.pk: judged(p) for p in Paragraph.objects.all()}
        texts = {p.text: p.pk for p in Paragraph.objects.all()}
    for person in everybody(e):
        scope = e.planted.scope(person)
        with undone(), scope.open():
            if not world.steward(person):
                with refused(PermissionError):
                    accept(scope=scope, shown=shown)
                continue
            read = [texts[t.words] for t in world.texts if t.passage and world.reads(person, t)]
            done = accept(scope=scope, shown=shown)
            same("taken", person, [item.paragraph.pk for item in done.accepted], read)
            same("left", person, done.changed, shown.keys() - set(read))
            assert not accept(scope=scope, shown=dict.fromkeys(shown, "otherwise")).accepted
