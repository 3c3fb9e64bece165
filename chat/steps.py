"""Database steps of asynchronous code: each opens a scope, returns plain data and gives its connection back.

So no connection is held while a model runs or a client listens. A step as a person asks for their membership anew.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Concatenate, ParamSpec, TypeVar
from uuid import UUID

from asgiref.sync import sync_to_async
from django.db import connections

from chat.tools import SearchLookup
from entities.access import Scope
from entities.models import User
from retrieval.query import PreparedQuery, prepare_query
from retrieval.rerank import rerank_hits

P = ParamSpec("P")
T = TypeVar("T")

# Steps are short; more threads would only wait for connections. Looks of streams have threads of their own: writes of
# turns do not wait behind them, however many streams there are.
TURN_THREADS = ThreadPoolExecutor(max_workers=6, thread_name_prefix="chat-turn")
LOOK_THREADS = ThreadPoolExecutor(max_workers=3, thread_name_prefix="chat-look")


@dataclass(frozen=True)
class Asker:
    """Whose turn it is, as it is known between steps. session: whose attachments it finds, and no others. private: they
    alone read it, so it reads what they sent while that rests. atoms: the only clearances that count, None for all that
    they have.
    """

    workspace: int
    user: int
    slug: str
    session: UUID
    private: bool = False
    atoms: frozenset[int] | None = None

    def scope(self) -> Scope:
        """Raises: NoWorkspace when they are not a member any more."""
        scope = Scope.for_user(User(pk=self.user), self.slug).with_attachments(str(self.session))
        if self.private:
            scope = scope.add_sent()
        return scope if self.atoms is None else scope.limit_to(self.atoms)


def prepare_as(asker: Asker, words: str) -> PreparedQuery:
    """A question of the asker's, embedded with no scope open. Raises: NoWorkspace."""
    return prepare_query(words, asker.scope())


def rerank_as(asker: Asker, looked: SearchLookup) -> SearchLookup:
    """What was found in the order of the workspace's reranker, with no scope open. Raises: NoWorkspace."""
    return replace(looked, hits=rerank_hits(asker.scope(), looked.hits, looked.short))


async def run_as_asker(
    asker: Asker, step: Callable[Concatenate[Scope, P], T], /, *args: P.args, **kwargs: P.kwargs
) -> T:
    """`step(scope, …)` in the asker's scope of this moment. Raises: NoWorkspace, and what the step raises."""

    def run() -> T:
        scope = asker.scope()
        with scope.open():
            return step(scope, *args, **kwargs)

    return await run_in_thread(run)


async def run_as_service(
    workspace: int, step: Callable[Concatenate[Scope, P], T], /, *args: P.args, **kwargs: P.kwargs
) -> T:
    """`step(scope, …)` in the service's scope of one workspace."""

    def run() -> T:
        scope = Scope.for_service(workspace)
        with scope.open():
            return step(scope, *args, **kwargs)

    return await run_in_thread(run)


async def run_in_thread(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """`function` in a thread for turns, whose connection is closed (or given back to the pool) afterwards."""
    return await _run_in(TURN_THREADS, partial(function, *args, **kwargs))


async def run_in_look_thread(function: Callable[[], T], /) -> T:
    """`function` in a thread for streams, whose connection is closed (or given back to the pool) afterwards."""
    return await _run_in(LOOK_THREADS, function)


async def _run_in(threads: ThreadPoolExecutor, function: Callable[[], T]) -> T:
    def run() -> T:
        try:
            return function()
        finally:
            connections.close_all()

    return await sync_to_async(run, thread_sensitive=False, executor=threads)()
