"""Chunks: one label each, nothing lost, nothing unlabelled in, and the same identity after an edit elsewhere."""

import uuid
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingestion.chunk import Chunk, estimate_tokens, split_into_chunks
from ingestion.segment import Clearances, LabelledParagraph

FILE = uuid.UUID("5f0c2f5e-52f1-4b0e-8a43-0c7b7b2b6a10")
SENTENCE = "Each party keeps confidential what it learns of the other. "


def text(
    id: object, words: str, label: int | None = 0, *path: str, kind: str = "text", page: int | None = 1
) -> LabelledParagraph:
    return LabelledParagraph(id, words, label, kind, page, path)


def table(rows: int, width: int = 1) -> str:
    cell = " ".join(["thirty"] * width)
    return "| Who | Pay |\n| --- | --- |\n" + "\n".join(f"| clerk{n} | {cell} |" for n in range(rows))


def covered(chunks: list[Chunk], paragraphs: list[LabelledParagraph]) -> None:
    """Every letter of every labelled paragraph stands in some chunk, or of a heading in a path. The spans are true."""
    by_id = {paragraph.id: paragraph for paragraph in paragraphs}
    seen: dict[object, set[int]] = {}
    for one in chunks:
        at = 0
        for span in one.spans:
            part = by_id[span.paragraph_id].text[span.start : span.end]
            at = one.text.index(part, at) + len(part)
            seen.setdefault(span.paragraph_id, set()).update(range(span.start, span.end))
    for paragraph in paragraphs:
        letters = {place for place, letter in enumerate(paragraph.text) if not letter.isspace()}
        if paragraph.label is None:
            assert paragraph.id not in seen
        elif paragraph.kind != "heading" or all(paragraph.text not in one.heading_path for one in chunks):
            assert letters <= seen.get(paragraph.id, set())


words = st.lists(st.text(alphabet="abcdeÄ漢0.", min_size=1, max_size=12), min_size=1, max_size=40).map(" ".join)
sentences = st.lists(words, min_size=1, max_size=4).map(lambda parts: ". A".join(parts))


@st.composite
def documents(draw: st.DrawFn) -> list[LabelledParagraph]:
    path: list[str] = []
    found: list[LabelledParagraph] = []
    for place in range(draw(st.integers(0, 14))):
        label = draw(st.sampled_from([None, 0, 0, 1, 5, 1000]))
        kind = draw(st.sampled_from(["text", "text", "text", "list", "heading", "table", "code"]))
        if kind == "heading":
            path = path[: draw(st.integers(0, len(path)))]
            heading = draw(st.sampled_from(["Pay", "Leave", "Jane Doe " * 6]))
            found.append(LabelledParagraph(place, heading, label, "heading", 1, tuple(path)))
            path.append(heading)
            continue
        content = table(draw(st.integers(1, 12)), draw(st.integers(1, 30))) if kind == "table" else draw(sentences)
        found.append(LabelledParagraph(place, content, label, kind, draw(st.integers(1, 3)), tuple(path)))
    return found


def without(document: list[LabelledParagraph], hidden: set[int | None]) -> list[LabelledParagraph]:
    """The document that would have been written if what has these labels had never been."""
    above: list[str] = []
    left = []
    for paragraph in document:
        if paragraph.label in hidden:
            continue
        if paragraph.kind == "heading":
            above = above[: len(paragraph.heading_path)]
        left.append(replace(paragraph, heading_path=tuple(above)))
        if paragraph.kind == "heading":
            above.append(paragraph.text)
    return left


sizes = st.sampled_from([(900, 120, 256), (200, 60, 64), (80, 30, 40)])


@settings(max_examples=150, deadline=None)
@given(documents(), sizes)
def test_invariants(document: list[LabelledParagraph], size: tuple[int, int, int]) -> None:
    target, overlap, max_tokens = size
    chunks = split_into_chunks(FILE, document, target=target, overlap=overlap, max_tokens=max_tokens)
    labels = {paragraph.id: paragraph.label for paragraph in document}
    for place, one in enumerate(chunks):
        assert one.position == place
        assert {labels[id] for id in one.paragraph_ids} == {one.label}
        assert len(one.text) <= target
        assert one.tokens == estimate_tokens(one.embedding_text) <= max_tokens
        ids = sorted(int(str(id)) for id in one.paragraph_ids)
        between = set(range(ids[0], ids[-1] + 1)) - set(ids)
        assert {labels[id] for id in between} <= {None}, "a chunk never reaches over text that its readers know of"
    covered(chunks, document)
    assert len({one.identity for one in chunks}) == len(chunks)
    ends = [max(int(str(id)) for id in one.paragraph_ids) for one in chunks]  # what is borrowed stands before
    assert ends == sorted(ends)


