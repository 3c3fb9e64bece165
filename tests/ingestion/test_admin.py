"""Files in the administration: how far they got, for people who may know of them, and nothing that was met in them."""

import re
from collections.abc import Iterable
from datetime import timedelta
from uuid import UUID

from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from entities.access import Scope, combine_for_workspace
from entities.models import Classification, Workspace
from entities.models.classification import FINANCIAL, INTERNAL, PII, SECRET
from entities.types import Contract
from ingestion.access import Outline, is_disclosed_file, load_outlines, select_readable_files, select_visible_files
from ingestion.inline import process_all_waiting
from ingestion.models import Blob, File, FileRevision, Paragraph
from ingestion.queueing import publish_again
from tests.conftest import Person, person
from tests.ingestion.helpers import ready, upload
from tests.ingestion.test_known_versions import HIDDEN, NOTED


def page(who: Person, path: str = "") -> str:
    answer = who.client.get(f"{who.base}admin/ingestion/file/{path}")
    assert answer.status_code == 200
    return answer.content.decode()


def test_an_administrator_reads_why_a_file_failed_as_its_panel_tells_it(
    alice: Person, contract: Contract, workspace: Workspace, service: Scope
) -> None:
    boss = person(workspace, "boss", [], ("Admin",))
    file = upload(alice, contract, "broken.pdf", b"%PDF-1.7 is all there is").json()["id"]
    process_all_waiting(workspace.pk)
    with service.open():
        File.objects.filter(pk=file).update(error_detail="Something about the merger.", error_page=7)
    assert "Something about the merger. Page 7." in page(alice, f"{file}/change/")
    told = page(boss, f"{file}/change/")
    assert "merger" not in told
    assert "Page 7" not in told
    assert "This file is damaged." in told


def test_a_file_of_which_one_may_not_know_is_not_listed(
    alice: Person, contract: Contract, workspace: Workspace, service: Scope
) -> None:
    boss = person(workspace, "boss", [], ("Admin",))
    seen = ready(alice, contract)
    with service.open():
        Classification.objects.filter(value=SECRET).update(conceal=True)
    concealed = ready(alice, contract, "heron.txt", b"The code word is heron.", labels=str(SECRET))
    assert concealed in page(alice)
    assert seen in page(boss)
    assert concealed not in page(boss)
    answer = boss.client.get(f"{boss.base}admin/ingestion/file/{concealed}/change/")
    assert "heron" not in answer.content.decode()
    assert answer.status_code != 200


def test_a_version_of_which_one_may_not_know_moves_nothing(
    alice: Person, contract: Contract, workspace: Workspace, service: Scope
) -> None:
    """Dates and the order of rows too, while it waits and when it has ended badly."""
    boss = person(workspace, "boss", [], ("Admin",))
    file = ready(alice, contract)
    ready(alice, contract, "later.md")
    with service.open():
        FileRevision.objects.update(fetched_at=F("fetched_at") - timedelta(days=2))

    def told(who: Person) -> list[str]:
        pages = [page(who), page(who, "?o=9"), page(who, f"{file}/change/")]
        return [re.sub(r'csrf\w+"[^>]*value="\w+"', "", text) for text in pages]

    before, known = told(boss), told(alice)
    upload(alice, contract, content=b"%PDF-1.4 nothing")
    assert told(boss) == before
    assert told(alice) != known
    process_all_waiting(workspace.pk)
    with service.open():
        assert File.objects.get(pk=file).state == "quarantined"
    assert told(boss) == before


