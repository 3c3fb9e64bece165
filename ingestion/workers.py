"""The processes that work on files: how many there are, and which claims belong to one that has ended.

A claim names its process: the machine since its start (a container: its own view of the machine's processes), process
id and time of start. So a process of the same machine can tell that another one has ended. On other machines the lease
decides. A wrong answer would cost work done twice and nothing else: whoever lost a claim publishes nothing.
"""

import functools
import logging
import os
import socket
import sys
import threading
from datetime import timedelta
from pathlib import Path

import psutil
from django.conf import settings
from django.db import connection
from django.db.models import Sum
from django.db.models.functions import Now

from entities.access import Scope
from ingestion.models import File, State, Worker
from llm.rules import load_recognisers

logger = logging.getLogger(__name__)

WATCH_SECONDS = 3.0
LIVING = timedelta(seconds=30)
"""A worker says every WATCH_SECONDS that it is there."""


def load_libraries() -> None:
    """Loads what files are labelled with and models are called through: three seconds of processor time. A process that
    others are forked from calls it once; else each of them loads it with its first file."""
    import anthropic.resources.messages  # noqa: F401

    load_recognisers()


@functools.cache
def identify_machine() -> str:
    """No two that run at the same time have the same one."""
    if sys.platform == "linux":
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{os.stat('/proc/self/ns/pid').st_ino}"
    return f"{socket.gethostname()[:60]}/{psutil.boot_time():.0f}"


def identify_process() -> str:
    return f"{identify_machine()}:{os.getpid()}:{read_start_time(os.getpid())}"


def read_start_time(pid: int) -> str | None:
    """When a process started, as a number that setting the clock does not change; None where it has ended."""
    try:
        if sys.platform != "linux":
            process = psutil.Process(pid)
            return None if process.status() == psutil.STATUS_ZOMBIE else f"{process.create_time():.0f}"
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (OSError, psutil.Error):
        return None
    return None if state in "ZX" else fields[18]


def is_dead(process: str) -> bool:
    """Whether a process of this machine has ended; of others nothing is known."""
    machine, pid, start = process.rsplit(":", 2)
    return machine == identify_machine() and read_start_time(int(pid)) != start


def count_processes() -> int:
    """That work on files, on all machines; without a worker, those that one would have."""
    living = Worker.objects.filter(reported_at__gte=Now() - LIVING, reported_at__lte=Now() + LIVING)
    return living.aggregate(total=Sum("processes"))["total"] or int(settings.CELERY_WORKER_CONCURRENCY)


def report_worker(processes: int) -> None:
    """Of the main process of a worker, which starts the others."""
    Worker.objects.update_or_create(process=identify_process(), defaults={"processes": processes, "reported_at": Now()})
    Worker.objects.filter(reported_at__lt=Now() - 10 * LIVING).delete()


def delete_dead_workers() -> int:
    """Forgets workers of this machine that have ended; how many."""
    known = Worker.objects.filter(process__startswith=f"{identify_machine()}:").values_list("process", flat=True)
    dead = [process for process in known if is_dead(process)]
    return Worker.objects.filter(process__in=dead).delete()[0] if dead else 0


def release_dead_claims(workspace: int) -> int:
    """Let the files wait again whose process has ended; how many."""
    from ingestion.queueing import wake_next

    released = 0
    with Scope.for_service(workspace).open():
        claimed = File.objects.filter(
            state=State.PROCESSING, claim__isnull=False, worker__startswith=f"{identify_machine()}:"
        )
        for pk, claim, worker in list(claimed.values_list("pk", "claim", "worker")):
            if is_dead(worker):
                released += File.objects.filter(pk=pk, claim=claim).update(
                    state=State.PENDING, claim=None, claimed_until=None, woken_at=None
                )
    if released:
        logger.warning("%s files of workspace %s wait again: their process ended", released, workspace)
        wake_next(workspace)
    return released


class ProcessWatch:
    """Looks after the processes of this worker, in a thread of its main process."""

    def __init__(self, processes: int) -> None:
        self.processes = processes
        self.alive: frozenset[tuple[int, str]] = frozenset()
        self.claims_checked = False

    def start(self) -> None:
        threading.Thread(target=self.run, name="process watch", daemon=True).start()

    def run(self) -> None:
        stopped = threading.Event()
        while True:
            try:
                self.look()
            except Exception:  # the next look may go well, and without one dead claims hold their places
                logger.warning("the worker could not look after its processes", exc_info=True)
            finally:
                connection.close()
            stopped.wait(WATCH_SECONDS)

    def look(self) -> None:
        """Claims are looked at after the start, for those of an earlier worker, and whenever a process of this worker,
        or another worker of this machine, has ended."""
        from entities.access import list_workspace_ids

        report_worker(self.processes)
        if delete_dead_workers():
            self.claims_checked = False
        alive = frozenset((pid, start) for pid in list_children() if (start := read_start_time(pid)))
        self.claims_checked = self.claims_checked and self.alive <= alive
        self.alive = alive
        if not self.claims_checked:
            for workspace in list_workspace_ids():
                release_dead_claims(workspace)
            self.claims_checked = True


def list_children() -> list[int]:
    return [child.pid for child in psutil.Process().children()]
