"""How a build is broken on purpose, in one named way (`tests/oracle/breaks.py` has the list)."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import pytest

Patch = Callable[[pytest.MonkeyPatch], None]


@dataclass(frozen=True)
class Break:
    """finder: who is asked first, for it shows in what they are shown."""

    path: str
    name: str
    apply: Patch
    finder: str = "ann"


def put(*targets: str, value: Any) -> Patch:
    """`value` in the place of every target, "module.name"."""

    def apply(patch: pytest.MonkeyPatch) -> None:
        for target in targets:
            patch.setattr(target, value)

    return apply


def reworded(target: str, old: str, new: str) -> Patch:
    """A text of the build with other words in it."""

    def apply(patch: pytest.MonkeyPatch) -> None:
        module, name = target.rsplit(".", 1)
        text = getattr(import_module(module), name)
        assert old in text, f"{target} has no {old!r} any more"
        patch.setattr(target, text.replace(old, new))

    return apply


def changed(target: str, change: Callable[[Any], Any]) -> Patch:
    """A function that answers with something else."""

    def apply(patch: pytest.MonkeyPatch) -> None:
        module, name = target.rsplit(".", 1)
        original = getattr(import_module(module), name)
        patch.setattr(target, lambda *args, **kwargs: change(original(*args, **kwargs)))

    return apply


def several(*patches: Patch) -> Patch:
    def apply(patch: pytest.MonkeyPatch) -> None:
        for one in patches:
            one(patch)

    return apply


def on(cls: type, name: str, value: Any) -> Patch:
    return lambda patch: patch.setattr(cls, name, value)
