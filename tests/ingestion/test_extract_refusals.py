"""Every file that cannot be read ends with a code and a sentence, and none of them hangs or harms anything."""

import zipfile
from collections.abc import Callable
from pathlib import Path

import docx
import pikepdf
import pytest

from ingestion.documents import Extraction
from ingestion.extract import extract_file, inside
from ingestion.sandbox import Limits, Quarantined
from tests.ingestion.pdfs import LOREM, bomb, draw, prose


def text_page(canvas) -> None:
    prose(canvas, 60, 90, 470, LOREM * 20)


def refused(path: Path, name: str, limits: Limits | None = None) -> Quarantined:
    return _refused(lambda: extract_file(path, name, limits=limits), path)


def refused_here(path: Path, name: str) -> Quarantined:
    """Of a file that does no harm, without a process for it."""
    return _refused(lambda: inside.extract(path, name), path)


def _refused(read: Callable[[], Extraction], path: Path) -> Quarantined:
    with pytest.raises(Quarantined) as caught:
        read()
    assert caught.value.detail[-1] == "."
    assert len(caught.value.detail) > 30
    assert str(path) not in caught.value.detail
    return caught.value


def written(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "upload"
    path.write_bytes(content)
    return path


def zipped(tmp_path: Path, members: dict[str, bytes]) -> Path:
    path = tmp_path / "upload"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize("content", [b"", b"   \n\t \n", b"\xef\xbb\xbf", b"\x00" * 5000])
@pytest.mark.parametrize("name", ["a.txt", "a.pdf", "a.md"])
def test_nothing_in_it(tmp_path: Path, content: bytes, name: str) -> None:
    assert refused_here(written(tmp_path, content), name).code == "empty"


@pytest.mark.parametrize(
    ("content", "name", "code"),
    [
        (b"%PDF-1.7 but nothing else", "a.pdf", "corrupt"),
        (b"\x89PNG\r\n\x1a\n" + b"x" * 100, "a.pdf", "corrupt"),
        (b"\x89PNG\r\n\x1a\n" + b"x" * 100, "a.png", "corrupt"),
        (b"GIF89a" + b"x" * 100, "a.gif", "unsupported"),
        (b"MZ\x90\0" + b"x" * 100, "a.docx", "mislabelled"),
        (b",,\n,,\n", "a.csv", "empty"),
        (b"{\\rtf1 {}}", "a.rtf", "empty"),
        (bytes(range(256)) * 20, "a.pdf", "corrupt"),
        (bytes(range(256)) * 20, "a.bin", "unsupported"),
        (bytes(range(256)) * 20, "a.txt", "corrupt"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600, "a.doc", "corrupt"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "a.docx", "encrypted"),
        (b"PK\x03\x04 and then it breaks off", "a.docx", "corrupt"),
        (b"\x7fELF" + b"\x00" * 100, "a", "unsupported"),
    ],
)
def test_not_what_it_says(tmp_path: Path, content: bytes, name: str, code: str) -> None:
    assert refused_here(written(tmp_path, content), name).code == code


def test_a_zip_renamed_to_pdf(tmp_path: Path) -> None:
    refusal = refused_here(zipped(tmp_path, {"a.txt": b"hello"}), "report.pdf")
    assert refusal.code == "mislabelled"
    assert "ZIP" in refusal.detail


def test_a_pdf_renamed_and_one_without_a_name(tmp_path: Path) -> None:
    path = draw(tmp_path / "upload", text_page)
    for name in ("letter.docx", "letter.xyz", "letter.txt", "letter.png"):
        extraction = inside.extract(path, name)
        (note,) = extraction.notes
        assert (extraction.media_type, note.code) == ("application/pdf", "mislabelled")
        assert name[-4:] in note.detail
        assert "a PDF document" in note.detail
    for name in ("letter", "LETTER.PDF"):
        extraction = inside.extract(path, name)
        assert (extraction.media_type, extraction.notes) == ("application/pdf", ())


@pytest.mark.parametrize("name", ["a.pdf", "a.docx", "a.eml", "a.png", "a.msg", "a.doc", "a.unheard-of"])
def test_plain_text_by_any_name_is_text(tmp_path: Path, name: str) -> None:
    extraction = inside.extract(written(tmp_path, b"Just a letter to somebody."), name)
    assert (extraction.text, extraction.media_type) == ("Just a letter to somebody.", "text/plain")
    assert [note.code for note in extraction.notes] == ["mislabelled"]


@pytest.mark.parametrize("name", ["../../etc/passwd.pdf", "x" * 300 + ".pdf", "a\x00b.pdf", "ä\u202efdp.pdf"])
def test_odd_names_do_not_matter(tmp_path: Path, name: str) -> None:
    assert inside.extract(draw(tmp_path / "upload", text_page), name).pages == 1


def test_a_pdf_with_a_password_and_one_that_only_forbids_printing(tmp_path: Path) -> None:
    path = draw(tmp_path / "plain.pdf", text_page)
    with pikepdf.open(path) as pdf:
        pdf.save(tmp_path / "locked.pdf", encryption=pikepdf.Encryption(user="secret", owner="other"))
        pdf.save(tmp_path / "open.pdf", encryption=pikepdf.Encryption(user="", owner="other"))
    assert refused_here(tmp_path / "locked.pdf", "locked.pdf").code == "encrypted"
    assert LOREM[:40] in inside.extract(tmp_path / "open.pdf", "open.pdf").text


def test_a_pdf_without_pages_and_one_with_blank_ones(tmp_path: Path) -> None:
    pdf = pikepdf.new()
    pdf.save(tmp_path / "none.pdf")
    assert refused_here(tmp_path / "none.pdf", "none.pdf").code == "no_pages"
    pdf.add_blank_page()
    pdf.save(tmp_path / "blank.pdf")
    assert refused_here(tmp_path / "blank.pdf", "blank.pdf").code == "empty"


@pytest.mark.parametrize("shell", [True, False])
def test_a_form_that_has_no_pages_of_its_own_is_refused_and_one_that_has_is_read(tmp_path: Path, shell: bool) -> None:
    with pikepdf.open(draw(tmp_path / "a.pdf", text_page)) as pdf:
        pdf.Root.AcroForm = pikepdf.Dictionary(XFA=pdf.make_stream(b"<xdp/>"), Fields=pikepdf.Array())
        if shell:
            pdf.Root.NeedsRendering = True
        pdf.save(tmp_path / "form.pdf")
    if shell:
        refusal = refused_here(tmp_path / "form.pdf", "form.pdf")
        assert (refusal.code, "print it as a PDF" in refusal.detail) == ("unsupported", True)
    else:
        assert LOREM[:40] in inside.extract(tmp_path / "form.pdf", "form.pdf").text


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_a_pdf_that_breaks_off(tmp_path: Path, share: float) -> None:
    whole = draw(tmp_path / "whole.pdf", text_page, text_page).read_bytes()
    assert refused_here(written(tmp_path, whole[: int(len(whole) * share)]), "a.pdf").code == "corrupt"


def test_too_many_pages_and_too_many_bytes(tmp_path: Path) -> None:
    path = draw(tmp_path / "a.pdf", *[text_page] * 4)
    refusal = refused(path, "a.pdf", Limits(pages=3))
    assert refusal.code == "too_many_pages"
    assert "4 pages" in refusal.detail
    assert refused(path, "a.pdf", Limits(file_bytes=100)).code == "too_large"
    assert refused(written(tmp_path, b"long text " * 1000), "a.txt", Limits(inflated_bytes=5_000)).code == "too_large"


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_a_compression_bomb_in_a_pdf(tmp_path: Path, rounds: int) -> None:
    path = bomb(tmp_path / "bomb.pdf", rounds)
    assert path.stat().st_size < 50_000
    assert refused(path, "bomb.pdf", Limits(inflated_bytes=32 << 20)).code == "bomb"


def test_a_bomb_where_the_structure_itself_is_packed(tmp_path: Path) -> None:
    """An object stream that unpacks to 300 MB is opened by the library itself: the limit on memory holds."""
    import zlib

    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(b" " * (1 << 20)) for _ in range(300)) + packer.flush()
    objects = b"5 0 obj\n<< /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode /Length %d >>\nstream\n" % len(packed)
    head = b"%PDF-1.5\n"
    body = head + objects + packed + b"\nendstream\nendobj\n"
    at = len(body)
    rows = b"".join(
        kind.to_bytes(1, "big") + first.to_bytes(4, "big") + second.to_bytes(2, "big")
        for kind, first, second in [(0, 0, 65535), (2, 5, 0), (2, 5, 0), (2, 5, 0), (1, at, 0), (1, len(head), 0)]
    )
    table = b"4 0 obj\n<< /Type /XRef /Size 6 /W [1 4 2] /Root 1 0 R /Length %d >>\nstream\n" % len(rows)
    end = b"\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n" % at
    limits = Limits(memory_bytes=256 << 20)
    assert refused(written(tmp_path, body + table + rows + end), "a.pdf", limits).code in ("bomb", "memory", "corrupt")


