"""Documents made for the browser tests: a report of three pages with pay in one paragraph in the middle, and others."""

from collections.abc import Sequence
from io import BytesIO

from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Flowable, PageBreak, Paragraph, SimpleDocTemplate, Spacer

NAME = "rope-access-review.pdf"
EXACT = "stainless ferrules"
MEANING = "what happens when it is too windy to climb"
WIND = "Climbing stops when gusts pass eleven metres per second, and the ropes are brought in before dusk."
PAY = "The average salary of the rope crew is £51,300 a year, and total payroll for the season came to £1,436,400."
FIGURE = "51,300"
TOTAL = "1,436,400"
HOIST = "hoist-report.pdf"
PAID = "The hire of the hoist came to £48,200 for the season, and all that was paid for it came to £61,900 in the end."
AGREED = "The hire of the hoist came to the plan for the season, and all that was paid for it came to it in the end."
FEE = "The deposit for the ladders of the second crew is 4,500 pounds until the end of the season."
DEPOSIT = "The deposit for the ropes of the second crew is 900 pounds until the end of the season."
FEES = f"The hoist stands on the yard side.\n\n{FEE}\n\n{DEPOSIT}\n".encode()
FEES_AGREED = FEES.replace(b"4,500 pounds", b"as agreed").replace(b"900 pounds", b"as agreed")
FARE = (
    b"The stair on the north side is closed.\n\n"
    b"The fare of the boat to the yard on the other side is 12 pounds for each of the climbers of the crew.\n"
)
FARE_AGREED = FARE.replace(b"12 pounds", b"as agreed")
TIDE = b"High water is at six.\n\nThe keeper of the lock is paid a salary of 31,500 pounds a year.\n"
TIDE_LATER = TIDE.replace(b"six", b"seven")
BESIDE_PAY = "The crew works in pairs, and each pair keeps the same anchors for a whole elevation."

PAGES = (
    (
        ("h1", "Rope access review"),
        ("p", "This review describes how the north elevation was reached in the past season and what should change. It "
              "was written for the people who plan the next one, and for those who look after the building."),
        ("h2", "1 Method"),
        ("p", "Two independent lines are used for every climber. The lines hang from the parapet rail, which was load "
              "tested in spring and carries a plate that says so. A third line stays rigged for rescue on every "
              "working day, and the watch on the roof can reach it within a minute."),
        ("p", "All terminations were changed to stainless ferrules after the inspection of the older fittings. The old "
              "ones had begun to pit where water stands, and three of them could be turned by hand."),
    ),
    (
        ("h2", "2 Crew"),
        ("p", f"{BESIDE_PAY} Pairs are put together by language first and by experience second, because most mistakes "
              "on the wall began as a sentence that was not understood."),
        ("p", PAY),
        ("p", "New climbers are accompanied for their first forty descents and are assessed on the wall. The assessor "
              "comes from another crew, watches for a whole day, and writes down what went well before what did not."),
    ),
    (
        ("h2", "3 Weather"),
        ("p", f"{WIND} The reading is taken at the parapet and not in the yard, where the neighbouring roof shelters "
              "the gauge and makes a rough day look like a calm one. On the "
              "quiet side the work may go on for half an hour longer, if the watch on the roof agrees and both anchors "
              "of a pair are on that side."),
        ("p", "In frost the first descent starts two hours after sunrise, once the rail is dry. On days of "
              "thick fog the watch on the roof cannot see the foot of the ropes, and the crew works indoors."),
        ("h2", "4 Neighbours"),
        ("p", "The bakery on the ground floor asked that its entrance be kept clear until ten in the morning. "
              "Its first customers come before six, and the fence had sent them across the road."),
        ("p", "The school across the yard would like to bring a class to see the work. It was agreed that they stand "
              "behind the second fence, and that the crew explains its knots on the ground before it climbs. The visit "
              "waits for a dry week in spring, when the rail can be shown as well."),
    ),
)  # fmt: skip


HOIST_PAGES = (
    (
        ("h1", "Hoist report"),
        ("p", "The hoist on the yard side was taken down first and stored under a roof."),
    ),
    (
        ("h2", "Costs"),
        ("p", "Its owner sent two fitters, who came by boat and left on the same evening."),
        ("p", PAID),
        ("p", "The rail on which it ran stays in the wall and is covered against the rain."),
    ),
)


def hoist_report(paid: str = PAID) -> bytes:
    """A PDF of two pages, with `paid` in the place of what was paid."""
    pages = [[(look, paid if text == PAID else text) for look, text in page] for page in HOIST_PAGES]
    return typeset("Hoist report", pages)


def rope_access_review() -> bytes:
    """The PDF. The season of its numbers is invented."""
    return typeset("Rope access review", PAGES)


def typeset(title: str, pages: Sequence[Sequence[tuple[str, str]]]) -> bytes:
    styles = getSampleStyleSheet()
    looks = {"h1": styles["Heading1"], "h2": styles["Heading2"], "p": styles["BodyText"]}
    story: list[Flowable] = []
    for number, page in enumerate(pages):
        if number:
            story.append(PageBreak())
        for look, text in page:
            story += [Paragraph(text, looks[look]), Spacer(1, 8)]
    output = BytesIO()
    SimpleDocTemplate(output, pagesize=A4, title=title).build(story)
    return output.getvalue()
