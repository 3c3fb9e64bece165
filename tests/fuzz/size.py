"""How large a run of the fuzzer is: CLEARANCE_FUZZ. 0, the default, is the sample that `make test` takes."""

import os

FACTOR = max(0, int(os.environ.get("CLEARANCE_FUZZ") or 0))
SEED = os.environ.get("CLEARANCE_FUZZ_SEED") or "clearance"
