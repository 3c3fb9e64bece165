"""Places in pictures: segments of JPEG, chunks of PNG and WebP, blocks of GIF, tags of TIFF and EXIF, and packets.

Each place is (what it is, name of a file, its bytes), with a secret in it: a test asks whether reading accounts for it.
"""

import base64
import io
import zlib
from collections.abc import Iterator

from PIL import Image

Place = tuple[str, str, bytes]
TAGS = (0x010E, 0x010F, 0x0110, 0x0131, 0x013B, 0x8298, 0x9C9B, 0x9C9C, 0x9C9D, 0x9C9E, 0x9C9F, 0xC614, 0xFDE8, 0x010D)
PARTS = {
    0x8769: (0x9286, 0x9003, 0xA420, 0xA430, 0xA431, 0xA433, 0xA434, 0x927C),
    0x8825: (0x1B, 0x1C, 0x12, 0x1D),
}


def plain(form: str, **options: object) -> bytes:
    out = io.BytesIO()
    Image.new("L", (60, 40), 255).save(out, form, **options)
    return out.getvalue()


def xmp(secret: str) -> bytes:
    return (
        "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"
        "<rdf:Description rdf:about='' xmlns:mm='http://ns.adobe.com/xap/1.0/mm/' "
        f"mm:DocumentID='{secret}'/></rdf:RDF></x:xmpmeta>"
    ).encode()


def segment(code: int, content: bytes) -> bytes:
    return bytes((0xFF, code)) + (len(content) + 2).to_bytes(2) + content


def jpeg(secret: str) -> bytes:
    return (whole := plain("JPEG"))[:2] + segment(0xFE, secret.encode()) + whole[2:]


def resource(number: int, content: bytes) -> bytes:
    return b"8BIM" + number.to_bytes(2) + b"\0\0" + len(content).to_bytes(4) + content + b"\0" * (len(content) % 2)


def of_jpeg(secret: str) -> Iterator[tuple[str, bytes]]:
    whole, held = plain("JPEG"), secret.encode()
    for code in (*range(0xE0, 0xF0), 0xFE, 0xF0, 0xF7, 0xC8, 0xDC, 0x02):
        yield f"segment {code:X}", whole[:2] + segment(code, held) + whole[2:]
    caption = b"\x1c\x02\x78" + len(held).to_bytes(2) + held
    for name, code, head in (
        ("xmp", 0xE1, b"http://ns.adobe.com/xap/1.0/\0" + xmp(secret)),
        ("xmp extension", 0xE1, b"http://ns.adobe.com/xmp/extension/\0" + b"0" * 40 + xmp(secret)),
        ("iptc", 0xED, b"Photoshop 3.0\0" + resource(0x0404, caption)),
        ("iptc codes", 0xED, b"Photoshop 3.0\0" + resource(0x0404, caption.replace(b"\x02\x78", b"\x02\x64"))),
        ("photoshop", 0xED, b"Photoshop 3.0\0" + resource(0x0BB8, held)),
        ("icc", 0xE2, b"ICC_PROFILE\0\1\1" + b"\0" * 128 + held),
        ("flashpix", 0xE2, b"FPXR\0" + held),
        ("adobe", 0xEE, b"Adobe\0d\0\0\0\0\0" + held),
        ("jfif with more", 0xE0, b"JFIF\0\1\1\0\0\1\0\1\0\0" + held),
        ("jfxx", 0xE0, b"JFXX\0\x13\1\1" + held),
        ("ducky", 0xEC, b"Ducky\0\1\0\4\0\0\0d" + held),
        ("c2pa", 0xEB, b"JP\0\1\0\0\0\1" + held),
    ):
        yield name, whole[:2] + segment(code, head) + whole[2:]
    yield "between segments", whole[:2] + held + whole[2:]
    yield "behind the end", whole + held
    yield "a picture behind the end", whole + jpeg(secret)
    for place, exif in in_exif(secret):
        yield f"exif {place}", plain("JPEG", exif=exif)


def in_exif(secret: str) -> Iterator[tuple[str, Image.Exif]]:
    for tag in TAGS:
        tags = Image.Exif()
        tags[tag] = secret.encode("utf-16-le") if 0x9C00 < tag < 0x9D00 else secret
        yield f"{tag:X}", tags
    for part, numbers in PARTS.items():
        for tag in numbers:
            tags = Image.Exif()
            held: object = b"ASCII\0\0\0" + secret.encode() if tag in (0x9286, 0x1B, 0x1C) else secret
            tags.get_ifd(part)[tag] = secret.encode() if tag == 0x927C else held
            yield f"{part:X} {tag:X}", tags


