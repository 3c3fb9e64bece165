"""Giving up rights of a user (Linux): no capability, and for root an id of its own.

As root, a limited process becomes a user and a group that own nothing. Where that user could not read what it must
(originals are 0600 of whoever runs Clearance), it opens files as before (`setfsuid`), still without a capability: it
has the id of its own for signals, limits and everything else. Numbers from include/uapi/linux/{capability,prctl,
securebits}.h.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterable
from pathlib import Path

PR_SET_SECUREBITS, PR_CAPBSET_DROP, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 28, 24, 47, 4
LOCKED_BITS = 0b11101111
"""An id gives and takes no capability, none can be made ambient, and nobody changes that; keep_caps stays off."""
VERSION_3 = 0x20080522
CAP_SETUID = 7
MOST_CAPABILITIES = 64


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Capabilities(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def drop_privileges(libc: ctypes.CDLL, user: int, needed: Iterable[Path]) -> set[str]:
    """What could be given up of `no_capabilities` and, as root, `own_user`, `own_files`. needed: what must stay
    readable. The kernel forgets the wish to end with the parent: see `confine.end_with_parent`."""
    given_up = set()
    before = os.geteuid()
    existing = [path for path in (*needed, *map(Path, sys.path)) if path.exists()]
    for capability in range(MOST_CAPABILITIES):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    if libc.prctl(PR_SET_SECUREBITS, LOCKED_BITS, 0, 0, 0) == 0 and before == 0 and _set_user(user):
        given_up.add("own_user")
        _keep_capabilities(libc, 1 << CAP_SETUID)
        if all(os.access(path, os.R_OK, effective_ids=True) for path in existing):
            given_up.add("own_files")
        else:
            libc.setfsuid(before)
    if _keep_capabilities(libc, 0):
        given_up.add("no_capabilities")
    return given_up


def _set_user(user: int) -> bool:
    """False where this user is not known here, as in some containers, or root may not change its own."""
    try:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    except OSError:
        return False
    return True


def _keep_capabilities(libc: ctypes.CDLL, kept: int) -> bool:
    sets = (_Capabilities * 2)(_Capabilities(kept, kept, 0))
    return bool(libc.capset(ctypes.byref(_Header(VERSION_3, 0)), sets) == 0)
