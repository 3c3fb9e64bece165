"""Files: who gets at one, by itself and in a list, and for whom there is none."""

from collections.abc import Iterable

from django.core.exceptions import PermissionDenied
from django.http import Http404

from entities.access import Scope, ScopeKind
from entities.actions import add_member
from entities.models import Classification, Role, User
from ingestion.access import get_file_or_404, get_record_for, select_readable_files, select_visible_files
from ingestion.models import File, FileRevision, Paragraph
from tests.oracle.planted_world import Everything
from tests.prove.questions.refusals import refused, undone
from tests.prove.questions.tables import everybody, same


def files_are_got(e: Everything) -> None:
    """One by one and as a list, for reading and for more."""
    world = e.world
    for person in everybody(e):
        scope = e.planted.scope(person)
        with scope.open():
            known = [name for name in e.files if world.knows_file(person, name)]
            found = select_readable_files(scope, select_visible_files(scope)).values_list("pk", flat=True)
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
    with e.planted.service.open():
        every = len(e.files) + len(e.world.people)  # who have all attached one
        assert select_readable_files(e.planted.service, File.objects.all()).count() == every


def told(e: Everything, scope: Scope, names: Iterable[str]) -> list[str]:
    """Which of the named files exist for a scope; both ways of asking say the same."""
    with scope.open():
        files = {e.files[name]: name for name in names}
        listed = [
            files[pk]
            for pk in select_readable_files(scope, File.objects.filter(pk__in=files)).values_list("pk", flat=True)
        ]
        for pk, name in files.items():
            if name in listed:
                assert get_file_or_404(scope, pk).pk == pk
            else:
                with refused(Http404):
                    get_file_or_404(scope, pk)
    return sorted(listed)


def files_are_known_to_who_sent_them(e: Everything) -> None:
    """Of the bytes that are there or on their way, whatever is concealed; and of no other file. No role sends any."""
    world, planted, hidden = e.world, e.planted, "record7"
    with undone():
        first, _ = User.objects.get_or_create(pk=1, defaults={"username": "the first account"})
        with planted.service.open():
            add_member(planted.workspace, first, [])
        ben = planted.scope(world.people[1])
        red = Scope(ben.workspace, -planted.roles["Red"].pk, ScopeKind.ROLE, ben.slug)
        # Held to less: whoever has that account may be a steward.
        number_one = Scope.for_user(first, ben.slug).limit_to([1, 3])
        for scope, person in ((ben, True), (number_one, True), (red, False)):
            for sender, on_its_way, knows in (
                (scope.principal, None, person),
                (0, None, False),
                (scope.principal + 1, None, False),
                (0, scope.principal, person),
                (scope.principal, 0, False),
            ):
                with undone():
                    with planted.service.open():
                        send(e, hidden, sender, on_its_way)
                        FileRevision.objects.filter(file=e.files["record0"]).update(created_by=scope.principal)
                    assert told(e, scope, [hidden]) == [hidden] * knows, (scope, sender, on_its_way)


def send(e: Everything, name: str, sender: int, on_its_way: int | None) -> None:
    """In the service's scope. on_its_way: who sent a version that is not published yet; None where there is none."""
    published = FileRevision.objects.get(file=e.files[name])
    FileRevision.objects.filter(pk=published.pk).update(created_by=sender)
    if on_its_way is not None:
        made = FileRevision.objects.create(
            workspace=e.planted.workspace, file_id=published.file_id, blob_id=published.blob_id, number=2,
            created_by=on_its_way,
        )  # fmt: skip
        File.objects.filter(pk=published.file_id).update(pending_revision=made)


def files_are_above_their_floors(e: Everything) -> None:
    """Of the file and of its collection, where the record's type declares it: what is concealed there is nowhere."""
    world, planted = e.world, e.planted
    ben, cas = (planted.scope(world.people[n]) for n in (1, 2))
    for floor, shows in ((0, True), (5, True), (2, False)):
        with undone():
            with planted.service.open():
                File.objects.filter(pk=e.files["record0"]).update(floor=floor)
            assert told(e, cas, ["record0"]) == ["record0"] * shows, floor
    for concealed in (True, False):
        for collection in ("documents", "hr_documents"):
            with undone():
                with planted.service.open():
                    Classification.objects.filter(value=3).update(conceal=concealed)
                    names = {name: e.files[name] for name in ("record4", "record6")}
                    File.objects.filter(pk__in=names.values()).update(collection=collection)
                # Articles have no such collection: one that is gone declares nothing.
                find_quarantined = {"record6"} if concealed and collection == "hr_documents" else set()
                assert told(e, ben, names) == sorted(names.keys() - find_quarantined), (concealed, collection)


def files_exist_for_every_steward(e: Everything) -> None:
    """Concealed ones too; and a file of which nothing was read yet exists for whoever sees the record."""
    planted = e.planted
    ben, dee = (planted.scope(e.world.people[n]) for n in (1, 3))
    assert told(e, ben, ["record0", "record7"]) == ["record0"]
    with undone():
        with planted.service.open():
            Role.objects.filter(pk=planted.roles["Red"].pk).update(is_steward=True)
        assert told(e, ben, ["record0", "record7"]) == ["record0", "record7"]
    with undone():
        with planted.service.open():
            Paragraph.objects.filter(file=e.files["record7"]).delete()
        assert told(e, dee, ["record7"]) == ["record7"]
