"""Reading the target of a link: what it asks for, before anybody looks whether that exists (RFC 3986)."""

import posixpath
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import unquote, urlsplit
from uuid import UUID

from ingestion.documents import LONGEST_TARGET

LONGEST_KEY = 600  # characters: keys stand in an index
EXTENSIONS = ("md", "markdown", "html", "htm", "pdf", "docx", "odt", "txt")
INDEX_NAMES = ("index", "readme", "README", "_index")
NO_LINK = frozenset(["mailto", "tel", "sms", "cid", "mid", "data", "javascript", "vbscript", "about", "blob"])
"""Schemes of what is no link to a document: nothing is kept of them but their place in the text."""
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{1,30}):")
OWN_PAGE = re.compile(r"/w/(?P<slug>[\w-]+)/(?P<what>files|entities)/(?P<id>[0-9a-f-]{36})(?:/|\Z)")
UNSEEN = re.compile(r"[\x00-\x20\x7f<>]")


class Wanted(StrEnum):
    """What a link asks for; the key is of this kind. A path is a whole one, "/travel/visa.md", or the mere name of a
    file of the same record, "visa.md", where nobody said in which folder the document stood.
    """

    PATH = "path"
    URL = "url"
    TITLE = "title"
    FILE = "file"
    RECORD = "record"
    ITSELF = "itself"
    NOTHING = "nothing"


class Reason(StrEnum):
    """Why a link leads nowhere."""

    ABSENT = "absent"
    AMBIGUOUS = "ambiguous"
    OUTSIDE = "outside"
    UNSUPPORTED = "unsupported_scheme"
    MALFORMED = "malformed"
    ANCHOR = "anchor_missing"


@dataclass(frozen=True)
class Address:
    """reason: of a link that asks for nothing that could be here."""

    wanted: Wanted
    key: str = ""
    anchor: str = ""
    reason: str = ""


def read_target(target: str, path: str, workspace: str) -> Address | None:
    """What a link in the document at `path` asks for; None for what is no link to a document (a mailbox, a telephone).

    path: "/handbook/travel/index.md", or a mere name where its folder is not known. workspace: the slug, by which
    addresses of its own pages are told.
    """
    target = target.strip()
    scheme = SCHEME.match(target)
    name = scheme.group(1).lower() if scheme else ""
    if name in NO_LINK:
        return None
    if not target or UNSEEN.search(target.replace(" ", "")) or (scheme and " " in target):
        return _build_nothing(Reason.MALFORMED)
    if name in ("http", "https") or target.startswith("//"):
        return _read_url(target if scheme else f"https:{target}", workspace)
    if scheme:
        return _build_nothing(Reason.UNSUPPORTED)
    return _read_relative(target, path, workspace)


def build_title_address(title: str) -> Address:
    """Of a link that gives a title: `[[Quay lease]]`."""
    key = " ".join(title.split()).casefold()
    return Address(Wanted.TITLE, key) if 0 < len(key) <= LONGEST_KEY else _build_nothing(Reason.MALFORMED)


def build_url_key(url: str) -> str:
    """The form in which addresses are compared: no scheme, no fragment, no slash at the end, the host in small letters.
    Raises: ValueError for what is no address.
    """
    parts = urlsplit(url if "://" in url else f"https://{url}")
    host = (parts.hostname or "").rstrip(".")
    if not host or " " in host:
        raise ValueError("an address names a host")
    port = f":{parts.port}" if parts.port not in (None, 80, 443) else ""
    query = f"?{parts.query}" if parts.query else ""
    return f"{host}{port}{parts.path.rstrip('/')}{query}"


def build_path_key(path: str) -> str | None:
    """A whole path, from its slash on and without what says nothing; None where it leads out of its root."""
    joined = posixpath.normpath(unicodedata.normalize("NFC", path).replace("\\", "/").lstrip("/") or ".")
    if joined == ".." or joined.startswith("../"):
        return None
    return "/" if joined == "." else f"/{joined}"


def list_variants(key: str) -> tuple[str, ...]:
    """The paths that a link to `key` may mean. One with an extension means just itself; one without may leave it out,
    or name the folder of an index page.
    """
    if has_extension(key):
        return (key,)
    files = [key, *(f"{key}.{ext}" for ext in EXTENSIONS)] if key != "/" else []
    if not key.startswith("/"):
        return tuple(files)
    folder = key.rstrip("/")
    return (*files, *(f"{folder}/{name}.{ext}" for name in INDEX_NAMES for ext in EXTENSIONS[:4]))