@settings(max_examples=150, deadline=None)
@given(documents(), sizes, st.sets(st.sampled_from([1, 5])))
def test_what_is_hidden_without_trace_leaves_none(
    document: list[LabelledParagraph], size: tuple[int, int, int], concealed: set[int]
) -> None:
    """The passages of a label, ids and all, are those of the document without what not all its readers may know of."""
    target, overlap, max_tokens = size
    clearances = Clearances({1000: frozenset({1, 5})}, frozenset(concealed))

    def shown(paragraphs: list[LabelledParagraph], label: int | None) -> list[Chunk]:
        found = split_into_chunks(
            FILE, paragraphs, clearances=clearances, target=target, overlap=overlap, max_tokens=max_tokens
        )
        return [replace(one, position=0) for one in found if one.label == label]

    labels = {paragraph.label for paragraph in document}
    for label in labels - {None}:
        hidden = {
            one
            for one in labels
            if one is None or (clearances.get_atoms(one) - clearances.get_atoms(label or 0)) & concealed
        }
        assert shown(document, label) == shown(without(document, hidden), label)


@settings(max_examples=60, deadline=None)
@given(documents(), st.integers(0, 14), st.sampled_from([None, 0, 5]))
def test_a_section_put_in_elsewhere_changes_no_other_section(
    document: list[LabelledParagraph], place: int, label: int | None
) -> None:
    """Between two sections: what stands before and after keeps its chunks, but for neighbours that were merged."""
    at = min(place, len(document))
    front, back = document[:at], document[at:]
    wall = [text("wall", SENTENCE * 30, 7)]  # of a label of its own, so nothing merges with it
    before = split_into_chunks(FILE, [*front, *wall, *back])
    added = [text("new", SENTENCE * 3, label), text("wall2", SENTENCE * 30 + "End.", 7)]
    after = split_into_chunks(FILE, [*front, *wall, *added, *back])
    kept = {one.identity: one.text for one in after}
    assert all(kept.get(one.identity) == one.text for one in before)


def test_an_edit_at_the_beginning_keeps_nearly_all_of_a_long_text() -> None:
    document = [text(n, f"Clause {n}. " + SENTENCE * (n % 4 + 1)) for n in range(200)]
    before = {one.identity for one in split_into_chunks(FILE, document)}
    after = {one.identity for one in split_into_chunks(FILE, [text("new", "A new clause. " + SENTENCE * 4), *document])}
    assert len(before & after) > 0.75 * len(before)


def test_identity_is_that_of_file_heading_and_text() -> None:
    document = [text(1, "Pay", 0, kind="heading"), text(2, "Thirty.", 0, "Pay")]
    (one,) = split_into_chunks(FILE, document)
    assert one.identity == split_into_chunks(FILE, document)[0].identity
    assert one.identity != split_into_chunks(uuid.uuid4(), document)[0].identity
    twice = split_into_chunks(FILE, [text(1, SENTENCE * 12), text(2, "Other.", 5), text(3, SENTENCE * 12)])
    assert len({c.digest for c in twice}) == 2
    assert len({c.identity for c in twice}) == 3


def test_a_heading_starts_a_chunk_and_names_it() -> None:
    document = [
        text(1, "Leave", kind="heading"),
        text(2, SENTENCE * 9, 0, "Leave"),
        text(3, "Travel", kind="heading"),
        text(4, SENTENCE * 9, 0, "Travel", page=2),
    ]
    first, second = split_into_chunks(FILE, document)
    assert first.text.startswith("Leave\n\nEach party")
    assert (first.heading_path, first.page) == (("Leave",), 1)
    assert (second.paragraph_ids, second.heading_path) == ((3, 4), ("Travel",))
    assert second.embedding_text == second.text


def test_a_heading_with_another_label_does_not_show_and_is_not_in_the_identity() -> None:
    def document(heading: str, label: int | None) -> list[LabelledParagraph]:
        return [
            text(0, "Handbook", 0, kind="heading"),
            text(1, heading, label, "Handbook", kind="heading"),
            text(2, "Thirty days.", 1, "Handbook", heading),
        ]

    for label in (3, None):
        found = split_into_chunks(FILE, document("Dismissal of Jane", label))
        body = next(one for one in found if one.paragraph_ids == (2,))
        assert body.heading_path == ("Handbook",)
        assert "Jane" not in body.embedding_text
        other = next(
            one for one in split_into_chunks(FILE, document("Something else", label)) if one.paragraph_ids == (2,)
        )
        assert other.identity == body.identity
    shown = split_into_chunks(FILE, document("Leave", 1))
    assert next(one for one in shown if 2 in one.paragraph_ids).heading_path == ("Handbook", "Leave")


def test_the_next_chunk_begins_with_the_last_sentences() -> None:
    body = " ".join(f"Sentence number {n} says something about the contract." for n in range(40))
    first, second, *_ = split_into_chunks(FILE, [text(1, body)])
    shared = first.text[second.spans[0].start :]
    assert second.text.startswith(shared)
    assert shared.startswith("Sentence number")
    assert 50 < len(shared) <= 120


