"""What limited processes do in the controls of the fuzzer: what a broken reader would."""

import contextlib
import socket
import time
import urllib.parse


def eat(path, *, limits, report, url):
    """650 MB, long enough to be seen."""
    kept = bytearray(650 << 20)
    kept[::4096] = b"x" * len(kept[::4096])
    time.sleep(0.3)
    return {"size": len(kept)}


def sleep(path, *, limits, report, url):
    report("reading")
    time.sleep(3.5)
    return {"done": True}


def call(path, *, limits, report, url):
    """Tries; the socket is kept a moment, so that it can be seen."""
    with contextlib.suppress(OSError):
        address = urllib.parse.urlsplit(url)
        with socket.create_connection((address.hostname, address.port), timeout=5):
            time.sleep(0.3)
    return {"done": True}
