"""Feature flags with gradual roll-out.

A flag is decided in this order: kill switch, personal override, country
list, percentage.  The first rule that applies wins.
"""
import hashlib
import json
import threading
import time

RELOAD_SECONDS = 45
BUCKETS = 10000             # finest step of a roll-out is 0.01 percent


def bucket_of(flag, user_id):
    """Stable number below BUCKETS; differs from flag to flag.

    The name of the flag is part of the hash, so that it is not always the
    same users who get every novelty first.
    """
    text = f"{flag}:{user_id}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") % BUCKETS


class Flags:
    def __init__(self, path, clock=time.monotonic):
        self.path = path
        self.clock = clock
        self.loaded_at = None
        self.rules = {}
        self._lock = threading.Lock()

    def _refresh(self):
        now = self.clock()
        with self._lock:
            if self.loaded_at is not None and now - self.loaded_at < RELOAD_SECONDS:
                return
            try:
                with open(self.path, encoding="utf-8") as handle:
                    self.rules = json.load(handle)
            except (OSError, ValueError):
                # A damaged file must not switch anything: keep the old rules.
                pass
            self.loaded_at = now

    def is_on(self, flag, user_id=None, country=None):
        """Unknown flags are off."""
        self._refresh()
        rule = self.rules.get(flag)
        if rule is None or rule.get("killed"):
            return False
        overrides = rule.get("users", {})
        if user_id in overrides:
            return bool(overrides[user_id])
        countries = rule.get("countries")
        if countries is not None and country not in countries:
            return False
        percent = rule.get("percent", 0)
        if user_id is None:
            return percent >= 100       # visitors without account come last
        return bucket_of(flag, user_id) < percent * BUCKETS / 100


def stale(rules, today):
    """Names of flags whose date of removal has passed."""
    return sorted(name for name, rule in rules.items()
                  if rule.get("remove_by") and rule["remove_by"] < today.isoformat())
