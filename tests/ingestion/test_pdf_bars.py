"""Hatched bars of a cut page: which gaps hold hidden text, and nothing else of it."""

from ingestion.boxes import Box
from ingestion.pdf_bars import place_bars


def test_a_bar_tells_of_a_gap_that_it_holds_something_and_nothing_of_what() -> None:
    def word(x: float, y: float, width: float = 28) -> Box:
        return Box(1, x, y, x + width, y + 12, 0, 3)

    page = [word(72, 100), word(72, 300), word(300, 400), word(72, 500)]
    (bar,) = place_bars(page, [[word(90, 200, 6)]])
    assert (bar.x, bar.y, bar.width) == (72, 116, 96)
    longer = [word(350, 140, 190), word(72, 152, 460), word(72, 270, 300)]
    for hidden in ([longer], [longer, [word(72, 240)]], [[one] for one in longer], [[word(500, 113, 1)]]):
        assert place_bars(page, hidden) == (bar,), "neither its length, nor its paragraphs, nor where a line begins"
    below = place_bars(page, [[word(72, 350, 130)], [word(72, 450)]])
    assert place_bars(page, [[word(72, 350, 240), word(72, 370)], [word(72, 430)], [word(72, 450)]]) == below
    assert [bar.y for bar in below] == [316, 416]
    assert place_bars(page, [[word(72, 40)], [word(72, 700)]]) == place_bars(page, [[word(99, 80)], [word(99, 520)]])
    beside = [word(72, 200 + 12 * row) for row in range(9)]
    assert place_bars(beside, [[word(300, 200 + 12 * row) for row in range(9)]]) == (), "beside cleared text"
    narrow = [Box(1, 72, y, 400, y + 8.6, 0, 9) for y in (100, 118, 136)]
    (bar,) = place_bars(narrow, [[Box(1, 200, 109, 220, 117.6, 0, 9)]])
    assert 108.6 <= bar.y <= 110, "it covers no cleared word"
    assert place_bars(narrow, [[Box(1, 350, 109, 360, 117.6, 0, 9)]]) == (bar,)
    assert place_bars([], [[Box(1, 0, 0, 600, 800)]]) == (), "somewhere on the page"
