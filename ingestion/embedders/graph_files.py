"""Files that a model is run from, made once from its package and kept in the home."""

from __future__ import annotations

import fcntl
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

Build = Callable[[str], Mapping[str, bytes]]
"""Makes the files of a model, whose names begin with the argument: suffix -> content, what names others last."""
SAMPLED_BYTES = 1 << 20


def get_or_build_files(
    package_file: Path, home: Path, *, name: str, recipe: str, suffixes: tuple[str, ...], build: Build
) -> Path:
    """The files `name`-…`suffix` under `home`/models, built when one is missing or damaged; the path without suffix.

    recipe: changes when `build` does. File names hold a digest of what the files were made from, and a file beside each
    holds the digest of its content. Of two processes that find one missing one builds and the other waits; a reader
    never gets half of it.
    """
    made_from = hashlib.sha256(
        f"{recipe} {package_file.stat().st_size} {_compute_sample_digest(package_file)}".encode()
    ).hexdigest()
    path = home / "models" / f"{name}-{made_from[:16]}"
    paths = [_add_suffix(path, suffix) for suffix in suffixes]
    if all(map(_is_whole, paths)):
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    with _lock(_add_suffix(path, ".lock")):
        if not all(map(_is_whole, paths)):  # another process was faster
            for suffix, content in build(path.name).items():
                _write(_add_suffix(path, suffix), content)
                _write(_add_suffix(path, f"{suffix}.sha256"), hashlib.sha256(content).hexdigest().encode())
            made = {_add_suffix(path, f"{suffix}{end}") for suffix in suffixes for end in ("", ".sha256")}
            for former in set(path.parent.glob(f"{name}-*")) - made:
                if former.suffix != ".lock":
                    former.unlink(missing_ok=True)  # who has it open goes on reading it
    return path


def _add_suffix(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _compute_sample_digest(file: Path) -> str:
    """Of the first and last mebibyte: tells packages apart without reading all of them at every start."""
    with file.open("rb") as opened:
        first = opened.read(SAMPLED_BYTES)
        opened.seek(-SAMPLED_BYTES, os.SEEK_END)
        return hashlib.sha256(first + opened.read()).hexdigest()


def _is_whole(path: Path) -> bool:
    try:
        expected = _add_suffix(path, ".sha256").read_text()
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == expected
    except OSError:
        return False


def _write(path: Path, content: bytes) -> None:
    """All of it or nothing, whoever looks and whenever the power goes."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
