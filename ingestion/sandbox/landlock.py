"""Landlock (Linux 5.13 and later): only code, libraries, fonts and the one file can be read, and nothing written.

From version 4 of its interface also no TCP, from version 6 no signal to a process outside and no abstract socket of
one. Numbers and structures from the kernel's include/uapi/linux/landlock.h; the system call numbers are the same on
every architecture.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterable
from pathlib import Path

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
VERSION_FLAG = 1
RULE_PATH_BENEATH = 1
READ_FILE, READ_DIR = 1 << 2, 1 << 3
# Rights known to each version of the interface: what is handled and not granted is forbidden.
HANDLED = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
NETWORK, NETWORK_VERSION = (1 << 0) | (1 << 1), 4  # bind and connect of TCP
SCOPES, SCOPES_VERSION = (1 << 0) | (1 << 1), 6  # abstract sockets and signals
SYSTEM = ("/usr", "/lib", "/lib64", "/etc/fonts", "/etc/ld.so.cache", "/etc/localtime", "/dev/null", "/dev/urandom")


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def limit_process(libc: ctypes.CDLL, readable: Iterable[Path]) -> set[str]:
    """What is in force afterwards of `landlock`, `landlock_network`, `landlock_scopes`; empty where the kernel has no
    Landlock or it is switched off. Needs no_new_privileges."""
    version = libc.syscall(CREATE_RULESET, None, 0, VERSION_FLAG)
    if version < 1:
        return set()
    network, scopes = version >= NETWORK_VERSION, version >= SCOPES_VERSION
    attributes = _Ruleset(HANDLED[min(version, max(HANDLED))], NETWORK * network, SCOPES * scopes)
    size = (1 + network + scopes) * ctypes.sizeof(ctypes.c_uint64)  # an older kernel takes no longer structure
    ruleset = libc.syscall(CREATE_RULESET, ctypes.byref(attributes), size, 0)
    if ruleset < 0:
        return set()
    try:
        code = Path(__file__).resolve().parents[1]
        for folder in {*SYSTEM, sys.prefix, sys.base_prefix, str(code)}:
            _allow_path(libc, ruleset, Path(folder))
        for path in readable:
            _allow_path(libc, ruleset, path)
        if libc.syscall(RESTRICT_SELF, ruleset, 0) != 0:
            return set()
    finally:
        os.close(ruleset)
    return {"landlock", *["landlock_network"] * network, *["landlock_scopes"] * scopes}


def _allow_path(libc: ctypes.CDLL, ruleset: int, path: Path) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        rights = READ_FILE | READ_DIR if path.is_dir() else READ_FILE
        rule = _PathBeneath(rights, descriptor)
        libc.syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, ctypes.byref(rule), 0)
    finally:
        os.close(descriptor)
