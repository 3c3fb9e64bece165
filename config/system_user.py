"""The user that the embedded PostgreSQL runs as, and its way to the data and the programs."""

import fcntl
import os
import pwd
import stat
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

SYSTEM_USER = "clearance-db"


class DatabaseError(Exception):
    """The embedded database cannot run; the message is one sentence for the person who started it."""


def get_system_user(data: Path) -> pwd.struct_passwd:
    """Ours; but PostgreSQL refuses to run as root, who lends it a user: the owner of `data`, if that exists.

    Raises: DatabaseError when root can make no such user.
    """
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid())
    command = ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin"]
    try:
        owner = data.stat().st_uid
        try:
            return pwd.getpwuid(owner)
        except KeyError:
            command += ["--uid", str(owner)]
    except FileNotFoundError:
        pass
    return create_system_user(SYSTEM_USER, command)


def create_system_user(name: str, command: Sequence[str]) -> pwd.struct_passwd:
    """Run `command` with `name` unless that user exists. Raises: DatabaseError.

    Two `useradd` at the same moment can both succeed, and the second one replaces the user of the first. So one process
    at a time creates users; the lock is on the directory, because `useradd` replaces the files in it.
    """
    directory = os.open("/etc", os.O_RDONLY)
    try:
        fcntl.flock(directory, fcntl.LOCK_EX)
        try:
            return pwd.getpwnam(name)
        except KeyError:
            subprocess.run([*command, name], check=True, capture_output=True)
        return pwd.getpwnam(name)
    except (OSError, KeyError, subprocess.CalledProcessError) as error:
        raise DatabaseError(
            "PostgreSQL cannot run as root and no system user could be made for it: run as an ordinary user."
        ) from error
    finally:
        os.close(directory)


def open_the_way(path: Path, programs: Path) -> None:
    """Let the system user reach `path` and PostgreSQL's `programs`: `x` (pass through), never `r`, on what is above."""
    for directory in (*path.parents, *programs.parents):
        mode = directory.stat().st_mode
        if not mode & stat.S_IXOTH:
            print(f"Letting the database's user pass through {directory} (chmod o+x).", file=sys.stderr)
            directory.chmod(mode | stat.S_IXOTH)
    if not (programs / "bin" / "postgres").stat().st_mode & stat.S_IXOTH:
        for file in (programs, *programs.rglob("*")):
            mode = file.stat().st_mode
            file.chmod(mode | stat.S_IROTH | (stat.S_IXOTH if mode & stat.S_IXUSR else 0))