def test_overlap_never_crosses_labels() -> None:
    document = [text(1, SENTENCE * 30, 0), text(2, "Jane earns 98,000. " + SENTENCE * 30, 5), text(3, SENTENCE * 30, 0)]
    for one in split_into_chunks(FILE, document):
        assert len(one.paragraph_ids) == 1
        assert ("98,000" in one.text) <= (one.label == 5)


def test_tables_are_cut_between_rows_with_their_header() -> None:
    whole = table(60, 4)
    chunks = split_into_chunks(FILE, [text(1, "Pay", kind="heading"), text(2, whole, 0, "Pay", kind="table")])
    assert len(chunks) > 2
    rows: list[str] = []
    for one in chunks:
        lines = one.text.removeprefix("Pay\n\n").split("\n")
        assert lines[:2] == whole.split("\n")[:2]
        assert len(lines) > 2
        rows += lines[2:]
    assert rows == whole.split("\n")[2:]


def test_small_neighbours_are_merged_only_within_a_label() -> None:
    def sections(*labels: int) -> list[LabelledParagraph]:
        found: list[LabelledParagraph] = []
        for n, label in enumerate(labels):
            found += [text(f"h{n}", f"Part {n}", label, kind="heading"), text(f"t{n}", SENTENCE, label, f"Part {n}")]
        return found

    assert len(split_into_chunks(FILE, sections(0, 0, 0))) == 1
    assert [one.label for one in split_into_chunks(FILE, sections(0, 5, 0))] == [0, 5, 0]


def test_a_heading_that_the_passage_under_it_shows_has_none_of_its_own() -> None:
    def found(
        heading: int, body: int, concealed: frozenset[int] = frozenset()
    ) -> list[tuple[int, str, tuple[str, ...]]]:
        document = [text(1, "Cap on liability", heading, kind="heading"), text(2, SENTENCE, body, "Cap on liability")]
        return [
            (one.label, one.text, one.heading_path)
            for one in split_into_chunks(FILE, document, clearances=Clearances({}, concealed))
        ]

    body, lone = SENTENCE.strip(), "Cap on liability"
    assert found(0, 5) == [(5, body, (lone,))]
    assert found(5, 0) == [(5, lone, (lone,)), (0, body, ())], "who may not read it must not find by it"
    assert found(0, 5, frozenset({5})) == [(0, lone, (lone,)), (5, body, (lone,))], "its absence would tell of the body"
    long = split_into_chunks(FILE, [text(1, lone, kind="heading"), text(2, "word " * 600, 0, lone)])
    assert all(len(one.text) > 40 for one in long)
    assert long[0].text.startswith(lone)


def test_a_paragraph_that_fits_without_its_heading_stays_with_it() -> None:
    body = "word " * 179
    first, *_ = split_into_chunks(
        FILE, [text(1, "Cap on liability", kind="heading"), text(2, body, 0, "Cap on liability")]
    )
    assert len(body) < 900 < len(body) + len("Cap on liability")
    assert first.text.startswith("Cap on liability\n\nword")


def test_next_to_nothing_joins_a_neighbour_of_its_label_and_no_other() -> None:
    def found(*labels: int) -> list[str]:
        texts = [SENTENCE * 10, "Fax: 4711", SENTENCE * 12]
        document = [text(n, words, labels[n]) for n, words in enumerate(texts)]
        return [one.text for one in split_into_chunks(FILE, document)]

    assert not any(one == "Fax: 4711" for one in found(0, 0, 0))
    assert found(5, 0, 5)[1] == "Fax: 4711"


def test_rows_of_a_table_have_its_header_and_its_caption() -> None:
    document = [text(1, "Pay by clerk in 2026, in euros"), text(2, table(60, 4), 0, kind="table")]
    chunks = split_into_chunks(FILE, document)
    assert len(chunks) > 2
    assert all(one.text.startswith("Pay by clerk in 2026, in euros\n\n| Who | Pay |") for one in chunks)
    apart = split_into_chunks(FILE, [replace(document[0], label=5), document[1]])
    assert all("2026" not in one.embedding_text for one in apart if one.label == 0)


def test_dots_that_lead_the_eye_are_no_part_of_the_vector() -> None:
    (one,) = split_into_chunks(FILE, [text(1, "Revenue . . . . . . . . . . 1,204\nCosts ............ 988")])
    assert one.text.count(".") > 20
    assert one.embedding_text == "Revenue 1,204\nCosts 988"


@pytest.mark.parametrize("word", ["x" * 5000, "漢" * 2000, "1234567890" * 300])
def test_a_word_longer_than_a_chunk_is_cut(word: str) -> None:
    chunks = split_into_chunks(FILE, [text(1, word)])
    assert "".join(one.text for one in chunks) == word


def test_text_that_nobody_labelled_gives_nothing() -> None:
    assert split_into_chunks(FILE, [text(1, SENTENCE, None), text(2, "Pay", None, kind="heading")]) == []
    assert split_into_chunks(FILE, []) == []
