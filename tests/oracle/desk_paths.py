"""What came with stewards and versions: what waits on the desk, requests for access, versions of files, their links."""

from entities.access import Scope
from ingestion.access import get_file_or_404
from ingestion.desk import QueueFilter, build_items, select_waiting
from ingestion.exposure import measure_exposure
from ingestion.link_views import list_backlinks, list_links
from ingestion.models import File
from ingestion.request_presenter import present_requests
from ingestion.requests import select_requests, select_to_decide
from ingestion.versions import list_versions
from tests.oracle.asked import Asked
from tests.oracle.planted_desk import message_on


def desk(asked: Asked) -> None:
    """Every passage here waits for a decision, in the file and in the record's long text. Whoever is no steward is not
    let in, which `requires` sees to.
    """
    world, person = asked.world, asked.person
    read = [t for t in world.texts if t.passage and world.reads(person, t)]
    with asked.scope.open():
        asked.same("waiting", waiting_texts(asked.scope, QueueFilter()), [t.words for t in read for _ in range(2)])
        asked.same("how many wait", [select_waiting(asked.scope, QueueFilter()).count()], [2 * len(read)])
        exposed = measure_exposure(asked.scope, most_twins=0).levels
        asked.same("how much is exposed", [sum(row.amount.paragraphs for row in exposed)], [2 * len(read)])
        for n, record in enumerate(world.records):
            if not asked.takes(n):
                continue
            on_it = [t.words for t in read if t.record == record.name]
            narrowed = QueueFilter(entity=asked.all.planted.records[record.name])
            asked.same(f"waiting on {record.name}", waiting_texts(asked.scope, narrowed), [*on_it, *on_it])
    if person.narrowed is None:
        answer = asked.api.get("/api/desk/?page_size=200")
        asked.same("the desk answers", [answer.status_code], [200 if world.steward(person) else 403])


def waiting_texts(scope: Scope, wanted: QueueFilter) -> list[str]:
    return [item.paragraph.text for item in build_items(scope, select_waiting(scope, wanted))]


def requests(asked: Asked) -> None:
    """Everybody's request about each record: their own, and for stewards those of others, on records that they see."""
    world, person = asked.world, asked.person
    known = [
        (name, record)
        for name, record in asked.all.requests
        if asked.sees(world.record(record)) and (name == person.name or world.steward(person))
    ]
    with asked.scope.open():
        shown = {row.request.pk: row for row in present_requests(asked.scope, select_requests(asked.scope))}
        deciding = [row.pk for row in select_to_decide(asked.scope)]
    asked.same("requests", shown, [asked.all.requests[key] for key in known])
    others = [asked.all.requests[key] for key in known if key[0] != person.name]
    asked.same("requests to decide", deciding, others if world.steward(person) else [])
    for name, record in known:
        row, (text, *_) = shown[asked.all.requests[name, record]], [*world.paragraphs(record), None]
        asked.same("passage of a request", [row.text], [text.words if text and world.reads(person, text) else None])
        read = text is None or world.cleared(person, text.label)
        asked.same("message of a request", [row.message], [message_on(record) if read else None])


def versions(asked: Asked) -> None:
    """One version of each file, with as many paragraphs as may be read."""
    world, person = asked.world, asked.person
    for name, pk in asked.all.files.items():
        with asked.scope.open():
            if not world.knows_file(person, name):
                continue
            file: File = get_file_or_404(asked.scope, pk)
            told = [(v.number, v.downloadable, v.changes and v.changes.added) for v in list_versions(asked.scope, file)]
        read = sum(world.reads(person, t) for t in world.paragraphs(name))
        asked.same(f"versions of {name}", told, [(1, world.downloads(person, name), read)])


def links(asked: Asked) -> None:
    """From every passage to the file of the next record, and from where each file is linked."""
    world, person = asked.world, asked.person
    known = {name for name in asked.all.files if world.knows_file(person, name)}
    files = list(asked.all.files)
    following = dict(zip(files, [*files[1:], *files[:1]], strict=True))
    for name in known:
        with asked.scope.open():
            file = get_file_or_404(asked.scope, asked.all.files[name])
            found = [(link.words, *(t.file for t in link.targets)) for link in list_links(asked.scope, file)]
            back = [(link.file, link.count) for link in list_backlinks(asked.scope, file)]
        read = [t.words for t in world.paragraphs(name) if world.reads(person, t)]
        target = [asked.all.files[following[name]]] if following[name] in known else []
        asked.same(f"links of {name}", found, [(words, *target) for words in read])
        (before,) = [other for other in files if following[other] == name]
        count = sum(world.reads(person, t) for t in world.paragraphs(before))
        lead = [(asked.all.files[before], count)] if before != name and before in known and count else []
        asked.same(f"links to {name}", back, lead)
