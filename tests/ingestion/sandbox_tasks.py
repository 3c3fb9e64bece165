"""Tasks that misbehave, for tests of the limited process: they stand in for a library that a hostile file broke."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

from ingestion.sandbox.limits import Quarantined


def size(path, *, limits, report):
    report("reading", 1, 2)
    report("reading", 2, 2)
    return {"size": len(path.read_bytes())}


def blob(path, *, limits, report):
    return {"pages": 1, "blob": b"\x00\xff" + path.read_bytes()}


def rows(path, *, limits, report):
    return {"pages": 1, "rows": ([n, "x"] for n in range(1000))}


def refuse(path, *, limits, report):
    raise Quarantined("encrypted", "Protected by a password.", 3)


def sleep(path, *, limits, report):
    report("reading", 7, 9)
    time.sleep(60)


def wait(path, *, limits, report):
    """Long enough for its caller to do something meanwhile."""
    report("reading", 1, 1)
    time.sleep(0.5)
    return size(path, limits=limits, report=report)


def report_pid(path, *, limits, report):
    """As its progress, so that somebody can end it."""
    report("reading", os.getpid(), 1)
    time.sleep(60)


def parent(path, *, limits, report):
    return {"pid": os.getppid()}


_read = []


def remember(path, *, limits, report):
    """How many files this process, or the one it was forked from, has read before."""
    before = len(_read)
    _read.append(path.read_bytes())
    return {"before": before}


def descriptors(path, *, limits, report):
    return {"open": [f"{number} {_link(number)}" for number in range(64) if _link(number)]}


def _link(number):
    try:
        return os.readlink(f"/proc/self/fd/{number}")
    except OSError:
        return ""


def sleep_after_closing(path, *, limits, report):
    os.closerange(0, 64)
    time.sleep(60)


def spin(path, *, limits, report):
    while True:
        pass


def trickle(path, *, limits, report):
    while True:
        report("reading", 1, 1)
        time.sleep(0.02)


def shout(path, *, limits, report):
    while True:
        os.write(2, b"error\n" * 1000)


def eat(path, *, limits, report):
    report("reading", 4, 9)
    kept = []
    while True:
        kept.append(bytearray(16 << 20))


def abort(path, *, limits, report):
    report("reading", 2, 9)
    os.abort()


def leave(path, *, limits, report):
    os._exit(0)


def fail(path, *, limits, report):
    raise RuntimeError("a bug")


def babble(path, *, limits, report):
    os.write(1, b"a C library prints this\n" * 10_000)
    os.write(2, b"and this\n" * 200_000)
    return {"done": True}


def flood(path, *, limits, report):
    return {"text": "x" * (limits.output_bytes + 1)}


def forge(path, *, limits, report):
    """Writes rubbish into every open descriptor, the pipe to the parent among them."""
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, b"R\xff\xff\xff\xff" * 10)
        except OSError:
            continue
    time.sleep(60)


def attempts(path, *, limits, report):
    """What a broken library would try: each entry is what stopped it, or `done`."""
    tried = {
        "connect": lambda: socket.create_connection(("127.0.0.1", 9), timeout=1),
        "raw_socket": lambda: _raw_socket(),
        "program": lambda: subprocess.run(["/bin/true"], check=True),
        "fork": lambda: _raw_fork(),
        "write": lambda: (path.parent / "written").write_bytes(b"x"),
        "read_neighbour": lambda: (path.parent / "neighbour.txt").read_bytes(),
        "read_passwords": lambda: Path("/etc/passwd").read_bytes(),
        "kill_parent": lambda: os.kill(os.getppid(), 0),
        "environment": lambda: _no_secret(),
        "descriptors": lambda: [os.open(path, os.O_RDONLY) for _ in range(200)],
    }
    found = {}
    for name, attempt in tried.items():
        try:
            attempt()
            found[name] = "done"
        except (OSError, subprocess.SubprocessError) as error:
            found[name] = type(error).__name__
    return found


def _raw_socket():
    """Past Python's audit hook, straight to the kernel."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.socket(2, 1, 0) < 0:
        raise OSError(ctypes.get_errno(), "socket")


def _raw_fork():
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    child = libc.fork()
    if child == 0:
        os._exit(0)
    if child < 0:
        raise OSError(ctypes.get_errno(), "fork")


def _no_secret():
    if not any("SECRET" in name for name in os.environ):
        raise OSError("nothing of the parent's environment is here")


def modules(path, *, limits, report):
    return {"modules": sorted(sys.modules)}
