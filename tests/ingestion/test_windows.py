"""Windows: what the model is asked about at once, what does not come back, what is not asked again."""

from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ingestion.classify import WINDOW, WINDOW_PARAGRAPHS, Classifier, model_votes, windows
from ingestion.documents import ParagraphText
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
    found = windows(paragraphs([length for length, _ in given_], pages))
    covered = [number for window in found for number in window]
    assert set(covered) == set(range(len(given_)))
    assert [window.start for window in found] == sorted({window.start for window in found})
    for window in found:
        assert len(window) <= WINDOW_PARAGRAPHS
        assert sum(given_[n][0] for n in window) <= WINDOW


def test_windows_end_at_pages_and_overlap_by_two() -> None:
    pages = [page for page in range(1, 31) for _ in range(5)]
    found = windows(paragraphs([500] * 150, pages))
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
    results = model_votes(numbered(9), Classifier(1, LEVELS), ask=ask)
    assert [len(texts_) for texts_ in ask.asked] == [9, 2]
    assert {n for result in results for n in result.votes} == set(range(9)) - {4, 7}


def test_finished_windows_are_not_asked_again() -> None:
    ask = answering({2: {5}})
    saved: dict[int, Any] = {}
    first = model_votes(numbered(9), Classifier(1, LEVELS), on_window=saved.__setitem__, ask=ask)
    again = model_votes(numbered(9), Classifier(1, LEVELS), done=saved, ask=ask)
    assert len(ask.asked) == 1
    assert again == first
