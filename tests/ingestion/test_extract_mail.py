"""A message gives its headers as people read them, its text once, and a list of what is attached."""

from base64 import b64encode
from email.message import EmailMessage
from pathlib import Path

import pytest

from ingestion.documents import Extraction
from ingestion.extract import inside, take_attachment
from ingestion.extract.mail_shape import split_header
from ingestion.sandbox import Quarantined
from tests.ingestion.packages import codes, remains, shape


def read(tmp_path: Path, content: bytes | EmailMessage, name: str = "a.eml") -> Extraction:
    (tmp_path / "upload").write_bytes(content if isinstance(content, bytes) else content.as_bytes())
    return inside.extract(tmp_path / "upload", name)


def letter() -> EmailMessage:
    message = EmailMessage()
    message["Subject"], message["From"] = "Größe of the quay", "Jürgen <j@example.org>"
    message["To"], message["Message-ID"], message["X-Spam-Score"] = "bo@example.org", "<1@x>", "0"
    message.set_content("Hello Bo,\n\nthe quay is closed.\n\nhttps://example.org/track/me")
    return message


def test_headers_text_versions_and_attachments(tmp_path: Path) -> None:
    message = letter()
    message["X-Remark"] = "for the board"
    message.add_alternative(
        "<p>Hello Bo,</p><p>the quay is <a href='https://example.org/track/me'>closed</a>.</p>", "html"
    )
    message.add_attachment(b"a,b\n1,2\n", maintype="text", subtype="csv", filename="Maße.csv")
    inner = EmailMessage()
    inner["Subject"] = "Inner"
    inner.set_content("inner words")
    message.add_attachment(inner)
    message.add_attachment(b"   ", maintype="text", subtype="plain", filename="blank.txt")
    extraction = read(tmp_path, message)
    subject = ("Größe of the quay",)
    assert shape(extraction) == [
        ("heading", (), "Größe of the quay"),
        ("text", subject, "From: Jürgen"),
        ("text", subject, "From: Jürgen <j@example.org>\nTo: bo@example.org"),
        ("text", subject, "Hello Bo,"),
        ("text", subject, "the quay is closed (https://example.org/track/me)."),
        ("list", subject, "Attachment: Maße.csv"),
        ("list", subject, "Attachment: Inner.eml"),
        ("list", subject, "Attachment: blank.txt"),
        ("text", ("Message headers",), "X-Remark: for the board"),
    ]
    assert [(a.name, extraction.paragraphs[a.paragraph].text) for a in extraction.attachments] == [
        ("Maße.csv", "Attachment: Maße.csv"),
        ("Inner.eml", "Attachment: Inner.eml"),
    ]
    path = tmp_path / "upload"
    assert take_attachment(path, extraction.attachments[0].part) == b"a,b\n1,2\n"
    assert b"inner words" in take_attachment(path, extraction.attachments[1].part)
    with pytest.raises(Quarantined):
        take_attachment(path, 99)
    assert codes(extraction) == set()


@pytest.mark.parametrize(
    ("value", "without", "addressed"),
    [
        ("Jürgen <j@firm.example>", "To: Jürgen", True),
        ("Mary Smith <m@x.test>, jo@firm.example, Ann <a@y.test>", "To: Mary Smith, Ann", True),
        ('"j@firm.example" <j@firm.example>, k@firm.example', "", True),
        ("undisclosed recipients", "To: undisclosed recipients", False),
        ("Jo Marsh/NY/Firm@Firm", "To: Jo Marsh/NY/Firm@Firm", False),
    ],
)
def test_names_stand_apart_from_addresses(value: str, without: str, addressed: bool) -> None:
    assert split_header("To", value) == (without, f"To: {value}" if addressed else "")


@pytest.mark.timeout(10)
@pytest.mark.parametrize("value", ["a" * 1_000_000, "a@" * 500_000, "<a" * 500_000, "a@b.c," * 160_000])
def test_a_header_of_a_hostile_length_takes_no_long_time(value: str) -> None:
    split_header("From", value)


def test_signatures_and_quoted_headers_are_paragraphs_of_their_own(tmp_path: Path) -> None:
    message = EmailMessage()
    message.set_content(
        "The quay is closed.\n-- \nJo Marsh\nTel. 555 0101\n\n-----Original Message-----\n"
        "From: Bo [mailto:bo@firm.example]\nSent: Monday\nIs it open?\n"
        "On Monday, Ann <ann@firm.example>\nwrote:\n> Please ask."
    )
    assert [one.text for one in read(tmp_path, message).paragraphs] == [
        "The quay is closed.",
        "--\nJo Marsh\nTel. 555 0101",
        "-----Original Message-----\nFrom: Bo [mailto:bo@firm.example]\nSent: Monday",
        "Is it open?",
        "On Monday, Ann <ann@firm.example>\nwrote:",
        "> Please ask.",
    ]


def test_what_only_one_version_says_is_told(tmp_path: Path) -> None:
    message = letter()
    message.add_alternative("<p>Hello Bo,</p><p style='display:none'>98,000</p>", subtype="html")
    extraction = read(tmp_path, message)
    plain = ("Größe of the quay", "Plain text version")
    assert shape(extraction)[-2:] == [
        ("text", plain, "the quay is closed."),
        ("text", plain, "https://example.org/track/me"),
    ]
    assert remains(extraction, "98,000")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"Subject: =?iso-8859-2?Q?=BCr=F3d=B3o?=\nContent-Type: text/plain; charset=iso-8859-2\n\nx", "źródło"),
        ("Subject: naïve 8-bit\n\nnaïve".encode(), "naïve"),
        ("Subject: x\nContent-Type: text/plain; charset=nonsense\n\nnaïve".encode(), "naïve"),
        (b"Subject: x\nContent-Transfer-Encoding: base64\n\nbmHDr3Zl", "naïve"),
        (b"Subject: x\nContent-Transfer-Encoding: base64\n\n!!!bmHDr3Zl====!!", "naïve"),
        (b"From ann Mon Jan  1\r\nSubject: x\r\n\r\nna\xc3\xafve", "naïve"),
    ],
)  # fmt: skip
def test_every_encoding(tmp_path: Path, content: bytes, expected: str) -> None:
    assert expected in read(tmp_path, content).text


