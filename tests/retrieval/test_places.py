"""A passage of several short sections tells the page and section of what was found in it, and opens there."""

from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

import pytest

from entities.access import Scope
from entities.models.classification import FINANCIAL
from entities.types import Contract
from ingestion.models import ContextRow, File, Kind, Paragraph, RowParagraph
from retrieval.citation_links import build_citation_json, build_citation_links
from retrieval.citations import Owner, register_source
from retrieval.locate import resolve_citation
from retrieval.models import Citation, OwnerKind
from retrieval.owners import CitingText
from retrieval.places import RowText, TextPart, load_layouts
from retrieval.search import search
from tests.conftest import Person
from tests.retrieval.conftest import Index

TEXTS = [  # text, page, is a heading
    ("3 Weather", 2, True),
    ("Climbing stops when gusts pass eleven metres per second.", 2, False),
    ("4 Neighbours", 3, True),
    ("The bakery asked that its entrance be kept clear until ten.", 3, False),
]


@pytest.fixture
def file(index: Index, contract: Contract) -> File:
    return index.file(contract, "review.pdf")


@pytest.fixture
def merged(index: Index, file: File, contract: Contract, service: Scope) -> UUID:
    """One row of two sections, which begins on page 2 and ends on page 3. Returns its id."""
    at: Any = {"workspace_id": service.workspace}
    with service.open():
        paragraphs, headings = [], []
        for position, (text, page, heading) in enumerate(TEXTS):
            headings = [] if heading else headings[-1:]
            made = Paragraph.objects.create(
                **at, file=file, revision_id=file.revision_id, position=position, page=page, text=text,
                kind="heading" if heading else "text", headings=headings, digest=sha256(text.encode()).hexdigest(),
                data_classification=0, start=position * 100, end=position * 100 + len(text),
            )  # fmt: skip
            headings = [made.pk] if heading else headings
            paragraphs.append(made)
        text = "\n\n".join(text for text, _, _ in TEXTS)
        row = ContextRow.objects.create(
            **at, data_classification=0, kind=Kind.FILE_CHUNK, entity_id=contract.pk, file=file, text=text, page=2,
            digest=sha256(text.encode()).hexdigest(),
        )  # fmt: skip
        for made in paragraphs:
            RowParagraph.objects.create(**at, row=row, paragraph=made, data_classification=0)
        index.embed(row, text)
    return row.pk


def test_the_page_and_section_are_those_of_the_match(merged: UUID, file: File, viewer: Person) -> None:
    bakery = viewer.api.get("/api/search/", {"q": "bakery entrance"}).json()["results"][0]
    gusts = viewer.api.get("/api/search/", {"q": "gusts of eleven metres"}).json()["results"][0]
    assert bakery["id"] == gusts["id"] == str(merged)
    assert (bakery["page"], bakery["section"]) == (3, "4 Neighbours")
    assert (gusts["page"], gusts["section"]) == (2, "3 Weather")
    page = viewer.client.get("/w/acme/search/?q=bakery+entrance").content.decode()
    assert "review.pdf, page 3" in page
    assert "<mark>bakery</mark> asked that its <mark>entrance</mark>" in page


def test_the_link_of_a_result_opens_at_the_match(merged: UUID, file: File, viewer: Person, service: Scope) -> None:
    url = viewer.api.get("/api/search/", {"q": "bakery entrance"}).json()["results"][0]["url"]
    with service.open():
        paragraph = Paragraph.objects.get(text=TEXTS[3][0]).pk
    assert url.endswith(f"#p-{paragraph}")
    page = viewer.client.get(url).content.decode()
    assert f"<mark>{TEXTS[3][0]}</mark>" in page
    assert "<mark>Climbing" not in page


def test_what_is_found_by_meaning_alone_is_told_from_its_beginning(merged: UUID, viewer: Person) -> None:
    found = viewer.api.get("/api/search/", {"q": "too windy for people on ropes"}).json()["results"][0]
    assert (found["id"], found["scores"]["lexical"]) == (str(merged), None)
    assert found["page"] == 2


