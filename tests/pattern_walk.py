"""Every pattern of the product fed signs, pairs of signs and sentences, in a process that has nothing else to do.

`python -m tests.pattern_walk SIZE` prints, as JSON, what took longer than it may: [place, method, unit, seconds]. Its
time is processor time, so that a busy machine changes nothing. Of the pairs one in `PAIRS_APART // SIZE` is tried.
"""

import ast
import importlib
import json
import os
import pkgutil
import re
import resource
import signal
import string
import sys
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
APPS = ("chat", "config", "entities", "ingestion", "llm", "pulse", "references", "retrieval", "text")
APART = {"migrations", "management", "bench", "evaluation", "demo", "extract"}
"""Parts that read no text of strangers in the web process. `extract` reads files, in a limited process."""
WEB = ("language.py", "clean.py", "right_to_left.py")
"""Modules of `extract` that the web process uses all the same."""
SIGNS = [*string.punctuation, *"aAzZ09éßÄЖ中 \t\n\r\xa0–—“”„«»’…€£•²"]
SENTENCES = [
    "The rent is due on 3 March 2026. ", "Call Ann Miller on +44 20 7946 0958! ", "Wer darf das lesen? ",
    "a: 1, ", "| a | 1 |\n", "Mr. A. B. ", "https://a.example/b?c=d ", "2026-03-31 12:30 ", "(a) what, and which? ",
    "EUR 1,200.50 ", "ann.miller@example.org ", "- x\n", "# A\n\n", "Ann Miller and ", "12 345 678 ",
]  # fmt: skip
COUNT, PROBED, LONGEST = 4_000, 500, 8_000
LIMIT = 0.1
"""Seconds for COUNT times a unit, or LONGEST characters of it."""
GROWTH = 9.0
"""Of four times the text: 4 is linear, 16 is quadratic. A slow machine does not change it."""
SUSPECT = 0.0008
"""Seconds for PROBED times a unit, above which all of it is tried: a sixty-fourth of LIMIT, and a half of that."""
PAIRS_APART = 120
METHODS = ("search", "match", "fullmatch", "findall", "finditer", "sub", "split")
ANYWHERE, AT_THE_BEGINNING = "finditer", ("match", "fullmatch")

Found = tuple[re.Pattern[Any], str, tuple[str, ...]]


class TooSlow(BaseException):
    """A pattern has used up its processor time."""


def collect_patterns() -> list[Found]:
    """(pattern, file and line, methods that are called of it): compiled when a module is imported, and literals of
    calls of `re`. To be called where nothing of the product has been imported."""
    spied: dict[tuple[Any, int], tuple[re.Pattern[Any], str]] = {}
    compile_really = re._compile  # type: ignore[attr-defined]

    def compile_and_note(pattern: Any, flags: int) -> re.Pattern[Any]:
        made: re.Pattern[Any] = compile_really(pattern, flags)
        frame = sys._getframe(1)
        while frame.f_back and frame.f_code.co_filename == re.__file__:
            frame = frame.f_back
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(ROOT) and is_walked(path.relative_to(ROOT)):
            spied.setdefault((made.pattern, made.flags), (made, f"{path.relative_to(ROOT)}:{frame.f_lineno}"))
        return made

    re._compile = compile_and_note  # type: ignore[attr-defined]
    import_product()
    re._compile = compile_really  # type: ignore[attr-defined]
    used = read_uses()
    found = [(made, place, used.get(place, (ANYWHERE,))) for made, place in spied.values()]
    return [*found, *read_literals(), *collect_late(used)]


def is_walked(path: Path) -> bool:
    inside = not APART.intersection(path.parts) or path.name in WEB
    return path.parts[0] in APPS and inside and ".venv" not in path.parts


def import_product() -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    for app in APPS:
        for module in pkgutil.walk_packages(importlib.import_module(app).__path__, f"{app}."):
            if not {"migrations", "management", "bench", "__main__"}.intersection(module.name.split(".")):
                importlib.import_module(module.name)


def collect_late(used: dict[str, tuple[str, ...]]) -> Iterator[Found]:
    from llm.recognisers.late import LatePattern

    for name, module in [*sys.modules.items()]:
        if name.split(".")[0] in APPS:
            for key, value in vars(module).items():
                for one in value if isinstance(value, tuple | list) else (value,):
                    if isinstance(one, LatePattern):
                        yield one._compiled, f"{name}.{key}", used.get(f"{name}.{key}", (ANYWHERE,))


