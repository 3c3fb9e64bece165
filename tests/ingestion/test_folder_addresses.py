"""A folder that lives elsewhere too: links to its pages there lead to its files here, for whoever may see those."""

from typing import Any

import pytest

from entities.access import Scope
from entities.types import Contract
from ingestion.errors import BadUpload
from ingestion.folder_addresses import FolderAddress, convert_to_path, read_addresses
from ingestion.inline import process_all_waiting
from ingestion.link_targets import Wanted, read_target
from ingestion.models import File, FileRevision
from tests.conftest import Person
from tests.ingestion.helpers import ready, upload

MAIN = "https://code.example/handbook/tree/main/"
ADDRESSES = (
    *read_addresses([MAIN, "http://code.example/handbook/blob/main"]),
    *read_addresses([f"{MAIN}de"], "/german"),
)


@pytest.mark.parametrize(
    ("target", "path"),
    [
        (f"{MAIN}travel/visa.md#how-long", "/travel/visa.md"),
        ("https://CODE.example/handbook/blob/main/travel/", "/travel"),
        ("//code.example/handbook/tree/main/a%20b.md?plain=1", "/a b.md"),
        (MAIN, "/"),
        (f"{MAIN}de/visum.md", "/german/visum.md"),
        (f"{MAIN}../../../secret.md", None),
        (f"{MAIN}%ff%fe.md", None),
        (f"{MAIN}{'x/' * 400}y.md", None),
        ("https://code.example/handbook/tree/mainly/visa.md", None),
        ("https://code.example/handbook/tree/", None),
        ("https://elsewhere.example/handbook/tree/main/travel/visa.md", None),
    ],
)
def test_what_is_under_an_address_is_a_path_of_the_folder(target: str, path: str | None) -> None:
    address = read_target(target, "/guide.md", "acme")
    assert address
    found = convert_to_path(address, ADDRESSES)
    assert (found.key if found.wanted == Wanted.PATH else None) == path
    assert found.anchor == address.anchor


@pytest.mark.parametrize(
    "text",
    ["ftp://code.example/", "file:///etc", "javascript:alert(1)", "code.example/main", "https://",
        "https://a.example/?x",
     "https://a.example/#x", "https://me:secret@a.example/", f"https://a.example/{'x' * 600}", "https://a.example:x/"],
)  # fmt: skip
def test_an_address_is_one_of_the_web(text: str) -> None:
    with pytest.raises(BadUpload):
        read_addresses([text])


def test_addresses_are_few_and_of_a_folder_within_the_root() -> None:
    assert read_addresses([MAIN, MAIN, " "]) == (FolderAddress("code.example/handbook/tree/main"),)
    with pytest.raises(BadUpload):
        read_addresses([f"https://a.example/{n}" for n in range(6)])
    with pytest.raises(BadUpload):
        read_addresses([MAIN], "/../other")


def targets(person: Person, file: str) -> list[tuple[str | None, list[str]]]:
    answer = person.api.get(f"/api/files/{file}/links/")
    assert answer.status_code == 200, answer.content
    return [(row["reason"], [found["name"] for found in row["targets"]]) for row in answer.json()["results"]]


@pytest.mark.django_db(transaction=True)
def test_links_to_the_address_of_a_folder_lead_to_its_files(
    alice: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    guide = f"# Guide\n\nSee the [visa rules]({MAIN}travel/visa.md).\n".encode()
    sent: dict[str, Any] = {"address": [MAIN], "address_folder": "/repo", "path": "/repo/guide.md"}
    alone = ready(alice, contract, "guide.md", guide, path="/repo/guide.md")
    visa = ready(alice, contract, "visa.md", b"# Visa\n\nNinety days.\n", path="/repo/travel/visa.md")
    assert targets(viewer, alone) == [("outside", [])] or targets(viewer, alone) == [("absent", [])]
    # The same bytes, with an address: links are read again.
    file = ready(alice, contract, "guide.md", guide, **sent)
    assert file == alone
    assert targets(viewer, file) == [(None, ["visa.md"])]
    # Whoever may not see the file is not led to it.
    with service.open():
        File.objects.filter(pk=visa).update(name_classification=5)
    assert targets(viewer, file) == [("absent", [])]
    with service.open():
        File.objects.filter(pk=visa).update(name_classification=0)
    # Sent again without one, it is the file that is there; a version that is restored keeps its own.
    ready(alice, contract, "guide.md", guide, path="/repo/guide.md")
    with service.open():
        assert FileRevision.objects.filter(file=file).count() == 2
    assert targets(viewer, file) == [(None, ["visa.md"])]
    ready(alice, contract, "guide.md", guide + b"\nMore.\n", path="/repo/guide.md")
    assert targets(viewer, file)[0][1] == []
    assert alice.api.post(f"/api/files/{file}/versions/2/restore/").status_code in (200, 202)
    process_all_waiting(alice.scope.workspace)
    assert targets(viewer, file) == [(None, ["visa.md"])]
    refused = upload(alice, contract, "other.md", b"Text.", address=["ftp://code.example/"])
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "bad_address")
