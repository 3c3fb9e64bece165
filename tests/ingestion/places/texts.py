"""Places in web pages, mail, Rich Text, Markdown and drawings."""

from collections.abc import Iterator

from tests.ingestion.places.pictures import Place

_ELEMENTS = """
    a abbr address article aside audio b base blockquote body br button canvas caption cite code col colgroup data
    datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure footer form h1 head header hr
    html i iframe img input ins kbd label legend li link main map mark menu meta meter nav noscript object ol
    optgroup option output p param picture portal pre progress q ruby rt s samp script section select slot small
    source span strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track
    u ul var video wbr x-odd frame frameset marquee applet math annotation desc foreignObject image text
"""
ELEMENTS = _ELEMENTS.split()
_ATTRIBUTES = """
    id class style title lang dir href src srcset alt name value content placeholder data-x aria-label aria-odd
    onclick action cite datetime download label summary abbr headers pattern poster srcdoc sizes media rel target
    type usemap charset accept coords data classid codebase background http-equiv property itemprop itemid slot part
    is nonce odd xmlns:odd form formaction list ping integrity manifest role for kind srclang standby longdesc
    scheme profile
"""
ATTRIBUTES = _ATTRIBUTES.split()
DOCUMENT = "<!DOCTYPE html><html><head><title>Quay</title></head><body><p>The quay was closed.</p>{}</body></html>"


def of_page(secret: str) -> Iterator[tuple[str, str]]:
    for name in ELEMENTS:
        yield f"text in {name}", DOCUMENT.format(f"<{name}>{secret}</{name}>")
        yield f"attribute of {name}", DOCUMENT.format(f'<{name} odd="{secret}"></{name}>')
    for name in ATTRIBUTES:
        yield f"attribute {name}", DOCUMENT.format(f'<p {name}="{secret}">x</p>')
        yield f"hidden attribute {name}", DOCUMENT.format(f'<p hidden><b {name}="{secret}"></b></p>')
        yield f"one word in {name}", DOCUMENT.format(f'<a {name}="{secret.split()[-1]}">x</a>')
    for name in ("description", "viewport", "generator", "og:url", "csrf-token", "odd"):
        yield f"meta {name}", DOCUMENT.replace("</head>", f'<meta name="{name}" content="{secret}"></head>').format("")
    page = DOCUMENT.format("")
    yield "comment", DOCUMENT.format(f"<!-- {secret} -->")
    yield "conditional comment", DOCUMENT.format(f"<!--[if IE]> {secret} <![endif]-->")
    yield "declaration", DOCUMENT.format(f"<!{secret}>")
    yield "instruction", DOCUMENT.format(f"<?odd {secret}?>")
    yield "section of data", DOCUMENT.format(f"<![CDATA[{secret}]]>")
    yield "type of document", page.replace("<!DOCTYPE html>", f'<!DOCTYPE html PUBLIC "{secret}">')
    yield "name of an attribute", DOCUMENT.format(f"<p {secret.split()[-1]}>x</p>")
    yield "name of an element", DOCUMENT.format(f"<{secret.split()[-1]}>x</{secret.split()[-1]}>")
    yield "end of an element", DOCUMENT.format(f"<p>x</p {secret}>")
    yield "behind the end", page + secret
    yield "before the beginning", f"<!-- {secret} -->{page}"
    yield "style", DOCUMENT.format(f"<style>p::after {{ content: '{secret}' }}</style>")
    yield "comment in a style", DOCUMENT.format(f"<style>/* {secret} */</style>")
    yield "script", DOCUMENT.format(f"<script>let x = '{secret}'</script>")
    yield "hidden text", DOCUMENT.format(f"<p style='display:none'>{secret}</p>")
    yield "data address", DOCUMENT.format(f"<a href='data:text/plain,{secret}'>x</a>")
    yield "letters as numbers", DOCUMENT.format(f"<p odd='{''.join(f'&#{ord(c)};' for c in secret)}'>x</p>")


_HEADERS = """
    Subject From To Cc Bcc Reply-To Date Message-ID Received DKIM-Signature X-Mailer X-Odd Comments Keywords
    User-Agent List-Unsubscribe X-MS-Has-Attach Thread-Topic Organization In-Reply-To References Return-Path
    X-Spam-Status Content-Description Content-ID Content-Location Content-Language MIME-Version Content-Disposition
    Autocrypt
"""
HEADERS = _HEADERS.split()
PART = 'Content-Type: multipart/mixed; boundary="b"\n\n{}--b\nContent-Type: text/plain\n{}\nThe quay.\n--b--\n{}'


