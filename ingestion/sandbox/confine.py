"""Giving up rights, from inside the limited process, before the uploaded bytes are opened.

Every step is either enforced or left out of `list_in_force()`. On Linux no file is opened while one of NEEDED is
missing, unless the installation says so; elsewhere the others still hold. docs/sandbox.md has the table.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

from ingestion.sandbox import landlock, privileges, seccomp
from ingestion.sandbox.limits import Limits

PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38
CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
FORBIDDEN_EVENTS = ("socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "pty.")
NEEDED = (
    frozenset({"seccomp"}),
    frozenset({"no_capabilities"}),
    frozenset({"landlock"}),
    frozenset({"network_namespace", "landlock_network"}),
)
"""One of each."""

_in_force: set[str] = set()


def list_in_force() -> frozenset[str]:
    """The restrictions this process is under: limits, parent_death, network_namespace, no_new_privileges,
    no_capabilities, own_user, own_files, landlock, landlock_network, landlock_scopes, seccomp, audit."""
    return frozenset(_in_force)


def list_missing() -> list[str]:
    """What this process would need to be under, and is not: `landlock`, `landlock_network or network_namespace`. Only
    Linux offers it."""
    if sys.platform != "linux":
        return []
    return [" or ".join(sorted(either)) for either in NEEDED if not either & _in_force]


def confine_process(limits: Limits, readable: Collection[Path], user: int) -> None:
    """readable: the files to be opened; beside them only code, system libraries and fonts stay readable. user: the id
    that root gives this process."""
    _set_limits(limits)
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        parent = os.getppid()
        if "network_namespace" not in _in_force:
            enter_empty_network(libc)
        _in_force.update(privileges.drop_privileges(libc, user, readable))
        end_with_parent(libc)
        if os.getppid() != parent:
            os._exit(1)
        if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0:
            _in_force.add("no_new_privileges")
            _in_force.update(landlock.limit_process(libc, readable))
            if seccomp.install_filter(libc):
                _in_force.add("seccomp")
    sys.addaudithook(_refuse_event)
    _in_force.add("audit")


def end_with_parent(libc: ctypes.CDLL) -> None:
    """The kernel kills this process when the one that started it ends. A fork does not inherit that, and a change of
    user takes it away."""
    if libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) == 0:
        _in_force.add("parent_death")


def enter_empty_network(libc: ctypes.CDLL) -> None:
    """A user namespace gives an ordinary user the right to an empty network; root has it already. Forks inherit it."""
    if libc.unshare(CLONE_NEWNET if os.geteuid() == 0 else CLONE_NEWUSER | CLONE_NEWNET) == 0:
        _in_force.add("network_namespace")


def _set_limits(limits: Limits) -> None:
    wanted = {
        "RLIMIT_AS": limits.memory_bytes,
        "RLIMIT_CPU": limits.cpu_seconds,
        "RLIMIT_NOFILE": limits.open_files,
        "RLIMIT_FSIZE": 0,  # the answer goes through a pipe: no file is ever written
        "RLIMIT_CORE": 0,
    }
    for name, value in wanted.items():
        kind = getattr(resource, name)
        _, hard = resource.getrlimit(kind)
        if hard != resource.RLIM_INFINITY:
            value = min(value, hard)
        # At the first limit of processor time the kernel names its reason (SIGXCPU); at the last it kills without one.
        last = value if name != "RLIMIT_CPU" else value + 1 if hard == resource.RLIM_INFINITY else min(value + 1, hard)
        try:
            resource.setrlimit(kind, (value, last))
        except (ValueError, OSError):  # macOS refuses RLIMIT_AS; the watch on resident size takes its place
            continue
        _in_force.add(name.lower())


def _refuse_event(event: str, _arguments: tuple[Any, ...]) -> None:
    """Python's own door to sockets and programs, closed on every platform."""
    if event.startswith(FORBIDDEN_EVENTS):
        raise PermissionError(f"not allowed in the limited process: {event}")
