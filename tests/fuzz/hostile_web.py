"""Web pages, Markdown and messages written by hand to hurt their reader."""

from tests.fuzz.recipe import Kit, Make, Recipe
from tests.fuzz.seeds import SEEDS, html, mail, prose, sentence


def page(body: str) -> Make:
    return lambda kit: html(kit, body.replace("CANARY", kit.canary))


def calls_out(kit: Kit) -> bytes:
    """Every element by which a page asks for something."""
    found = "".join(
        f'<{tag} src="{kit.canary}/{tag}" data="{kit.canary}/{tag}" href="{kit.canary}/{tag}"></{tag}>'
        for tag in ("img", "script", "iframe", "object", "embed", "link", "audio", "video", "source", "track", "frame")
    )
    style = f"<style>@import url({kit.canary}/css); body {{ background: url({kit.canary}/bg) }}</style>"
    head = f'<base href="{kit.canary}/"><meta http-equiv="refresh" content="0;url={kit.canary}/refresh">{style}'
    return f"<!DOCTYPE html><html><head>{head}</head><body>{found}<p>{prose(kit)}</p></body></html>".encode()


def entities(kit: Kit) -> bytes:
    declared = '<!ENTITY l0 "lol">' + "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    system = f'<!ENTITY x SYSTEM "{kit.canary}/entity"><!ENTITY y SYSTEM "file:///etc/passwd">'
    return f"<?xml version='1.0'?><!DOCTYPE html [{declared}{system}]><html><body>&l11;&x;&y;<p>Text.</p></body></html>".encode()


WEB = [
    Recipe("calls.html", "references to the outside", calls_out, quick=True, ready=True),
    Recipe("entities.xhtml", "entities and a document type", entities, quick=True),
    Recipe("deep.html", "elements 100,000 deep", page("<div>" * 100_000 + "in")),
    Recipe("inline.html", "unclosed elements", page("<b><i><a>" * 20_000 + "in")),
    Recipe("tables.html", "tables 1,000 deep", page("<table><tr><td>" * 1_000 + "in")),
    Recipe("span.html", "a cell over a billion rows and columns", page('<table><tr><td colspan="1000000000" rowspan="1000000000">x</td><td>y</td></tr></table><p>Text.</p>'), quick=True),
    Recipe("spans.html", "a thousand cells over a thousand each", page("<table>" + '<tr>' + '<td colspan="1000" rowspan="1000">x</td>' * 1_000 + "</tr></table>")),
    Recipe("attributes.html", "100,000 attributes", page("<p " + " ".join(f"a{n}=1" for n in range(100_000)) + ">Text.</p>")),
    Recipe("comment.html", "a comment that never closes", page("<p>Before.</p><!-- " + "- " * 50_000)),
    Recipe("references.html", "characters that are none", page("<p>&#x110000;&#0;&#xD800;&#99999999999;&#x;&bogus; Text.</p>"), ready=True),
    Recipe("nul.html", "NUL bytes", lambda kit: html(kit).replace(b"the", b"t\x00he").replace(b"<p>", b"<p\x00>", 1)),
    Recipe("charset.html", "a charset that is none", lambda kit: b'<html><meta charset="utf-7"><body>+ADw-script+AD4-</body></html>'),
    Recipe("text.html", "plaintext and CDATA", page("<svg><![CDATA[<p>in</p>]]></svg><p>Text.</p><plaintext>the rest </body>")),
    Recipe("cells.html", "a table of 100,000 cells", page("<table>" + ("<tr>" + "<td>1</td>" * 100 + "</tr>") * 1_000 + "</table>")),
    Recipe("data.html", "a picture of 3 MB in an address", page('<p>Text.</p><img src="data:image/png;base64,' + "A" * (3 << 20) + '">')),
    Recipe("quotes.md", "quotations 5,000 deep", lambda kit: (">" * 5_000 + " in\n\nText.\n").encode(), quick=True),
    Recipe("lists.md", "lists 1,000 deep", lambda kit: "".join("  " * n + "- x\n" for n in range(1_000)).encode()),
    Recipe("brackets.md", "brackets", lambda kit: b"[" * 50_000 + b"](" * 20_000),
    Recipe("stars.md", "stars", lambda kit: b"*a **a " * 20_000),
    Recipe("lines.md", "underlines", lambda kit: b"_a__" * 30_000),
    Recipe("ticks.md", "ticks of all lengths", lambda kit: b" ".join(b"`" * (n % 400) for n in range(2_000))),
    Recipe("columns.md", "a table of 5,000 columns", lambda kit: ("|a" * 5_000 + "|\n" + "|-" * 5_000 + "|\n" + "|1" * 5_000 + "|\n").encode()),
    Recipe("references.md", "references to references", lambda kit: "".join(f"[a{n}]: a{n + 1}\n" for n in range(5_000)).encode() + b"[a0][a0]" * 5_000),
    Recipe("html.md", "web pages in Markdown", lambda kit: (f'<img src="{kit.canary}/md"><script src="{kit.canary}/js"></script>\n\n' + "<div>" * 3_000 + "\n\nText.\n").encode()),
    Recipe("entities.md", "entities", lambda kit: b"&#0; &#xD800; &#x110000; &amp" * 3_000),
]  # fmt: skip


