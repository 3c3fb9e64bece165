"""What code of a hostile file would do to what is outside: each act once, straight to the kernel, past Python's hook.

`python -m tests.ingestion.hostile_acts USER FOLDER MODE` tries every act as that user, first by itself, then in a
limited process of each kind, and prints for each way by act `done` or the name of the error. MODE: of the files.
"""

import ctypes
import errno
import json
import os
import platform
import signal
import socket
import struct
import sys
from pathlib import Path

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
COLUMN = ("x86_64", "aarch64").index(platform.machine()) if sys.platform == "linux" else 0
NUMBERS = {
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "pidfd_getfd": (438, 438),
    "fcntl": (72, 25),
    "ioctl": (16, 29),
    "prctl": (157, 167),
    "prlimit64": (302, 261),
    "setpriority": (141, 140),
    "sched_setaffinity": (203, 122),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "openat": (257, 56),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchownat": (260, 54),
    "unlinkat": (263, 35),
    "renameat2": (316, 276),
    "linkat": (265, 37),
    "symlinkat": (266, 36),
    "mkdirat": (258, 34),
    "mknodat": (259, 33),
    "truncate": (76, 45),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "mount": (165, 40),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "add_key": (248, 217),
    "keyctl": (250, 219),
    "shmget": (29, 194),
    "memfd_create": (319, 279),
    "clone": (56, 220),
    "clone3": (435, 435),
    "execve": (59, 221),
    "setuid": (105, 146),
    "setfsuid": (122, 151),
    "capset": (126, 91),
    "landlock_create_ruleset": (444, 444),
}
HERE = -100  # AT_FDCWD
QUIET = signal.SIGWINCH  # nobody minds it
PTRACE_SEIZE, CLONE_NEWNS, CLONE_NEWUSER = 0x4206, 0x20000, 0x10000000
BUFFER = ctypes.create_string_buffer(b"of the victim's memory", 64)


def call(name, *arguments):
    """Raises OSError."""
    ready = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    result = libc.syscall(ctypes.c_long(NUMBERS[name][COLUMN]), *ready)
    if result < 0:
        raise OSError(ctypes.get_errno(), name)
    return result


def refuse_calls(*names):
    """This process and those it starts get ENOSYS for them, as from a kernel that does not know them."""
    from ingestion.sandbox import seccomp

    code = [(seccomp.LOAD, 0, 0, seccomp.NUMBER_OFFSET)]
    for name in names:
        code += [(seccomp.EQUAL, 0, 1, NUMBERS[name][COLUMN]), (seccomp.RETURN, 0, 0, seccomp.ERRNO | errno.ENOSYS)]
    code.append((seccomp.RETURN, 0, 0, seccomp.ALLOW))
    libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
    if not seccomp.load_program(libc, code):
        raise OSError("no filter")


def text(path):
    return ctypes.c_char_p(str(path).encode())


def siginfo():
    return ctypes.create_string_buffer(struct.pack("iii", QUIET, 0, -1), 128)  # SI_QUEUE


def signal_by_pidfd(at):
    call("pidfd_send_signal", call("pidfd_open", at["victim"], 0), QUIET, 0, 0)


def take_descriptor(at):
    call("pidfd_getfd", call("pidfd_open", at["victim"], 0), 0, 0)


def signal_by_input(at):
    """F_SETOWN: the kernel signals the victim when a pipe of ours has something to read."""
    call("fcntl", 0, 8, at["victim"])


def reach_memory(name, at):
    mine = ctypes.create_string_buffer(8)
    ours = struct.pack("PN", ctypes.addressof(mine), 8)
    theirs = struct.pack("PN", at["address"], 8)
    call(name, at["victim"], ctypes.c_char_p(ours), 1, ctypes.c_char_p(theirs), 1, 0)


def open_file(flags):
    return lambda at: call("openat", HERE, text(at["file"]), flags, 0o600)


def connect(family, address):
    """Python's own `connect`, for the descriptor comes past its hook."""

    def act(at):
        descriptor = call("socket", family, socket.SOCK_STREAM, 0)
        with socket.socket(family, socket.SOCK_STREAM, fileno=descriptor) as ours:
            ours.connect(address(at))

    return act


def mount(at):
    call("mount", text("none"), text(at["folder"]), text("tmpfs"), 0, 0)
    libc.umount(text(at["folder"]))


def make_map(at):
    """BPF_MAP_CREATE of an array."""
    attributes = ctypes.create_string_buffer(struct.pack("IIII", 2, 4, 8, 1), 128)
    call("bpf", 0, attributes, 128)


def count_events(at):
    """PERF_COUNT_SW_CPU_CLOCK of this process."""
    attributes = ctypes.create_string_buffer(struct.pack("IIQ", 1, 112, 0) + b"\0" * 24 + struct.pack("Q", 0x60), 112)
    call("perf_event_open", attributes, 0, -1, -1, 0)


def fork(name, *arguments):
    def act(at):
        if call(name, *arguments) == 0:
            os._exit(0)

    return act