def chunk(kind: bytes, content: bytes) -> bytes:
    return len(content).to_bytes(4) + kind + content + zlib.crc32(kind + content).to_bytes(4)


def of_png(secret: str) -> Iterator[tuple[str, bytes]]:
    whole, held = plain("PNG"), secret.encode()
    packed = zlib.compress(held)
    for name, kind, content in (
        *((f"text {key}", b"tEXt", key.encode() + b"\0" + held) for key in ("Title", "Software", "Comment", "date:x")),
        ("packed text", b"zTXt", b"Comment\0\0" + packed),
        ("translated text", b"iTXt", b"Comment\0\0\0en\0Kommentar\0" + held),
        ("translated name", b"iTXt", b"Comment\0\0\0en\0" + held + b"\0x"),
        ("packed translated text", b"iTXt", b"Comment\0\1\0\0\0" + packed),
        ("xmp", b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + xmp(secret)),
        ("name of a text", b"tEXt", held[:70] + b"\0x"),
        ("raw profile", b"tEXt", b"Raw profile type iptc\0\niptc\n 5\n" + held.hex().encode()),
        ("profile", b"iCCP", b"icc\0\0" + zlib.compress(b"\0" * 128 + held)),
        ("palette", b"sPLT", held + b"\0\x08"),
        ("exif", b"eXIf", next(in_exif(secret))[1].tobytes()[6:]),
        ("unknown", b"prVt", held),
        ("another", b"vpAg", held),
        ("time", b"tIME", held),
        ("size", b"pHYs", held),
        ("calibration", b"pCAL", held),
        ("scale", b"sCAL", held),
    ):
        yield name, whole[:33] + chunk(kind, content) + whole[33:]
    yield "behind the end", whole + held
    yield "behind its pixels", whole.replace(b"IEND", b"prVt", 1)[:-8] + held + whole[-8:]


def of_others(secret: str) -> Iterator[tuple[str, str, bytes]]:
    held = secret.encode()
    block = bytes((len(held),)) + held + b"\0"
    gif = plain("GIF")
    end = gif.rindex(b";")
    for name, extension in (
        ("comment", b"!\xfe"),
        ("text", b"!\x01\x0c" + b"\0" * 12),
        ("application", b"!\xff\x0bABCDEFGH123"),
    ):
        yield f"gif {name}", "a.gif", gif[:end] + extension + block + gif[end:]
    yield "gif unknown", "a.gif", gif[:end] + b"!\x77" + block + gif[end:]
    yield "gif behind the end", "a.gif", gif + held
    webp = plain("WEBP", lossless=True)
    for kind, content in (
        (b"XMP ", xmp(secret)),
        (b"EXIF", next(in_exif(secret))[1].tobytes()),
        (b"ICCP", held),
        (b"ODD ", held),
    ):
        more = kind + len(content).to_bytes(4, "little") + content + b"\0" * (len(content) % 2)
        yield (
            f"webp {kind.decode()}",
            "a.webp",
            webp[:4] + (len(webp) - 8 + len(more)).to_bytes(4, "little") + webp[8:] + more,
        )
    yield "webp behind the end", "a.webp", webp + held
    for tag in TAGS:
        yield f"tiff {tag:X}", "a.tiff", plain("TIFF", tiffinfo={tag: held if 0x9C00 < tag < 0x9D00 else secret})
    yield "tiff xmp", "a.tiff", plain("TIFF", tiffinfo={700: xmp(secret)})
    yield "tiff profile", "a.tiff", plain("TIFF", tiffinfo={34675: held})
    yield "tiff photoshop", "a.tiff", plain("TIFF", tiffinfo={34377: resource(0x0BB8, held)})
    yield "tiff layers", "a.tiff", plain("TIFF", tiffinfo={37724: held})
    yield "tiff behind the end", "a.tiff", plain("TIFF") + held
    yield "bmp behind the end", "a.bmp", plain("BMP") + held


def places(kind: str, secret: str) -> Iterator[Place]:
    """Pictures of forms that are no files of their own stand in a page."""
    if kind == "other":
        yield "", "a.html", in_page(plain("BMP"))
        for name, file, content in of_others(secret):
            yield name, "a.html", in_page(content, file[2:])
        return
    yield "", f"a.{kind}", plain(kind.upper())
    for name, content in of_jpeg(secret) if kind == "jpeg" else of_png(secret):
        yield f"{kind} {name}", f"a.{kind}", content


def in_page(picture: bytes, form: str = "bmp") -> bytes:
    packed = base64.b64encode(picture).decode()
    return f'<p>The quay.</p><img src="data:image/{form};base64,{packed}">'.encode()
