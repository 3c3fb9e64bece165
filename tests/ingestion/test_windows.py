"""Windows: what the model is asked about at once, what does not come back, what is not asked again."""

from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ingestion.classify import WINDOW, WINDOW_PARAGRAPHS, Classifier, split_windows, vote_by_model
from ingestion.documents import ParagraphText
from ingestion.votes import decide_atoms
from llm.labels import ParagraphLabels, WindowLabels
from llm.prompts import Level

LEVELS = tuple(
    Level(n, name)
    for n, name in enumerate(["Public", "Internal", "Confidential", "PII", "PII-S", "Financial", "Secret"])
)


def paragraphs(lengths: Sequence[int], pages: Sequence[int | None]) -> list[ParagraphText]:
    return [
        ParagraphText("x" * length, "text", page, (), (), "en", 0, length)
        for length, page in zip(lengths, pages, strict=True)
    ]


# Windows


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 4000), st.integers(0, 1)), min_size=1, max_size=400), st.booleans())
def test_windows_cover_every_paragraph_and_stay_within_bounds(given_: list[tuple[int, int]], paged: bool) -> None:
    page, pages = 1, []
    for _, turn in given_:
        page += turn
        pages.append(page if paged else None)
    found = split_windows(paragraphs([length for length, _ in given_], pages))
    covered = [number for window in found for number in window]
    assert set(covered) == set(range(len(given_)))
    assert [window.start for window in found] == sorted({window.start for window in found})
    for window in found:
        assert len(window) <= WINDOW_PARAGRAPHS
        assert sum(given_[n][0] for n in window) <= WINDOW


def test_windows_end_at_pages_and_overlap_by_two() -> None:
    pages = [page for page in range(1, 31) for _ in range(5)]
    found = split_windows(paragraphs([500] * 150, pages))
    assert len(found) == 2
    assert all(window.start % 5 == 0 and window.stop % 5 == 0 for window in found)
    assert pages[found[1].start] == pages[found[0].stop - 1] - 1


def answering(labels: dict[int, set[int]], leaves_out: set[int] = frozenset()) -> Any:  # type: ignore[assignment]
    """A model that labels paragraphs by their number in the text, and leaves some out each time."""
    asked: list[list[str]] = []

    def ask(classifier: Classifier, given_: Sequence[str]) -> tuple[WindowLabels, tuple[str, ...]]:
        asked.append(list(given_))
        said = {
            n: ParagraphLabels(frozenset(labels.get(int(text.split()[0]), set())), 0.9, "")
            for n, text in enumerate(given_)
            if int(text.split()[0]) not in leaves_out
        }
        return WindowLabels(said, frozenset(range(len(given_))) - set(said), {}), ()

    ask.asked = asked  # type: ignore[attr-defined]
    return ask


def numbered(count: int) -> list[ParagraphText]:
    return [ParagraphText(f"{n} text", "text", 1 + n // 3, (), (), "en", 0, 9) for n in range(count)]


def test_what_does_not_come_back_is_asked_once_more_and_then_left() -> None:
    ask = answering({}, leaves_out={4, 7})
    results = vote_by_model(numbered(9), Classifier(1, LEVELS), ask=ask)
    assert [len(texts_) for texts_ in ask.asked] == [9, 2]
    assert {n for result in results for n in result.votes} == set(range(9)) - {4, 7}


def test_finished_windows_are_not_asked_again() -> None:
    ask = answering({2: {5}})
    saved: dict[int, Any] = {}

    def save(part: int, window: Any, percent: int) -> None:
        saved[part] = window

    first = vote_by_model(numbered(9), Classifier(1, LEVELS), on_window=save, ask=ask)
    again = vote_by_model(numbered(9), Classifier(1, LEVELS), done=saved, ask=ask)
    assert len(ask.asked) == 1
    assert again == first


# How many calls a document takes


def pages_of(count: int, length: int) -> list[ParagraphText]:
    """Pages with one paragraph of `length` characters each, numbered in their text."""
    return [ParagraphText(f"{n} ".ljust(length, "x"), "text", n + 1, (), (), "en", 0, length) for n in range(count)]


def calls_for(given_: list[ParagraphText]) -> int:
    ask = answering({})
    results = vote_by_model(given_, Classifier(1, LEVELS), ask=ask)
    assert {n for result in results for n in result.votes} == set(range(len(given_)))
    return len(ask.asked)


def test_calls_by_size() -> None:
    assert calls_for(pages_of(10, WINDOW // 10)) == 1  # to the last character
    assert calls_for([*pages_of(10, WINDOW // 10), *numbered(31)[30:]]) == 2  # and a few words more
    assert calls_for(pages_of(26, WINDOW // 10)) == 3  # 10 pages, then twice 8 more with two again
    assert calls_for(pages_of(27, WINDOW // 10)) == 4
    without = [ParagraphText(f"{n} ".ljust(1_000, "x"), "text", None, (), (), "en", 0, 1_000) for n in range(41)]
    assert calls_for(without[:39]) == 1  # no pages: stretches of 3,000 characters count as such
    assert calls_for(without[:40]) == 1
    assert calls_for(without) == 2
    long = [ParagraphText(f"{n} ".ljust(2_000, "x"), "text", 1, (), (), "en", 0, 2_000) for n in range(30)]
    assert calls_for(long) == 2  # one page of 60,000 characters, in stretches of a quarter of a window


def test_labels_of_two_windows_that_disagree_are_joined() -> None:
    asked: list[int] = []

    def ask(classifier: Classifier, given_: Sequence[str]) -> tuple[WindowLabels, tuple[str, ...]]:
        asked.append(len(given_))
        atoms = frozenset({2} if len(asked) == 1 else {5})
        said = {n: ParagraphLabels(atoms, 0.9, "") for n in range(len(given_))}
        return WindowLabels(said, frozenset(), {}), ()

    results = vote_by_model(pages_of(18, WINDOW // 10), Classifier(1, LEVELS), ask=ask)
    votes = [[vote for result in results for m, vote in result.votes.items() if m == n] for n in range(18)]
    assert asked == [10, 10]
    assert [decide_atoms(given_, model_needed=True) for given_ in votes] == [{2}] * 8 + [{2, 5}] * 2 + [{5}] * 8