def become_root_for_files(at):
    """`setfsuid` never fails: whether it did something is what it says the second time."""
    before = call("setfsuid", -1)
    call("setfsuid", 12_321)
    if call("setfsuid", before) != 12_321:
        raise OSError(errno.EPERM, "setfsuid")


def take_capability(at):
    """CAP_KILL, or all that this process may have."""
    header = ctypes.create_string_buffer(struct.pack("Ii", 0x20080522, 0))
    call("capset", header, ctypes.create_string_buffer(struct.pack("IIIIII", 32, 32, 0, 0, 0, 0)))


ACTS = {
    "kill": lambda at: call("kill", at["victim"], QUIET),
    "kill the parent": lambda at: call("kill", os.getppid(), QUIET),
    "kill everything": lambda at: call("kill", -1, 0),
    "tkill": lambda at: call("tkill", at["victim"], QUIET),
    "tgkill": lambda at: call("tgkill", at["victim"], at["victim"], QUIET),
    "rt_sigqueueinfo": lambda at: call("rt_sigqueueinfo", at["victim"], QUIET, siginfo()),
    "rt_tgsigqueueinfo": lambda at: call("rt_tgsigqueueinfo", at["victim"], at["victim"], QUIET, siginfo()),
    "pidfd_send_signal": signal_by_pidfd,
    "pidfd_getfd": take_descriptor,
    "fcntl F_SETOWN": signal_by_input,
    "prlimit64": lambda at: call("prlimit64", at["victim"], 4, ctypes.c_char_p(struct.pack("QQ", 0, 0)), 0),
    "prlimit64 of itself": lambda at: call("prlimit64", 0, 4, ctypes.c_char_p(struct.pack("QQ", 0, 0)), 0),
    "prlimit64 reading": lambda at: call("prlimit64", at["victim"], 4, 0, ctypes.create_string_buffer(16)),
    "setpriority": lambda at: call("setpriority", 0, at["victim"], 19),
    "sched_setaffinity": lambda at: call("sched_setaffinity", at["victim"], 8, ctypes.c_char_p(b"\1" + b"\0" * 7)),
    "ptrace": lambda at: call("ptrace", PTRACE_SEIZE, at["victim"], 0, 0),
    "process_vm_readv": lambda at: reach_memory("process_vm_readv", at),
    "process_vm_writev": lambda at: reach_memory("process_vm_writev", at),
    "read": open_file(os.O_RDONLY),
    "write": open_file(os.O_WRONLY),
    "append": open_file(os.O_RDWR | os.O_APPEND),
    "create": lambda at: call("openat", HERE, text(at["new"]), os.O_RDONLY | os.O_CREAT, 0o600),
    "list": lambda at: call("openat", HERE, text(at["folder"]), os.O_RDONLY | os.O_DIRECTORY, 0),
    "chmod": lambda at: call("fchmodat", HERE, text(at["file"]), 0o666),
    "chmod of the upload": lambda at: call("fchmod", os.open(at["upload"], os.O_RDONLY), 0o666),
    "chown": lambda at: call("fchownat", HERE, text(at["file"]), 12_321, 12_321, 0),
    "utimes": lambda at: call("utimensat", HERE, text(at["file"]), 0, 0),
    "setxattr": lambda at: call("setxattr", text(at["file"]), text("user.x"), text("y"), 1, 0),
    "truncate": lambda at: call("truncate", text(at["file"]), 1),
    "link": lambda at: call("linkat", HERE, text(at["file"]), HERE, text(at["new"] + "-link"), 0),
    "symlink": lambda at: call("symlinkat", text(at["file"]), HERE, text(at["new"] + "-symlink")),
    "mkdir": lambda at: call("mkdirat", HERE, text(at["new"] + "-folder"), 0o700),
    "mknod": lambda at: call("mknodat", HERE, text(at["new"] + "-device"), 0o20600, 0x103),
    "rename": lambda at: call("renameat2", HERE, text(at["renamed"]), HERE, text(at["new"] + "-name"), 0),
    "unlink": lambda at: call("unlinkat", HERE, text(at["unlinked"]), 0),
    "the database's socket": connect(socket.AF_UNIX, lambda at: at["socket"]),
    "an abstract socket": connect(socket.AF_UNIX, lambda at: "\0" + at["abstract"]),
    "TCP": connect(socket.AF_INET, lambda at: ("127.0.0.1", at["port"])),
    "netlink": lambda at: call("socket", 16, socket.SOCK_RAW, 0),
    "socketpair": lambda at: call("socketpair", socket.AF_UNIX, socket.SOCK_STREAM, 0, ctypes.create_string_buffer(8)),
    "mount": mount,
    "chroot": lambda at: call("chroot", text(at["folder"])),
    "unshare": lambda at: call("unshare", CLONE_NEWUSER | CLONE_NEWNS),
    "setns": lambda at: call("setns", call("pidfd_open", at["victim"], 0), CLONE_NEWNS),
    "bpf": make_map,
    "perf_event_open": count_events,
    "userfaultfd": lambda at: call("userfaultfd", 1),  # UFFD_USER_MODE_ONLY
    "io_uring": lambda at: call("io_uring_setup", 1, ctypes.create_string_buffer(120)),
    "add_key": lambda at: call("add_key", text("user"), text("clearance"), text("x"), 1, -2),
    "keyctl": lambda at: call("keyctl", 0, -2, 1),
    "shared memory": lambda at: call("shmget", 0, 4096, 0o1600),
    "memfd_create": lambda at: call("memfd_create", text("x"), 0),
    "ioctl": lambda at: call("ioctl", 0, 0x5451),  # FIOCLEX
    "prctl": lambda at: call("prctl", 4, 1, 0, 0, 0),  # PR_SET_DUMPABLE
    "fork": fork("clone", signal.SIGCHLD, 0, 0, 0, 0),
    "clone3": fork("clone3", ctypes.c_char_p(struct.pack("QQQQQQQQ", 0, 0, 0, 0, signal.SIGCHLD, 0, 0, 0)), 64),
    "execve": lambda at: call("execve", text("/bin/true"), 0, 0),
    "setuid": lambda at: call("setuid", 0),
    "setfsuid": become_root_for_files,
    "capset": take_capability,
}
ONLY_ROOT = frozenset({"chown", "mknod", "mount", "chroot", "setns", "bpf", "setuid", "setfsuid", "capset"})
"""What the kernel allows no ordinary user, inside or outside."""


