"""Search page, suggestions, facets and related records, through HTTP: each with its twin of hidden rows."""

import re
from uuid import uuid4

import pytest

from entities.actions import archive_entity, create_entity
from entities.models import Classification
from entities.models.classification import FINANCIAL, INTERNAL
from entities.types import Contract, Employee, Risk
from ingestion.models import Kind


@pytest.fixture
def lease(index, contract):
    file = index.file(contract)
    index.row(contract, "The liability cap is two million euros.", file=file, position=0, page=7, section="Liability")
    index.row(contract, "Quay lease with Port, draft.", kind=Kind.METADATA)
    return file


def add(alice, model, name, **fields):
    with alice.scope.open():
        return create_entity(scope=alice.scope, model=model, fields={"name": name, **fields})


# API


def test_the_shape_of_a_result(lease, contract, viewer):
    answer = viewer.api.get("/api/search/", {"q": "liability cap"})
    assert answer.status_code == 200
    (found, *_) = answer.json()["results"]
    assert set(found) == {
        "id", "src", "kind", "score", "scores", "why", "via_reference", "text", "labels", "entity", "file", "page",
        "section", "url",
    }  # fmt: skip
    assert found["src"] == found["id"][:8]
    assert found["kind"] == "file_chunk"
    assert set(found["scores"]) == {"vector", "lexical"}
    assert found["via_reference"] is False
    assert found["labels"] == []
    assert found["entity"] == {"id": str(contract.pk), "type": "contract", "name": "Quay lease"}
    assert found["file"] == {"id": str(lease.pk), "name": "lease.pdf"}
    assert (found["page"], found["section"]) == (7, "Liability")
    assert viewer.client.get(found["url"]).status_code == 200


def test_labels_are_atoms(index, lease, contract, alice):
    index.row(contract, "Kestrel pays 90,000.", label=(INTERNAL, FINANCIAL))
    found = alice.api.get("/api/search/", {"q": "kestrel"}).json()["results"][0]
    assert [label["value"] for label in found["labels"]] == [INTERNAL, FINANCIAL]


def test_what_cannot_be_asked_is_said(subtests, viewer):
    for query, field in [
        ({}, "q"),
        ({"q": " "}, "q"),
        ({"q": "x", "entity": "nobody"}, "entity"),
        ({"q": "x", "file": "1"}, "file"),
        ({"q": "x", "type": "ghost"}, "type"),
        ({"q": "x", "kind": "ghost"}, "kind"),
        ({"q": "x", "since": "yesterday"}, "since"),
        ({"q": "x", "until": "2026-02-31"}, "until"),
        ({"q": "x", "limit": "0"}, "limit"),
        ({"q": "x", "limit": "99999999999999999999"}, "limit"),
        ({"q": "x", "reference_depth": "-1"}, "reference_depth"),
        ({"q": "x", "reference_depth": "0000000009999"}, "reference_depth"),
        ({"q": "x", "collection": "a\x00b"}, "collection"),
        ({"q": "x", "entity": ",".join(str(uuid4()) for _ in range(200))}, "entity"),
    ]:
        with subtests.test(query=query):
            answer = viewer.api.get("/api/search/", query)
            assert answer.status_code == 400
            assert set(answer.json()["error"]["fields"]) == {field}


def test_the_end_of_a_question_that_is_too_long_is_not_left_out_in_silence(lease, viewer):
    cut = "Only the first 2,000 characters of the question were read."
    for question, notices in (("liability " * 220, [cut]), ("liability " * 200, [])):
        assert viewer.api.get("/api/search/", {"q": question}).json()["notices"] == notices
        page = viewer.client.get(f"{viewer.base}search/", {"q": question}).content.decode()
        assert (cut in page) is bool(notices)


def test_filters_of_a_request(lease, contract, viewer):
    def found(**query):
        return [r["kind"] for r in viewer.api.get("/api/search/", {"q": "lease liability", **query}).json()["results"]]

    assert set(found()) == {"file_chunk", "metadata"}
    assert found(kind="metadata") == ["metadata"]
    assert set(found(kind=["metadata", "file_chunk"])) == {"file_chunk", "metadata"}
    assert found(file=str(lease.pk)) == ["file_chunk"]
    assert found(limit=1) == found()[:1]
    assert found(entity=str(uuid4())) == []
    assert found(type="employee") == []


