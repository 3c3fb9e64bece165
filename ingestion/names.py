"""File names as people give them, made safe to keep and to hand out again."""

import re
import unicodedata

from django.utils.translation import gettext

LONGEST = 255
LONGEST_EXTENSION = 20
LONGEST_PATH = 600
UNNAMED = "unnamed"
INVISIBLE = ("Cc", "Cf", "Cs", "Co")
"""Line breaks, NUL, and marks that make "cod.exe" read "exe.doc"."""


class BadPath(Exception):
    """A path of an upload that is not kept. The message is a sentence for who sent it."""


def clean_name(given: str) -> str:
    """The base name of `given`: no folders of either kind of slash, no control or invisible characters, NFC, and at
    most 255 characters, cut before the extension. Never empty.
    """
    name = unicodedata.normalize("NFC", given)
    name = re.split(r"[/\\]", name)[-1]
    name = "".join(
        " " if c in "\t\n\r" else c for c in name if c in "\t\n\r" or unicodedata.category(c) not in INVISIBLE
    )
    name = " ".join(name.split()).strip(" .") if set(name) <= set(" .") else " ".join(name.split())
    name = name or UNNAMED
    if len(name) <= LONGEST:
        return name
    stem, dot, extension = name.rpartition(".")
    if not dot or not stem or len(extension) > LONGEST_EXTENSION:
        return name[:LONGEST].rstrip()
    return f"{stem[: LONGEST - len(extension) - 1].rstrip()}.{extension}"


def clean_path(given: str, name: str) -> str:
    """Where a file with this clean name stood: `given` as "/folder/name", each folder cleaned as a name is. The mere
    name where nothing is given. Raises: BadPath where it leads out of its root, or is longer than 600 characters: under
    the mere name the file would be taken for another one of that name.
    """
    if not given.strip():
        return name
    folders = [part for part in re.split(r"[/\\]", given) if _drop_invisible(part).strip() not in ("", ".")][:-1]
    if any(_drop_invisible(folder).strip() == ".." for folder in folders):
        raise BadPath(gettext("The path of this file leads out of its folder. Send it without “..”."))
    path = "/".join(["", *(clean_name(folder) for folder in folders), name])
    if len(path) > LONGEST_PATH:
        raise BadPath(
            gettext("The path of this file is longer than %(longest_path)s characters. Choose a folder closer to it.")
            % {"longest_path": LONGEST_PATH}
        )
    return path


def split_folders(path: str) -> list[str]:
    """The folders of a clean path, outermost first; none of one that is a mere name."""
    return path.split("/")[1:-1]


def _drop_invisible(part: str) -> str:
    return "".join(c for c in part if unicodedata.category(c) not in INVISIBLE)
