"""A system call filter (seccomp-bpf, Linux): no sockets, no new processes, no signals to others, no namespaces.

A filter of about forty instructions, written by hand so that no library is needed. Forbidden calls fail with EPERM;
`clone` is allowed for threads alone, and `clone3`, whose flags a filter cannot see, says ENOSYS so that the C library
falls back to `clone`. Structures from include/uapi/linux/{filter,seccomp}.h.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
from dataclasses import dataclass

PR_SET_SECCOMP = 22
MODE_FILTER = 2
ALLOW, ERRNO, KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER_OFFSET, ARCH_OFFSET, FIRST_ARGUMENT_OFFSET = 0, 4, 16
X32_BIT = 0x40000000
CLONE_THREAD = 0x00010000


@dataclass(frozen=True, slots=True)
class _Machine:
    audit_arch: int
    clone: int
    clone3: int
    tgkill: int
    forbidden: tuple[int, ...]


MACHINES = {
    "x86_64": _Machine(
        audit_arch=0xC000003E,
        clone=56,
        clone3=435,
        tgkill=234,
        # socket socketpair fork vfork execve kill ptrace mount tkill add_key keyctl unshare perf_event_open
        # open_by_handle_at setns process_vm_readv process_vm_writev memfd_create bpf execveat userfaultfd
        # pidfd_send_signal io_uring_setup pidfd_getfd
        forbidden=(41, 53, 57, 58, 59, 62, 101, 165, 200, 248, 250, 272, 298, 304, 308, 310, 311, 319, 321, 322, 323)
        + (424, 425, 438),
    ),
    "aarch64": _Machine(
        audit_arch=0xC00000B7,
        clone=220,
        clone3=435,
        tgkill=131,
        # socket socketpair execve kill ptrace mount tkill add_key keyctl unshare perf_event_open open_by_handle_at
        # setns process_vm_readv process_vm_writev memfd_create bpf execveat userfaultfd pidfd_send_signal
        # io_uring_setup pidfd_getfd
        forbidden=(198, 199, 221, 129, 117, 40, 130, 217, 219, 97, 241, 265, 268, 270, 271, 279, 280, 281, 282)
        + (424, 425, 438),
    ),
}


class _Instruction(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint16), ("jt", ctypes.c_uint8), ("jf", ctypes.c_uint8), ("k", ctypes.c_uint32))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("filter", ctypes.POINTER(_Instruction)))


def install_filter(libc: ctypes.CDLL) -> bool:
    """False where there is no filter for this machine or the kernel refuses it. Needs no_new_privileges."""
    machine = MACHINES.get(platform.machine())
    if machine is None:
        return False
    instructions = _build_program(machine, os.getpid())
    array = (_Instruction * len(instructions))(*instructions)
    program = _Program(len(instructions), array)
    return bool(libc.prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.byref(program), 0, 0) == 0)


def _build_program(machine: _Machine, process: int) -> list[_Instruction]:
    deny = ERRNO | errno.EPERM
    code = [
        _Instruction(LOAD, 0, 0, ARCH_OFFSET),
        _Instruction(EQUAL, 1, 0, machine.audit_arch),
        _Instruction(RETURN, 0, 0, KILL_PROCESS),
        _Instruction(LOAD, 0, 0, NUMBER_OFFSET),
        _Instruction(AT_LEAST, 0, 1, X32_BIT),
        _Instruction(RETURN, 0, 0, deny),
    ]
    for number in machine.forbidden:
        code += [_Instruction(EQUAL, 0, 1, number), _Instruction(RETURN, 0, 0, deny)]
    code += [
        _Instruction(EQUAL, 0, 1, machine.clone3),
        _Instruction(RETURN, 0, 0, ERRNO | errno.ENOSYS),
        _Instruction(EQUAL, 0, 4, machine.clone),
        _Instruction(LOAD, 0, 0, FIRST_ARGUMENT_OFFSET),
        _Instruction(ANY_BIT, 1, 0, CLONE_THREAD),
        _Instruction(RETURN, 0, 0, deny),
        _Instruction(RETURN, 0, 0, ALLOW),
        _Instruction(EQUAL, 0, 3, machine.tgkill),  # a crash signals its own process; no other may be signalled
        _Instruction(LOAD, 0, 0, FIRST_ARGUMENT_OFFSET),
        _Instruction(EQUAL, 1, 0, process),
        _Instruction(RETURN, 0, 0, deny),
        _Instruction(RETURN, 0, 0, ALLOW),
    ]
    return code
