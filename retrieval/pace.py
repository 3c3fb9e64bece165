"""How fast one person may search. Counted in the web process, of which there is one: a search is not written down for
it."""

import time
from collections import OrderedDict, deque
from threading import Lock

from django.conf import settings
from django.utils.translation import gettext

from entities.access import Scope

MINUTE = 60.0
MAX_PEOPLE = 10_000
"""That are remembered; who has not searched for the longest time is forgotten."""

_lock = Lock()
_searched: OrderedDict[tuple[int, int], deque[float]] = OrderedDict()


class TooManySearches(Exception):
    """Somebody has searched too often within a minute; the sentence is for them."""


def check_search_pace(scope: Scope) -> None:
    """Raises: TooManySearches."""
    now, who, most = time.monotonic(), (scope.workspace, scope.principal), settings.SEARCHES_A_MINUTE
    with _lock:
        times = _searched.setdefault(who, deque())
        _searched.move_to_end(who)
        while times and now - times[0] > MINUTE:
            times.popleft()
        if len(times) >= most:
            raise TooManySearches(
                gettext("You have searched %(count)s times within a minute. Wait a moment, then search again.")
                % {"count": most}
            )
        times.append(now)
        while len(_searched) > MAX_PEOPLE:
            _searched.popitem(last=False)
