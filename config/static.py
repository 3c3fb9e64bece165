"""Collect static files under their hashed names, when any of them changed."""

import hashlib
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command


def fingerprint_static_files() -> str:
    """Changes when a static file of any app or package is added, removed or modified."""
    digest = hashlib.sha256()
    for finder in get_finders():
        for path, storage in finder.list([]):
            state = Path(storage.path(path)).stat()
            digest.update(f"{path}\0{state.st_size}\0{state.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def collect_if_changed() -> bool:
    """Whether anything had to be collected. The mark is written last, so a collection cut short is done again."""
    if not settings.STATIC_HASHED:
        return False
    mark = Path(settings.STATIC_ROOT).with_name("static-fingerprint")
    now = fingerprint_static_files()
    if mark.exists() and mark.read_text() == now:
        return False
    call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    mark.write_text(now)
    return True
