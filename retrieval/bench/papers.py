"""PDFs whose text is known to the letter: prose, two columns, ruled tables, ligatures, rotated pages. No library sets
them: the operators are written here, so what stands on a page is what was asked for.
"""

import io
import random
from dataclasses import dataclass

import pikepdf
from pikepdf import Array, Dictionary, Name

WIDTH, HEIGHT, SIZE, LEADING = 595, 842, 10, 13
WORDS = [
    "supplier", "delivers", "goods", "quay", "storm", "permit", "meeting", "budget", "clause", "notice", "party",
    "agreement", "invoice", "schedule", "risk", "engineer", "harbour", "crane", "delay", "cost", "supervisor", "report",
    "annex", "winter", "contract", "tender", "lease", "review", "audit", "office", "flood", "final", "efficient",
    "traffic",
]  # fmt: skip
LIGATURES = {"fi": "\x01", "fl": "\x02"}


@dataclass(frozen=True)
class Paper:
    """pages: the words of each page, in the order in which they are read."""

    content: bytes
    pages: tuple[tuple[str, ...], ...]


def build_paper(pages: int, seed: int = 1) -> Paper:
    """Pages of five kinds in turn."""
    chance = random.Random(seed)
    document = pikepdf.new()
    font = document.make_indirect(
        Dictionary(
            Type=Name.Font,
            Subtype=Name.Type1,
            BaseFont=Name.Helvetica,
            Encoding=Dictionary(Type=Name.Encoding, Differences=Array([1, Name.fi, Name.fl])),
        )
    )
    known = []
    for number in range(pages):
        words, content = KINDS[number % len(KINDS)](chance)
        page = document.add_blank_page(page_size=(WIDTH, HEIGHT))
        page.Resources = Dictionary(Font=Dictionary(F1=font))
        page.Contents = document.make_stream(content.encode("latin-1"))
        if number % len(KINDS) == KINDS.index(draw_rotated):
            page.Rotate = 90
        known.append(tuple(words))
    out = io.BytesIO()
    document.save(out, deterministic_id=True)
    return Paper(out.getvalue(), tuple(known))


def choose_lines(chance: random.Random, count: int, words: int) -> list[list[str]]:
    return [[chance.choice(WORDS) for _ in range(words)] for _ in range(count)]


def draw_words(words: list[str], x: float, y: float) -> str:
    return f"BT /F1 {SIZE} Tf {x} {y} Td ({' '.join(words)}) Tj ET\n"


def flatten_lines(found: list[list[str]]) -> list[str]:
    return [word for line in found for word in line]


def draw_prose(chance: random.Random) -> tuple[list[str], str]:
    found = choose_lines(chance, 50, 10)
    return flatten_lines(found), "".join(draw_words(line, 60, 780 - LEADING * n) for n, line in enumerate(found))


def draw_columns(chance: random.Random) -> tuple[list[str], str]:
    """Each line of the left column is drawn before the one beside it: the order of drawing is not that of reading."""
    left, right = choose_lines(chance, 50, 4), choose_lines(chance, 50, 4)
    drawn = [
        draw_words(left[n], 50, 780 - LEADING * n) + draw_words(right[n], 320, 780 - LEADING * n)
        for n in range(len(left))
    ]
    return flatten_lines(left) + flatten_lines(right), "".join(drawn)


def draw_table(chance: random.Random) -> tuple[list[str], str]:
    rows, width, height = choose_lines(chance, 20, 4), 115, 20
    top = 740
    ruled = "".join(f"60 {top - height * n} m {60 + 4 * width} {top - height * n} l S\n" for n in range(len(rows) + 1))
    ruled += "".join(f"{60 + width * n} {top} m {60 + width * n} {top - height * len(rows)} l S\n" for n in range(5))
    cells = "".join(
        draw_words([word], 66 + width * column, top - height * row - 14)
        for row, line in enumerate(rows)
        for column, word in enumerate(line)
    )
    return flatten_lines(rows), f"0.5 w\n{ruled}{cells}"


def draw_ligatures(chance: random.Random) -> tuple[list[str], str]:
    """Words with fi and fl are drawn with one glyph for the two letters."""
    found = choose_lines(chance, 50, 10)

    def join_letters(word: str) -> str:
        for letters, glyph in LIGATURES.items():
            word = word.replace(letters, glyph)
        return word

    drawn = [draw_words([join_letters(word) for word in line], 60, 780 - LEADING * n) for n, line in enumerate(found)]
    return flatten_lines(found), "".join(drawn)


def draw_rotated(chance: random.Random) -> tuple[list[str], str]:
    """The page is turned by a quarter, and its text the other way, as a printed sheet is scanned in."""
    found = choose_lines(chance, 40, 12)
    drawn = [
        f"BT /F1 {SIZE} Tf 0 1 -1 0 {60 + LEADING * n} 60 Tm ({' '.join(line)}) Tj ET\n" for n, line in enumerate(found)
    ]
    return flatten_lines(found), "".join(drawn)


KINDS = [draw_prose, draw_columns, draw_table, draw_ligatures, draw_rotated]