def build_keys(path: str) -> tuple[str, ...]:
    """The keys of links that may mean the file at `path`: the other way round than `list_variants`."""
    stem, _, ext = path.rpartition(".")
    found = [path]
    if stem and ext in EXTENSIONS:
        found.append(stem)
        folder, _, name = stem.rpartition("/")
        if name in INDEX_NAMES and ext in EXTENSIONS[:4]:
            found.append(folder or "/")
    return tuple(key for key in found if key == path or path in list_variants(key))


def has_extension(key: str) -> bool:
    return re.search(r"[^/.]\.[A-Za-z0-9]{1,8}\Z", key) is not None


def build_anchor_key(words: str) -> str:
    """The form in which the anchor of a link and a heading are compared: letters and digits only."""
    return "".join(c for c in unicodedata.normalize("NFKC", words).casefold() if c.isalnum())


def _build_nothing(reason: Reason) -> Address:
    return Address(Wanted.NOTHING, reason=reason)


def _read_url(target: str, workspace: str) -> Address:
    try:
        key, parts = build_url_key(target), urlsplit(target)
    except ValueError:
        return _build_nothing(Reason.MALFORMED)
    return _read_own_page(parts.path, parts.fragment, workspace) or _build_checked(Wanted.URL, key, parts.fragment)


def _read_own_page(path: str, anchor: str, workspace: str) -> Address | None:
    """The page of a file or a record of this workspace: those have keys that nothing else has, whatever the host."""
    found = OWN_PAGE.match(path)
    if found is None or found["slug"] != workspace:
        return None
    try:
        key = str(UUID(found["id"]))
    except ValueError:
        return _build_nothing(Reason.MALFORMED)
    return Address(Wanted.FILE if found["what"] == "files" else Wanted.RECORD, key, anchor[:LONGEST_KEY])


def _read_relative(target: str, path: str, workspace: str) -> Address:
    where, _, fragment = target.partition("#")
    where = unquote(where.partition("?")[0], errors="replace").replace("\\", "/")
    anchor = unquote(fragment)[:LONGEST_KEY]
    if UNSEEN.search(where.replace(" ", "")) or "\ufffd" in where:
        return _build_nothing(Reason.MALFORMED)
    if not where:
        return Address(Wanted.ITSELF, anchor=anchor) if fragment else _build_nothing(Reason.MALFORMED)
    if own := _read_own_page(where, anchor, workspace):
        return own
    if not path.startswith("/"):  # nobody knows where the document stood: the file of that name beside it is meant
        name = unicodedata.normalize("NFC", posixpath.basename(where.rstrip("/")))
        return _build_nothing(Reason.OUTSIDE) if name in ("", ".", "..") else _build_checked(Wanted.PATH, name, anchor)
    key = build_path_key(where if where.startswith("/") else f"{posixpath.dirname(path)}/{where}")
    return _build_nothing(Reason.OUTSIDE) if key is None else _build_checked(Wanted.PATH, key, anchor)


def _build_checked(wanted: Wanted, key: str, anchor: str) -> Address:
    if len(key) > LONGEST_KEY:
        return _build_nothing(Reason.MALFORMED if wanted == Wanted.PATH else Reason.OUTSIDE)
    return Address(wanted, key, anchor[:LONGEST_KEY])


BARE = re.compile(r"\bhttps?://[^\s<>\"'|\\^`{}]{3,}", re.I)
TITLED = re.compile(r"\[\[([^\[\]|#\n]{1,200})(?:#[^\[\]|\n]{0,200})?(?:\|([^\[\]\n]{1,200}))?\]\]")


def find_bare_addresses(text: str) -> Sequence[str]:
    """Web addresses that stand in a text, without what ends the sentence or closes the bracket around them. What is too
    long for the target of a link is none."""
    found: dict[str, None] = {}
    for match in BARE.finditer(text):
        url = match.group().rstrip(".,;:!?*_")
        if len(url) > LONGEST_TARGET:
            continue
        while url.endswith(")") and url.count(")") > url.count("("):
            url = url[:-1].rstrip(".,;:!?*_")
        found[url] = None
    return list(found)


def find_titles(text: str) -> Sequence[tuple[str, str]]:
    """(title, words) of links that give a title in double brackets."""
    return [(match[1].strip(), (match[2] or match[1]).strip()) for match in TITLED.finditer(text)]
