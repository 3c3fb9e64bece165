"""OpenAI's variables, which other programs have too, send nothing anywhere unless the operator has chosen that API."""

import os
import subprocess
import sys
from pathlib import Path

from django.conf import settings

ADDRESS, KEY = "https://llm.example.com/v1", "sk-other"
PRINT = "from config import settings as s; print(repr((s.OPENAI_BASE_URL, s.OPENAI_API_KEY)))"


def read_settings(home: Path, **variables: str) -> str:
    """Address and key of a process that has these variables; `get_installation_endpoint` looks at nothing else."""
    dropped = ("CLEARANCE_", "DATABASE_", "ANTHROPIC_", "OPENAI_")
    rest = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    ours = {"CLEARANCE_HOME": str(home), "DATABASE_URL": "postgresql://h/d"}
    others = {"OPENAI_BASE_URL": ADDRESS, "OPENAI_API_KEY": KEY}
    environment = rest | ours | others | variables
    command = [sys.executable, "-c", PRINT]
    return subprocess.run(
        command, env=environment, cwd=settings.BASE, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_variables_of_other_programs_are_not_read(tmp_path: Path) -> None:
    assert read_settings(tmp_path) == repr(("", ""))
    assert read_settings(tmp_path, CLEARANCE_MODEL_API="anthropic") == repr(("", ""))


def test_an_operator_who_chooses_that_api_has_them_read(tmp_path: Path) -> None:
    assert read_settings(tmp_path, CLEARANCE_MODEL_API="openai") == repr((ADDRESS, KEY))
