"""Tests of a workspace's model, which take minutes: a worker carries them out, and the page shows how far they are.

What stands in `EndpointTest` is the truth: a test whose row is gone, has another token or is no longer running changes
nothing any more.
"""

import logging
import time
import uuid
from functools import partial
from typing import Any

from cryptography.fernet import InvalidToken
from django.conf import settings
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
    get_installation_endpoint,
    save_endpoint,
)
from llm.messages import Call
from llm.models import EndpointTest

logger = logging.getLogger(__name__)

State = EndpointTest.State
LONGEST_SECONDS = 850
"""After these no other call is begun: with the longest one, a test is shorter than a worker's task may be."""
TOO_LONG = gettext_noop("The test took too long and was ended.")
NOT_ALLOWED = gettext_noop("Nothing was saved: who began the test does not administer this workspace any more.")
NO_KEY = gettext_noop("This installation can no longer read the key: its secret key was changed.")
BROKEN = gettext_noop("The test broke off. Try again.")


def begin_test(scope: Scope, endpoint: Endpoint) -> uuid.UUID | None:
    """In the open scope of an administrator: a test in the place of the last one. A workspace's own endpoint is saved
    when it can be used. Returns its token, for `run_test`; None while a worker is busy with the last one.
    """
    last = EndpointTest.objects.select_for_update().first()
    if last is not None and last.is_working:
        return None
    if last is not None:
        last.delete()
    asked = endpoint if endpoint.own else Endpoint()
    begun = EndpointTest.objects.create(
        workspace_id=scope.workspace,
        saves=endpoint.own,
        api=asked.api,
        base_url=asked.base_url,
        model=asked.model,
        deep_model=asked.deep_model,
        sealed_key=encode_key(asked.key),
        started_by=scope.principal,
    )
    return begun.token


def forget_test() -> None:
    """Stop it, or take what it found from the page. In the open scope of an administrator. A worker cannot leave the
    call that it is in: until then the test stands there, so that no other takes the next worker.
    """
    last = EndpointTest.objects.select_for_update().first()
    if last is not None and last.is_working:
        _change(last.token, state=State.STOPPING, sealed_key="")
    elif last is not None:
        last.delete()


def end_test(workspace: int, token: uuid.UUID, note: str = BROKEN) -> None:
    """As failed, and without its key, if it has not ended. With no scope open."""
    with Scope.for_service(workspace).open():
        unfinished = EndpointTest.objects.filter(token=token, state__in=[State.WAITING, State.RUNNING])
        unfinished.update(state=State.FAILED, note=note, sealed_key="")


def run_test(workspace: int, token: uuid.UUID) -> None:
    """Carry a test out, with no scope open, and save what it found. One that was begun before is ended: its message
    comes a second time only when its worker is dead (config/database.py).
    """
    service = Scope.for_service(workspace)
    with service.open():
        row = EndpointTest.objects.filter(token=token).first()
        waiting = EndpointTest.objects.filter(token=token, state=State.WAITING)
        is_mine = bool(waiting.update(state=State.RUNNING, step_at=timezone.now()))
    if row is None or not is_mine:
        end_test(workspace, token)
        return
    note = ""
    try:
        _check_endpoint(service, row)
    except CheckStopped as stopped:
        note = str(stopped)
    except InvalidToken:
        note = NO_KEY
    except NoWorkspace:
        note = NOT_ALLOWED
    except Exception:
        logger.exception("a test of a model in workspace %s broke off", workspace)
        note = BROKEN
    if note:
        end_test(workspace, token, note)
    with service.open():
        EndpointTest.objects.filter(token=token, state=State.STOPPING).delete()


def _check_endpoint(service: Scope, row: EndpointTest) -> None:
    """Raises: CheckStopped; InvalidToken; NoWorkspace where who began it may not save."""
    if row.saves and not settings.WORKSPACE_MODELS:  # closed while it waited
        raise NoWorkspace
    endpoint = build_endpoint(row, decode_key(row.sealed_key)) if row.saves else get_installation_endpoint()
    results = _check_models(service, row, endpoint)
    failed = any(one.problem for one in results)
    ended: dict[str, Any] = {
        "state": State.FAILED if failed else State.DONE,
        "results": [one.to_json() for one in results],
        "sealed_key": "",
        "step": "",
    }
    with service.open():
        if failed or not row.saves:
            _change(row.token, **ended)
            return
        starter, slug = User.objects.filter(pk=row.started_by).first(), row.workspace.slug
    if starter is None:
        raise NoWorkspace
    saver = Scope.for_user(starter, slug)
    with saver.open():
        if not open_scope_satisfies(saver, ADMIN):  # the test took its time
            raise NoWorkspace
        if _change(row.token, **ended):
            save_endpoint(saver, endpoint, results)


def _check_models(service: Scope, row: EndpointTest, endpoint: Endpoint) -> list[Abilities]:
    """Of each of its models; after the first that cannot be used, no other is asked. Raises: CheckStopped."""
    until = time.monotonic() + LONGEST_SECONDS
    results: list[Abilities] = []

    def report(model: str, step: str) -> None:
        if time.monotonic() > until:
            raise CheckStopped(TOO_LONG)
        done = [one.to_json() for one in results]
        with service.open():
            is_there = _change(row.token, step=step, model_now=model, step_at=timezone.now(), results=done)
        if not is_there:
            raise CheckStopped

    for tier, model in endpoint.list_models():
        call = Call(service.workspace, row.started_by, "test", tier)  # type: ignore[arg-type]
        results.append(check_model(call, endpoint, partial(report, model)))
        if results[-1].problem:
            break
    return results


def _change(token: uuid.UUID, **values: Any) -> bool:
    """Whether the test still runs. In an open scope."""
    return bool(EndpointTest.objects.filter(token=token, state=State.RUNNING).update(**values))
