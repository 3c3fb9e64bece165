"""A file from its claim to its publication: all steps of the pipeline, and every other end it may come to."""

import logging
from dataclasses import replace
from uuid import UUID

from celery.exceptions import SoftTimeLimitExceeded

from entities.access import Scope
from ingestion import drift, results
from ingestion.attachments import extract_attachments
from ingestion.blobs import BlobMissing
from ingestion.claims import (
    Claim,
    ClaimLost,
    Heartbeat,
    claim_file,
    end_file,
    give_back,
    report_checkpoint,
    wait_for_budget,
)
from ingestion.embed import get_embedder
from ingestion.embedders import EmbeddingFailed
from ingestion.models import Stage, State
from ingestion.pipeline import run_steps
from ingestion.publish import WorkOutdated, publish_revision
from ingestion.quarantine import put_in_quarantine
from ingestion.sandbox import ProcessKilled, Quarantined
from ingestion.work import Work, load_work
from llm.client import is_labelling_offline
from llm.errors import BudgetExceeded, ModelError
from llm.metering import track_spending

logger = logging.getLogger(__name__)

BROKEN = (
    "Something went wrong on our side while this file was processed. "
    "It will be tried again automatically; the file is safe."
)
KILLED = "Reading this file was ended from outside each time, perhaps for lack of memory. Try again when there is more."
GOES_ON = "Reading goes on by itself when there is one again."
AFTER_CLASSIFY = [Stage.SEGMENT, Stage.CHUNK, Stage.EMBED]


def process_file(workspace: int, file: UUID) -> bool:
    """Work on a file that waits, to its end. Needs no scope open. Returns whether there was anything to do.

    Every outcome is written to the file's row; nothing is raised but what ends this process.
    """
    claim = claim_file(workspace, file)
    if claim is None:
        return False
    with Heartbeat(claim), track_spending():
        try:
            run_all_steps(claim)
        except ClaimLost:
            logger.info("file %s is in other hands now", file)
        except drift.ContentLost as loss:
            put_in_quarantine(claim, loss)
        except Quarantined as refusal:
            end_file(claim, State.QUARANTINED, refusal.code, refusal.detail, refusal.page)
        except ProcessKilled:
            give_back(claim, KILLED, "killed")
        except BudgetExceeded as problem:
            wait_for_budget(claim, f"{problem} {GOES_ON}")
        except (ModelError, EmbeddingFailed) as problem:
            give_back(claim, f"{problem} Try again later; nothing of the file was lost.")
        except BlobMissing:
            end_file(claim, State.FAILED, "bytes_missing", "This file is missing from storage. Upload it again.")
        except (Exception, SoftTimeLimitExceeded):
            logger.exception("file %s", file)
            give_back(claim, BROKEN)
    return True


def run_all_steps(claim: Claim) -> None:
    """All steps from where an earlier worker stopped, then publish.

    Raises: ClaimLost, Quarantined, ProcessKilled, ModelError, EmbeddingFailed, blobs.Missing.
    """
    with Scope.for_service(claim.workspace).open():
        work = take_up(claim)
    while True:
        get_embedder(work.embedder)  # loading it takes a moment, which no transaction should wait for
        took: dict[Stage, float] = {}
        done = run_steps(work, took)
        try:
            with extract_attachments(work, done[Stage.EXTRACT]) as (done[Stage.EXTRACT], received):
                if received:
                    report_checkpoint(claim, Stage.PUBLISH)
                with Scope.for_service(claim.workspace).open():
                    publish_revision(work, done, took, received)
            return
        except WorkOutdated as change:
            # A steward decided, or the policy changed, meanwhile: what was built on it is built again.
            with Scope.for_service(claim.workspace).open():
                results.drop_results(claim.revision, AFTER_CLASSIFY if change.labels_only else None)
                work = take_up(claim)


def take_up(claim: Claim) -> Work:
    """The work, with what earlier workers saved of it. In an open service scope. Raises: ClaimLost."""
    work = load_work(claim)
    if work.number > 1 or work.published:
        results.drop_superseded(claim.file, claim.revision)
    return replace(work, is_offline=is_labelling_offline(), saved=results.list_saved(claim.revision))
