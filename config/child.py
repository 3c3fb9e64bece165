"""The processes that the supervisor starts: `python -m config.child web|worker|beat`.

They end with it: on Linux the kernel kills them when it dies, elsewhere they look for it every second.
"""

import ctypes
import gc
import logging
import os
import signal
import sys
import threading
import time
from contextlib import suppress

PR_SET_PDEATHSIG = 1


def end_with(parent: int) -> None:
    """SIGKILL is safe: a worker loses and repeats nothing visible, and PostgreSQL is the truth."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
    else:
        threading.Thread(target=watch_parent, args=[parent], daemon=True).start()


def watch_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os.killpg(0, signal.SIGKILL)


def run_web() -> None:
    import uvicorn
    from django.conf import settings
    from django.db import connections

    from config.patience import PatientProtocol
    from config.prepare import open_console, prepare_installation

    if supervisor := open_console():
        prepare_installation(supervisor)
        connections.close_all()
    set_open_files_limit()
    uvicorn.run(
        "config.asgi:application",
        host=settings.CLEARANCE_BIND,
        port=settings.CLEARANCE_PORT,
        http=PatientProtocol,
        forwarded_allow_ips=settings.CLEARANCE_PROXIES,  # what anybody else says in X-Forwarded-For is not heard
        log_config=None,
        server_header=False,
        timeout_graceful_shutdown=3,
    )


def set_open_files_limit() -> None:
    """As many as the system lets this process have: every open stream is one, and the usual 1,024 are soon used up."""
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # macOS refuses "without limit"
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def run_worker() -> None:
    from config.celery import app
    from ingestion.workers import load_libraries

    load_libraries()  # once, and not in each of the processes that are forked from this one
    gc.collect()
    gc.freeze()  # what they share is not looked through for cycles, which would copy it
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    try:
        app.worker_main(["worker", "-n", "w", "--loglevel", "INFO", *quiet])
    finally:
        # Its processes have ended; what is left is a thread that looks at time limits every five seconds.
        logging.shutdown()
        os._exit(0)


def run_beat() -> None:
    """It sends tasks by name, so it needs neither Django's apps nor the tasks' modules in memory."""
    from celery import Celery

    app = Celery("clearance", fixups=[])
    app.config_from_object("django.conf:settings", namespace="CELERY")
    app.start(["beat", "--loglevel", "INFO", "--pidfile="])


CHILDREN = {"web": run_web, "worker": run_worker, "beat": run_beat}

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    end_with(int(os.environ["CLEARANCE_SUPERVISOR"].rpartition(":")[2]))
    if sys.argv[1] != "beat":
        import django

        django.setup()
    CHILDREN[sys.argv[1]]()
