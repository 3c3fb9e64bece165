"""Workers and uploads that die by SIGKILL where they are told to: `python -m tests.ingestion.killed_worker`.

Reads lines "WHERE WORKSPACE FILE", runs each in a process of its own and answers with its exit status (-9: killed).
WHERE: "claim", a stage (after its result is committed), "classify:0" or "embed:0" (after the first window or batch),
"publishing" (in the middle of the transaction), "published", or "statement:N" (before its Nth statement).
"requalify:WHAT:N" goes on with the open run, of the canary or of all, and dies before the Nth statement of that.
"upload:N:TOKEN" uploads REPORT to the record in place of FILE, and dies before the Nth statement of that; "floor:TOKEN"
uploads it with more in it and the label Secret, and dies when that request has committed; "reject:TOKEN" rejects FILE,
and dies so.
"""

import os
import signal
import sys
from typing import Any
from uuid import UUID

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_at_statement(number: int) -> None:
    """Before that one is sent: what came before it is committed or not, as it stands in the code."""
    from django.db import connection

    sent = 0

    def count(execute: Any, *given: Any) -> Any:
        nonlocal sent
        sent += 1
        if sent == number:
            die()
        return execute(*given)

    connection.execute_wrappers.append(count)


def api_of(token: str) -> Any:
    from rest_framework.test import APIClient

    api = APIClient()
    api.credentials(HTTP_AUTHORIZATION=f"Token {token}")
    return api


def upload(token: str, entity: UUID, more: bytes = b"", **fields: Any) -> None:
    from django.core.files.uploadedfile import SimpleUploadedFile

    from tests.ingestion.helpers import REPORT

    body = {"file": SimpleUploadedFile("report.md", REPORT + more), **fields}
    api_of(token).post(f"/api/entities/{entity}/files/", body, format="multipart")


def upload_with_floor(token: str, entity: UUID) -> None:
    from ingestion import actions

    actions.take_with_floor = lambda *given: die()
    upload(token, entity, b"\nMore.\n", labels="6")


def reject(token: str, file: UUID) -> None:
    from ingestion import quarantine

    quarantine._delete_results = lambda *given: die()
    api_of(token).post(f"/api/files/{file}/review/", {"decision": "reject"}, format="json")


def renew(share: str, number: int, workspace: int) -> None:
    from ingestion import requalify

    run = requalify.open_run(workspace)
    assert run is not None
    die_at_statement(number)
    requalify.go_on(run, canary_only=share == "canary")


def work(where: str, workspace: int, file: UUID) -> None:
    from django.conf import settings
    from django.db import transaction

    from ingestion import index, pipeline, processing, publish, results

    index.EMBED_BATCH = 1 if where.startswith("embed") else index.EMBED_BATCH

    what, _, point = where.partition(":")
    if what in ("statement", "requalify"):  # many die so, each with its first file: a template would be for nothing
        settings.LIMITED_PROCESS_TEMPLATE = False
    if what == "upload":
        number, _, token = point.partition(":")
        die_at_statement(int(number))
        return upload(token, file)
    if what == "floor":
        return upload_with_floor(point, file)
    if what == "reject":
        return reject(point, file)
    if what == "requalify":
        share, _, number = point.partition(":")
        return renew(share, int(number), workspace)
    if what == "statement":
        die_at_statement(int(point))
    else:
        pipeline.SAVE_AFTER_SECONDS = 0.0  # what is saved does not depend on how quick the machine is

    save, finish = results.save_result, publish.finish_publication

    def save_and_die(
        ws: int, revision: UUID, step: str, witness: str, floor: int, data: Any, part: int = results.WHOLE
    ) -> None:
        save(ws, revision, step, witness, floor, data, part)
        if where == (step if part == results.WHOLE else f"{step}:{part}"):
            transaction.on_commit(die)

    def finish_and_die(*args: Any) -> None:
        if where == "publishing":
            die()
        finish(*args)
        if where == "published":
            transaction.on_commit(die)

    results.save_result = save_and_die
    publish.finish_publication = finish_and_die  # type: ignore[assignment]
    if where == "claim":
        processing.run_all_steps = lambda claim: die()  # type: ignore[assignment]
    processing.process_file(workspace, file)


def main() -> None:
    import django

    django.setup()
    # So that every worker starts warm: two seconds of each went into these.
    import anthropic  # noqa: F401
    from django.urls import get_resolver

    import tests.ingestion.helpers  # noqa: F401

    assert get_resolver().url_patterns

    for line in sys.stdin:
        where, workspace, file = line.split()
        pid = os.fork()
        if pid == 0:
            work(where, int(workspace), UUID(file))
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