def nested(depth: int) -> Make:
    """Messages in messages, each with a file beside it."""

    def make(kit: Kit) -> bytes:
        content = mail(kit)
        for number in range(depth):
            head = f"Subject: level {number}\r\nFrom: a@example.org\r\nMIME-Version: 1.0\r\n"
            kind = f"Content-Type: multipart/mixed; boundary=b{number}\r\n\r\n"
            parts = f"--b{number}\r\n\r\n{sentence(kit)}\r\n--b{number}\r\nContent-Type: message/rfc822\r\n\r\n"
            content = (head + kind + parts).encode() + content + f"\r\n--b{number}--\r\n".encode()
        return content

    return make


def multipart(depth: int, boundary: str) -> bytes:
    inside = "".join(
        f"--{boundary.format(n)}\r\nContent-Type: multipart/mixed; boundary={boundary.format(n + 1)}\r\n\r\n"
        for n in range(depth)
    )
    return f"Subject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary={boundary.format(0)}\r\n\r\n{inside}text\r\n".encode()


def hostile_names(kit: Kit) -> bytes:
    names = [
        "../../../../etc/passwd", "..\\..\\a.txt", "a" * 3_000 + ".txt", "nul\x01.txt", "<script>alert(1)</script>.txt",
        "cod\u202etxt.exe", "", "same.txt", "same.txt",
    ]  # fmt: skip
    return mail(kit, *((name, f"{name[:20]} {n} {sentence(kit)}".encode()) for n, name in enumerate(names)))


def spoilt_attachments(kit: Kit) -> bytes:
    return mail(
        kit, *((f"half.{kind}", make(kit)[:-150]) for kind, make in SEEDS.items() if kind not in ("eml", "txt"))
    )


def crowd(kit: Kit) -> bytes:
    return mail(kit, *((f"{n}.txt", sentence(kit).encode()) for n in range(40 * max(1, min(kit.factor, 10)))))


def headers(*lines: str, body: str = "Text.") -> Make:
    return lambda kit: ("\r\n".join([*lines, "", body]).replace("CANARY", kit.canary)).encode()


MAIL = [
    Recipe("nested.eml", "messages 12 deep", nested(12)),
    Recipe("deep.eml", "messages 400 deep", nested(400)),
    Recipe("parts.eml", "parts 500 deep", lambda kit: multipart(500, "b{}")),
    Recipe("same.eml", "parts 500 deep with one boundary", lambda kit: multipart(500, "b")),
    Recipe("names.eml", "attachments with hostile names", hostile_names, quick=True),
    Recipe("spoilt.eml", "attachments that are cut off", spoilt_attachments, quick=True),
    Recipe("crowd.eml", "many attachments", crowd),
    Recipe("long.eml", "a header of a megabyte", headers("Subject: " + "x" * (1 << 20), "From: a@example.org")),
    Recipe("many.eml", "20,000 headers", headers(*(f"X-{n}: {n}" for n in range(20_000)), "Subject: x")),
    Recipe("words.eml", "encoded words", headers("Subject: " + "=?utf-8?b?" * 5_000, "From: =?x?q?=?=?=?", "To: =?utf-8?q?" + "=41" * 20_000 + "?=")),
    Recipe("addresses.eml", "addresses in each other", headers("Subject: x", "To: " + "(" * 5_000 + "<" * 5_000, "From: " + "a@b," * 20_000)),
    Recipe("charset.eml", "a charset that is none", headers("Subject: x", "Content-Type: text/plain; charset=no-such-thing", body="T\xe9xt.")),
    Recipe("base64.eml", "base64 that is none", headers("Subject: x", "MIME-Version: 1.0", "Content-Type: text/plain", "Content-Transfer-Encoding: base64", body="!!!" * 10_000)),
    Recipe("parameters.eml", "parameters in 10,000 pieces", headers("Subject: x", "MIME-Version: 1.0", "Content-Type: text/plain; " + "; ".join(f"name*{n}=x" for n in range(10_000)))),
    Recipe("external.eml", "a body that lies elsewhere", headers("Subject: x", "MIME-Version: 1.0", 'Content-Type: message/external-body; access-type=URL; URL="CANARY/body"')),
    Recipe("date.eml", "a date that is none", headers("Subject: x", "Date: Fri, 99 Foo 99999 99:99:99 +9999", "From: a@example.org"), ready=True),
    Recipe("nul.eml", "NUL bytes", lambda kit: mail(kit).replace(b"the", b"t\x00he")),
    Recipe("html.eml", "a page that calls", lambda kit: b"Subject: x\r\nMIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n" + calls_out(kit), ready=True),
]  # fmt: skip
RECIPES = [*WEB, *MAIL]
