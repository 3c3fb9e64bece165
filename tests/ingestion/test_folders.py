"""Files that come from folders keep the path at which they stood, and a path that leads elsewhere is refused."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entities.access import Scope
from entities.models.classification import SECRET
from entities.types import Contract
from ingestion.models import Blob, File
from ingestion.names import LONGEST_PATH, BadPath, clean_name, clean_path, split_folders
from tests.conftest import Person
from tests.ingestion.helpers import ready, upload

HOSTILE = (
    "../plan.md",
    "handbook/../../plan.md",
    "handbook\\..\\plan.md",
    "handbook/. ./../plan.md",
    "handbook/\u200b..\u202e/plan.md",
    "handbook/ .. /plan.md",
    "a/" * LONGEST_PATH + "plan.md",
)


def test_a_path_that_leads_out_or_on_and_on_is_refused_and_nothing_is_kept(
    subtests: pytest.Subtests, alice: Person, contract: Contract, service: Scope
) -> None:
    for path in HOSTILE:
        with subtests.test(path=path):
            refused = upload(alice, contract, "plan.md", path=path)
            assert refused.status_code == 422
            assert refused.json()["error"]["code"] == "bad_path"
            assert refused.json()["error"]["detail"].startswith("The path of this file")
            with service.open():
                assert not File.objects.exists()
                assert not Blob.objects.exists()


def test_the_page_says_so_beside_the_name_of_the_file(alice: Person, contract: Contract) -> None:
    from django.core.files.uploadedfile import SimpleUploadedFile

    sent = {"file": SimpleUploadedFile("plan.md", b"# Plan\n"), "path": "../plan.md"}
    url = f"{alice.base}entities/{contract.pk}/files/upload/"
    refused = alice.client.post(url, sent, headers={"HX-Request": "true"})
    assert refused.status_code == 422
    assert "leads out of its folder" in refused.json()["error"]["detail"]


def test_a_path_is_kept_as_folders_with_the_name_of_the_file(
    subtests: pytest.Subtests, alice: Person, contract: Contract
) -> None:
    for path, kept in [
        ("handbook/travel/plan.md", "handbook/travel/plan.md"),
        ("/handbook//./travel/plan.md", "handbook/travel/plan.md"),
        ("handbook\\travel\\plan.md", "handbook/travel/plan.md"),
        ("C:\\Users\\eve\\plan.md", "C:/Users/eve/plan.md"),
        ("%2e%2e/plan.md", "%2e%2e/plan.md"),
        ("a\x00b/\u202egnp.md/plan.md", "ab/gnp.md/plan.md"),
        ("travel/another.md", "travel/plan.md"),
        ("plan.md", None),
        ("", None),
    ]:
        with subtests.test(path=path):
            made = upload(alice, contract, "plan.md", path=path)
            assert made.status_code == 202, made.content
            assert (made.json()["name"], made.json()["path"]) == ("plan.md", kept)


def test_files_of_one_name_in_two_folders_are_two_and_are_told_apart(alice: Person, contract: Contract) -> None:
    visa = ready(alice, contract, "readme.md", b"# Visa\n", path="handbook/travel/readme.md")
    home = ready(alice, contract, "readme.md", b"# Handbook\n", path="handbook/readme.md")
    again = upload(alice, contract, "readme.md", b"# Visa\n", path="handbook/travel/readme.md").json()
    assert (again["id"], visa == home) == (visa, False)
    listed = alice.api.get(f"/api/entities/{contract.pk}/files/").json()["results"]
    assert [one["path"] for one in listed] == ["handbook/readme.md", "handbook/travel/readme.md"]
    page = alice.client.get(f"{alice.base}entities/{contract.pk}/files/", headers={"HX-Request": "true"})
    told = re.findall(r'class="cl-file-folder">([^<]+)</span><a [^>]*>([^<]+)</a>', page.content.decode())
    assert told == [("handbook › ", "readme.md"), ("handbook › travel › ", "readme.md")]


def test_who_may_not_read_the_name_reads_no_folder(
    alice: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract, "readme.md", b"# Visa\n", path="closure of the yard/readme.md")
    assert viewer.api.get(f"/api/files/{file}/").json()["path"] == "closure of the yard/readme.md"
    with service.open():
        File.objects.filter(pk=file).update(name_classification=SECRET)
    assert viewer.api.get(f"/api/files/{file}/").json()["path"] is None
    for path in (f"files/{file}/", f"files/{file}/versions/", f"entities/{contract.pk}/files/"):
        shown = viewer.client.get(viewer.base + path)
        assert shown.status_code == 200
        assert "closure" not in shown.content.decode()
    assert "closure" in alice.client.get(f"{alice.base}files/{file}/").content.decode()


@given(st.text(max_size=80), st.text(max_size=20))
def test_no_kept_path_leads_anywhere_but_down(path: str, name: str) -> None:
    name = clean_name(name)
    try:
        kept = clean_path(path, name)
    except BadPath:
        return
    parts = [*split_folders(kept), name]
    assert kept in (name, "/" + "/".join(parts))
    assert not {"", ".", ".."} & set(parts)
    assert not any(c in part for part in parts for c in "/\\\x00\u202e")
