"""Fonts of PDFs that are written here: one without glyphs for text that is there to be found and copied, and a common
one, which every viewer has, for text that is set.
"""

from collections.abc import Iterator
from functools import cache

import pikepdf
from pikepdf import Array, Dictionary, Name

A_FONT = 200  # letters of one font beyond the first
USUAL = 600  # thousandths of the size: width of a letter that no table has
UNSEEN = 500
CMAP = """/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def /CMapType 2 def
1 begincodespacerange <{low}> <{high}> endcodespacerange
{ranges}
endcmap CMapName currentdict /CMap defineresource pop end end"""


@cache
def _load_widths(bold: bool) -> dict[str, float]:
    from pdfminer.fontmetrics import FONT_METRICS

    return dict(FONT_METRICS["Helvetica-Bold" if bold else "Helvetica"][1])


def measure_width(text: str, size: float, *, bold: bool = False) -> float:
    """Points."""
    widths = _load_widths(bold)
    return sum(widths.get(letter, USUAL) for letter in text) * size / 1000


def clean_text(text: str) -> str:
    """The text in one line, without what no font draws."""
    return "".join(letter if letter.isprintable() else " " for letter in text if not 0xD800 <= ord(letter) < 0xE000)


class GlyphlessFont:
    """A font without glyphs: each letter is a number, which says what letter it is."""

    name = "U"

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def code(self, text: str) -> str:
        for letter in text:
            if letter not in self.numbers and len(self.numbers) < 0xFFFE:
                self.numbers[letter] = len(self.numbers) + 1
        return "<" + "".join(f"{self.numbers.get(letter, 0):04X}" for letter in text) + ">"

    def object(self, pdf: pikepdf.Pdf) -> pikepdf.Object:
        descriptor = Dictionary(
            Type=Name.FontDescriptor, FontName=Name.Unseen, Flags=4, FontBBox=Array([0, -200, UNSEEN, 800]),
            ItalicAngle=0, Ascent=800, Descent=-200, CapHeight=700, StemV=80,
        )  # fmt: skip
        system = Dictionary(Registry=pikepdf.String("Adobe"), Ordering=pikepdf.String("Identity"), Supplement=0)
        inner = Dictionary(
            Type=Name.Font, Subtype=Name.CIDFontType2, BaseFont=Name.Unseen, DW=UNSEEN, CIDToGIDMap=Name.Identity,
            CIDSystemInfo=system,
            FontDescriptor=pdf.make_indirect(descriptor),
        )  # fmt: skip
        named = {number: letter for letter, number in self.numbers.items()}
        font = Dictionary(
            Type=Name.Font, Subtype=Name.Type0, BaseFont=Name.Unseen, Encoding=Name("/Identity-H"),
            DescendantFonts=Array([pdf.make_indirect(inner)]), ToUnicode=pdf.make_stream(build_cmap(named, 4)),
        )  # fmt: skip
        return pdf.make_indirect(font)


class VisibleFont:
    """Helvetica, and as many more of it as there are letters that its own table does not have: those a viewer shows in
    whatever font it finds them in.
    """

    def __init__(self, *, bold: bool = False) -> None:
        self.bold = bold
        self.others: dict[str, int] = {}

    def runs(self, text: str) -> Iterator[tuple[str, str]]:
        """(name of the font, string for it), in the order of the text."""
        run, font = "", ""
        for letter in text:
            name, code = self._find_place(letter)
            if name != font and run:
                yield font, f"<{run}>"
                run = ""
            font, run = name, run + code
        if run:
            yield font, f"<{run}>"

    def _find_place(self, letter: str) -> tuple[str, str]:
        kind = "B" if self.bold else "H"
        try:
            return f"{kind}0", letter.encode("cp1252").hex().upper()
        except UnicodeEncodeError:
            number = self.others.setdefault(letter, len(self.others))
            return f"{kind}{number // A_FONT + 1}", f"{number % A_FONT + 32:02X}"

    def objects(self, pdf: pikepdf.Pdf) -> Iterator[tuple[str, pikepdf.Object]]:
        kind = "B" if self.bold else "H"
        widths = _load_widths(self.bold)
        plain = {code: bytes([code]).decode("cp1252", "replace") for code in range(32, 256)}
        yield f"{kind}0", self._build_font(pdf, plain, widths, Name.WinAnsiEncoding)
        letters = list(self.others)
        for place in range(0, len(letters), A_FONT):
            some = dict(enumerate(letters[place : place + A_FONT], start=32))
            names = [Name(f"/uni{ord(c):04X}" if ord(c) < 0x10000 else f"/u{ord(c):X}") for c in some.values()]
            encoding = Dictionary(Type=Name.Encoding, Differences=Array([32, *names]))
            yield f"{kind}{place // A_FONT + 1}", self._build_font(pdf, some, widths, encoding)

    def _build_font(
        self, pdf: pikepdf.Pdf, letters: dict[int, str], widths: dict[str, float], encoding: pikepdf.Object
    ) -> pikepdf.Object:
        given = Array([widths.get(letters[code], USUAL) for code in sorted(letters)])
        font = Dictionary(
            Type=Name.Font, Subtype=Name.Type1, BaseFont=Name("/Helvetica-Bold" if self.bold else "/Helvetica"),
            FirstChar=min(letters), LastChar=max(letters), Widths=given, Encoding=encoding,
            ToUnicode=pdf.make_stream(build_cmap(letters, 2)),
        )  # fmt: skip
        return pdf.make_indirect(font)


def build_cmap(letters: dict[int, str], digits: int) -> bytes:
    """What letter each number is. digits: of a number, in hexadecimal."""
    lines = [f"<{n:0{digits}X}> <{c.encode('utf-16-be').hex().upper()}>" for n, c in sorted(letters.items())]
    some = [lines[place : place + 100] for place in range(0, len(lines), 100)]
    ranges = "\n".join(f"{len(part)} beginbfchar\n" + "\n".join(part) + "\nendbfchar" for part in some)
    return CMAP.format(low="0" * digits, high="F" * digits, ranges=ranges).encode()
