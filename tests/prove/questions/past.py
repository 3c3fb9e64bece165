"""What earlier readings found in the bytes of a file, asked of the functions that decide on originals and on what
changed, beside the same said in plain Python.
"""

import random
from dataclasses import dataclass, field
from uuid import UUID, uuid4

from ingestion.models import Blob, File, FileRevision, Paragraph, PastParagraph
from tests.oracle.monitor import Person
from tests.oracle.planted_world import Everything
from tests.prove.questions.functions import asked
from tests.prove.questions.refusals import undone
from tests.prove.questions.tables import everybody, labels
from tests.prove.size import FACTOR

CASES = 40 if FACTOR > 1 else 8
RECORDS = ("record0", "record4", "record6")


@dataclass
class Past:
    """What a case planted. stand: file and digest of the paragraphs that there are. within: the file in which one came,
    by file. found: paragraphs that are no more.
    """

    stand: dict[UUID, tuple[UUID, str]]
    within: dict[UUID, UUID] = field(default_factory=dict)
    revisions: dict[UUID, list[FileRevision]] = field(default_factory=dict)
    published: dict[UUID, int] = field(default_factory=dict)
    found: list[PastParagraph] = field(default_factory=list)


def what_was_found_before_is_asked_for(e: Everything) -> None:
    with e.planted.service.open():
        atoms = labels(e)
        stand = {p.pk: (p.file_id, p.digest) for p in Paragraph.objects.all()}
    chance = random.Random(7)
    files = [e.files[name] for name in RECORDS]
    for _ in range(CASES):
        with undone():
            with e.planted.service.open():
                past = plant(e, chance, files, list(atoms), stand)
            for person in everybody(e):
                with e.planted.scope(person).open():
                    for name, file in zip(RECORDS, files, strict=True):
                        judge(e, past, person, name, file, atoms)


def plant(
    e: Everything, chance: random.Random, files: list[UUID], known: list[int], stand: dict[UUID, tuple[UUID, str]]
) -> Past:
    # Of most files nobody is refused what stands there now: nothing stands there.
    empty = [file for file in files if chance.random() < 0.7]
    Paragraph.objects.filter(file__in=empty).delete()
    past = Past({pk: at for pk, at in stand.items() if at[0] not in empty})
    at = {"workspace": e.planted.workspace}
    order = chance.sample(files, 3)
    for inner, outer in list(zip(order, order[1:], strict=False))[: chance.randrange(3)]:
        past.within[inner] = outer
        File.objects.filter(pk=inner).update(origin=outer)
    for file in files:
        first = FileRevision.objects.select_related("blob").get(file=file)
        blob = first.blob
        if chance.random() < 0.4:
            blob = Blob.objects.create(**at, sha256=uuid4().hex * 2, size=1, media_type="text/plain", path=str(uuid4()))
        second = FileRevision.objects.create(**at, file_id=file, blob=blob, number=2, witness="x")
        past.revisions[file] = [first, second]
        for revision in past.revisions[file]:
            revision.attachments = chance.randrange(2)
            revision.remainder_label = chance.choice([0, 0, 0, 0, None, chance.choice(known)])
            revision.remainder_floor = chance.choice([0, chance.choice(known)])
            revision.save(update_fields=["attachments", "remainder_label", "remainder_floor"])
        shown = chance.choice(past.revisions[file])
        past.published[file] = shown.number
        File.objects.filter(pk=file).update(revision=shown)
        for _ in range(chance.choice((0, 1, 1, 2))):
            stands = chance.choice([None, *past.stand])
            past.found.append(
                PastParagraph.objects.create(
                    **at,
                    file_id=file,
                    paragraph=stands if stands and chance.random() < 0.2 else uuid4(),
                    digest=past.stand[stands][1] if stands else "y",
                    data_classification=None if chance.random() < 0.3 else chance.choice(known),
                    floor=chance.choice(known),
                    since=chance.randrange(1, 3),
                    until=chance.randrange(1, 4),
                    unread=chance.random() < 0.3,
                    inside=chance.random() < 0.5,
                )
            )
    return past


def judge(e: Everything, past: Past, person: Person, name: str, file: UUID, atoms: dict[int, frozenset[int]]) -> None:
    lines = [file]
    while lines[-1] in past.within:
        lines.append(past.within[lines[-1]])

    def cleared(label: int | None, floor: int) -> bool:
        if label is None:
            return e.world.steward(person) and e.world.cleared(person, atoms[floor])
        return e.world.cleared(person, atoms[label])

    def hidden(p: PastParagraph) -> bool:
        return not cleared(p.data_classification, p.floor)

    def beside(version: FileRevision) -> bool:
        """Whether what the reader does not show of a version is cleared."""
        return cleared(version.remainder_label, version.remainder_floor)

    def in_bytes(of: UUID, version: int, *, inside: bool) -> bool:
        """Whether something hidden was found in the bytes of a version, and stands nowhere now."""
        now = {of}
        for _ in RECORDS:
            now |= {inner for inner, outer in past.within.items() if outer in now}
        here = {digest for place, digest in past.stand.values() if place in now}
        blob = past.revisions[of][version - 1].blob_id
        return any(
            hidden(p)
            and (p.inside or not inside)
            and p.paragraph not in past.stand
            and not (p.inside and p.digest in here)
            and any(held.blob_id == blob and stood_in(p, held) for held in past.revisions[of])
            for p in past.found
            if p.file_id == of
        )

    stands = any(place == file for place, _ in past.stand.values())
    clear = not stands or all(e.world.cleared(person, t.label) for t in e.world.paragraphs(name))
    given = (
        clear
        and beside(past.revisions[file][past.published[file] - 1])
        and not any(in_bytes(of, past.published[of], inside=of != file) for of in lines)
    )
    assert asked("app_cleared_for_file", file) == [given], (person, name)
    for version in (1, 2):
        after = any(hidden(p) and p.until > version for p in past.found if p.file_id == file)
        blob = past.revisions[file][version - 1].blob_id
        latest = [held for held in past.revisions[file] if held.blob_id == blob][-1]
        since = not after and beside(latest) and not in_bytes(file, version, inside=False)
        assert asked("app_cleared_since", file, version) == [since], (person, name, version)


def stood_in(p: PastParagraph, held: FileRevision) -> bool:
    if p.unread and held.number == p.until:
        return True
    return held.number < p.until and (held.attachments > 0 if p.inside else held.number >= p.since)
