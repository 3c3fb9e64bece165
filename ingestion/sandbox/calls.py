"""The system calls that a limited process may make, by the number of each machine; every other one is refused.

Found by tracing every reader on a collection of real files, and completed by what other versions of Python and the C
library call for the same purposes. Numbers from the kernel's unistd.h; those from 424 on are the same everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

SHARED_NUMBERS = 424
THREAD = 0x003D0F00
"""The flags of `clone` with which the C library starts a thread; any other set may make a process or a namespace."""
TCGETS = 0x5401
"""What `isatty` asks: Python does so of each file that it opens."""
DUPLICATE, GET_FLAGS, SET_FLAGS, GET_STATUS, DUPLICATE_CLOEXEC = 0, 1, 2, 3, 1030
PR_SET_NAME, PR_GET_NAME, PR_SET_VMA = 15, 16, 0x53564D41
WRITING = 0o3 | 0o100 | 0o1000
"""Bits of `open`: the mode of access, O_CREAT, O_TRUNC."""
LOW, HIGH = 0, 4
MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""By machine: its number in the kernel's audit, and which number of ALLOWED is its own."""


@dataclass(frozen=True, slots=True)
class Check:
    """What one half of an argument has to be for a call to be allowed: one of `values`, after `mask`."""

    argument: int
    values: tuple[int, ...]
    mask: int = 0xFFFFFFFF
    half: int = LOW


ALLOWED: dict[str, tuple[int | None, int | None]] = {
    # files, which Landlock bounds
    "open": (2, None),
    "openat": (257, 56),
    "close": (3, 57),
    "close_range": (436, 436),
    "read": (0, 63),
    "readv": (19, 65),
    "pread64": (17, 67),
    "write": (1, 64),
    "writev": (20, 66),
    "lseek": (8, 62),
    "stat": (4, None),
    "lstat": (6, None),
    "fstat": (5, 80),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "statfs": (137, 43),
    "fstatfs": (138, 44),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "getdents64": (217, 61),
    "getcwd": (79, 17),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "fcntl": (72, 25),
    "ioctl": (16, 29),
    "poll": (7, None),
    "ppoll": (271, 73),
    "select": (23, None),
    "pselect6": (270, 72),
    # memory
    "mmap": (9, 222),
    "munmap": (11, 215),
    "mprotect": (10, 226),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "brk": (12, 214),
    # threads, and signals of its own
    "clone": (56, 220),
    "futex": (202, 98),
    "set_robust_list": (273, 99),
    "rseq": (334, 293),
    "membarrier": (324, 283),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "getcpu": (309, 168),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "setitimer": (38, 103),  # of its own processor time
    "sigaltstack": (131, 132),
    "tgkill": (234, 131),
    "restart_syscall": (219, 128),
    "exit": (60, 93),
    "exit_group": (231, 94),
    # what it may know of itself and the machine
    "getpid": (39, 172),
    "gettid": (186, 178),
    "getppid": (110, 173),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "getrandom": (318, 278),
    "uname": (63, 160),
    "sysinfo": (99, 179),
    "times": (100, 153),
    "getrusage": (98, 165),
    "getrlimit": (97, 163),
    "prlimit64": (302, 261),
    "prctl": (157, 167),
    "time": (201, None),
    "gettimeofday": (96, 169),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "nanosleep": (35, 101),
}


def list_checks(process: int) -> dict[str, tuple[Check, ...]]:
    """Calls that are allowed in part. process: the id of the caller, which may signal nothing else."""
    return {
        "open": (Check(1, (0,), WRITING),),
        "openat": (Check(2, (0,), WRITING),),
        "fcntl": (Check(1, (DUPLICATE, GET_FLAGS, SET_FLAGS, GET_STATUS, DUPLICATE_CLOEXEC)),),
        "ioctl": (Check(1, (TCGETS,)),),
        "clone": (Check(0, (THREAD,)),),
        "tgkill": (Check(0, (process,)),),
        # of itself, and without new limits
        "prlimit64": (Check(0, (0,)), Check(2, (0,)), Check(2, (0,), half=HIGH)),
        "prctl": (Check(0, (PR_SET_NAME, PR_GET_NAME, PR_SET_VMA)),),
    }
