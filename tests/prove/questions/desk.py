"""What stewards take off the desk: proposals, of what they may read on records that they may see."""

from uuid import uuid4

from django.db import connection

from entities.models import FieldParagraph
from ingestion.desk import MOST, accept_proposals, load_places, select_field_paragraphs, select_paragraphs
from ingestion.models import File, Paragraph
from ingestion.relabelling import digest_judged
from tests.oracle.planted_world import Everything
from tests.prove.questions.refusals import refused, undone
from tests.prove.questions.tables import everybody, same

SURE = [{"source": "manual", "labels": [], "reason": "", "by": 1}]
"""Votes that leave nothing to decide of public text, and judge it: what only rests can be decided."""


def paragraphs_are_of_records_that_are_seen(e: Everything) -> None:
    world = e.world
    for person in everybody(e):
        scope = e.planted.scope(person)
        read = [t.words for t in world.texts if t.passage and world.reads(person, t)]
        with scope.open():
            for rows in (select_paragraphs(scope), select_field_paragraphs(scope)):
                same("paragraphs", person, rows.values_list("text", flat=True), read)


def places_are_named(e: Everything) -> None:
    """As far as names are cleared, and only what is there: neither on hidden records nor in files that are gone."""
    world, planted = e.world, e.planted
    ann, dee = (planted.scope(world.people[n]) for n in (0, 3))
    with planted.service.open():
        paragraphs: list[Paragraph | FieldParagraph] = [*Paragraph.objects.all(), *FieldParagraph.objects.all()]
        records = {p.pk: p.file.entity_id if isinstance(p, Paragraph) else p.entity_id for p in paragraphs}
    gone = Paragraph(pk=uuid4(), file_id=uuid4())
    ghost = FieldParagraph(pk=uuid4(), entity_id=planted.records["record0"], field="ghost")
    for person, scope in ((world.people[0], ann), (world.people[3], dee)):
        with scope.open():
            seen = {planted.records[r.name] for r in world.records if world.sees(person, r)}
            places = load_places(scope, [*paragraphs, gone, ghost])
            assert places.pop(ghost.pk).title == "ghost"
            assert places.keys() == {pk for pk, record in records.items() if record in seen}
            assert {pk: place.entity for pk, place in places.items()} == {pk: records[pk] for pk in places}
            for p in paragraphs:
                if place := places.get(p.pk):
                    assert place.file == (p.file_id if isinstance(p, Paragraph) else None)
                    if isinstance(p, FieldParagraph):
                        assert place.title == p.field.capitalize()
    with undone():
        with planted.service.open():
            File.objects.filter(pk=e.files["record0"]).update(name_classification=5, name_judged=True)
        for scope, name in ((ann, "Document, needs Financial"), (dee, "file of record0")):
            with scope.open():
                mine = [p for p in paragraphs if isinstance(p, Paragraph) and p.file_id == e.files["record0"]]
                assert {place.title for place in load_places(scope, mine).values()} == {name}


def proposals_are_taken(e: Everything) -> None:
    """By stewards, of what they may read on records that they may see, as it was shown."""
    world = e.world
    with e.planted.service.open():
        waiting: list[Paragraph | FieldParagraph] = [*Paragraph.objects.all(), *FieldParagraph.objects.all()]
        shown = {p.pk: digest_judged(p) for p in waiting}
    for person in everybody(e):
        scope = e.planted.scope(person)
        with undone(), scope.open():
            if not world.steward(person):
                with refused(PermissionError):
                    accept_proposals(scope=scope, shown=shown)
                continue
            words = {t.words for t in world.texts if t.passage and world.reads(person, t)}
            read = [p.pk for p in waiting if p.text in words]
            done = accept_proposals(scope=scope, shown=shown)
            same("taken", person, [item.paragraph.pk for item in done.accepted], read)
            same("left", person, done.changed, shown.keys() - set(read))
            assert not accept_proposals(scope=scope, shown=dict.fromkeys(shown, "otherwise")).accepted


def only_what_waits_is_taken(e: Everything) -> None:
    """Not what nobody has voted on, nor what is decided; as much as a page has; and what is taken is labelled."""
    scope = e.planted.scope(e.world.people[0])
    kinds: tuple[type[Paragraph] | type[FieldParagraph], ...] = (Paragraph, FieldParagraph)
    with undone():
        with e.planted.service.open():
            for kind in kinds:
                assert kind.objects.filter(text="word5 liability").update(votes=[]) == 1
                assert kind.objects.filter(text="word0 liability").update(votes=SURE) == 1
            decided = [kind.objects.get(text="word0 liability") for kind in kinds]
            assert [p.review for p in decided] == [0, 0]
            rows = [*Paragraph.objects.filter(file=e.files["record0"]),
                    *FieldParagraph.objects.filter(entity=e.planted.records["record0"])]  # fmt: skip
            shown = {p.pk: digest_judged(p) for p in rows}
        with scope.open():
            before = len(connection.run_on_commit)
            done = accept_proposals(scope=scope, shown=shown)
            texts = sorted(item.paragraph.text for item in done.accepted)
            assert texts == sorted(2 * ["word1 liability", "word3 liability", "word6 liability"])
            (call,) = connection.run_on_commit[before:]
            (decisions,) = call[1].args
            assert {d.paragraph for d in decisions} == {item.paragraph.pk for item in done.accepted}
            assert {d.reason for d in decisions} == {"accepted as proposed"}
            assert all(d.accepted for d in decisions)
            before = len(connection.run_on_commit)
            accept_proposals(scope=scope, shown=shown, atoms=frozenset({3}), reason="all of them are")
            (call,) = connection.run_on_commit[before:]
            assert {(d.reason, d.atoms, d.accepted) for d in call[1].args[0]} == {
                ("all of them are", frozenset({3}), ())
            }
            some = {pk: seen for pk, seen in shown.items() if pk == done.accepted[0].paragraph.pk}
            filled = some | {uuid4(): "" for _ in range(MOST - 1)}
            assert [item.paragraph.pk for item in accept_proposals(scope=scope, shown=filled).accepted] == list(some)
            before = len(connection.run_on_commit)
            assert not accept_proposals(scope=scope, shown={uuid4(): ""}).accepted
            assert len(connection.run_on_commit) == before, "nothing is left to do"
            with refused(ValueError):
                accept_proposals(scope=scope, shown=filled | {uuid4(): ""})