def test_foreign_and_absent_records_are_one_answer(index, lease, restricted, viewer, outsider):
    index.row(restricted, "The liability cap of the settlement.")
    absent = viewer.api.get("/api/search/", {"q": "liability", "entity": str(uuid4())})
    hidden = viewer.api.get("/api/search/", {"q": "liability", "entity": str(restricted.pk)})
    assert hidden.content == absent.content
    assert outsider.api.get("/api/search/", {"q": "liability"}).json() == {"results": [], "notices": []}


def test_who_is_not_signed_in_gets_nothing(lease, client):
    assert client.get("/api/search/?q=liability").status_code == 401
    assert client.get("/w/acme/search/?q=liability").status_code == 302


# The page


def test_the_page_shows_cards(lease, contract, viewer):
    page = viewer.client.get("/w/acme/search/?q=liability+cap").content.decode()
    assert "<mark>liability</mark> <mark>cap</mark>" in page
    assert "lease.pdf" in page
    assert "page 7" in page
    assert f"/w/acme/files/{lease.pk}/?row=" in page
    assert ">Exact words<" in page
    assert " match<" not in page
    assert "Matched “liability cap”" in page
    assert "<html" in page


def test_for_htmx_the_results_alone(lease, viewer):
    part = viewer.client.get("/w/acme/search/?q=liability+cap", headers={"HX-Request": "true"}).content.decode()
    assert "<mark>liability</mark>" in part
    assert "<html" not in part


def test_empty_and_wrong_questions_have_a_page(lease, viewer):
    assert "What are you looking for?" in viewer.client.get("/w/acme/search/").content.decode()
    assert "Nothing found" in viewer.client.get("/w/acme/search/?q=zzyzxqw+vkkrptzx").content.decode()
    wrong = viewer.client.get("/w/acme/search/?q=x&since=yesterday")
    assert wrong.status_code == 422
    assert "is not a day" in wrong.content.decode()


def test_text_of_documents_is_escaped(index, contract, viewer):
    index.row(contract, "Kestrel <script>alert(1)</script> <img src=x>", file=index.file(contract, "<b>.pdf"))
    page = viewer.client.get("/w/acme/search/?q=kestrel+%3Cscript%3E").content.decode()
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "<b>.pdf" not in page


def test_show_more_leads_on(index, contract, viewer):
    for i in range(15):
        index.row(contract, f"Kestrel clause number {i}.", vector=False)
    page = viewer.client.get("/w/acme/search/?q=kestrel").content.decode()
    assert page.count("cl-result-text") == 10
    assert "limit=20" in page
    page = viewer.client.get("/w/acme/search/?q=kestrel&limit=20").content.decode()
    assert page.count("cl-result-text") == 15
    assert "Show more" not in page


def test_results_stand_by_record_and_file_with_the_best_three_open(index, contract, alice, viewer):
    one, other, risk = index.file(contract, "a.pdf"), index.file(contract, "b.pdf"), add(alice, Risk, "Hull")
    for i in range(5):
        index.row(contract, f"Kestrel {'kestrel ' * (5 - i)}clause.", file=one, position=2 * i, vector=False)
    index.row(risk, "Kestrel hull paint of the boat.", kind=Kind.METADATA, vector=False)
    index.row(contract, "Kestrel paint of the boat of the yard.", file=other, position=0, vector=False)
    page = viewer.client.get("/w/acme/search/?q=kestrel")
    groups = page.context["groups"]
    assert sorted(card.result.id for group in groups for card in group.cards) == sorted(
        card.result.id for card in page.context["cards"]
    )
    assert [len(group.first_cards) for group in groups if group.first_cards[0].title == "a.pdf"] == [3]
    assert "2 more passages in a.pdf" in page.content.decode()
    places = [group.first_cards[0].result.entity.id for group in groups]
    assert len(places) == 3
    assert places in ([contract.pk, contract.pk, risk.pk], [risk.pk, contract.pk, contract.pk])
    for narrowed in (f"file={one.pk}", f"entity={contract.pk}"):
        part = viewer.client.get(f"/w/acme/search/?q=kestrel&{narrowed}").content.decode()
        assert "more passage" not in part, "whoever looks there wants what stands there"
        assert part.count("cl-result-text") >= 5


def test_passages_that_the_reader_does_not_see_are_no_more_passages(index, contract, viewer):
    file = index.file(contract, "a.pdf")
    for i in range(6):
        index.row(contract, f"Kestrel clause {i}.", file=file, position=2 * i, vector=False,
                  label=FINANCIAL if i > 2 else 0)  # fmt: skip
    index.row(contract, "Kestrel clause of the record.", vector=False)
    page = viewer.client.get("/w/acme/search/?q=kestrel").content.decode()
    assert page.count("cl-result-text") == 4
    assert "more passage" not in page


