"""The data directory (`CLEARANCE_HOME`) and what the installation keeps in it."""

import os
import secrets
from pathlib import Path

BASE = Path(__file__).resolve().parent.parent
HOME = Path(os.environ.get("CLEARANCE_HOME") or BASE / "var").expanduser().resolve()


def make_home(home: Path = HOME) -> None:
    """Closed to everybody else: it holds the database, the files and the signing key."""
    home.parent.mkdir(parents=True, exist_ok=True)
    home.mkdir(mode=0o700, exist_ok=True)


def load_secret_key(home: Path) -> str:
    """The signing key of this installation, made on first use and readable by its owner only (mode 0600)."""
    path = home / "secret-key"
    make_home(home)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    key = secrets.token_urlsafe(50)
    with os.fdopen(descriptor, "w") as file:
        file.write(key + "\n")
    return key
