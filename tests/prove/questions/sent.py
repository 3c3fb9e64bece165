"""Text that rests, and who sent it."""

from dataclasses import replace

from ingestion.models import FileRevision, Paragraph
from retrieval.query import Within
from retrieval.search import search
from tests.oracle.asked import WORDS
from tests.oracle.monitor import Person, Text
from tests.oracle.planted_world import Everything
from tests.oracle.worlds import JUDGED, rest_as_nobody
from tests.prove.questions.refusals import undone
from tests.prove.questions.tables import everybody

SENDER = "dee"


def texts_that_rest_are_their_senders(e: Everything) -> None:
    """In a scope that reads what one sent, to be read and found; not what is judged, and nobody's who is narrowed."""
    world, planted, file = e.world, e.planted, e.files["record0"]
    texts = world.paragraphs("record0")
    judged, owed = texts[-1], 0

    def reads(person: Person, text: Text, sent: bool) -> bool:
        mine = sent and person.name == SENDER and person.narrowed is None and text != judged
        return mine or world.cleared(person, text.label)

    with undone():
        with planted.service.open():
            rest_as_nobody()  # each rests as it did before, none as text does now
            FileRevision.objects.filter(file=file).update(created_by=planted.users[SENDER].pk)
            Paragraph.objects.filter(file=file, text=judged.words).update(votes=JUDGED)
        for person in everybody(e):
            for sent in (False, True):
                scope = replace(planted.scope(person), sent=sent)
                expected = [t for t in texts if reads(person, t, sent)]
                owed += len(expected) - sum(world.cleared(person, t.label) for t in texts)
                with scope.open():
                    assert sorted(Paragraph.objects.filter(file=file).values_list("text", flat=True)) == sorted(
                        t.words for t in expected
                    ), (person, sent)
                    found = search(scope, WORDS, within=Within(files=(file,)), limit=50)
                    seen = expected if world.sees(person, world.record("record0")) else []
                    assert sorted(r.text for r in found) == sorted(t.words for t in seen if t.label is not None)
        held = planted.scope(next(p for p in world.people if p.name == SENDER)).limit_to([1, 2, 3, 5]).add_sent()
        with held.open():
            assert Paragraph.objects.filter(file=file).count() == sum(
                world.cleared(next(p for p in world.people if p.name == SENDER), t.label) for t in texts
            )
    assert owed, "nothing rested, so nothing was asked"
