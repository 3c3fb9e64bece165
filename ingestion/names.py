"""File names as people give them, made safe to keep and to hand out again."""

import re
import unicodedata

LONGEST = 255
LONGEST_EXTENSION = 20
LONGEST_PATH = 600
UNNAMED = "unnamed"


def clean_name(given: str) -> str:
    """The base name of `given`: no folders of either kind of slash, no control or invisible characters, NFC, and at
    most 255 characters, cut before the extension. Never empty.
    """
    name = unicodedata.normalize("NFC", given)
    name = re.split(r"[/\\]", name)[-1]
    # Cc, Cf: line breaks, NUL, and marks that make "cod.exe" read "exe.doc".
    name = "".join(
        " " if c in "\t\n\r" else c
        for c in name
        if c in "\t\n\r" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co")
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
    name where nothing is given, where the path leads out of its root or is longer than 600 characters.
    """
    folders = [part for part in re.split(r"[/\\]", given) if part.strip() not in ("", ".")][:-1]
    path = "/".join(["", *(clean_name(folder) for folder in folders), name])
    return name if not given.strip() or ".." in folders or len(path) > LONGEST_PATH else path
