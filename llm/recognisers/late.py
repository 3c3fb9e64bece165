"""Regular expressions that are compiled when they are first used.

The long lists of words took 0.8 s of processor time at each start, also of commands that label nothing.
"""

import re
from functools import cached_property
from typing import Any, cast


class LatePattern:
    """A pattern of `re`, with its methods and attributes, that is compiled by the first call."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self._flags)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # asked of a copy before it has a pattern
            raise AttributeError(name)
        found = getattr(self._compiled, name)
        setattr(self, name, found)  # the next call finds the method without this one
        return found


def compile_late(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """As `re.compile`, but a fault of the pattern is an error of its first use. Functions of `re` do not take it."""
    return cast("re.Pattern[str]", LatePattern(pattern, flags))
