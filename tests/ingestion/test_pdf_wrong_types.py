"""Whatever lies beside the text of a PDF may be missing, of the wrong type or an object of its own."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from reportlab.pdfgen.canvas import Canvas

from ingestion.sandbox import Quarantined
from tests.ingestion.extracted import read
from tests.ingestion.pdfs import added, draw, line, picture

SENTENCE = "The quay is closed for two days because of the storm."
NEEDED = frozenset({
    "/Root", "/Pages", "/Kids", "/Count", "/Contents", "/MediaBox", "/Resources", "/Font", "/F1", "/F2", "/Type",
    "/BaseFont", "/Subtype", "/Encoding", "/Parent", "/XObject", "/Filter", "/Length", "/Size", "/ID",
})  # fmt: skip
"""Without these no viewer shows the sentence, or shows another one."""
WRONG = {
    "number": b"7", "truth": b"true", "real": b"1.5", "name": b"/Wrong", "string": b"(wrong)", "empty": b"[]",
    "mixed": b"[7 /A << >> (x)]", "dictionary": b"<< /A 1 /S /URI /First 7 /Names 7 /Kids 7 >>",
}  # fmt: skip


def everything(canvas: Canvas) -> None:
    line(canvas, 60, 100, SENTENCE)
    picture(canvas, 60, 300, 100, 80)
    canvas.bookmarkPage("here")
    canvas.addOutlineEntry("Closing", "here")
    canvas.linkURL("https://example.org", (60, 700, 200, 720))
    canvas.textAnnotation("Jane earns 98,000", Rect=[100, 100, 200, 200])
    canvas.acroForm.textfield(name="pay", value="98,000", x=60, y=300)
    canvas.acroForm.checkbox(name="night", checked=True, x=60, y=350)
    canvas.acroForm.choice(name="port", value="Cork", options=["Cork", "Bergen"], x=60, y=380)


def rich(path: Path) -> Path:
    draw(path, everything)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        root: Any = pdf.Root
        pdf.attachments["a.txt"] = b"attached"
        with pdf.open_metadata() as metadata:
            metadata["dc:title"] = "Closing"
        layer = pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.OCG, Name="Notes of Jane"))
        root.OCProperties = pikepdf.Dictionary(OCGs=[layer], D=pikepdf.Dictionary(OFF=[layer]))
        root.PageLabels = pikepdf.Dictionary(Nums=[0, pikepdf.Dictionary(P="Sheet ")])
        part = pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.StructElem, Alt="A quay", ActualText="Quay"))
        root.StructTreeRoot = pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.StructTreeRoot, K=part))
        private = pikepdf.Dictionary(LastModified="D:2026", Private=pikepdf.Dictionary(A="of a program"))
        root.PieceInfo = pdf.pages[0].PieceInfo = pikepdf.Dictionary(Tool=private)
        root.OpenAction = pikepdf.Dictionary(S=pikepdf.Name.JavaScript, JS="app.alert(1)")
        root.AA = pdf.pages[0].AA = pikepdf.Dictionary(WC=root.OpenAction)
        pdf.pages[0].Resources["/Properties"] = pikepdf.Dictionary(P1=pikepdf.Dictionary(ActualText="Quay"))
        pdf.save(path)
    return path


def places(pdf: pikepdf.Pdf) -> Iterator[tuple[Any, str]]:
    """Every optional entry of every dictionary, also of those that lie in others."""
    left: list[Any] = [*(item for item in pdf.objects if isinstance(item, pikepdf.Object))]
    while left:
        item = left.pop(0)
        if isinstance(item, pikepdf.Array):
            left += [inner for inner in item if isinstance(inner, pikepdf.Object) and not inner.is_indirect]
        elif isinstance(item, (pikepdf.Dictionary, pikepdf.Stream)):
            for key in sorted(item.keys()):
                if key not in NEEDED:
                    yield item, key
                inner = item[key]
                if isinstance(inner, pikepdf.Object) and not inner.is_indirect:
                    left.append(inner)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return rich(tmp_path_factory.mktemp("wrong") / "rich.pdf")


@pytest.mark.filterwarnings("ignore:This document has")
@pytest.mark.parametrize("indirect", [False, True], ids=["direct", "indirect"])
@pytest.mark.parametrize("kind", ["missing", *WRONG])
def test_the_text_is_read_whatever_stands_beside_it(tmp_path: Path, source: Path, kind: str, indirect: bool) -> None:
    """Every fourth entry is changed at once, from each of the first four on, and every entry by itself is missing."""
    changed = tmp_path / "a.pdf"
    with pikepdf.open(source) as pdf:
        count = sum(1 for _ in places(pdf))
    assert count > 120
    step = count if kind == "missing" and indirect else 4
    for start in range(step):
        with pikepdf.open(source) as pdf:
            for item, key in list(places(pdf))[start::step]:
                if kind == "missing":
                    del item[key]
                elif indirect:
                    item[key] = pdf.make_indirect(pikepdf.Object.parse(WRONG[kind]))
                else:
                    item[key] = pikepdf.Object.parse(WRONG[kind])
            pdf.save(changed, fix_metadata_version=False)
        assert SENTENCE in read(changed).text, f"every {step}th entry from {start} on"


def test_an_error_in_a_check_is_recorded_and_costs_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_arguments: object) -> None:
        raise ZeroDivisionError

    path = draw(tmp_path / "a.pdf", everything)
    for place in ("pdf_checks.check", "read_form", "pdf_links.tell", "Pictures.take", "Pictures.take_hidden"):
        with monkeypatch.context() as patch:
            patch.setattr(f"ingestion.extract.pdf.{place}", breaks)
            extraction = read(path)
        assert SENTENCE in extraction.text
        assert "unchecked" in {missing.code for missing in extraction.unaccounted}


def test_a_refusal_in_a_check_still_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_arguments: object) -> None:
        raise Quarantined("bomb", "Too much.")

    monkeypatch.setattr("ingestion.extract.pdf_checks.check", refuses)
    with pytest.raises(Quarantined, match="Too much"):
        read(draw(tmp_path / "a.pdf", everything))


def test_a_version_that_was_added_may_be_wrong_as_well(tmp_path: Path) -> None:
    for value in (b"null", b"7", b"/A", b"[1 2]", b"<< /Type /Annot >>"):
        path = added(draw(tmp_path / "a.pdf", everything), {40: value})
        assert SENTENCE in read(path).text
