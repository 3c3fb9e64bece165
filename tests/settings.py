"""The settings of a test run: an installation of its own in a directory that is thrown away afterwards.

DATABASE_URL and the other variables of a real installation are dropped, so tests can never reach its data; the sizes
of runs on demand stay (SIZES). Each worker of pytest-xdist has its own, with a cluster; processes that a test starts
share it by CLEARANCE_TEST_HOME.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

PREFIX = "clearance-tests-"

SIZES = {
    "CLEARANCE_PROVE",
    "CLEARANCE_MUTANTS",
    "CLEARANCE_FUZZ",
    "CLEARANCE_FUZZ_SEED",
    "CLEARANCE_FUZZ_LOG",
    "CLEARANCE_KILLS",
    "CLEARANCE_DROP",
    "CLEARANCE_TEST_COSTS",
    "CLEARANCE_ANSWERS",
    "CLEARANCE_PATTERNS",
    "CLEARANCE_PROMPTS",
    "CLEARANCE_PROMPTS_FROM",
    "CLEARANCE_LONG_TURNS",
}
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "alone")

if os.environ.get("CLEARANCE_TEST_WORKER") != WORKER:
    for name in list(os.environ):
        if name.startswith(("CLEARANCE_", "DATABASE_", "ANTHROPIC_", "OPENAI_")) and name not in SIZES:
            del os.environ[name]
    made = Path(tempfile.mkdtemp(prefix=PREFIX))
    made.chmod(0o711)
    # Registered before the cluster's own handler, so it runs after it.
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    os.environ["CLEARANCE_TEST_WORKER"] = WORKER
    os.environ["CLEARANCE_TEST_HOME"] = os.environ["CLEARANCE_HOME"] = str(made)
    os.environ["CLEARANCE_STATIC_HASHED"] = "0"
    os.environ["CLEARANCE_LOG_LEVEL"] = "WARNING"

from config.settings import *  # noqa: E402, F403

# A test of the real hasher starts its server with this variable (tests/entities/test_password_hashing.py).
if os.environ.get("CLEARANCE_TEST_HASHER") != "production":
    PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
ALLOWED_HOSTS = ["*"]
JUDGES = 0  # texts are judged where they are, but for the tests of judges
SEARCHES_A_MINUTE = 1_000_000
CELERY_IMPORTS = ["tests.tasks"]
