"""Bytes of files: content-addressed, immutable, per workspace (design §4), in the storage of the settings.

In a directory, bytes come into being under a temporary name, are synced to disk and renamed, so a blob is whole or
absent. Storing and removing the same content exclude each other by a lock that lasts to the end of the transaction.
"""

import hashlib
import os
import shutil
import tempfile
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.core.files.base import File as DjangoFile
from django.core.files.storage import default_storage
from django.db import connection

from entities.access import Scope
from ingestion.models import Blob, FileRevision

CHUNK = 1024 * 1024
INCOMING = "incoming"
ABANDONED_SECONDS = 24 * 3600


@dataclass(frozen=True)
class ReceivedUpload:
    """Bytes that have arrived in a temporary file. sha256: hexadecimal. size: bytes."""

    path: Path
    sha256: str
    size: int


class BlobMissing(Exception):
    """The storage is there, and the bytes are not in it."""


class TooMuch(Exception):
    """More bytes than are allowed were coming in."""


@contextmanager
def receive_upload(upload: DjangoFile, limit: int) -> Iterator[ReceivedUpload]:
    """Copy an upload to a temporary file beside the storage, counting and hashing; the copy is gone afterwards.

    Raises: TooMuch beyond `limit` bytes.
    """
    folder = _make_incoming_folder()
    path = folder / uuid.uuid4().hex
    digest, size = hashlib.sha256(), 0
    try:
        with path.open("xb") as out:
            for part in upload.chunks(CHUNK):
                size += len(part)
                if size > limit:
                    raise TooMuch
                digest.update(part)
                out.write(part)
            out.flush()
            os.fsync(out.fileno())
        yield ReceivedUpload(path, digest.hexdigest(), size)
    finally:
        path.unlink(missing_ok=True)


def save_blob(received: ReceivedUpload, workspace: int, media_type: str) -> Blob:
    """The blob of what was received, in the open transaction; the one that is there already if there is one."""
    _lock_blob(workspace, received.sha256)
    found = Blob.objects.filter(sha256=received.sha256).first()
    if found is not None and default_storage.exists(found.path):
        return found
    path = f"blobs/{workspace}/{received.sha256[:2]}/{received.sha256}"
    target = _find_local_path(path)
    if target is not None:
        _move_durably(received.path, target)
    elif not default_storage.exists(path):
        with received.path.open("rb") as file:
            default_storage.save(path, DjangoFile(file))
    return found or Blob.objects.create(
        workspace_id=workspace, sha256=received.sha256, size=received.size, media_type=media_type, path=path
    )


@contextmanager
def local_copy(path: str) -> Iterator[Path]:
    """The bytes at `path` of the storage as a file of this machine, for the limited process.

    Raises: Missing when they are not there; another error where all of the workspace's are not, as of a folder that is
    not mounted yet.
    """
    local = _find_local_path(path)
    if local is not None:
        if not local.exists() and local.parents[1].is_dir():
            raise BlobMissing(path)
        yield local
        return
    with tempfile.NamedTemporaryFile(prefix="clearance-") as copy:
        try:
            source = default_storage.open(path)
        except FileNotFoundError:
            raise BlobMissing(path) from None
        with source:
            shutil.copyfileobj(source, copy, CHUNK)
        copy.flush()
        yield Path(copy.name)


def remove_unused(workspace: int, only: Iterable[UUID] | None = None) -> int:
    """Remove blobs (`only` these, or all) that no revision refers to, in an open service scope; returns how many.

    What deleted the revisions has committed before. The bytes go before this transaction commits: should it fail, a row
    without bytes remains, which the next upload of the same content fills again.
    """
    blobs = Blob.objects.exclude(pk__in=FileRevision.objects.values("blob"))
    removed = 0
    for blob in blobs if only is None else blobs.filter(pk__in=list(only)):
        _lock_blob(workspace, blob.sha256)
        if FileRevision.objects.filter(blob=blob.pk).exists():
            continue  # an upload got there first
        Blob.objects.filter(pk=blob.pk).delete()
        with suppress(FileNotFoundError):
            default_storage.delete(blob.path)
        removed += 1
    return removed


def remove_after(workspace: int, wanted: Iterable[UUID]) -> None:
    """`remove_unused` of what a transaction that has committed deleted. Opens a service scope."""
    with Scope.for_service(workspace).open():
        remove_unused(workspace, wanted)


def remove_unknown(workspace: int) -> int:
    """Remove bytes that no blob of the workspace names, in an open service scope; returns how many.

    An upload that is rolled back after its bytes got their name leaves such. Bytes younger than ABANDONED_SECONDS stay,
    and so do those of an upload at work: it holds the lock of its content until its rows are committed.
    """
    folder, removed = f"blobs/{workspace}", 0
    try:
        prefixes = default_storage.listdir(folder)[0]
    except FileNotFoundError:
        return 0
    for prefix in prefixes:
        names = default_storage.listdir(f"{folder}/{prefix}")[1]
        known = set(Blob.objects.filter(sha256__in=names).values_list("sha256", flat=True))
        for sha256 in set(names) - known:
            path = f"{folder}/{prefix}/{sha256}"
            _lock_blob(workspace, sha256)
            with suppress(FileNotFoundError):
                age = time.time() - default_storage.get_modified_time(path).timestamp()
                if age > ABANDONED_SECONDS and not Blob.objects.filter(sha256=sha256).exists():
                    default_storage.delete(path)
                    removed += 1
    return removed


def remove_abandoned() -> None:
    """Remove what interrupted uploads left before their bytes got a name, here or with the web server."""
    for folder in (_make_incoming_folder(), Path(settings.FILE_UPLOAD_TEMP_DIR)):
        for path in folder.iterdir():
            with suppress(FileNotFoundError):
                if path.stat().st_mtime < time.time() - ABANDONED_SECONDS:
                    path.unlink()


def _find_local_path(path: str) -> Path | None:
    """Where a storage of this machine keeps `path`; None where the storage is somewhere else."""
    try:
        return Path(default_storage.path(path))
    except NotImplementedError:
        return None


def _make_incoming_folder() -> Path:
    """On the file system of the storage, where there is one: renaming does not work across two."""
    folder = _find_local_path(INCOMING) or Path(tempfile.gettempdir()) / "clearance-incoming"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def _move_durably(source: Path, target: Path) -> None:
    """Move within one file system, and make the move last."""
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    source.chmod(0o600)
    os.replace(source, target)
    descriptor = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _lock_blob(workspace: int, sha256: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, %s))", [f"blob {sha256}", workspace])
