"""Line drawings for the demo documents, drawn as vectors so that their words stay text."""

from reportlab.graphics.shapes import Drawing, Line, Rect, String
from reportlab.lib.colors import Color, white

from .styles import AMBER, BOLD, GREY, INK, PALE, SANS, WASH, WATER


def _draw_sector_plan(width: float, tint: Color) -> Drawing:
    """The twelve sectors of the warehouse: 1 to 6 along the quay, 7 to 12 along the yard, west to the left."""
    height, left, cell, row = 172.0, 4.0, (width - 8) / 6, 44.0
    plan = Drawing(width, height)
    plan.add(Rect(0, 0, width, 38, fillColor=WATER, strokeColor=None))
    plan.add(String(width / 2, 15, "Harbour basin", fontName=SANS, fontSize=8.5, fillColor=tint, textAnchor="middle"))
    plan.add(Line(0, 38, width, 38, strokeColor=tint, strokeWidth=2.4))
    plan.add(String(left, 44, "Quay wall", fontName=SANS, fontSize=7.5, fillColor=GREY))
    piling = left + 4 * cell
    plan.add(Rect(piling, 34.5, 2 * cell, 7, fillColor=AMBER, strokeColor=None))
    plan.add(String(piling + cell, 44.5, "sheet piling", fontName=SANS, fontSize=7.5, fillColor=INK,
                    textAnchor="middle"))  # fmt: skip
    for number in range(1, 13):
        x = left + ((number - 1) % 6) * cell
        y = 56.0 if number <= 6 else 56.0 + row
        fill = AMBER if number == 7 else (white if number % 2 else WASH)
        plan.add(Rect(x, y, cell, row, fillColor=fill, strokeColor=tint, strokeWidth=0.9))
        plan.add(String(x + cell / 2, y + row / 2 - 5, str(number), fontName=BOLD, fontSize=15,
                        fillColor=white if number == 7 else tint, textAnchor="middle"))  # fmt: skip
    plan.add(String(width / 2, 154, "Yard", fontName=SANS, fontSize=8.5, fillColor=tint, textAnchor="middle"))
    return plan


def _draw_progress_bars(width: float, tint: Color) -> Drawing:
    """Planned against actual progress, per cent, by work package; the figures are those of the table beside it."""
    packages = (("Foundations", 88, 90), ("Steel frame", 64, 61), ("Roof trusses", 43, 36), ("Quay wall", 22, 8),
                ("Façade", 35, 37), ("Services", 12, 12))  # fmt: skip
    bar, gap, label = 7.0, 8.0, 78.0
    scale = (width - label - 75) / 100
    chart = Drawing(width, len(packages) * (2 * bar + gap) + 20)
    for index, (name, planned, actual) in enumerate(reversed(packages)):
        y = 18 + index * (2 * bar + gap)
        for offset, value, fill in ((bar, planned, PALE), (0, actual, tint)):
            chart.add(Rect(label, y + offset, value * scale, bar - 0.8, fillColor=fill, strokeColor=None))
        words = f"{actual}%, planned {planned}%"
        chart.add(String(0, y + bar - 3, name, fontName=SANS, fontSize=8, fillColor=INK))
        chart.add(String(label + max(planned, actual) * scale + 5, y + bar - 3, words, fontName=SANS, fontSize=8,
                         fillColor=GREY))  # fmt: skip
    for x, fill, word in ((label, PALE, "planned"), (label + 70, tint, "actual")):
        chart.add(Rect(x, 2, 7, 7, fillColor=fill, strokeColor=None))
        chart.add(String(x + 11, 2.6, word, fontName=SANS, fontSize=7.5, fillColor=GREY))
    return chart


FIGURES = {"sector-plan": _draw_sector_plan, "progress-bars": _draw_progress_bars}


def draw_figure(name: str, width: float, tint: Color) -> Drawing:
    """The named drawing, `width` points wide, in the document's colour. Raises KeyError for an unknown name."""
    return FIGURES[name](width, tint)
