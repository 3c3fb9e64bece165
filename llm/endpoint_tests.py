"""Tests of a workspace's model, which take minutes: a worker carries them out, and the page shows how far they are.

What stands in `EndpointTest` is the truth: a test whose row is gone, or has another token, has been stopped, and
changes nothing any more.
"""

import logging
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from cryptography.fernet import InvalidToken
from django.utils import timezone
from django.utils.translation import gettext_noop

from entities.access import ADMIN, NoWorkspace, Scope
from entities.access.routes import open_scope_satisfies
from entities.models import User
from llm.abilities import Abilities
from llm.endpoint_check import CheckStopped, check_model
from llm.endpoints import (
    Endpoint,
    build_endpoint,
    decode_key,
    encode_key,
    get_current_endpoint,
    note_findings,
    save_endpoint,
)
from llm.messages import Call
from llm.models import EndpointTest
from llm.transport import TEST_SECONDS

logger = logging.getLogger(__name__)

State = EndpointTest.State
LONGEST_SECONDS = 1_100
"""After these no other call is begun: with the longest one, a test is shorter than a worker's task may be."""
SILENT = timedelta(seconds=TEST_SECONDS + 60)
"""Without another step for so long, the worker is gone."""
TOO_LONG = gettext_noop("The test took too long and was ended.")
NOT_ALLOWED = gettext_noop("Nothing was saved: who began the test does not administer this workspace any more.")
NO_KEY = gettext_noop("This installation can no longer read the key: its secret key was changed.")
BROKEN = gettext_noop("The test broke off. Try again.")


@dataclass(frozen=True)
class TestView:
    """A test as a page shows it. step: of `check_model`; "" while it waits for a worker. since: when that began.
    is_live: it may still come to something; is_lost: it did not end, and its worker is gone. endpoint: what was asked,
    without its key, where that was not saved yet.
    """

    saves: bool
    is_live: bool
    is_lost: bool
    is_failed: bool
    model: str
    step: str
    since: datetime
    results: Sequence[Abilities]
    note: str
    endpoint: Endpoint | None


def begin_test(scope: Scope, endpoint: Endpoint | None) -> uuid.UUID:
    """In the open scope of an administrator: a test in the place of the last one. endpoint: what is saved when it can
    be used; None: the one in use is tested. Returns its token, for `run_test`.
    """
    asked = endpoint or Endpoint()
    now, token = timezone.now(), uuid.uuid4()
    EndpointTest.objects.update_or_create(
        workspace_id=scope.workspace,
        defaults={
            "token": token,
            "state": State.WAITING,
            "saves": endpoint is not None,
            "api": asked.api,
            "base_url": asked.base_url,
            "model": asked.model,
            "deep_model": asked.deep_model,
            "sealed_key": encode_key(asked.key),
            "model_now": "",
            "step": "",
            "step_at": now,
            "results": [],
            "note": "",
            "started_by": scope.principal,
            "started_at": now,
        },
    )
    return token


def forget_test(scope: Scope) -> None:
    """Stop it, or take what it found from the page. In the open scope of an administrator."""
    EndpointTest.objects.filter(workspace_id=scope.workspace).delete()


def describe_test() -> TestView | None:
    """The last one. In an open scope."""
    row = EndpointTest.objects.first()
    if row is None:
        return None
    unfinished = row.state in (State.WAITING, State.RUNNING)
    is_lost = row.state == State.RUNNING and timezone.now() - row.step_at > SILENT
    return TestView(
        row.saves,
        unfinished and not is_lost,
        is_lost,
        is_lost or row.state == State.FAILED,
        row.model_now,
        row.step,
        row.step_at,
        [Abilities.from_json(one) for one in row.results],
        BROKEN if is_lost else row.note,
        build_endpoint(row, "") if row.saves else None,
    )


def run_test(workspace: int, token: uuid.UUID) -> None:
    """Carry a test out, with no scope open, and save what it found."""
    service = Scope.for_service(workspace)
    with service.open():
        row = EndpointTest.objects.filter(token=token, state__in=[State.WAITING, State.RUNNING]).first()
        if row is None:
            return
        starter, slug = User.objects.filter(pk=row.started_by).first(), row.workspace.slug
        try:
            endpoint = build_endpoint(row, decode_key(row.sealed_key)) if row.saves else get_current_endpoint()
        except InvalidToken:
            _change(token, state=State.FAILED, note=NO_KEY)
            return
    try:
        results = _check_models(service, token, row.started_by, endpoint)
        saver = Scope.for_user(starter, slug) if starter and row.saves else None
        _finish(service, row, saver, endpoint, results)
    except CheckStopped:
        logger.info("a test of a model in workspace %s was stopped", workspace)
    except NoWorkspace:
        with service.open():
            _change(token, state=State.FAILED, note=NOT_ALLOWED, sealed_key="")
    except Exception:
        logger.exception("a test of a model in workspace %s broke off", workspace)
        with service.open():
            _change(token, state=State.FAILED, note=BROKEN, sealed_key="")


def _check_models(service: Scope, token: uuid.UUID, principal: int, endpoint: Endpoint) -> list[Abilities]:
    """Of each of its models; after the first that cannot be used, no other is asked. Raises: CheckStopped."""
    until = time.monotonic() + LONGEST_SECONDS
    results: list[Abilities] = []

    def report(model: str, step: str) -> None:
        is_late = time.monotonic() > until
        moved: dict[str, Any] = {"state": State.FAILED, "note": TOO_LONG, "sealed_key": ""}
        if not is_late:
            done = [one.to_json() for one in results]
            moved = {"state": State.RUNNING, "step": step, "model_now": model, "step_at": timezone.now()}
            moved["results"] = done
        with service.open():
            is_there = _change(token, **moved)
        if is_late or not is_there:
            raise CheckStopped

    for tier, model in endpoint.list_models():
        call = Call(service.workspace, principal, "test", tier)  # type: ignore[arg-type]
        results.append(check_model(call, endpoint, partial(report, model)))
        if results[-1].problem:
            break
    return results


def _finish(
    service: Scope, row: EndpointTest, saver: Scope | None, endpoint: Endpoint, results: Sequence[Abilities]
) -> None:
    """A test that has been stopped meanwhile saves nothing. saver: who began a test that saves."""
    failed = any(one.problem for one in results)
    ended: dict[str, Any] = {
        "state": State.FAILED if failed else State.DONE,
        "results": [one.to_json() for one in results],
        "sealed_key": "",
        "step": "",
    }
    if saver is None or failed:
        with service.open():
            if _change(row.token, **ended) and not failed and endpoint.own:
                note_findings(endpoint, results)
        return
    with saver.open():
        if not open_scope_satisfies(saver, ADMIN):  # the test took its time
            raise NoWorkspace
        if _change(row.token, **ended):
            save_endpoint(saver, endpoint, results)


def _change(token: uuid.UUID, **values: Any) -> bool:
    """Whether the test is still there."""
    return bool(EndpointTest.objects.filter(token=token).update(**values))