def read_trees() -> Iterator[tuple[Path, ast.Module]]:
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            yield path.relative_to(ROOT), ast.parse(path.read_text())


def read_uses() -> dict[str, tuple[str, ...]]:
    """Place of a pattern, and its module and name -> where it is tried. A name that is passed on counts as tried
    anywhere."""
    named: dict[str, str] = {}
    called: dict[str, set[str]] = {}
    for path, tree in read_trees():
        module = ".".join(path.with_suffix("").parts)
        homes = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                homes |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                call, name = node.value, node.targets[0].id
                if isinstance(call, ast.Call) and ast.unparse(call.func) in ("re.compile", "compile_late"):
                    named[f"{path}:{call.lineno}"] = f"{module}.{name}"
        receivers = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                receivers.add(node.value)
                method = node.attr if node.attr in METHODS else ""
                called.setdefault(homes.get(node.value.id, f"{module}.{node.value.id}"), set()).add(method)
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node not in receivers:
                called.setdefault(homes.get(node.id, f"{module}.{node.id}"), set()).add(ANYWHERE)

    def choose_methods(name: str) -> tuple[str, ...]:
        methods = called.get(name, {ANYWHERE}) - {""}
        return tuple(sorted(methods)) if methods and methods <= {*AT_THE_BEGINNING} else (ANYWHERE,)

    chosen = {name: choose_methods(name) for name in named.values()}
    return chosen | {place: chosen[name] for place, name in named.items()}


def read_literals() -> Iterator[Found]:
    """Of calls such as `re.sub("a+", …)`."""
    for path, tree in read_trees():
        for node in ast.walk(tree) if is_walked(path) else ():
            if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Constant):
                continue
            module, _, method = ast.unparse(node.func).rpartition(".")
            if module == "re" and method in METHODS:
                given = [*node.args[1:], *(keyword.value for keyword in node.keywords)]
                parts = [one for part in given for one in ast.walk(part) if isinstance(one, ast.Attribute)]
                names = [one.attr for one in parts if ast.unparse(one.value) == "re" and one.attr.isupper()]
                written: Any = node.args[0].value
                made = re.compile(written, sum(getattr(re, name) for name in names))
                yield made, f"{path}:{node.lineno}", (method if method in AT_THE_BEGINNING else ANYWHERE,)


def measure(pattern: re.Pattern[Any], method: str, text: str, limit: float) -> float:
    """Seconds of processor time; `limit` where it was stopped there."""
    given = text.encode() if isinstance(pattern.pattern, bytes) else text
    started = process_time()
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, limit)
        try:
            if method == ANYWHERE:
                for _ in pattern.finditer(given):
                    pass
            else:
                getattr(pattern, method)(given)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    except TooSlow:
        return limit
    return process_time() - started


def is_slow(pattern: re.Pattern[Any], method: str, unit: str) -> float:
    """Seconds, where COUNT times `unit` takes longer than LIMIT and grows faster than the text; else 0."""

    def measure_times(count: int, limit: float) -> float:
        return measure(pattern, method, (unit * count)[: LONGEST * count // COUNT] + "\x00", limit)

    if measure_times(PROBED, LIMIT) < SUSPECT:
        return 0.0
    whole = measure_times(COUNT, 20 * LIMIT)
    if whole < LIMIT:
        return 0.0
    return whole if whole == 20 * LIMIT or whole > GROWTH * measure_times(COUNT // 4, 20 * LIMIT) else 0.0


def choose_units(size: float) -> list[str]:
    pairs = [a + b for a in SIGNS for b in SIGNS if a != b]
    return [*SENTENCES, *SIGNS, *pairs[:: max(1, round(PAIRS_APART / size))]]


def stop_slow_one(_signal: int, _frame: object) -> None:
    raise TooSlow


def main(size: float) -> None:
    patterns = collect_patterns()
    resource.setrlimit(resource.RLIMIT_CPU, (round(600 + 600 * size), round(600 + 600 * size)))
    signal.signal(signal.SIGVTALRM, stop_slow_one)
    slow = []
    for pattern, place, methods in patterns:
        for method in methods:
            for unit in choose_units(size):
                if seconds := is_slow(pattern, method, unit):
                    slow.append((place, method, unit, round(seconds, 2)))
                    break
    print(json.dumps({"patterns": len(patterns), "seconds": round(process_time()), "slow": slow}))


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0)
