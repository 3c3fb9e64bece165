"""`make up` itself: what it starts, what it stops, and that it starts again after SIGKILL."""

import os
import re
import signal
import subprocess
import sys
import urllib.request
from contextlib import suppress

import psutil
import pytest
from django.conf import settings

from config.postgres import Cluster
from config.supervisor import MARK
from tests.homes import make_home
from tests.processes import answers, free_port, wait_for


class Up:
    """A supervisor on a home of its own, with its output in a file."""

    def __init__(self, home, port, output):
        self.output = output
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CLEARANCE_")}
        environment |= {
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "CLEARANCE_HOME": str(home),
            "CLEARANCE_PORT": str(port),
            "CLEARANCE_DEMO": "0",
            "CLEARANCE_STATIC_HASHED": "0",
        }
        with output.open("w") as file:
            self.popen = subprocess.Popen(
                [sys.executable, "-m", "config.supervisor"],
                env=environment,
                cwd=settings.BASE,
                stdout=file,
                stderr=file,
                start_new_session=True,
            )

    def says(self, words):
        wait_for(lambda: words in self.output.read_text() or self.popen.poll() is not None, words)
        assert words in self.output.read_text()

    def end(self, number):
        self.popen.send_signal(number)
        return self.popen.wait(120)


@pytest.fixture
def home():
    with make_home() as home:
        yield home


@pytest.fixture
def up(home):
    port = free_port()
    started = []

    def start():
        started.append(Up(home, port, home / f"output-{len(started)}"))
        return started[-1]

    start.home, start.url = home, f"http://127.0.0.1:{port}"
    yield start
    for one in started:
        with suppress(ProcessLookupError):
            os.killpg(one.popen.pid, signal.SIGKILL)
    for process in children_of(home):
        process.kill()


def answers_ready(url):
    return urllib.request.urlopen(f"{url}/readyz", timeout=5).status == 200


def children_of(home):
    """Every process that a supervisor of this home started and that still runs."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.environ().get(MARK, "").startswith(f"{home}:") and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


@pytest.mark.timeout(1200)  # it starts a whole installation, and waits four times
def test_whole_life(up):
    first = up()
    first.says("Clearance is ready")
    assert answers(f"{up.url}/healthz")
    names = {re.search(r"config\.child (\w+)", " ".join(child.cmdline()))[1] for child in children_of(up.home)}
    assert names == {"web", "worker", "beat"}

    # A second one on the same home is refused in one sentence.
    second = up()
    assert second.popen.wait(120) == 1
    assert f"already runs on {up.home} (process {first.popen.pid})" in second.output.read_text()

    # A child that dies is started again.
    [web] = [child for child in children_of(up.home) if "web" in child.cmdline()]
    web.kill()
    first.says("web ended")
    wait_for(lambda: answers(f"{up.url}/healthz"), "the web server to be started again")

    # So is PostgreSQL.
    Cluster(up.home).process().kill()
    first.says("PostgreSQL ended")
    wait_for(lambda: answers_ready(up.url), "the installation to be ready again")

    # Killed, it leaves no process of its own but PostgreSQL, and starts again.
    first.end(signal.SIGKILL)
    wait_for(lambda: not children_of(up.home), "its children to end", 60)
    assert Cluster(up.home).process() is not None
    third = up()
    third.says("Clearance is ready")
    assert answers(f"{up.url}/healthz")

    # Asked to, it stops everything.
    assert third.end(signal.SIGTERM) == 0
    assert children_of(up.home) == []
    assert Cluster(up.home).process() is None
