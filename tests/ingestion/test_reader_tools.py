"""Finding one's way in a document: parts of a few pages, outline, a page by number, words in place."""

from uuid import uuid4

import pytest

from entities.access import Scope
from entities.models.classification import FINANCIAL
from entities.types import Contract
from ingestion.pages import MAX_PART_BLOCKS, MAX_PART_CHARACTERS, cut_parts, find_page, find_words, list_headings
from ingestion.reader import Block, Placeholder, TextBlock
from tests.conftest import Person
from tests.ingestion.helpers import label, ready


def text(body: str, page: int | None = None, kind: str = "text", level: int = 1) -> TextBlock:
    return TextBlock(uuid4(), body, kind, page, "", 0, level)


def test_a_part_is_a_few_pages_and_nothing_is_lost_between_parts() -> None:
    for blocks in (
        [text("short") for _ in range(MAX_PART_BLOCKS * 2 + 1)],
        [text("x" * 3_000) for _ in range(20)],
        [text("x" * (MAX_PART_CHARACTERS * 2)), text("y")],
        [Placeholder((5,), None)],
        [],
    ):
        starts = cut_parts(blocks)
        assert starts[0] == 0
        ends = [*starts[1:], len(blocks)]
        for start, end in zip(starts, ends, strict=True):
            part = blocks[start:end]
            assert len(part) <= MAX_PART_BLOCKS
            length = sum(len(block.text) for block in part if isinstance(block, TextBlock))
            assert length <= MAX_PART_CHARACTERS or len(part) == 1
        assert sum(end - start for start, end in zip(starts, ends, strict=True)) == len(blocks)


def test_places_are_found_in_the_part_where_they_stand() -> None:
    blocks: list[Block] = []
    for page in range(1, 9):
        if page == 4:
            continue  # nobody may know of it
        blocks += [text(f"Chapter {page}", page, "heading", page % 3 + 1), text("A long  tale. " * 500, page)]
    starts = cut_parts(blocks)
    assert len(starts) > 2
    for stop in list_headings(blocks):
        place = next(n for n, b in enumerate(blocks) if isinstance(b, TextBlock) and b.passage == stop.passage)
        assert starts[stop.part - 1] <= place < [*starts, len(blocks)][stop.part]
    assert [stop.level for stop in list_headings(blocks)][:3] == [2, 3, 1]
    assert find_page(blocks, 3) == (find_page(blocks, 3) or (0, 0))[:1] + (3,)
    assert (find_page(blocks, 4) or (0, 0))[1] == 5
    assert find_page(blocks, 9) is None
    marked, hits = find_words(blocks, "LONG tale")
    assert len(hits) == 7
    block = marked[1]
    assert isinstance(block, TextBlock)
    assert block.text[slice(*block.marks[0])] == "long  tale"
    assert len(block.marks) == 500
    assert find_words(blocks, "dragon") == (blocks, [])
    assert find_words(blocks, "t.le")[1] == [], "words, and no pattern"


@pytest.mark.django_db(transaction=True)
def test_words_are_found_in_what_the_reader_sees_and_nowhere_else(
    viewer: Person, steward: Person, alice: Person, contract: Contract, service: Scope
) -> None:
    body = "# Fences\n\nThe fence is green.\n\n## Gates\n\nThe gate costs 9,000 pounds.\n\nThe gate is old."
    file = ready(alice, contract, "a.md", body.encode())
    label(service, "The gate costs 9,000 pounds.", FINANCIAL)

    def page(who: Person, query: str = "") -> str:
        return str(who.client.get(f"{who.base}files/{file}/{query}").content.decode())

    assert "The <mark>gate</mark> is old." in page(viewer, "?find=GATE").replace("\n", " ")
    assert "2 paragraphs with" in page(viewer, "?find=gate"), "the heading, and the one that is read"
    assert "3 paragraphs with" in page(steward, "?find=gate")
    assert "&amp;q=gate" in page(viewer, "?find=gate"), "hits lead on to a search by meaning"
    assert "No paragraphs with “9,000” in what you may read here." in page(viewer, "?find=9,000")
    assert "1 paragraph with" in page(steward, "?find=9,000")
    assert 'aria-label="Outline"' in page(viewer)
    assert "Gates" in page(viewer).split('aria-label="Outline"')[1].split("</nav>")[0]
    assert "No paragraphs with" in page(viewer, "?find=%3Cscript%3E")
    assert "<script>alert" not in page(viewer, "?find=%3Cscript%3Ealert")


@pytest.mark.django_db(transaction=True)
def test_a_page_after_the_last_one_is_said_to_be_none(viewer: Person, alice: Person, contract: Contract) -> None:
    file = ready(alice, contract, "a.md", b"# Fences\n\nThe fence is green.")

    def page(query: str) -> str:
        return str(viewer.client.get(f"{viewer.base}files/{file}/{query}").content.decode())

    assert "There is no page 13 that you may read." in page("?page=13")
    for query in ("", "?page=", "?page=x", "?page=1234567"):
        assert "There is no page" not in page(query)