def attempt(act, at):
    try:
        ACTS[act](at)
    except OSError as error:
        return errno.errorcode.get(error.errno, type(error).__name__)
    return "done"


def try_all(path, *, limits, report, at):
    """Task of a limited process."""
    report("trying", 1, 1)
    return {"found": {act: attempt(act, at | {"upload": str(path)}) for act in ACTS}}


def try_outside(at):
    """Each in a process of its own, for some change it."""
    found = {}
    for act in ACTS:
        reading, writing = os.pipe()
        process = os.fork()
        if process == 0:
            os.dup2(reading, 0)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            if act == "execve":
                os.write(writing, b"done")  # afterwards nobody could say so; if it fails, that follows
            os.write(writing, attempt(act, at).encode())
            os._exit(0)
        os.close(writing)
        os.waitpid(process, 0)
        found[act] = os.read(reading, 64).decode()
        os.close(reading)
    return found


def lay_out(folder, mode):
    """Files and sockets of somebody else, and a process that waits: what acts are aimed at."""
    folder.mkdir(mode=0o755)
    for name in ("file", "renamed", "unlinked", "upload"):
        (folder / name).write_bytes(b"somebody else's")
        (folder / name).chmod(mode)
    listening = [socket.socket(family) for family in (socket.AF_UNIX, socket.AF_UNIX, socket.AF_INET)]
    abstract = f"clearance-{os.getpid()}-{folder.name}"
    for each, address in zip(listening, (str(folder / "socket"), "\0" + abstract, ("127.0.0.1", 0)), strict=True):
        each.bind(address)
        each.listen(64)
    victim = os.fork()
    if victim == 0:
        signal.pause()
        os._exit(0)
    at = {name: str(folder / name) for name in ("file", "renamed", "unlinked", "upload", "socket", "new")}
    at |= {"folder": str(folder), "abstract": abstract, "port": listening[2].getsockname()[1]}
    return listening, at | {"victim": victim, "address": ctypes.addressof(BUFFER)}


def describe(at):
    """What acts would have changed of it."""
    files = [[path.name, oct(path.stat().st_mode), path.stat().st_mtime] for path in Path(at["folder"]).iterdir()]
    status = Path(f"/proc/{at['victim']}/status").read_text()
    limits = Path(f"/proc/{at['victim']}/limits").read_text()
    lines = [line for line in status.splitlines() if line.startswith(("Cpus_allowed", "TracerPid"))]
    return sorted(files), lines, limits, "(zombie)" in status


def main(user, folder, mode):
    from django.conf import settings

    if user != os.geteuid():
        os.chown(folder, user, user)
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        libc.prctl(4, 1, 0, 0, 0)  # a process that changed its user could not be traced by its equals
    settings.configure(LIMITED_PROCESS_TEMPLATE=True, LIMITED_PROCESS_MAY_BE_WEAK=False, LIMITED_PROCESS_USER=65_520)
    from ingestion.sandbox import run_limited

    found = {}
    for way in ("outside", "forked", "fresh"):
        listening, at = lay_out(folder / way, mode)
        before = describe(at)
        if way == "outside":
            found[way] = try_outside(at)
        else:
            settings.LIMITED_PROCESS_TEMPLATE = way == "forked"
            upload = Path(at["upload"])
            found[way] = run_limited(f"{__spec__.name}:try_all", upload, options={"at": at})["found"]
            found[way]["anything at all"] = "refused" if describe(at) == before else "done"
        os.kill(at["victim"], signal.SIGKILL)
        os.waitpid(at["victim"], 0)
    print(json.dumps(found))


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3], 8))
