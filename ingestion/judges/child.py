"""The template of judges: it has loaded the rules, and forks itself for each order. A fork gives up its rights, then
reads one text after the other, and ends itself where one takes too long.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import signal
import socket
import sys
from typing import Any, BinaryIO

from ingestion.sandbox.confine import confine_process, end_with_parent, enter_empty_network
from ingestion.sandbox.limits import MIB, Limits

LIMITS = Limits(memory_bytes=1024 * MIB, cpu_seconds=900)
MAX_TEXTS = 2_000
"""A judge reads so many, which is far from its limit of processor time; the next ones get a new one."""
MAX_DESCRIPTORS = 4_096
READY = b"\n"


def main(user: int) -> None:
    """Serves orders that arrive on descriptor 0 until its other end is closed: one byte with one descriptor each. user:
    the id that root gives a judge.
    """
    load_rules()
    enter_empty_network(ctypes.CDLL(None, use_errno=True))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel buries its children
    gc.collect()
    gc.freeze()
    orders, parent = socket.socket(fileno=0), os.getpid()
    while True:
        order, descriptors, _, _ = socket.recv_fds(orders, 1, 1)
        if not order:
            return
        if os.fork() == 0:
            run_judge(descriptors[0], parent, user)
        os.close(descriptors[0])


def load_rules() -> None:
    """Without the settings of the installation, its keys and its database: models are declared, and never asked."""
    import django
    from django.conf import settings

    settings.configure(
        INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "guardian", "entities"],
        AUTH_USER_MODEL="entities.User",
    )
    django.setup()
    import llm.classifying  # noqa: F401
    from llm.rules import load_recognisers

    load_recognisers()


def run_judge(descriptor: int, parent: int, user: int) -> None:
    try:
        os.dup2(descriptor, 0)
        os.closerange(3, MAX_DESCRIPTORS)
        end_with_parent(ctypes.CDLL(None, use_errno=True))
        if os.getppid() == parent:
            confine_process(LIMITS, (), user)
            serve_texts(os.fdopen(0, "rb", closefd=False), os.fdopen(os.dup(0), "wb"))
    except BrokenPipeError:
        pass  # nobody waits for the answer any more
    except Exception as failure:
        sys.stderr.write(f"a judge broke down: {type(failure).__name__}\n")  # the text itself is in no log
        sys.stderr.flush()
    finally:
        os._exit(0)


def serve_texts(asked: BinaryIO, answers: BinaryIO) -> None:
    answers.write(READY)
    answers.flush()
    for _ in range(MAX_TEXTS):
        if not (line := asked.readline()):
            return
        order = json.loads(line)
        signal.setitimer(signal.ITIMER_PROF, order.pop("seconds"))  # the kernel ends the process then
        answer = json.dumps(find_answer(**order))
        signal.setitimer(signal.ITIMER_PROF, 0)
        answers.write(answer.encode() + b"\n")
        answers.flush()


def find_answer(task: str, text: str, lang: str) -> Any:
    """What JSON can say of `ingestion.judges.pool`'s answers. Nothing of the text is kept."""
    from ingestion.extract import language
    from llm import classifying
    from llm.rules import forget_votes, vote_by_rules

    try:
        if task == "classify":
            return classifying.classify(text)
        vote = vote_by_rules(text, lang or language.guess_language(text))
        return [sorted(vote.atoms), vote.reasons]
    finally:
        forget_votes()