def test_a_citation_means_the_place_that_bears_out_what_was_written(
    merged: UUID, file: File, viewer: Person, service: Scope
) -> None:
    owner = Owner(OwnerKind.CHAT_SESSION, uuid4(), viewer.scope.principal)
    with viewer.scope.open():
        n = register_source(viewer.scope, owner, search(viewer.scope, "gusts")[0])
        citing = CitingText(owner, f"The bakery wants its entrance clear until ten [citation:{n}].")
        answer = build_citation_json(viewer.scope, citing, n)
        link = build_citation_links(viewer.scope, citing, uuid4())[n]
    assert answer is not None
    assert (answer["source"]["page"], answer["source"]["section"]) == (3, "4 Neighbours")
    assert link.where == "p. 3"
    assert link.url == answer["url"]
    assert f"<mark>{TEXTS[3][0]}</mark>" in viewer.client.get(link.url).content.decode()
    with service.open():
        cited = Citation.objects.get()
        assert cited.locator["revision"] == str(file.revision_id)
        assert cited.locator["span"] == [0, 300 + len(TEXTS[3][0])]
        assert cited.locator["digest"] == sha256("\n\n".join(t for t, _, _ in TEXTS).encode()).hexdigest()


def test_it_is_found_by_its_paragraphs_when_the_row_is_another(
    merged: UUID, file: File, viewer: Person, service: Scope
) -> None:
    owner = Owner(OwnerKind.CHAT_SESSION, uuid4(), viewer.scope.principal)
    with viewer.scope.open():
        n = register_source(viewer.scope, owner, search(viewer.scope, "gusts")[0])
    with service.open():
        ContextRow.objects.all()._raw_delete("default")
        Paragraph.objects.filter(text=TEXTS[0][0]).delete()
    citing = CitingText(owner, f"The bakery wants its entrance clear until ten [citation:{n}].")
    with viewer.scope.open():
        answer = build_citation_json(viewer.scope, citing, n)
        found = resolve_citation(viewer.scope, owner, n)
    assert answer is not None
    assert found is not None
    assert (answer["source"]["page"], answer["source"]["section"]) == (3, "4 Neighbours")
    assert found.where == "p. 2"  # of the passage as a whole


def test_a_heading_that_the_label_does_not_cover_is_not_told(
    merged: UUID, file: File, alice: Person, service: Scope
) -> None:
    """In the index it is left out of the path, because whatever is drawn from a passage has the passage's label."""
    with service.open():
        RowParagraph.objects.filter(paragraph__text=TEXTS[2][0]).delete()
        Paragraph.objects.filter(text=TEXTS[2][0]).update(data_classification=FINANCIAL)
    found = alice.api.get("/api/search/", {"q": "bakery entrance"}).json()["results"][0]
    assert (found["page"], found["section"]) == (3, "")


def test_parts_of_cut_paragraphs(file: File, service: Scope) -> None:
    """The first may be the end of a paragraph, the last a beginning; a table may begin with its header repeated."""
    at: Any = {"workspace_id": service.workspace, "file": file, "revision_id": file.revision_id, "digest": "x"}
    whole = ["One. Two. Three.", "Four.", "| a |\n| --- |\n| 1 |\n| 2 |"]
    text = "Three.\n\nFour.\n\n| a |\n| --- |\n| 2 |"
    with service.open():
        row = ContextRow.objects.create(
            workspace_id=service.workspace, data_classification=0, kind=Kind.FILE_CHUNK, entity_id=file.entity_id,
            file=file, text=text, digest="x",
        )  # fmt: skip
        made = [Paragraph.objects.create(**at, position=i, text=t, data_classification=0, page=i + 1)
                for i, t in enumerate(whole)]  # fmt: skip
        for paragraph in made:
            RowParagraph.objects.create(
                workspace_id=service.workspace, row=row, paragraph=paragraph, data_classification=0
            )
        layout = load_layouts({row.pk: RowText(text, 0, 1, "Terms")})[row.pk]
    assert layout.paragraphs == tuple(p.pk for p in made)
    assert [text[part.start : part.end] for part in layout.parts] == ["Three.", "Four.", "| a |\n| --- |\n| 2 |"]
    assert layout.find_part(len(text) - 1) == TextPart(made[2].pk, 15, len(text), 3, "Terms")