def facets(person, query="q=liability+lease"):
    page = person.client.get(f"/w/acme/search/?{query}").content.decode()
    pattern = r'name="(type|kind|collection)" value="(\w+)"( checked)?.*?cl-count">(\d+)<'
    return {(name, value): int(count) for name, value, _, count in re.findall(pattern, page)}


def test_facets_count_what_was_found(index, lease, contract, alice, viewer):
    risk = add(alice, Risk, "Liability of the lease")
    index.row(risk, "Liability of the lease, high severity.", kind=Kind.METADATA)
    assert facets(viewer) == {
        ("type", "contract"): 2, ("type", "risk"): 1, ("kind", "metadata"): 2, ("kind", "file_chunk"): 1,
        ("collection", "documents"): 1,
    }  # fmt: skip
    narrowed = facets(viewer, "q=liability+lease&type=risk")
    assert narrowed["type", "contract"] == 2
    assert narrowed["kind", "metadata"] == 1


def test_the_number_of_passages_is_the_facets(index, contract, viewer):
    """What stands beside a passage is shown with it and counted apart."""
    file = index.file(contract)
    index.row(contract, "Kestrel protocol applies.", file=file, position=4, vector=False)
    index.row(contract, "Wholly different words stand here.", file=file, position=3, vector=False)
    page = viewer.client.get("/w/acme/search/?q=kestrel").content.decode()
    assert page.count("cl-result-where") == 2
    assert 'role="status">1 passage, and 1 next to it<' in page
    assert facets(viewer, "q=kestrel")["kind", "file_chunk"] == 1


def test_hidden_rows_change_no_facet_and_no_page(index, lease, contract, restricted, alice, viewer, service):
    """Where the label is concealed; else the page acknowledges that text beside a find is hidden (test_nearby.py)."""
    with service.open():
        Classification.objects.filter(value=FINANCIAL).update(conceal=True)
    token = re.compile(r'csrfmiddlewaretoken" value="\w+"|"X-CSRFToken": "\w+"|csrf\w*="\w+"')

    def seen():
        page = viewer.client.get("/w/acme/search/?q=liability+lease").content.decode()
        return token.sub("", page), facets(viewer), facets(viewer, "q=liability+lease&type=contract")

    before = seen()
    person = add(alice, Employee, "Jane", job_title="Liability clerk")
    index.row(person, "Liability of the lease: Jane.")
    index.row(restricted, "Liability of the lease.", file=index.file(restricted, collection="hr_documents"))
    index.row(contract, "Liability of the lease: 90,000.", label=FINANCIAL, file=lease, position=1)
    assert seen() == before


# Suggestions


def names(person, text):
    return [s["name"] for s in person.api.get("/api/suggest/", {"q": text}).json()["results"]]


def test_suggests_names_that_begin_so_first(lease, contract, alice, viewer):
    add(alice, Contract, "New quay wall", counterparty="Port")
    add(alice, Contract, "Marquayne", counterparty="Port")
    assert names(viewer, "qu") == ["Quay lease", "New quay wall", "Marquayne"]
    assert names(viewer, "lease") == ["lease.pdf", "Quay lease"]
    assert names(viewer, "  ") == []
    assert names(viewer, "%") == []
    assert names(viewer, "\x00") == []


def test_hidden_names_are_not_suggested(index, lease, restricted, contract, viewer, outsider, alice):
    before = names(viewer, "se")
    add(alice, Employee, "Serena Settle", job_title="x")
    index.row(restricted, "Anything.", file=index.file(restricted, "secret.pdf"))
    index.row(contract, "Anything.", file=index.file(contract, "sealed.pdf", name_label=INTERNAL))
    index.row(contract, "Anything.", file=index.file(contract, "settled.pdf"), label=FINANCIAL)
    assert names(viewer, "se") == before
    assert "Settlement" in names(alice, "settl")
    assert {"sealed.pdf", "secret.pdf"} <= set(names(alice, "se"))
    assert names(outsider, "quay") == []


def test_archived_records_are_not_suggested(contract, alice, viewer):
    with alice.scope.open():
        archive_entity(scope=alice.scope, entity=contract)
    assert names(viewer, "quay") == []


