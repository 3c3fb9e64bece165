"""What is not text in a file has a digest: another where its bytes change, and the same where only the text does."""

import io
from base64 import b64encode
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import pikepdf
import pytest

from ingestion.extract.inside import extract
from tests.ingestion.places.packages import FILES, packed


def document(text: str, unread: bytes) -> bytes:
    parts = {name: part if isinstance(part, bytes) else part.encode() for name, part in FILES["docx"].items()}
    parts["word/document.xml"] = parts["word/document.xml"].replace(b"quay", text.encode())
    return packed({**parts, "word/embeddings/sound.bin": unread})


def page(text: str, unread: bytes) -> bytes:
    return f"<!DOCTYPE html><p>{text}</p><audio src='data:audio/mpeg;base64,{b64encode(unread).decode()}'>".encode()


def message(text: str, unread: bytes) -> bytes:
    made = EmailMessage()
    made["Message-ID"] = "<1@firm.example>"
    made.set_content(text)
    made.add_attachment(unread, maintype="image", subtype="jpeg", disposition="inline", cid="<a>")
    made.set_boundary("part")
    return made.as_bytes()


def pdf(text: str, unread: bytes) -> bytes:
    out = io.BytesIO()
    with pikepdf.new() as made:
        made.add_blank_page()
        font = pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica)
        made.pages[0].Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=font))
        made.pages[0].Contents = made.make_stream(f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET".encode())
        sound = pikepdf.AttachedFileSpec(made, unread, filename="sound.bin")  # type: ignore[call-arg]
        made.attachments["sound.bin"] = sound
        made.save(out)
    return out.getvalue()


def scan(text: str, unread: bytes) -> bytes:
    """Text on the first page, and a picture that nothing reads on the second."""
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf(text, b""))) as made:
        del made.attachments["sound.bin"]
        del made.Root["/Names"]
        picture = made.make_stream(unread.ljust(200 * 200, b"\x55"), Subtype=pikepdf.Name.Image, Width=200, Height=200)
        picture.BitsPerComponent, picture.ColorSpace = 8, pikepdf.Name.DeviceGray
        made.add_blank_page()
        made.pages[1].Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(P=picture))
        made.pages[1].Contents = made.make_stream(b"q 300 0 0 300 72 72 cm /P Do Q")
        made.save(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "make"),
    [("a.docx", document), ("a.html", page), ("a.eml", message), ("a.pdf", pdf), ("scan.pdf", scan)],
)
def test_other_bytes_are_told_from_another_text(tmp_path: Path, name: str, make: Callable[[str, bytes], bytes]) -> None:
    def digest(text: str, unread: bytes) -> str:
        (tmp_path / name).write_bytes(make(text, unread))
        return extract(tmp_path / name, name).unread

    first = digest("The quay is closed.", b"\0\1\2 sound")
    assert first
    # Of a PDF with parts that are not known any byte may be one of theirs.
    assert (digest("It is open again.", b"\0\1\2 sound") == first) is (name != "a.pdf")
    assert digest("The quay is closed.", b"\0\1\3 sound") != first


def test_where_all_is_read_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(b"<!DOCTYPE html><p>The quay is closed.</p>")
    assert extract(tmp_path / "a.html", "a.html").unread == ""
