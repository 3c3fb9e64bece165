"""Tables: what their policies show and let in by themselves, whatever the code above them asks for."""

from dataclasses import replace
from typing import Any

from django.db import connection

from chat.models import Message, Session, Turn
from chat.models import Role as Speaker
from entities.audit.recorder import AuditedQuery, record_question
from entities.models import AuditEntry, AuditText, EntityRoleGrant, EntityUserGrant, FieldParagraph
from ingestion.access import is_cleared_for_all, load_outlines
from ingestion.models import AccessMessage, AccessRequest, ContextRow, File, Kind, Paragraph
from pulse.models import Pulse
from references.models import Reference
from tests.oracle.monitor import PUBLIC, Person, Text
from tests.oracle.planted_attachments import attached_words
from tests.oracle.planted_desk import message_on
from tests.oracle.planted_world import SHARED, Everything, talked_of
from tests.oracle.worlds import VERBS
from tests.prove.questions.refusals import undone


def everybody(e: Everything) -> list[Person]:
    """The people of the world, and one of each held to a role as well."""
    people = e.world.people
    narrowed = [replace(p, narrowed=role.name) for p, role in zip(people, e.world.roles[::-1], strict=True)]
    ann, dee = people[0], people[3]
    return [*people, *narrowed, replace(ann, narrowed="HR"), replace(dee, narrowed="Red")]


def same(what: str, person: Person, found: Any, expected: Any) -> None:
    found, expected = sorted(found, key=repr), sorted(expected, key=repr)
    assert found == expected, f"{what} of {person}: {found} and not {expected}"


def tables_show_what_is_cleared(e: Everything) -> None:
    """Label and audience, with nothing above: neither object permission nor sources."""
    world = e.world
    attached = [attached_words(world, person) for person in world.people]
    for person in everybody(e):
        cleared = [t for t in world.texts if world.cleared(person, t.label)]
        rows = [t for t in cleared if t.label is not None and t.audience in (None, person.name, *person.roles)]
        with e.planted.scope(person).open():
            same("rows", person, ContextRow.objects.values_list("text", flat=True), [*words(rows), *attached])
            same("references", person, Reference.objects.values_list("label", flat=True), words(cleared))
            passages = words(t for t in cleared if t.passage)
            for model, others in ((Paragraph, attached), (FieldParagraph, [])):
                same(model.__name__, person, model.objects.values_list("text", flat=True), [*passages, *others])
            answers = Message.objects.filter(role=Speaker.ASSISTANT).values_list("content", flat=True)
            readers = (person.name, SHARED, *world.roles_now(person))
            said = [t for name, about in e.sessions if name in readers for t in talked_of(world, about)]
            same("answers", person, answers, words(t for t in said if world.cleared(person, t.label)))
            # Words of messages stand in a table that no model has: under the same label, for the same person.
            with connection.cursor() as cursor:
                cursor.execute("SELECT DISTINCT message FROM chat_posting")
                read = Message.objects.exclude(content="").filter(data_classification__isnull=False)
                same("words", person, [pk for (pk,) in cursor], read.values_list("pk", flat=True))
            pulses = {label for (label,) in Pulse.objects.values_list("data_classification")}
            assert pulses <= {label for label, atoms in labels(e).items() if atoms <= world.held(person)}, pulses


def words(texts: Any) -> list[str]:
    return [t.words for t in texts]


def labels(e: Everything) -> dict[int, frozenset[int]]:
    """Within an open scope."""
    from entities.access import load_atoms_by_label

    return {value: frozenset(atoms) for value, atoms in load_atoms_by_label().items()}


