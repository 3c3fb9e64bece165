"""Who works on a file: a claim taken and kept by conditional UPDATE (design §4). PostgreSQL is the truth.

A claim lasts LEASE and is extended while its worker lives. That of a killed worker is released by another process of
its machine (`workers.ProcessWatch`) or runs out, and anybody may take the work. A newer upload takes the claim away:
whoever worked on the older revision finds that out at the next checkpoint.
"""

import logging
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from types import TracebackType
from typing import TypeVar
from uuid import UUID

from django.db import close_old_connections, connection
from django.db.models import F, Q
from django.db.models.functions import Now

from entities.access import Scope
from ingestion.models import File, Stage, State
from ingestion.queueing import publish_due
from ingestion.turns import CLAIMED, FREE, LEASE, UNFINISHED, find_places, limit_places, list_at_work
from ingestion.workers import identify_process

logger = logging.getLogger(__name__)
T = TypeVar("T")

RENEW_SECONDS = 12.0
MAX_ATTEMPTS = 6
RETRY_AFTER = timedelta(seconds=20)
WAIT_FOR_BUDGET = timedelta(hours=1)
GIVEN_UP = (
    "Reading this file was broken off several times without getting to its end. Try again, or save it differently."
)


class ClaimLost(Exception):
    """Another process has the file now, or there is a newer upload of it."""


@dataclass(frozen=True)
class Claim:
    """The right to work on one revision of a file, until somebody else gets it."""

    workspace: int
    file: UUID
    revision: UUID
    token: UUID

    def build_ownership_q(self) -> Q:
        return Q(pk=self.file, claim=self.token, pending_revision=self.revision)


def claim_file(workspace: int, file: UUID) -> Claim | None:
    """Take a file that waits; None where there is nothing to do, somebody works on it, or its workspace has as many at
    work as it may: then it is woken when one of those ends. Opens a service scope.
    """
    token = uuid.uuid4()
    with Scope.for_service(workspace).open():
        if is_crowded(workspace, file):
            File.objects.filter(FREE, pk=file, state__in=UNFINISHED).update(woken_at=None)
            return None
        waiting = File.objects.filter(FREE, pk=file, state__in=UNFINISHED, pending_revision__isnull=False)
        # Told of it or not, who works on it holds one of the places that `take_sleeping` gives.
        taken = waiting.filter(attempts__lt=MAX_ATTEMPTS).update(
            claim=token,
            claimed_until=Now() + LEASE,
            worker=identify_process(),
            state=State.PROCESSING,
            stage=Stage.EXTRACT,
            progress=0,
            attempts=F("attempts") + 1,
            woken_at=Now(),
            error_code="",
            error_detail="",
        )
        if not taken:
            if waiting.filter(attempts__gte=MAX_ATTEMPTS).update(
                state=State.FAILED, claim=None, error_code="gave_up", error_detail=GIVEN_UP, updated_at=Now()
            ):
                publish_due(file)
            return None
        revision = File.objects.values_list("pending_revision", flat=True).get(pk=file)
        assert revision is not None
        return Claim(workspace, file, revision, token)


def is_crowded(workspace: int, file: UUID) -> bool:
    """Whether the workspace has no place left for this file (`turns.limit_places`). In an open service scope, in whose
    transaction no other claim of the workspace is taken.
    """
    limit = limit_places()
    if limit.total is None:
        return False
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended('claims', %s))", [workspace])
    working = list_at_work(File.objects.filter(CLAIMED, state=State.PROCESSING))
    return bool(working) and not find_places(File.objects.filter(pk=file), limit, working).exists()


def report_checkpoint(
    claim: Claim, stage: Stage, progress: int = 0, page: int | None = None, page_count: int | None = None
) -> None:
    """Show how far the work is (per cent of the stage, and which page is read) and extend the claim.

    Raises: ClaimLost.
    """
    with Scope.for_service(claim.workspace).open():
        if not File.objects.filter(claim.build_ownership_q()).update(
            stage=stage,
            progress=max(0, min(100, progress)),
            page=page,
            page_count=page_count,
            claimed_until=Now() + LEASE,
        ):
            raise ClaimLost


def limit_rate(show: Callable[[T], None], every: float = 0.7) -> Callable[[T], None]:
    """`show`, at most once in `every` seconds, from now on."""
    last = time.monotonic()

    def listener(progress: T) -> None:
        nonlocal last
        if time.monotonic() - last >= every:
            last = time.monotonic()
            show(progress)

    return listener


def report_advance(claim: Claim, stage: Stage, progress: int = 0) -> None:
    """Something is finished that nobody has to do again: earlier attempts no longer count against the file, which is at
    `progress` per cent of `stage`. In an open service scope. Raises: ClaimLost."""
    if not File.objects.filter(claim.build_ownership_q()).update(
        attempts=1,
        stage=stage,
        progress=max(0, min(100, progress)),
        page=None,
        page_count=None,
        claimed_until=Now() + LEASE,
    ):
        raise ClaimLost


def give_back(claim: Claim, detail: str, code: str = "failed") -> None:
    """Let the file wait for another try; after MAX_ATTEMPTS it has failed, for the reason `detail`."""
    with Scope.for_service(claim.workspace).open():
        mine = File.objects.filter(claim.build_ownership_q())
        if mine.filter(attempts__gte=MAX_ATTEMPTS).update(
            state=State.FAILED,
            claim=None,
            claimed_until=None,
            error_code=code,
            error_detail=detail[:500],
            updated_at=Now(),
        ):
            publish_due(claim.file)
        mine.update(state=State.PENDING, claim=None, claimed_until=Now() + RETRY_AFTER, updated_at=Now())


def wait_for_budget(claim: Claim, detail: str) -> None:
    """Let the file wait until the workspace may spend again, for weeks if need be: no attempt is used up. It says what
    it waits for, and what came later has its turn first."""
    with Scope.for_service(claim.workspace).open():
        File.objects.filter(claim.build_ownership_q()).update(
            state=State.PENDING,
            claim=None,
            claimed_until=Now() + WAIT_FOR_BUDGET,
            attempts=F("attempts") - 1,
            error_code="budget",
            error_detail=detail[:500],
            updated_at=Now(),
        )


def end_file(claim: Claim, state: State, code: str, detail: str, page: int | None = None) -> None:
    """The file ends as quarantined or failed. What was published before stays."""
    with Scope.for_service(claim.workspace).open():
        if File.objects.filter(claim.build_ownership_q()).update(
            state=state,
            claim=None,
            claimed_until=None,
            error_code=code,
            error_detail=detail[:500],
            error_page=page,
            updated_at=Now(),
        ):
            publish_due(claim.file)


class Heartbeat:
    """Extends the claim from a thread of its own as long as this process lives and works."""

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.beat, name=f"claim {claim.file}", daemon=True)

    def __enter__(self) -> None:
        self.thread.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.ended.set()

    def beat(self) -> None:
        while not self.ended.wait(RENEW_SECONDS):
            try:
                with Scope.for_service(self.claim.workspace).open():
                    File.objects.filter(self.claim.build_ownership_q()).update(claimed_until=Now() + LEASE)
            except Exception:
                logger.warning("the claim on file %s could not be extended", self.claim.file, exc_info=True)
                close_old_connections()
        connection.close()
