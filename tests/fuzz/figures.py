"""What a run of the fuzzer saw, a line a file in CLEARANCE_FUZZ_LOG: `python -m tests.fuzz.figures LOG` sums it up."""

import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

LOG = os.environ.get("CLEARANCE_FUZZ_LOG") or ""
MIB = 1 << 20


def note(**seen: Any) -> None:
    """One line, whole: several processes write to the file at once."""
    if LOG:
        with open(LOG, "a") as log:
            log.write(json.dumps(seen) + "\n")


def summary(lines: list[dict[str, Any]]) -> str:
    """Files, how they ended, and the worst of each, with its name."""
    if not lines:
        return "no files"
    ends = Counter(line["end"] for line in lines)
    told = [f"{len(lines)} files: " + ", ".join(f"{count} {end}" for end, count in ends.most_common())]
    for key, what, unit, scale in (
        ("silence", "longest without progress", "s", 1),
        ("child", "largest limited process", "MB", MIB),
        ("grown", "most that the worker grew", "MB", MIB),
    ):
        worst = max(lines, key=lambda line: line[key])
        told.append(f"{what}: {worst[key] / scale:.1f} {unit} ({worst['name'][:40]}, {worst['why']})")
    wrong = [f"{line['name'][:60]!r} ({line['why']}): {'; '.join(line['found'])}" for line in lines if line["found"]]
    return "\n".join([*told, f"went wrong: {len(wrong)}", *wrong])


if __name__ == "__main__":
    print(summary([json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()]))
