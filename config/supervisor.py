"""`make up`: the whole installation under one process.

    start  =  refuse what must not run → PostgreSQL → web, which prepares everything (config.prepare) → worker, beat
    stop   =  the same backwards, on Ctrl-C, SIGTERM or a closed terminal

A child that dies is started again. After SIGKILL of this process nothing of it survives but PostgreSQL, which the next
start finds and keeps using.
"""

import fcntl
import os
import signal
import socket
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import FrameType

import psutil

from config.supervised import Child

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
MARK = "CLEARANCE_SUPERVISOR"
# A child that lived this long may die again without waiting longer for its next start.
STEADY_SECONDS = 60.0
LONGEST_WAIT = 30.0
# How long children may finish what they do: a worker's task is claimed again later, and of the web server streams end
# after 3 s and answers that are being written after 20 (chat/runner.py).
POLITE_SECONDS = 6.0
POLITE_WEB_SECONDS = 30.0
READY_SECONDS = 60.0


def print_line(text: str) -> None:
    print(text, flush=True)


def lock_home(home: Path) -> object:
    """One installation, one supervisor. The kernel releases the lock when its holder dies."""
    from config.checks import Refusal
    from config.home import make_home

    make_home(home)
    file = (home / "supervisor.pid").open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        raise Refusal(f"Clearance already runs on {home} (process {file.read().strip()}).") from None
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file


def end_orphans(home: Path) -> None:
    """Stop what a killed supervisor of this home left behind; the environment of its children names the home."""
    mine = f"{home}:"
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and process.environ().get(MARK, "").startswith(mine):
                process.kill()
                found.append(process)
        except psutil.Error:
            continue
    psutil.wait_procs(found, timeout=10)


def check_port(host: str, port: int) -> None:
    from config.checks import Refusal

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except PermissionError:
            raise Refusal(f"Port {port} needs an administrator: choose another with CLEARANCE_PORT.") from None
        except OSError as error:
            raise Refusal(
                f"Port {port} on {host} cannot be used ({error.strerror}): choose another with CLEARANCE_PORT."
            ) from None


