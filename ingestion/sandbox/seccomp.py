"""A system call filter (seccomp-bpf, Linux): only the calls of `calls.ALLOWED`, and of some only certain arguments.

Written by hand so that no library is needed. A refused call fails with EPERM, and kills nothing: a library that goes
on without it may. One that is newer than SHARED_NUMBERS says ENOSYS, as an older kernel does, so that the C library
falls back to what it called before (`clone3`, whose flags a filter cannot see, to `clone`). Structures from
include/uapi/linux/{filter,seccomp}.h.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
from collections.abc import Sequence

from ingestion.sandbox.calls import ALLOWED, MACHINES, SHARED_NUMBERS, Check, list_checks

PR_SET_SECCOMP = 22
MODE_FILTER = 2
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
LOAD, EQUAL, AT_LEAST, AND, RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
NUMBER_OFFSET, ARCH_OFFSET, ARGUMENTS_OFFSET = 0, 4, 16
X32_BIT = 0x40000000

Instruction = tuple[int, int, int, int]
"""Code, steps to skip if true, if false, constant."""


class _Instruction(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint16), ("jt", ctypes.c_uint8), ("jf", ctypes.c_uint8), ("k", ctypes.c_uint32))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("filter", ctypes.POINTER(_Instruction)))


def install_filter(libc: ctypes.CDLL) -> bool:
    """False where there is no filter for this machine or the kernel refuses it. Needs no_new_privileges."""
    if platform.machine() not in MACHINES:
        return False
    return load_program(libc, build_program(platform.machine(), os.getpid()))


def load_program(libc: ctypes.CDLL, code: Sequence[Instruction]) -> bool:
    program = _Program(len(code), (_Instruction * len(code))(*(_Instruction(*each) for each in code)))
    return bool(libc.prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.byref(program), 0, 0) == 0)


def build_program(machine: str, process: int) -> list[Instruction]:
    """The number of the call stays loaded until one matches."""
    audited, column = MACHINES[machine]
    checks = list_checks(process)
    code = [
        (LOAD, 0, 0, ARCH_OFFSET),
        (EQUAL, 1, 0, audited),
        (RETURN, 0, 0, ERRNO | errno.EPERM),
        (LOAD, 0, 0, NUMBER_OFFSET),
        (AT_LEAST, 0, 1, X32_BIT),
        (RETURN, 0, 0, ERRNO | errno.EPERM),
    ]
    for name, numbers in ALLOWED.items():
        number = numbers[column]
        if number is not None:
            body = [step for check in checks.get(name, ()) for step in _build_check(check)]
            body.append((RETURN, 0, 0, ALLOW))
            code += [(EQUAL, 0, len(body), number), *body]
    code += [
        (AT_LEAST, 0, 1, SHARED_NUMBERS),
        (RETURN, 0, 0, ERRNO | errno.ENOSYS),
        (RETURN, 0, 0, ERRNO | errno.EPERM),
    ]
    return code


def _build_check(check: Check) -> list[Instruction]:
    """Goes on after its end where the argument is right, else refuses."""
    last = len(check.values) - 1
    return [
        (LOAD, 0, 0, ARGUMENTS_OFFSET + 8 * check.argument + check.half),
        (AND, 0, 0, check.mask),
        *((EQUAL, last - place + 1, 0, value) for place, value in enumerate(check.values)),
        (RETURN, 0, 0, ERRNO | errno.EPERM),
    ]