SIGNATURE = """-----BEGIN PGP SIGNATURE-----
Version: GnuPG v2

iQIzBAEBCAAdFiEEexampleexampleexampleexampleexampleexampleexampl
eexample=
=aB3d
-----END PGP SIGNATURE-----
"""
PACKED = "Content-Transfer-Encoding: base64\n\n"
OID = bytes.fromhex("06092a864886f70d0107")
INSIDE = OID + b"\x02\xa0\x80\x30\x80\x02\x01\x01\x31\x00\x30\x80" + OID + b"\x01"
SIGNED = b"\x30\x80" + INSIDE + b"\0\0" + b"\x31\x00" + 3 * b"\0\0"


@pytest.mark.parametrize(
    ("kind", "name", "content"),
    [
        ("pgp-signature", "salaries.csv", b"Jane,98"),
        ("pgp-signature", "signature.asc", b"Jane,98"),
        ("pgp-signature", "Jane earns 98.asc", SIGNATURE.encode()),
        ("pgp-signature", "signature.asc", SIGNATURE.encode() + b"Jane earns 98"),
        ("pgp-signature", "signature.asc", SIGNATURE.encode().replace(b"GnuPG v2\n", b"GnuPG v2\nJane: earns 98\n")),
        ("pkcs7-signature", "smime.p7s", SIGNED + b"Jane,98"),
        ("pkcs7-signature", "smime.p7s", SIGNED.replace(b"\x01\0\0", b"\x01\xa0\x09\x04\x07Jane,98")),
        ("x-pkcs7-signature", "smime.p7s", b"Jane,98"),
    ],
)
def test_what_only_says_that_it_is_a_signature_is_an_attachment(
    tmp_path: Path, kind: str, name: str, content: bytes
) -> None:
    message = letter()
    message.add_attachment(content, maintype="application", subtype=kind, filename=name)
    extraction = read(tmp_path, message)
    assert [found.name for found in extraction.attachments] == [name]
    assert take_attachment(tmp_path / "upload", extraction.attachments[0].part) == content


@pytest.mark.parametrize(("link", "told"), [("reset?token=98", True), ("track/me", False), ("x" * 120, False)])
def test_an_address_that_only_the_plain_version_has_is_told(tmp_path: Path, link: str, told: bool) -> None:
    message = letter()
    message.set_content(f"the quay is closed: https://example.org/{link}.\n\nHello Bo")
    page = "<p>Hello Bo,</p><p>the quay is <a href='https://example.org/track/me'>closed</a>.</p>"
    message.add_alternative(page, subtype="html")
    assert (f"the quay is closed: https://example.org/{link}." in read(tmp_path, message).text) == told


@pytest.mark.parametrize(
    ("part", "code"),
    [
        ("Content-Type: image/png\nContent-ID: <a>\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=", "image"),
        ("Content-Type: message/external-body; access-type=URL; URL=\"http://127.0.0.1:9/\"\n\n", None),
        (f"Content-Type: application/pgp-signature; name=signature.asc\n\n{SIGNATURE}", None),
        (f"Content-Type: application/pgp-signature; name=OpenPGP_signature\n\n{SIGNATURE}", None),
        (f"Content-Type: application/pkcs7-signature; name=smime.p7s\n{PACKED}{b64encode(SIGNED).decode()}", None),
    ],
)  # fmt: skip
def test_what_is_neither_text_nor_attachment(tmp_path: Path, part: str, code: str | None) -> None:
    whole = f"Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nwords\n--b\n{part}\n--b--\n"
    extraction = read(tmp_path, whole.encode())
    assert codes(extraction) == (set(code.split()) if code else set())
    assert extraction.attachments == ()
    hiding = whole.replace("\n\n--b\n\n", "\n\nJane earns 98,000\n--b\n\n", 1)
    assert remains(read(tmp_path, hiding.encode()), "Jane earns 98,000")


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"Subject: x\nContent-Type: multipart/encrypted; boundary=b\n\n--b\n\nx\n--b--", "encrypted"),
        (b"Subject: x\nContent-Type: application/pkcs7-mime\n\nMIIB", "encrypted"),
        (b"X-Spam: 1\n\n", "empty"),
        (b"%PDF-1.7", "corrupt"),
    ],
)
def test_what_is_no_message_to_read(tmp_path: Path, content: bytes, code: str) -> None:
    with pytest.raises(Quarantined) as caught:
        read(tmp_path, content)
    assert caught.value.code == code


def test_hostile_structures_end_with_text_or_a_reason(tmp_path: Path) -> None:
    nested = b"Subject: x\n" + b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(3000)
    )
    endless = b"Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nw\n" * 20_000
    names = b"Subject: " + b"=?utf-8?q?" * 20_000 + b"\n\nwords"
    outcomes = []
    for content in (nested, endless, names):
        try:
            outcomes.append(bool(read(tmp_path, content).text))
        except Quarantined as refusal:
            outcomes.append(refusal.code in ("corrupt", "empty"))
    assert outcomes == [True, True, True]