def of_mail(secret: str) -> Iterator[tuple[str, str]]:
    head = "From: a@a.example\nTo: b@b.example\nSubject: Quay\n"
    for name in HEADERS:
        yield f"header {name}", f"{head}{name}: {secret}\n\nThe quay.\n"
        yield f"header {name} of a part", head + PART.format("", f"{name}: {secret}\n", "")
    yield "name of a header", f"{head}X-{secret.split()[-1]}: x\n\nThe quay.\n"
    yield "preamble", head + PART.format(f"{secret}\n", "", "")
    yield "epilogue", head + PART.format("", "", f"{secret}\n")
    yield "boundary", head + PART.replace('"b"', f'"{secret}"').replace("--b", f"--{secret}").format("", "", "")
    yield "parameter", head + PART.replace("text/plain", f'text/plain; odd="{secret}"').format("", "", "")
    yield "comment of an address", f"From: a@a.example ({secret})\n\nThe quay.\n"
    html = "<p>The quay.</p>"
    both = (
        f'Content-Type: multipart/alternative; boundary="b"\n\n--b\nContent-Type: text/plain\n\nThe quay.\n{secret}\n'
    )
    yield "another version", f"{head}{both}--b\nContent-Type: text/html\n\n{html}\n--b--\n"
    yield "page", f"{head}Content-Type: text/html\n\n{html}<!-- {secret} -->\n"


_GROUPS = """
    info title author doccomm *odd *bkmkstart *bkmkend fonttbl colortbl *stylesheet stylesheet *listtable *generator
    *themedata *datastore *xmlnstbl *userprops *docvar header footer footnote *annotation *atnid *atnauthor
    *atrfstart *template *passwordhash *protusertbl *fname *listname *formfield *ffl *revtbl *rsidtbl *mmathPr
    *wgrffmtfilter *objclass *xe *tc *do shp *shpinst *background *blipuid *picprop *levelnumbers *leveltext *falt
    *panose keycode *company *operator *hlinkbase *nextfile *filetbl *fldinst *fldtype *pnseclvl *ftnsep
    *writereservhash *oleclsid *latentstyles *datafield *mailmerge *upr *ud *sv *sn *sp *shppict *nonshppict
    *listtext *pntext
"""
GROUPS = _GROUPS.split()


def of_rich_text(secret: str) -> Iterator[tuple[str, str]]:
    for name in GROUPS:
        word = f"\\*\\{name[1:]}" if name.startswith("*") else f"\\{name}"
        yield f"group {name}", f"{{\\rtf1\\ansi{{{word} {secret}}}The quay.\\par}}"
        yield f"group in {name}", f"{{\\rtf1\\ansi{{{word} {{\\odd {secret}}}}}The quay.\\par}}"
    yield "hidden", f"{{\\rtf1\\ansi{{\\v {secret}}}The quay.\\par}}"
    yield "deleted", f"{{\\rtf1\\ansi{{\\deleted {secret}}}The quay.\\par}}"
    yield "behind the end", f"{{\\rtf1\\ansi The quay.\\par}}{secret}"
    yield "binary data", f"{{\\rtf1\\ansi The quay.\\bin{len(secret)} {secret}\\par}}"
    yield "font", f"{{\\rtf1\\ansi{{\\fonttbl{{\\f0 {secret};}}}}The quay.\\par}}"


def of_markdown(secret: str) -> Iterator[tuple[str, str]]:
    for name, text in {
        "comment": "<!-- {} -->",
        "title of a link": '[a](https://a.example "{}")',
        "definition": '[a]: https://a.example "{}"',
        "name of a definition": "[{}]: https://a.example",
        "alternative": "![{}](a.png)",
        "kind of code": "```{}\nx\n```",
        "front": "---\nx: {}\n---\n",
        "attribute": "<b title='{}'>x</b>",
        "footnote": "[^1]: {}",
    }.items():
        yield (
            name,
            f"{text.format(secret)}\n\nThe quay.\n" if name == "front" else f"The quay.\n\n{text.format(secret)}\n",
        )


BASES = {
    "html": DOCUMENT.format(""),
    "eml": "From: a@a.example\nSubject: Quay\n\nThe quay.\n",
    "rtf": "{\\rtf1\\ansi The quay.\\par}",
    "md": "The quay.\n",
}
KINDS = {"html": of_page, "eml": of_mail, "rtf": of_rich_text, "md": of_markdown}


def places(kind: str, secret: str) -> Iterator[Place]:
    yield "", f"a.{kind}", BASES[kind].encode()
    for name, text in KINDS[kind](secret):
        yield f"{kind} {name}", f"a.{kind}", text.encode()