def unlabelled_text_is_for_stewards_above_its_floor(e: Everything) -> None:
    """A text with no label yet, whose floor is nothing, something that the steward holds, or more."""
    world, planted = e.world, e.planted
    (text,) = [t for t in world.texts if t.label is None]
    file = e.files[text.record]
    for floor in (0, 3, 5):
        with undone():
            with planted.service.open():
                for model in (Paragraph, FieldParagraph):
                    assert model.objects.filter(text=text.words).update(floor=floor) == 1
                assert Reference.objects.filter(label=text.words).update(floor=floor) == 1
                Paragraph.objects.filter(file=file).exclude(text=text.words).update(data_classification=0)
                assert is_cleared_for_all(File.objects.get(pk=file))
            for person in everybody(e):
                sees = world.steward(person) and {floor} - {0} <= world.held(person)
                with planted.scope(person).open():
                    shown = [
                        Paragraph.objects.filter(text=text.words).exists(),
                        FieldParagraph.objects.filter(text=text.words).exists(),
                        Reference.objects.filter(label=text.words).exists(),
                    ]
                    assert shown == [sees] * 3, (floor, person, shown)
                    assert is_cleared_for_all(File.objects.get(pk=file)) == sees, (floor, person)


def pulses_without_a_label_are_for_stewards(e: Everything) -> None:
    with undone():
        with e.planted.service.open():
            pk = Pulse.objects.filter(data_classification=0).values_list("pk", flat=True)[0]
            Pulse.objects.filter(pk=pk).update(data_classification=None)
        for person in everybody(e):
            with e.planted.scope(person).open():
                assert Pulse.objects.filter(pk=pk).exists() == e.world.steward(person), person


def requests_are_for_who_made_them_and_stewards(e: Everything) -> None:
    """On whichever record, and what was written with them as far as its label is cleared."""
    world = e.world
    for person in everybody(e):
        shown = [key for key in e.requests if key[0] == person.name or world.steward(person)]
        firsts = [(record, world.paragraphs(record)[:1]) for _, record in shown]
        read = [message_on(record) for record, texts in firsts if all(world.cleared(person, t.label) for t in texts)]
        with e.planted.scope(person).open():
            requests = AccessRequest.objects.values_list("pk", flat=True)
            same("requests", person, requests, [e.requests[key] for key in shown])
            same("messages", person, AccessMessage.objects.values_list("text", flat=True), read)


def files_are_outlined_as_far_as_they_show(e: Everything) -> None:
    """Labels, pages and number of paragraphs: of those only that are read or acknowledged. Two files, so that what is
    told of one is not what is in the other.
    """
    world, planted = e.world, e.planted
    (open_one,) = [t.record for t in world.texts if t.label is None]
    concealed = [t.words for t in world.paragraphs(open_one) if t.label and t.label & world.concealed]
    for floor, nothing_concealed in ((0, False), (5, False), (0, True)):
        texts_of = {name: world.paragraphs(name) for name in (open_one, "record6")}
        if nothing_concealed:
            texts_of[open_one] = [replace(t, label=PUBLIC) if t.words in concealed else t for t in texts_of[open_one]]
        with undone():
            with planted.service.open():
                for position, text in enumerate(texts_of[open_one], start=1):
                    Paragraph.objects.filter(text=text.words).update(page=position, floor=floor)
                if nothing_concealed:
                    Paragraph.objects.filter(text__in=concealed).update(data_classification=0)
            for person in everybody(e):
                with planted.scope(person).open():
                    known = {atoms: value for value, atoms in labels(e).items()}
                    told = load_outlines([e.files[open_one], e.files["record6"]])
                    assert set(told) == {e.files[open_one], e.files["record6"]}
                    for name, texts in texts_of.items():
                        outline = told[e.files[name]]
                        shown = [n for n, t in enumerate(texts, start=1) if shows(e, person, t)]
                        steward = world.steward(person) and {floor} - {0} <= world.held(person)
                        whole = all(n in shown or (t.label is None and steward) for n, t in enumerate(texts, start=1))
                        assert outline.labels == {known[texts[n - 1].label or frozenset()] for n in shown}, person
                        assert outline.shown == len(shown)
                        assert outline.whole == whole, (person, name, floor)
                        assert outline.last_page == (max(shown) if name == open_one else None)