class Supervisor:
    """Starts the children, starts them again, and stops them."""

    def __init__(self, home: Path) -> None:
        from django.conf import settings

        from config.postgres import Cluster

        self.cluster = Cluster(home) if settings.EMBEDDED else None
        environment = {**os.environ, MARK: f"{home}:{os.getpid()}", "PYTHONUNBUFFERED": "1"}
        logs = None if os.environ.get("CLEARANCE_LOGS") == "-" else home / "logs"
        if logs:
            logs.mkdir(mode=0o700, exist_ok=True)
        pooled = {**environment, "CLEARANCE_DB_POOL": str(settings.DATABASE_POOL or 16)}
        self.children = [
            Child("web", pooled, logs),
            Child("worker", environment, logs),
            Child("beat", environment, logs),
        ]
        self.prepared = self.demo = False
        self.begin = ""
        self.stopping = threading.Event()
        self.impatient = False

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        """Stop; at the second signal without waiting for anybody."""
        self.impatient = self.stopping.is_set()
        self.stopping.set()

    def run(self, url: str) -> None:
        """The web server first, by itself: it prepares the installation, and whoever started this waits for it."""
        from config.checks import is_alone_with_broker, reclaim_messages

        web, *others = self.children
        web.start()
        patience = time.monotonic() + READY_SECONDS
        while not self.stopping.wait(0.1) and not (self.prepared and is_serving(url)):
            self.look_after_all()
            if time.monotonic() > patience:
                patience = float("inf")
                print_line("The web server does not answer yet; still trying. Its log is in the logs directory.")
        if self.stopping.is_set():
            return
        if is_alone_with_broker():
            reclaim_messages()
        for child in others:
            child.start()
        print_line(format_welcome(url, self.demo, self.begin and url + self.begin))
        while not self.stopping.wait(0.5):
            self.look_after_all()
        print_line("Stopping …")

    def listen(self, child: Child) -> None:
        """What the web process has to say while it prepares the installation (config.prepare). Raises: Refusal."""
        from config.checks import Refusal

        for line in child.read_news():
            kind, _, text = line.partition(" ")
            if kind == "say":
                print_line(text)
            elif kind == "refuse":
                raise Refusal(text)
            elif kind == "prepared":
                words = text.split()
                self.prepared, self.demo = True, "demo" in words
                self.begin = next((word for word in words if word.startswith("begin/")), "")

    def look_after_all(self) -> None:
        """A failure here is told and tried again: the supervisor outlives what it supervises.

        Raises: Refusal, as long as nothing was served.
        """
        from config.checks import Refusal

        try:
            if self.cluster is not None and self.cluster.process() is None:
                print_line("PostgreSQL ended; starting it again.")
                self.cluster.restart()
            for child in self.children:
                self.look_after(child)
        except Exception as error:
            if isinstance(error, Refusal) and not self.prepared:
                raise
            print_line(f"{error}")
            self.stopping.wait(2)

    def look_after(self, child: Child) -> None:
        """Start a dead child again: at once the first time, then after waits that double."""
        from config.checks import is_alone_with_broker, reclaim_messages

        now, died = time.monotonic(), child.has_died()
        self.listen(child)
        if child.due:
            if now >= child.due:
                child.due = 0.0
                if child.name == "worker" and is_alone_with_broker():
                    reclaim_messages()
                child.start()
        elif died:
            assert child.process is not None
            child.signal_all(signal.SIGKILL)
            if now - child.started > STEADY_SECONDS:
                child.wait = 0.5
            print_line(
                f"{child.name} ended (status {child.process.returncode}); starting it again in {child.wait:g} s."
            )
            child.due = now + child.wait
            child.wait = min(child.wait * 2, LONGEST_WAIT)

    def stop(self) -> None:
        """Politely, then firmly."""
        for child in self.children:
            child.due = 0.0
            if child.process is not None and not child.has_died():
                child.process.terminate()
        began = time.monotonic()
        while not self.impatient and (left := [c for c in self.children if c.process and not c.has_died()]):
            for child in left:
                polite = POLITE_WEB_SECONDS if child.name == "web" else POLITE_SECONDS
                if time.monotonic() - began > polite:
                    child.signal_all(signal.SIGKILL)
            time.sleep(0.05)
        for child in self.children:
            child.signal_all(signal.SIGKILL)
            if child.process is not None:
                child.process.wait()


def is_serving(url: str) -> bool:
    try:
        urllib.request.urlopen(f"{url}healthz", timeout=2).close()
    except urllib.error.HTTPError:
        return True  # it serves, only not under the name that we asked for (CLEARANCE_HOSTS)
    except OSError:
        return False
    return True


def format_welcome(url: str, demo: bool, begin: str = "") -> str:
    lines = ["", f"  Clearance is ready:  {url}", ""]
    if demo:
        lines += [
            "  Sign in to the demo workspace, password `demo`, as",
            "    admin    everything, administers     hr      Public, PII",
            "    steward  everything, may relabel     cfo     Public, Financial",
            "    staff    Public, Internal            viewer  Public",
            "",
        ]
    if begin:
        lines += [f"  Begin with your own data:  {begin}", ""]
    return "\n".join([*lines, "  Ctrl-C stops it; nothing is lost.", ""])


def run_supervisor() -> None:
    """Raises: Refusal, DatabaseError."""
    from config.home import HOME

    lock = lock_home(HOME)
    end_orphans(HOME)
    from django.conf import settings

    check_port(settings.CLEARANCE_BIND, settings.CLEARANCE_PORT)
    supervisor = Supervisor(HOME)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, supervisor.on_signal)
    release = supervisor.cluster.hold() if supervisor.cluster else lambda: None
    try:
        host = settings.CLEARANCE_BIND
        shown = "localhost" if host in ("127.0.0.1", "::1", "0.0.0.0", "::") else host
        url = f"http://{shown}:{settings.CLEARANCE_PORT}/"
        supervisor.run(url)
    finally:
        supervisor.stop()
        release()
        del lock
    print_line("Stopped.")


def main() -> None:
    from config.checks import Refusal
    from config.postgres import DatabaseError

    try:
        run_supervisor()
    except (Refusal, DatabaseError) as refusal:
        sys.exit(f"Clearance did not start. {refusal}")


if __name__ == "__main__":
    main()
