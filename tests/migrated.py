"""The migrated database of the last test run of this checkout: the next one starts from it while the code is the same,
for migrating takes each worker eight seconds. Likewise the graph of the embedding model.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from config.postgres import Cluster

BASE: Path = settings.BASE
CHECKOUT = hashlib.sha256(os.fsencode(BASE)).hexdigest()[:16]
KEPT = Path(tempfile.gettempdir()) / f"clearance-migrated-{os.getuid()}-{CHECKOUT}"
DATA, CODE = KEPT / "data", KEPT / "code"


@contextmanager
def lock_migration() -> Iterator[None]:
    """Held by one process of a checkout at a time: the first migrates, and the others then start from its database."""
    with _alone(fcntl.LOCK_EX, "migrating"):
        yield


def take(cluster: Cluster) -> bool:
    """Copy it to where the cluster, which never ran, will have its data. False where there is none of this code."""
    with _alone(fcntl.LOCK_SH) as mine:
        if not mine or not CODE.exists() or CODE.read_text() != _code():
            return False
        cluster.make_directories()
        _copy(DATA, cluster.data)
        return True


def keep(cluster: Cluster) -> None:
    """Nobody may be connected."""
    with _alone(fcntl.LOCK_EX) as mine:
        if not mine or CODE.exists() and CODE.read_text() == _code():
            return
        CODE.unlink(missing_ok=True)
        shutil.rmtree(DATA, ignore_errors=True)
        cluster.run_program("pg_ctl", "stop", "-m", "fast", "-w", "-t", "30", "-D", str(cluster.data))
        _copy(cluster.data, DATA)
        CODE.write_text(_code())
        cluster.restart()


def share_models(home: Path) -> None:
    """The graph of the embedding model is kept too, while the code that makes it is the same: building it takes each
    worker three seconds.
    """
    kept = KEPT / f"models-{_digest([BASE / 'requirements.txt', *_files(BASE / 'ingestion' / 'embedders')])[:16]}"
    with _alone(fcntl.LOCK_SH) as mine:
        if mine and not (home / "models").exists():
            kept.mkdir(exist_ok=True)
            (home / "models").symlink_to(kept)


@contextmanager
def _alone(how: int, name: str = "lock") -> Iterator[bool]:
    """Whether it is ours: the directory for temporary files is everybody's."""
    KEPT.mkdir(mode=0o700, exist_ok=True)
    if KEPT.is_symlink() or KEPT.stat().st_uid != os.getuid():
        yield False
        return
    with (KEPT / name).open("a") as file:
        fcntl.flock(file, how)
        yield True


def _copy(source: Path, target: Path) -> None:
    subprocess.run(["cp", "-a", str(source), str(target)], check=True)


def _code() -> str:
    """Of all that a migration may use."""
    return _digest(
        [BASE / "requirements.txt", *(p for app in ("config", *settings.LAYERS) for p in _files(BASE / app))]
    )


def _digest(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(b"%s %d\n" % (os.fsencode(path), path.stat().st_size) + path.read_bytes())
    return digest.hexdigest()


def _files(app: Path) -> list[Path]:
    return sorted([*app.rglob("*.py"), *app.rglob("*.sql")])