def shows(e: Everything, person: Person, text: Text) -> bool:
    return text.label is not None and (e.world.cleared(person, text.label) or e.world.acknowledged(person, text.label))


def grants_end(e: Everything) -> None:
    """An expired grant is a row that only the service sees; the others are seen in their workspace and no other."""
    world, planted = e.world, e.planted
    given = []
    for record in world.records:
        made = record.creator if record.creator in planted.users else None
        given += [(record.name, made, f"{verb}_entity") for verb in VERBS if made]
        given += [(record.name, g.who, f"{g.verb}_entity") for g in record.grants if not g.expired and g.who != made]
    names = {pk: name for name, pk in planted.records.items()}
    holders = {user.pk: name for name, user in planted.users.items()}
    groups = {role.group_id: name for name, role in planted.roles.items()}
    for person in everybody(e):
        with planted.scope(person).open():
            users = EntityUserGrant.objects.values_list("content_object", "user", "permission__codename")
            roles = EntityRoleGrant.objects.values_list("content_object", "group", "permission__codename")
            found = [(names[pk], holders[who], verb) for pk, who, verb in users]
            found += [(names[pk], groups[who], verb) for pk, who, verb in roles]
            same("grants", person, found, given)
    with planted.service.open():
        ended = sum(g.expired for record in world.records for g in record.grants)
        assert EntityUserGrant.objects.count() + EntityRoleGrant.objects.count() == len(given) + ended


def the_audit_is_for_who_administers(e: Everything) -> None:
    """Rows for administrators and who wrote them; words for administrators who are cleared for them."""
    planted = e.planted
    words = {"ann": 0, "ben": 5}  # who asked -> the label that an author's clearances make of it
    with undone():
        for name in words:
            person = next(p for p in e.world.people if p.name == name)
            scope = planted.scope(person)
            with scope.open():
                record_question(scope, "search", AuditedQuery(f"asked by {name}", ()), "test")
        for person in everybody(e):
            administers = "Admin" in person.roles and person.narrowed in (None, "Admin")
            with planted.scope(person).open():
                mine = {planted.users[n].pk for n in words if administers or n == person.name}
                same("audit", person, asked().values_list("actor", flat=True), mine)
                read = {f"asked by {n}" for n, atom in words.items()
                        if administers and {atom} - {0} <= e.world.held(person)}  # fmt: skip
                same("words", person, AuditText.objects.filter(entry__in=asked()).values_list("text", flat=True), read)
        with planted.service.open():
            assert asked().count() == AuditText.objects.filter(entry__in=asked()).count() == len(words)


def asked() -> Any:
    """What the question above has written; requests of other questions are in the audit too."""
    return AuditEntry.objects.filter(object_kind="test")


def conversations_are_changed_by_their_owners(e: Everything) -> None:
    """Of what somebody reads they change and delete their own, and they begin nothing in another's name."""
    planted = e.planted
    with planted.service.open():
        of = dict(Session.objects.values_list("pk", "owner"))
    for person in everybody(e):
        scope = planted.scope(person)
        readers = (person.name, SHARED, *e.world.roles_now(person))
        own = [pk for (name, _), pk in e.sessions.items() if name in readers and of[pk] == scope.principal]
        with scope.open():
            with undone():
                changed = Session.objects.update(pinned=True)
                turns = Turn.objects.update(rating=1)
                deleted = Session.objects.filter(pk__in=e.sessions.values())._raw_delete("default")
            assert (changed, deleted) == (len(own), len(own)), person
            with undone():
                assert turns == Turn.objects.filter(owner=scope.principal).count() > 0, person
    dee = planted.users["dee"].pk
    with planted.scope(e.world.people[1]).open():
        for owner, fine in ((planted.users["ben"].pk, True), (dee, False)):
            done = True
            try:
                with undone():
                    Session.objects.create(workspace=planted.workspace, audience=0, owner=owner)
            except Exception:
                done = False
            assert done == fine, owner


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
