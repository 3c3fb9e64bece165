"""Files in the administration: how far they got, for people who may know of them, and nothing that was met in them."""

from entities.access import Scope
from entities.models import Classification, Workspace
from entities.models.classification import SECRET
from entities.types import Contract
from ingestion.inline import work_off
from ingestion.models import File
from tests.conftest import Person, person
from tests.ingestion.helpers import ready, upload


def page(who: Person, path: str = "") -> str:
    answer = who.client.get(f"{who.base}admin/ingestion/file/{path}")
    assert answer.status_code == 200
    return answer.content.decode()


def test_an_administrator_reads_why_a_file_failed_as_its_panel_tells_it(
    alice: Person, contract: Contract, workspace: Workspace, service: Scope
) -> None:
    boss = person(workspace, "boss", [], ("Admin",))
    file = upload(alice, contract, "broken.pdf", b"%PDF-1.7 is all there is").json()["id"]
    work_off(workspace.pk)
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