def test_suggestions_for_the_search_field(lease, viewer):
    page = viewer.client.get("/w/acme/search/suggest/?q=quay").content.decode()
    assert 'role="option"' in page
    assert "Quay lease" in page
    assert "<html" not in page


# Related


def test_related_records_are_the_nearest(index, lease, contract, alice, viewer):
    near = add(alice, Contract, "Berth lease", counterparty="Port")
    far = add(alice, Risk, "Printer toner")
    index.row(near, "Berth lease with Port, active.", kind=Kind.METADATA)
    index.row(far, "Printer toner runs out, low severity.", kind=Kind.METADATA)
    found = viewer.api.get(f"/api/entities/{contract.pk}/related/").json()["results"]
    assert found[0]["id"] == str(near.pk)
    assert set(found[0]) == {"id", "type", "name", "score", "nearly_same", "url"}
    assert str(contract.pk) not in [r["id"] for r in found]
    assert "Berth lease" in viewer.client.get(f"/w/acme/entities/{contract.pk}/related/").content.decode()


def test_hidden_records_are_not_related(index, lease, contract, restricted, viewer, outsider, alice):
    near = add(alice, Contract, "Berth lease", counterparty="Port")
    index.row(near, "Berth lease with Port, active.", kind=Kind.METADATA)
    before = viewer.api.get(f"/api/entities/{contract.pk}/related/").content
    index.row(restricted, "Quay lease with Port, active.", kind=Kind.METADATA)
    index.row(near, "Quay lease with Port, draft, worth 90,000.", kind=Kind.METADATA, label=FINANCIAL)
    index.row(contract, "Berth lease with Port, active, worth 90,000.", kind=Kind.METADATA, label=FINANCIAL)
    assert viewer.api.get(f"/api/entities/{contract.pk}/related/").content == before
    absent = viewer.api.get(f"/api/entities/{uuid4()}/related/")
    for answer in (
        viewer.api.get(f"/api/entities/{restricted.pk}/related/"),
        outsider.api.get(f"/api/entities/{contract.pk}/related/"),
    ):
        assert (answer.status_code, answer.content) == (404, absent.content)


def test_records_that_were_entered_twice_are_told_apart_from_what_is_only_near(
    index, contract, restricted, alice, viewer, cfo
):
    """By every description that the reader sees of both, label by label."""
    twin = add(alice, Contract, "Quay lease Ltd", counterparty="Port Ltd")
    near = add(alice, Contract, "Crane maintenance", counterparty="Port")
    text = "Contract: Quay lease with Port of Leith, draft\nCounterparty: Port of Leith"
    index.row(contract, text)
    index.row(twin, text.replace("Leith,", "Leith Ltd,"))
    index.row(near, "Contract: Crane maintenance with Port of Leith, draft\nCounterparty: Port of Leith")
    index.row(restricted, text)

    def same(person):
        found = person.api.get(f"/api/entities/{contract.pk}/related/").json()["results"]
        return {r["id"] for r in found if r["nearly_same"]}, {r["id"] for r in found}

    assert same(viewer) == ({str(twin.pk)}, {str(twin.pk), str(near.pk)})
    assert str(restricted.pk) in same(alice)[0]
    page = viewer.client.get(f"/w/acme/entities/{contract.pk}/related/").content.decode()
    assert page.count("nearly the same") == 1
    # What only the one who is cleared for it sees, tells the two apart for them alone; long texts say nothing here.
    index.row(contract, "Contract\nValue: 90,000 for the whole of the term", label=FINANCIAL)
    index.row(twin, "Contract\nBank guarantee: none, nobody asked for it", label=FINANCIAL)
    index.row(twin, "The sheet piling starts in November.", field="description")
    index.row(contract, "The lamps were changed.", field="description")
    assert same(viewer)[0] == {str(twin.pk)}
    assert same(cfo)[0] == set()


def test_searches_of_a_minute_are_limited_by_person(lease, contract, viewer, cfo, settings):
    settings.SEARCHES_A_MINUTE = 2
    for _ in range(2):
        assert viewer.api.get("/api/search/", {"q": "liability"}).status_code == 200
    refused = viewer.api.get("/api/search/", {"q": "liability"})
    page = viewer.client.get(f"{viewer.base}search/", {"q": "liability"})
    assert (refused.status_code, page.status_code) == (429, 429)
    assert refused["Retry-After"] == page["Retry-After"] == "10"
    assert "within a minute" in refused.json()["error"]["detail"]
    assert cfo.api.get("/api/search/", {"q": "liability"}).status_code == 200