def test_a_compression_bomb_in_a_word_document(tmp_path: Path) -> None:
    members = {"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<a>" + b" " * (17 << 20)}
    assert refused(zipped(tmp_path, members), "a.docx", Limits(inflated_bytes=16 << 20)).code == "bomb"


WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
LAUGHS = '<!ENTITY l0 "lol">' + "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))


@pytest.mark.parametrize(
    "entity", [LAUGHS, '<!ENTITY l9 SYSTEM "file:///etc/passwd">', '<!ENTITY l9 "the salary of Jane">', ""]
)
def test_a_word_document_with_entities_is_refused_whole(tmp_path: Path, entity: str) -> None:
    """They multiply, read other files, or hold text that would go missing."""
    path = tmp_path / "a.docx"
    docx.Document().save(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    evil = (
        f"<!DOCTYPE d [{entity}]><w:document {WORD}><w:body><w:p><w:r><w:t>before &l9; after</w:t></w:r></w:p></w:body>"
        "</w:document>"
    ).encode()
    assert refused(zipped(tmp_path, members | {"word/document.xml": evil}), "a.docx").code == "corrupt"


def test_a_word_document_without_text(tmp_path: Path) -> None:
    docx.Document().save(tmp_path / "a.docx")
    assert refused(tmp_path / "a.docx", "a.docx").code == "empty"


def test_an_unknown_strategy_is_the_callers_mistake(tmp_path: Path) -> None:
    with pytest.raises(ValueError):
        extract_file(written(tmp_path, b"hello"), "a.txt", strategy="guess")
