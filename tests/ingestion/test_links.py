"""Links between documents: where they lead depends on who looks, and nothing tells of what one may not see."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from entities.access import Scope
from entities.actions import create_entity
from entities.models import Classification, Entity
from entities.types import Contract
from ingestion.inline import process_all_waiting
from ingestion.models import DocumentLink, File
from references.documents import follow_file, follow_oldest
from references.models import Reference
from tests.conftest import Person
from tests.ingestion.helpers import ready

pytestmark = pytest.mark.django_db(transaction=True)

FINANCIAL = 5
GUIDE = b"""# Guide

See the [visa rules](../travel/visa.md#how-long) and [the plan](plan.md).

The average salary of a site manager is 68,400 pounds a year, see [the list](../pay/list.md).

Back to [the top](#guide), or [nowhere](#no-such-place); [far](https://elsewhere.example/x), [out](../../up.md).

Look at [[Quay lease]], <ftp://old.example/a>, and [broken](%ff%fe.md).

Ask [Jane](mailto:jane.doe@firm.example).
"""
VISA = b"# Visa\n\n## How long?\n\nNinety days. Then see [the guide](/handbook/guide.md).\n"


def links(person: Person, file: str, **query: Any) -> dict[str, tuple[str | None, list[str]]]:
    """target → (reason, names of what it leads to)."""
    answer = person.api.get(f"/api/files/{file}/links/", {"page_size": 200, **query})
    assert answer.status_code == 200, answer.content
    rows = answer.json()["results"]
    return {row["target"]: (row["reason"], [target["name"] for target in row["targets"]]) for row in rows}


def record(person: Person, name: str, **fields: Any) -> Entity:
    with person.scope.open():
        return create_entity(
            scope=person.scope, model=Contract, fields={"name": name, "counterparty": "Port"}, **fields
        )


def references(person: Person, entity: Entity) -> set[tuple[str, str]]:
    """(name of the target, words) of those that documents of a record make."""
    answer = person.api.get("/api/references/", {"entity": str(entity.pk), "direction": "out"})
    rows = answer.json()["results"]
    assert answer.json()["count"] == len(rows)
    return {(row["target"]["name"], row["label"]) for row in rows if row["origin"]["kind"] == "document"}


def test_an_address_that_is_too_long_is_no_link(alice: Person, contract: Contract) -> None:
    host = "https://elsewhere.example/"
    kept, *others = [host + "a" * (size - len(host)) for size in (2000, 2001, 2008, 9999)]
    file = ready(alice, contract, "long.txt", "\n\n".join([*others, f"See {kept}.", "Then act."]).encode())
    assert set(links(alice, file)) == {kept}


def test_links_lead_where_each_reader_may_go_and_say_nothing_else(
    alice: Person, viewer: Person, cfo: Person, steward: Person, outsider: Person, contract: Contract, service: Scope
) -> None:
    assert service.is_service
    travel, pay, secret = (
        record(alice, "Travel"),
        record(alice, "Pay"),
        record(alice, "Hidden", visibility="restricted"),
    )
    guide = ready(alice, contract, "guide.md", GUIDE, path="handbook/guide.md")
    everything = {
        "../travel/visa.md#how-long": ("absent", []),
        "plan.md": ("absent", []),
        "#guide": (None, ["this document"]),
        "#no-such-place": ("anchor_missing", ["this document"]),
        "https://elsewhere.example/x": ("outside", []),
        "../../up.md": ("outside", []),
        "[[Quay lease]]": (None, ["Quay lease"]),
        "ftp://old.example/a": ("unsupported_scheme", []),
        "%ff%fe.md": ("malformed", []),
    }
    assert links(viewer, guide) == everything
    assert links(cfo, guide) == {**everything, "../pay/list.md": ("absent", [])}
    assert references(viewer, contract) == set()

    # What arrives is led to at once, by those who may see it.
    visa = ready(alice, travel, "visa.md", VISA, path="travel/visa.md")
    listed = ready(alice, pay, "list.md", b"# List\n\nThe mast is new.\n", path="pay/list.md")
    ready(alice, secret, "plan.md", b"# Plan\n\nThe mast is old.\n", path="handbook/plan.md")
    there = {**everything, "../travel/visa.md#how-long": (None, ["visa.md"])}
    assert links(viewer, guide) == there
    assert links(alice, guide) == {
        **there,
        "plan.md": (None, ["plan.md"]),
        "../pay/list.md": (None, ["list.md"]),
    }
    assert links(cfo, guide) == {**there, "../pay/list.md": (None, ["list.md"])}
    assert references(viewer, contract) == {("Travel", "visa rules")}
    assert references(cfo, contract) == {("Travel", "visa rules"), ("Pay", "the list")}
    assert references(alice, contract) == {("Travel", "visa rules"), ("Pay", "the list"), ("Hidden", "the plan")}
    assert outsider.api.get(f"/api/files/{guide}/links/").status_code == 404
    assert outsider.api.get(f"/api/files/{guide}/backlinks/").status_code == 404
    back = viewer.api.get(f"/api/files/{visa}/backlinks/").json()["results"]
    assert back == [{"file": guide, "name": "guide.md", "count": 1}]
    assert viewer.api.get(f"/api/files/{listed}/backlinks/").json()["results"] == []
    assert cfo.api.get(f"/api/files/{listed}/backlinks/").json()["count"] == 1
    anchor = alice.api.get(f"/api/files/{guide}/links/").json()["results"][0]["targets"][0]["passage"]
    heading = next(b for b in alice.api.get(f"/api/files/{visa}/reader/").json()["blocks"] if b["text"] == "How long?")
    assert anchor == heading["passage"]
    page = viewer.client.get(f"{viewer.base}files/{guide}/links/").content.decode()
    assert "visa.md" in page
    assert "list.md" not in page
    assert "There is nothing here by that name" in page

    # A steward's decision on the paragraph binds the link and what was made of it in the same moment.
    with service.open():
        link = DocumentLink.objects.get(target__startswith="../travel")
    decided = steward.api.patch(
        f"/api/paragraphs/{link.paragraph_id}/", {"labels": [FINANCIAL], "reason": "a test"}, format="json"
    )
    assert decided.status_code == 200
    assert "../travel/visa.md#how-long" not in links(viewer, guide)
    assert references(viewer, contract) == set()
    assert ("Travel", "visa rules") in references(cfo, contract)
    process_all_waiting(contract.workspace_id)
    assert references(viewer, contract) == set()

    # What goes is led to no longer, and what is edited away is no link.
    assert alice.api.delete(f"/api/files/{listed}/?forever=1").status_code == 204
    assert links(cfo, guide)["../pay/list.md"] == ("absent", [])
    assert references(cfo, contract) == {("Travel", "visa rules")}
    ready(alice, contract, "guide.md", b"# Guide\n\nNothing here.\n", path="handbook/guide.md")
    assert links(alice, guide) == {}
    assert references(alice, contract) == set()
    with service.open():
        assert not Reference.objects.filter(origin="document", source=contract.pk).exists()
        assert File.objects.filter(entity=contract.pk).count() == 1


def test_of_two_targets_a_reader_who_sees_one_has_one(
    alice: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    seen, unseen = record(alice, "Seen"), record(alice, "Unseen", visibility="restricted")
    guide = ready(alice, contract, "a.md", b"See [it](b.md) there.\n", path="x/a.md")
    for entity in (seen, unseen):
        ready(alice, entity, "b.md", b"The mast is new.\n", path="x/b.md")
    assert links(viewer, guide) == {"b.md": (None, ["b.md"])}
    assert links(alice, guide) == {"b.md": ("ambiguous", ["b.md", "b.md"])}
    assert references(viewer, contract) == {("Seen", "it")}
    # One on its own record comes before those of others; not for who may not know of it.
    with service.open():
        Classification.objects.filter(value=FINANCIAL).update(conceal=True)
    own = ready(alice, contract, "b.md", b"The fee is 4,000 euros.\n", path="x/b.md")
    assert links(alice, guide) == {"b.md": (None, ["b.md"])}
    assert viewer.api.get(f"/api/files/{own}/").status_code == 404
    assert links(viewer, guide) == {"b.md": (None, ["b.md"])}
    assert references(viewer, contract) == {("Seen", "it")}


def test_a_file_whose_name_one_may_not_read_stands_before_no_other(
    alice: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    """Or where the link leads would tell how it is called."""
    guide = ready(alice, contract, "a.md", b"See [it](b.md) there.\n", path="x/a.md")
    ready(alice, record(alice, "Seen"), "b.md", b"The mast is new.\n", path="x/b.md")
    own = ready(alice, contract, "b.md", b"The mast is old.\n", path="x/b.md")
    with service.open():
        File.objects.filter(pk=own).update(name_classification=FINANCIAL)
    follow_file(service.workspace, UUID(guide))
    assert links(viewer, guide) == {"b.md": (None, ["b.md"])}
    assert references(viewer, contract) == {("Seen", "it")}
    leads = alice.api.get(f"/api/files/{guide}/links/").json()["results"]
    assert [target["file"] for target in leads[0]["targets"]] == [own]


def test_a_file_that_nobody_placed_finds_those_of_its_record_by_name(
    alice: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    travel = record(alice, "Travel")
    guide = ready(alice, contract, "guide.md", GUIDE)
    ready(alice, travel, "visa.md", VISA)
    assert links(viewer, guide)["../travel/visa.md#how-long"] == ("absent", [])
    ready(alice, contract, "visa.md", VISA)
    assert links(viewer, guide)["../travel/visa.md#how-long"] == (None, ["visa.md"])
    assert references(viewer, contract) == set()
    placed = [ready(alice, contract, "visa.md", VISA, path=f"{folder}/visa.md") for folder in ("a", "b")]
    assert len(set(placed)) == 2
    with service.open():
        assert set(File.objects.filter(entity=contract.pk).values_list("path", flat=True)) == {
            "guide.md", "visa.md", "/a/visa.md", "/b/visa.md",
        }  # fmt: skip


def test_aliases_lead_to_records_and_only_who_may_change_one_gives_them(
    alice: Person, staff: Person, viewer: Person, outsider: Person, contract: Contract, service: Scope
) -> None:
    travel = record(alice, "Travel")
    said = b"See [a](../travel/rules.md), [b](https://Intra.example/travel/) and [[Travel handbook]].\n"
    guide = ready(alice, contract, "guide.md", said, path="handbook/guide.md")
    where = f"/api/entities/{travel.pk}/aliases/"
    given = [("path", "travel/rules.md"), ("url", "http://intra.example/travel"), ("title", "Travel  Handbook")]
    assert viewer.api.post(where, {"kind": "path", "value": "travel/rules.md"}, format="json").status_code == 403
    assert outsider.api.post(where, {"kind": "path", "value": "x.md"}, format="json").status_code == 404
    assert outsider.api.get(where).status_code == 404
    for kind, value in [*given, given[0]]:
        assert alice.api.post(where, {"kind": kind, "value": value}, format="json").status_code == 201
    for kind, value in (("path", "../../x"), ("url", "http://[x"), ("title", " "), ("name", "x")):
        assert alice.api.post(where, {"kind": kind, "value": value}, format="json").status_code == 400
    assert viewer.api.get(where).json()["count"] == 3
    assert {reason for reason, _ in links(viewer, guide).values()} == {None}
    follow_file(contract.workspace_id, UUID(guide))
    assert references(viewer, contract) == {("Travel", "a"), ("Travel", "b"), ("Travel", "Travel handbook")}
    assert viewer.api.delete(f"{where}?kind=path&value=travel/rules.md").status_code == 403
    assert alice.api.delete(f"{where}?kind=path&value=travel/rules.md").status_code == 204
    assert links(viewer, guide)["../travel/rules.md"] == ("absent", [])
    with service.open():
        DocumentLink.objects.update(looked_at=timezone.now() - timedelta(hours=2))
    assert follow_oldest(contract.workspace_id) == 3
    assert references(viewer, contract) == {("Travel", "b"), ("Travel", "Travel handbook")}
