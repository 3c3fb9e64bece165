"""The web process' side of judges: a few warm ones, each asked by one thread at a time.

Without `start_judges`, as in workers, commands and most tests, texts are judged where they are.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from django.conf import settings

from ingestion.extract import language
from ingestion.judges.child import READY
from llm import classifying
from llm.quoting.engine import use_classifier
from llm.rules import RuleVote, vote_by_rules

logger = logging.getLogger(__name__)

START = "import sys; sys.path.insert(0, {root!r}); from ingestion.judges.child import main; main({user})"
ROOT = Path(__file__).resolve().parents[2]
ALLOWED_SECONDS, ALLOWED_CHARACTERS = 0.1, 500
"""Of processor time for every so many characters: several times what a dense text takes."""
START_SECONDS = 60.0
"""The rules are loaded meanwhile."""
WAIT_SECONDS = 2.0
"""For a free judge, and for the clock beyond what a text may take of processor time."""


def compute_allowance(text: str) -> float:
    """Seconds of processor time."""
    return ALLOWED_SECONDS * (1 + len(text) // ALLOWED_CHARACTERS)


class Unanswered(Exception):
    """The judge ended itself, or was too slow by the clock."""


class Judge:
    """One process. Raises OSError where the template has ended."""

    def __init__(self, orders: socket.socket) -> None:
        self._socket, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(orders, [b"f"], [theirs.fileno()])
        self._socket.settimeout(START_SECONDS)
        if self._socket.recv(1) != READY:
            raise ConnectionError("the judge did not start")

    def has_ended(self) -> bool:
        self._socket.settimeout(0)
        try:
            return self._socket.recv(1, socket.MSG_PEEK) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def ask(self, order: dict[str, str]) -> Any:
        """Raises: Unanswered."""
        seconds = compute_allowance(order["text"])
        deadline = time.monotonic() + seconds + WAIT_SECONDS
        heard = b""
        try:
            self._socket.settimeout(max(0.001, deadline - time.monotonic()))
            self._socket.sendall(json.dumps({**order, "seconds": seconds}).encode() + b"\n")
            while not heard.endswith(b"\n"):
                self._socket.settimeout(max(0.001, deadline - time.monotonic()))
                if not (data := self._socket.recv(1 << 16)):
                    raise Unanswered
                heard += data
            return json.loads(heard)
        except (OSError, ValueError) as error:
            raise Unanswered from error

    def close(self) -> None:
        """It ends when it next reads, or by its own limit."""
        self._socket.close()


class JudgePool:
    """At most `size` judges of one template, which is started anew where it has ended."""

    def __init__(self, size: int) -> None:
        self._free = threading.BoundedSemaphore(size)
        self._lock = threading.Lock()
        self._idle: list[Judge] = []
        self._template: subprocess.Popen[bytes] | None = None
        self._orders: socket.socket | None = None

    def ask(self, order: dict[str, str]) -> Any:
        """The answer; None: not judged."""
        if not self._free.acquire(timeout=WAIT_SECONDS):
            return None
        try:
            try:
                return self._ask_one(order)
            except Unanswered:
                if not self._has_lost_template():
                    raise
                return self._ask_one(order)  # its judges went with it: no text is to blame
        except Unanswered:
            logger.warning("a text of %s characters was not judged: it took too long", len(order["text"]))
            return None
        except OSError as problem:
            logger.error("no process that judges texts could be started: %s", problem)
            return None
        finally:
            self._free.release()

    def _ask_one(self, order: dict[str, str]) -> Any:
        """Raises: Unanswered, OSError."""
        judge = self._take()
        try:
            answer = judge.ask(order)
        except BaseException:
            judge.close()
            raise
        with self._lock:
            self._idle.append(judge)
        return answer

    def _has_lost_template(self) -> bool:
        return self._template is not None and self._template.poll() is not None

    def warm(self) -> None:
        """Start the template, which loads the rules meanwhile."""
        with self._lock:
            self._start_template()

    def close(self) -> None:
        with self._lock:
            for judge in self._idle:
                judge.close()
            self._idle.clear()
            if self._orders is not None and self._template is not None:
                self._orders.close()
                self._template.kill()  # and the kernel kills its judges
                self._template.wait()
            self._orders = self._template = None

    def _take(self) -> Judge:
        """Raises: OSError."""
        with self._lock:
            while self._idle:
                judge = self._idle.pop()
                if not judge.has_ended():
                    return judge
                judge.close()
            orders = self._start_template()
        return Judge(orders)

    def _start_template(self) -> socket.socket:
        if self._orders is not None and self._template is not None and self._template.poll() is None:
            return self._orders
        self._orders, theirs = socket.socketpair()
        with theirs:
            start = START.format(root=str(ROOT), user=settings.LIMITED_PROCESS_USER)
            self._template = subprocess.Popen(
                [sys.executable, "-I", "-X", "utf8", "-c", start],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                cwd="/",
                env={"PATH": os.defpath, "LANG": "C.UTF-8", "MALLOC_ARENA_MAX": "2"},  # no key or address of ours
                start_new_session=True,
            )
        return self._orders


_pool: JudgePool | None = None


def start_judges(size: int) -> None:
    """From now on texts of this process are judged by `size` others; 0: by itself."""
    global _pool
    end_judges()
    if size:
        use_classifier(label_prompt)
        _pool = JudgePool(size)
        _pool.warm()


def end_judges() -> None:
    global _pool
    pool, _pool = _pool, None
    if pool is not None:
        pool.close()


def find_vote(text: str, lang: str = "") -> RuleVote | None:
    """What the rules find in a text that somebody typed; None: not judged, since it took longer than it may.

    lang: guessed where it is not given. Needs no scope open.
    """
    if _pool is None:
        return vote_by_rules(text, lang or language.guess_language(text))
    answer = _pool.ask({"task": "vote", "text": text, "lang": lang})
    if answer is None:
        return None
    atoms, reasons = answer
    return RuleVote(frozenset(map(int, atoms)), tuple(map(str, reasons)))


def label_prompt(prompt: str) -> dict[str, Any]:
    """As `llm.classifying.classify`; without a paragraph where it was not judged."""
    if _pool is None:
        return classifying.classify(prompt)
    answer = _pool.ask({"task": "classify", "text": prompt, "lang": ""})
    return answer if isinstance(answer, dict) else {"paragraphs": [], "summaries": []}
