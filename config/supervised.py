"""One process under the supervisor: how it starts, what it tells, where its output goes."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from logging import LogRecord
from logging.handlers import RotatingFileHandler
from pathlib import Path


@dataclass
class Child:
    """A supervised process. Its output goes to a rotating file, or to ours with CLEARANCE_LOGS=-."""

    name: str
    environment: dict[str, str]
    logs: Path | None
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    wait: float = 0.5
    due: float = 0.0
    console: int = -1
    heard: bytes = b""

    def start(self) -> None:
        """The process can tell us things through a pipe whose number is in its environment."""
        self.close_console()
        self.started = time.monotonic()
        self.console, theirs = os.pipe()
        os.set_blocking(self.console, False)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "config.child", self.name],
            env={**self.environment, "CLEARANCE_CONSOLE": str(theirs)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if self.logs else None,
            stderr=subprocess.STDOUT if self.logs else None,
            start_new_session=True,
            pass_fds=[theirs],
        )
        os.close(theirs)
        if self.logs:
            threading.Thread(target=self.record, args=[self.process, self.logs], daemon=True).start()

    def close_console(self) -> None:
        if self.console >= 0:
            os.close(self.console)
        self.console, self.heard = -1, b""

    def read_news(self) -> list[str]:
        """The lines that the process has written to its console since it was last asked."""
        if self.console < 0:
            return []
        with suppress(BlockingIOError):
            while piece := os.read(self.console, 65536):
                self.heard += piece
        *lines, self.heard = self.heard.split(b"\n")
        return [line.decode(errors="replace") for line in lines]

    def record(self, process: subprocess.Popen[bytes], logs: Path) -> None:
        handler = RotatingFileHandler(logs / f"{self.name}.log", maxBytes=5_000_000, backupCount=3)
        handler.setFormatter(None)
        for line in process.stdout or BytesIO():
            handler.emit(LogRecord("", 0, "", 0, line.decode(errors="replace").rstrip("\n"), None, None))
        handler.close()

    def has_died(self) -> bool:
        return self.process is not None and self.process.poll() is not None

    def signal_all(self, number: signal.Signals) -> None:
        """To the process and everything it started."""
        if self.process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, number)
