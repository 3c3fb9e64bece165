"""Where a folder lives elsewhere: `https://…/tree/main/` of a folder that was uploaded. Nothing is ever fetched there.

Links to pages under such an address lead to the files of that folder (docs/ingestion.md, Links).
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from urllib.parse import unquote, urlsplit

from django.utils.translation import gettext

from entities.rag import Collection
from ingestion.errors import BadUpload
from ingestion.link_targets import LONGEST_KEY, Address, Wanted, build_path_key, build_url_key

MAX_ADDRESSES = 5


@dataclass(frozen=True)
class FolderAddress:
    """key: of the address (`link_targets.build_url_key`). folder: what it is the address of, "/" for the root of
    paths.
    """

    key: str
    folder: str = "/"

    def find_path(self, key: str) -> str | None:
        """The path of what is under this address; None for an address elsewhere."""
        if key != self.key and not key.startswith(f"{self.key}/"):
            return None
        rest = unquote(key.removeprefix(self.key).partition("?")[0], errors="replace")
        return None if "\ufffd" in rest else build_path_key(f"{self.folder}/{rest}")

    def to_json(self) -> list[str]:
        return [self.key, self.folder]


def read_addresses(given: Iterable[str], folder: str = "") -> tuple[FolderAddress, ...]:
    """Addresses of `folder`, a path below which files were sent; of the root where it is "". Raises: BadUpload."""
    root = build_path_key(folder)
    if root is None or len(root) > LONGEST_KEY:
        raise BadUpload(gettext("The folder of these addresses leads out of its root."), "bad_address")
    found = tuple(dict.fromkeys(FolderAddress(_read_key(text.strip()), root) for text in given if text.strip()))
    if len(found) > MAX_ADDRESSES:
        raise BadUpload(gettext("A folder has up to %(most)s addresses.") % {"most": MAX_ADDRESSES}, "bad_address")
    return found


def _read_key(text: str) -> str:
    try:
        parts = urlsplit(text)
        key = build_url_key(text) if parts.scheme in ("http", "https") and "@" not in parts.netloc else ""
    except ValueError:
        key = ""
    if not key or parts.query or parts.fragment or len(key) > LONGEST_KEY or any(c.isspace() for c in text):
        raise BadUpload(
            gettext("An address of a folder begins with https:// or http:// and names a host, without “?” and “#”."),
            "bad_address",
        )
    return key


def list_addresses(sent: Iterable[Iterable[str]], collection: Collection) -> tuple[FolderAddress, ...]:
    """Those that came with a version, then those that its collection declares, of the root."""
    return (*(FolderAddress(*one) for one in sent), *read_addresses(collection.addresses))


def convert_to_path(address: Address, folders: Iterable[FolderAddress]) -> Address:
    """What is under the address of a folder is asked for by its path there. Of several addresses the longest counts."""
    for folder in sorted(folders, key=lambda folder: len(folder.key), reverse=True):
        path = folder.find_path(address.key) if address.wanted == Wanted.URL else None
        if path is not None and len(path) <= LONGEST_KEY:
            return replace(address, wanted=Wanted.PATH, key=path)
    return address