def test_nor_when_it_was_published(alice: Person, contract: Contract, workspace: Workspace, service: Scope) -> None:
    """What changed in it is concealed: the file is as old as the version before, until that one is made again."""
    boss = person(workspace, "boss", [], ("Admin",))
    with service.open():
        Classification.objects.filter(value=FINANCIAL).update(conceal=True)
    file = ready(alice, contract)
    ready(alice, contract, "later.md")

    def grow_older(days: int) -> None:
        past = timedelta(days=days)
        with service.open():
            FileRevision.objects.update(fetched_at=F("fetched_at") - past, published_at=F("published_at") - past)
            File.objects.update(updated_at=F("updated_at") - past, created_at=F("created_at") - past)

    def told(who: Person) -> list[str]:
        pages = [page(who), page(who, "?o=9"), page(who, "?o=-9"), page(who, f"{file}/change/")]
        return [re.sub(r'csrf\w+"[^>]*value="\w+"', "", text) for text in pages]

    grow_older(2)
    before, known = told(boss), told(alice)
    ready(alice, contract, content=HIDDEN)
    assert told(boss) == before
    assert told(alice) != known
    # On its way the next one is nobody's but its sender's, and ends badly as such.
    upload(alice, contract, content=b"%PDF-1.4 nothing")
    assert told(boss) == before
    process_all_waiting(workspace.pk)
    assert told(boss) == before
    # What is made again is what everybody is shown, and so is the day.
    with service.open():
        publish_again(UUID(file))
    process_all_waiting(workspace.pk)
    again = told(boss)
    assert again != before
    grow_older(1)
    ready(alice, contract, content=NOTED)
    assert told(boss) not in (before, again), "and of this version they are told"


def plant(
    contract: Contract,
    name: str,
    labels: Iterable[int | None],
    *,
    by: int = 0,
    pending_by: int | None = None,
    **fields: object,
) -> None:
    """A file with paragraphs of these labels, in the open service scope. by: who sent what is published."""
    home = {"workspace_id": contract.workspace_id}
    blob, _ = Blob.objects.get_or_create(**home, sha256="0" * 64, defaults={"size": 1, "media_type": "", "path": "x"})
    given = {"collection": "documents", **fields}
    file = File.objects.create(**home, entity_id=contract.pk, name=name, **given)
    revision = FileRevision.objects.create(**home, file=file, blob=blob, number=1, created_by=by)
    File.objects.filter(pk=file.pk).update(revision=revision)
    if pending_by is not None:
        later = FileRevision.objects.create(**home, file=file, blob=blob, number=2, created_by=pending_by)
        File.objects.filter(pk=file.pk).update(pending_revision=later)
    Paragraph.objects.bulk_create(
        Paragraph(
            **home, file=file, revision=revision, position=n, text="x", digest="x", data_classification=label, end=1
        )
        for n, label in enumerate(labels)
    )


def test_which_files_exist_for_somebody_is_decided_in_the_statement(
    alice: Person, viewer: Person, contract: Contract, workspace: Workspace, service: Scope
) -> None:
    """As `is_disclosed_file` decides of one, and in as many statements for many files as for few."""
    boss = person(workspace, "boss", [INTERNAL], ("Admin",))
    me, hers = boss.user.pk, alice.user.pk
    with service.open():
        Classification.objects.filter(value__in=[SECRET, PII]).update(conceal=True)
        both = combine_for_workspace(workspace.pk, SECRET, FINANCIAL)
        plant(contract, "open", [0])
        plant(contract, "mixed", [0, SECRET])
        plant(contract, "acknowledged", [SECRET, FINANCIAL])
        plant(contract, "waiting", [])
        plant(contract, "not labelled", [None, None])
        plant(contract, "mine", [SECRET], by=me, floor=SECRET)
        plant(contract, "mine now", [SECRET], by=hers, pending_by=me)
        plant(contract, "concealed", [SECRET, both], by=hers)
        plant(contract, "the rest is not labelled", [None, SECRET])
        plant(contract, "of both", [both])
        plant(contract, "declared", [0, None], floor=SECRET)
        plant(contract, "of a collection", [0], collection="hr_documents")
        plant(contract, "hers now", [SECRET], by=me, pending_by=hers)
    shown = {"open", "mixed", "acknowledged", "waiting", "not labelled"}
    for who, wanted in ((boss, {*shown, "mine", "mine now"}), (viewer, shown), (alice, None)):
        with who.scope.open():
            files = select_visible_files(who.scope)
            told = load_outlines([file.pk for file in files])
            one_by_one = {f.name for f in files if is_disclosed_file(who.scope, f, told.get(f.pk, Outline()))}
            assert {f.name for f in select_readable_files(who.scope, files)} == one_by_one
            assert wanted is None or one_by_one == wanted

    def asked() -> int:
        with CaptureQueriesContext(connection) as statements:
            page(boss)
        return len(statements)

    page(boss)  # what is looked up once a process
    few = asked()
    with service.open():
        for n in range(10):
            plant(contract, f"more {n}", [SECRET] if n % 2 else [0])
    assert asked() == few
